//! Parts of a file that a reader could not take over, with their places.

use std::fmt;

use helix_memory::Admitted;

/// Flaws that a report lists; of more only the number is kept, so that a ruined file cannot fill
/// the memory.
pub const FLAWS_MAX: usize = 1_000;

/// Unknown fields that a report names: a file of another program has some, not hundreds.
const UNKNOWN_FIELDS_MAX: usize = 20;

/// Characters of an unknown field's name that are kept.
const FIELD_SHOWN_MAX_CHARS: usize = 60;

/// A report of what was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Memories handed over; by a writer, memories written.
    pub read: u64,
    /// Entries that the file itself deletes again (AMRL).
    pub deleted: u64,
    /// Flaws, in the order of the file; at most [`FLAWS_MAX`].
    pub flaws: Vec<Flaw>,
    /// Flaws beyond those listed.
    pub unlisted: u64,
    /// Fields that no memory has, each where it was first met; some of them, when there are many.
    pub unknown_fields: Vec<(Place, String)>,
}

impl Report {
    /// Returns whether everything in the file was understood.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.flaws.is_empty() && self.unknown_fields.is_empty()
    }

    /// Notes a field that nothing is known of, once.
    pub(super) fn note_unknown_field(&mut self, at: Place, field: &str) {
        let is_noted = self.unknown_fields.iter().any(|(_, noted)| noted == field);
        if !is_noted && self.unknown_fields.len() < UNKNOWN_FIELDS_MAX {
            self.unknown_fields
                .push((at, field.chars().take(FIELD_SHOWN_MAX_CHARS).collect()));
        }
    }

    pub(super) fn note(&mut self, at: Place, problem: Problem) {
        if self.flaws.len() < FLAWS_MAX {
            self.flaws.push(Flaw { at, problem });
        } else {
            self.unlisted += 1;
        }
    }
}

/// Something wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where.
    pub at: Place,
    /// What.
    pub problem: Problem,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.problem)
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Bytes from the start of the file.
    Byte(u64),
    /// 1-based line.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// A problem, and its consequence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bytes that are no record, up to the next one that is.
    #[error(
        "expected {expected}; skipped {skipped_bytes} bytes, and the entry before may have lost its end"
    )]
    Damaged {
        /// The value that was expected.
        expected: &'static str,
        /// How many bytes were passed over.
        skipped_bytes: u64,
    },
    /// The file ends inside of a record.
    #[error(
        "the last record is cut off: {present_bytes} of its bytes are there; copy the file again if you can"
    )]
    Truncated {
        /// Bytes of it that are there.
        present_bytes: u64,
    },
    /// A text too long for a memory; left out.
    #[error(
        "a text of {bytes} bytes is longer than {text_max_bytes} and was left out; split it into several memories", text_max_bytes = Admitted::TEXT_MAX_BYTES)]
    Oversized {
        /// Its length, or as much of it as was looked at.
        bytes: u64,
    },
    /// Bytes that are no text.
    #[error("the text is not UTF-8; what could not be read was replaced by U+FFFD")]
    NotUtf8,
    /// A metadata line that stands neither at the head nor at the tail of its body.
    #[error(
        "a metadata line inside of a text was kept as text, here and wherever there is another: such lines count at the \
         head and the end of a body"
    )]
    LineInside,
    /// A deletion of something that is no entry; ignored.
    #[error("deletes the entry at byte {target}, where none starts; ignored")]
    NoTarget {
        /// The offset it names.
        target: u64,
    },
    /// A field that cannot be understood; the memory was taken without it.
    #[error(
        "the field `{field}` is not understood and was left out; the memory was taken without it"
    )]
    Field {
        /// Its name.
        field: &'static str,
    },
    /// An element of a list that is not understood; the memory was taken with the others.
    #[error(
        "`{field}[{index}]` is not understood and was left out; the memory was taken with the rest of the list"
    )]
    Item {
        /// The list's name.
        field: &'static str,
        /// Its place there.
        index: usize,
    },
    /// A time that cannot be understood; the memory was taken without it.
    #[error(
        "the time `{field}` is {value}, which is not understood: write it like 2026-11-21T14:30:00Z (ISO 8601); the memory \
         was taken without it"
    )]
    Time {
        /// Its name, as the file has it.
        field: &'static str,
        /// The value that is there, or its beginning.
        value: String,
    },
    /// A memory without a text.
    #[error("an entry has no text and was left out; give it `text`")]
    NoText,
    /// A memory without a topic.
    #[error("an entry has no topic and was left out; give it `topic` or list it under one")]
    NoTopic,
    /// A memory that names another topic than the one that it stands under; taken there.
    #[error(
        "an entry names the topic {named} and stands under {topic}, where it was taken; move it to the list of its topic, or \
         take it out of any"
    )]
    OtherTopic {
        /// As the entry has it, or its beginning.
        named: String,
        /// As the list has it, or its beginning.
        topic: String,
    },
    /// A list element that is no memory.
    #[error("an entry is not an object and was left out")]
    NotAnEntry,
    /// A marker whose metadata cannot be read; the text was taken as a new memory.
    #[error("the metadata in the marker is not valid JSON; the text was taken as a new memory")]
    Metadata,
    /// A marker that has no end; what followed it was left out.
    #[error(
        "the marker has no end (`-->`): what stands behind it, up to the next one, was left out; put it on one line"
    )]
    Marker,
    /// The file ends inside of a memory; left out.
    #[error(
        "the file ends before the end of this memory, whose text is not the one that was exported, so it was left out; copy \
         the file again, or put `<!-- /helix -->` behind the text if it is whole"
    )]
    Cut,
    /// A file that was cut has fewer memories than it says.
    #[error(
        "the file is cut off: {present} of the {stated} memories that it names are whole; copy it again for the rest"
    )]
    Missing {
        /// How many its front matter says there are.
        stated: u64,
        /// How many were read.
        present: u64,
    },
    /// A time that a format cannot hold.
    #[error("the time does not fit into the format and was moved to the nearest that does")]
    TimeClamped,
    /// No time is known, but the format needs one.
    #[error("the memory has no time; the format's earliest was written")]
    TimeMissing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaws_read_well_and_are_bounded() {
        let mut report = Report::default();
        assert!(report.is_whole());
        for offset in 0..=FLAWS_MAX as u64 {
            report.note(
                Place::Byte(offset),
                Problem::Damaged {
                    expected: "a record",
                    skipped_bytes: 3,
                },
            );
        }
        assert_eq!((report.flaws.len(), report.unlisted), (FLAWS_MAX, 1));
        let shown = report
            .flaws
            .first()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            shown.starts_with("byte 0: expected a record; skipped 3 bytes"),
            "{shown}"
        );
    }
}
