//! What each session was given, so that nothing is given twice, and what it is doing. Kept in RAM, persisted behind the answer.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use helix_engine::model::{MemoryNumber, Timestamp};
use helix_engine::policy::work::activity::{Activity, Phase};
use prost::Message;

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
}

#[derive(Clone, Debug, Default)]
struct Session {
    given: BTreeSet<u32>,
    /// What it was given before it lost its context.
    lost: BTreeSet<u32>,
    checkpoint: Option<GivenCheckpoint>,
    activity: Activity,
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
}

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: Mutex<HashMap<String, Session>>,
}

impl Sessions {
    /// Restores persisted sessions that are not over.
    pub(crate) fn restore(saved: Vec<(String, Vec<u8>)>, now: Timestamp) -> Self {
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
                written_at: None,
                is_dirty: false,
                last_event_at,
            };
            (!is_over(&session, now)).then_some((key, session))
        };
        Self { sessions: Mutex::new(saved.into_iter().filter_map(decode).collect()) }
    }

    /// Notes that a session begins or goes on.
    pub(super) fn begin(&self, key: &str, start: Start, now: Timestamp) {
        let mut sessions = self.lock();
        sessions.retain(|_, session| !is_over(session, now));
        let session = current(&mut sessions, key, now);
        session.last_event_at = now;
        match start {
            Start::GoesOn => {}
            Start::LostContext => session.lose_context(),
            Start::Anew => *session = Session { last_event_at: now, ..Session::default() },
        }
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

    /// Marks memories and a checkpoint as given. `None` when another event of the session gave one of them meanwhile; else
    /// the state to persist.
    pub(super) fn claim(
        &self,
        key: &str,
        numbers: &[MemoryNumber],
        checkpoint: Option<GivenCheckpoint>,
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
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);

    #[test]
    fn nothing_is_given_twice_until_the_context_is_new() {
        let sessions = Sessions::default();
        let (one, two) = (MemoryNumber(1), MemoryNumber(2));
        let state = sessions.claim("s", &[one], None, NOW).unwrap();
        assert!(sessions.was_given("s", one) && !sessions.was_given("s", two) && !sessions.was_given("t", one));
        assert!(sessions.claim("s", &[two, one], None, NOW).is_none());
        assert!(!sessions.was_given("s", two));
        let restored = Sessions::restore(vec![("s".into(), state)], NOW);
        assert!(restored.was_given("s", one));
        restored.begin("s", Start::GoesOn, NOW);
        assert!(restored.was_given("s", one));
        restored.begin("s", Start::LostContext, NOW);
        assert!(!restored.was_given("s", one) && restored.lost("s") == [one]);
        restored.begin("s", Start::Anew, NOW);
        assert!(restored.lost("s").is_empty());
    }

    #[test]
    fn a_checkpoint_is_given_in_short_and_once_whole() {
        let sessions = Sessions::default();
        let short = GivenCheckpoint { saved_at: NOW, is_whole: false };
        let whole = GivenCheckpoint { is_whole: true, ..short };
        assert!(sessions.claim("s", &[], Some(short), NOW).is_some());
        assert!(sessions.was_given_checkpoint("s", short) && !sessions.was_given_checkpoint("s", whole));
        let state = sessions.claim("s", &[], Some(whole), NOW).unwrap();
        assert!(sessions.claim("s", &[MemoryNumber(1)], Some(whole), NOW).is_none());
        let restored = Sessions::restore(vec![("s".into(), state)], NOW);
        assert!(restored.was_given_checkpoint("s", short) && restored.was_given_checkpoint("s", whole));
        let later = GivenCheckpoint { saved_at: Timestamp::from_micros(NOW.as_micros() + 1), ..short };
        assert!(!restored.was_given_checkpoint("s", later));
        restored.begin("s", Start::LostContext, NOW);
        assert!(!restored.was_given_checkpoint("s", short));
    }

    #[test]
    fn idle_sessions_end() {
        let sessions = Sessions::default();
        let state = sessions.claim("s", &[MemoryNumber(1)], None, NOW).unwrap();
        let later = Timestamp::from_micros(NOW.as_micros() + 4 * 3_600_000_000 + 1);
        assert!(!Sessions::restore(vec![("s".into(), state)], later).was_given("s", MemoryNumber(1)));
        sessions.begin("other", Start::GoesOn, later);
        assert!(!sessions.was_given("s", MemoryNumber(1)));
    }

    #[test]
    fn the_number_of_sessions_is_bounded() {
        let sessions = Sessions::default();
        for n in 0..i64::try_from(SESSIONS_MAX).unwrap() + 5 {
            sessions.begin(&format!("s{n}"), Start::GoesOn, Timestamp::from_micros(NOW.as_micros() + n));
        }
        assert_eq!(sessions.lock().len(), SESSIONS_MAX);
    }
}
