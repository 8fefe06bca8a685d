//! Operations, differences, and a memory's life.

use helix_client::text::memory::count_of;
use helix_client::v1::{ChangedEdge, ChangedMemory, EdgeState, LogLine, Memory, WhyReply};
use similar::{ChangeTag, TextDiff};

use super::memory::in_full;
use super::memory::row_text;
use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};
use crate::time::{minute, rfc3339};

/// Characters of a commit's id that tell it from others.
const COMMIT_CHARS: usize = 10;

/// Writes operations, one a row.
pub(crate) fn log(look: Look, lines: &[LogLine]) -> String {
    let row = |line: &LogLine| {
        let mut text = one_line(&line.summary);
        if !line.reason.is_empty() {
            text = format!("{text} ({})", one_line(&line.reason));
        }
        vec![
            line.sequence.to_string().into(),
            Field::painted(Paint::Faint, minute(line.at_us)),
            one_line(who(line)).into(),
            kind(line).into(),
            Field::painted(Paint::Name, one_line(&line.handle)),
            row_text(look, &text).into(),
        ]
    };
    rows(
        look,
        &["operation", "at", "who", "what", "handle", "text"],
        lines.iter().map(row).collect(),
    )
}

fn who(line: &LogLine) -> &str {
    if line.agent.is_empty() {
        &line.origin
    } else {
        &line.agent
    }
}

fn kind(line: &LogLine) -> String {
    let kind = one_line(&line.kind);
    match (line.reverts, line.undone) {
        (_, true) => format!("{kind}, undone"),
        (Some(reverts), false) => format!("{kind} of {reverts}"),
        (None, false) => kind,
    }
}

/// Writes what is different: each memory with the lines that are, each edge in a line.
pub(crate) fn changes(look: Look, memories: &[ChangedMemory], edges: &[ChangedEdge]) -> String {
    let memories = memories.iter().map(|changed| memory(look, changed));
    let edges = edges.iter().map(|changed| edge(look, changed));
    memories.chain(edges).collect()
}

/// Whether a memory is in use, so that its end is a removal.
fn is_there(memory: Option<&Memory>) -> bool {
    memory.is_some_and(|memory| !matches!(memory.status.as_str(), "forgotten" | "pruned"))
}

fn memory(look: Look, changed: &ChangedMemory) -> String {
    let (before, after) = (changed.before.as_ref(), changed.after.as_ref());
    let Some(newest) = after.or(before) else {
        return String::new();
    };
    let (word, paint) = match (is_there(before), is_there(after)) {
        (false, true) => ("added", Paint::Good),
        (true, false) => ("removed", Paint::Bad),
        (true, true) | (false, false) => ("changed", Paint::Warning),
    };
    let mut shown = format!(
        "{}\t{}\n",
        look.paint(paint, word),
        look.paint(Paint::Name, &one_line(&newest.handle))
    );
    let text = |memory: Option<&Memory>| {
        let there = memory.filter(|memory| is_there(Some(memory)));
        there
            .map(|memory| neutral(&memory.text))
            .unwrap_or_default()
    };
    shown.push_str(&text_diff(look, &text(before), &text(after)));
    if let (Some(before), Some(after)) = (before, after) {
        for line in fields(before, after) {
            shown.push_str(&format!("    {line}\n"));
        }
    }
    shown
}

/// Lines that one of two texts lacks; those of both are left out.
fn text_diff(look: Look, before: &str, after: &str) -> String {
    let mut shown = String::new();
    for change in TextDiff::from_lines(before, after).iter_all_changes() {
        let (mark, paint) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => ("-", Paint::Bad),
            ChangeTag::Insert => ("+", Paint::Good),
        };
        let line = format!("{mark} {}", change.value().trim_end_matches('\n'));
        shown.push_str(&format!("  {}\n", look.paint(paint, &line)));
    }
    shown
}

/// Fields beside the text that are different, as `tags: ci → build, ci`.
fn fields(before: &Memory, after: &Memory) -> Vec<String> {
    let source = |memory: &Memory| super::source(memory);
    let until = |memory: &Memory| memory.valid_to_us.map_or_else(|| "-".to_owned(), rfc3339);
    let pairs = [
        ("handle", before.handle.clone(), after.handle.clone()),
        ("topic", before.topic.clone(), after.topic.clone()),
        ("status", before.status.clone(), after.status.clone()),
        ("kind", before.kind.clone(), after.kind.clone()),
        ("tags", before.tags.join(", "), after.tags.join(", ")),
        ("links", before.links.join(", "), after.links.join(", ")),
        ("source", source(before), source(after)),
        ("origin", before.origin.clone(), after.origin.clone()),
        (
            "importance",
            before.importance.to_string(),
            after.importance.to_string(),
        ),
        (
            "confidence",
            before.confidence.to_string(),
            after.confidence.to_string(),
        ),
        (
            "pinned",
            before.pinned.to_string(),
            after.pinned.to_string(),
        ),
        ("valid to", until(before), until(after)),
    ];
    let different = pairs.into_iter().filter(|(_, one, other)| one != other);
    different
        .map(|(name, one, other)| format!("{name}: {} → {}", or_dash(&one), or_dash(&other)))
        .collect()
}

fn or_dash(text: &str) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        one_line(text)
    }
}

fn edge(look: Look, changed: &ChangedEdge) -> String {
    let (word, paint) = match (&changed.before, &changed.after) {
        (None, Some(_)) => ("related", Paint::Good),
        (Some(_), None) => ("unrelated", Paint::Bad),
        _ => ("changed", Paint::Warning),
    };
    let states: Vec<String> = [&changed.before, &changed.after]
        .into_iter()
        .flatten()
        .map(state)
        .collect();
    format!(
        "{}\t{} {} {}\t{}\n",
        look.paint(paint, word),
        look.paint(Paint::Name, &one_line(&changed.from)),
        one_line(&changed.relation),
        look.paint(Paint::Name, &one_line(&changed.to)),
        states.join(" → ")
    )
}

fn state(state: &EdgeState) -> String {
    format!("{} {:.2}", one_line(&state.status), state.strength)
}

/// Writes where a memory comes from and what became of it.
pub(crate) fn why(look: Look, reply: &WhyReply) -> String {
    let Some(memory) = &reply.memory else {
        return String::new();
    };
    let mut shown = in_full(look, std::slice::from_ref(memory));
    shown.push('\n');
    for said in &memory.provenance {
        let by = if said.agent.is_empty() {
            &said.origin
        } else {
            &said.agent
        };
        let mut line = format!("said by {} on {}", one_line(by), minute(said.at_us));
        if !said.reference.is_empty() {
            line.push_str(&format!(" in {}", one_line(&said.reference)));
        }
        if !said.branch.is_empty() || !said.commit.is_empty() {
            line.push_str(&place(&said.branch, &said.commit));
        }
        shown.push_str(&(line + "\n"));
    }
    for handle in &reply.replaces {
        shown.push_str(&format!("replaces {}\n", one_line(handle)));
    }
    if !memory.superseded_by.is_empty() {
        shown.push_str(&format!(
            "replaced by {}\n",
            one_line(&memory.superseded_by)
        ));
    }
    for edge in &reply.edges {
        shown.push_str(&format!("{}\n", one_line(edge)));
    }
    shown.push_str(&told(reply));
    shown.push('\n');
    shown + &log(look, &reply.operations)
}

/// Where a work tree stood.
fn place(branch: &str, commit: &str) -> String {
    let commit: String = commit.chars().take(COMMIT_CHARS).collect();
    let parts = [one_line(branch), commit];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!(" (git {})", parts.join(" at "))
}

/// Who was told it by hooks, and whether it was heeded.
fn told(reply: &WhyReply) -> String {
    if reply.told_total == 0 {
        return "no hook told it\n".to_owned();
    }
    let times = count_of(reply.told_total, "time", "times");
    let mut shown = format!("told by hooks {times}");
    if reply.ignored > 0 {
        let sessions = count_of(reply.ignored, "session", "sessions");
        shown.push_str(&format!("; the last {sessions} did not follow it"));
    }
    if reply.rests > 0 {
        let sessions = count_of(reply.rests, "session", "sessions");
        shown.push_str(&format!("; left out of the next {sessions}"));
    }
    shown.push('\n');
    for receipt in &reply.told {
        shown.push_str(&format!(
            "  {} {} to {}: {}\n",
            minute(receipt.at_us),
            one_line(&receipt.event),
            one_line(&receipt.session),
            one_line(&receipt.fate)
        ));
    }
    shown
}
