//! An overview of the knowledge base and its parts.

use std::sync::atomic::Ordering;

use helix_engine::Counted;
use helix_memory::Sequence;

use crate::indexes::{Embedding, Index, indexes};
use crate::jobs::{self, Run};
use crate::lifecycle::{self, Holds};
use crate::receipts::{self, Counts};
use crate::work::watch::Late;
use crate::{App, Refusal};

/// An overview of the knowledge base.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The last operation.
    pub sequence: Sequence,
    /// How many memories have each status.
    pub memories_by_status: Vec<Counted>,
    /// How many topics there are.
    pub topics: usize,
    /// How many projects have memories.
    pub projects: usize,
    /// The indexes.
    pub indexes: [Index; 2],
    /// The embedder.
    pub embedder: Embedding,
    /// Bytes of the store's file.
    pub store_bytes: u64,
    /// Counts of the fates of receipts.
    pub receipts: Counts,
    /// Tokens that hooks gave since the start.
    pub injected_tokens: u64,
    /// Hooks that came too late.
    pub late_hooks: Vec<Late>,
    /// The last run of each job.
    pub jobs: Vec<Run>,
    /// The treatment of memories that faded.
    pub lifecycle: Holds,
}

/// Looks at everything.
///
/// # Errors
/// When the disk fails.
pub fn overview(app: &App) -> Result<Overview, Refusal> {
    let sequence = app.memory.strand.snapshot()?.sequence()?;
    let catalog = app.memory.strand.catalog();
    let by_status = catalog.count_by_status().iter();
    let memories_by_status = by_status
        .map(|(status, &count)| Counted {
            name: status.name().to_owned(),
            count,
        })
        .collect();
    let (topics, projects) = (catalog.topic_count(), catalog.project_count());
    drop(catalog);
    Ok(Overview {
        sequence,
        memories_by_status,
        topics,
        projects,
        indexes: indexes(app, sequence)?,
        embedder: Embedding::of(app, sequence),
        store_bytes: app.layout.store_bytes(),
        receipts: receipts::count(app)?,
        injected_tokens: app.hooks.injected_tokens.load(Ordering::Relaxed),
        late_hooks: app.hooks.watches.late(app.memory.now()),
        jobs: jobs::last_runs(app)?,
        lifecycle: lifecycle::mode(app)?,
    })
}
