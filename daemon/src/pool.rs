//! Threads for one class of work, at most so many, with a bounded queue. Classes share no thread, so that one which hangs or is
//! flooded costs the others nothing.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long a thread without work is kept: longer than the pauses within a burst.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// Work for a thread.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// The queue is full, or no thread can be started.
#[derive(Debug, thiserror::Error)]
#[error("{waiting} calls wait already; try again in a moment")]
pub(crate) struct Full {
    /// How many wait.
    waiting: usize,
}

/// Threads of one class. They end by themselves when there is nothing to do.
#[derive(Debug)]
pub(crate) struct Pool {
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
    queue: VecDeque<Job>,
    threads: usize,
    /// Threads that wait for work.
    idle: usize,
    /// Threads that have some. One that was just started is neither.
    busy: usize,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} threads, {} idle, {} jobs", self.threads, self.idle, self.queue.len())
    }
}

impl Pool {
    /// A pool of at most `threads_max` threads, for which at most `queue_max` jobs wait.
    pub(crate) fn new(name: &'static str, threads_max: usize, queue_max: usize) -> Self {
        let (state, wake) = (Mutex::default(), Condvar::new());
        Self { shared: Arc::new(Shared { name, threads_max, queue_max, state, wake }) }
    }

    /// Has a thread do this in any case.
    ///
    /// # Errors
    /// [`Full`]: it is not done.
    pub(crate) fn submit(&self, job: Job) -> Result<(), Full> {
        let mut state = self.shared.lock();
        let free = self.shared.threads_max.saturating_sub(state.busy);
        if state.queue.len() >= free + self.shared.queue_max {
            return Err(Full { waiting: state.queue.len() });
        }
        state.queue.push_back(job);
        if state.queue.len() <= state.idle {
            self.shared.wake.notify_one();
            return Ok(());
        }
        if state.threads >= self.shared.threads_max {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let runtime = Handle::try_current().ok();
        let work = move || {
            let _entered = runtime.as_ref().map(Handle::enter);
            shared.work();
        };
        match thread::Builder::new().name(self.shared.name.to_owned()).spawn(work) {
            Ok(_) => state.threads += 1,
            // Those that are there come to it.
            Err(error) if state.threads > 0 => tracing::warn!(%error, "no further thread for {}", self.shared.name),
            Err(error) => {
                tracing::error!(%error, "no thread for {}", self.shared.name);
                state.queue.pop_back();
                return Err(Full { waiting: state.queue.len() });
            }
        }
        Ok(())
    }

    /// Has a thread do this, unless nobody waits for it any more when its turn comes.
    ///
    /// # Errors
    /// [`Full`]: it is not done.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, Full> {
        let (reply, answer) = oneshot::channel();
        self.submit(Box::new(move || {
            if !reply.is_closed() {
                // Whoever gave up meanwhile needs no answer.
                reply.send(work()).ok();
            }
        }))?;
        Ok(answer)
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.busy += 1;
                drop(state);
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn threads_and_queue_are_bounded() {
        let pool = Pool::new("tests", 2, 1);
        let (go, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let held = || {
            let wait = Arc::clone(&wait);
            pool.ask(move || wait.lock().unwrap().recv().is_ok())
        };
        let answers = [held().unwrap(), held().unwrap(), held().unwrap()];
        assert!(matches!(held(), Err(Full { .. })));
        for _ in 0..answers.len() {
            go.send(()).unwrap();
        }
        assert!(answers.into_iter().all(|answer| answer.blocking_recv().unwrap()));
        assert_eq!(pool.ask(|| 7).unwrap().blocking_recv(), Ok(7));
        assert!(pool.shared.lock().threads <= 2);
    }

    #[test]
    fn nothing_is_done_for_who_gave_up_and_a_panic_costs_no_thread() {
        let pool = Pool::new("tests", 1, 8);
        let (go, wait) = channel::<()>();
        let (done, did) = channel();
        let first = pool.ask(move || wait.recv().is_ok()).unwrap();
        let unwanted = done.clone();
        drop(pool.ask(move || unwanted.send("unwanted")).unwrap());
        let bad = pool.ask(|| assert!(did_panic(), "planted")).unwrap();
        pool.submit(Box::new(move || done.send("done").unwrap())).unwrap();
        go.send(()).unwrap();
        assert!(first.blocking_recv().unwrap() && bad.blocking_recv().is_err());
        assert_eq!(did.iter().collect::<Vec<_>>(), ["done"]);
    }

    fn did_panic() -> bool {
        false
    }
}
