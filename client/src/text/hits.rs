//! Hits of a search, in six levels of detail.

use helix_proto::limits::OPENING_MAX_LINES;
use helix_proto::v1::{FoundBy, Hit, Memory, Moment, SearchReply};

use super::memory::{
    INDENT, body, contradiction, day, doubt, hashtags, header, marked_line, metadata, nature,
    opening, said_in, stale_mark,
};
use super::reason::reason;
use super::{View, clean};

/// Marks a hit that lacks the words.
const NEAR: &str = "near in meaning";

/// How much of each hit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Header and two lines.
    Medium,
    /// Everything.
    Full,
    /// One line.
    Brief,
    /// One line, by topic.
    Grouped,
    /// Topics with their number of hits.
    Topics,
    /// The number of hits.
    Count,
}

impl Detail {
    /// Whether hits are counted and not shown.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Self::Topics | Self::Count)
    }

    /// What stands between two blocks.
    #[must_use]
    pub fn separator(self) -> &'static str {
        if self == Self::Full { "\n\n" } else { "\n" }
    }
}

/// Hits that are shown together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// How they look.
    pub text: String,
    /// How many they are.
    pub hits: usize,
}

/// Writes hits, best first: each for itself, or those of a topic together. `explain` adds why each
/// matched.
#[must_use]
pub fn blocks(reply: &SearchReply, detail: Detail, explain: bool, view: &View) -> Vec<Block> {
    let hits = reply.hits.as_slice();
    let alone = |show: fn(&Memory, &Hit, &View) -> String| {
        let block = |(at, hit): (usize, &Hit)| Block {
            text: shown(hit, explain, view, show) + &order(hits, at, explain),
            hits: 1,
        };
        hits.iter().enumerate().map(block).collect()
    };
    match detail {
        Detail::Medium => alone(medium),
        Detail::Full => alone(full),
        Detail::Brief => alone(brief),
        Detail::Grouped => grouped(reply, explain, view),
        Detail::Topics | Detail::Count => Vec::new(),
    }
}

/// Writes how many memories fit.
#[must_use]
pub fn count(total: u64) -> String {
    let noun = if total == 1 {
        "memory matches"
    } else {
        "memories match"
    };
    format!("{total} {noun}")
}

/// Says why one of the hits, in their order, stands behind one that scores less; empty where it
/// does not.
#[must_use]
pub fn behind(hits: &[Hit], at: usize) -> &'static str {
    let (Some(hit), Some(before)) = (hits.get(at), hits.get(..at)) else {
        return "";
    };
    if before.iter().all(|other| other.score >= hit.score) {
        return "";
    }
    match hit.found_by() {
        FoundBy::Relation => "behind what was found itself",
        FoundBy::Meaning => "behind what has the words",
        _ => "behind what has all of the words",
    }
}

fn order(hits: &[Hit], at: usize, explain: bool) -> String {
    match behind(hits, at) {
        why if explain && !why.is_empty() => format!("; {why}"),
        _ => String::new(),
    }
}

fn shown(
    hit: &Hit,
    explain: bool,
    view: &View,
    show: fn(&Memory, &Hit, &View) -> String,
) -> String {
    let text = hit
        .memory
        .as_ref()
        .map(|memory| show(memory, hit, view))
        .unwrap_or_default();
    match &hit.explanation {
        Some(why) if explain => format!("{text}\n{INDENT}why: {}", reason(hit.score, why)),
        _ => text,
    }
}

fn full(memory: &Memory, hit: &Hit, view: &View) -> String {
    let matched = hit
        .explanation
        .as_ref()
        .map(|why| why.matched_words.as_slice())
        .unwrap_or_default();
    let parts = [
        head(memory, hit, view, false),
        body(memory, matched),
        also_in(hit)
            .map(|copies| format!("{INDENT}{copies}"))
            .unwrap_or_default(),
        metadata(memory, view),
    ];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn medium(memory: &Memory, hit: &Hit, view: &View) -> String {
    let passage = clean::line(&hit.passage);
    let shown = if passage.is_empty() {
        opening(memory, OPENING_MAX_LINES)
    } else {
        format!("{INDENT}{passage}")
    };
    [head(memory, hit, view, true), shown].join("\n")
}

fn brief(memory: &Memory, hit: &Hit, view: &View) -> String {
    let marks = lacking(hit)
        .map(str::to_owned)
        .into_iter()
        .chain(also_in(hit));
    let marks: Vec<String> = marks.map(|mark| format!("({mark})")).collect();
    marked_line(memory, view, header([marks.join(" "), stale_mark(memory)]))
}

/// What a hit has instead of the words that were looked for; `None` when it has them.
#[must_use]
pub fn lacking(hit: &Hit) -> Option<&'static str> {
    match hit.found_by() {
        FoundBy::Meaning => Some(NEAR),
        FoundBy::SomeWords => Some("some of the words"),
        FoundBy::Far => Some("far"),
        FoundBy::Relation => Some("related to a hit"),
        FoundBy::Unspecified | FoundBy::Words | FoundBy::Both => None,
    }
}

/// Names the other memories that say what a hit says; `None` where none does.
#[must_use]
pub fn also_in(hit: &Hit) -> Option<String> {
    let named: Vec<String> = hit
        .also_in
        .iter()
        .map(|handle| clean::line(handle))
        .collect();
    let others = (hit.copies as usize).saturating_sub(named.len());
    match (named.is_empty(), others) {
        (true, 0) => None,
        (true, others) => Some(format!("also in {others} more")),
        (false, 0) => Some(format!("also in {}", named.join(", "))),
        (false, others) => Some(format!("also in {} and {others} more", named.join(", "))),
    }
}

fn grouped(reply: &SearchReply, explain: bool, view: &View) -> Vec<Block> {
    let block = |(topic, hits): (String, Vec<&Hit>)| {
        let lines = hits
            .iter()
            .map(|hit| format!("{INDENT}{}", shown(hit, explain, view, brief)));
        let shown = hits.len();
        let head = format!("{topic} ({shown})");
        let text = std::iter::once(head)
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n");
        Block { text, hits: shown }
    };
    by_topic(&reply.hits).into_iter().map(block).collect()
}

/// Topics in the order of their best hit.
fn by_topic(hits: &[Hit]) -> Vec<(String, Vec<&Hit>)> {
    let mut groups: Vec<(String, Vec<&Hit>)> = Vec::new();
    for hit in hits {
        let topic = clean::line(
            hit.memory
                .as_ref()
                .map(|memory| memory.topic.as_str())
                .unwrap_or_default(),
        );
        match groups.iter_mut().find(|(name, _)| *name == topic) {
            Some((_, members)) => members.push(hit),
            None => groups.push((topic, vec![hit])),
        }
    }
    groups
}

fn head(memory: &Memory, hit: &Hit, view: &View, tags: bool) -> String {
    let mark = |what: String| format!(", {what}");
    let lacks = lacking(hit)
        .map(str::to_owned)
        .map(mark)
        .unwrap_or_default();
    // A detail that shows metadata below shows none of this in the head.
    let (more, tags) = if tags {
        let copies = also_in(hit).map(mark).unwrap_or_default();
        let more =
            copies + &superseded(memory) + &contradicted(memory) + &from(memory) + &doubt(memory);
        (more, hashtags(memory))
    } else {
        (String::new(), String::new())
    };
    header([
        clean::line(&memory.handle),
        day(memory, view),
        nature(memory) + &lacks + &more,
        tags,
    ])
}

fn from(memory: &Memory) -> String {
    match said_in(memory) {
        name if name.is_empty() => name,
        name => format!(", from {name}"),
    }
}

fn contradicted(memory: &Memory) -> String {
    contradiction(memory).map_or_else(String::new, |by| format!(", {by}"))
}

fn superseded(memory: &Memory) -> String {
    match clean::line(&memory.superseded_by) {
        by if by.is_empty() => by,
        by => format!(", superseded by {by}"),
    }
}

/// A clause about a moment that is not now: "that was known then"; `None` for now.
#[must_use]
pub fn then(moment: Option<&Moment>) -> Option<&'static str> {
    let moment = moment?;
    match (moment.as_of.is_some(), moment.valid_at_us.is_some()) {
        (true, true) => Some("that was known and held then"),
        (true, false) => Some("that was known then"),
        (false, true) => Some("that held then"),
        (false, false) => None,
    }
}
