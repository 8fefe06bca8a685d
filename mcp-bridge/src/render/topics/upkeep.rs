//! Idle topics and near duplicates.

use helix_client::text::clean;
use helix_client::v1::{CompactReply, DuplicatePair, PruneReply};

use super::super::View;
use super::super::memory::{count_of, one_line, size};
use super::super::pack::packed;
use super::topic_line;

/// Text of a reply to `prune`: the oldest first.
pub(crate) fn prune(reply: &PruneReply, view: &View) -> String {
    let days = count_of(reply.days as usize, "day", "days");
    if reply.topics.is_empty() {
        return format!("no topic went {days} without a change");
    }
    let lines: Vec<String> = reply
        .topics
        .iter()
        .map(|topic| topic_line(topic, view))
        .collect();
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more topics; more days narrow them")
    });
    format!(
        "{} without a change in {days}; nothing was deleted\n{list}\nread one before you edit action=delete all=true or \
         action=merge it: old is not wrong",
        count_of(lines.len(), "topic", "topics")
    )
}

/// A reply to `compact`, and what was asked.
pub(crate) struct Compacted<'a> {
    /// The daemon's answer.
    pub(crate) reply: &'a CompactReply,
    /// True if it was to be done and not only reported.
    pub(crate) apply: bool,
    /// True if the files were to be compacted.
    pub(crate) log: bool,
    /// True if times were to be repaired.
    pub(crate) migrate: bool,
}

/// Text of a reply to `compact`.
pub(crate) fn compacted(compacted: &Compacted<'_>, view: &View) -> String {
    let reply = compacted.reply;
    let mut sections = Vec::new();
    if compacted.migrate {
        sections.push(repaired(reply.repaired, compacted.apply));
    }
    if !compacted.migrate || !reply.pairs.is_empty() || !reply.similar.is_empty() {
        sections.push(pairs(reply, compacted.apply, view));
    }
    if compacted.log {
        sections.push(files(reply, compacted.apply));
    }
    sections.extend(
        reply
            .notes
            .iter()
            .map(|note| format!("note: {}", clean::line(note))),
    );
    sections.join("\n")
}

fn repaired(count: u32, apply: bool) -> String {
    let memories = count_of(count as usize, "memory", "memories");
    match (count, apply) {
        (0, _) => "no memory's time is missing or lies in the future".to_owned(),
        (_, true) => format!("repaired the times of {memories}"),
        (_, false) => format!(
            "{memories} with a time that is missing or lies in the future; apply=true repairs them"
        ),
    }
}

fn pairs(reply: &CompactReply, apply: bool, view: &View) -> String {
    let similar = similar(reply, view);
    if reply.pairs.is_empty() && reply.merged == 0 {
        let none = if similar.is_empty() {
            "no near-duplicates"
        } else {
            "no two memories say the same"
        };
        return [none, &similar]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n");
    }
    let head = if apply {
        format!(
            "merged {}; edit action=restore topic=<handle> undoes one",
            pair_count(reply.merged as usize)
        )
    } else {
        format!(
            "{} saying the same; apply=true keeps the newer of each",
            pair_count(reply.pairs.len())
        )
    };
    let blocks: Vec<String> = reply
        .pairs
        .iter()
        .map(|one| pair(one, ["keep", "drop"], view))
        .collect();
    let list = packed(&blocks, "\n", blocks.len(), |missing| {
        format!("{missing} more pairs; scope narrows them")
    });
    [head, list, similar]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns what is only alike, and what to do about it; empty without any.
fn similar(reply: &CompactReply, view: &View) -> String {
    if reply.similar.is_empty() {
        return String::new();
    }
    let blocks: Vec<String> = reply
        .similar
        .iter()
        .map(|one| pair(one, ["new ", "old "], view))
        .collect();
    let list = packed(&blocks, "\n", blocks.len(), |missing| {
        format!("{missing} more pairs; scope narrows them")
    });
    let count = pair_count(blocks.len());
    format!(
        "{count} similar, not merged; where two say the same, edit action=delete the one you can spare\n{list}"
    )
}

fn pair_count(count: usize) -> String {
    count_of(count, "pair", "pairs")
}

fn pair(pair: &DuplicatePair, [one, other]: [&str; 2], view: &View) -> String {
    let kept = pair
        .kept
        .as_ref()
        .map(|memory| one_line(memory, view))
        .unwrap_or_default();
    let duplicate = pair
        .duplicate
        .as_ref()
        .map(|memory| one_line(memory, view))
        .unwrap_or_default();
    format!(
        "{:.2}  {one}  {kept}\n      {other}  {duplicate}",
        pair.similarity
    )
}

fn files(reply: &CompactReply, apply: bool) -> String {
    if !apply {
        return format!(
            "files: {}, untouched; apply=true rewrites them",
            size(reply.bytes_before)
        );
    }
    format!(
        "files: {} before, {} now",
        size(reply.bytes_before),
        size(reply.bytes_after)
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::{arm64, hostile, topic, utc};
    use super::*;

    fn shown(reply: &CompactReply, apply: bool, log: bool, migrate: bool) -> String {
        compacted(
            &Compacted {
                reply,
                apply,
                log,
                migrate,
            },
            &utc(),
        )
    }

    #[test]
    fn idle_topics_are_only_reported() {
        let reply = PruneReply {
            topics: vec![topic("old", 3), topic("older", 1)],
            days: 30,
        };
        insta::assert_snapshot!(prune(&reply, &utc()));
        let none = PruneReply {
            days: 90,
            ..PruneReply::default()
        };
        assert_eq!(
            prune(&none, &utc()),
            "no topic went 90 days without a change"
        );
    }

    #[test]
    fn compacting_reports_before_it_acts() {
        let pair = DuplicatePair {
            kept: Some(arm64()),
            duplicate: Some(hostile()),
            similarity: 0.834,
        };
        let found = CompactReply {
            pairs: vec![pair],
            ..CompactReply::default()
        };
        let done = CompactReply {
            merged: 1,
            bytes_before: 12_900_000,
            bytes_after: 900,
            repaired: 2,
            ..found.clone()
        };
        let texts = [
            shown(&found, false, false, false),
            shown(
                &CompactReply {
                    bytes_before: 5_273_429,
                    ..found.clone()
                },
                false,
                true,
                false,
            ),
            shown(&done, true, true, false),
            shown(
                &CompactReply {
                    similar: found.pairs.clone(),
                    ..found.clone()
                },
                false,
                false,
                false,
            ),
            shown(
                &CompactReply {
                    similar: found.pairs,
                    ..CompactReply::default()
                },
                true,
                false,
                false,
            ),
            shown(
                &CompactReply {
                    repaired: 2,
                    ..CompactReply::default()
                },
                false,
                false,
                true,
            ),
            shown(
                &CompactReply {
                    repaired: 2,
                    ..CompactReply::default()
                },
                true,
                false,
                true,
            ),
            shown(&CompactReply::default(), true, false, true),
            shown(&CompactReply::default(), true, false, false),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }
}
