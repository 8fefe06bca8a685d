//! The scan: one line a category, with its count and its first memory.

use super::Caps;
use super::full::also;
use super::line::{bracketed, linked, preview};
use crate::brief::{Brief, Section};

pub(super) fn lines(brief: &Brief<'_>, caps: &Caps) -> Vec<String> {
    let mut lines: Vec<String> = brief
        .sections
        .iter()
        .filter_map(|section| line(section, caps))
        .collect();
    lines.extend(linked(&brief.linked, caps));
    lines
}

fn line(section: &Section<'_>, caps: &Caps) -> Option<String> {
    let first = section.items.first()?;
    let mark = match first.superseded_by {
        Some(newer) => format!("[SUPERSEDED] → {}: ", bracketed(newer)),
        None => String::new(),
    };
    let (count, shown) = (section.items.len(), preview(&first.mention, true, caps));
    Some(format!(
        "{} {count}: {mark}{shown}{}",
        section.category,
        also(first)
    ))
}
