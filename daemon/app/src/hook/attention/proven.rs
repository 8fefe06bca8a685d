//! Text that nobody stands behind yet and that proves itself: three sessions recalled it and then
//! used it.
//!
//! A session recalls a memory when an answer to it shows the whole text. It uses one that it
//! recalled when it changes the file that the memory is about, runs its command without a failure,
//! or repeats it in what it writes. Searching it, reading it and speaking of it are no use. What
//! proved itself is approved once; a person who undoes that is not overruled.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use helix_engine::{Request, Step, StepChange, StoreError};
use helix_memory::{Actor, Edit, Memory, MemoryNumber, Origin, SourceRef, Status, names_of};
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use super::heeded::{hash_of, is_run_by, names_file, repeated, said_by};
use crate::capture::memories::is_from_file;
use crate::hook::Context;
use crate::outbox::{Outbox, Row};
use crate::{App, Asker};

/// Sessions that must have used a memory.
const SESSIONS_MIN: usize = 3;

/// Memories of which it is kept which sessions used them. Of more, the oldest begin anew.
const PROOFS_MAX: usize = 4_096;

/// Prefix of the persisted states' keys.
const KEY: &str = "proof ";

/// The part of the daemon that approves, as the history names it.
const AGENT: &str = "helix-proof";

/// Why, as the history says it.
const REASON: &str = "recalled and heeded by 3 sessions";

/// The sessions that used a memory.
#[derive(Clone, PartialEq, Eq, Message)]
struct Proof {
    /// Hashes of their ids, at most [`SESSIONS_MIN`].
    #[prost(fixed64, repeated, tag = "1")]
    sessions: Vec<u64>,
    /// The hash of the text that they used: another text has to prove itself again.
    #[prost(fixed64, tag = "2")]
    text: u64,
    /// True if the memory was approved for it.
    #[prost(bool, tag = "3")]
    is_settled: bool,
}

impl Redact for Proof {
    fn redact(&mut self, _: &mut Secrets) {
        let Self {
            sessions: _,
            text: _,
            is_settled: _,
        } = self;
    }
}

impl Proof {
    /// Counts a session that used a text. Returns whether that was the last one needed.
    fn used(&mut self, session: u64, text: u64) -> bool {
        if self.is_settled {
            return false;
        }
        if self.text != text {
            (self.text, self.sessions) = (text, Vec::new());
        }
        if !self.sessions.contains(&session) {
            self.sessions.push(session);
        }
        self.is_settled = self.sessions.len() >= SESSIONS_MIN;
        self.is_settled
    }
}

/// What proves itself.
#[derive(Debug)]
pub(super) struct Proofs(Mutex<BTreeMap<MemoryNumber, Proof>>);

impl Proofs {
    /// Restores what was persisted, out of all that hooks noticed.
    pub(super) fn restore(observations: &[(String, Vec<u8>)]) -> Self {
        let read = |(found, state): &(String, Vec<u8>)| {
            let number = found.strip_prefix(KEY)?.parse().ok()?;
            Some((MemoryNumber(number), Proof::decode(state.as_slice()).ok()?))
        };
        Self(Mutex::new(observations.iter().filter_map(read).collect()))
    }

    /// Notes that a session used a memory. Returns whether the memory proved itself by that.
    fn used(&self, outbox: &Outbox, session: &str, memory: &Memory) -> bool {
        let session = hash_of(session.bytes().map(u64::from));
        let text = hash_of(memory.text.bytes().map(u64::from));
        // Under the lock, so that the store sees the changes in their order.
        let mut proofs = self.lock();
        let proof = proofs.entry(memory.number).or_default();
        let before = proof.clone();
        let is_proven = proof.used(session, text);
        if *proof != before {
            put(outbox, memory.number, State::of_message(proof.clone()));
        }
        while proofs.len() > PROOFS_MAX {
            let Some((oldest, _)) = proofs.pop_first() else {
                break;
            };
            put(outbox, oldest, State::default());
        }
        is_proven
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MemoryNumber, Proof>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn put(outbox: &Outbox, number: MemoryNumber, state: State) {
    outbox.put(Row::Observation(format!("{KEY}{}", number.0)), state);
}

/// Returns whether a memory is kept from those who did not ask until it proves itself. What looks
/// like orders in any way never does, and what is quarantined or read from an agent's own file
/// waits for a person.
fn may_prove_itself(memory: &Memory) -> bool {
    memory.status == Status::Active
        && !memory.origin.is_shown_unasked()
        && memory.suspicions.is_empty()
        && !is_from_file(memory)
}

/// Notes that the asker's session recalled memories, whose whole texts it is shown.
pub(crate) fn note_recalled(app: &App, asker: &Asker, memories: &[&Memory]) {
    let session = asker.actor.session.as_str();
    let is_its_own = |memory: &Memory| {
        let mut said = memory.provenance.iter();
        said.any(|said| said.reference == session)
    };
    let numbers: Vec<MemoryNumber> = memories
        .iter()
        .filter(|memory| may_prove_itself(memory) && !is_its_own(memory))
        .map(|memory| memory.number)
        .collect();
    if !numbers.is_empty() {
        app.hooks
            .sessions
            .recall(session, &numbers, app.memory.now());
    }
}

impl Context<'_> {
    /// Notes which memories that it recalled the session uses by changing these files, and by what
    /// it writes into them.
    pub(super) fn use_files(
        &self,
        files: &[String],
        about: &[MemoryNumber],
        written: &[String],
    ) -> Result<(), StoreError> {
        let recalled = self.recalled()?;
        let repeated = repeated(&recalled, written);
        let is_used = |memory: &Memory| {
            about.contains(&memory.number)
                || repeated.contains(&memory.number)
                || files.iter().any(|file| names_file(memory, file))
        };
        self.used(recalled.iter().filter(|memory| is_used(memory)));
        Ok(())
    }

    /// Notes which memories that it recalled the session uses by the command that it ran without a
    /// failure, and by what it says there.
    pub(in crate::hook) fn use_command(&self) -> Result<(), StoreError> {
        let Some(line) = self.input.tool_text("command") else {
            return Ok(());
        };
        let recalled = self.recalled()?;
        let said = said_by(line).map(SourceRef::one_spelling);
        let said: Vec<String> = said.into_iter().map(Cow::into_owned).collect();
        let repeated = repeated(&recalled, &said);
        let is_used =
            |memory: &Memory| is_run_by(memory, line) || repeated.contains(&memory.number);
        self.used(recalled.iter().filter(|memory| is_used(memory)));
        Ok(())
    }

    /// Returns what the session recalled and has not used yet, as far as it may still prove itself.
    fn recalled(&self) -> Result<Vec<Memory>, StoreError> {
        if !self.is_real() {
            return Ok(Vec::new());
        }
        let numbers = self.app.hooks.sessions.recalled(&self.input.session_id);
        let mut memories = self.app.memory.strand.memories(&numbers)?;
        memories.retain(may_prove_itself);
        Ok(memories)
    }

    fn used<'m>(&self, memories: impl Iterator<Item = &'m Memory>) {
        let session = &self.input.session_id;
        for memory in memories {
            self.app.hooks.sessions.used(session, memory.number);
            let proofs = &self.app.hooks.attention.proofs;
            if proofs.used(&self.app.memory.outbox, session, memory) {
                self.approve(memory);
            }
        }
    }

    /// Has a memory approved that proved itself. Nobody waits for it: where it is not written, the
    /// memory stays what it was.
    fn approve(&self, memory: &Memory) {
        // The rules may know more by now than when it was stored.
        if !names_of(&memory.text).is_empty() {
            return;
        }
        let change = StepChange::Edit {
            number: memory.number,
            edit: Edit::Approve { by: Origin::Agent },
            expected: Some(memory.sequence),
        };
        let request = Request::Together {
            steps: vec![Step::new(change, REASON)],
            actor: Actor::of_daemon(AGENT),
            at: self.now,
        };
        drop(self.app.writer.submit(vec![request]));
    }
}

/// The files of the project as its memories name them, and the memories that are about them.
pub(super) struct Touched {
    pub(super) files: Vec<String>,
    pub(super) about: Vec<MemoryNumber>,
}

impl Touched {
    /// Finds the memories whose sources these files are.
    pub(super) fn of(context: &Context<'_>, files: &[PathBuf]) -> Self {
        let named = |file: &PathBuf| {
            let project = context.project_of(file);
            let relative = context.paths_of(&project).relative(file);
            relative.to_string_lossy().into_owned()
        };
        let files: Vec<String> = files.iter().map(named).collect();
        let catalog = context.app.memory.strand.catalog();
        let about = files.iter().flat_map(|file| catalog.of_source(file));
        let about = about.collect();
        Self { files, about }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_different_sessions_prove_a_text() {
        let mut proof = Proof::default();
        assert!(!proof.used(1, 7));
        assert!(!proof.used(1, 7), "the same session counts once");
        assert!(!proof.used(2, 7));
        assert!(proof.used(3, 7));
        assert!(!proof.used(4, 7), "it is approved once");
    }

    #[test]
    fn another_text_has_to_prove_itself_again() {
        let mut proof = Proof::default();
        assert!(!proof.used(1, 7));
        assert!(!proof.used(2, 7));
        assert!(!proof.used(3, 8));
        assert_eq!(proof.sessions, [3]);
        assert!(!proof.used(1, 8));
        assert!(proof.used(2, 8));
    }

    #[test]
    fn a_state_is_restored_and_what_is_damaged_begins_anew() {
        let mut proof = Proof::default();
        assert!(!proof.used(1, 7));
        let rows = [
            ("proof 17".to_owned(), proof.encode_to_vec()),
            ("proof 18".to_owned(), vec![0xff]),
            ("heed 19".to_owned(), Vec::new()),
        ];
        let restored = Proofs::restore(&rows);
        let proofs = restored.lock();
        assert_eq!(proofs.len(), 1);
        assert_eq!(proofs.get(&MemoryNumber(17)), Some(&proof));
    }
}
