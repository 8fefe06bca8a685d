//! Counts.

use helix_client::v1::{NamedCount, ReindexReply, StatsReply};

use super::super::View;
use super::super::memory::{count_of, size};
use super::super::pack::packed;
use super::index_line;
use crate::{clean, dates};

/// Tags in the overview.
const TAGS_SHOWN: usize = 15;

/// Other names in one line of the overview.
const NAMES_SHOWN: usize = 30;

/// What to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsDetail {
    /// A bit of everything.
    Overview,
    /// All tags.
    Tags,
    /// The indexes.
    Index,
}

/// Text of a reply to `stats`.
pub(crate) fn stats(reply: &StatsReply, detail: StatsDetail, view: &View) -> String {
    match detail {
        StatsDetail::Overview => overview(reply, view),
        StatsDetail::Tags => tags(reply),
        StatsDetail::Index => index(reply),
    }
}

/// Text of a reply to `reindex`.
pub(crate) fn reindexed(reply: &ReindexReply) -> String {
    let seconds = std::time::Duration::from_micros(reply.elapsed_us).as_secs_f64();
    let head = format!(
        "indexed {} in {seconds:.2} s",
        count_of(reply.memories, "memory", "memories")
    );
    std::iter::once(head)
        .chain(reply.indexes.iter().map(index_line))
        .collect::<Vec<_>>()
        .join("\n")
}

fn overview(reply: &StatsReply, view: &View) -> String {
    let memories = usize::try_from(reply.memories).unwrap_or(usize::MAX);
    let topics = usize::try_from(reply.topics).unwrap_or(usize::MAX);
    let head = format!(
        "{}, {}",
        count_of(memories, "memory", "memories"),
        count_of(topics, "topic", "topics")
    );
    let days = if reply.memories == 0 {
        "; store makes the first".to_owned()
    } else {
        let day = |at| dates::day_of(at, &view.zone);
        format!(
            ", {} to {}",
            day(reply.first_recorded_at_us),
            day(reply.last_recorded_at_us)
        )
    };
    let lists = [
        ("kinds", &reply.kinds, NAMES_SHOWN, ""),
        ("scopes", &reply.scopes, NAMES_SHOWN, ""),
        ("status", &reply.statuses, NAMES_SHOWN, ""),
        ("origins", &reply.origins, NAMES_SHOWN, ""),
        ("tags", &reply.tags, TAGS_SHOWN, "; detail=tags shows all"),
    ];
    let lists = lists
        .into_iter()
        .filter(|(_, counts, ..)| !counts.is_empty());
    let lists =
        lists.map(|(name, counts, most, rest)| format!("{name}: {}", named(counts, most, rest)));
    let tail = format!(
        "links: {}; store: {}; sequence: {}",
        reply.links,
        size(reply.store_bytes),
        reply.sequence
    );
    let advice = reply
        .advice
        .iter()
        .map(|advice| format!("advice: {}", clean::line(advice)));
    std::iter::once(head + &days)
        .chain(lists)
        .chain([tail])
        .chain(advice)
        .collect::<Vec<_>>()
        .join("\n")
}

fn named(counts: &[NamedCount], most: usize, rest: &str) -> String {
    let shown = counts
        .iter()
        .take(most)
        .map(one)
        .collect::<Vec<_>>()
        .join(", ");
    match counts.len().saturating_sub(most) {
        0 => shown,
        missing => format!("{shown}, … {missing} more{rest}"),
    }
}

fn one(count: &NamedCount) -> String {
    format!("{} {}", clean::line(&count.name), count.count)
}

fn tags(reply: &StatsReply) -> String {
    if reply.tags.is_empty() {
        return "there are no tags".to_owned();
    }
    let tags: Vec<String> = reply.tags.iter().map(one).collect();
    let list = packed(&tags, ", ", tags.len(), |missing| {
        format!("… {missing} rarer ones")
    });
    format!("{}: {list}", count_of(tags.len(), "tag", "tags"))
}

fn index(reply: &StatsReply) -> String {
    let head = format!(
        "sequence {}; word index: {} segments, {} memories not yet in one",
        reply.sequence, reply.index_segments, reply.index_tail
    );
    let is_well = reply.indexes.iter().all(|index| index.problem.is_empty());
    let advice = (!is_well).then(|| "action=reindex makes them anew".to_owned());
    std::iter::once(head)
        .chain(reply.indexes.iter().map(index_line))
        .chain(advice)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use helix_client::v1::IndexStatus;

    use super::super::super::samples::{RECORDED_AT_US, utc};
    use super::*;

    fn counts<const N: usize>(counts: [(&str, u64); N]) -> Vec<NamedCount> {
        counts
            .map(|(name, count)| NamedCount {
                name: name.to_owned(),
                count,
            })
            .to_vec()
    }

    fn indexes(problem: &str) -> Vec<IndexStatus> {
        let index = |name: &str, problem: &str| IndexStatus {
            name: name.to_owned(),
            watermark: 2_345,
            entries: 1_234,
            problem: problem.to_owned(),
        };
        vec![index("lexical", ""), index("vectors", problem)]
    }

    fn reply() -> StatsReply {
        StatsReply {
            memories: 1_234,
            topics: 56,
            first_recorded_at_us: RECORDED_AT_US - 86_400_000_000,
            last_recorded_at_us: RECORDED_AT_US,
            tags: (0..40)
                .map(|at| NamedCount {
                    name: format!("tag-{at}"),
                    count: 40 - at,
                })
                .collect(),
            kinds: counts([("fact", 700), ("gotcha", 200)]),
            scopes: counts([("project:0123abcd", 900), ("global", 334)]),
            statuses: counts([("active", 1_200), ("superseded", 34)]),
            origins: counts([("agent", 1_234)]),
            indexes: indexes("no model"),
            store_bytes: 12_900_000,
            sequence: 2_345,
            index_segments: 3,
            index_tail: 12,
            links: 45,
            advice: vec![
                "3 memories repeat another's text: compact lists and merges them".to_owned(),
            ],
            models: None,
        }
    }

    #[test]
    fn an_overview_is_one_block() {
        insta::assert_snapshot!(stats(&reply(), StatsDetail::Overview, &utc()));
        insta::assert_snapshot!(stats(&StatsReply::default(), StatsDetail::Overview, &utc()), @r"
        0 memories, 0 topics; store makes the first
        links: 0; store: 0 bytes; sequence: 0
        ");
    }

    #[test]
    fn all_tags_are_shown_when_asked_for() {
        let text = stats(&reply(), StatsDetail::Tags, &utc());
        assert!(text.starts_with("40 tags: tag-0 40, tag-1 39, "), "{text}");
        assert!(text.ends_with(", tag-39 1"), "{text}");
    }

    #[test]
    fn indexes_say_how_they_are() {
        insta::assert_snapshot!(stats(&reply(), StatsDetail::Index, &utc()), @r"
        sequence 2345; word index: 3 segments, 12 memories not yet in one
          lexical: 1234 entries, at sequence 2345, healthy
          vectors: 1234 entries, at sequence 2345, no model
        action=reindex makes them anew
        ");
        let reply = ReindexReply {
            memories: 1_234,
            elapsed_us: 812_000,
            indexes: indexes(""),
        };
        insta::assert_snapshot!(reindexed(&reply), @r"
        indexed 1234 memories in 0.81 s
          lexical: 1234 entries, at sequence 2345, healthy
          vectors: 1234 entries, at sequence 2345, healthy
        ");
    }
}
