//! In full: the memories themselves by category, how concepts evolved, what is linked.

use std::collections::BTreeMap;

use helix_memory::{Handle, Memory};
use helix_neutral::{neutral, one_line};
use jiff::tz::TimeZone;

use super::Caps;
use super::line::{
    CONFIDENCE_WHOLE, NAME_MAX_CHARS, bracketed, day_and_place, dispute_mark, handles, joined,
    preview,
};
use crate::brief::classify::without_prefix;
use crate::brief::turns::by_turns;
use crate::brief::{Brief, Chain, Item, Linked, Mention, Section};

/// Handles of one list inside a line: copies, earlier versions, memories that did not fit.
const HANDLES_MAX: usize = 6;

/// Links of a chain that are shown; the first and the newest are what tells.
const CHAIN_LINKS_MAX: usize = 6;

pub(super) fn lines(brief: &Brief<'_>, caps: &Caps, zone: &TimeZone) -> Vec<String> {
    let sections = brief
        .sections
        .iter()
        .flat_map(|section| self::section(section, brief.takes_turns, caps, zone));
    let mut lines: Vec<String> = sections.collect();
    lines.extend(chains(&brief.chains, caps, zone));
    lines.extend(linked(&brief.linked, caps));
    lines
}

/// The memories whose texts these lines hold to their ends.
pub(super) fn whole<'b>(
    brief: &'b Brief<'_>,
    caps: &'b Caps,
    zone: &'b TimeZone,
) -> impl Iterator<Item = &'b Memory> {
    let shown = move |section: &'b Section<'_>| {
        let fitting = fitting(section, brief.takes_turns, caps, zone);
        section
            .items
            .iter()
            .enumerate()
            .filter(move |(at, _)| fitting.contains_key(at))
            .map(|(_, item)| item)
    };
    let is_whole = |item: &&Item<'_>| {
        let memory = item.mention.memory;
        item.superseded_by.is_none()
            && is_uncut(without_prefix(&memory.text, item.mention.category), caps)
    };
    brief
        .sections
        .iter()
        .flat_map(shown)
        .filter(is_whole)
        .map(|item| item.mention.memory)
}

/// A heading, and as many memories as fit, hottest first; the last line names the others.
fn section(section: &Section<'_>, takes_turns: bool, caps: &Caps, zone: &TimeZone) -> Vec<String> {
    let fitting = fitting(section, takes_turns, caps, zone);
    let hidden = section
        .items
        .iter()
        .enumerate()
        .filter(|(at, _)| !fitting.contains_key(at));
    let hidden: Vec<&Handle> = hidden
        .map(|(_, item)| &item.mention.memory.handle)
        .collect();
    let rest = (!hidden.is_empty()).then(|| {
        format!(
            "- {} more: {}",
            hidden.len(),
            handles(hidden.iter().copied(), HANDLES_MAX)
        )
    });
    let heading = format!("{} {}", section.category, section.items.len());
    std::iter::once(heading)
        .chain(fitting.into_values().flatten())
        .chain(rest)
        .collect()
}

/// The lines of each of a section's memories that fits, by its place.
fn fitting(
    section: &Section<'_>,
    takes_turns: bool,
    caps: &Caps,
    zone: &TimeZone,
) -> BTreeMap<usize, Vec<String>> {
    let mentions: Vec<Mention<'_>> = section.items.iter().map(|item| item.mention).collect();
    let order = if takes_turns {
        by_turns(&mentions)
    } else {
        (0..mentions.len()).collect()
    };
    let mut fitting = BTreeMap::new();
    let (mut count, mut chars) = (0, 0);
    for (at, item) in order
        .into_iter()
        .filter_map(|at| Some((at, section.items.get(at)?)))
    {
        let lines = self::item(item, caps, zone);
        count += lines.len();
        chars += lines.iter().map(|line| line.chars().count()).sum::<usize>();
        let is_last = fitting.len() + 1 == section.items.len();
        // Unless this is the last, a line is kept for naming the others. The heading does not
        // count.
        if count > caps.category_lines - usize::from(!is_last) || chars > caps.category_chars {
            break;
        }
        fitting.insert(at, lines);
    }
    fitting
}

/// One memory with its whole text, but for a prefix that repeats the heading; one line for a
/// superseded one.
fn item(item: &Item<'_>, caps: &Caps, zone: &TimeZone) -> Vec<String> {
    let memory = item.mention.memory;
    if let Some(newer) = item.superseded_by {
        let newer = bracketed(newer);
        let day = memory.valid_from.day(zone);
        return vec![format!(
            "- [SUPERSEDED] {day} → {newer}: {}",
            preview(&item.mention, true, caps)
        )];
    }
    // The mark says how sure the memory still is, so that a line of its own does not take another
    // memory's room.
    let doubted = || format!(" [STALE, confidence {:.2}]", item.mention.confidence());
    let stale = if item.mention.is_stale {
        doubted()
    } else {
        String::new()
    };
    let head = format!(
        "{}{stale}{} {}",
        bracketed(&memory.handle),
        dispute_mark(item.mention.is_disputed),
        day_and_place(&item.mention, zone)
    );
    let mut body = body(without_prefix(&memory.text, item.mention.category), caps).into_iter();
    let mut lines = vec![format!("- {head}: {}", body.next().unwrap_or_default())];
    lines.extend(body.map(|line| format!("    {line}")));
    let remarks = remarks(item);
    if !remarks.is_empty() {
        lines.push(format!("  ({})", remarks.join("; ")));
    }
    lines
}

/// The lines of a text, neutral, without blank ones. What goes over the caps is counted in the
/// last.
fn body(text: &str, caps: &Caps) -> Vec<String> {
    let all: Vec<&str> = filled(text).collect();
    let fitting = if all.len() > caps.text_lines {
        caps.text_lines - 1
    } else {
        all.len()
    };
    let mut left = caps.text_chars;
    let mut lines: Vec<String> = Vec::new();
    for line in all.iter().take(fitting) {
        if left == 0 {
            break;
        }
        let line = neutral(line);
        let width = line.chars().count();
        let is_cut = width > left;
        lines.push(if is_cut {
            line.chars().take(left).chain(['…']).collect()
        } else {
            line
        });
        left = left.saturating_sub(width);
    }
    if lines.len() < all.len() {
        lines.push(format!("… {} more lines", all.len() - lines.len()));
    }
    lines
}

/// Returns whether [`body`] has all of a text.
fn is_uncut(text: &str, caps: &Caps) -> bool {
    let chars: usize = filled(text).map(|line| line.chars().count()).sum();
    filled(text).count() <= caps.text_lines && chars <= caps.text_chars
}

/// The lines of a text that hold anything.
fn filled(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
}

/// The same behind a line; empty where it stands nowhere else.
pub(super) fn also(item: &Item<'_>) -> String {
    let copies = copies(item);
    if copies.is_empty() {
        String::new()
    } else {
        format!(" ({})", copies.join("; "))
    }
}

/// Where else the same text stands.
pub(super) fn copies(item: &Item<'_>) -> Vec<String> {
    let memory = item.mention.memory;
    let mut remarks = Vec::new();
    let (mut elsewhere, mut here): (Vec<String>, Vec<&Handle>) = (Vec::new(), Vec::new());
    for copy in &item.also_in {
        if copy.topic == memory.topic {
            here.push(&copy.handle);
        } else {
            elsewhere.push(one_line(copy.topic.as_str(), NAME_MAX_CHARS));
        }
    }
    elsewhere.sort_unstable();
    elsewhere.dedup();
    if !elsewhere.is_empty() {
        let hidden = elsewhere.split_off(elsewhere.len().min(HANDLES_MAX)).len();
        let rest = (hidden > 0).then(|| format!("{hidden} more"));
        remarks.push(format!("also in: {}", joined(elsewhere, rest)));
    }
    if !here.is_empty() {
        remarks.push(format!(
            "also as: {}",
            handles(here.into_iter(), HANDLES_MAX)
        ));
    }
    remarks
}

fn remarks(item: &Item<'_>) -> Vec<String> {
    let mut remarks = copies(item);
    if !item.supersedes.is_empty() {
        remarks.push(format!(
            "supersedes: {}",
            handles(item.supersedes.iter().copied(), HANDLES_MAX)
        ));
    }
    if item.mention.confidence() < CONFIDENCE_WHOLE && !item.mention.is_stale {
        remarks.push(format!("confidence {:.2}", item.mention.confidence()));
    }
    remarks
}

/// How concepts evolved, a line each.
fn chains(chains: &[Chain<'_>], caps: &Caps, zone: &TimeZone) -> Vec<String> {
    if chains.is_empty() {
        return Vec::new();
    }
    let (listed, hidden) = chains.split_at(caps.chains.min(chains.len()));
    let mut lines = vec!["OVER TIME".to_owned()];
    lines.extend(listed.iter().map(|chain| self::chain(chain, zone)));
    if !hidden.is_empty() {
        lines.push(format!("- {} more", hidden.len()));
    }
    lines
}

/// `- topic, keyword: 2026-09-01 [a] → 2026-10-12 [b]`; of a long one, the first and the newest.
fn chain(chain: &Chain<'_>, zone: &TimeZone) -> String {
    let hidden = chain.links.len().saturating_sub(CHAIN_LINKS_MAX);
    let mut links: Vec<String> = Vec::new();
    for (at, link) in chain.links.iter().enumerate() {
        if (1..=hidden).contains(&at) {
            if at == 1 {
                links.push(format!("({hidden} more)"));
            }
            continue;
        }
        let mark = if link.is_superseded {
            " [SUPERSEDED]"
        } else {
            ""
        };
        links.push(format!(
            "{}{mark} {}",
            link.memory.valid_from.day(zone),
            bracketed(&link.memory.handle)
        ));
    }
    let topic = one_line(chain.topic, NAME_MAX_CHARS);
    format!(
        "- {topic}, {}: {}",
        one_line(&chain.keyword, 64),
        links.join(" → ")
    )
}

/// A line for each linked memory; one line with handles for those beyond.
fn linked(linked: &[Linked<'_>], caps: &Caps) -> Vec<String> {
    let (listed, hidden) = linked.split_at(caps.linked.min(linked.len()));
    if listed.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["LINKED".to_owned()];
    for one in listed {
        let from = handles(one.from.iter().copied(), 2);
        let content = helix_neutral::preview(&one.memory.text, caps.preview_chars);
        lines.push(format!(
            "- {} {content} (from {from})",
            bracketed(&one.memory.handle)
        ));
    }
    if !hidden.is_empty() {
        let names = handles(hidden.iter().map(|one| &one.memory.handle), HANDLES_MAX);
        lines.push(format!("- {} more: {names}", hidden.len()));
    }
    lines
}
