//! Sessions that ended, or rest: queued behind the answers of their hooks, and distilled by one
//! thread of low priority, one after the other.
//!
//! A hook only puts a session into the queue, which takes a lock and no more. What waits when the
//! daemon ends is read with the session's next turn, or by an import. Remedies that helped twice wait
//! in the same queue: they become proposals.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use helix_capture::Candidate;
use helix_capture::read::Format;
use helix_memory::Timestamp;

use super::Tally;
use super::foreseen::Preview;
use super::import::Wanted;
use super::keep::{self, Found};
use super::known::Waiting;
use super::ledger::{self, Told};
use super::memories::{self, Memories};
use super::switches::{Standing, Switches};
use super::transcript::{Pass, Transcript, write};
use crate::language::facts::Asked;
use crate::project::Project;
use crate::{App, Refusal};

/// How long a session rests after a turn before it is read: what a failure came to shows in later
/// turns. The end of a session and a compaction are no turns.
const REST: Duration = Duration::from_mins(5);

/// What the provenance of a remedy names as having found it.
const INCIDENTS: &str = "incidents";

/// How sure a remedy is that helped twice.
const REMEDY_CONFIDENCE: f64 = 0.8;

/// Sessions that wait: more than go on at once.
const QUEUE_MAX: usize = 256;

/// What capture keeps in RAM.
#[derive(Debug, Default)]
pub struct Captures {
    /// Where sessions are distilled when they end.
    pub switches: Switches,
    /// The files that agents keep.
    pub memories: Memories,
    queue: Mutex<Queue>,
    wake: Condvar,
    is_ending: AtomicBool,
    /// Held by who reads transcripts: two would keep one fact twice.
    pub(super) reading: Mutex<()>,
    /// What an import would keep, while somebody thinks about it.
    preview: Mutex<Option<Preview>>,
    /// When that was kept which sessions were told, by scope: the row that says so is written later.
    told: Mutex<HashMap<String, Timestamp>>,
}

#[derive(Debug, Default)]
struct Queue {
    sessions: Vec<Ended>,
    remedies: Vec<Remedy>,
    /// Projects whose files are to be read.
    files: Vec<memories::Waiting>,
    /// When the files of agents were looked at last.
    looked_at: Option<Instant>,
}

/// Something to distil.
#[derive(Clone, Debug)]
pub enum Job {
    /// A session.
    Session(Ended),
    /// A remedy.
    Remedy(Remedy),
    /// The files that agents keep for a project.
    Files(Arc<Project>),
    /// Whether files of agents changed.
    Look,
}

/// A deed that mended a mistake more than once.
#[derive(Clone, Debug)]
pub struct Remedy {
    /// Mistake and remedy, as a statement.
    pub statement: String,
    /// Where both were.
    pub project: Arc<Project>,
    /// The session that saw it hold.
    pub session: String,
}

/// A session that ended, or rests after a turn.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its id.
    pub session: String,
    /// Where its client writes it.
    pub transcript: PathBuf,
    /// How.
    pub format: Format,
    /// Where it works.
    pub directory: PathBuf,
    /// Since when it waits.
    pub since: Instant,
    /// Whether no turn follows soon: it ended, or its context is compacted.
    pub is_over: bool,
}

impl Captures {
    /// With the switches that the store keeps among its observations. `user` is the home directory.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)], user: Option<PathBuf>) -> Self {
        Self {
            switches: Switches::restore(observations),
            memories: Memories::restore(observations, user),
            ..Self::default()
        }
    }

    /// Puts a session into the queue. One that waits already waits anew.
    pub(crate) fn put(&self, mut ended: Ended) {
        let mut queue = self.lock();
        let sessions = &mut queue.sessions;
        let known = sessions
            .iter()
            .position(|waiting| waiting.transcript == ended.transcript);
        if let Some(place) = known {
            ended.is_over |= sessions.remove(place).is_over;
        }
        if sessions.len() >= QUEUE_MAX {
            tracing::debug!(
                "too many sessions wait to be distilled; the oldest is left to an import"
            );
            sessions.remove(0);
        }
        sessions.push(ended);
        drop(queue);
        self.wake.notify_one();
    }

    /// Puts a remedy into the queue. Where too many wait, it is proposed when it holds again.
    pub(crate) fn propose(&self, remedy: Remedy) {
        let mut queue = self.lock();
        if queue.remedies.len() < QUEUE_MAX {
            queue.remedies.push(remedy);
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Puts a project into the queue whose files are to be read. Where too many wait, they are read
    /// within the hour.
    pub(super) fn read_files(&self, project: Arc<Project>) {
        let mut queue = self.lock();
        let waits = queue
            .files
            .iter()
            .any(|waiting| waiting.root == project.root);
        if !waits && queue.files.len() < QUEUE_MAX {
            queue.files.push(project);
        }
        drop(queue);
        self.wake.notify_one();
    }

    /// Notes that there may be more files to look at.
    pub(super) fn look_again(&self) {
        // Held, so that nobody is between looking and waiting.
        let _queue = self.lock();
        self.wake.notify_one();
    }

    /// Keeps what an import would keep, in place of an earlier preview.
    pub(super) fn foresee(&self, preview: Preview) {
        *self.preview() = Some(preview);
    }

    /// Takes what was foreseen of an import.
    pub(super) fn foreseen(&self, wanted: &Wanted) -> Option<Preview> {
        let preview = self.preview().take();
        preview.filter(|preview| preview.is_of(wanted))
    }

    /// Drops a preview that nobody answered.
    fn drop_old_preview(&self) {
        self.preview().take_if(|preview| preview.is_over());
    }

    fn preview(&self) -> MutexGuard<'_, Option<Preview>> {
        self.preview.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no session was told yet what was kept of a scope up to this moment; from now on one was.
    pub(super) fn is_news(&self, scope: &str, at: Timestamp) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(scope.to_owned(), at) != Some(at)
    }

    /// How many sessions wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Has [`Self::next`] return nothing from now on.
    pub fn end(&self) {
        let queue = self.lock();
        self.is_ending.store(true, Ordering::Release);
        drop(queue);
        self.wake.notify_all();
    }

    /// Whether [`Self::end`] was called.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// Waits for something that is due; `None` at the end.
    #[must_use]
    pub fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if self.is_ending() {
                return None;
            }
            self.drop_old_preview();
            let now = Instant::now();
            if let Some(remedy) = queue.remedies.pop() {
                return Some(Job::Remedy(remedy));
            }
            if let Some(project) = queue.files.pop() {
                return Some(Job::Files(project));
            }
            let next_look = self.memories.next_look(queue.looked_at, now);
            if next_look.is_some_and(|next| next <= now) {
                queue.looked_at = Some(now);
                return Some(Job::Look);
            }
            let sessions = &mut queue.sessions;
            if let Some(place) = sessions.iter().position(|ended| ended.is_due(now)) {
                return Some(Job::Session(sessions.remove(place)));
            }
            let rested = sessions.iter().map(|ended| ended.since + REST);
            let soonest = rested.chain(next_look).min();
            let pause = soonest.map_or(REST, |soonest| soonest.saturating_duration_since(now));
            let waited = self.wake.wait_timeout(queue, pause);
            (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ended {
    fn is_due(&self, now: Instant) -> bool {
        self.is_over || now.saturating_duration_since(self.since) >= REST
    }
}

/// Whether a session in a directory of a project is captured, and why.
#[must_use]
pub fn standing(app: &App, project: &Project, directory: &Path, session: &str) -> Standing {
    let transcripts = app.settings.capture.transcripts;
    let switches = &app.hooks.captures.switches;
    switches.standing(transcripts, project, directory, session)
}

/// Distils a session, unless it was switched off meanwhile. `goes_on` is asked between two steps.
///
/// # Errors
/// When the store fails.
pub fn distil(app: &App, ended: &Ended, goes_on: &dyn Fn() -> bool) -> Result<(), Refusal> {
    let reading = app.hooks.captures.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    let is_on = |project: &Project| standing(app, project, &ended.directory, &ended.session).is_on;
    let mut pass = Pass {
        app,
        settings: app.settings.capture,
        is_dry: false,
        takes_all: false,
        asks_model: true,
        asked: Asked::default(),
        waiting: Waiting::default(),
        goes_on,
        wants: &is_on,
        progress: &mut |_| (),
    };
    let transcript = Transcript {
        path: ended.transcript.clone(),
        format: ended.format,
        session: ended.session.clone(),
        directory: ended.directory.to_str().map(str::to_owned),
        is_spread: false,
    };
    let read = pass.read(&transcript, None)?;
    for what in &read.unknown {
        tracing::debug!(what, "a transcript has what its reader does not know");
    }
    match read.project {
        Some(project) if read.bytes > 0 && is_on(&project) => {
            ledger::add(app, &project, &read.tally, Told::Later)
        }
        Some(_) | None => Ok(()),
    }
}

/// Proposes a remedy as a memory.
///
/// # Errors
/// When the store fails.
pub fn propose(app: &App, remedy: &Remedy) -> Result<(), Refusal> {
    let reading = app.hooks.captures.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    let project = remedy.project.as_ref();
    let found = Found {
        project,
        agent: "",
        session: &remedy.session,
        branch: "",
        extractor: INCIDENTS,
    };
    let candidate = Candidate {
        kind: "bug_fix",
        text: remedy.statement.clone(),
        entities: Vec::new(),
        attributes: Vec::new(),
        confidence: REMEDY_CONFIDENCE,
        is_said_by_user: false,
        evidence: Vec::new(),
        reason: "the mistake went away twice or more by this, and did not come back to the session"
            .to_owned(),
    };
    let mut tally = Tally::default();
    let mut waiting = Waiting::default();
    let requests = keep::requests(app, &found, vec![candidate], &mut waiting, &mut tally)?;
    if requests.is_empty() {
        return Ok(());
    }
    write(app, requests)?;
    ledger::add(app, project, &tally, Told::Later)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ended(transcript: &str, is_over: bool) -> Ended {
        Ended {
            session: "s".to_owned(),
            transcript: transcript.into(),
            format: Format::ClaudeCode,
            directory: PathBuf::from("/work"),
            since: Instant::now(),
            is_over,
        }
    }

    fn next_session(captures: &Captures) -> Ended {
        let Some(Job::Session(ended)) = captures.next() else {
            unreachable!("a session is due");
        };
        ended
    }

    #[test]
    fn a_session_that_ended_is_due_and_one_that_rests_is_not_yet() {
        let captures = Captures::default();
        captures.put(ended("/a", false));
        captures.put(ended("/b", true));
        assert_eq!(next_session(&captures).transcript, Path::new("/b"));
        assert_eq!(captures.waiting(), 1);
        let rested = Instant::now() + REST;
        assert!(captures.lock().sessions.first().unwrap().is_due(rested));
    }

    #[test]
    fn files_are_looked_at_where_any_are_followed_and_then_again_after_a_while() {
        let followed = [("memories-of-a".to_owned(), Vec::new())];
        let captures = Captures::restore(&followed, None);
        assert!(matches!(captures.next(), Some(Job::Look)));
        let looked_at = captures.lock().looked_at.unwrap();
        let next = captures.memories.next_look(Some(looked_at), looked_at);
        assert!(next.unwrap() > looked_at);
        captures.put(ended("/a", true));
        assert_eq!(next_session(&captures).transcript, Path::new("/a"));
    }

    #[test]
    fn a_remedy_goes_before_sessions() {
        let captures = Captures::default();
        captures.put(ended("/a", true));
        captures.propose(Remedy {
            statement: "`make` fails: fixed by changing a.c.".to_owned(),
            project: Arc::new(Project::outside(Path::new("/"))),
            session: "s".to_owned(),
        });
        assert!(matches!(captures.next(), Some(Job::Remedy(_))));
        assert_eq!(next_session(&captures).transcript, Path::new("/a"));
    }

    #[test]
    fn one_session_waits_once_and_its_end_is_not_forgotten() {
        let captures = Captures::default();
        captures.put(ended("/a", true));
        captures.put(ended("/a", false));
        assert_eq!(captures.waiting(), 1);
        assert!(next_session(&captures).is_over);
    }

    #[test]
    fn the_queue_is_bounded_and_ends() {
        let captures = Captures::default();
        for n in 0..=QUEUE_MAX {
            captures.put(ended(&format!("/{n}"), true));
        }
        assert_eq!(captures.waiting(), QUEUE_MAX);
        assert_eq!(next_session(&captures).transcript, Path::new("/1"));
        captures.end();
        assert!(captures.next().is_none());
    }
}
