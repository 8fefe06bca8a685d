//! Statistics of the strand, and rebuilding its indexes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_engine::Statistics;
use helix_memory::Sequence;

use crate::indexes::{Index, indexes, newest};
use crate::language::Settings;
use crate::language::ledger::{Spent, spent};
use crate::ports::Hold;
use crate::threads::long_off_thread;
use crate::{App, Asker, Refusal, scopes, upkeep};

/// The counts of some scopes, and the indexes that carry them.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Their counts.
    pub counted: Statistics,
    /// Upkeep that would pay.
    pub advice: Vec<String>,
    /// The indexes of the whole strand.
    pub indexes: [Index; 2],
    /// Segments of the word index.
    pub index_segments: usize,
    /// Memories that are not in a segment yet.
    pub index_tail: usize,
    /// Bytes of the store's file.
    pub store_bytes: u64,
    /// The last operation.
    pub sequence: Sequence,
    /// What language models were asked this month, and what is set for them; `None` where none ever
    /// was and none is configured.
    pub models: Option<(Spent, Settings)>,
}

/// Counts what the asker's scopes, or those named, hold.
///
/// # Errors
/// When the scopes cannot be read, or the disk fails.
pub fn statistics(app: &App, asker: &Asker, names: &[String]) -> Result<Answer, Refusal> {
    let scopes = scopes::filtered(asker, names)?;
    let sequence = newest(app)?;
    let store_bytes = app.layout.store_bytes();
    let lexical = app.memory.strand.lexical();
    Ok(Answer {
        counted: app.memory.strand.statistics(&scopes),
        advice: upkeep::advice(app, &scopes, store_bytes, sequence),
        indexes: indexes(app, sequence)?,
        index_segments: lexical.segment_count(),
        index_tail: lexical.tail_len(),
        store_bytes,
        sequence,
        models: models(app)?,
    })
}

fn models(app: &App) -> Result<Option<(Spent, Settings)>, Refusal> {
    let spent = spent(app)?;
    let is_told = app.language.model.is_some() || spent != Spent::default();
    Ok(is_told.then_some((spent, app.language.settings)))
}

/// The result of making the indexes anew.
#[derive(Clone, Debug)]
pub struct Reindexed {
    /// Memories that the word index holds.
    pub memories: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// The indexes as they are now.
    pub indexes: [Index; 2],
}

/// Makes the word index anew and looks for missing vectors. Given up, with nothing changed, when
/// nobody waits any more or the program ends.
///
/// # Errors
/// When it was given up, or the disk fails.
pub async fn reindex(app: &Arc<App>, going: &Hold) -> Result<Reindexed, Refusal> {
    let caller = Arc::new(());
    let is_waiting = Arc::downgrade(&caller);
    let reindexed = long_off_thread(app, going, move |app| {
        reindex_while(app, || {
            is_waiting.strong_count() > 0 && !app.life.is_ending()
        })
    });
    let reindexed = reindexed.await;
    drop(caller);
    reindexed
}

fn reindex_while(app: &App, is_wanted: impl Fn() -> bool) -> Result<Reindexed, Refusal> {
    let started = Instant::now();
    let report = app.memory.strand.reindex(is_wanted)?;
    let report = report.ok_or_else(|| {
        Refusal::unavailable("making the index anew was given up, and nothing changed: the daemon stops or hands over")
    })?;
    let elapsed = started.elapsed();
    tracing::info!(
        memories = report.memories,
        elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        vectors_missing = report.vectors_missing,
        "reindexed"
    );
    Ok(Reindexed {
        memories: report.memories,
        elapsed,
        indexes: indexes(app, newest(app)?)?,
    })
}
