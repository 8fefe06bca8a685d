//! Memories that contradict each other, and what was decided of them.

use helix_client::v1::{Conflict, ConflictsReply, Memory, SettleReply, Settlement};

use super::memory::{INDENT, count_of, header, one_line, opening};
use super::pack::packed;
use super::{LINE_MAX_CHARS, View};
use crate::clean;
use crate::render::memory::cut;

/// Lines of each text that are shown.
const LINES_SHOWN: usize = 3;

/// Memories of a conflict that are not among its others.
const SIDES: usize = 2;

/// How a change is taken back.
const UNDO: &str = "edit action=undo takes that back";

/// Status of a memory whose place another took.
const SUPERSEDED: &str = "superseded";

/// Text of a reply to `conflicts`: each dispute, the newest memory first.
pub(crate) fn conflicts(reply: &ConflictsReply, view: &View) -> String {
    if reply.conflicts.is_empty() {
        return "nothing contradicts anything else here, or all of it is settled".to_owned();
    }
    let pairs: Vec<String> = reply
        .conflicts
        .iter()
        .map(|conflict| dispute(conflict, view))
        .collect();
    let total = usize::try_from(reply.total).unwrap_or(usize::MAX);
    let list = packed(&pairs, "\n\n", total, |missing| {
        format!("{missing} more; settle these first")
    });
    format!(
        "{}, the newest first; topic is the one that holds: edit action=settle topic=… other=… how=keep, or how=both, or \
         how=merge\n\n{list}",
        count_of(reply.total, "open conflict", "open conflicts")
    )
}

fn dispute(conflict: &Conflict, view: &View) -> String {
    let side =
        |memory: Option<&Memory>| memory.map_or_else(String::new, |memory| side(memory, view));
    let why = cut(&clean::line(&conflict.why), LINE_MAX_CHARS);
    let mut text = format!(
        "{}\n{INDENT}it {why}:\n{}",
        side(conflict.newer.as_ref()),
        side(conflict.older.as_ref())
    );
    for other in &conflict.others {
        text.push('\n');
        text.push_str(&side(Some(other)));
    }
    if !conflict.others.is_empty() {
        let disagree = conflict.others.len() + SIDES;
        let note = format!("\n{INDENT}{disagree} disagree; keeping one settles all");
        text.push_str(&note);
    }
    text
}

fn side(memory: &Memory, view: &View) -> String {
    let head = header([
        clean::line(&memory.handle),
        super::memory::day(memory, view),
        format!("said by {}", clean::line(&memory.origin)),
        super::memory::confidence(memory),
    ]);
    format!("{head}\n{}", opening(memory, LINES_SHOWN))
}

/// Text of a reply to `settle`, `supersede` and the merging of two memories.
pub(crate) fn settled(reply: &SettleReply, settlement: Settlement) -> String {
    if settlement == Settlement::Both {
        let back = reply.memories.iter();
        let back: Vec<String> = back.map(|memory| clean::line(&memory.handle)).collect();
        let back = match back.as_slice() {
            [] => String::new(),
            back => format!(" ({} in use again)", back.join(", ")),
        };
        return format!(
            "settled: both are kept{back}, and are not found contradictory again; {UNDO}"
        );
    }
    let is_over = |memory: &&Memory| memory.status == SUPERSEDED;
    let mut replaced = reply.memories.iter().filter(is_over);
    let Some(old) = replaced.next() else {
        return "nothing changed: it was so already".to_owned();
    };
    let kept = clean::line(&old.superseded_by);
    let old = clean::line(&old.handle);
    if settlement == Settlement::Merge {
        let merged = reply.memories.iter().find(|memory| !is_over(memory));
        let line = merged.map(|memory| format!("\n{INDENT}{}", one_line(memory, &View::local())));
        let line = line.unwrap_or_default();
        return format!("merged: {kept} says both now, and {old} is superseded; {UNDO}{line}");
    }
    let others: Vec<String> = replaced.map(|memory| clean::line(&memory.handle)).collect();
    if others.is_empty() {
        return format!("settled: {kept} holds, and {old} is superseded; {UNDO}");
    }
    format!(
        "settled: {kept} holds, and {old}, {} are superseded; {UNDO}",
        others.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, utc};
    use super::*;

    #[test]
    fn both_sides_are_shown() {
        let conflict = Conflict {
            newer: Some(arm64()),
            older: Some(hostile()),
            why: "gives another\nnumber of the same".to_owned(),
            others: vec![arm64()],
        };
        let reply = ConflictsReply {
            conflicts: vec![conflict],
            total: 12,
        };
        insta::assert_snapshot!(conflicts(&reply, &utc()));
    }

    #[test]
    fn what_was_settled_names_who_holds() {
        let old = Memory {
            superseded_by: "build/new".to_owned(),
            ..hostile()
        };
        let reply = SettleReply {
            memories: vec![arm64(), old],
        };
        let brought_back = SettleReply {
            memories: vec![arm64()],
        };
        let texts = [
            settled(&reply, Settlement::KeepFirst),
            settled(&SettleReply::default(), Settlement::Both),
            settled(&brought_back, Settlement::Both),
            settled(&reply, Settlement::Merge),
            settled(&SettleReply::default(), Settlement::KeepFirst),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }
}
