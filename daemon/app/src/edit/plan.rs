//! What an edit is to do: found on a snapshot, from the memory as it is there.

use std::iter;

use helix_engine::{Request, TopicEdit};
use helix_memory::{Edit, Memory, Sequence, WordSet};
use helix_redact::{Redact, Secrets};

use super::lines::Stated;
use super::name::new_name;
use super::target::{self, Bare, Choice, Several};
use super::{Action, Target, Wanted, seen, tags, topic};
use crate::forgotten::returning;
use crate::{App, Asker, Refusal, scopes};

/// What an edit comes down to.
pub(super) enum Planned {
    /// To be written, one after the other.
    Write {
        requests: Vec<Request>,
        warnings: Vec<String>,
        /// Whether a topic is changed that others than its project may see.
        is_shared: bool,
    },
    /// The parts that a split would make; nothing is done.
    Preview {
        parts: Vec<String>,
        warnings: Vec<String>,
    },
    /// Several memories could be meant, so nothing is done.
    Candidates {
        several: Several,
        warnings: Vec<String>,
    },
}

/// Plans what somebody wants changed.
pub(super) fn plan(app: &App, asker: &Asker, wanted: Wanted) -> Result<Planned, Refusal> {
    let Wanted { action, expected } = wanted;
    let plan = Plan {
        app,
        asker,
        expected,
    };
    match action {
        Action::Append { target, text } => plan.append(&target, &text),
        Action::Revise { target, text } => plan.revise(&target, &text),
        Action::Delete { target, scopes } => plan.delete(&target, &scopes),
        Action::DeleteAll { target, scopes } => plan.delete_all(&target, &scopes),
        Action::Tag {
            target,
            add,
            remove,
        } => plan.tag(&target, add, remove),
        Action::Set { target, fields } => plan.several(&target, Bare::Only, |memory, warnings| {
            plan.set(memory, fields, warnings)
        }),
        Action::Rename { topic, new_name } => {
            plan.topic(&topic, Some(&new_name), TopicEdit::Rename)
        }
        Action::Merge { topic, into } => plan.merge(&topic, &into),
        Action::Split {
            target,
            into,
            is_preview,
        } => plan.split(&target, &into, is_preview),
        Action::Restore { target } => plan.restore(&target),
        Action::RestoreAll { topic } => plan.topic(&topic, None, |_| TopicEdit::Restore),
    }
}

/// What planning an edit needs to know.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) app: &'a App,
    pub(super) asker: &'a Asker,
    /// The operation that changed the one memory last, as the asker read it.
    pub(super) expected: Option<Sequence>,
}

impl Plan<'_> {
    fn append(&self, target: &Target, text: &str) -> Result<Planned, Refusal> {
        self.several(target, Bare::Newest, |memory, warnings| {
            let mut stated = Stated::added(text);
            let text = redacted(&mut stated, warnings);
            let mut edits = self.stated(memory, stated, !text.is_empty(), warnings)?;
            if !text.is_empty() || edits.is_empty() {
                let mut secrets = Secrets::default();
                secrets.written(&mut format!("{}\n{text}", memory.text));
                warnings.extend(secrets.note());
                warnings.extend(returning(self.app, self.asker, &text, &memory.scope)?);
                edits.insert(0, Edit::Append { text });
            }
            Ok(edits)
        })
    }

    fn revise(&self, target: &Target, text: &str) -> Result<Planned, Refusal> {
        self.several(target, Bare::Only, |memory, warnings| {
            let mut stated = Stated::alone(text);
            let text = redacted(&mut stated, warnings);
            self.warn_of_twin(memory, &text, warnings);
            warnings.extend(returning(self.app, self.asker, &text, &memory.scope)?);
            let (seen, note) = seen::again(self.app, self.asker, memory);
            // A source that is named anew is looked at as it is named.
            warnings.extend(note.filter(|_| stated.source.is_none()));
            let mut edits = self.stated(memory, stated, true, warnings)?;
            edits.insert(0, Edit::Revise { text, seen });
            Ok(edits)
        })
    }

    /// Moves a topic's memories into another, or the one memory that a handle names.
    fn merge(&self, topic: &str, into: &str) -> Result<Planned, Refusal> {
        let is_handle = topic.contains('/') && target::names_memory(self.app, self.asker, topic)?;
        if !is_handle {
            return self.topic(topic, Some(into), TopicEdit::Merge);
        }
        let target = Target {
            reference: topic.to_owned(),
            ..Target::default()
        };
        if into.contains('/') && target::names_memory(self.app, self.asker, into)? {
            return self.merge_memories(topic, into);
        }
        self.one(&target, Bare::Only, |_, warnings| {
            let topic = new_name(into, warnings)?;
            Ok(Edit::Move { topic })
        })
    }

    fn delete(&self, target: &Target, scopes: &[String]) -> Result<Planned, Refusal> {
        topic::refuse_scopes(scopes)?;
        self.one(target, Bare::Newest, |memory, warnings| {
            if target::is_place(target) {
                warnings.extend(self.moved_by_forgetting(memory));
            }
            Ok(Edit::Forget)
        })
    }

    fn tag(
        &self,
        target: &Target,
        mut add: Vec<String>,
        remove: Vec<String>,
    ) -> Result<Planned, Refusal> {
        self.one(target, Bare::Newest, |memory, warnings| {
            take_secrets(&mut add, warnings);
            tags::warn_of_absent(memory, &add, &remove, warnings)?;
            Ok(Edit::Tag { add, remove })
        })
    }

    /// Plans an edit of one memory.
    pub(super) fn one(
        &self,
        target: &Target,
        bare: Bare,
        edit: impl FnOnce(&Memory, &mut Vec<String>) -> Result<Edit, Refusal>,
    ) -> Result<Planned, Refusal> {
        self.several(target, bare, |memory, warnings| {
            Ok(vec![edit(memory, warnings)?])
        })
    }

    /// Plans several edits of one memory.
    fn several(
        &self,
        target: &Target,
        bare: Bare,
        edits: impl FnOnce(&Memory, &mut Vec<String>) -> Result<Vec<Edit>, Refusal>,
    ) -> Result<Planned, Refusal> {
        let (choice, mut warnings) = target::choose(self.app, self.asker, target, bare)?;
        let number = match choice {
            Choice::One(number) => number,
            Choice::Several(several) => return Ok(Planned::Candidates { several, warnings }),
        };
        let memory = self.app.memory.strand.memories(&[number])?.pop();
        let memory =
            memory.ok_or_else(|| Refusal::not_found("the memory is gone; search for it again"))?;
        scopes::check_seen(&memory, self.asker)?;
        let edits = edits(&memory, &mut warnings)?;
        // Those behind the first follow the change that it makes.
        let expected = iter::once(self.expected).chain(iter::repeat(None));
        // One time for all of them: they are one change to who takes it back.
        let at = self.app.memory.now();
        let request = |(edit, expected)| Request::Edit {
            number,
            edit,
            expected,
            actor: self.asker.actor.clone(),
            at,
        };
        let requests = edits.into_iter().zip(expected).map(request).collect();
        Ok(Planned::Write {
            requests,
            warnings,
            is_shared: false,
        })
    }

    /// Returns what somebody who counts in a topic should know when this memory of it is gone.
    fn moved_by_forgetting(&self, memory: &Memory) -> Option<String> {
        let members = self
            .app
            .memory
            .strand
            .topic_members(memory.topic.as_str(), &self.asker.scopes());
        let behind = members
            .iter()
            .rev()
            .take_while(|number| **number != memory.number)
            .count();
        let topic = &memory.topic;
        (behind > 0).then(|| {
            format!("{behind} behind it in topic {topic} moved up: their indexes are one lower now")
        })
    }

    /// Names the memory that says what this one is to say.
    fn warn_of_twin(&self, memory: &Memory, text: &str, warnings: &mut Vec<String>) {
        let strand = &self.app.memory.strand;
        let twin = strand
            .catalog()
            .same_text(WordSet::text_hash(text), &memory.scope)
            .filter(|twin| *twin != memory.number);
        let Some(twin) = twin else { return };
        for twin in strand.memories(&[twin]).unwrap_or_default() {
            let handle = &twin.handle;
            warnings.push(format!(
                "{handle} says exactly the same; delete one of them"
            ));
        }
    }
}

/// Takes the text that an edit gives, without the secrets in it.
fn redacted(stated: &mut Stated, warnings: &mut Vec<String>) -> String {
    let mut text = std::mem::take(&mut stated.text);
    take_secrets(&mut text, warnings);
    take_secrets(&mut stated.tags, warnings);
    text
}

/// Takes the secrets out of what an edit gives, and says so.
pub(super) fn take_secrets(given: &mut impl Redact, warnings: &mut Vec<String>) {
    let mut secrets = Secrets::default();
    given.redact(&mut secrets);
    warnings.extend(secrets.note());
}
