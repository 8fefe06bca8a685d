//! Edits of a memory's text, and when it was revised last.

use std::collections::BTreeMap;

use helix_redact::redact_prose;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::{EditError, Sourced};
use crate::model::{Kinds, Memory, Timestamp};
use crate::policy::admit::{AdmitError, Admitted, limit};
use crate::policy::tags::{self, Tags};

impl Memory {
    /// Attribute that says when the text was last revised: in RFC 3339, or as another program wrote it.
    /// Readers show it as `[modified: <day>]`.
    pub const ATTRIBUTE_MODIFIED: &str = "helix.modified";

    /// The attribute that says when a text was last revised, and what it says.
    #[must_use]
    pub fn modified(attributes: &BTreeMap<String, String>) -> Option<(&'static str, &str)> {
        let written =
            |key: &'static str| attributes.get(key).map(|written| (key, written.as_str()));
        written(Memory::ATTRIBUTE_MODIFIED).or_else(|| {
            written(ATTRIBUTE_MODIFIED_BEFORE).filter(|(_, written)| time_of(written).is_some())
        })
    }

    /// When the text was last revised that has these attributes.
    #[must_use]
    pub fn revised_at(attributes: &BTreeMap<String, String>) -> Option<Timestamp> {
        time_of(Memory::modified(attributes)?.1)
    }
}

/// Former name of [`Memory::ATTRIBUTE_MODIFIED`] in imports of AMRL logs; still read where its value is a
/// time.
pub const ATTRIBUTE_MODIFIED_BEFORE: &str = "modified";

pub(super) fn append(memory: &mut Memory, text: &str, at: Timestamp) -> Result<(), EditError> {
    let lines = text.trim_end().trim_start_matches(['\n', '\r']);
    if lines.trim().is_empty() {
        return Err(EditError::NoText);
    }
    let mut joined = fitting(
        format!("{}\n{lines}", memory.text),
        "store a second memory and link the two",
    )?;
    // The one may say what the other is: `Password:`, and in the next line the password.
    redact_prose(&mut joined);
    memory.text = joined;
    memory.last_seen_at = memory.last_seen_at.max(at);
    Ok(())
}

pub(super) fn revise(
    memory: &mut Memory,
    text: &str,
    seen: Option<&Sourced>,
    at: Timestamp,
) -> Result<(), EditError> {
    let text = text.trim_end();
    if text.trim().is_empty() {
        return Err(EditError::NoText);
    }
    if seen.is_some() {
        Sourced::put(seen, memory);
    }
    if text == memory.text {
        return Ok(());
    }
    memory.last_seen_at = memory.last_seen_at.max(at);
    relabel(memory, text);
    memory.text = fitting(text.to_owned(), "split it into several memories")?;
    memory.tags = Tags::normalise(&memory.tags, &memory.text);
    let before = Memory::modified(&memory.attributes).map(|(key, _)| key);
    before.and_then(|key| memory.attributes.remove(key));
    memory
        .attributes
        .insert(Memory::ATTRIBUTE_MODIFIED.to_owned(), at.to_string());
    Ok(())
}

/// Takes back the tag that the old text's prefix gave the memory, where the new one has another
/// prefix.
fn relabel(memory: &mut Memory, text: &str) {
    let kinds = Kinds::default();
    if let (Some(old), Some(new)) = (tags::label(&memory.text, &kinds), tags::label(text, &kinds))
        && old != new
    {
        memory.tags.retain(|tag| *tag != old);
    }
}

fn fitting(text: String, advice: &'static str) -> Result<String, AdmitError> {
    if text.len() > Admitted::TEXT_MAX_BYTES {
        return Err(limit(
            "text",
            text.len(),
            "bytes",
            Admitted::TEXT_MAX_BYTES,
            advice,
        ));
    }
    Ok(text)
}

/// Reads RFC 3339, or a date with or without a time of the day in UTC.
fn time_of(written: &str) -> Option<Timestamp> {
    let stamp = written.parse::<jiff::Timestamp>().ok().or_else(|| {
        let date = || Some(written.parse::<Date>().ok()?.at(0, 0, 0, 0));
        let civil = written.parse::<DateTime>().ok().or_else(date)?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    Some(Timestamp::from_micros(stamp.as_microsecond()))
}
