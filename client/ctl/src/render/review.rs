//! Memories that wait in the review, and memories that a purge takes.

use helix_client::text::memory::doubt;
use helix_client::v1::{JudgeReply, Memory, PurgeReply, ReviewItem, ReviewReply};

use super::memory::{handle, marked_text, row_text};
use super::table::{TEXT, rows};
use crate::document::review_kind;
use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};

/// Writes what waits as a list.
pub(crate) fn review(look: Look, reply: &ReviewReply) -> String {
    let row = |item: &ReviewItem| {
        let memory = item.memory.as_ref()?;
        let about = match &item.other {
            Some(other) => format!("{} {}", item.relation, one_line(&other.handle)),
            None => marked_text(look, memory),
        };
        Some(vec![
            review_kind(item.kind()).into(),
            handle(memory),
            one_line(&(item.reason.clone() + &doubt(memory))).into(),
            about.into(),
        ])
    };
    let listed = reply.items.iter().filter_map(row).collect();
    rows(look, &["waits as", "handle", "because", TEXT], listed)
}

/// Writes one item in full: what it says, why it waits and what each answer does.
pub(crate) fn review_item(look: Look, item: &ReviewItem) -> String {
    let kind = review_kind(item.kind());
    let mut text = look.paint(Paint::Warning, kind) + ": " + &one_line(&item.reason) + "\n";
    if let Some(memory) = &item.memory {
        text += &end(look, memory);
    }
    if let Some(other) = &item.other {
        text += &look.paint(Paint::Faint, &one_line(&item.relation));
        text += "\n";
        text += &end(look, other);
    }
    for (answer, does) in [
        ("approve", &item.if_approved),
        ("reject", &item.if_rejected),
    ] {
        let line = format!("{answer}: {}", one_line(does));
        text += &look.paint(Paint::Faint, &line);
        text += "\n";
    }
    text
}

/// Writes what was approved or rejected: a line for each memory that changed, which names the one
/// that took its place.
pub(crate) fn judged(look: Look, done: &str, reply: &JudgeReply) -> String {
    let line = |memory: &Memory| {
        let name = handle_painted(look, memory);
        if memory.superseded_by.is_empty() {
            return format!("{done}\t{name}\n");
        }
        let by = one_line(&memory.superseded_by);
        format!("superseded\t{name}\tby {by}\n")
    };
    reply.memories.iter().map(line).collect()
}

fn handle_painted(look: Look, memory: &Memory) -> String {
    look.paint(Paint::Name, &one_line(&memory.handle))
}

fn end(look: Look, memory: &Memory) -> String {
    let name = handle_painted(look, memory);
    let kept = format!(
        "{}, {}, confidence {:.2}",
        one_line(&memory.kind),
        one_line(&memory.origin),
        memory.effective_confidence
    );
    let body = look.wrapped_prose(&neutral(memory.text.trim_end()));
    format!("{name} ({kept})\n{body}\n")
}

/// Writes what a purge takes, or took.
pub(crate) fn purged(look: Look, reply: &PurgeReply) -> String {
    let done = if reply.done { "purged" } else { "would go" };
    let mut text = String::new();
    for purged in &reply.memories {
        let Some(memory) = &purged.memory else {
            continue;
        };
        let name = one_line(&memory.handle);
        text += &format!("{done}\t{name}");
        if !purged.derived_from.is_empty() {
            let source = one_line(&purged.derived_from);
            text += &format!("\tmade from {source}");
        }
        if !reply.done {
            text += "\t";
            text += &row_text(look, &memory.text);
        }
        text.push('\n');
    }
    for checkpoint in &reply.checkpoints {
        text += &format!("{done}\tcheckpoint");
        if !reply.done {
            text += "\t";
            text += &row_text(look, &checkpoint.task);
        }
        text.push('\n');
    }
    text
}
