//! Counts of recent days, and the present state of each part.

use helix_engine::States;
use helix_memory::{EdgeStatus, MemoryNumber, Relation, Sequence, Status};

use crate::indexes::{Embedding, Index, indexes};
use crate::jobs::{self, Run};
use crate::metrics::Day;
use crate::{App, Refusal};

/// The last days, and the parts as they are now.
#[derive(Clone, Debug)]
pub struct Overseen {
    /// The last days, newest first.
    pub days: Vec<Day>,
    /// Contradictions that nobody has settled.
    pub conflicts_open: usize,
    /// The indexes.
    pub indexes: [Index; 2],
    /// The embedder and its queue.
    pub embedder: Embedding,
    /// The last run of each job.
    pub jobs: Vec<Run>,
    /// Bytes of the store's file.
    pub store_bytes: u64,
    /// The last operation.
    pub sequence: Sequence,
}

/// Looks at everything that is counted.
///
/// # Errors
/// When the disk fails.
pub fn overseen(app: &App, days: usize) -> Result<Overseen, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let sequence = snapshot.sequence()?;
    let kept = snapshot.states(States::Metrics)?;
    Ok(Overseen {
        days: app.metrics.days(app.memory.now(), &kept, days),
        conflicts_open: conflicts_open(app),
        indexes: indexes(app, sequence)?,
        embedder: Embedding::of(app, sequence),
        jobs: jobs::last_runs(app)?,
        store_bytes: app.layout.store_bytes(),
        sequence,
    })
}

fn conflicts_open(app: &App) -> usize {
    let catalog = app.memory.strand.catalog();
    let is_active = |number: MemoryNumber| {
        let row = catalog.row(number);
        row.is_some_and(|row| row.status == Status::Active)
    };
    let edges = catalog.graph().stored();
    let open = edges.filter(|edge| {
        edge.key.relation == Relation::Contradicts
            && edge.status != EdgeStatus::Rejected
            && is_active(edge.key.from)
            && is_active(edge.key.to)
    });
    open.count()
}
