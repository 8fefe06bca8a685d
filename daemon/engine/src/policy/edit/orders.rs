//! Orders to agents in edits: what an edit says is suspected as a new memory's text is.

use super::{Edit, Fields};
use crate::model::{Memory, Topic};
use crate::policy::suspect::{self, Beside};

/// Suspects what an edit says. What somebody approved of the rest stays approved.
pub(super) fn suspect_again(edit: &Edit, before: &Memory, memory: &mut Memory) {
    match edit {
        Edit::Revise { .. } if memory.text != before.text => {
            let mut beside = Beside::of(before).suspicions();
            beside.retain(|name| before.suspicions.contains(name));
            memory.suspicions = suspect::names_of(&memory.text);
            add_suspicions(memory, beside);
        }
        Edit::Append { text } => {
            let known = suspect::names_of(&before.text);
            let mut new = suspect::names_of(&memory.text);
            new.retain(|name| !known.contains(name));
            new.extend(suspect::names_of(text));
            add_suspicions(memory, new);
        }
        Edit::Set(fields) => add_suspicions(memory, Beside::of_fields(fields).suspicions()),
        Edit::Tag { add, .. } => add_suspicions(memory, Beside::of_tags(add).suspicions()),
        Edit::Move { topic } => {
            let topic: &Topic = topic;
            add_suspicions(memory, Beside::of_topic(topic.as_str()).suspicions());
        }
        _ => {}
    }
}

impl<'m> Beside<'m> {
    fn of(memory: &'m Memory) -> Self {
        Self {
            topic: memory.topic.as_str(),
            summary: &memory.summary,
            tags: &memory.tags,
            source: memory.source.as_ref().map(|source| source.path.as_str()),
            attributes: Some(&memory.attributes),
        }
    }

    fn of_fields(fields: &'m Fields) -> Self {
        let source = fields.source.as_ref().and_then(Option::as_ref);
        Self {
            summary: fields.summary.as_deref().unwrap_or_default(),
            source: source.map(|source| source.reference.path.as_str()),
            attributes: Some(&fields.attributes),
            ..Self::default()
        }
    }

    fn of_tags(tags: &'m [String]) -> Self {
        Self {
            tags,
            ..Self::default()
        }
    }

    fn of_topic(topic: &'m str) -> Self {
        Self {
            topic,
            ..Self::default()
        }
    }
}

fn add_suspicions(memory: &mut Memory, names: Vec<String>) {
    for name in names {
        if !memory.suspicions.contains(&name) {
            memory.suspicions.push(name);
        }
    }
}

/// Returns whether an edit says what looks like orders to an agent, as a new memory may.
#[must_use]
pub fn gives_orders(edit: &Edit, before: &Memory, memory: &Memory) -> bool {
    let has_more = memory.suspicions.len() > before.suspicions.len();
    match edit {
        Edit::Revise { .. } => memory.text != before.text && !memory.suspicions.is_empty(),
        Edit::Append { text } => has_more || !suspect::names_of(text).is_empty(),
        Edit::Set(_) | Edit::Tag { .. } | Edit::Move { .. } => has_more,
        _ => false,
    }
}
