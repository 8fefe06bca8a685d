//! Memories in full.

use helix_client::v1::{Memory, ReadReply};

use super::View;
use super::memory::{body, day, header, metadata, nature, whole_body};
use super::pack::pack;
use crate::clean;

/// Text of a reply to `read`; `index` is the position that was asked for.
pub(crate) fn read(reply: &ReadReply, index: Option<u32>, view: &View) -> String {
    match reply.memories.as_slice() {
        [] => "nothing is stored under that name; search finds memories by words".to_owned(),
        [memory] if reply.total <= 1 || index.is_some() || reply.topic.is_empty() => {
            let position = index.map(|index| format!("[{index}]")).unwrap_or_default();
            entry(position, memory, whole_body(memory), view)
        }
        memories => topic(reply, memories, view),
    }
}

fn topic(reply: &ReadReply, memories: &[Memory], view: &View) -> String {
    let name = clean::line(&reply.topic);
    let total = usize::try_from(reply.total).unwrap_or(usize::MAX).max(memories.len());
    let entries: Vec<String> = memories
        .iter()
        .enumerate()
        .map(|(at, memory)| entry(format!("[{at}]"), memory, body(memory, &[]), view))
        .collect();
    let (text, shown) = pack(&entries, "\n\n");
    let answer = format!("{name}: {total} memories\n\n{text}");
    if shown == total {
        return answer;
    }
    let missing = total - shown;
    format!(
        "{answer}\n\n{missing} more; read topic={name} index={shown} shows the next, search topic={name} finds by words"
    )
}

fn entry(position: String, memory: &Memory, body: String, view: &View) -> String {
    let head = header([position, clean::line(&memory.handle), day(memory, view), nature(memory)]);
    [head, body, metadata(memory)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, long, utc};
    use super::*;

    #[test]
    fn one_memory_is_shown_whole() {
        let reply = ReadReply { memories: vec![arm64()], topic: String::new(), total: 1 };
        insta::assert_snapshot!(read(&reply, None, &utc()));
        let long = ReadReply { memories: vec![long("a/long", 30_000)], topic: String::new(), total: 1 };
        assert!(read(&long, None, &utc()).chars().count() > 30_000);
    }

    #[test]
    fn a_topic_numbers_its_memories() {
        let reply = ReadReply { memories: vec![arm64(), hostile()], topic: "build-gotchas".to_owned(), total: 2 };
        insta::assert_snapshot!(read(&reply, None, &utc()));
    }

    #[test]
    fn an_index_is_repeated() {
        let reply = ReadReply { memories: vec![arm64()], topic: "build-gotchas".to_owned(), total: 7 };
        assert!(read(&reply, Some(3), &utc()).starts_with("[3]  build-gotchas/arch-arm64-required  "));
    }

    #[test]
    fn a_large_topic_is_cut_and_says_how_to_go_on() {
        let memories = (0..20).map(|at| long(&format!("big/{at}"), 9_000)).collect();
        let text = read(&ReadReply { memories, topic: "big".to_owned(), total: 25 }, None, &utc());
        assert!(text.chars().count() < 21_000, "{}", text.chars().count());
        assert!(text.contains("cut at 4000 characters; read big/0 shows the rest"));
        assert!(text.ends_with("21 more; read topic=big index=4 shows the next, search topic=big finds by words"));
    }

    #[test]
    fn nothing_found_says_what_to_do() {
        insta::assert_snapshot!(
            read(&ReadReply::default(), None, &utc()),
            @"nothing is stored under that name; search finds memories by words"
        );
    }
}
