//! Hits, in six levels of detail, as many as fit, and how to get at the rest.

use helix_client::text::hits::{blocks, count};
use helix_client::v1::SearchReply;

use super::memory::cut;
use super::pack::{pack, packed};
use super::{Detail, LINE_MAX_CHARS, View};
use crate::clean;

/// The memories that were found, and how they are to be shown.
pub(crate) struct Found<'a> {
    /// The daemon's answer.
    pub(crate) reply: &'a SearchReply,
    /// The question.
    pub(crate) query: &'a str,
    /// True if arguments narrow the search.
    pub(crate) is_filtered: bool,
    /// How memories stood at the moment that was looked at; `None` for now.
    pub(crate) then: Option<&'static str>,
    /// How much of each.
    pub(crate) detail: Detail,
    /// True if to show why each matched.
    pub(crate) explain: bool,
}

/// Text of a reply to `search`.
pub(crate) fn found(found: &Found<'_>, view: &View) -> String {
    let hits = found.reply.hits.as_slice();
    let mut sections = notes(found.reply);
    let is_nothing = if found.detail.counts() {
        found.reply.total == 0
    } else {
        hits.is_empty()
    };
    if is_nothing && found.detail != Detail::Count {
        sections.push(nothing(found));
        return sections.join("\n");
    }
    match found.detail {
        Detail::Count => sections.push(count(found.reply.total)),
        Detail::Topics => sections.push(topics(found.reply)),
        Detail::Grouped | Detail::Brief | Detail::Medium | Detail::Full => {
            sections.extend(listed(found, view));
        }
    }
    sections.join("\n")
}

/// Returns what the reader should know before the hits.
fn notes(reply: &SearchReply) -> Vec<String> {
    let fell_back = reply.fell_back_to_any && (reply.total > 0 || !reply.hits.is_empty());
    let first = fell_back.then(|| "no memory has all terms; showing any".to_owned());
    first
        .into_iter()
        .chain(
            reply
                .notes
                .iter()
                .map(|note| format!("note: {}", clean::line(note))),
        )
        .collect()
}

fn nothing(found: &Found<'_>) -> String {
    let query = cut(&clean::line(found.query), LINE_MAX_CHARS);
    if let Some(then) = found.then {
        let matching = match query.as_str() {
            "" => String::new(),
            query => format!(" and matches \"{query}\""),
        };
        return format!(
            "there is no memory {then}{matching}; without as_of and valid_at the search is of now"
        );
    }
    // A colon may mark a filter inside the query.
    let drop_filters = if found.is_filtered || query.contains(':') {
        ", drop filters"
    } else {
        ""
    };
    match (query.is_empty(), found.is_filtered) {
        (true, true) => "no memory passes these filters; drop one or widen the dates".to_owned(),
        (true, false) => {
            "nothing is stored here yet; store what the next session should know".to_owned()
        }
        (false, _) => {
            format!(
                "no memory matches \"{query}\"; try fewer or other words{drop_filters}, or scope=all"
            )
        }
    }
}

/// Hits one after the other, as many as fit, and what is missing.
fn listed(found: &Found<'_>, view: &View) -> impl Iterator<Item = String> {
    let hits = found.reply.hits.as_slice();
    let blocks = blocks(found.reply, found.detail, found.explain, view);
    let texts: Vec<String> = blocks.iter().map(|block| block.text.clone()).collect();
    let (text, shown) = pack(&texts, found.detail.separator());
    let shown = blocks.iter().take(shown).map(|block| block.hits).sum();
    std::iter::once(text).chain(missing(found, hits.len(), shown))
}

/// How to see what is not shown. A cursor goes on behind the last hit of the answer, so that it is
/// no help with hits that were too long.
fn missing(found: &Found<'_>, wanted: usize, shown: usize) -> Option<String> {
    if shown < wanted {
        Some(format!(
            "{} more found but too long to show; use detail=brief, or limit={shown} to page",
            wanted - shown
        ))
    } else if found.reply.next_cursor.is_empty() {
        None
    } else {
        Some(format!(
            "more match; cursor={} with the same arguments shows the next, topic, tag or kind narrow them",
            clean::line(&found.reply.next_cursor)
        ))
    }
}

fn topics(reply: &SearchReply) -> String {
    let lines: Vec<String> = reply
        .topic_counts
        .iter()
        .map(|topic| format!("{} {}", clean::line(&topic.name), topic.count))
        .collect();
    packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more topics; narrow the query")
    })
}

#[cfg(test)]
mod tests;
