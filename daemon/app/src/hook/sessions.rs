//! What each session was given, so that nothing is given twice, and what it is doing. Kept in RAM,
//! persisted behind the answer.

mod forks;
mod order;
mod place;
mod session;
mod state;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use helix_engine::States;
use helix_memory::{MemoryNumber, Timestamp};
use helix_redact::State;

pub(in crate::hook) use session::{GivenCheckpoint, Lost, Proof, Said, Start, Verdict};

use crate::outbox::{Outbox, Row};
use crate::project::Project;
use crate::work::activity::{Activity, Phase};
pub use place::Place;
use session::{Session, elapsed};

/// Sessions that are remembered; the longest idle one goes first, out of the store as well.
const SESSIONS_MAX: usize = 1_024;
const _: () = assert!(
    SESSIONS_MAX as u64 == States::SESSIONS_MAX,
    "the store keeps as many"
);

/// How long ago a subagent may have been heard of that may still be at work.
const SUBAGENT_MAX: Duration = Duration::from_hours(1);

/// A session for a listing.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its id.
    pub key: String,
    /// What it is busy with.
    pub phase: Phase,
    /// When it was heard of last.
    pub last_event_at: Timestamp,
    /// The memories in its context, the latest given first.
    pub given: Vec<MemoryNumber>,
    /// Where it works; `None` when no hook said so.
    pub place: Option<Place>,
}

/// All sessions. A state goes to the outbox inside of the lock, so that no older one follows it
/// there.
#[derive(Debug, Default)]
pub struct Sessions {
    sessions: Mutex<HashMap<String, Session>>,
    outbox: Outbox,
}

impl Sessions {
    /// Restores persisted sessions; those that are over go when the next one begins.
    #[must_use]
    pub fn restore(saved: Vec<(String, Vec<u8>)>, outbox: Outbox) -> Self {
        let decode = |(key, state): (String, Vec<u8>)| Some((key, Session::read(&state)?));
        Self {
            sessions: Mutex::new(saved.into_iter().filter_map(decode).collect()),
            outbox,
        }
    }

    /// Notes that a session begins or goes on, and forgets those that are over. Returns what those
    /// followed.
    pub(super) fn begin(&self, key: &str, start: Start, now: Timestamp) -> Vec<Verdict> {
        let mut sessions = self.lock();
        let mut verdicts = Vec::new();
        sessions.retain(|key, session| {
            let goes_on = !session.is_over(now);
            if !goes_on {
                verdicts.extend(session.judge());
                self.outbox.put(Row::Session(key.clone()), State::default());
            }
            goes_on
        });
        let session = self.current(&mut sessions, key, now);
        if start == Start::Anew {
            verdicts.extend(session.judge());
        }
        (session.last_event_at, session.is_closed) = (now, false);
        match start {
            Start::GoesOn => {}
            Start::LostContext => session.lose_context(),
            Start::Anew => {
                *session = Session {
                    last_event_at: now,
                    ..Session::default()
                }
            }
        }
        session.is_dirty = true;
        verdicts
    }

    /// Counts what a session followed of what it was given, once for each memory.
    pub(super) fn judge(&self, key: &str) -> Vec<Verdict> {
        self.lock()
            .get_mut(key)
            .map(Session::judge)
            .unwrap_or_default()
    }

    /// The memories that a session was given and has not followed yet, newest first.
    pub(super) fn unfollowed(&self, key: &str) -> Vec<MemoryNumber> {
        let sessions = self.lock();
        let told = sessions
            .get(key)
            .into_iter()
            .flat_map(|session| session.told.values().rev());
        told.filter(|told| !told.is_followed)
            .map(|told| MemoryNumber(told.number))
            .collect()
    }

    /// Notes that a session followed those of its memories for which `does` says so, given the file
    /// that each was about.
    pub(super) fn follow(&self, key: &str, does: impl Fn(MemoryNumber, &str) -> bool) {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(key) else {
            return;
        };
        for told in session.told.values_mut().filter(|told| !told.is_followed) {
            told.is_followed = does(MemoryNumber(told.number), &told.about);
            session.is_dirty |= told.is_followed;
        }
    }

    /// Notes that every session that was given a memory followed it.
    pub(super) fn follow_everywhere(&self, number: MemoryNumber) {
        for session in self.lock().values_mut() {
            if let Some(told) = session.told.get_mut(&number.0) {
                session.is_dirty |= !told.is_followed;
                told.is_followed = true;
            }
        }
        self.changed();
    }

    /// Notes that a memory that rests would have been given. Returns whether that is new.
    pub(super) fn hold(&self, key: &str, number: MemoryNumber, now: Timestamp) -> bool {
        self.current(&mut self.lock(), key, now).hold(number)
    }

    /// Returns whether a memory is kept from a session because it rests.
    pub(super) fn is_held(&self, key: &str, number: MemoryNumber) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.held.contains(&number.0))
    }

    /// Returns whether a session had an event after some time: it is another one that goes on.
    pub(super) fn goes_on_after(&self, key: &str, at: Timestamp) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.last_event_at > at)
    }

    /// Changes what a session is doing, which is persisted at once when it `matters` later, else
    /// with others. Returns what the change gave.
    pub(super) fn work<T>(
        &self,
        key: &str,
        now: Timestamp,
        matters: bool,
        change: impl FnOnce(&mut Activity) -> T,
    ) -> T {
        let mut sessions = self.lock();
        let session = self.current(&mut sessions, key, now);
        session.last_event_at = now;
        session.is_dirty = true;
        let result = change(&mut session.activity);
        if matters {
            session.persist(key, &self.outbox);
        }
        result
    }

    /// Notes that hooks tell of a session, whatever it does. Nothing is persisted of one of which
    /// no more is known.
    pub(super) fn meet(&self, key: &str, now: Timestamp) {
        let mut sessions = self.lock();
        if !key.is_empty() && !sessions.contains_key(key) {
            self.current(&mut sessions, key, now);
        }
    }

    /// Notes that a session that hooks told of goes on, whatever it did. Persisted with what else
    /// becomes known of it.
    pub(super) fn heard(&self, key: &str, now: Timestamp) {
        let mut sessions = self.lock();
        // One that is over is as new with whatever is noted of it next.
        if let Some(session) = sessions
            .get_mut(key)
            .filter(|session| !session.is_over(now) && session.last_event_at < now)
        {
            (session.last_event_at, session.is_dirty) = (now, true);
        }
    }

    /// Notes in which directory of a project a session works that hooks told of. Persisted with
    /// what else becomes known of it.
    pub(super) fn works_in(&self, key: &str, project: &Project, directory: &Path) {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(key) else {
            return;
        };
        let place =
            Place::of(project, directory).filter(|place| session.place.as_ref() != Some(place));
        if place.is_some() {
            session.place = place;
            session.is_dirty = true;
        }
    }

    /// Has what changed persisted within [`crate::outbox::COLLECT_AFTER`].
    pub(super) fn changed(&self) {
        self.outbox.expect();
    }

    /// Persists what changed; where there is no room, it is tried again.
    pub fn collect(&self) {
        if !self.persist_all().is_empty() {
            self.changed();
        }
    }

    /// Persists every state that is not yet, and returns those for which there is no room: nothing
    /// else of these sessions waits.
    pub fn persist_all(&self) -> Vec<(String, State)> {
        let mut sessions = self.lock();
        let mut left = Vec::new();
        for (key, session) in sessions.iter_mut().filter(|(_, session)| session.is_dirty) {
            if !session.persist(key, &self.outbox) {
                left.push((key.clone(), session.write()));
            }
        }
        left
    }

    /// Returns what a session is doing; `None` for one that is over or unknown.
    pub fn activity(&self, key: &str, now: Timestamp) -> Option<Activity> {
        self.lock()
            .get(key)
            .filter(|session| !session.is_over(now))
            .map(|session| session.activity.clone())
    }

    /// Returns whether a session is known that is not over.
    pub fn is_known(&self, key: &str, now: Timestamp) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| !session.is_over(now))
    }

    /// Every session that is not over.
    pub fn known(&self, now: Timestamp) -> Vec<Known> {
        let sessions = self.lock();
        let open = sessions.iter().filter(|(_, session)| !session.is_over(now));
        let known = open.map(|(key, session)| Known {
            key: key.clone(),
            phase: session.activity.current_phase(),
            last_event_at: session.last_event_at,
            given: session.given.latest_first().map(MemoryNumber).collect(),
            place: session.place.clone(),
        });
        known.collect()
    }

    /// The directories of sessions that are not over, at most so many, those heard of last first.
    pub(super) fn directories(&self, now: Timestamp, most: usize) -> Vec<PathBuf> {
        let sessions = self.lock();
        let mut open: Vec<&Session> = sessions
            .values()
            .filter(|session| !session.is_over(now))
            .collect();
        open.sort_by_key(|session| std::cmp::Reverse(session.last_event_at));
        let mut directories: Vec<PathBuf> = Vec::new();
        for directory in open
            .into_iter()
            .filter_map(|session| Some(Path::new(&session.place.as_ref()?.directory)))
        {
            if directory.is_absolute()
                && directories.len() < most
                && !directories.iter().any(|known| known == directory)
            {
                directories.push(directory.to_owned());
            }
        }
        directories
    }

    /// How many memories a session has in its context.
    pub fn given_count(&self, key: &str) -> usize {
        self.lock()
            .get(key)
            .map_or(0, |session| session.given.len())
    }

    /// Returns what a session was given before it lost its context. `sources` are the memories
    /// whose sources are files that it worked with.
    pub(super) fn lost(&self, key: &str, sources: &[(MemoryNumber, String)]) -> Lost {
        self.lock()
            .get(key)
            .map(|session| session.lost(sources))
            .unwrap_or_default()
    }

    /// Returns whether a session has nothing of what it was given: it lost its context, and was not
    /// heard of since.
    pub(super) fn has_only_lost(&self, key: &str, now: Timestamp) -> bool {
        let sessions = self.lock();
        let session = sessions.get(key).filter(|session| !session.is_over(now));
        session.is_some_and(|session| session.given.is_empty() && !session.lost.is_empty())
    }

    /// Notes that a session is told this. Returns whether that is new to it.
    pub(super) fn tell(&self, key: &str, said: Said, now: Timestamp) -> bool {
        self.current(&mut self.lock(), key, now).tell(said)
    }

    /// Returns whether a session was told this.
    pub(super) fn was_told(&self, key: &str, said: Said) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.was_told(said))
    }

    /// Returns whether a session was given a memory, or knows it otherwise.
    pub(super) fn was_given(&self, key: &str, number: MemoryNumber) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.has(number))
    }

    /// Returns whether hooks told of a session that has not ended.
    pub fn is_open(&self, key: &str, now: Timestamp) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| !session.is_over(now) && !session.is_closed)
    }

    /// Notes that a session ended.
    pub(super) fn close(&self, key: &str) {
        if let Some(session) = self.lock().get_mut(key) {
            (session.is_closed, session.is_dirty) = (true, true);
        }
    }

    /// Notes memories that an open session knows, because it stored them or asked for them. Its
    /// subagents ask in its name: where one may be at work, nobody knows whose context an
    /// answer reaches, and nothing is noted.
    pub fn know(&self, key: &str, numbers: &[MemoryNumber], now: Timestamp) {
        let mut sessions = self.lock();
        let is_subagent = |other: &str| {
            other
                .strip_prefix(key)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let is_at_work = |session: &Session| elapsed(session.last_event_at, now) < SUBAGENT_MAX;
        if sessions
            .iter()
            .any(|(other, session)| is_subagent(other) && is_at_work(session))
        {
            return;
        }
        let open = sessions
            .get_mut(key)
            .filter(|session| !session.is_over(now) && !session.is_closed);
        if let Some(session) = open {
            session.know(numbers);
            self.changed();
        }
    }

    /// Notes memories that an open session asked for and was shown, and that may prove themselves.
    pub(super) fn recall(&self, key: &str, numbers: &[MemoryNumber], now: Timestamp) {
        let mut sessions = self.lock();
        let open = sessions
            .get_mut(key)
            .filter(|session| !session.is_over(now) && !session.is_closed);
        if let Some(session) = open {
            session.recall(numbers);
            self.changed();
        }
    }

    /// The memories that a session recalled and has not used yet.
    pub(super) fn recalled(&self, key: &str) -> Vec<MemoryNumber> {
        let sessions = self.lock();
        let recalled = sessions.get(key).into_iter();
        recalled
            .flat_map(|session| &session.recalled)
            .map(|number| MemoryNumber(*number))
            .collect()
    }

    /// Notes that a session used a memory that it recalled.
    pub(super) fn used(&self, key: &str, number: MemoryNumber) {
        if let Some(session) = self.lock().get_mut(key) {
            session.is_dirty |= session.recalled.remove(&number.0);
            self.changed();
        }
    }

    /// Notes that memories that a session was given did not reach it: they may be given again.
    pub(super) fn take_back(&self, key: &str, numbers: &[MemoryNumber], proof: Proof) {
        if let Some(session) = self.lock().get_mut(key) {
            session.take_back(numbers, proof);
            session.persist(key, &self.outbox);
        }
    }

    /// Notes that a memory has another text now, which only the session knows that wrote it: others
    /// may be given it again.
    pub fn reworded(&self, number: MemoryNumber, by: &str) {
        for (_, session) in self.lock().iter_mut().filter(|(key, _)| *key != by) {
            session.unlearn(number);
        }
        self.changed();
    }

    /// Returns whether a session was given a checkpoint, at least as much of it.
    pub(super) fn was_given_checkpoint(&self, key: &str, checkpoint: GivenCheckpoint) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.knows(checkpoint))
    }

    /// Marks memories, best first, and a checkpoint as given, each on the occasion of the file in
    /// `about` at its place or of something else (empty, or not there); what is given as the
    /// session starts has none (`about` is `None`). Returns false when another event of the session
    /// gave one of them meanwhile; else that is persisted at once.
    pub(super) fn claim(
        &self,
        key: &str,
        numbers: &[MemoryNumber],
        checkpoint: Option<GivenCheckpoint>,
        about: Option<&[String]>,
        now: Timestamp,
    ) -> bool {
        let mut sessions = self.lock();
        let session = self.current(&mut sessions, key, now);
        let is_known = numbers.iter().any(|number| session.has(*number));
        if is_known || checkpoint.is_some_and(|checkpoint| session.knows(checkpoint)) {
            return false;
        }
        (session.last_event_at, session.is_closed) = (now, false);
        session.checkpoint = checkpoint.or(session.checkpoint);
        session.give(numbers, about);
        session.persist(key, &self.outbox);
        true
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session as it is now: a new one in place of one that is over, and of the longest idle
    /// one where there is no room.
    fn current<'s>(
        &self,
        sessions: &'s mut HashMap<String, Session>,
        key: &str,
        now: Timestamp,
    ) -> &'s mut Session {
        if sessions.len() >= SESSIONS_MAX && !sessions.contains_key(key) {
            let idlest = sessions
                .iter()
                .min_by_key(|(_, session)| session.last_event_at)
                .map(|(key, _)| key.clone());
            if let Some(idlest) = idlest {
                sessions.remove(&idlest);
                self.outbox.put(Row::Session(idlest), State::default());
            }
        }
        let new = || Session {
            last_event_at: now,
            ..Session::default()
        };
        let session = sessions.entry(key.to_owned()).or_insert_with(new);
        if session.is_over(now) {
            *session = new();
        }
        session
    }
}

#[cfg(test)]
mod tests;
