//! Memories that contradict each other, one dispute after the other.

use helix_client::text::memory::confidence;
use helix_client::v1::{Conflict, ConflictsReply, Memory, SettleReply, Settlement};

use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};
use crate::time::minute;

/// Writes the open conflicts.
pub(crate) fn conflicts(look: Look, reply: &ConflictsReply) -> String {
    let shown: Vec<String> = reply
        .conflicts
        .iter()
        .map(|conflict| dispute(look, conflict))
        .collect();
    shown.join("\n")
}

fn dispute(look: Look, conflict: &Conflict) -> String {
    let newer = conflict.newer.as_ref().map(|memory| side(look, memory));
    let older = conflict.older.as_ref().map(|memory| side(look, memory));
    let why = look.paint(Paint::Faint, &format!("it {}:", one_line(&conflict.why)));
    let others: Vec<String> = conflict
        .others
        .iter()
        .map(|memory| side(look, memory))
        .collect();
    format!(
        "{}  {why}\n{}{}",
        newer.unwrap_or_default(),
        older.unwrap_or_default(),
        others.concat()
    )
}

fn side(look: Look, memory: &Memory) -> String {
    let name = look.paint(Paint::Name, &one_line(&memory.handle));
    let text = neutral(memory.text.trim_end()).replace('\n', "\n  ");
    let (origin, at) = (&memory.origin, minute(memory.recorded_at_us));
    let said = format!("{origin}, {at}, {}", confidence(memory));
    format!("{name}  {}\n  {text}\n", look.paint(Paint::Faint, &said))
}

/// Writes what was settled, a line for each memory; and what was done, where no line tells it.
pub(crate) fn settled(
    look: Look,
    settlement: Settlement,
    done: &str,
    reply: &SettleReply,
) -> String {
    let line = |memory: &Memory| {
        let name = look.paint(Paint::Name, &one_line(&memory.handle));
        format!("{}\t{name}\n", memory.status)
    };
    let changed: String = reply.memories.iter().map(line).collect();
    if changed.is_empty() || settlement == Settlement::Both {
        return format!("{done}\n{changed}");
    }
    changed
}
