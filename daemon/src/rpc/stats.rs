//! `Stats` and `Reindex`: what the strand holds, and its indexes made anew.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use helix_app::{Refusal, scopes};
use helix_engine::model::{Sequence, Timestamp};
use helix_proto::v1;

use super::{advice, convert, long_off_thread, status};
use crate::runtime::Runtime;
use helix_app::ports::Hold;

/// Counts what the caller's scopes hold.
pub(super) fn stats(
    runtime: &Runtime,
    request: &v1::StatsRequest,
) -> Result<v1::StatsReply, Refusal> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    let counted = runtime.app.memory.strand.statistics(&scopes);
    let sequence = newest(runtime)?;
    let lexical = runtime.app.memory.strand.lexical();
    let store_bytes = store_bytes(runtime);
    Ok(v1::StatsReply {
        advice: advice::advice(runtime, &scopes, store_bytes, sequence.0),
        memories: counted.memories,
        topics: counted.topics,
        first_recorded_at_us: counted.first_recorded_at.map_or(0, Timestamp::as_micros),
        last_recorded_at_us: counted.last_recorded_at.map_or(0, Timestamp::as_micros),
        tags: convert::counted(counted.tags),
        kinds: convert::counted(counted.kinds),
        scopes: convert::counted(counted.scopes),
        statuses: convert::counted(counted.statuses),
        origins: convert::counted(counted.origins),
        indexes: status::indexes(runtime, sequence)?,
        store_bytes,
        sequence: sequence.0,
        index_segments: lexical.segment_count() as u64,
        index_tail: lexical.tail_len() as u64,
        links: counted.links,
    })
}

/// Bytes of the store's file; 0 where it cannot be looked at.
pub(super) fn store_bytes(runtime: &Runtime) -> u64 {
    let store = runtime
        .config
        .paths
        .strand(&runtime.config.strand)
        .join(helix_engine::store::STORE_FILE);
    fs::metadata(store).map_or(0, |found| found.len())
}

/// Makes the word index anew and looks for missing vectors. Given up, with nothing changed, when
/// the caller is gone or the daemon ends.
pub(super) async fn reindex(
    runtime: &Arc<Runtime>,
    going: &Hold,
) -> Result<v1::ReindexReply, Refusal> {
    let caller = Arc::new(());
    let is_waiting = Arc::downgrade(&caller);
    let reindexed = long_off_thread(runtime, going, move |runtime| {
        reindex_while(runtime, || {
            is_waiting.strong_count() > 0 && !runtime.work.is_ending()
        })
    });
    let reply = reindexed.await;
    drop(caller);
    reply
}

fn reindex_while(
    runtime: &Runtime,
    is_wanted: impl Fn() -> bool,
) -> Result<v1::ReindexReply, Refusal> {
    let started = Instant::now();
    let report = runtime
        .app
        .memory
        .strand
        .reindex(is_wanted)
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    let report = report.ok_or_else(|| {
        Refusal::unavailable("making the index anew was given up, and nothing changed: the daemon stops or hands over")
    })?;
    let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::info!(
        memories = report.memories,
        elapsed_us,
        vectors_missing = report.vectors_missing,
        "reindexed"
    );
    let indexes = status::indexes(runtime, newest(runtime)?)?;
    Ok(v1::ReindexReply {
        memories: report.memories,
        elapsed_us,
        indexes,
    })
}

fn newest(runtime: &Runtime) -> Result<Sequence, Refusal> {
    let sequence = runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.sequence());
    sequence.map_err(|error| Refusal::of(error.kind(), &error))
}
