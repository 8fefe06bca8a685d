//! What a call shows whole to the session that makes it: hooks need not tell it again.
//!
//! Only of a session that an agent's program names and that hooks told of anything is known. Which of several sessions a call
//! without a name belongs to is not guessed.

use helix_engine::model::{Memory, MemoryNumber, Origin};
use helix_proto::limits::{ANSWER_MAX_CHARS, BODY_SHOWN_MAX_CHARS, LINE_SHOWN_MAX_CHARS, OPENING_MAX_LINES};
use helix_proto::v1::TextShown;

use crate::runtime::{Asker, Runtime};

/// Notes that the asker's session stored memories: it has their texts.
pub(super) fn note_stored(runtime: &Runtime, asker: &Asker, numbers: &[MemoryNumber]) {
    if asker.actor.origin == Origin::Agent && !asker.actor.session.is_empty() {
        runtime.sessions.know(&asker.actor.session, numbers, runtime.now());
    }
}

/// Notes which of some memories, which it gets in this order, the asker's session is shown whole. What cannot be read is not
/// noted.
pub(super) fn note(runtime: &Runtime, asker: &Asker, shown: TextShown, numbers: &[MemoryNumber]) {
    let is_told_of = !asker.actor.session.is_empty() && runtime.sessions.is_open(&asker.actor.session, runtime.now());
    if shown == TextShown::Unspecified || asker.actor.origin != Origin::Agent || !is_told_of {
        return;
    }
    let memories = runtime.strand.memories(numbers).unwrap_or_default();
    note_stored(runtime, asker, &whole(shown, &memories));
}

/// Those that are shown whole. An answer ends where it is long enough.
fn whole(shown: TextShown, memories: &[Memory]) -> Vec<MemoryNumber> {
    let mut left = ANSWER_MAX_CHARS;
    let fitting = memories.iter().take_while(|memory| {
        let rest = left.checked_sub(memory.text.chars().count());
        rest.inspect(|rest| left = *rest).is_some()
    });
    fitting.filter(|memory| is_whole(shown, &memory.text)).map(|memory| memory.number).collect()
}

fn is_whole(shown: TextShown, text: &str) -> bool {
    match shown {
        TextShown::Unspecified => false,
        TextShown::Opening => {
            let mut lines = text.lines().filter(|line| !line.trim().is_empty());
            let are_short =
                lines.by_ref().take(OPENING_MAX_LINES).all(|line| line.chars().count() <= LINE_SHOWN_MAX_CHARS);
            are_short && lines.next().is_none()
        }
        TextShown::Body => text.chars().count() <= BODY_SHOWN_MAX_CHARS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_to_its_end_is_known() {
        let long = "x".repeat(LINE_SHOWN_MAX_CHARS + 1);
        let longest = "x".repeat(BODY_SHOWN_MAX_CHARS + 1);
        for (text, opening, body) in [
            ("one line", true, true),
            ("one\n\ntwo\n", true, true),
            ("one\ntwo\nthree", false, true),
            (long.as_str(), false, true),
            (longest.as_str(), false, false),
        ] {
            assert_eq!((is_whole(TextShown::Opening, text), is_whole(TextShown::Body, text)), (opening, body));
            assert!(!is_whole(TextShown::Unspecified, text));
        }
    }
}
