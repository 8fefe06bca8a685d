//! Reaching what is not Helix's own: projects and their `git`, sources, transcripts. Any of it may lie on a file system that
//! never answers again, and a thread that asks it then hangs for good.
//!
//! So only threads of this module ask. Each question has a place, of which only a few are asked at once; whoever asks waits no
//! longer than its own patience, and not at all where a question has waited that long already. A place that hangs so holds
//! [`PLACE_THREADS_MAX`] threads at most, and everybody who does not ask there notices nothing.

mod mounts;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::pool::{Job, Pool};
use mounts::Mounts;

/// Questions that are asked at once. A thread that hangs cannot be ended, so this bounds how many ever hang: those of eight places.
const THREADS_MAX: usize = 32;

/// Questions of one place that are asked at once: as many as an ordinary disk answers faster than one after the other.
const PLACE_THREADS_MAX: usize = 4;

/// Questions that wait for their turn: more than all connections of a busy day ask at once.
const WAITING_MAX: usize = 1_024;

/// Asks what may never answer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reach {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    pool: Pool,
    places: Mutex<Places>,
    mounts: Mounts,
}

#[derive(Debug, Default)]
struct Places {
    by_path: HashMap<PathBuf, Place>,
    /// Tells questions apart.
    serial: u64,
}

/// A place that is being asked.
#[derive(Default)]
struct Place {
    /// Since when each question waits for its answer, by its serial number; the oldest first.
    asked: VecDeque<(u64, Instant)>,
    waiting: VecDeque<Question>,
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} asked, {} waiting", self.asked.len(), self.waiting.len())
    }
}

/// What is asked, and whether somebody still waits for the answer.
struct Question {
    job: Job,
    asker: Weak<()>,
}

impl Default for Reach {
    fn default() -> Self {
        let (pool, places, mounts) =
            (Pool::new("reach", THREADS_MAX, WAITING_MAX), Mutex::default(), Mounts::default());
        Self { shared: Arc::new(Shared { pool, places, mounts }) }
    }
}

impl Reach {
    /// Asks on another thread; blocks for at most `patience`. `None` when the place does not answer in time. The question is
    /// then given up where it was not asked yet, and goes on where it was.
    pub fn ask<T: Send + 'static>(
        &self,
        path: &Path,
        patience: Duration,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = sync_channel(1);
        let asker = Arc::new(());
        let job = move || {
            reply.send(question()).ok();
        };
        self.start(path, patience, Question { job: Box::new(job), asker: Arc::downgrade(&asker) })?;
        answer.recv_timeout(patience).ok()
    }

    /// Begins to ask, for who waits in a way of its own: `job` is given up where nobody holds `asker` any more when its turn comes.
    /// `None` where nobody would have an answer within `patience`.
    #[must_use]
    pub fn begin(&self, path: &Path, patience: Duration, job: Job, asker: Weak<()>) -> Option<()> {
        self.start(path, patience, Question { job, asker })
    }

    /// Asks when it can, and waits for nothing. Given up where the place has not answered anybody for `patience`.
    pub fn later(&self, path: &Path, patience: Duration, question: impl FnOnce() + Send + 'static) {
        let asker = Arc::new(());
        let kept = Arc::clone(&asker);
        let job = move || {
            drop(kept);
            question();
        };
        if self.start(path, patience, Question { job: Box::new(job), asker: Arc::downgrade(&asker) }).is_none() {
            tracing::debug!("a place does not answer, so it is not asked");
        }
    }

    /// `None` where nobody would have an answer within `patience`.
    fn start(&self, path: &Path, patience: Duration, question: Question) -> Option<()> {
        let at = self.shared.mounts.place_of(path);
        let mut places = self.shared.lock();
        let now = Instant::now();
        let is_overdue = |asked_at: &Instant| now.saturating_duration_since(*asked_at) >= patience;
        let all = places.by_path.values();
        let asked: usize = all.clone().map(|place| place.asked.len()).sum();
        if asked >= THREADS_MAX && all.flat_map(|place| &place.asked).all(|(_, asked_at)| is_overdue(asked_at)) {
            return None;
        }
        let place = places.by_path.entry(at.clone()).or_default();
        if place.asked.front().is_some_and(|(_, asked_at)| is_overdue(asked_at)) || place.waiting.len() >= WAITING_MAX {
            return None;
        }
        if place.asked.len() >= PLACE_THREADS_MAX {
            place.waiting.push_back(question);
            return Some(());
        }
        drop(places);
        self.shared.clone().put(at, question)
    }
}

impl Shared {
    /// Has a thread ask this, and then what waits for the same place.
    fn put(self: Arc<Self>, at: PathBuf, question: Question) -> Option<()> {
        let shared = Arc::clone(&self);
        let serial = shared.begin(&at);
        let mut asking = Asking { shared, at, serial };
        let job = move || {
            let mut next = Some(question);
            while let Some(question) = next {
                if question.asker.strong_count() > 0 {
                    (question.job)();
                }
                next = asking.next();
            }
        };
        self.pool.submit(Box::new(job)).ok()
    }

    fn begin(&self, at: &Path) -> u64 {
        let mut places = self.lock();
        places.serial += 1;
        let serial = places.serial;
        places.by_path.entry(at.to_owned()).or_default().asked.push_back((serial, Instant::now()));
        serial
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that asks at a place, or is about to.
struct Asking {
    shared: Arc<Shared>,
    at: PathBuf,
    serial: u64,
}

impl Asking {
    /// Ends a question, and begins the next one of the same place.
    fn next(&mut self) -> Option<Question> {
        let mut places = self.shared.lock();
        places.end(&self.at, self.serial);
        let serial = places.serial + 1;
        let place = places.by_path.get_mut(&self.at)?;
        let question = place.waiting.pop_front()?;
        place.asked.push_back((serial, Instant::now()));
        places.serial = serial;
        self.serial = serial;
        Some(question)
    }
}

impl Drop for Asking {
    /// For a question that panicked, or that no thread was there for.
    fn drop(&mut self) {
        self.shared.lock().end(&self.at, self.serial);
    }
}

impl Places {
    fn end(&mut self, at: &Path, serial: u64) {
        let Some(place) = self.by_path.get_mut(at) else { return };
        place.asked.retain(|(asked, _)| *asked != serial);
        if place.asked.is_empty() && place.waiting.is_empty() {
            self.by_path.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_mins(1);

    /// A place that answers when the sender is dropped.
    fn hang(reach: &Reach, path: &str) -> Sender<()> {
        let (go, wait): (Sender<()>, Receiver<()>) = channel();
        let (starts, started) = channel();
        reach.later(Path::new(path), LONG, move || {
            starts.send(()).unwrap();
            wait.recv().ok();
        });
        started.recv().unwrap();
        go
    }

    #[test]
    fn a_place_that_hangs_costs_its_own_callers_once_and_nobody_else() {
        let reach = Reach::default();
        let (hung, wait) = channel::<()>();
        assert_eq!(reach.ask(Path::new("/hung"), SOON, move || wait.recv().is_ok()), None);
        let began = Instant::now();
        for _ in 0..100 {
            assert_eq!(reach.ask(Path::new("/hung"), SOON, || ()), None);
            assert_eq!(reach.ask(Path::new("/well"), LONG, || 7), Some(7));
        }
        assert!(began.elapsed() < LONG);
        assert!(reach.shared.lock().by_path["/hung".as_ref() as &Path].asked.len() <= PLACE_THREADS_MAX);
        drop(hung);
        assert_eq!(reach.ask(Path::new("/hung"), LONG, || 8), Some(8), "it answers again");
    }

    #[test]
    fn a_place_has_few_threads_and_the_rest_wait_their_turn() {
        let reach = Reach::default();
        let all: Vec<_> = (0..PLACE_THREADS_MAX).map(|_| hang(&reach, "/slow")).collect();
        let (done, did) = channel();
        reach.later(Path::new("/slow"), LONG, move || done.send("asked in its turn").unwrap());
        assert_eq!(reach.ask(Path::new("/slow"), Duration::ZERO, || ()), None, "and is given up");
        assert!(did.try_recv().is_err());
        drop(all);
        assert_eq!(did.recv().unwrap(), "asked in its turn");
        assert_eq!(reach.ask(Path::new("/slow"), LONG, || 1), Some(1));
    }

    #[test]
    fn all_threads_may_hang_and_everybody_is_told_at_once() {
        let reach = Reach::default();
        let all: Vec<_> = (0..THREADS_MAX).map(|number| hang(&reach, &format!("/{number}"))).collect();
        assert_eq!(reach.ask(Path::new("/well"), SOON, || ()), None);
        assert_eq!(reach.ask(Path::new("/well"), Duration::ZERO, || ()), None);
        drop(all);
        assert_eq!(reach.ask(Path::new("/well"), LONG, || 1), Some(1));
        assert!(reach.shared.lock().by_path.len() <= THREADS_MAX);
    }
}
