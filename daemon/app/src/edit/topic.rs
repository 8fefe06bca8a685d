//! An edit of a whole topic: which of its memories it means, and what other projects notice of it.

use helix_engine::{Edited, Request, TopicEdit};
use helix_memory::{Scope, Topic};
use helix_neutral::quoted;
use helix_redact::Redacted;

use super::name::{new_name, parse};
use super::plan::{Plan, Planned};
use super::{Target, gone, target};
use crate::{Refusal, patterns, scopes};

impl Plan<'_> {
    /// Plans an edit of all of a topic that the asker sees; `other` is the second topic that it
    /// names.
    pub(super) fn topic(
        &self,
        topic: &str,
        other: Option<&str>,
        edit: impl FnOnce(Redacted<Topic>) -> TopicEdit,
    ) -> Result<Planned, Refusal> {
        self.refuse_expected()?;
        let mut warnings = Vec::new();
        let topic = self.named(topic, &mut warnings)?;
        let other = match other {
            Some(other) => new_name(self.unambiguous(other)?, &mut warnings)?,
            None => new_name(topic.as_str(), &mut warnings)?,
        };
        let edit = edit(other.clone());
        let other = other.into_inner();
        if edit != TopicEdit::Restore {
            gone::refuse(self.app, self.asker, &topic)?;
        }
        let scopes = self.asker.scopes();
        let members = self
            .app
            .memory
            .strand
            .topic_members(other.as_str(), &scopes)
            .len();
        match &edit {
            TopicEdit::Rename(_) | TopicEdit::Merge(_) if other == topic => {
                return Err(Refusal::invalid(format!(
                    "{topic} is that topic already; give another name"
                )));
            }
            TopicEdit::Merge(_) if members == 0 => {
                warnings.push(format!("topic {other} had no memory and is new"));
            }
            TopicEdit::Merge(_) | TopicEdit::Rename(_) | TopicEdit::Forget | TopicEdit::Restore => {
            }
        }
        if matches!(edit, TopicEdit::Rename(_) | TopicEdit::Merge(_)) {
            warnings.push(format!(
                "handles begin with {other}/ now; the old ones still lead to their memories"
            ));
        }
        Ok(self.write(topic, scopes, edit, warnings))
    }

    /// Plans to forget a topic. What is global stays unless it is asked for: it is everybody's.
    pub(super) fn delete_all(&self, target: &Target, names: &[String]) -> Result<Planned, Refusal> {
        self.refuse_expected()?;
        let names_one =
            target.index.is_some() || !target.match_text.is_empty() || !target.tag.is_empty();
        if names_one || target.reference.contains(['/', ':']) {
            return Err(Refusal::invalid(
                "deleting all takes the name of a topic alone; leave `all` out to delete one memory",
            ));
        }
        let mut warnings = Vec::new();
        let topic = self.named(&target.reference, &mut warnings)?;
        gone::refuse(self.app, self.asker, &topic)?;
        let scopes = self.deleted_scopes(names)?;
        if names.is_empty() && !scopes.contains(&Scope::Global) {
            let count = |scopes: &[Scope]| {
                self.app
                    .memory
                    .strand
                    .topic_members(topic.as_str(), scopes)
                    .len()
            };
            match (count(&scopes), count(&[Scope::Global])) {
                (_, 0) => {}
                (0, global) => return Err(only_global(&topic, global)),
                (_, global) => warnings.push(global_left(&topic, global)),
            }
        }
        Ok(self.write(topic, scopes, TopicEdit::Forget, warnings))
    }

    fn write(
        &self,
        topic: Topic,
        scopes: Vec<Scope>,
        edit: TopicEdit,
        warnings: Vec<String>,
    ) -> Planned {
        let (actor, at) = (self.asker.actor.clone(), self.app.memory.now());
        let is_shared = self.asker.project.scope != Scope::Global;
        Planned::Write {
            requests: vec![Request::EditTopic {
                topic,
                scopes,
                edit,
                actor,
                at,
            }],
            warnings,
            is_shared,
        }
    }

    fn refuse_expected(&self) -> Result<(), Refusal> {
        if self.expected.is_none() {
            return Ok(());
        }
        Err(Refusal::invalid(
            "an expected sequence is for a change of one memory; leave it out to change a whole topic",
        ))
    }

    /// Reads the name of one topic; what names a memory, or several topics, is none.
    fn named(&self, name: &str, warnings: &mut Vec<String>) -> Result<Topic, Refusal> {
        parse(self.unambiguous(name)?, warnings)
    }

    /// Refuses what names a memory, or several topics.
    fn unambiguous<'n>(&self, name: &'n str) -> Result<&'n str, Refusal> {
        patterns::refuse(self.app, self.asker, name, "this edit")?;
        if target::names_memory(self.app, self.asker, name)? {
            return Err(Refusal::invalid(format!(
                "{} names a memory, and this changes a whole topic; give a topic's name alone",
                quoted(name.trim())
            )));
        }
        Ok(name)
    }

    /// Where memories are deleted: without names in the asker's project alone, or, outside of any,
    /// among what is global.
    fn deleted_scopes(&self, names: &[String]) -> Result<Vec<Scope>, Refusal> {
        if names.is_empty() {
            return Ok(self.asker.project.names().cloned().collect());
        }
        let seen = self.asker.scopes();
        let wanted = scopes::filtered(self.asker, names)?;
        if let Some(unseen) = wanted.iter().find(|scope| !seen.contains(scope)) {
            return Err(Refusal::denied(format!(
                "{unseen} is not seen from here; delete what belongs to it from inside of that project"
            )));
        }
        // None means everywhere, which for a deletion ends at what the asker sees.
        Ok(if wanted.is_empty() { seen } else { wanted })
    }
}

/// Refuses scopes for one memory, which has its own.
pub(super) fn refuse_scopes(names: &[String]) -> Result<(), Refusal> {
    if names.is_empty() {
        return Ok(());
    }
    Err(Refusal::invalid(
        "a scope is for deleting a whole topic; leave it out to delete one memory",
    ))
}

/// Says how many of the memories that a topic's edit changed are everybody's.
pub(super) fn global_note(edited: &Edited) -> Option<String> {
    let of_them = match (edited.global, edited.changed) {
        (0, _) => return None,
        (1, 1) => "it is".to_owned(),
        (1, _) => "1 of them is".to_owned(),
        (global, _) => format!("{global} of them are"),
    };
    Some(format!("{of_them} global: other projects see that too"))
}

fn global_left(topic: &Topic, global: usize) -> String {
    match global {
        1 => format!(
            "1 global memory of topic {topic} stays, as other projects see it too; scope all deletes it as well"
        ),
        _ => format!(
            "{global} global memories of topic {topic} stay, as other projects see them too; scope all deletes them as well"
        ),
    }
}

fn only_global(topic: &Topic, global: usize) -> Refusal {
    let (what, them) = if global == 1 {
        ("its one memory is", "it")
    } else {
        ("its memories are", "them")
    };
    Refusal::invalid(format!(
        "topic {topic} has nothing of this project: {what} global, so other projects would lose {them} too; give scope \
         global to delete {them} all the same"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_global_is_told() {
        let note = |global, changed| {
            global_note(&Edited {
                global,
                changed,
                ..Edited::default()
            })
        };
        assert_eq!(note(0, 3), None);
        assert_eq!(
            note(1, 1).as_deref(),
            Some("it is global: other projects see that too")
        );
        assert_eq!(
            note(1, 3).as_deref(),
            Some("1 of them is global: other projects see that too")
        );
        assert_eq!(
            note(2, 2).as_deref(),
            Some("2 of them are global: other projects see that too")
        );
    }
}
