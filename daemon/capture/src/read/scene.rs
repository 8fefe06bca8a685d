//! What a format's reader says of a record: who said and did what. The scene adds where and when,
//! cleans texts, and joins calls with their outcomes.

use serde_json::Value;

use super::State;
use super::bounds::{OUTPUT_END_BYTES, TEXT_END_BYTES, bounded};
use super::clean;
use super::deed::{Begun, Outcome};
use super::state::Pending;
use crate::{Deed, Place, Slice, SliceKind, Speaker};

/// One record, and what is known around it.
pub(super) struct Scene<'a> {
    agent: &'static str,
    place: Place,
    pub(super) state: &'a mut State,
    slices: &'a mut Vec<Slice>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        agent: &'static str,
        place: Place,
        state: &'a mut State,
        slices: &'a mut Vec<Slice>,
    ) -> Self {
        Self {
            agent,
            place,
            state,
            slices,
        }
    }

    /// Counts something that the reader does not know.
    pub(super) fn unknown(&mut self, what: &str) {
        self.state.counts_mut().unknown(what);
    }

    /// Counts a message that is left out on purpose.
    pub(super) fn leave_out(&mut self) {
        self.state.counts_mut().left_out += 1;
    }

    /// Says what a person or the assistant said. Nothing, where nothing is left of it once that is
    /// gone which nobody said.
    pub(super) fn say(&mut self, speaker: Speaker, text: &str) {
        let said = match speaker {
            Speaker::User => clean::said_by_user(text),
            Speaker::Assistant | Speaker::Tool => clean::said_by_agent(text),
        };
        if said.is_empty() {
            if !text.trim().is_empty() {
                self.leave_out();
            }
            return;
        }
        let text = bounded(&said, TEXT_END_BYTES);
        self.push(SliceKind::Turn, speaker, text, None, self.place.clone());
    }

    /// Remembers a call of a tool. Tools that neither run commands nor change files are passed over.
    pub(super) fn call(&mut self, id: &str, tool: &str, input: &Value) {
        if let Some(mut begun) = Begun::of(tool, input) {
            begun.run_in(self.state.directory.as_deref());
            let place = self.place.clone();
            self.state.await_outcome(id, begun, &place);
        }
    }

    /// Tells what came of a call that was remembered. `outcome` reads it, as the reader needs to
    /// know what was begun.
    pub(super) fn outcome(&mut self, id: &str, outcome: impl FnOnce(&Begun) -> Outcome) {
        let Some(pending) = self.state.answered(id) else {
            return;
        };
        match outcome(&pending.begun) {
            Outcome::Ended { .. } if pending.begun.is_own() => self.leave_out(),
            Outcome::Ended {
                output,
                exit,
                is_failed,
            } => {
                let output = bounded(clean::output(&output).trim_end(), OUTPUT_END_BYTES);
                let place = Place {
                    source: self.place.source.clone(),
                    offset: pending.offset,
                    line: pending.line,
                };
                self.did(pending.begun.ended(output, exit, is_failed), place);
            }
            Outcome::GoesOn { id } => self.state.pending.push_back(Pending { id, ..pending }),
            Outcome::Refused { said } => {
                self.leave_out();
                self.say(Speaker::User, &said);
            }
        }
    }

    /// Tells a call together with its outcome.
    pub(super) fn called(&mut self, tool: &str, input: &Value, outcome: Outcome) {
        const ID: &str = "called";
        self.state.answered(ID);
        self.call(ID, tool, input);
        self.outcome(ID, |_| outcome);
    }

    fn did(&mut self, deed: Deed, place: Place) {
        let text = match &deed {
            Deed::Command { line, exit, .. } => match exit {
                Some(exit) => format!("ran `{line}`, exit {exit}"),
                None => format!("ran `{line}`"),
            },
            Deed::Edit { files, .. } => format!("changed {}", files.join(", ")),
        };
        self.push(SliceKind::Deed, Speaker::Assistant, text, Some(deed), place);
    }

    fn push(
        &mut self,
        kind: SliceKind,
        speaker: Speaker,
        text: String,
        deed: Option<Deed>,
        place: Place,
    ) {
        self.slices.push(Slice {
            kind,
            speaker,
            text,
            deed,
            agent: self.agent.to_owned(),
            session: self.state.session.clone(),
            directory: self.state.directory.clone(),
            branch: self.state.branch.clone(),
            at: self.state.at,
            place,
        });
    }
}
