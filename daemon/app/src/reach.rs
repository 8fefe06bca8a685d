//! Reaching what is not Helix's own: projects and their `git`, sources, transcripts. Any of it may
//! lie on a file system that never answers again, and a thread that asks it then hangs for good.
//!
//! So only threads of this module ask. Each question has a place, of which only a few are asked at
//! once; whoever asks waits no longer than its own patience, and not at all where a question has
//! waited that long already. A place that has not answered yet is asked one question, and all such
//! places together have `UNPROVEN_THREADS_MAX` threads, so that those that hang leave the others to
//! those that answer. A question goes to the place that its path leads to: a link to a file system
//! that hangs is no fault of the project that has the link.
//!
//! What lies on the file system of Helix's own files is looked at by whoever asks: where that does
//! not answer, nothing of Helix does.

mod mounts;

use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use lru::LruCache;

use crate::pool::{Job, Pool};
use mounts::Mounts;

/// Questions that are asked at once. A thread that hangs cannot be ended, so this bounds how many
/// ever hang.
const THREADS_MAX: usize = 32;

/// Those of places that have not answered yet: a quarter, so that new places that hang leave the
/// rest to the others.
const UNPROVEN_THREADS_MAX: usize = THREADS_MAX / 4;

/// Questions of one place that are asked at once: as many as an ordinary disk answers faster than
/// one after the other.
const PLACE_THREADS_MAX: usize = 4;

/// How long a place may take for a question before it is given no further thread: longer than a
/// `git` of a cold disk.
const OVERDUE: Duration = Duration::from_secs(1);

/// Places of which it is known that they answer: more than a person works in.
const PROVEN_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

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

#[derive(Debug)]
struct Places {
    by_path: HashMap<PathBuf, Place>,
    /// Places whose last answer was not overdue.
    proven: LruCache<PathBuf, ()>,
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
        write!(
            formatter,
            "{} asked, {} waiting",
            self.asked.len(),
            self.waiting.len()
        )
    }
}

/// A question, and whether somebody still waits for the answer.
struct Question {
    job: Job,
    asker: Weak<()>,
    patience: Duration,
    /// Files that it touches, whose links may lead elsewhere.
    touched: Vec<PathBuf>,
}

/// A place that does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hanging {
    /// The mount, the project or the directory.
    pub place: PathBuf,
    /// How long the oldest question waits.
    pub since: Duration,
}

impl Default for Reach {
    fn default() -> Self {
        Self::with(Mounts::default())
    }
}

impl Reach {
    /// Asks from a daemon whose own files are in this directory.
    #[must_use]
    pub fn beside(home: &Path) -> Self {
        Self::with(Mounts::around(home))
    }

    fn with(mounts: Mounts) -> Self {
        let pool = Pool::new("reach", THREADS_MAX, WAITING_MAX);
        let places = Places {
            by_path: HashMap::new(),
            proven: LruCache::new(PROVEN_MAX),
            serial: 0,
        };
        Self {
            shared: Arc::new(Shared {
                pool,
                places: Mutex::new(places),
                mounts,
            }),
        }
    }

    /// Looks at a file or directory: at once beside Helix's own files, else as [`Self::ask`] does.
    /// Not for questions that run a program.
    pub fn look<T: Send + 'static>(
        &self,
        path: &Path,
        patience: Duration,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.look_of(path, vec![path.to_owned()], patience, question)
    }

    /// The same of paths that hang together with `place`, unless their links lead elsewhere.
    pub fn look_of<T: Send + 'static>(
        &self,
        place: &Path,
        touched: Vec<PathBuf>,
        patience: Duration,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.shared.mounts.lead_near(&touched) {
            return Some(question());
        }
        self.ask_of(place, touched, patience, question)
    }

    /// Returns whether a path, as it is written, is on the file system of Helix's own files. It
    /// looks at nothing.
    #[must_use]
    pub fn is_near(&self, path: &Path) -> bool {
        self.shared.mounts.is_near(path)
    }

    /// The same of where its links lead, at which this looks.
    #[must_use]
    pub fn leads_near(&self, path: &Path) -> bool {
        self.shared.mounts.lead_near(&[path.to_owned()])
    }

    /// Asks on another thread; blocks for at most `patience`. `None` when the place does not answer
    /// in time. The question is then given up where it was not asked yet, and goes on where it
    /// was.
    pub fn ask<T: Send + 'static>(
        &self,
        path: &Path,
        patience: Duration,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.ask_of(path, vec![path.to_owned()], patience, question)
    }

    /// The same of paths that hang together with `place`, unless their links lead elsewhere.
    pub fn ask_of<T: Send + 'static>(
        &self,
        place: &Path,
        touched: Vec<PathBuf>,
        patience: Duration,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = sync_channel(1);
        let asker = Arc::new(());
        let job = move || {
            reply.send(question()).ok();
        };
        let question = Question {
            job: Box::new(job),
            asker: Arc::downgrade(&asker),
            patience,
            touched,
        };
        self.start(place, question)?;
        answer.recv_timeout(patience).ok()
    }

    /// Begins to ask, for who waits in a way of its own: `job` is given up where nobody holds
    /// `asker` any more when its turn comes. `None` where nobody would have an answer within
    /// `patience`.
    #[must_use]
    pub fn begin(&self, path: &Path, patience: Duration, job: Job, asker: Weak<()>) -> Option<()> {
        self.start(
            path,
            Question {
                job,
                asker,
                patience,
                touched: vec![path.to_owned()],
            },
        )
    }

    /// Asks when it can, and waits for nothing. Given up where the place has not answered anybody
    /// for `patience`.
    pub fn later(&self, path: &Path, patience: Duration, question: impl FnOnce() + Send + 'static) {
        self.later_of(path, vec![path.to_owned()], patience, question);
    }

    /// The same of paths that hang together with `place`, unless their links lead elsewhere.
    pub fn later_of(
        &self,
        place: &Path,
        touched: Vec<PathBuf>,
        patience: Duration,
        question: impl FnOnce() + Send + 'static,
    ) {
        let asker = Arc::new(());
        let kept = Arc::clone(&asker);
        let job = move || {
            drop(kept);
            question();
        };
        let asker = Arc::downgrade(&asker);
        let question = Question {
            job: Box::new(job),
            asker,
            patience,
            touched,
        };
        if self.start(place, question).is_none() {
            tracing::debug!("a place does not answer, so it is not asked");
        }
    }

    /// The places that do not answer, that for the longest time first.
    #[must_use]
    pub fn hanging(&self) -> Vec<Hanging> {
        let now = Instant::now();
        let places = self.shared.lock();
        let overdue = places
            .by_path
            .iter()
            .filter(|(_, place)| place.is_overdue(now, OVERDUE));
        let mut all: Vec<Hanging> = overdue
            .map(|(at, place)| Hanging {
                place: at.clone(),
                since: place.oldest(now).unwrap_or_default(),
            })
            .collect();
        all.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.place.cmp(&b.place)));
        all
    }

    /// `None` where nobody would have an answer within the question's patience.
    fn start(&self, path: &Path, question: Question) -> Option<()> {
        let at = self.shared.mounts.place_of(path);
        self.shared.start(at, question)
    }
}

impl Shared {
    fn start(self: &Arc<Self>, at: PathBuf, question: Question) -> Option<()> {
        let now = Instant::now();
        let mut places = self.lock();
        if !places.may_answer(&at, now, question.patience) {
            return None;
        }
        if places.may_begin(&at, now) {
            let serial = places.begin(&at, now);
            drop(places);
            return self.put(at, serial, question);
        }
        places
            .by_path
            .entry(at)
            .or_default()
            .waiting
            .push_back(question);
        Some(())
    }

    /// Has a thread ask this, and then what waits.
    fn put(self: &Arc<Self>, at: PathBuf, serial: u64, question: Question) -> Option<()> {
        let asking = Asking {
            shared: Arc::clone(self),
            at,
            serial,
        };
        let job = move || asking.ask(question);
        self.pool.submit(Box::new(job)).ok()
    }

    /// Begins what waits and may begin by now.
    fn go_on(self: &Arc<Self>) {
        loop {
            let mut places = self.lock();
            let Some((at, serial, question)) = places.next(Instant::now()) else {
                return;
            };
            drop(places);
            // Where no thread is there for it, the next end of a question finds what waits.
            if self.put(at, serial, question).is_none() {
                return;
            }
        }
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
    /// Asks where somebody still waits for it; of a served file system that is met only now, by the
    /// threads that are for that.
    fn ask(self, question: Question) {
        if question.asker.strong_count() == 0 {
            return;
        }
        let mounts = &self.shared.mounts;
        let led = question
            .touched
            .iter()
            .find_map(|path| mounts.leads_to(path))
            .filter(|led| *led != self.at);
        let Some(led) = led else {
            return (question.job)();
        };
        if self.shared.start(led, question).is_none() {
            tracing::debug!("links lead to a place that does not answer");
        }
    }
}

impl Drop for Asking {
    /// Also for a question that panicked, or that no thread was there for.
    fn drop(&mut self) {
        self.shared.lock().end(&self.at, self.serial);
        self.shared.go_on();
    }
}

impl Place {
    /// How long the oldest question waits.
    fn oldest(&self, now: Instant) -> Option<Duration> {
        self.asked
            .front()
            .map(|(_, asked_at)| now.saturating_duration_since(*asked_at))
    }

    fn is_overdue(&self, now: Instant, patience: Duration) -> bool {
        self.oldest(now).is_some_and(|waited| waited >= patience)
    }
}

impl Places {
    /// Returns whether anybody who waits that long may have an answer of a place.
    fn may_answer(&self, at: &Path, now: Instant, patience: Duration) -> bool {
        let place = self.by_path.get(at);
        if place.is_some_and(|place| {
            place.is_overdue(now, patience) || place.waiting.len() >= WAITING_MAX
        }) {
            return false;
        }
        let is_unproven = !self.proven.contains(at);
        let rivals = self
            .by_path
            .iter()
            .filter(|(path, _)| is_unproven <= !self.proven.contains(*path));
        let asked: Vec<Instant> = rivals
            .flat_map(|(_, place)| &place.asked)
            .map(|(_, asked_at)| *asked_at)
            .collect();
        let most = if is_unproven {
            UNPROVEN_THREADS_MAX
        } else {
            THREADS_MAX
        };
        asked.len() < most
            || asked
                .iter()
                .any(|asked_at| now.saturating_duration_since(*asked_at) < patience)
    }

    /// Returns whether a place may be asked one more question at once.
    fn may_begin(&self, at: &Path, now: Instant) -> bool {
        let place = self.by_path.get(at);
        let asked = place.map_or(0, |place| place.asked.len());
        let is_overdue = place.is_some_and(|place| place.is_overdue(now, OVERDUE));
        if is_overdue || self.asked(|_| true) >= THREADS_MAX {
            return false;
        }
        if self.proven.contains(at) {
            return asked < PLACE_THREADS_MAX;
        }
        asked == 0 && self.asked(|path| !self.proven.contains(path)) < UNPROVEN_THREADS_MAX
    }

    /// How many questions are asked of such places.
    fn asked(&self, is_such: impl Fn(&Path) -> bool) -> usize {
        self.by_path
            .iter()
            .filter(|(path, _)| is_such(path))
            .map(|(_, place)| place.asked.len())
            .sum()
    }

    fn begin(&mut self, at: &Path, now: Instant) -> u64 {
        self.serial += 1;
        self.by_path
            .entry(at.to_owned())
            .or_default()
            .asked
            .push_back((self.serial, now));
        self.serial
    }

    /// Begins a question that waits, where one may begin.
    fn next(&mut self, now: Instant) -> Option<(PathBuf, u64, Question)> {
        let is_next =
            |(at, place): &(&PathBuf, &Place)| !place.waiting.is_empty() && self.may_begin(at, now);
        let at = self.by_path.iter().find(is_next)?.0.clone();
        let question = self.by_path.get_mut(&at)?.waiting.pop_front()?;
        let serial = self.begin(&at, now);
        Some((at, serial, question))
    }

    /// Ends a question. A place is proven by an answer that was not overdue.
    fn end(&mut self, at: &Path, serial: u64) {
        let Some(place) = self.by_path.get_mut(at) else {
            return;
        };
        let Some(asked) = place.asked.iter().position(|(asked, _)| *asked == serial) else {
            return;
        };
        let is_in_time = place
            .asked
            .remove(asked)
            .is_some_and(|(_, asked_at)| asked_at.elapsed() < OVERDUE);
        if place.asked.is_empty() && place.waiting.is_empty() {
            self.by_path.remove(at);
        }
        if is_in_time {
            self.proven.put(at.to_owned(), ());
        } else {
            self.proven.pop(at);
        }
    }
}

#[cfg(test)]
mod tests;
