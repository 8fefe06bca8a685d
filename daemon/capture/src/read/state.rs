//! The cursor and the state: how far a transcript was read, and what the next step has to know.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::deed::Begun;
use crate::Place;

/// Calls without an outcome that are remembered; parallel calls of one turn are far fewer.
const PENDING_MAX: usize = 32;

/// Names of pieces that were read already, for formats that repeat them.
const SEEN_MAX: usize = 128;

/// Bytes of a name: a session, a branch, a version, a call.
const NAME_MAX_BYTES: usize = 256;

/// Bytes of a path, as Linux has it.
const PATH_MAX_BYTES: usize = 4096;

/// Distinct unknown things that are counted by name; the rest is counted together.
const UNKNOWN_MAX: usize = 16;

/// Characters of the name of an unknown thing.
const UNKNOWN_MAX_CHARS: usize = 48;

/// Counts what is unknown beyond [`UNKNOWN_MAX`].
const OTHERS: &str = "others";

/// How far a transcript was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes that were read, for transcripts of lines: always the start of a line, or the end of a
    /// complete record.
    pub offset: u64,
    /// Ends of lines before `offset`.
    pub lines: u64,
    /// Messages that were read, for transcripts that are one document.
    pub messages: u64,
}

/// Counts of one transcript, to be told to people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Lines or messages that were looked at.
    pub records: u64,
    /// Records that are not JSON, or not an object.
    pub unreadable: u64,
    /// Records over [`MAX_RECORD_BYTES`](super::MAX_RECORD_BYTES), and documents over their bound.
    pub too_long: u64,
    /// Messages that are left out on purpose: of subagents, of the client itself, summaries, copies
    /// of the session that this one was forked from.
    pub left_out: u64,
    /// Calls that never got an outcome and made room for others.
    pub unanswered: u64,
    /// Shapes and versions that the reader does not know, by name.
    pub unknown: BTreeMap<String, u64>,
}

impl Counts {
    /// Counts something that the reader does not know.
    pub(super) fn unknown(&mut self, what: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./:$".contains(c);
        let named = |c: char| if is_plain(c) { c } else { '?' };
        let name: String = what.chars().take(UNKNOWN_MAX_CHARS).map(named).collect();
        let is_full = self.unknown.len() >= UNKNOWN_MAX && !self.unknown.contains_key(&name);
        let name = if is_full { OTHERS.to_owned() } else { name };
        *self.unknown.entry(name).or_default() += 1;
    }
}

/// A call of a tool whose outcome was not read yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) id: String,
    pub(super) begun: Begun,
    pub(super) offset: u64,
    pub(super) line: u64,
}

/// What the next step has to know of the steps before. Bounded, and made anew with `default`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The client's id of the session.
    pub(super) session: String,
    pub(super) directory: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) version: String,
    /// The last time that was told, for formats that do not tell it with every message.
    pub(super) at: Option<i64>,
    /// The first time that was told.
    pub(super) started: Option<i64>,
    /// The whole transcript is of a subagent.
    pub(super) is_sidechain: bool,
    /// Inside of a record that is too long.
    pub(super) is_skipping: bool,
    pub(super) pending: VecDeque<Pending>,
    pub(super) seen: VecDeque<String>,
    counts: Counts,
}

impl State {
    /// The state at the start of a transcript whose session and directory its place tells.
    #[must_use]
    pub fn starting(session: &str, directory: Option<&str>) -> Self {
        let mut state = Self::default();
        state.set_session(session);
        state.set_directory(directory.unwrap_or_default());
        state
    }

    /// Counts of the transcript so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) fn counts_mut(&mut self) -> &mut Counts {
        &mut self.counts
    }

    pub(super) fn set_session(&mut self, session: &str) {
        if !session.is_empty() && session.len() <= NAME_MAX_BYTES {
            session.clone_into(&mut self.session);
        }
    }

    pub(super) fn set_directory(&mut self, directory: &str) {
        if directory.starts_with('/') && directory.len() <= PATH_MAX_BYTES {
            self.directory = Some(directory.to_owned());
        }
    }

    pub(super) fn set_branch(&mut self, branch: &str) {
        // Claude Code writes HEAD where no branch is checked out.
        if !branch.is_empty() && branch != "HEAD" && branch.len() <= NAME_MAX_BYTES {
            self.branch = Some(branch.to_owned());
        }
    }

    /// Notes the version that wrote the transcript, and tells of one that is not known.
    pub(super) fn set_version(&mut self, version: &str, known: &[String]) {
        if version.is_empty() || version == self.version || version.len() > NAME_MAX_BYTES {
            return;
        }
        version.clone_into(&mut self.version);
        let major = version.split('.').next().unwrap_or_default();
        if !known.iter().any(|known| known == major) {
            self.counts.unknown(&format!("version {version}"));
        }
    }

    /// Notes the time of a record.
    pub(super) fn set_time(&mut self, at: Option<i64>) {
        if at.is_some() {
            self.at = at;
            self.started = self.started.or(at);
        }
    }

    /// Remembers a call until its outcome is read.
    pub(super) fn await_outcome(&mut self, id: &str, begun: Begun, place: &Place) {
        if id.is_empty() || id.len() > NAME_MAX_BYTES {
            return;
        }
        if self.pending.len() >= PENDING_MAX {
            self.pending.pop_front();
            self.counts.unanswered += 1;
        }
        self.pending.push_back(Pending {
            id: id.to_owned(),
            begun,
            offset: place.offset,
            line: place.line,
        });
    }

    /// The call with an id, which is not awaited any more.
    pub(super) fn answered(&mut self, id: &str) -> Option<Pending> {
        let at = self.pending.iter().position(|call| call.id == id)?;
        self.pending.remove(at)
    }

    /// Returns whether a piece was not read before. It counts as read from now on.
    pub(super) fn is_new(&mut self, piece: &str) -> bool {
        if self.seen.iter().any(|seen| seen == piece) {
            return false;
        }
        if self.seen.len() >= SEEN_MAX {
            self.seen.pop_front();
        }
        if piece.len() <= NAME_MAX_BYTES {
            self.seen.push_back(piece.to_owned());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_bounded() {
        let mut state = State::starting("s", Some("/p"));
        for number in 0..1000 {
            let begun = Begun::command(&"x".repeat(100_000), None);
            state.await_outcome(&number.to_string(), begun, &Place::default());
            assert!(state.is_new(&number.to_string()));
            state.counts_mut().unknown(&format!("type {number}"));
        }
        assert_eq!(state.pending.len(), PENDING_MAX);
        assert_eq!(state.seen.len(), SEEN_MAX);
        assert_eq!(state.counts().unknown.len(), UNKNOWN_MAX + 1);
        assert_eq!(state.counts().unanswered, 1000 - PENDING_MAX as u64);
        let written = serde_json::to_string(&state).unwrap_or_default();
        assert!(written.len() < 256 << 10, "{}", written.len());
    }

    #[test]
    fn state_comes_back_from_a_table() {
        let mut state = State::starting("s", Some("/p"));
        state.set_branch("main");
        state.set_time(Some(7));
        state.await_outcome("1", Begun::command("ls", None), &Place::default());
        state.counts_mut().unknown("type x");
        let written = serde_json::to_string(&state).unwrap_or_default();
        assert_eq!(serde_json::from_str::<State>(&written).ok(), Some(state));
    }

    #[test]
    fn names_of_unknown_things_are_plain() {
        let mut counts = Counts::default();
        counts.unknown("type \u{1b}[31m<secret>");
        assert_eq!(
            counts.unknown.keys().next().map(String::as_str),
            Some("type ??31m?secret?")
        );
    }
}
