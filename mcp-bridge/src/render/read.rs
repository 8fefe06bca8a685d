//! Memories in full.

use helix_client::v1::{Memory, ReadReply};

use super::memory::{count_of, cut, header, metadata, nature, one_line, time, whole_body};
use super::pack::{pack, packed};
use super::{LINE_MAX_CHARS, View};
use crate::clean;

/// The memories that were read, and how they were asked for.
pub(crate) struct Shown<'a> {
    /// The daemon's answer.
    pub(crate) reply: &'a ReadReply,
    /// The position that was asked for.
    pub(crate) index: Option<u32>,
    /// The text that memories had to hold; empty for all.
    pub(crate) match_text: &'a str,
}

/// Text of a reply to `read`, and how many of its memories it shows.
pub(crate) fn read(shown: &Shown<'_>, view: &View) -> (String, usize) {
    let notes = shown
        .reply
        .notes
        .iter()
        .map(|note| format!("\nnote: {}", clean::line(note)));
    let (text, count) = memories(shown, view);
    (std::iter::once(text).chain(notes).collect(), count)
}

fn memories(shown: &Shown<'_>, view: &View) -> (String, usize) {
    let one = |position: String, memory: &Memory| entry(position, memory, view);
    match shown.reply.memories.as_slice() {
        [] => (nothing(shown), 0),
        memories @ [_, _, ..] if shown.reply.topic.is_empty() => {
            let blocks: Vec<String> = memories
                .iter()
                .map(|memory| one(String::new(), memory))
                .collect();
            let rest = |missing| format!("{missing} more do not fit; read fewer at once");
            (packed(&blocks, "\n\n", blocks.len(), rest), blocks.len())
        }
        [memory] if is_one(shown) => (one(number(shown.index), memory), 1),
        memories => {
            let entries = numbered(memories);
            let blocks: Vec<String> = entries
                .map(|(at, memory)| one(number(Some(at)), memory))
                .collect();
            topic(shown, &blocks, "\n\n")
        }
    }
}

/// Text of a reply to `topics action=entries`, a line a memory, which `topic:index` names; and how
/// many it shows.
pub(crate) fn entries(shown: &Shown<'_>, view: &View) -> (String, usize) {
    match shown.reply.memories.as_slice() {
        [] => (nothing(shown), 0),
        [memory] if shown.index.is_some() => (entry(number(shown.index), memory, view), 1),
        memories => {
            let line = |(at, memory): (u32, &Memory)| {
                format!(
                    "{}:{at}  {}",
                    clean::line(&memory.topic),
                    one_line(memory, view)
                )
            };
            let lines: Vec<String> = numbered(memories).map(line).collect();
            topic(shown, &lines, "\n")
        }
    }
}

/// Returns whether one memory was asked for and not a topic that has one.
fn is_one(shown: &Shown<'_>) -> bool {
    let is_filtered = !shown.match_text.is_empty();
    shown.index.is_some()
        || shown.reply.topic.is_empty()
        || (shown.reply.total <= 1 && !is_filtered)
}

fn nothing(shown: &Shown<'_>) -> String {
    let total = shown.reply.total;
    if !shown.match_text.is_empty() && total > 0 {
        let wanted = cut(&clean::line(shown.match_text), LINE_MAX_CHARS);
        let whose = if total == 1 {
            "its one memory has not".to_owned()
        } else {
            format!("none of its {total} memories has")
        };
        return format!("{whose} the text \"{wanted}\"; search finds memories by words");
    }
    "nothing is stored under that name; search finds memories by words".to_owned()
}

/// Memories with their positions: the daemon's, else counted.
fn numbered(memories: &[Memory]) -> impl Iterator<Item = (u32, &Memory)> {
    (0..)
        .zip(memories)
        .map(|(at, memory)| (memory.index.unwrap_or(at), memory))
}

/// A topic's memories, as many as fit, and how many that are.
fn topic(shown: &Shown<'_>, blocks: &[String], separator: &str) -> (String, usize) {
    let reply = shown.reply;
    // A topic with one memory may be answered as that memory.
    let of_memory = || {
        reply
            .memories
            .first()
            .map_or("", |memory| memory.topic.as_str())
    };
    let name = Some(reply.topic.as_str())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(of_memory);
    let name = clean::line(name);
    let all = usize::try_from(reply.total)
        .unwrap_or(usize::MAX)
        .max(blocks.len());
    let is_filtered = !shown.match_text.is_empty();
    let matching = usize::try_from(reply.matching)
        .unwrap_or(usize::MAX)
        .max(blocks.len());
    let whole = count_of(all, "memory", "memories");
    let head = match (is_filtered, all) {
        (false, _) => format!("{name}: {whole}"),
        (true, 1) => format!("{name}: {matching} of {whole} has that text"),
        (true, _) => format!("{name}: {matching} of {whole} have that text"),
    };
    let (text, fitting) = pack(blocks, separator);
    let answer = format!("{head}{separator}{text}");
    let cursor = clean::line(&reply.next_cursor);
    if cursor.is_empty() {
        return (answer, fitting);
    }
    let next = format!("more follow; cursor={cursor} with the same arguments shows the next");
    (
        format!("{answer}{separator}{next}, search topic={name} finds by words"),
        fitting,
    )
}

fn number(index: Option<u32>) -> String {
    index.map(|index| format!("[{index}]")).unwrap_or_default()
}

/// One memory with its whole text.
fn entry(position: String, memory: &Memory, view: &View) -> String {
    let head = header([
        position,
        clean::line(&memory.handle),
        time(memory, view),
        nature(memory),
    ]);
    let parts = [
        head,
        whole_body(memory),
        metadata(memory, view),
        unclean(memory),
    ];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Says where the text is not shown as it is stored.
fn unclean(memory: &Memory) -> String {
    if clean::block(&memory.text) == memory.text {
        return String::new();
    }
    let handle = clean::line(&memory.handle);
    format!(
        "(control or invisible characters are not shown; `helixctl read --raw {handle}` has every byte)"
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, long, utc};
    use super::*;

    fn all(reply: &ReadReply) -> String {
        read(
            &Shown {
                reply,
                index: None,
                match_text: "",
            },
            &utc(),
        )
        .0
    }

    #[test]
    fn one_memory_is_shown_whole() {
        let reply = ReadReply {
            memories: vec![arm64()],
            topic: String::new(),
            total: 1,
            ..ReadReply::default()
        };
        insta::assert_snapshot!(all(&reply));
        let long = ReadReply {
            memories: vec![long("a/long", 30_000)],
            topic: String::new(),
            total: 1,
            ..ReadReply::default()
        };
        assert!(all(&long).chars().count() > 30_000);
    }

    #[test]
    fn a_topic_numbers_its_memories() {
        let reply = ReadReply {
            memories: vec![arm64(), hostile()],
            topic: "build-gotchas".to_owned(),
            total: 2,
            ..ReadReply::default()
        };
        insta::assert_snapshot!(all(&reply));
    }

    #[test]
    fn an_index_is_repeated() {
        let reply = ReadReply {
            memories: vec![arm64()],
            topic: "build-gotchas".to_owned(),
            total: 7,
            ..ReadReply::default()
        };
        assert!(
            read(
                &Shown {
                    reply: &reply,
                    index: Some(3),
                    match_text: ""
                },
                &utc()
            )
            .0
            .starts_with("[3]  build-gotchas/arch-arm64-required  ")
        );
    }

    #[test]
    fn a_large_topic_is_paged_and_every_text_is_whole() {
        let memories = (0..20)
            .map(|at| long(&format!("big/{at}"), 9_000))
            .collect();
        let reply = ReadReply {
            memories,
            topic: "big".to_owned(),
            total: 25,
            ..ReadReply::default()
        };
        let (text, fitting) = read(
            &Shown {
                reply: &reply,
                index: None,
                match_text: "",
            },
            &utc(),
        );
        assert!(text.chars().count() < 21_000, "{}", text.chars().count());
        assert_eq!((fitting, text.matches(&"x".repeat(9_000)).count()), (2, 2));
        let memories = reply.memories.into_iter().take(fitting).collect();
        let text = all(&ReadReply {
            memories,
            next_cursor: "QQHk".to_owned(),
            ..reply
        });
        let told = "more follow; cursor=QQHk with the same arguments shows the next, search topic=big finds by words";
        assert!(text.ends_with(told), "{text}");
    }

    #[test]
    fn a_text_is_shown_as_it_is_stored() {
        let exact = Memory {
            text: "a  \n\tb\n\n  c\n".to_owned(),
            ..arm64()
        };
        let text = all(&ReadReply {
            memories: vec![exact],
            total: 1,
            ..ReadReply::default()
        });
        assert!(text.contains("\n  a  \n  \tb\n\n    c\n["), "{text:?}");
        let hidden = Memory {
            text: "pay\u{200b}pal".to_owned(),
            ..arm64()
        };
        let text = all(&ReadReply {
            memories: vec![hidden],
            total: 1,
            ..ReadReply::default()
        });
        assert!(
            text.contains("paypal") && text.ends_with("has every byte)"),
            "{text}"
        );
    }

    #[test]
    fn nothing_found_says_what_to_do() {
        insta::assert_snapshot!(
            all(&ReadReply::default()),
            @"nothing is stored under that name; search finds memories by words"
        );
    }

    fn third() -> Memory {
        Memory {
            index: Some(3),
            ..arm64()
        }
    }

    #[test]
    fn a_filter_says_how_many_passed() {
        let reply = ReadReply {
            memories: vec![third()],
            topic: "build-gotchas".to_owned(),
            total: 7,
            ..ReadReply::default()
        };
        let filtered = read(
            &Shown {
                reply: &reply,
                index: None,
                match_text: "arm64",
            },
            &utc(),
        )
        .0;
        assert!(
            filtered.starts_with(
                "build-gotchas: 1 of 7 memories have that text\n\n[3]  build-gotchas/"
            ),
            "{filtered}"
        );
        let many = ReadReply {
            matching: 700,
            total: 800,
            ..reply.clone()
        };
        let filtered = read(
            &Shown {
                reply: &many,
                index: None,
                match_text: "arm64",
            },
            &utc(),
        )
        .0;
        assert!(
            filtered.starts_with("build-gotchas: 700 of 800 memories have that text\n\n[3]"),
            "{filtered}"
        );
        let none = ReadReply {
            memories: Vec::new(),
            ..reply
        };
        insta::assert_snapshot!(
            read(&Shown { reply: &none, index: None, match_text: "x86" }, &utc()).0,
            @r#"none of its 7 memories has the text "x86"; search finds memories by words"#
        );
    }

    #[test]
    fn a_changed_source_is_marked_in_a_line() {
        let changed = Memory {
            source_state: helix_client::v1::SourceState::Changed.into(),
            ..arm64()
        };
        let reply = ReadReply {
            memories: vec![changed, third()],
            topic: "build-gotchas".to_owned(),
            total: 2,
            ..ReadReply::default()
        };
        let (listed, _) = entries(
            &Shown {
                reply: &reply,
                index: None,
                match_text: "",
            },
            &utc(),
        );
        assert_eq!(listed.matches("(source changed").count(), 1, "{listed}");
    }

    #[test]
    fn several_are_shown_one_after_the_other() {
        let reply = ReadReply {
            memories: vec![arm64(), third()],
            total: 2,
            notes: vec!["nothing is called \"x\" here".to_owned()],
            ..ReadReply::default()
        };
        let text = all(&reply);
        assert_eq!(text.matches("[source: build.rs:42]").count(), 2, "{text}");
        assert!(
            text.starts_with("build-gotchas/")
                && text.ends_with("\nnote: nothing is called \"x\" here"),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_moved_is_told_with_its_place() {
        let moved = Memory {
            moved_to_line: Some(57),
            ..arm64()
        };
        let shown = all(&ReadReply {
            memories: vec![moved],
            topic: String::new(),
            total: 1,
            ..ReadReply::default()
        });
        assert!(
            shown.contains("[source: build.rs:42, now line 57]"),
            "{shown}"
        );
    }

    #[test]
    fn what_may_be_wrong_by_now_is_doubted() {
        let state = helix_client::v1::SourceState::Changed.into();
        let changed = Memory {
            source_state: state,
            confidence: 1.0,
            doubted_confidence: Some(0.7),
            ..arm64()
        };
        let shown = all(&ReadReply {
            memories: vec![changed],
            topic: String::new(),
            total: 1,
            ..ReadReply::default()
        });
        assert!(
            shown.contains("gotcha, project, source changed\n"),
            "{shown}"
        );
        assert!(shown.contains("[confidence: 0.7, stale]"), "{shown}");
    }

    #[test]
    fn entries_are_numbered_lines() {
        let reply = ReadReply {
            memories: vec![third(), hostile()],
            topic: "build-gotchas".to_owned(),
            total: 9,
            ..ReadReply::default()
        };
        let (listed, _) = entries(
            &Shown {
                reply: &reply,
                index: None,
                match_text: "",
            },
            &utc(),
        );
        let one = ReadReply {
            memories: vec![third()],
            ..reply
        };
        let (whole, _) = entries(
            &Shown {
                reply: &one,
                index: Some(3),
                match_text: "",
            },
            &utc(),
        );
        insta::assert_snapshot!(format!("{listed}\n---\n{whole}"));
    }
}
