//! What a call shows whole to the session that makes it: hooks need not tell it again.
//!
//! Only of a session that an agent's program names and that hooks told of anything is known. Which
//! of several sessions a call without a name belongs to is not guessed.

use helix_memory::{Memory, MemoryNumber, Origin};
use helix_proto::limits::{
    ANSWER_MAX_CHARS, BODY_SHOWN_MAX_CHARS, LINE_SHOWN_MAX_CHARS, OPENING_MAX_LINES,
};

use crate::{App, Asker, hook, moment};

/// How much of a memory's text a client shows of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextShown {
    /// Nobody said.
    #[default]
    Unspecified,
    /// One line.
    Line,
    /// The first lines.
    Opening,
    /// As much as is shown of any.
    Body,
}

/// Characters around a memory's text beside its names: its day, its place, marks and what sets it
/// apart.
const AROUND_CHARS: usize = 100;

/// Notes memories that the asker's session has the whole texts of: it stored them, or an answer
/// holds them to their ends.
pub fn note_known(app: &App, asker: &Asker, numbers: &[MemoryNumber]) {
    // What was is not what a hook would tell.
    if moment::is_other(app) {
        return;
    }
    if asker.actor.origin == Origin::Agent && !asker.actor.session.is_empty() {
        app.hooks
            .sessions
            .know(&asker.actor.session, numbers, app.memory.now());
    }
}

/// Notes which of some memories, which it gets in this order, the asker's session is shown whole.
/// What cannot be read is not noted.
pub fn note(app: &App, asker: &Asker, shown: TextShown, numbers: &[MemoryNumber]) {
    let is_told_of = !asker.actor.session.is_empty()
        && app
            .hooks
            .sessions
            .is_open(&asker.actor.session, app.memory.now());
    if shown == TextShown::Unspecified || asker.actor.origin != Origin::Agent || !is_told_of {
        return;
    }
    let memories = app.memory.strand.memories(numbers).unwrap_or_default();
    let whole = whole(shown, &memories);
    note_known(app, asker, &whole);
    if !moment::is_other(app) {
        let is_whole = |memory: &&Memory| whole.contains(&memory.number);
        let recalled: Vec<&Memory> = memories.iter().filter(is_whole).collect();
        hook::note_recalled(app, asker, &recalled);
    }
}

/// Returns those that are shown whole. An answer ends where it is long enough.
fn whole(shown: TextShown, memories: &[Memory]) -> Vec<MemoryNumber> {
    let mut left = ANSWER_MAX_CHARS;
    let fitting = memories.iter().take_while(|memory| {
        let rest = left.checked_sub(width(memory));
        rest.inspect(|rest| left = *rest).is_some()
    });
    fitting
        .filter(|memory| is_whole(shown, &memory.text))
        .map(|memory| memory.number)
        .collect()
}

/// Returns what a memory takes of an answer, at most.
fn width(memory: &Memory) -> usize {
    let names = [memory.topic.as_str(), memory.handle.as_str()]
        .into_iter()
        .chain(memory.tags.iter().map(|tag| &**tag));
    let source = memory.source.as_ref().map_or(0, |source| source.path.len());
    memory.text.chars().count()
        + names.map(|name| name.len() + 2).sum::<usize>()
        + source
        + AROUND_CHARS
}

fn is_whole(shown: TextShown, text: &str) -> bool {
    match shown {
        TextShown::Unspecified => false,
        TextShown::Line => are_all(text, 1),
        TextShown::Opening => are_all(text, OPENING_MAX_LINES),
        TextShown::Body => text.chars().count() <= BODY_SHOWN_MAX_CHARS,
    }
}

/// The part of a text that is shown, of a line or two; `None` where more is.
pub(crate) fn opening(shown: TextShown, text: &str) -> Option<String> {
    let count = match shown {
        TextShown::Line => 1,
        TextShown::Opening => OPENING_MAX_LINES,
        TextShown::Unspecified | TextShown::Body => return None,
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let cut = |line: &str| line.chars().take(LINE_SHOWN_MAX_CHARS).collect::<String>();
    let lines: Vec<String> = lines.take(count).map(cut).collect();
    Some(lines.join("\n"))
}

/// Returns whether so many lines are all that a text has, and none is too long to be shown.
fn are_all(text: &str, count: usize) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let are_short = lines
        .by_ref()
        .take(count)
        .all(|line| line.chars().count() <= LINE_SHOWN_MAX_CHARS);
    are_short && lines.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_to_its_end_is_known() {
        let long = "x".repeat(LINE_SHOWN_MAX_CHARS + 1);
        let longest = "x".repeat(BODY_SHOWN_MAX_CHARS + 1);
        for (text, line, opening, body) in [
            ("one line", true, true, true),
            ("one\n\ntwo\n", false, true, true),
            ("one\ntwo\nthree", false, false, true),
            (long.as_str(), false, false, true),
            (longest.as_str(), false, false, false),
        ] {
            let shown = [TextShown::Line, TextShown::Opening, TextShown::Body];
            assert_eq!(
                shown.map(|shown| is_whole(shown, text)),
                [line, opening, body],
                "{text}"
            );
            assert!(!is_whole(TextShown::Unspecified, text));
        }
    }
}
