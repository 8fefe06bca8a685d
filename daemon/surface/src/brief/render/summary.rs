//! The summary: what there is, what is hot, what is missing.

use super::Caps;
use super::full::also;
use super::line::{bracketed, handles, joined, linked, preview};
use crate::brief::turns::places;
use crate::brief::{Brief, Category, Mention};

pub(super) fn lines(brief: &Brief<'_>, caps: &Caps) -> Vec<String> {
    // Of the hottest alone the categories say little.
    let mut lines = if brief.is_compact {
        Vec::new()
    } else {
        vec![categories(brief)]
    };
    let hot = brief.hot.get(..caps.hot).unwrap_or(&brief.hot);
    // Where else it stands, which its item knows.
    let items = || brief.sections.iter().flat_map(|section| &section.items);
    let item =
        |mention: &Mention<'_>| items().find(|item| item.mention.memory.id == mention.memory.id);
    let also = |mention: &Mention<'_>| item(mention).map(also).unwrap_or_default();
    lines.extend(list("HOT:", hot, caps.hot, caps, |mention| {
        preview(mention, false, caps) + &also(mention)
    }));
    let is_hot = |mention: &Mention<'_>| hot.iter().any(|hot| hot.memory.id == mention.memory.id);
    // What was read above is named only, after the others.
    let (above, mut gaps): (Vec<Mention<'_>>, Vec<Mention<'_>>) =
        brief.gaps.iter().copied().partition(is_hot);
    if brief.gaps.len() > caps.gaps {
        let first = places(&gaps, brief.takes_turns, caps.gaps.saturating_sub(1));
        let others = (0..gaps.len()).filter(|at| !first.contains(at));
        gaps = first
            .iter()
            .copied()
            .chain(others)
            .filter_map(|at| gaps.get(at).copied())
            .collect();
    }
    gaps.extend(above);
    lines.extend(list("GAPS:", &gaps, caps.gaps, caps, |mention| {
        if is_hot(mention) {
            format!("{} (above)", bracketed(&mention.memory.handle))
        } else {
            preview(mention, true, caps) + &also(mention)
        }
    }));
    lines.extend(linked(&brief.linked, caps));
    lines
}

/// `CATEGORIES: GOTCHAS 5, DECISIONS 2`, largest first, what has none last.
fn categories(brief: &Brief<'_>) -> String {
    let mut counts: Vec<(Category, usize)> = brief
        .sections
        .iter()
        .map(|section| (section.category, section.items.len()))
        .collect();
    counts.sort_by_key(|(category, count)| {
        (*category == Category::Untagged, std::cmp::Reverse(*count))
    });
    let counts = counts
        .into_iter()
        .map(|(category, count)| format!("{category} {count}"));
    format!("CATEGORIES: {}", joined(counts.collect(), None))
}

/// A heading and a line for each; the last line names the others when there are more than `max`.
fn list(
    heading: &str,
    mentions: &[Mention<'_>],
    max: usize,
    caps: &Caps,
    line: impl Fn(&Mention<'_>) -> String,
) -> Vec<String> {
    if mentions.is_empty() {
        return Vec::new();
    }
    let listed = if mentions.len() > max {
        max.saturating_sub(1)
    } else {
        mentions.len()
    };
    let (listed, hidden) = mentions.split_at(listed);
    let mut lines = vec![heading.to_owned()];
    lines.extend(listed.iter().map(|mention| format!("- {}", line(mention))));
    if !hidden.is_empty() {
        let names = handles(
            hidden.iter().map(|mention| &mention.memory.handle),
            caps.gaps,
        );
        lines.push(format!("- {} more: {names}", hidden.len()));
    }
    lines
}
