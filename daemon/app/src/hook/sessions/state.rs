//! A session as it is persisted.

use std::path::PathBuf;

use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use super::forks::Fork;
use super::order::GivenOrder;
use super::place::Place;
use super::session::{GivenCheckpoint, Session};
use crate::work::activity::Activity;

/// Version of the persisted state. Fields that were added since are empty in older states.
const STATE_VERSION: u32 = 1;

/// Outcome of a memory that a session was given.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Told {
    #[prost(uint32, tag = "1")]
    pub(super) number: u32,
    /// The file on whose occasion it was given; empty for another occasion.
    #[prost(string, tag = "2")]
    pub(super) about: String,
    /// True if the session did something that shows that it heeded it.
    #[prost(bool, tag = "3")]
    pub(super) is_followed: bool,
    /// True if that was counted already.
    #[prost(bool, tag = "4")]
    pub(super) is_judged: bool,
    /// Whether it was given as the session started, and not as it worked.
    #[prost(bool, tag = "5")]
    pub(super) at_start: bool,
}

/// `given` and `lost` are in the order of giving; by number in states older than that.
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
    #[prost(fixed64, optional, tag = "10")]
    work_told: Option<u64>,
    #[prost(fixed64, repeated, tag = "11")]
    warned: Vec<u64>,
    #[prost(message, optional, tag = "12")]
    place: Option<Place>,
    #[prost(uint32, repeated, tag = "13")]
    known: Vec<u32>,
    #[prost(bool, tag = "14")]
    is_closed: bool,
    /// Left out where it is no text.
    #[prost(string, optional, tag = "15")]
    transcript: Option<String>,
    #[prost(sint64, optional, tag = "16")]
    forked_at_us: Option<i64>,
    #[prost(uint32, repeated, tag = "17")]
    returned: Vec<u32>,
    #[prost(uint32, repeated, tag = "18")]
    recalled: Vec<u32>,
}

impl Session {
    /// Reads a persisted state; `None` for one that is not understood.
    pub(super) fn read(state: &[u8]) -> Option<Self> {
        let state = SessionState::decode(state)
            .ok()
            .filter(|state| state.version == STATE_VERSION)?;
        let checkpoint = state.checkpoint_saved_at_us.map(|at| GivenCheckpoint {
            saved_at: Timestamp::from_micros(at),
            is_whole: state.is_checkpoint_whole,
        });
        Some(Self {
            given: GivenOrder::of(state.given),
            lost: GivenOrder::of(state.lost),
            known: state.known.into_iter().collect(),
            checkpoint,
            activity: state.activity.unwrap_or_default(),
            told: state
                .told
                .into_iter()
                .map(|told| (told.number, told))
                .collect(),
            held: state.held.into_iter().collect(),
            work_told: state.work_told,
            warned: state.warned.into_iter().collect(),
            place: state.place,
            transcript: state.transcript.map(PathBuf::from),
            fork: state.forked_at_us.map(|at_us| Fork {
                at: Timestamp::from_micros(at_us),
                is_being_read: false,
            }),
            returned: state.returned.into_iter().collect(),
            recalled: state.recalled.into_iter().collect(),
            is_dirty: false,
            is_closed: state.is_closed,
            last_event_at: Timestamp::from_micros(state.last_event_at_us),
        })
    }

    /// Writes the state that is to be persisted.
    pub(super) fn write(&self) -> State {
        let state = SessionState {
            version: STATE_VERSION,
            given: self.given.earliest_first().to_vec(),
            last_event_at_us: self.last_event_at.as_micros(),
            checkpoint_saved_at_us: self
                .checkpoint
                .map(|checkpoint| checkpoint.saved_at.as_micros()),
            is_checkpoint_whole: self
                .checkpoint
                .is_some_and(|checkpoint| checkpoint.is_whole),
            lost: self.lost.earliest_first().to_vec(),
            activity: Some(self.activity.clone()),
            told: self.told.values().cloned().collect(),
            held: self.held.iter().copied().collect(),
            work_told: self.work_told,
            warned: self.warned.iter().copied().collect(),
            place: self.place.clone(),
            known: self.known.iter().copied().collect(),
            is_closed: self.is_closed,
            transcript: self
                .transcript
                .as_ref()
                .and_then(|path| path.to_str())
                .map(str::to_owned),
            forked_at_us: self.fork.map(|fork| fork.at.as_micros()),
            returned: self.returned.iter().copied().collect(),
            recalled: self.recalled.iter().copied().collect(),
        };
        State::of_message(state)
    }
}

impl Redact for SessionState {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            version: _,
            given: _,
            last_event_at_us: _,
            checkpoint_saved_at_us: _,
            is_checkpoint_whole: _,
            lost: _,
            activity,
            told,
            held: _,
            work_told: _,
            warned: _,
            place,
            known: _,
            is_closed: _,
            transcript,
            forked_at_us: _,
            returned: _,
            recalled: _,
        } = self;
        activity.redact(secrets);
        for Told {
            number: _,
            about,
            is_followed: _,
            is_judged: _,
            at_start: _,
        } in told
        {
            secrets.said(about);
        }
        place.redact(secrets);
        secrets.all_said(transcript);
    }
}
