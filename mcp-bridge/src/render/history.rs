//! The log, differences, and where a memory comes from.

use helix_client::text::changes::{self, Change, Field, Line};
use helix_client::v1::{
    ChangedEdge, ChangedMemory, DiffReply, EdgeState, LogLine, LogReply, Provenance, RevertReply,
    WhyReply,
};

use super::memory::{INDENT, body, count_of, cut, day, header, metadata, nature, short};
use super::pack::{bounded, pack};
use super::{LINE_MAX_CHARS, View};
use crate::{clean, dates};

/// Characters of a commit's id that tell it from others.
const COMMIT_CHARS: usize = 10;

/// Advice about a difference that is too long.
const DIFFERENCE_REST: &str = "give a shorter span";

/// Text of a reply to `log`: the newest first.
pub(crate) fn log(reply: &LogReply, view: &View) -> String {
    let notes = notes(&reply.notes);
    if reply.lines.is_empty() {
        return format!("nothing was done there or then{notes}");
    }
    let lines: Vec<String> = reply
        .lines
        .iter()
        .map(|line| operation(line, view))
        .collect();
    let (list, shown) = pack(&lines, "\n");
    let oldest = reply.lines.get(..shown).and_then(<[LogLine]>::last);
    let has_more = reply.has_more || shown < lines.len();
    let more = oldest.filter(|_| has_more).map(|oldest| {
        let sequence = oldest.sequence;
        format!("\nthere are older ones; cursor={sequence} shows them")
    });
    format!(
        "{}, the newest first; edit action=undo sequence=… takes one back\n{list}{}{notes}",
        count_of(shown, "change", "changes"),
        more.unwrap_or_default()
    )
}

/// `41  2026-11-21 22:14  revise  build/arch  text  (reason)  by claude-code`.
fn operation(line: &LogLine, view: &View) -> String {
    let reason = cut(&clean::line(&line.reason), LINE_MAX_CHARS);
    let reason = if reason.is_empty() {
        reason
    } else {
        format!("({reason})")
    };
    header([
        line.sequence.to_string(),
        dates::minute_of(line.at_us, &view.zone),
        kind(line),
        clean::line(&line.handle),
        cut(&clean::line(&line.summary), LINE_MAX_CHARS),
        reason,
        format!("by {}", who(&line.agent, &line.origin)),
    ])
}

fn kind(line: &LogLine) -> String {
    let kind = clean::line(&line.kind);
    match (line.reverts, line.undone) {
        (_, true) => format!("{kind}, undone"),
        (Some(reverts), false) => format!("{kind} of {reverts}"),
        (None, false) => kind,
    }
}

/// The agent that did something, else what kind of author did.
fn who(agent: &str, origin: &str) -> String {
    clean::line(if agent.is_empty() { origin } else { agent })
}

fn notes(notes: &[String]) -> String {
    notes.iter().fold(String::new(), |text, note| {
        text + "\nnote: " + &clean::line(note)
    })
}

/// Text of a reply to `diff`.
pub(crate) fn difference(reply: &DiffReply, view: &View) -> String {
    let span = format!("from {} to {}", reply.from_sequence, reply.to_sequence);
    let notes = notes(&reply.notes);
    if reply.memories_total + reply.edges_total == 0 {
        return format!("nothing is different {span}{notes}");
    }
    let extent = extent(reply.memories_total, reply.edges_total);
    let list = list(&reply.memories, &reply.edges, view);
    let missing = missing(
        reply.memories_total + reply.edges_total,
        reply.memories.len() + reply.edges.len(),
    );
    bounded(
        &format!("{extent} changed {span}{notes}\n{list}{missing}"),
        DIFFERENCE_REST,
    )
}

/// Text of a reply to `rollback`: what is, or would be, as it was.
pub(crate) fn rolled_back(reply: &RevertReply, is_preview: bool, view: &View) -> String {
    let (to, total) = (reply.to_sequence, reply.memories_total + reply.edges_total);
    let notes = notes(&reply.notes);
    if total == 0 {
        return format!("nothing changed: everything is as it was after {to}{notes}");
    }
    let extent = extent(reply.memories_total, reply.edges_total);
    let head = match (is_preview, reply.sequence) {
        (true, _) => format!(
            "nothing changed yet: {extent} would go back to {to}; edit action=rollback to={to} apply=true does it"
        ),
        (false, 0) => format!("rolled back to {to}: {extent}"),
        (false, first) => format!(
            "rolled back to {to}: {extent}; edit action=undo sequence={first} takes that back"
        ),
    };
    let missing = missing(total, reply.memories.len() + reply.edges.len());
    let list = list(&reply.memories, &reply.edges, view);
    bounded(
        &format!("{head}{notes}\n{list}{missing}"),
        "topics action=log lists what was done",
    )
}

/// Text of a reply to `undo`.
pub(crate) fn undone(reply: &RevertReply, view: &View) -> String {
    let reverted: Vec<String> = reply
        .reverted
        .iter()
        .map(|line| format!("{INDENT}{}", operation(line, view)))
        .collect();
    let back = match reply.sequence {
        0 => String::new(),
        sequence => format!("; edit action=undo sequence={sequence} takes that back"),
    };
    let total = reply.memories_total + reply.edges_total;
    let missing = missing(total, reply.memories.len() + reply.edges.len());
    let text = format!(
        "undone: {}{back}\n{}\nso that\n{}{missing}{}",
        extent(reply.memories_total, reply.edges_total),
        reverted.join("\n"),
        list(&reply.memories, &reply.edges, view),
        notes(&reply.notes)
    );
    bounded(&text, "topics action=log lists what was done")
}

fn extent(memories: u32, edges: u32) -> String {
    let parts = [
        (memories, "memory", "memories"),
        (edges, "relation", "relations"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, several)| count_of(count, one, several))
        .collect();
    parts.join(" and ")
}

fn missing(total: u32, shown: usize) -> String {
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    match total.saturating_sub(shown) {
        0 => String::new(),
        missing => format!("\n{missing} more, not listed"),
    }
}

fn list(memories: &[ChangedMemory], edges: &[ChangedEdge], view: &View) -> String {
    let memories = memories.iter().map(|changed| memory(changed, view));
    let (edges, suggested) = changes::without_suggestions(edges);
    let suggested = (suggested > 0).then(|| {
        let count = count_of(suggested, "relation", "relations");
        format!("{count} suggested by a machine")
    });
    let edges = edges.into_iter().map(edge);
    let all: Vec<String> = memories.chain(edges).chain(suggested).collect();
    all.join("\n")
}

/// `changed build/arch`, with the lines and fields that are different.
fn memory(changed: &ChangedMemory, view: &View) -> String {
    let handle = changes::newest(changed).map_or("", |memory| memory.handle.as_str());
    let head = format!("{} {}", Change::of(changed).word(), clean::line(handle));
    let lines = changes::lines(changed);
    let fields = changes::fields(changed, view);
    std::iter::once(head)
        .chain(lines.iter().map(text_line))
        .chain(fields.iter().map(field))
        .collect()
}

fn text_line(line: &Line) -> String {
    let mark = if line.is_new { '+' } else { '-' };
    format!("\n{INDENT}{mark} {}", clean::line(&line.text))
}

fn field(field: &Field) -> String {
    let [before, after] = [&field.before, &field.after].map(|value| value_shown(value));
    format!("\n{INDENT}[{}: {before} → {after}]", field.name)
}

fn value_shown(value: &str) -> String {
    match clean::line(value) {
        value if value.is_empty() => "-".to_owned(),
        value => value,
    }
}

fn edge(changed: &ChangedEdge) -> String {
    let word = match (&changed.before, &changed.after) {
        (None, Some(_)) => "related",
        (Some(_), None) => "unrelated",
        _ => "changed",
    };
    let states: Vec<String> = [&changed.before, &changed.after]
        .into_iter()
        .flatten()
        .map(state)
        .collect();
    let [from, relation, to] =
        [&changed.from, &changed.relation, &changed.to].map(|name| clean::line(name));
    format!("{word} {from} {relation} {to} ({})", states.join(" → "))
}

fn state(state: &EdgeState) -> String {
    format!("{} {}", clean::line(&state.status), short(state.strength))
}

/// Text of a reply to `why`.
pub(crate) fn why(reply: &WhyReply, view: &View) -> String {
    let Some(memory) = &reply.memory else {
        return "the daemon did not say which memory that is; search for it".to_owned();
    };
    let head = header([
        clean::line(&memory.handle),
        day(memory, view),
        nature(memory),
    ]);
    let mut lines = vec![head, body(memory, &[])];
    lines.extend(Some(metadata(memory, view)).filter(|fields| !fields.is_empty()));
    let sources = memory.provenance.iter();
    lines.extend(sources.map(|said| source(said, &changes::whence(reply, said), view)));
    let replaces = reply.replaces.iter();
    lines.extend(replaces.map(|handle| format!("replaces {}", clean::line(handle))));
    if !memory.superseded_by.is_empty() {
        let by = clean::line(&memory.superseded_by);
        lines.push(format!("replaced by {by}"));
    }
    lines.extend(reply.edges.iter().map(|edge| clean::line(edge)));
    lines.push(told(reply, view));
    lines.push("what was done to it:".to_owned());
    let operations = reply.operations.iter();
    lines.extend(operations.map(|line| format!("{INDENT}{}", operation(line, view))));
    bounded(
        &lines.join("\n"),
        "topics action=log pages through what was done to it",
    )
}

/// Who said it, when, where and in which work tree.
fn source(said: &Provenance, whence: &str, view: &View) -> String {
    let minute = dates::minute_of(said.at_us, &view.zone);
    let mut line = format!("said by {} on {minute}", who(&said.agent, &said.origin));
    if !whence.is_empty() {
        line.push_str(&format!(" {}", clean::line(whence)));
    }
    let commit: String = said.commit.chars().take(COMMIT_CHARS).collect();
    let place = [said.branch.as_str(), commit.as_str()].map(clean::line);
    let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
    if !place.is_empty() {
        line.push_str(&format!(" (git {})", place.join(" at ")));
    }
    line
}

/// Who was told it by hooks, and whether it was heeded.
fn told(reply: &WhyReply, view: &View) -> String {
    if reply.told_total == 0 {
        return "no hook told it".to_owned();
    }
    let mut text = format!(
        "told by hooks {}",
        count_of(reply.told_total, "time", "times")
    );
    if reply.ignored > 0 {
        let sessions = count_of(reply.ignored, "session", "sessions");
        text.push_str(&format!("; the last {sessions} did not follow it"));
    }
    if reply.rests > 0 {
        let sessions = count_of(reply.rests, "session", "sessions");
        text.push_str(&format!("; left out of the next {sessions}"));
    }
    for receipt in &reply.told {
        let minute = dates::minute_of(receipt.at_us, &view.zone);
        let [event, session, fate] =
            [&receipt.event, &receipt.session, &receipt.fate].map(|part| clean::line(part));
        text.push_str(&format!("\n{INDENT}{minute} {event} to {session}: {fate}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use helix_client::v1::{Memory, Receipt};

    use super::super::samples::{RECORDED_AT_US, arm64, hostile, utc};
    use super::*;

    fn line(sequence: u64) -> LogLine {
        LogLine {
            sequence,
            at_us: RECORDED_AT_US,
            kind: "revise".to_owned(),
            handle: "build-gotchas/arch-arm64-required".to_owned(),
            summary: "Rust lib must use\n-arch arm64.".to_owned(),
            origin: "agent".to_owned(),
            ..LogLine::default()
        }
    }

    fn lines() -> Vec<LogLine> {
        let undo = LogLine {
            kind: "revert".to_owned(),
            reason: "undoes 41".to_owned(),
            agent: "claude-code".to_owned(),
            reverts: Some(41),
            ..line(43)
        };
        let undone = LogLine {
            undone: true,
            ..line(41)
        };
        vec![undo, undone]
    }

    fn changed() -> Vec<ChangedMemory> {
        let revised = Memory {
            text: "Rust lib must use -arch arm64.\n[1] faked\u{2028}line".to_owned(),
            tags: Vec::new(),
            ..arm64()
        };
        let one = |before, after| ChangedMemory { before, after };
        vec![
            one(Some(arm64()), Some(revised)),
            one(None, Some(hostile())),
        ]
    }

    fn changed_edge() -> ChangedEdge {
        let state = |status: &str, strength| EdgeState {
            status: status.to_owned(),
            strength,
            ..EdgeState::default()
        };
        ChangedEdge {
            from: "a/b".to_owned(),
            to: "c/d".to_owned(),
            relation: "uses".to_owned(),
            before: Some(state("suggested", 0.4)),
            after: Some(state("active", 1.0)),
        }
    }

    #[test]
    fn operations_are_lines_with_a_page_after_them() {
        let reply = LogReply {
            lines: lines(),
            has_more: true,
            notes: vec!["the 5 newest operations\nwere looked at".to_owned()],
        };
        insta::assert_snapshot!(log(&reply, &utc()));
        assert_eq!(
            log(&LogReply::default(), &utc()),
            "nothing was done there or then"
        );
    }

    #[test]
    fn a_long_log_says_where_it_goes_on() {
        let reply = LogReply {
            lines: (1..=1_000).rev().map(line).collect(),
            ..LogReply::default()
        };
        let text = log(&reply, &utc());
        assert!(text.chars().count() < 20_200, "{}", text.chars().count());
        let (_, cursor) = text.rsplit_once("cursor=").unwrap_or_default();
        let (cursor, _) = cursor.split_once(' ').unwrap_or_default();
        let last = text.lines().rev().nth(1).unwrap_or_default();
        assert!(last.starts_with(&format!("{cursor}  ")), "{cursor}: {last}");
    }

    #[test]
    fn what_is_different_is_shown_line_by_line() {
        let reply = DiffReply {
            from_sequence: 40,
            to_sequence: 43,
            memories: changed(),
            edges: vec![changed_edge()],
            memories_total: 300,
            edges_total: 1,
            notes: vec!["since session s began".to_owned()],
        };
        insta::assert_snapshot!(difference(&reply, &utc()));
        let nothing = difference(&DiffReply::default(), &utc());
        assert_eq!(nothing, "nothing is different from 0 to 0");
    }

    #[test]
    fn what_was_undone_says_how_to_have_it_again() {
        let reply = RevertReply {
            reverted: vec![line(41)],
            memories: changed(),
            memories_total: 2,
            sequence: 44,
            ..RevertReply::default()
        };
        insta::assert_snapshot!(undone(&reply, &utc()));
    }

    #[test]
    fn a_rollback_is_shown_before_it_is_done() {
        let reply = RevertReply {
            memories: changed(),
            memories_total: 2,
            edges: vec![changed_edge()],
            edges_total: 1,
            to_sequence: 40,
            ..RevertReply::default()
        };
        let done = RevertReply {
            sequence: 44,
            ..reply.clone()
        };
        let texts = [
            rolled_back(&reply, true, &utc()),
            rolled_back(&done, false, &utc()),
            rolled_back(&RevertReply::default(), true, &utc()),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn a_memorys_life_is_told() {
        let said = Provenance {
            agent: "claude-code".to_owned(),
            reference: "notes/linker.md:3".to_owned(),
            at_us: RECORDED_AT_US,
            branch: "main".to_owned(),
            commit: "0123456789abcdef".to_owned(),
            ..Provenance::default()
        };
        let memory = Memory {
            provenance: vec![said],
            superseded_by: "build/new".to_owned(),
            status: "superseded".to_owned(),
            ..arm64()
        };
        let receipt = Receipt {
            at_us: RECORDED_AT_US,
            event: "ambient".to_owned(),
            session: "s-2".to_owned(),
            fate: "heeded".to_owned(),
            ..Receipt::default()
        };
        let reply = WhyReply {
            memory: Some(memory),
            operations: vec![LogLine {
                session: "s-1".to_owned(),
                ..line(41)
            }],
            replaces: vec!["build/old".to_owned()],
            edges: vec!["uses ci/x (active)".to_owned()],
            told: vec![receipt],
            told_total: 3,
            ignored: 1,
            rests: 2,
        };
        insta::assert_snapshot!(why(&reply, &utc()));
    }
}
