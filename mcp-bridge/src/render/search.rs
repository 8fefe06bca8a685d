//! Hits, in six levels of detail.

use helix_client::limits::SEARCH_LIMIT_MAX;
use helix_client::v1::{Explanation, Hit, Memory, SearchReply};

use super::memory::{INDENT, body, day, hashtags, header, metadata, nature, opening, short, summary};
use super::pack::pack;
use super::{Detail, LINE_MAX_CHARS, View};
use crate::clean;
use crate::render::memory::cut;

/// Body lines of a hit at medium detail.
const OPENING_LINES: usize = 2;

/// Hits of one topic that the daemon returns when hits come from several; a topic with as many may have more.
const TOPIC_HITS_MAX: usize = 3;

/// What was found, and how it is to be shown.
pub(crate) struct Found<'a> {
    /// The daemon's answer, with one hit more than `limit` when there are more.
    pub(crate) reply: &'a SearchReply,
    /// What was asked.
    pub(crate) query: &'a str,
    /// Most hits to show.
    pub(crate) limit: usize,
    /// How much of each.
    pub(crate) detail: Detail,
    /// Whether to show why each matched.
    pub(crate) explain: bool,
}

/// Text of a reply to `search`.
pub(crate) fn found(found: &Found<'_>, view: &View) -> String {
    let hits = found.reply.hits.get(..found.limit).unwrap_or(&found.reply.hits);
    let mut sections = notes(found.reply);
    if hits.is_empty() && found.detail != Detail::Count {
        sections.push(nothing(found.query));
        return sections.join("\n");
    }
    match found.detail {
        Detail::Count => sections.push(count(hits)),
        Detail::Topics => sections.push(topics(hits)),
        Detail::Grouped => sections.extend(grouped(found, hits, view)),
        Detail::Brief => sections.extend(listed(found, hits, "\n", |hit| brief(hit, view))),
        Detail::Medium => sections.extend(listed(found, hits, "\n", |hit| medium(hit, view))),
        Detail::Full => sections.extend(listed(found, hits, "\n\n", |hit| full(hit, view))),
    }
    sections.join("\n")
}

/// What the reader should know before the hits.
fn notes(reply: &SearchReply) -> Vec<String> {
    let fell_back = reply.fell_back_to_any && !reply.hits.is_empty();
    let first = fell_back.then(|| "no memory has all terms; showing any".to_owned());
    first.into_iter().chain(reply.notes.iter().map(|note| format!("note: {}", clean::line(note)))).collect()
}

fn nothing(query: &str) -> String {
    let query = cut(&clean::line(query), LINE_MAX_CHARS);
    if query.is_empty() {
        "no memory passes these filters; drop one or widen the dates".to_owned()
    } else {
        format!("no memory matches \"{query}\"; try fewer or other words, drop filters, or scope=all")
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

fn missing(found: &Found<'_>, wanted: usize, shown: usize) -> Option<String> {
    if shown < wanted {
        Some(format!("{} more found but too long to show; use detail=brief or a narrower query", wanted - shown))
    } else if found.reply.hits.len() > found.limit {
        Some(format!(
            "more match; limit={} shows further ones, topic, tag or kind narrow them",
            next_limit(found.limit)
        ))
    } else {
        None
    }
}

fn next_limit(limit: usize) -> usize {
    (limit * 2).min(SEARCH_LIMIT_MAX as usize)
}

fn full(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    let matched = hit.explanation.as_ref().map(|why| why.matched_terms.as_slice()).unwrap_or_default();
    let parts = [head(memory, hit.score, view, false), body(memory, matched), metadata(memory)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn medium(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    [head(memory, hit.score, view, true), opening(memory, OPENING_LINES)].join("\n")
}

fn brief(hit: &Hit, view: &View) -> String {
    let Some(memory) = &hit.memory else { return String::new() };
    header([clean::line(&memory.handle), day(memory, view), summary(memory), hashtags(memory)])
}

fn head(memory: &Memory, score: f32, view: &View, tags: bool) -> String {
    header([
        format!("[{}] {}", clean::line(&memory.topic), clean::line(&memory.handle)),
        day(memory, view),
        nature(memory),
        if tags { hashtags(memory) } else { String::new() },
        format!("{score:.3}"),
    ])
}

fn with_reason(mut shown: String, hit: &Hit, explain: bool) -> String {
    if let (true, Some(why)) = (explain, &hit.explanation) {
        shown.push('\n');
        shown.push_str(INDENT);
        shown.push_str(&reason(why));
    }
    shown
}

fn reason(why: &Explanation) -> String {
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
    let text = format!("why: {}", parts.collect::<Vec<_>>().join(", "));
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

/// Whether a topic with this many hits may have more that the daemon held back for diversity.
fn may_have_more(members: usize, groups: usize) -> bool {
    groups > 1 && members >= TOPIC_HITS_MAX
}

fn topics(hits: &[Hit]) -> String {
    let mut groups = by_topic(hits);
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let all = groups.len();
    let line = |(topic, members): &(String, Vec<&Hit>)| {
        let plus = if may_have_more(members.len(), all) { "+" } else { "" };
        format!("{topic} {}{plus}", members.len())
    };
    let mut text = groups.iter().map(line).collect::<Vec<_>>().join("\n");
    if hits.len() >= SEARCH_LIMIT_MAX as usize {
        text.push_str("\nmore match; narrow the query");
    }
    text
}

fn count(hits: &[Hit]) -> String {
    let groups = by_topic(hits);
    let is_floor = hits.len() >= SEARCH_LIMIT_MAX as usize
        || groups.iter().any(|(_, members)| may_have_more(members.len(), groups.len()));
    let noun = if hits.len() == 1 { "memory matches" } else { "memories match" };
    format!("{}{} {noun}", if is_floor { "at least " } else { "" }, hits.len())
}

#[cfg(test)]
mod tests;
