//! Threads for one class of work, at most so many, with a bounded queue. Classes share no thread,
//! so that one which hangs or is flooded costs the others nothing.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::Span;

/// How long a thread without work is kept: longer than the pauses within a burst.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// Work for a thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// The queue is full, or no thread can be started.
#[derive(Debug, thiserror::Error)]
#[error("{waiting} calls wait already; try again in a moment")]
pub struct Full {
    /// How many wait.
    waiting: usize,
}

/// Threads of one class. They end by themselves when there is nothing to do.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: &'static str,
    threads_max: usize,
    queue_max: usize,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// Each with the span of the request that it is for.
    queue: VecDeque<(Span, Job)>,
    threads: usize,
    /// Threads that wait for work.
    idle: usize,
    /// Threads that have some. One that was just started is neither.
    busy: usize,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} threads, {} idle, {} jobs",
            self.threads,
            self.idle,
            self.queue.len()
        )
    }
}

impl Pool {
    /// A pool of at most `threads_max` threads, for which at most `queue_max` jobs wait.
    #[must_use]
    pub fn new(name: &'static str, threads_max: usize, queue_max: usize) -> Self {
        let (state, wake) = (Mutex::default(), Condvar::new());
        Self {
            shared: Arc::new(Shared {
                name,
                threads_max,
                queue_max,
                state,
                wake,
            }),
        }
    }

    /// Has a thread do this in any case.
    ///
    /// # Errors
    /// [`Full`]: it is not done.
    pub fn submit(&self, job: Job) -> Result<(), Full> {
        let mut state = self.shared.lock();
        let free = self.shared.threads_max.saturating_sub(state.busy);
        if state.queue.len() >= free + self.shared.queue_max {
            return Err(Full {
                waiting: state.queue.len(),
            });
        }
        state.queue.push_back((Span::current(), job));
        if state.queue.len() <= state.idle {
            // Who wakes needs the lock.
            drop(state);
            self.shared.wake.notify_one();
            return Ok(());
        }
        if state.threads >= self.shared.threads_max {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        match thread::Builder::new()
            .name(self.shared.name.to_owned())
            .spawn(move || shared.work())
        {
            Ok(_) => state.threads += 1,
            // Those that are there come to it.
            Err(error) if state.threads > 0 => {
                tracing::warn!(%error, "no further thread for {}", self.shared.name);
            }
            Err(error) => {
                tracing::error!(%error, "no thread for {}", self.shared.name);
                state.queue.pop_back();
                return Err(Full {
                    waiting: state.queue.len(),
                });
            }
        }
        Ok(())
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some((span, job)) = state.queue.pop_front() {
                state.busy += 1;
                drop(state);
                if catch_unwind(AssertUnwindSafe(|| span.in_scope(job))).is_err() {
                    tracing::error!("a job of {} panicked", self.name);
                }
                state = self.lock();
                state.busy -= 1;
                continue;
            }
            state.idle += 1;
            let woken = self.wake.wait_timeout(state, IDLE_MAX);
            let waited;
            (state, waited) = woken.unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
