//! What there is.

use helix_client::v1::{
    CrossReference, CrossReferencesReply, ListTopicsReply, Memory, RecentReply,
};

use super::super::memory::{count_of, cut, hashtags, header, one_line, stale_mark, summary};
use super::super::pack::packed;
use super::super::{LINE_MAX_CHARS, View};
use super::topic_line;
use crate::{clean, dates};

/// Text of a reply to `list`, by name.
pub(crate) fn topic_list(reply: &ListTopicsReply, pattern: &str, view: &View) -> String {
    if reply.topics.is_empty() {
        let pattern = cut(&clean::line(pattern), LINE_MAX_CHARS);
        return if pattern.is_empty() {
            "there are no topics yet; store makes one".to_owned()
        } else {
            format!("no topic matches \"{pattern}\"; leave out focus to see all")
        };
    }
    let memories: u64 = reply
        .topics
        .iter()
        .map(|topic| u64::from(topic.memories))
        .sum();
    let lines: Vec<String> = reply
        .topics
        .iter()
        .map(|topic| topic_line(topic, view))
        .collect();
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more topics; focus=\"a*\" narrows them")
    });
    let memories = count_of(memories, "memory", "memories");
    format!(
        "{}, {memories}\n{list}",
        count_of(lines.len(), "topic", "topics")
    )
}

/// Text of a reply to `recent`: the newest first.
pub(crate) fn recent(reply: &RecentReply, hours: u32, view: &View) -> String {
    let span = span(hours);
    if reply.memories.is_empty() {
        return format!("nothing was stored in the last {span}; give more days");
    }
    let lines: Vec<String> = reply
        .memories
        .iter()
        .map(|memory| recent_line(memory, view))
        .collect();
    let total = usize::try_from(reply.total)
        .unwrap_or(usize::MAX)
        .max(lines.len());
    let list = packed(&lines, "\n", total, |missing| {
        format!(
            "{missing} older ones; fewer hours narrow it, search hours={hours} pages through all"
        )
    });
    format!(
        "{} in the last {span}\n{list}",
        count_of(total, "memory", "memories")
    )
}

fn span(hours: u32) -> String {
    let (days, rest) = (hours / 24, hours % 24);
    match (days, rest, hours) {
        (1, 0, _) => "day".to_owned(),
        (_, 0, _) => format!("{days} days"),
        (_, _, 1) => "hour".to_owned(),
        (_, _, _) => format!("{hours} hours"),
    }
}

fn recent_line(memory: &Memory, view: &View) -> String {
    let minute = dates::minute_of(memory.recorded_at_us, &view.zone);
    header([
        minute,
        clean::line(&memory.handle),
        summary(memory),
        stale_mark(memory),
        hashtags(memory),
    ])
}

/// Text of a reply to `xref`.
pub(crate) fn cross_references(reply: &CrossReferencesReply, topic: &str, view: &View) -> String {
    let topic = cut(&clean::line(topic), LINE_MAX_CHARS);
    if reply.references.is_empty() {
        return format!("no other topic mentions {topic} or links to it");
    }
    let lines: Vec<String> = reply
        .references
        .iter()
        .map(|reference| reference_line(reference, view))
        .collect();
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more; search {topic} finds them by words")
    });
    format!(
        "{} of other topics about {topic}\n{list}",
        count_of(lines.len(), "memory", "memories")
    )
}

fn reference_line(reference: &CrossReference, view: &View) -> String {
    let memory = reference
        .memory
        .as_ref()
        .map(|memory| one_line(memory, view))
        .unwrap_or_default();
    let how = match (reference.mentions, reference.links) {
        (true, true) => "mentions, links",
        (true, false) => "mentions",
        (false, _) => "links",
    };
    format!("{memory}  ({how})")
}

#[cfg(test)]
mod tests {
    use helix_client::v1::TopicEntry;

    use super::super::super::samples::{arm64, hostile, topic, utc};
    use super::*;

    #[test]
    fn topics_are_listed() {
        let reply = ListTopicsReply {
            topics: vec![topic("build-gotchas", 12), topic("we\u{200b}b", 1)],
        };
        insta::assert_snapshot!(topic_list(&reply, "", &utc()), @r"
        2 topics, 13 memories
        build-gotchas (12)  2026-11-21
        web (1)  2026-11-21
        ");
        let none = ListTopicsReply::default();
        insta::assert_snapshot!(topic_list(&none, "", &utc()), @"there are no topics yet; store makes one");
        insta::assert_snapshot!(
            topic_list(&none, "iris-*", &utc()),
            @r#"no topic matches "iris-*"; leave out focus to see all"#
        );
    }

    #[test]
    fn many_topics_are_cut() {
        let topics: Vec<TopicEntry> = (0..2_000)
            .map(|at| topic(&format!("topic-{at:04}"), 1))
            .collect();
        let text = topic_list(&ListTopicsReply { topics }, "", &utc());
        assert!(text.chars().count() < 20_200);
        assert!(
            text.ends_with(" more topics; focus=\"a*\" narrows them"),
            "{}",
            text.len()
        );
    }

    #[test]
    fn the_newest_memories_are_listed_with_their_time() {
        let reply = RecentReply {
            memories: vec![arm64(), hostile()],
            total: 40,
        };
        insta::assert_snapshot!(recent(&reply, 7 * 24, &utc()));
        insta::assert_snapshot!(
            recent(&RecentReply::default(), 3, &utc()),
            @"nothing was stored in the last 3 hours; give more days"
        );
        assert_eq!(
            [1, 2, 24, 25, 48].map(span),
            ["hour", "2 hours", "day", "25 hours", "2 days"]
        );
    }

    #[test]
    fn references_say_how() {
        let reference = |memory, mentions, links| CrossReference {
            memory: Some(memory),
            mentions,
            links,
        };
        let references = vec![
            reference(arm64(), true, true),
            reference(hostile(), false, true),
        ];
        insta::assert_snapshot!(cross_references(
            &CrossReferencesReply { references },
            "ci",
            &utc()
        ));
        insta::assert_snapshot!(
            cross_references(&CrossReferencesReply::default(), "ci", &utc()),
            @"no other topic mentions ci or links to it"
        );
    }
}
