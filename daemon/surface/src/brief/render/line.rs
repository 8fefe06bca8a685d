//! The parts of a line: handles, previews, lists.

use helix_memory::Handle;
use helix_neutral::one_line;
use jiff::tz::TimeZone;

use super::Caps;
use crate::brief::classify::without_prefix;
use crate::brief::{Linked, Mention};
use crate::frame::CONFIDENCE_TOLD;

/// Longest handle: a topic's 255 bytes, a slash and a slug. Never cut, because a cut one reads
/// nothing.
const HANDLE_MAX_CHARS: usize = 320;

/// From here on a confidence is as good as whole: two decimals show no difference.
pub(super) const CONFIDENCE_WHOLE: f32 = 0.995;

/// Longest topic name.
pub(super) const NAME_MAX_CHARS: usize = 255;

/// `[handle]`.
pub(super) fn bracketed(handle: &Handle) -> String {
    format!("[{}]", one_line(handle.as_str(), HANDLE_MAX_CHARS))
}

/// `[handle] [STALE] the beginning of the text …`, or `[handle] [confidence 0.42] …`; the heading's
/// own prefix is not repeated under it.
pub(super) fn preview(mention: &Mention<'_>, is_under_heading: bool, caps: &Caps) -> String {
    let text = &mention.memory.text;
    let text = if is_under_heading {
        without_prefix(text, mention.category)
    } else {
        text
    };
    format!(
        "{}{} {}",
        bracketed(&mention.memory.handle),
        doubt_mark(mention.is_stale, mention.faded) + dispute_mark(mention.is_disputed),
        helix_neutral::preview(text, caps.preview_chars)
    )
}

/// The mark behind a handle: of a memory whose source changed, or of which confidence is gone.
pub(in crate::brief) fn doubt_mark(is_stale: bool, confidence: f32) -> String {
    match is_stale {
        true => " [STALE]".to_owned(),
        false if confidence < CONFIDENCE_TOLD => format!(" [confidence {confidence:.2}]"),
        false => String::new(),
    }
}

/// The mark of a memory that another one contradicts.
pub(in crate::brief) const fn dispute_mark(is_disputed: bool) -> &'static str {
    if is_disputed { " [CONTRADICTED]" } else { "" }
}

/// `2026-11-03`, and the source if there is one: ` (src/a.rs:3)`, ` (src/a.rs:3, now line 9)`.
pub(super) fn day_and_place(mention: &Mention<'_>, zone: &TimeZone) -> String {
    let memory = mention.memory;
    let place = memory
        .source
        .as_ref()
        .map(|source| source.place(mention.moved_to, NAME_MAX_CHARS));
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{}{place}", memory.valid_from.day(zone))
}

/// Joins with commas; `rest` says what the list does not hold.
pub(super) fn joined(mut parts: Vec<String>, rest: Option<String>) -> String {
    parts.extend(rest.map(|rest| format!("+{rest}")));
    parts.join(", ")
}

/// The handles of a list up to `max`, and how many more there are.
pub(super) fn handles<'h>(
    handles: impl ExactSizeIterator<Item = &'h Handle>,
    max: usize,
) -> String {
    let hidden = handles.len().saturating_sub(max);
    let rest = (hidden > 0).then(|| format!("{hidden} more"));
    joined(handles.take(max).map(bracketed).collect(), rest)
}

/// `LINKED: [handle], [handle]`; nothing without links.
pub(super) fn linked(linked: &[Linked<'_>], caps: &Caps) -> Option<String> {
    let handles = handles(
        linked.iter().map(|linked| &linked.memory.handle),
        caps.linked,
    );
    (!linked.is_empty()).then(|| format!("LINKED: {handles}"))
}
