//! Outcome of an edit.

use helix_client::v1::{EditReply, Memory};

use super::memory::{INDENT, count_of, cut, hashtags, metadata, nature, one_line, short, summary};
use super::pack::packed;
use super::{LINE_MAX_CHARS, View};
use crate::clean;

/// Status of a memory that is neither forgotten nor superseded.
const ACTIVE: &str = "active";

/// How the daemon begins to say why nothing changed, which our own line has said.
const UNCHANGED: &str = "nothing changed: ";

/// What was to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Text was to be added.
    Append,
    /// Text was to be replaced.
    Revise,
    /// Memories were to be forgotten.
    Delete,
    /// Tags were to be changed.
    Tag,
    /// Fields were to be replaced.
    Set,
    /// A topic was to get another name.
    Rename,
    /// A topic's memories were to go to another.
    Merge,
    /// A memory was to become active again.
    Restore,
    /// Several memories were to be made of one.
    Split,
}

/// Text of a reply to `edit`; `asked` is the topic of the call.
pub(crate) fn edited(reply: &EditReply, change: Change, asked: &str, view: &View) -> String {
    let asked = cut(&clean::line(asked), LINE_MAX_CHARS);
    let outcome = match reply.memories.as_slice() {
        _ if !reply.candidates.is_empty() => return ambiguous(reply, change, &asked, view),
        _ if reply.changed == 0 => return unchanged(reply, &asked),
        [memory] if !matches!(change, Change::Rename | Change::Merge | Change::Split) => {
            one(memory, change, &asked, view)
        }
        memories => several(reply, memories, change, &asked, view),
    };
    let warnings = reply
        .warnings
        .iter()
        .map(|warning| format!("\nnote: {}", clean::line(warning)));
    std::iter::once(outcome).chain(warnings).collect()
}

/// What is so already is no failure; the daemon's words say why nothing changed.
fn unchanged(reply: &EditReply, asked: &str) -> String {
    let reasons = reply
        .warnings
        .iter()
        .map(|warning| clean::line(warning))
        .collect::<Vec<_>>()
        .join("; ");
    let reasons = reasons.replace(UNCHANGED, "");
    if reasons.is_empty() {
        format!("nothing changed in {asked}")
    } else {
        format!("nothing changed in {asked}: {reasons}")
    }
}

/// Several memories that could be meant. What is active needs no restoring, so it is not offered
/// for that.
fn ambiguous(reply: &EditReply, change: Change, asked: &str, view: &View) -> String {
    let EditReply {
        candidates,
        candidates_total: total,
        ..
    } = reply;
    let fits = |memory: &&Memory| change != Change::Restore || memory.status != ACTIVE;
    let lines: Vec<String> = candidates
        .iter()
        .filter(fits)
        .map(|memory| format!("{INDENT}{}", one_line(memory, view)))
        .collect();
    if lines.is_empty() {
        return format!(
            "nothing changed: all that {asked} fits is active; restore takes a topic or the handle of a deleted memory"
        );
    }
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{INDENT}{missing} more")
    });
    match total {
        0 => format!(
            "nothing changed: several memories could be meant; repeat with one of these handles as topic\n{list}"
        ),
        total => format!(
            "nothing changed: {total} memories could be meant, of which {} are shown; repeat with one of these handles as \
             topic, or with index or a longer match_str\n{list}",
            lines.len()
        ),
    }
}

fn one(memory: &Memory, change: Change, asked: &str, view: &View) -> String {
    let handle = clean::line(&memory.handle);
    let text = format!("{INDENT}{}", summary(memory));
    match change {
        Change::Append => format!(
            "appended to {handle} ({})\n{text}\n{INDENT}… now {}",
            nature(memory),
            lines(memory)
        ),
        Change::Revise => {
            let was = if asked.contains('/') && asked != handle {
                format!(", which {asked} names too")
            } else {
                String::new()
            };
            format!(
                "revised {handle}{was} ({}{})\n{text}",
                nature(memory),
                doubt(memory)
            )
        }
        Change::Delete => {
            format!("deleted {handle}; action=restore topic={handle} brings it back\n{text}")
        }
        Change::Tag if memory.tags.is_empty() => format!("tagged {handle}: it has no tags now"),
        Change::Tag => format!("tagged {handle}: {}", hashtags(memory)),
        Change::Set => format!(
            "set {handle} ({})\n{text}\n{}",
            nature(memory),
            metadata(memory, view)
        )
        .trim_end()
        .to_owned(),
        Change::Restore => format!("restored {handle} ({})\n{text}", nature(memory)),
        Change::Rename | Change::Merge | Change::Split => format!("changed {handle}\n{text}"),
    }
}

/// How far a memory is trusted, unless fully.
fn doubt(memory: &Memory) -> String {
    if memory.confidence < 1.0 {
        format!(", confidence {}", short(memory.confidence))
    } else {
        String::new()
    }
}

fn lines(memory: &Memory) -> String {
    count_of(clean::block(&memory.text).lines().count(), "line", "lines")
}

fn several(
    reply: &EditReply,
    memories: &[Memory],
    change: Change,
    asked: &str,
    view: &View,
) -> String {
    let changed = usize::try_from(reply.changed).unwrap_or(usize::MAX);
    let count = count_of(changed, "memory", "memories");
    let topic = clean::line(&reply.topic);
    match change {
        Change::Rename => return format!("renamed {asked} to {topic}: {count}"),
        Change::Merge => return format!("merged {asked} into {topic}: {count} moved"),
        Change::Append
        | Change::Revise
        | Change::Delete
        | Change::Tag
        | Change::Set
        | Change::Restore
        | Change::Split => {}
    }
    let head = match change {
        Change::Delete => format!(
            "deleted {count} of {asked}; action=restore topic={asked} all=true brings all back"
        ),
        Change::Restore => format!("restored {count} of {asked}"),
        Change::Split => format!("split {asked}; action=undo takes that back"),
        Change::Append
        | Change::Revise
        | Change::Tag
        | Change::Set
        | Change::Rename
        | Change::Merge => {
            format!("changed {count} of {asked}")
        }
    };
    let lines: Vec<String> = memories
        .iter()
        .map(|memory| format!("{INDENT}{}", one_line(memory, view)))
        .collect();
    if lines.is_empty() {
        return head;
    }
    let list = packed(&lines, "\n", changed, |missing| {
        format!("{INDENT}{missing} more, not listed")
    });
    format!("{head}\n{list}")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, utc};
    use super::*;

    const CHANGES: [Change; 9] = [
        Change::Append,
        Change::Revise,
        Change::Delete,
        Change::Tag,
        Change::Set,
        Change::Rename,
        Change::Merge,
        Change::Restore,
        Change::Split,
    ];

    fn reply(memories: Vec<Memory>) -> EditReply {
        let changed = u32::try_from(memories.len()).unwrap_or_default();
        EditReply {
            memories,
            changed,
            topic: "building".to_owned(),
            ..EditReply::default()
        }
    }

    #[test]
    fn each_change_says_what_is_there_now() {
        let texts =
            CHANGES.map(|change| edited(&reply(vec![arm64()]), change, "build-gotchas", &utc()));
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn a_whole_topic_is_listed() {
        let mut deleted = reply(vec![arm64(), hostile()]);
        deleted.changed = 130;
        deleted.warnings = vec!["3 links pointed\nat them".to_owned()];
        insta::assert_snapshot!(edited(&deleted, Change::Delete, "web", &utc()));
    }

    #[test]
    fn what_was_restored_is_said_so() {
        let restored = EditReply {
            changed: 2_000,
            ..reply(vec![arm64(), hostile()])
        };
        let told = edited(&restored, Change::Restore, "big", &utc());
        assert!(
            told.starts_with("restored 2000 memories of big\n"),
            "{told}"
        );
    }

    #[test]
    fn several_candidates_change_nothing() {
        let unclear = EditReply {
            candidates: vec![arm64(), hostile()],
            ..EditReply::default()
        };
        insta::assert_snapshot!(edited(&unclear, Change::Revise, "web", &utc()));
        assert_eq!(
            edited(&EditReply::default(), Change::Tag, "web", &utc()),
            "nothing changed in web"
        );
        let many = edited(
            &EditReply {
                candidates_total: 14,
                ..unclear
            },
            Change::Delete,
            "web",
            &utc(),
        );
        assert!(
            many.starts_with(
                "nothing changed: 14 memories could be meant, of which 2 are shown; repeat"
            ),
            "{many}"
        );
    }
}
