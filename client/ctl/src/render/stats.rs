//! Counts of the strand.

use helix_client::v1::{IndexStatus, NamedCount, StatsReply};

use super::provider::model_usage;
use super::status::{index_header, index_row, size};
use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::one_line;
use crate::time::day;

/// Tags that the overview names.
const TAGS_SHOWN_MAX: usize = 12;

/// Writes the overview.
pub(crate) fn stats(look: Look, reply: &StatsReply) -> String {
    let fact = |name: &str, value: String| vec![Field::painted(Paint::Faint, name), value.into()];
    let span = match reply.memories {
        0 => "none".to_owned(),
        _ => format!(
            "{} to {}",
            day(reply.first_recorded_at_us),
            day(reply.last_recorded_at_us)
        ),
    };
    let shown = reply.tags.get(..TAGS_SHOWN_MAX).unwrap_or(&reply.tags);
    let hidden = reply.tags.len() - shown.len();
    let more = if hidden > 0 {
        format!(" and {hidden} more")
    } else {
        String::new()
    };
    let advice: Vec<String> = reply.advice.iter().map(|advice| one_line(advice)).collect();
    let mut facts = vec![
        fact("memories", reply.memories.to_string()),
        fact("topics", reply.topics.to_string()),
        fact("links", reply.links.to_string()),
        fact("recorded", span),
        fact("kinds", listed(&reply.kinds)),
        fact("scopes", listed(&reply.scopes)),
        fact("statuses", listed(&reply.statuses)),
        fact("origins", listed(&reply.origins)),
        fact("tags", listed(shown) + &more),
        fact(
            "store",
            format!("{}, sequence {}", size(reply.store_bytes), reply.sequence),
        ),
    ];
    if let Some(usage) = &reply.models {
        facts.push(fact("models", model_usage(usage)));
    }
    if !advice.is_empty() {
        facts.push(fact("advice", advice.join("; ")));
    }
    rows(look, &[], facts)
}

/// Writes every tag and how often it occurs.
pub(crate) fn tag_counts(look: Look, tags: &[NamedCount]) -> String {
    let row = |tag: &NamedCount| {
        vec![
            Field::painted(Paint::Name, one_line(&tag.name)),
            tag.count.to_string().into(),
        ]
    };
    rows(look, &["tag", "memories"], tags.iter().map(row).collect())
}

/// Writes the indexes and what they are made of.
pub(crate) fn index_detail(look: Look, reply: &StatsReply) -> String {
    let fact =
        |name: &str, value: u64| vec![Field::painted(Paint::Faint, name), value.to_string().into()];
    let parts = [
        ("sequence", reply.sequence),
        ("segments", reply.index_segments),
        ("tail", reply.index_tail),
        ("links", reply.links),
    ];
    indexes(look, &reply.indexes)
        + &rows(
            look,
            &[],
            parts.map(|(name, value)| fact(name, value)).into(),
        )
}

/// Writes the state of indexes.
pub(crate) fn indexes(look: Look, indexes: &[IndexStatus]) -> String {
    rows(
        look,
        index_header(look),
        indexes.iter().map(|index| index_row(look, index)).collect(),
    )
}

fn listed(counts: &[NamedCount]) -> String {
    let counts: Vec<String> = counts
        .iter()
        .map(|count| format!("{} {}", count.count, one_line(&count.name)))
        .collect();
    if counts.is_empty() {
        "none".to_owned()
    } else {
        counts.join(", ")
    }
}
