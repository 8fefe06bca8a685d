//! The last run of each job of the scheduler, and its result. It survives a restart.

use std::time::Duration;

use helix_engine::{Request, States};
use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use crate::threads::wait;
use crate::{App, Refusal};

/// Longest outcome that is kept, in characters.
const OUTCOME_MAX_CHARS: usize = 300;

/// The last run of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The job's name.
    pub job: String,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// Its result, in a few words; never a memory's text.
    pub outcome: String,
    /// True if it failed.
    pub has_failed: bool,
}

#[derive(Clone, PartialEq, Message)]
struct RunV1 {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(uint64, tag = "2")]
    took_us: u64,
    #[prost(string, tag = "3")]
    outcome: String,
    #[prost(bool, tag = "4")]
    has_failed: bool,
}

impl Redact for RunV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            at_us: _,
            took_us: _,
            outcome,
            has_failed: _,
        } = self;
        secrets.said(outcome);
    }
}

/// Keeps a run in place of the one before.
pub fn keep(app: &App, run: &Run) {
    let record = RunV1 {
        at_us: run.at.as_micros(),
        took_us: u64::try_from(run.took.as_micros()).unwrap_or(u64::MAX),
        outcome: run.outcome.chars().take(OUTCOME_MAX_CHARS).collect(),
        has_failed: run.has_failed,
    };
    let row = (run.job.clone(), State::of_message(record));
    let request = Request::States(States::Jobs, vec![row]);
    // Where nothing can be written, the job itself has said so.
    let Ok(written) = app.writer.submit_when_free(vec![request]) else {
        return;
    };
    if let Err(error) = wait(written) {
        tracing::debug!(%error, job = run.job, "the run was not kept");
    }
}

/// The last run of every job that ever ran, by name.
///
/// # Errors
/// When the disk fails.
pub fn last_runs(app: &App) -> Result<Vec<Run>, Refusal> {
    let kept = app.memory.strand.snapshot()?.states(States::Jobs)?;
    Ok(kept
        .into_iter()
        .filter_map(|(job, state)| read(job, &state))
        .collect())
}

/// The last run of a job.
///
/// # Errors
/// When the disk fails.
pub fn last_run(app: &App, job: &str) -> Result<Option<Run>, Refusal> {
    let kept = app.memory.strand.snapshot()?.state(States::Jobs, job)?;
    Ok(kept.and_then(|state| read(job.to_owned(), &state)))
}

fn read(job: String, state: &[u8]) -> Option<Run> {
    let record = RunV1::decode(state).ok()?;
    Some(Run {
        job,
        at: Timestamp::from_micros(record.at_us),
        took: Duration::from_micros(record.took_us),
        outcome: record.outcome,
        has_failed: record.has_failed,
    })
}
