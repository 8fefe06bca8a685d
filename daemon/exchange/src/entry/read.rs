//! The object as it is read.

use std::collections::BTreeMap;

use helix_memory::{
    GitContext, Memory, MemoryId, Origin, Provenance, Scope, SourceRef, StatedImportance as Stated,
    Status, Timestamp,
};
use hex::FromHex;
use serde_json::{Map, Value};

use crate::{Place, Portable, Problem, Report, time};

/// Names that tools give to the time of an entry.
pub(crate) const RECORDED_NAMES: [&str; 7] = [
    "recorded_at",
    "timestamp",
    "date",
    "at",
    "created_at",
    "created",
    "createdAt",
];

/// The scope of the project that a memory comes into, as callers name it.
const OWN_PROJECT: &str = "project";

/// Characters of a value that a report repeats.
const VALUE_SHOWN_MAX_CHARS: usize = 40;

/// The other names that are read, and those of the hashes that tell what an edit started from.
const NAMES: [&str; 23] = [
    "id",
    "handle",
    "kind",
    "type",
    "tags",
    "scope",
    "source",
    "links",
    "importance",
    "priority",
    "weight",
    "summary",
    "confidence",
    "pinned",
    "origin",
    "provenance",
    "attributes",
    "valid_from",
    "valid_to",
    "last_seen_at",
    "access_count",
    "status",
    "text_hash",
];

/// Returns whether a field of this name means anything, beside topic and text.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
        || RECORDED_NAMES.contains(&name)
        || ["fields_hash", "rest_hash"].contains(&name)
}

/// The fields of one object.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    at: Place,
    report: &'a mut Report,
}

/// Reads everything but topic and text. What is not understood is reported at `at`.
pub(crate) fn read(object: &Map<String, Value>, at: Place, report: &mut Report) -> Portable {
    let mut fields = Fields { object, at, report };
    Portable {
        id: fields.read("id", id),
        handle: fields.read("handle", text),
        topic: String::new(),
        text: String::new(),
        kind: fields.first(&["kind", "type"], text),
        tags: fields.list("tags", tags),
        scope: match object.get("scope").and_then(Value::as_str) {
            Some(OWN_PROJECT) => None,
            _ => fields.read("scope", |value| Scope::parse(value.as_str()?).ok()),
        },
        source: fields.source(),
        links: fields.list("links", links),
        index: None,
        importance: fields.importance(),
        confidence: fields.read("confidence", number),
        pinned: fields.read("pinned", flag).unwrap_or_default(),
        origin: fields.read("origin", |value| Origin::parse(value.as_str()?)),
        provenance: fields.provenance(),
        attributes: fields.attributes(),
        valid_from: fields.time(&["valid_from"]),
        valid_to: fields.time(&["valid_to"]),
        recorded_at: fields.time(&RECORDED_NAMES),
        last_seen_at: fields.time(&["last_seen_at"]),
        access_count: fields.read("access_count", count).unwrap_or_default(),
        status: fields.read("status", |value| Status::parse(value.as_str()?)),
        summary: fields.read("summary", summary).unwrap_or_default(),
    }
}

impl Fields<'_> {
    /// Reads a field; null and blank text count as absent.
    fn read<T>(&mut self, name: &'static str, parse: impl Fn(&Value) -> Option<T>) -> Option<T> {
        self.first(&[name], parse)
    }

    /// Reads the importance, on whichever scale it is given.
    fn importance(&mut self) -> Option<f32> {
        let priority = |value: &Value| Stated::of_priority(value.as_i64()?).ok();
        let weight = |value: &Value| Stated::of_weight(value.as_i64()?).ok();
        let stated = self.read("importance", number);
        let stated = stated.or_else(|| self.read("priority", priority));
        stated.or_else(|| self.read("weight", weight))
    }

    /// Reads the first of several names that is there.
    fn first<T>(
        &mut self,
        names: &[&'static str],
        parse: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        self.parsed(names, parse, |field, _| Problem::Field { field })
    }

    /// The same for a time, of which is said what stands there and what should.
    fn time(&mut self, names: &[&'static str]) -> Option<Timestamp> {
        self.parsed(names, time::read, |field, value| Problem::Time {
            field,
            value: shown(value),
        })
    }

    /// A field that is there and means nothing is reported by the name that the file has for it.
    fn parsed<T>(
        &mut self,
        names: &[&'static str],
        parse: impl Fn(&Value) -> Option<T>,
        problem: impl Fn(&'static str, &Value) -> Problem,
    ) -> Option<T> {
        let mut given = names
            .iter()
            .filter_map(|name| Some((*name, self.object.get(*name)?)));
        let (name, value) = given.find(|(_, value)| !value.is_null())?;
        let parsed = parse(value);
        if parsed.is_none() && value.as_str() != Some("") {
            self.report.note(self.at, problem(name, value));
        }
        parsed
    }

    /// Reads a list, or one text that holds it. What it has that is no word is left out by itself.
    fn list(&mut self, name: &'static str, parse: impl Fn(&Value) -> Option<Words>) -> Vec<String> {
        let words = self.read(name, parse).unwrap_or_default();
        for index in words.wrong {
            self.report
                .note(self.at, Problem::Item { field: name, index });
        }
        words.right
    }

    /// Reads `path:line` or an object of path, line and hashes.
    fn source(&mut self) -> Option<SourceRef> {
        let source = self.read("source", |value| match value {
            Value::String(text) if !text.trim().is_empty() => Some(SourceRef::parse(text)),
            Value::Object(object) => Some(SourceRef {
                path: object.get("path")?.as_str()?.to_owned(),
                ..SourceRef::default()
            }),
            _ => None,
        })?;
        let Some(Value::Object(object)) = self.object.get("source") else {
            return Some(source);
        };
        let mut parts = Fields {
            object,
            at: self.at,
            report: &mut *self.report,
        };
        Some(SourceRef {
            line: parts.read("line", |value| u32::try_from(count(value)?).ok()),
            content_hash: parts.read("content_hash", |value| {
                FromHex::from_hex(value.as_str()?).ok()
            }),
            git_blob: parts.read("git_blob", |value| FromHex::from_hex(value.as_str()?).ok()),
            ..source
        })
    }

    fn provenance(&mut self) -> Vec<Provenance> {
        let steps = self
            .read("provenance", |value| value.as_array().cloned())
            .unwrap_or_default();
        let read: Vec<Provenance> = steps.iter().filter_map(step).collect();
        if read.len() < steps.len() {
            self.report.note(
                self.at,
                Problem::Field {
                    field: "provenance",
                },
            );
        }
        read
    }

    fn attributes(&mut self) -> BTreeMap<String, String> {
        let object = self
            .read("attributes", |value| value.as_object().cloned())
            .unwrap_or_default();
        let (count, read) = (
            object.len(),
            object
                .into_iter()
                .filter_map(|(key, value)| Some((key, scalar(value)?))),
        );
        let read: BTreeMap<String, String> = read.collect();
        if read.len() < count {
            self.report.note(
                self.at,
                Problem::Field {
                    field: "attributes",
                },
            );
        }
        read
    }
}

/// A value as its file has it, or its beginning.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_SHOWN_MAX_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn id(value: &Value) -> Option<MemoryId> {
    uuid::Uuid::parse_str(value.as_str()?)
        .ok()
        .map(|id| MemoryId::from_bytes(*id.as_bytes()))
}

fn text(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// A summary as one line that is not too long.
fn summary(value: &Value) -> Option<String> {
    let line = value.as_str()?.split_whitespace().collect::<Vec<_>>();
    let line = line.join(" ");
    (line.chars().count() <= Memory::SUMMARY_MAX_CHARS).then_some(line)
}

/// An attribute's value as text; `None` for lists and objects.
fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The names in a list.
#[derive(Default)]
struct Words {
    right: Vec<String>,
    /// Indices of what is no word.
    wrong: Vec<usize>,
}

impl Words {
    fn of(items: &[Value], word: impl Fn(&Value) -> Option<String>) -> Self {
        let mut words = Self::default();
        for (index, item) in items.iter().enumerate() {
            match word(item) {
                Some(word) => words.right.push(word),
                None => words.wrong.push(index),
            }
        }
        words
    }
}

fn tags(value: &Value) -> Option<Words> {
    words(value, |c| c == ',', |item| item.as_str().map(str::to_owned))
}

/// A link may be the index of another memory.
fn links(value: &Value) -> Option<Words> {
    let link = |item: &Value| {
        item.as_u64()
            .map(|index| index.to_string())
            .or_else(|| item.as_str().map(str::to_owned))
    };
    match value {
        Value::Number(_) => Some(Words {
            right: vec![link(value)?],
            wrong: Vec::new(),
        }),
        _ => words(value, |c| c == ',' || c.is_whitespace(), link),
    }
}

/// A list of words, or one text that holds them.
fn words(
    value: &Value,
    separator: fn(char) -> bool,
    word: impl Fn(&Value) -> Option<String>,
) -> Option<Words> {
    match value {
        Value::Array(items) => Some(Words::of(items, word)),
        Value::String(text) => {
            let words = text
                .split(separator)
                .map(str::trim)
                .filter(|word| !word.is_empty());
            Some(Words {
                right: words.map(str::to_owned).collect(),
                wrong: Vec::new(),
            })
        }
        _ => None,
    }
}

fn number(value: &Value) -> Option<f32> {
    match value {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "memories hold f32, and what was one comes back"
        )]
        Value::Number(number) => number.as_f64().map(|number| number as f32),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

fn count(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

fn flag(value: &Value) -> Option<bool> {
    value
        .as_bool()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

fn step(value: &Value) -> Option<Provenance> {
    let part = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let at: Timestamp = time::read(value.get("at")?)?;
    let origin = Origin::parse(value.get("origin")?.as_str()?)?;
    Some(Provenance {
        agent: part("agent"),
        reference: part("reference"),
        extractor: part("extractor"),
        origin,
        at,
        git: GitContext {
            branch: part("branch"),
            commit: part("commit"),
        },
    })
}
