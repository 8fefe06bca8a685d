//! Hits, in six levels of detail.

use helix_client::v1::{Explanation, Hit, Memory, SearchReply};

use super::memory::{INDENT, body, cut, day, hashtags, header, metadata, nature, one_line, opening, short};
use super::pack::{pack, packed};
use super::{Detail, LINE_MAX_CHARS, View};
use crate::clean;

/// Body lines of a hit at medium detail.
const OPENING_LINES: usize = 2;

/// What was found, and how it is to be shown.
pub(crate) struct Found<'a> {
    /// The daemon's answer.
    pub(crate) reply: &'a SearchReply,
    /// What was asked.
    pub(crate) query: &'a str,
    /// Whether arguments narrow the search.
    pub(crate) is_filtered: bool,
    /// How much of each.
    pub(crate) detail: Detail,
    /// Whether to show why each matched.
    pub(crate) explain: bool,
}

/// Text of a reply to `search`.
pub(crate) fn found(found: &Found<'_>, view: &View) -> String {
    let hits = found.reply.hits.as_slice();
    let mut sections = notes(found.reply);
    let is_nothing = if found.detail.counts() { found.reply.total == 0 } else { hits.is_empty() };
    if is_nothing && found.detail != Detail::Count {
        sections.push(nothing(found));
        return sections.join("\n");
    }
    match found.detail {
        Detail::Count => sections.push(count(found.reply.total)),
        Detail::Topics => sections.push(topics(found.reply)),
        Detail::Grouped => sections.extend(grouped(found, hits, view)),
        Detail::Brief => sections.extend(listed(found, hits, "\n", |hit| brief(hit, view))),
        Detail::Medium => sections.extend(listed(found, hits, "\n", |hit| medium(hit, view))),
        Detail::Full => sections.extend(listed(found, hits, "\n\n", |hit| full(hit, view))),
    }
    sections.join("\n")
}

/// What the reader should know before the hits.
fn notes(reply: &SearchReply) -> Vec<String> {
    let fell_back = reply.fell_back_to_any && (reply.total > 0 || !reply.hits.is_empty());
    let first = fell_back.then(|| "no memory has all terms; showing any".to_owned());
    first.into_iter().chain(reply.notes.iter().map(|note| format!("note: {}", clean::line(note)))).collect()
}

fn nothing(found: &Found<'_>) -> String {
    let query = cut(&clean::line(found.query), LINE_MAX_CHARS);
    // A colon may mark a filter inside the query.
    let drop_filters = if found.is_filtered || query.contains(':') { ", drop filters" } else { "" };
    match (query.is_empty(), found.is_filtered) {
        (true, true) => "no memory passes these filters; drop one or widen the dates".to_owned(),
        (true, false) => "nothing is stored here yet; store what the next session should know".to_owned(),
        (false, _) => {
            format!("no memory matches \"{query}\"; try fewer or other words{drop_filters}, or scope=all")
        }
    }
}

/// Hits one after the other, as many as fit, and what is missing.
fn listed(
    found: &Found<'_>,
    hits: &[Hit],
    separator: &str,
    show: impl Fn(&Hit) -> String,
) -> impl Iterator<Item = String> {
    let blocks: Vec<String> = hits.iter().map(|hit| with_reason(show(hit), hit, found.explain)).collect();
    let (text, shown) = pack(&blocks, separator);
    std::iter::once(text).chain(missing(found, hits.len(), shown))
}

fn grouped(found: &Found<'_>, hits: &[Hit], view: &View) -> impl Iterator<Item = String> {
    let blocks: Vec<String> = by_topic(hits)
        .into_iter()
        .map(|(topic, hits)| {
            let lines = hits.iter().map(|hit| format!("{INDENT}{}", with_reason(brief(hit, view), hit, found.explain)));
            std::iter::once(format!("{topic} ({})", hits.len())).chain(lines).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let (text, shown) = pack(&blocks, "\n");
    let shown = by_topic(hits).iter().take(shown).map(|(_, hits)| hits.len()).sum();
    std::iter::once(text).chain(missing(found, hits.len(), shown))
}

/// How to see what is not shown. A cursor goes on behind the last hit of the answer, so that it is no help with hits that
/// were too long.
fn missing(found: &Found<'_>, wanted: usize, shown: usize) -> Option<String> {
    if shown < wanted {
        Some(format!("{} more found but too long to show; use detail=brief, or limit={shown} to page", wanted - shown))
    } else if found.reply.next_cursor.is_empty() {
        None
    } else {
        Some(format!(
            "more match; cursor={} with the same arguments shows the next, topic, tag or kind narrow them",
            clean::line(&found.reply.next_cursor)
        ))
    }
}

fn full(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    let matched = hit.explanation.as_ref().map(|why| why.matched_terms.as_slice()).unwrap_or_default();
    let parts = [head(memory, view, false), body(memory, matched), metadata(memory, view)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn medium(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    [head(memory, view, true), opening(memory, OPENING_LINES)].join("\n")
}

fn brief(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    one_line(memory, view)
}

fn head(memory: &Memory, view: &View, tags: bool) -> String {
    let tags = if tags { hashtags(memory) } else { String::new() };
    header([clean::line(&memory.handle), day(memory, view), nature(memory), tags])
}

fn with_reason(mut shown: String, hit: &Hit, explain: bool) -> String {
    if let (true, Some(why)) = (explain, &hit.explanation) {
        shown.push('\n');
        shown.push_str(INDENT);
        shown.push_str(&reason(hit.score, why));
    }
    shown
}

fn reason(score: f32, why: &Explanation) -> String {
    let words = (why.lexical_rank > 0).then(|| format!("words #{} ({:.2})", why.lexical_rank, why.lexical_score));
    let meaning =
        (why.semantic_rank > 0).then(|| format!("meaning #{} ({:.3})", why.semantic_rank, why.semantic_score));
    let factors = [
        ("confidence", why.confidence_factor),
        ("recency", why.recency_factor),
        ("importance", why.importance_factor),
        ("scope", why.scope_factor),
    ];
    let factors = factors.map(|(name, factor)| format!("{name} ×{}", short(factor)));
    let parts = words.into_iter().chain(meaning).chain([format!("fused {:.4}", why.fused)]).chain(factors);
    let text = format!("why: score {score:.3}: {}", parts.collect::<Vec<_>>().join(", "));
    if why.matched_terms.is_empty() {
        return text;
    }
    format!("{text}; terms: {}", clean::line(&why.matched_terms.join(", ")))
}

/// Topics in the order of their best hit.
fn by_topic(hits: &[Hit]) -> Vec<(String, Vec<&Hit>)> {
    let mut groups: Vec<(String, Vec<&Hit>)> = Vec::new();
    for hit in hits {
        let topic = clean::line(hit.memory.as_ref().map(|memory| memory.topic.as_str()).unwrap_or_default());
        match groups.iter_mut().find(|(name, _)| *name == topic) {
            Some((_, members)) => members.push(hit),
            None => groups.push((topic, vec![hit])),
        }
    }
    groups
}

fn topics(reply: &SearchReply) -> String {
    let lines: Vec<String> =
        reply.topic_counts.iter().map(|topic| format!("{} {}", clean::line(&topic.name), topic.count)).collect();
    packed(&lines, "\n", lines.len(), |missing| format!("{missing} more topics; narrow the query"))
}

fn count(total: u64) -> String {
    let noun = if total == 1 { "memory matches" } else { "memories match" };
    format!("{total} {noun}")
}

#[cfg(test)]
mod tests;
