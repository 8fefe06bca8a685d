//! What each session was given, so that nothing is given twice, and what it is doing. Kept in RAM, persisted behind the answer.

mod place;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use helix_engine::model::{MemoryNumber, Timestamp};
use helix_engine::policy::work::activity::{Activity, Phase};
use prost::Message;

use crate::project::Project;
use place::Place;

/// A session without an event for this long is over.
const IDLE_MAX: Duration = Duration::from_hours(4);

/// Sessions that are remembered; the longest idle one goes first.
const SESSIONS_MAX: usize = 1_024;

/// Memories that one session remembers having been given.
const GIVEN_MAX: usize = 4_096;

/// Least time between two writes of what a session merely does: a crash costs that much of it, and never what it was given.
const WRITE_INTERVAL: Duration = Duration::from_secs(10);

/// Version of the persisted state.
const STATE_VERSION: u32 = 1;

/// How a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With the context it had.
    GoesOn,
    /// The same work without its context.
    LostContext,
    /// With nothing.
    Anew,
}

/// That a session was given a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GivenCheckpoint {
    /// Tells it from a later one.
    pub(super) saved_at: Timestamp,
    /// Whether it was given whole.
    pub(super) is_whole: bool,
}

impl GivenCheckpoint {
    /// Whether somebody who was given `self` knows `other` as well.
    fn covers(self, other: Self) -> bool {
        self.saved_at == other.saved_at && (self.is_whole || !other.is_whole)
    }
}

/// What became of a memory that a session was given.
#[derive(Clone, PartialEq, Message)]
struct Told {
    #[prost(uint32, tag = "1")]
    number: u32,
    /// The file on whose occasion it was given; empty for another occasion.
    #[prost(string, tag = "2")]
    about: String,
    /// Whether the session did something that shows that it heeded it.
    #[prost(bool, tag = "3")]
    is_followed: bool,
    /// Whether that was counted already.
    #[prost(bool, tag = "4")]
    is_judged: bool,
}

/// A memory that a session was given, and whether the session followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) number: MemoryNumber,
    pub(crate) is_followed: bool,
}

/// What was over when a session began.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ended {
    /// The keys of sessions that are forgotten.
    pub(super) keys: Vec<String>,
    pub(super) verdicts: Vec<Verdict>,
}

/// A session for a listing.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its id.
    pub(crate) key: String,
    /// What it is busy with.
    pub(crate) phase: Phase,
    /// When it was heard of last.
    pub(crate) last_event_at: Timestamp,
    /// The memories in its context, the newest first.
    pub(crate) given: Vec<MemoryNumber>,
    /// Where it works; `None` when no hook said so.
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
struct Session {
    given: BTreeSet<u32>,
    /// Every memory that it was ever given, by number.
    told: BTreeMap<u32, Told>,
    /// Memories that rest and would have been given.
    held: BTreeSet<u32>,
    /// What it was given before it lost its context.
    lost: BTreeSet<u32>,
    checkpoint: Option<GivenCheckpoint>,
    activity: Activity,
    place: Option<Place>,
    /// When its state was last handed to the writer, and whether it changed since.
    written_at: Option<Timestamp>,
    is_dirty: bool,
    last_event_at: Timestamp,
}

/// A session as it is persisted.
#[derive(Clone, PartialEq, Message)]
struct SessionState {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(uint32, repeated, tag = "2")]
    given: Vec<u32>,
    #[prost(sint64, tag = "3")]
    last_event_at_us: i64,
    #[prost(sint64, optional, tag = "4")]
    checkpoint_saved_at_us: Option<i64>,
    #[prost(bool, tag = "5")]
    is_checkpoint_whole: bool,
    #[prost(uint32, repeated, tag = "6")]
    lost: Vec<u32>,
    #[prost(message, optional, tag = "7")]
    activity: Option<Activity>,
    #[prost(message, repeated, tag = "8")]
    told: Vec<Told>,
    #[prost(uint32, repeated, tag = "9")]
    held: Vec<u32>,
    #[prost(message, optional, tag = "10")]
    place: Option<Place>,
}

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: Mutex<HashMap<String, Session>>,
}

impl Sessions {
    /// Restores persisted sessions; those that are over go when the next one begins.
    pub(crate) fn restore(saved: Vec<(String, Vec<u8>)>) -> Self {
        let decode = |(key, state): (String, Vec<u8>)| {
            let state = SessionState::decode(state.as_slice()).ok().filter(|state| state.version == STATE_VERSION)?;
            let last_event_at = Timestamp::from_micros(state.last_event_at_us);
            let checkpoint = state.checkpoint_saved_at_us.map(|at| GivenCheckpoint {
                saved_at: Timestamp::from_micros(at),
                is_whole: state.is_checkpoint_whole,
            });
            let session = Session {
                given: state.given.into_iter().collect(),
                lost: state.lost.into_iter().collect(),
                checkpoint,
                activity: state.activity.unwrap_or_default(),
                place: state.place,
                told: state.told.into_iter().map(|told| (told.number, told)).collect(),
                held: state.held.into_iter().collect(),
                written_at: None,
                is_dirty: false,
                last_event_at,
            };
            Some((key, session))
        };
        Self { sessions: Mutex::new(saved.into_iter().filter_map(decode).collect()) }
    }

    /// Notes that a session begins or goes on, and forgets those that are over.
    pub(super) fn begin(&self, key: &str, start: Start, now: Timestamp) -> Ended {
        let mut sessions = self.lock();
        let mut ended = Ended::default();
        sessions.retain(|key, session| {
            let goes_on = !is_over(session, now);
            if !goes_on {
                ended.verdicts.extend(session.judge());
                ended.keys.push(key.clone());
            }
            goes_on
        });
        let session = current(&mut sessions, key, now);
        if start == Start::Anew {
            ended.verdicts.extend(session.judge());
        }
        session.last_event_at = now;
        match start {
            Start::GoesOn => {}
            Start::LostContext => session.lose_context(),
            Start::Anew => *session = Session { last_event_at: now, ..Session::default() },
        }
        // It is written again under the same key.
        ended.keys.retain(|ended| ended != key);
        ended
    }

    /// Counts what a session followed of what it was given, once for each memory.
    pub(super) fn judge(&self, key: &str) -> Vec<Verdict> {
        self.lock().get_mut(key).map(Session::judge).unwrap_or_default()
    }

    /// The memories that a session was given and has not followed yet, newest first.
    pub(super) fn unfollowed(&self, key: &str) -> Vec<MemoryNumber> {
        let sessions = self.lock();
        let told = sessions.get(key).into_iter().flat_map(|session| session.told.values().rev());
        told.filter(|told| !told.is_followed).map(|told| MemoryNumber(told.number)).collect()
    }

    /// Notes that a session followed those of its memories for which `does` says so, given the file that each was about.
    pub(super) fn follow(&self, key: &str, does: impl Fn(MemoryNumber, &str) -> bool) {
        let mut sessions = self.lock();
        let told = sessions.get_mut(key).into_iter().flat_map(|session| session.told.values_mut());
        for told in told.filter(|told| !told.is_followed) {
            told.is_followed = does(MemoryNumber(told.number), &told.about);
        }
    }

    /// Notes that every session that was given a memory followed it.
    pub(super) fn follow_everywhere(&self, number: MemoryNumber) {
        for told in self.lock().values_mut().filter_map(|session| session.told.get_mut(&number.0)) {
            told.is_followed = true;
        }
    }

    /// Notes that a memory that rests would have been given. Returns whether that is new.
    pub(super) fn hold(&self, key: &str, number: MemoryNumber, now: Timestamp) -> bool {
        let mut sessions = self.lock();
        let session = current(&mut sessions, key, now);
        session.is_dirty = true;
        session.held.insert(number.0)
    }

    /// Whether a memory is kept from a session because it rests.
    pub(super) fn is_held(&self, key: &str, number: MemoryNumber) -> bool {
        self.lock().get(key).is_some_and(|session| session.held.contains(&number.0))
    }

    /// Changes what a session is doing. Returns what the change gave, and the state where it is to be persisted now: at once
    /// when it `matters` later, else with others.
    pub(super) fn work<T>(
        &self,
        key: &str,
        now: Timestamp,
        matters: bool,
        change: impl FnOnce(&mut Activity) -> T,
    ) -> (T, Option<Vec<u8>>) {
        let mut sessions = self.lock();
        let session = current(&mut sessions, key, now);
        session.last_event_at = now;
        session.is_dirty = true;
        let result = change(&mut session.activity);
        let is_due = matters || session.written_at.is_none_or(|written_at| elapsed(written_at, now) >= WRITE_INTERVAL);
        (result, is_due.then(|| session.written(now)))
    }

    /// Notes where a session works that hooks told of. Persisted with what else becomes known of it.
    pub(super) fn works_in(&self, key: &str, project: &Project) {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(key) else { return };
        let place = Place::of(project).filter(|place| session.place.as_ref() != Some(place));
        if place.is_some() {
            session.place = place;
            session.is_dirty = true;
        }
    }

    /// The states that are not persisted yet.
    pub(crate) fn unwritten(&self, now: Timestamp) -> Vec<(String, Vec<u8>)> {
        let mut sessions = self.lock();
        let dirty = sessions.iter_mut().filter(|(_, session)| session.is_dirty);
        dirty.map(|(key, session)| (key.clone(), session.written(now))).collect()
    }

    /// What a session is doing; `None` for one that is over or unknown.
    pub(crate) fn activity(&self, key: &str, now: Timestamp) -> Option<Activity> {
        self.lock().get(key).filter(|session| !is_over(session, now)).map(|session| session.activity.clone())
    }

    /// Every session that is not over.
    pub(crate) fn known(&self, now: Timestamp) -> Vec<Known> {
        let sessions = self.lock();
        let open = sessions.iter().filter(|(_, session)| !is_over(session, now));
        let known = open.map(|(key, session)| Known {
            key: key.clone(),
            phase: session.activity.current_phase(),
            last_event_at: session.last_event_at,
            given: session.given.iter().rev().map(|number| MemoryNumber(*number)).collect(),
            place: session.place.clone(),
        });
        known.collect()
    }

    /// How many memories a session has in its context.
    pub(crate) fn given_count(&self, key: &str) -> usize {
        self.lock().get(key).map_or(0, |session| session.given.len())
    }

    /// What a session was given before it lost its context, the newest memories first.
    pub(super) fn lost(&self, key: &str) -> Vec<MemoryNumber> {
        let sessions = self.lock();
        let lost = sessions.get(key).into_iter().flat_map(|session| session.lost.iter().rev());
        lost.map(|number| MemoryNumber(*number)).collect()
    }

    /// Whether a session was given a memory.
    pub(super) fn was_given(&self, key: &str, number: MemoryNumber) -> bool {
        self.lock().get(key).is_some_and(|session| session.given.contains(&number.0))
    }

    /// Whether a session was given a checkpoint, at least as much of it.
    pub(super) fn was_given_checkpoint(&self, key: &str, checkpoint: GivenCheckpoint) -> bool {
        self.lock().get(key).is_some_and(|session| session.knows(checkpoint))
    }

    /// Marks memories and a checkpoint as given, on the occasion of a file or of something else (`about` is empty); what is
    /// given without an occasion (`about` is `None`) need not be heeded. `None` when another event of the session gave one of them meanwhile; else
    /// the state to persist.
    pub(super) fn claim(
        &self,
        key: &str,
        numbers: &[MemoryNumber],
        checkpoint: Option<GivenCheckpoint>,
        about: Option<&str>,
        now: Timestamp,
    ) -> Option<Vec<u8>> {
        let mut sessions = self.lock();
        let session = current(&mut sessions, key, now);
        let is_known = numbers.iter().any(|number| session.given.contains(&number.0));
        if is_known || checkpoint.is_some_and(|checkpoint| session.knows(checkpoint)) {
            return None;
        }
        session.last_event_at = now;
        session.checkpoint = checkpoint.or(session.checkpoint);
        session.given.extend(numbers.iter().map(|number| number.0));
        for number in numbers {
            session.lost.remove(&number.0);
            if let Some(about) = about {
                let told = Told { number: number.0, about: about.to_owned(), ..Told::default() };
                session.told.entry(number.0).or_insert(told);
            }
        }
        while session.told.len() > GIVEN_MAX {
            session.told.pop_first();
        }
        while session.given.len() > GIVEN_MAX {
            session.given.pop_first();
        }
        Some(session.written(now))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// The state to persist.
    fn written(&mut self, now: Timestamp) -> Vec<u8> {
        (self.written_at, self.is_dirty) = (Some(now), false);
        self.state().encode_to_vec()
    }

    fn judge(&mut self) -> Vec<Verdict> {
        let unjudged = self.told.values_mut().filter(|told| !told.is_judged);
        unjudged
            .map(|told| {
                told.is_judged = true;
                Verdict { number: MemoryNumber(told.number), is_followed: told.is_followed }
            })
            .collect()
    }

    fn lose_context(&mut self) {
        self.lost.append(&mut self.given);
        while self.lost.len() > GIVEN_MAX {
            self.lost.pop_first();
        }
        self.checkpoint = None;
    }

    fn knows(&self, checkpoint: GivenCheckpoint) -> bool {
        self.checkpoint.is_some_and(|known| known.covers(checkpoint))
    }

    fn state(&self) -> SessionState {
        SessionState {
            version: STATE_VERSION,
            given: self.given.iter().copied().collect(),
            last_event_at_us: self.last_event_at.as_micros(),
            checkpoint_saved_at_us: self.checkpoint.map(|checkpoint| checkpoint.saved_at.as_micros()),
            is_checkpoint_whole: self.checkpoint.is_some_and(|checkpoint| checkpoint.is_whole),
            lost: self.lost.iter().copied().collect(),
            activity: Some(self.activity.clone()),
            told: self.told.values().cloned().collect(),
            held: self.held.iter().copied().collect(),
            place: self.place.clone(),
        }
    }
}

/// The session as it is now: a new one in place of one that is over, and of the longest idle one where there is no room.
fn current<'s>(sessions: &'s mut HashMap<String, Session>, key: &str, now: Timestamp) -> &'s mut Session {
    if sessions.len() >= SESSIONS_MAX && !sessions.contains_key(key) {
        let idlest = sessions.iter().min_by_key(|(_, session)| session.last_event_at).map(|(key, _)| key.clone());
        idlest.and_then(|key| sessions.remove(&key));
    }
    let session = sessions.entry(key.to_owned()).or_default();
    if is_over(session, now) {
        *session = Session::default();
    }
    session
}

fn is_over(session: &Session, now: Timestamp) -> bool {
    elapsed(session.last_event_at, now) > IDLE_MAX
}

fn elapsed(from: Timestamp, to: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(to.as_micros().saturating_sub(from.as_micros())).unwrap_or(0))
}

#[cfg(test)]
mod tests;
