//! Memories that fade, backups, and what was done day by day.

use std::collections::BTreeMap;

use helix_client::v1;
use serde::Serialize;

use super::status::{EmbedderDocument, IndexDocument};
use crate::time::rfc3339;

/// The steps that are due, and those that were done.
#[derive(Debug, Serialize)]
pub(crate) struct LifecycleDocument<'a> {
    mode: &'a str,
    auto_from: Option<String>,
    fates: Vec<FateDocument<'a>>,
    due: BTreeMap<&'a str, u64>,
    /// Only where it was done.
    taken: Option<BTreeMap<&'a str, u64>>,
    left: u64,
}

#[derive(Debug, Serialize)]
struct FateDocument<'a> {
    handle: &'a str,
    kind: &'a str,
    scope: &'a str,
    step: &'a str,
    since: String,
    due: String,
    confidence: f32,
    reason: &'a str,
}

/// Backups.
#[derive(Debug, Serialize)]
pub(crate) struct BackupsDocument<'a> {
    backups: Vec<BackupDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct BackupDocument<'a> {
    path: &'a str,
    bytes: u64,
    made_at: String,
    daily: bool,
    sequence: Option<u64>,
    memories: Option<u64>,
    newer_operations: Option<u64>,
}

/// The last run of a job.
#[derive(Debug, Serialize)]
pub(super) struct JobDocument<'a> {
    job: &'a str,
    at: String,
    took_us: u64,
    outcome: &'a str,
    failed: bool,
}

/// The counts of recent days, and the present state of each part.
#[derive(Debug, Serialize)]
pub(crate) struct MetricsDocument<'a> {
    days: Vec<DayDocument<'a>>,
    conflicts_open: u64,
    indexes: Vec<IndexDocument<'a>>,
    embedder: EmbedderDocument<'a>,
    jobs: Vec<JobDocument<'a>>,
    store_bytes: u64,
    sequence: u64,
}

#[derive(Debug, Serialize)]
struct DayDocument<'a> {
    date: &'a str,
    recalls: u64,
    /// Bar `i` counts recalls of `2^i` to `2^(i+1)` microseconds.
    recall_bars: &'a [u64],
    recall_p50_us: u64,
    recall_p95_us: u64,
    recall_p99_us: u64,
    counts: BTreeMap<&'a str, u64>,
}

fn by_name(counts: &[v1::NamedCount]) -> BTreeMap<&str, u64> {
    counts
        .iter()
        .map(|count| (count.name.as_str(), count.count))
        .collect()
}

impl<'a> From<&'a v1::LifecycleReply> for LifecycleDocument<'a> {
    fn from(reply: &'a v1::LifecycleReply) -> Self {
        Self {
            mode: &reply.mode,
            auto_from: (reply.auto_from_us > 0).then(|| rfc3339(reply.auto_from_us)),
            fates: reply.fates.iter().map(FateDocument::from).collect(),
            due: by_name(&reply.due),
            taken: (!reply.taken.is_empty()).then(|| by_name(&reply.taken)),
            left: reply.left,
        }
    }
}

impl<'a> From<&'a v1::Fate> for FateDocument<'a> {
    fn from(fate: &'a v1::Fate) -> Self {
        Self {
            handle: &fate.handle,
            kind: &fate.kind,
            scope: &fate.scope,
            step: &fate.step,
            since: rfc3339(fate.since_us),
            due: rfc3339(fate.due_us),
            confidence: fate.confidence,
            reason: &fate.reason,
        }
    }
}

impl<'a> From<&'a v1::BackupReply> for BackupsDocument<'a> {
    fn from(reply: &'a v1::BackupReply) -> Self {
        let is_read = |backup: &v1::Backup| backup.sequence > 0;
        let document = |backup: &'a v1::Backup| BackupDocument {
            path: &backup.path,
            bytes: backup.bytes,
            made_at: rfc3339(backup.made_at_us),
            daily: backup.is_daily,
            sequence: is_read(backup).then_some(backup.sequence),
            memories: is_read(backup).then_some(backup.memories),
            newer_operations: backup.newer_operations,
        };
        Self {
            backups: reply.backups.iter().map(document).collect(),
        }
    }
}

impl<'a> From<&'a v1::JobRun> for JobDocument<'a> {
    fn from(run: &'a v1::JobRun) -> Self {
        Self {
            job: &run.job,
            at: rfc3339(run.at_us),
            took_us: run.took_us,
            outcome: &run.outcome,
            failed: run.has_failed,
        }
    }
}

impl<'a> From<&'a v1::MetricsReply> for MetricsDocument<'a> {
    fn from(reply: &'a v1::MetricsReply) -> Self {
        Self {
            days: reply.days.iter().map(DayDocument::from).collect(),
            conflicts_open: reply.conflicts_open,
            indexes: reply.indexes.iter().map(IndexDocument::from).collect(),
            embedder: EmbedderDocument::new(reply.embedder.as_ref()),
            jobs: reply.jobs.iter().map(JobDocument::from).collect(),
            store_bytes: reply.store_bytes,
            sequence: reply.sequence,
        }
    }
}

impl<'a> From<&'a v1::MetricsDay> for DayDocument<'a> {
    fn from(day: &'a v1::MetricsDay) -> Self {
        Self {
            date: &day.date,
            recalls: day.recalls,
            recall_bars: &day.recall_bars,
            recall_p50_us: day.recall_p50_us,
            recall_p95_us: day.recall_p95_us,
            recall_p99_us: day.recall_p99_us,
            counts: by_name(&day.counts),
        }
    }
}
