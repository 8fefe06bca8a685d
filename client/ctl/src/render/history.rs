//! Operations, differences, and a memory's life.

use helix_client::text::View;
use helix_client::text::changes::{
    Change, Line, fields, lines, newest, whence, without_suggestions,
};
use helix_client::text::memory::count_of;
use helix_client::v1::{ChangedEdge, ChangedMemory, EdgeState, LogLine, WhyReply};

use super::memory::in_full;
use super::memory::row_text;
use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::{neutral, one_line};
use crate::time::minute;

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

/// Writes what is different: each memory with the lines that are, each edge in a line, and how many
/// edges a machine suggests.
pub(crate) fn changes(look: Look, memories: &[ChangedMemory], edges: &[ChangedEdge]) -> String {
    let memories = memories.iter().map(|changed| memory(look, changed));
    let (edges, suggested) = without_suggestions(edges);
    let edges = edges.into_iter().map(|changed| edge(look, changed));
    let suggested = (suggested > 0).then(|| {
        let count = count_of(suggested, "relation", "relations");
        format!("suggested\t{count}; --json lists them, `helixctl review --relations` asks\n")
    });
    memories.chain(edges).chain(suggested).collect()
}

fn memory(look: Look, changed: &ChangedMemory) -> String {
    let Some(newest) = newest(changed) else {
        return String::new();
    };
    let change = Change::of(changed);
    let paint = match change {
        Change::Added => Paint::Good,
        Change::Removed => Paint::Bad,
        Change::Changed => Paint::Warning,
    };
    let mut shown = format!(
        "{}\t{}\n",
        look.paint(paint, change.word()),
        look.paint(Paint::Name, &one_line(&newest.handle))
    );
    for line in lines(changed) {
        shown.push_str(&text_line(look, &line));
    }
    for field in fields(changed, &View::local()) {
        let (before, after) = (or_dash(&field.before), or_dash(&field.after));
        shown.push_str(&format!("    {}: {before} → {after}\n", field.name));
    }
    shown
}

fn text_line(look: Look, line: &Line) -> String {
    let (mark, paint) = if line.is_new {
        ("+", Paint::Good)
    } else {
        ("-", Paint::Bad)
    };
    let text = format!("{mark} {}", neutral(&line.text));
    format!("  {}\n", look.paint(paint, &text))
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
        let whence = one_line(&whence(reply, said));
        if !whence.is_empty() {
            line.push_str(&format!(" {whence}"));
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
