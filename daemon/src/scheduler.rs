//! The scheduler: one thread that does by itself, in quiet moments, what somebody would have to ask
//! for otherwise. A job is a row of [`jobs::JOBS`].
//!
//! It is off every request's path, gives way to hooks between two steps, and writes through the
//! writer in bounded groups like anybody else.

mod jobs;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use helix_app::App;
use helix_app::jobs::{Run, keep, last_runs};
use helix_memory::Timestamp;
use jobs::{JOBS, Job};

/// How often it looks which job is due, and first after the start: by then a session that started
/// the daemon has its answers.
const LOOK_INTERVAL: Duration = Duration::from_mins(1);

/// Tells the scheduler to end.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    is_ending: Arc<AtomicBool>,
    wake: SyncSender<()>,
}

impl Handle {
    /// Ends the job that goes on at its next step, and then the thread.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Release);
        // A full place means that it wakes anyway.
        self.wake.try_send(()).ok();
    }
}

/// The scheduler's side of a [`Handle`].
pub(crate) struct Orders {
    is_ending: Arc<AtomicBool>,
    wake: Receiver<()>,
}

/// Makes both sides.
pub(crate) fn channel() -> (Handle, Orders) {
    let (sender, wake) = sync_channel(1);
    let is_ending = Arc::<AtomicBool>::default();
    let handle = Handle {
        is_ending: Arc::clone(&is_ending),
        wake: sender,
    };
    (handle, Orders { is_ending, wake })
}

/// The thread.
pub(crate) struct Scheduler {
    thread: JoinHandle<()>,
}

impl Scheduler {
    /// Starts the thread, which ends when its [`Handle`] says so or is gone.
    pub(crate) fn start(app: Arc<App>, orders: Orders) -> io::Result<Self> {
        let thread = thread::Builder::new()
            .name("scheduler".to_owned())
            .spawn(move || run(&Going { app, orders }))?;
        Ok(Self { thread })
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!("the scheduler panicked; its jobs go on with the next start");
        }
    }
}

/// Everything that a job works with.
struct Going {
    app: Arc<App>,
    orders: Orders,
}

impl Going {
    /// Gives way to hooks that wait; returns whether the job is to go on.
    fn goes_on(&self) -> bool {
        self.app.hooks.load.give_way(|| self.is_ending())
    }

    fn is_ending(&self) -> bool {
        self.orders.is_ending.load(Ordering::Acquire)
    }
}

fn run(going: &Going) {
    let mut began: HashMap<String, Timestamp> = HashMap::new();
    let mut is_first = true;
    while waited(going) {
        if std::mem::take(&mut is_first) {
            began = known(&going.app);
        }
        for job in &JOBS {
            let now = going.app.memory.now();
            if !going.goes_on() {
                return;
            }
            if is_due(job, began.get(job.name).copied(), now) {
                began.insert(job.name.to_owned(), now);
                do_job(going, job, now);
            }
        }
        save_metrics(&going.app);
    }
}

/// Waits until it is time to look; returns whether to go on.
fn waited(going: &Going) -> bool {
    match going.orders.wake.recv_timeout(LOOK_INTERVAL) {
        Ok(()) | Err(RecvTimeoutError::Timeout) => !going.is_ending(),
        Err(RecvTimeoutError::Disconnected) => false,
    }
}

/// When each job began last, by its name.
fn known(app: &App) -> HashMap<String, Timestamp> {
    let runs = last_runs(app).unwrap_or_default();
    runs.into_iter().map(|run| (run.job, run.at)).collect()
}

/// A job that began in the future was noted by a clock that was wrong.
fn is_due(job: &Job, last: Option<Timestamp>, now: Timestamp) -> bool {
    let Some(last) = last else { return true };
    let since_us = now.as_micros().saturating_sub(last.as_micros());
    u64::try_from(since_us).map_or(true, |since_us| {
        Duration::from_micros(since_us) >= job.every
    })
}

fn do_job(going: &Going, job: &Job, at: Timestamp) {
    let started = Instant::now();
    let (outcome, has_failed) = match (job.run)(going) {
        Ok(Some(outcome)) => (outcome, false),
        // It does not apply here.
        Ok(None) => return,
        Err(refusal) => {
            tracing::warn!(job = job.name, error = %refusal, "a job failed");
            (refusal.message().to_owned(), true)
        }
    };
    let took = started.elapsed();
    tracing::debug!(job = job.name, ?took, outcome, "job done");
    let run = Run {
        job: job.name.to_owned(),
        at,
        took,
        outcome,
        has_failed,
    };
    keep(&going.app, &run);
}

/// Writes the counts of the last minute; a crash loses no more.
fn save_metrics(app: &App) {
    if let Some(metrics) = app.metrics.unsaved()
        && let Err(error) = app.writer.submit_when_free(vec![metrics])
    {
        tracing::debug!(%error, "the metrics were not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_due_when_its_time_is_over_or_the_clock_was_wrong() {
        let minute = |minute: i64| Timestamp::from_micros(minute * 60_000_000);
        let job = Job {
            name: "test",
            every: Duration::from_hours(1),
            run: |_| Ok(None),
        };
        assert!(is_due(&job, None, minute(0)), "it never ran");
        assert!(!is_due(&job, Some(minute(0)), minute(59)));
        assert!(is_due(&job, Some(minute(0)), minute(60)));
        assert!(is_due(&job, Some(minute(90)), minute(60)));
    }

    #[test]
    fn jobs_have_names_of_their_own() {
        let mut names: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), JOBS.len());
    }
}
