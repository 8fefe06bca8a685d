//! Counts of recent days, and the present state of each part.

use helix_engine::States;
use helix_memory::Sequence;

use crate::indexes::{Embedding, Index, indexes};
use crate::jobs::{self, Run};
use crate::metrics::Day;
use crate::{App, Refusal, conflicts};

/// The last days, and the parts as they are now.
#[derive(Clone, Debug)]
pub struct Overseen {
    /// The last days, newest first.
    pub days: Vec<Day>,
    /// Disputes that nobody has settled, in all projects.
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
        conflicts_open: conflicts::count_open(app),
        indexes: indexes(app, sequence)?,
        embedder: Embedding::of(app, sequence),
        jobs: jobs::last_runs(app)?,
        store_bytes: app.layout.store_bytes(),
        sequence,
    })
}
