//! The scan: one line a category, with its count and its first memory.

use super::Caps;
use super::line::{linked, preview};
use crate::brief::{Brief, Section};

pub(super) fn lines(brief: &Brief<'_>, caps: &Caps) -> Vec<String> {
    let mut lines: Vec<String> = brief.sections.iter().filter_map(|section| line(section, caps)).collect();
    lines.extend(linked(&brief.linked, caps));
    lines
}

fn line(section: &Section<'_>, caps: &Caps) -> Option<String> {
    let first = section.items.first()?;
    let mark = if first.mention.is_superseded { "[SUPERSEDED] " } else { "" };
    Some(format!("{} {}: {mark}{}", section.category, section.items.len(), preview(&first.mention, true, caps)))
}
