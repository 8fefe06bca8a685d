//! Memories in full.

use helix_client::v1::{Memory, ReadReply};

use super::memory::{body, count_of, cut, day, header, metadata, nature, one_line, whole_body};
use super::pack::{pack, packed};
use super::{LINE_MAX_CHARS, View};
use crate::clean;

/// What was read, and how it was asked for.
pub(crate) struct Shown<'a> {
    /// The daemon's answer.
    pub(crate) reply: &'a ReadReply,
    /// The position that was asked for.
    pub(crate) index: Option<u32>,
    /// The text that memories had to hold; empty for all.
    pub(crate) match_text: &'a str,
}

/// Text of a reply to `read`.
pub(crate) fn read(shown: &Shown<'_>, view: &View) -> String {
    let notes = shown.reply.notes.iter().map(|note| format!("\nnote: {}", clean::line(note)));
    std::iter::once(memories(shown, view)).chain(notes).collect()
}

fn memories(shown: &Shown<'_>, view: &View) -> String {
    match shown.reply.memories.as_slice() {
        [] => nothing(shown),
        memories @ [_, _, ..] if shown.reply.topic.is_empty() => {
            let one = |memory| entry(String::new(), memory, body(memory, &[]), view);
            let blocks: Vec<String> = memories.iter().map(one).collect();
            packed(&blocks, "\n\n", blocks.len(), |missing| format!("{missing} more do not fit; read fewer at once"))
        }
        [memory] if is_one(shown) => entry(number(shown.index), memory, whole_body(memory), view),
        memories => {
            let entries = numbered(memories);
            let blocks: Vec<String> =
                entries.map(|(at, memory)| entry(number(Some(at)), memory, body(memory, &[]), view)).collect();
            topic(shown, &blocks, "\n\n", "read", "shows the next")
        }
    }
}

/// Text of a reply to `topics action=entries`: a line a memory, which `topic:index` names.
pub(crate) fn entries(shown: &Shown<'_>, view: &View) -> String {
    match shown.reply.memories.as_slice() {
        [] => nothing(shown),
        [memory] if shown.index.is_some() => entry(number(shown.index), memory, whole_body(memory), view),
        memories => {
            let line = |(at, memory): (u32, &Memory)| {
                format!("{}:{at}  {}", clean::line(&memory.topic), one_line(memory, view))
            };
            let lines: Vec<String> = numbered(memories).map(line).collect();
            topic(shown, &lines, "\n", "topics action=entries", "shows the next whole, match_str filters")
        }
    }
}

/// Whether one memory was asked for and not a topic that has one.
fn is_one(shown: &Shown<'_>) -> bool {
    let is_filtered = !shown.match_text.is_empty();
    shown.index.is_some() || shown.reply.topic.is_empty() || (shown.reply.total <= 1 && !is_filtered)
}

fn nothing(shown: &Shown<'_>) -> String {
    let total = shown.reply.total;
    if !shown.match_text.is_empty() && total > 0 {
        let wanted = cut(&clean::line(shown.match_text), LINE_MAX_CHARS);
        let whose =
            if total == 1 { "its one memory has not".to_owned() } else { format!("none of its {total} memories has") };
        return format!("{whose} the text \"{wanted}\"; search finds memories by words");
    }
    "nothing is stored under that name; search finds memories by words".to_owned()
}

/// Memories with their positions: the daemon's, else counted.
fn numbered(memories: &[Memory]) -> impl Iterator<Item = (u32, &Memory)> {
    (0..).zip(memories).map(|(at, memory)| (memory.index.unwrap_or(at), memory))
}

fn topic(shown: &Shown<'_>, blocks: &[String], separator: &str, call: &str, does: &str) -> String {
    // A topic with one memory may be answered as that memory.
    let of_memory = || shown.reply.memories.first().map_or("", |memory| memory.topic.as_str());
    let name = Some(shown.reply.topic.as_str()).filter(|name| !name.is_empty()).unwrap_or_else(of_memory);
    let name = clean::line(name);
    let all = usize::try_from(shown.reply.total).unwrap_or(usize::MAX).max(blocks.len());
    let is_filtered = !shown.match_text.is_empty();
    let matching = usize::try_from(shown.reply.matching).unwrap_or(usize::MAX).max(blocks.len());
    let head = if is_filtered {
        let have = if all == 1 { "has" } else { "have" };
        format!("{name}: {matching} of {} {have} that text", count_of(all, "memory", "memories"))
    } else {
        format!("{name}: {}", count_of(all, "memory", "memories"))
    };
    let total = if is_filtered { matching } else { all };
    let (text, fitting) = pack(blocks, separator);
    let answer = format!("{head}{separator}{text}");
    if fitting == total {
        return answer;
    }
    let more = total - fitting;
    let next = shown.reply.memories.get(fitting).and_then(|memory| memory.index);
    if is_filtered {
        let next = next.map(|index| format!("{call} topic={name} index={index} shows the next, ")).unwrap_or_default();
        return format!("{answer}{separator}{more} more have it; {next}a longer match_str finds fewer");
    }
    let next = next.map_or(fitting.to_string(), |index| index.to_string());
    format!(
        "{answer}{separator}{more} more; {call} topic={name} index={next} {does}, search topic={name} finds by words"
    )
}

fn number(index: Option<u32>) -> String {
    index.map(|index| format!("[{index}]")).unwrap_or_default()
}

fn entry(position: String, memory: &Memory, body: String, view: &View) -> String {
    let head = header([position, clean::line(&memory.handle), day(memory, view), nature(memory)]);
    [head, body, metadata(memory, view)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, long, utc};
    use super::*;

    fn all(reply: &ReadReply) -> String {
        read(&Shown { reply, index: None, match_text: "" }, &utc())
    }

    #[test]
    fn one_memory_is_shown_whole() {
        let reply = ReadReply { memories: vec![arm64()], topic: String::new(), total: 1, ..ReadReply::default() };
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
        let reply =
            ReadReply { memories: vec![arm64()], topic: "build-gotchas".to_owned(), total: 7, ..ReadReply::default() };
        assert!(
            read(&Shown { reply: &reply, index: Some(3), match_text: "" }, &utc())
                .starts_with("[3]  build-gotchas/arch-arm64-required  ")
        );
    }

    #[test]
    fn a_large_topic_is_cut_and_says_how_to_go_on() {
        let memories = (0..20).map(|at| long(&format!("big/{at}"), 9_000)).collect();
        let text = all(&ReadReply { memories, topic: "big".to_owned(), total: 25, ..ReadReply::default() });
        assert!(text.chars().count() < 21_000, "{}", text.chars().count());
        assert!(text.contains("cut at 4000 characters; read big/0 shows the rest"));
        assert!(text.ends_with("21 more; read topic=big index=4 shows the next, search topic=big finds by words"));
    }

    #[test]
    fn nothing_found_says_what_to_do() {
        insta::assert_snapshot!(
            all(&ReadReply::default()),
            @"nothing is stored under that name; search finds memories by words"
        );
    }

    fn third() -> Memory {
        Memory { index: Some(3), ..arm64() }
    }

    #[test]
    fn a_filter_says_how_many_passed() {
        let reply =
            ReadReply { memories: vec![third()], topic: "build-gotchas".to_owned(), total: 7, ..ReadReply::default() };
        let filtered = read(&Shown { reply: &reply, index: None, match_text: "arm64" }, &utc());
        assert!(
            filtered.starts_with("build-gotchas: 1 of 7 memories have that text\n\n[3]  build-gotchas/"),
            "{filtered}"
        );
        let many = ReadReply { matching: 700, total: 800, ..reply.clone() };
        let filtered = read(&Shown { reply: &many, index: None, match_text: "arm64" }, &utc());
        assert!(filtered.starts_with("build-gotchas: 700 of 800 memories have that text\n\n[3]"), "{filtered}");
        assert!(filtered.ends_with("\n\n699 more have it; a longer match_str finds fewer"), "{filtered}");
        let none = ReadReply { memories: Vec::new(), ..reply };
        insta::assert_snapshot!(
            read(&Shown { reply: &none, index: None, match_text: "x86" }, &utc()),
            @r#"none of its 7 memories has the text "x86"; search finds memories by words"#
        );
    }

    #[test]
    fn a_changed_source_is_marked_in_a_line() {
        let changed = Memory { source_state: helix_client::v1::SourceState::Changed.into(), ..arm64() };
        let reply = ReadReply {
            memories: vec![changed, third()],
            topic: "build-gotchas".to_owned(),
            total: 2,
            ..ReadReply::default()
        };
        let listed = entries(&Shown { reply: &reply, index: None, match_text: "" }, &utc());
        assert_eq!(listed.matches("(source changed)").count(), 1, "{listed}");
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
        assert!(text.starts_with("build-gotchas/") && text.ends_with("\nnote: nothing is called \"x\" here"), "{text}");
    }

    #[test]
    fn a_line_that_moved_is_told_with_its_place() {
        let moved = Memory { moved_to_line: Some(57), ..arm64() };
        let shown = all(&ReadReply { memories: vec![moved], topic: String::new(), total: 1, ..ReadReply::default() });
        assert!(shown.contains("[source: build.rs:42, now line 57]"), "{shown}");
    }

    #[test]
    fn what_may_be_wrong_by_now_is_doubted() {
        let state = helix_client::v1::SourceState::Changed.into();
        let changed = Memory { source_state: state, confidence: 1.0, doubted_confidence: Some(0.7), ..arm64() };
        let shown = all(&ReadReply { memories: vec![changed], topic: String::new(), total: 1, ..ReadReply::default() });
        assert!(shown.contains("gotcha, project, source changed\n"), "{shown}");
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
        let listed = entries(&Shown { reply: &reply, index: None, match_text: "" }, &utc());
        let one = ReadReply { memories: vec![third()], ..reply };
        let whole = entries(&Shown { reply: &one, index: Some(3), match_text: "" }, &utc());
        insta::assert_snapshot!(format!("{listed}\n---\n{whole}"));
    }
}
