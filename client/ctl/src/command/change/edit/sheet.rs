//! A memory as a person edits it: named fields between two lines of dashes, then the text exactly.
//!
//! Only the first two lines of dashes mean anything, so the text may hold dashes, comments and
//! fields of its own.

use std::collections::BTreeMap;

use helix_client::limits::MEMORY_TEXT_MAX_BYTES;
use helix_client::v1::{Memory, SetFields};

use crate::input::fraction;
use crate::render;
use crate::text::one_line;

/// Begins and ends the fields.
const FENCE: &str = "---";

/// What can be edited besides the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Kind,
    Tags,
    Source,
    Importance,
    Confidence,
    Pinned,
}

/// Why an edited file cannot be understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SheetError {
    /// The fields have no frame.
    #[error("the two lines of dashes around the fields are gone; put them back")]
    Fence,
    /// Not `name: value`.
    #[error(
        "line {line} is no field; write kind, tags, source, importance, confidence or pinned, a colon and a value"
    )]
    Line {
        /// 1-based.
        line: usize,
    },
    /// Said twice.
    #[error("line {line} gives {name} again; keep one")]
    Twice {
        /// 1-based.
        line: usize,
        /// Which field.
        name: &'static str,
    },
    /// Cannot be.
    #[error("{name} cannot be {value:?}; write {wanted}")]
    Value {
        /// Which field.
        name: &'static str,
        /// The text that was written.
        value: String,
        /// What would do.
        wanted: &'static str,
    },
    /// Too long.
    #[error(
        "the text has {bytes} bytes and a memory holds {MEMORY_TEXT_MAX_BYTES}; shorten it or store it in parts"
    )]
    Long {
        /// How long it is.
        bytes: usize,
    },
}

/// A memory's editable side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sheet {
    fields: BTreeMap<Field, String>,
    text: String,
}

/// What a person changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// The new text.
    pub(super) text: Option<String>,
    /// Tags to add.
    pub(super) add: Vec<String>,
    /// Tags to remove.
    pub(super) remove: Vec<String>,
    /// Other fields; without a target.
    pub(super) set: Option<SetFields>,
}

impl Changes {
    /// Returns whether nothing was changed.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Field {
    const ALL: [Self; 6] = [
        Self::Kind,
        Self::Tags,
        Self::Source,
        Self::Importance,
        Self::Confidence,
        Self::Pinned,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Tags => "tags",
            Self::Source => "source",
            Self::Importance => "importance",
            Self::Confidence => "confidence",
            Self::Pinned => "pinned",
        }
    }

    fn of(self, memory: &Memory) -> String {
        match self {
            Self::Kind => memory.kind.clone(),
            Self::Tags => memory.tags.join(", "),
            Self::Source => render::source(memory),
            Self::Importance => memory.importance.to_string(),
            Self::Confidence => memory.confidence.to_string(),
            Self::Pinned => if memory.pinned { "yes" } else { "no" }.to_owned(),
        }
    }
}

impl Sheet {
    /// Lays a memory out. A value with line breaks or blanks around it would not survive, and is
    /// not offered.
    pub(super) fn of(memory: &Memory) -> Self {
        let offered = Field::ALL
            .into_iter()
            .map(|field| (field, field.of(memory)));
        let fields = offered
            .filter(|(_, value)| value.trim() == value && !value.contains(char::is_control))
            .collect();
        Self {
            fields,
            text: memory.text.clone(),
        }
    }

    /// Writes the file that is edited.
    pub(super) fn written(&self, memory: &Memory) -> String {
        let mut file = format!(
            "{FENCE}\n# {}, sequence {}. ",
            one_line(&memory.handle),
            memory.sequence
        );
        file.push_str(
            "The text begins below the second line of dashes; an empty one changes nothing.\n",
        );
        file.extend(
            self.fields
                .iter()
                .map(|(field, value)| format!("{}: {value}\n", field.name())),
        );
        file + FENCE + "\n" + &self.text + "\n"
    }

    /// Reads an edited file. `None` when it was emptied.
    pub(super) fn parse(file: &str) -> Result<Option<Self>, SheetError> {
        if file.trim().is_empty() {
            return Ok(None);
        }
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        let mut rest = file.split_inclusive('\n');
        if rest.next().map(str::trim_end) != Some(FENCE) {
            return Err(SheetError::Fence);
        }
        let mut fields = BTreeMap::new();
        let mut number = 1;
        loop {
            let line = rest.next().ok_or(SheetError::Fence)?.trim();
            number += 1;
            match line {
                FENCE => break,
                line if line.is_empty() || line.starts_with('#') => {}
                line => read_field(&mut fields, line, number)?,
            }
        }
        let text: String = rest.collect();
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        match text.len() {
            bytes if bytes > MEMORY_TEXT_MAX_BYTES => Err(SheetError::Long { bytes }),
            _ if text.trim().is_empty() => Ok(None),
            _ => Ok(Some(Self { fields, text })),
        }
    }

    /// Returns the differences in `after`. A field that is not there any more stays as it is.
    pub(super) fn changes(&self, after: &Self) -> Result<Changes, SheetError> {
        let mut changes = Changes::default();
        if self.text != after.text {
            changes.text = Some(after.text.clone());
        }
        let mut set = SetFields::default();
        for (field, value) in &after.fields {
            let before = self.fields.get(field).map_or("", String::as_str);
            if value == before {
                continue;
            }
            match field {
                Field::Tags => (changes.add, changes.remove) = tag_changes(before, value),
                Field::Kind if value.is_empty() => {
                    return Err(wrong(*field, value, "a kind such as fact or gotcha"));
                }
                Field::Kind => set.kind = Some(value.clone()),
                Field::Source => set.source = Some(value.clone()),
                Field::Importance => set.importance = Some(number(*field, value)?),
                Field::Confidence => set.confidence = Some(number(*field, value)?),
                Field::Pinned => set.pinned = Some(yes_or_no(*field, value)?),
            }
        }
        changes.set = Some(set).filter(|set| *set != SetFields::default());
        Ok(changes)
    }
}

fn read_field(
    fields: &mut BTreeMap<Field, String>,
    line: &str,
    number: usize,
) -> Result<(), SheetError> {
    let (name, value) = line
        .split_once(':')
        .ok_or(SheetError::Line { line: number })?;
    let field = Field::ALL
        .into_iter()
        .find(|field| field.name() == name.trim());
    let field = field.ok_or(SheetError::Line { line: number })?;
    match fields.insert(field, value.trim().to_owned()) {
        None => Ok(()),
        Some(_) => Err(SheetError::Twice {
            line: number,
            name: field.name(),
        }),
    }
}

fn tag_changes(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let list = |text: &str| -> Vec<String> {
        text.split(',')
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect()
    };
    let (before, after) = (list(before), list(after));
    let missing = |from: &[String], of: &[String]| {
        from.iter()
            .filter(|tag| !of.contains(tag))
            .cloned()
            .collect()
    };
    (missing(&after, &before), missing(&before, &after))
}

fn number(field: Field, value: &str) -> Result<f32, SheetError> {
    fraction(value).map_err(|_| wrong(field, value, "a number from 0 to 1"))
}

fn yes_or_no(field: Field, value: &str) -> Result<bool, SheetError> {
    match value {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(wrong(field, value, "yes or no")),
    }
}

fn wrong(field: Field, value: &str, wanted: &'static str) -> SheetError {
    SheetError::Value {
        name: field.name(),
        value: value.to_owned(),
        wanted,
    }
}

#[cfg(test)]
mod tests;
