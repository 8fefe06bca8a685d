//! Memories, one in full or many in rows.

use std::collections::BTreeMap;

use helix_client::text::memory::{modified_us, moved, stale_mark};
use helix_client::v1::{Memory, SourceState};

use super::table::{Field, TEXT, rows};
use crate::document::hyphenated;
use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line, shorten};
use crate::time::second;

/// Most characters of a text that a table is given; it shows as many as it has room for.
const TABLE_TEXT_CHARS_MAX: usize = 1_000;

/// Writes memories in full.
pub(crate) fn in_full(look: Look, memories: &[Memory]) -> String {
    memories
        .iter()
        .map(|memory| whole(look, memory))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Writes the memories that a reference could mean.
pub(crate) fn candidates(look: Look, memories: &[Memory]) -> String {
    rows(
        look,
        &["handle", "kind", TEXT],
        memories
            .iter()
            .map(|memory| candidate_row(look, memory))
            .collect(),
    )
}

/// A memory's handle as a field.
pub(super) fn handle(memory: &Memory) -> Field {
    Field::painted(Paint::Name, one_line(&memory.handle))
}

/// The same, behind a mark where its source is no longer what it was: also where a program reads
/// it, which must not take for sure what may be wrong by now.
pub(super) fn marked_text(look: Look, memory: &Memory) -> String {
    let text = row_text(look, in_short(memory));
    let mark = stale_mark(memory);
    if mark.is_empty() {
        text
    } else {
        format!("{mark} {text}")
    }
}

/// Returns a memory in one line: its summary, or its text where it has none.
fn in_short(memory: &Memory) -> &str {
    if memory.summary.is_empty() {
        &memory.text
    } else {
        &memory.summary
    }
}

/// A memory's text on one line: whole, or its beginning in a table.
pub(super) fn row_text(look: Look, text: &str) -> String {
    let line = one_line(text);
    if look.table_width.is_some() {
        shorten(&line, TABLE_TEXT_CHARS_MAX)
    } else {
        line
    }
}

fn candidate_row(look: Look, memory: &Memory) -> Vec<Field> {
    vec![
        handle(memory),
        one_line(&memory.kind).into(),
        marked_text(look, memory).into(),
    ]
}

/// A memory's source as it is written: the path, and the line where there is one.
pub(crate) fn source(memory: &Memory) -> String {
    memory
        .source
        .as_ref()
        .map_or_else(String::new, |source| match source.line {
            0 => source.path.clone(),
            line => format!("{}:{line}", source.path),
        })
}

fn whole(look: Look, memory: &Memory) -> String {
    let mut text = format!("{}\n", look.paint(Paint::Name, &one_line(&memory.handle)));
    for (name, value) in properties(memory) {
        let name = look.paint(Paint::Faint, &format!("{name}:"));
        text += &look.wrapped(&format!("{name} {}", one_line(&value)));
        text += "\n";
    }
    text + "\n" + &look.wrapped_prose(&neutral(memory.text.trim_end())) + "\n"
}

/// How far a memory is trusted: less than was stored once its source is no longer what it was.
fn confidence(memory: &Memory) -> String {
    match memory.doubted_confidence {
        Some(_) => format!(
            "{:.2} (stale; {:.2} as stored)",
            memory.effective_confidence, memory.confidence
        ),
        None if has_faded(memory) => format!(
            "{:.2} ({:.2} as stored)",
            memory.effective_confidence, memory.confidence
        ),
        None => format!("{:.2}", memory.confidence),
    }
}

/// Returns whether so much of its confidence is gone that two decimals show it.
fn has_faded(memory: &Memory) -> bool {
    const SHOWN: f32 = 0.005;
    memory.confidence - memory.effective_confidence >= SHOWN
}

/// Begins the names of attributes that Helix keeps for itself.
const STAMPED: &str = "helix.";

/// Lists a memory's properties besides its text; those that say nothing are left out.
fn properties(memory: &Memory) -> Vec<(&'static str, String)> {
    let since = match memory.source_state() {
        SourceState::Unknown | SourceState::Fresh => moved(memory),
        SourceState::Changed => " (changed since)".to_owned(),
        SourceState::Deleted => " (deleted since)".to_owned(),
    };
    let attributes: BTreeMap<_, _> = memory
        .attributes
        .iter()
        .filter(|(key, _)| !key.starts_with(STAMPED))
        .collect();
    let attributes: Vec<String> = attributes
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let valid_to = memory
        .valid_to_us
        .map(|until| format!("{} to {}", second(memory.valid_from_us), second(until)));
    let all = [
        (
            "entry",
            memory
                .index
                .map(|index| format!("{}:{index}", memory.topic))
                .unwrap_or_default(),
        ),
        ("id", hyphenated(&memory.id)),
        ("summary", memory.summary.clone()),
        ("kind", memory.kind.clone()),
        ("scope", memory.scope.clone()),
        ("tags", memory.tags.join(", ")),
        ("source", source(memory) + &since),
        ("links", memory.links.join(", ")),
        ("status", memory.status.clone()),
        ("superseded by", memory.superseded_by.clone()),
        ("contradicted by", memory.contradicted_by.join(", ")),
        ("origin", memory.origin.clone()),
        ("importance", format!("{:.2}", memory.importance)),
        ("confidence", confidence(memory)),
        (
            "pinned",
            if memory.pinned {
                "yes".to_owned()
            } else {
                String::new()
            },
        ),
        ("branch", memory.branch.clone()),
        ("suspicious", memory.suspicions.join(", ")),
        ("recorded", second(memory.recorded_at_us)),
        (
            "modified",
            modified_us(memory).map(second).unwrap_or_default(),
        ),
        ("valid", valid_to.unwrap_or_default()),
        (
            "recalled",
            if memory.access_count == 0 {
                String::new()
            } else {
                memory.access_count.to_string()
            },
        ),
        ("attributes", attributes.join(", ")),
    ];
    all.into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
}
