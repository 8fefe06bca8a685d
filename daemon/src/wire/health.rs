//! `Status`, `Stats`, `Reindex` and `Check` as the wire has them.

use helix_app::check::{Finding, Level};
use helix_app::indexes::{Embedding, Index};
use helix_app::jobs::Run;
use helix_app::ports::EmbedderState;
use helix_app::statistics::{Answer, Reindexed};
use helix_app::status::Overview;
use helix_app::work::watch::Late;
use helix_engine::Statistics;
use helix_memory::Timestamp;
use helix_proto::v1;

use super::counted;

/// Writes what the knowledge base holds; the rest of the reply is the daemon's own.
pub(crate) fn overview(overview: Overview) -> v1::StatusReply {
    let Overview {
        sequence,
        memories_by_status,
        topics,
        projects,
        indexes,
        embedder,
        store_bytes,
        receipts,
        injected_tokens,
        late_hooks,
        jobs,
        lifecycle,
    } = overview;
    v1::StatusReply {
        sequence: sequence.0,
        memories_by_status: counted(memories_by_status),
        topics: topics as u64,
        projects: projects as u64,
        indexes: indexes.into_iter().map(index).collect(),
        embedder: Some(self::embedder(embedder)),
        store_bytes,
        injected_tokens,
        injections_delivered: receipts.delivered,
        injections_cut: receipts.cut,
        injections_unknown: receipts.unknown,
        late_hooks: late_hooks.into_iter().map(late).collect(),
        jobs: jobs.into_iter().map(job).collect(),
        lifecycle_mode: lifecycle.mode.name().to_owned(),
        lifecycle_auto_from_us: lifecycle.auto_from.map_or(0, Timestamp::as_micros),
        ..v1::StatusReply::default()
    }
}

fn late(late: Late) -> v1::LateHook {
    v1::LateHook {
        event: late.event,
        times: late.times.into(),
        after_start: late.after_start.into(),
        last_at_us: late.last_at_us,
    }
}

/// Writes the last run of a job.
pub(super) fn job(run: Run) -> v1::JobRun {
    v1::JobRun {
        job: run.job,
        at_us: run.at.as_micros(),
        took_us: u64::try_from(run.took.as_micros()).unwrap_or(u64::MAX),
        outcome: run.outcome,
        has_failed: run.has_failed,
    }
}

pub(super) fn index(index: Index) -> v1::IndexStatus {
    v1::IndexStatus {
        name: index.name.to_owned(),
        watermark: index.watermark.0,
        entries: index.entries,
        problem: index.problem,
    }
}

pub(super) fn embedder(embedding: Embedding) -> v1::EmbedderStatus {
    let detail = embedding.detail();
    let (state, model) = match embedding.state {
        EmbedderState::Off => (v1::EmbedderState::Off, String::new()),
        EmbedderState::Absent(_) => (v1::EmbedderState::Absent, String::new()),
        EmbedderState::Failed(_) => (v1::EmbedderState::Failed, String::new()),
        EmbedderState::Loading => (v1::EmbedderState::Loading, String::new()),
        EmbedderState::Ready(model) => (v1::EmbedderState::Ready, model),
    };
    v1::EmbedderStatus {
        state: state.into(),
        model,
        detail,
        pending: embedding.pending,
        uncompared: embedding.uncompared,
    }
}

/// Writes what some scopes hold.
pub(crate) fn statistics(answer: Answer) -> v1::StatsReply {
    let Answer {
        counted: held,
        advice,
        indexes,
        index_segments,
        index_tail,
        store_bytes,
        sequence,
        models,
    } = answer;
    let Statistics {
        memories,
        topics,
        first_recorded_at,
        last_recorded_at,
        tags,
        kinds,
        scopes,
        statuses,
        origins,
        links,
    } = held;
    v1::StatsReply {
        advice,
        memories,
        topics,
        first_recorded_at_us: first_recorded_at.map_or(0, Timestamp::as_micros),
        last_recorded_at_us: last_recorded_at.map_or(0, Timestamp::as_micros),
        tags: counted(tags),
        kinds: counted(kinds),
        scopes: counted(scopes),
        statuses: counted(statuses),
        origins: counted(origins),
        indexes: indexes.into_iter().map(index).collect(),
        store_bytes,
        sequence: sequence.0,
        index_segments: index_segments as u64,
        index_tail: index_tail as u64,
        links,
        models: models.map(|(spent, settings)| super::provider::usage(&spent, &settings)),
    }
}

/// Writes what making the indexes anew came to.
pub(crate) fn reindexed(reindexed: Reindexed) -> v1::ReindexReply {
    v1::ReindexReply {
        memories: reindexed.memories,
        elapsed_us: u64::try_from(reindexed.elapsed.as_micros()).unwrap_or(u64::MAX),
        indexes: reindexed.indexes.into_iter().map(index).collect(),
    }
}

/// Writes what was found of the parts.
pub(crate) fn checked(findings: Vec<Finding>) -> v1::CheckReply {
    v1::CheckReply {
        results: findings.into_iter().map(finding).collect(),
    }
}

fn finding(finding: Finding) -> v1::CheckResult {
    let level = match finding.level {
        Level::Ok => v1::CheckLevel::Ok,
        Level::Warning => v1::CheckLevel::Warning,
        Level::Failure => v1::CheckLevel::Failure,
    };
    v1::CheckResult {
        name: finding.name,
        level: level.into(),
        detail: finding.detail,
    }
}
