//! The front matter of a topic's file: what holds for the file, and for every memory in it that
//! does not say it itself.

use serde_json::{Map, Value};

use super::FORMAT;
use crate::{Place, Portable, Report, entry};

/// Fields of the file alone.
const OF_FILE: [&str; 4] = ["topic", "count", "format", "version"];

/// Fields that a file can say of all its memories at once, beside when they were recorded.
const SHARED: [&str; 10] = [
    "kind",
    "type",
    "tags",
    "scope",
    "source",
    "links",
    "importance",
    "confidence",
    "pinned",
    "valid_from",
];

/// The front matter's lines as they were read.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    fields: Map<String, Value>,
    /// Fields that mean nothing here, with their lines.
    unknown: Vec<(u64, String)>,
    /// The field whose value is a list on the lines below.
    listed: Option<String>,
}

impl FrontMatter {
    /// Reads one line.
    pub(super) fn take(&mut self, number: u64, line: &str) {
        if let Some(name) = self.listed.take()
            && let Some(item) = line.trim_start().strip_prefix("- ")
        {
            if let Some(Value::Array(items)) = self.fields.get_mut(&name) {
                items.push(Value::String(unquoted(item.trim())));
            }
            self.listed = Some(name);
            return;
        }
        // What is indented belongs to the field above, and `#` begins a remark.
        let Some((name, value)) = line
            .split_once(':')
            .filter(|_| !line.starts_with([' ', '\t', '#', '-']))
        else {
            return;
        };
        let (name, value) = (name.trim_end(), value.trim());
        if !OF_FILE.contains(&name)
            && !SHARED.contains(&name)
            && !entry::RECORDED_NAMES.contains(&name)
        {
            self.unknown.push((number, name.to_owned()));
            return;
        }
        let is_list = ["tags", "links"].contains(&name);
        self.listed = (is_list && value.is_empty()).then(|| name.to_owned());
        let value = if is_list {
            Value::Array(items(value))
        } else {
            Value::String(unquoted(value))
        };
        self.fields.insert(name.to_owned(), value);
    }

    /// Returns whether an export wrote the file.
    pub(super) fn is_ours(&self) -> bool {
        self.text("format") == Some(FORMAT)
    }

    /// A field of the file that is a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// The topic, when one is named.
    pub(super) fn topic(&self) -> Option<&str> {
        self.text("topic").filter(|topic| !topic.is_empty())
    }

    /// Returns the fields for every memory that does not have its own. Reports at the first line
    /// what cannot be understood, and where it stands what is not known.
    pub(super) fn shared(self, report: &mut Report) -> Portable {
        for (number, name) in &self.unknown {
            report.note_unknown_field(Place::Line(*number), name);
        }
        entry::read(&self.fields, Place::Line(1), report)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }
}

/// Gives a memory what its file says of all, where it says nothing itself.
pub(super) fn fill(memory: &mut Portable, shared: &Portable) {
    let Portable {
        kind,
        tags,
        scope,
        source,
        links,
        importance,
        confidence,
        pinned,
        recorded_at,
        valid_from,
        ..
    } = shared.clone();
    memory.kind = memory.kind.take().or(kind);
    memory.tags.extend(
        tags.into_iter()
            .filter(|tag| !memory.tags.contains(tag))
            .collect::<Vec<_>>(),
    );
    memory.scope = memory.scope.take().or(scope);
    memory.source = memory.source.take().or(source);
    memory.links.extend(
        links
            .into_iter()
            .filter(|link| !memory.links.contains(link))
            .collect::<Vec<_>>(),
    );
    memory.importance = memory.importance.or(importance);
    memory.confidence = memory.confidence.or(confidence);
    memory.pinned |= pinned;
    memory.recorded_at = memory.recorded_at.or(recorded_at);
    memory.valid_from = memory.valid_from.or(valid_from);
}

/// The items of a list on one line: `[a, b]`, or with nothing around it.
fn items(value: &str) -> Vec<Value> {
    let list = value.trim_start_matches('[').trim_end_matches(']');
    let items = list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    items.map(|item| Value::String(unquoted(item))).collect()
}

/// A value, which YAML lets people put in quotes.
fn unquoted(value: &str) -> String {
    serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('\'').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> (Portable, Report) {
        let (mut matter, mut report) = (FrontMatter::default(), Report::default());
        for (number, line) in (1..).zip(lines) {
            matter.take(number, line);
        }
        (matter.shared(&mut report), report)
    }

    #[test]
    fn what_is_known_is_taken_and_the_rest_named() {
        let (shared, report) = read(&[
            "---",
            "# by hand",
            "topic: fq",
            "tags: [x, 'y']",
            "kind: gotcha",
            "bogus: 1",
            "confidence: 0.4",
            "pinned: true",
            "source: s.rs:3",
            "date: 2026-01-02",
            "authors:",
            "  - name: me",
            "status: forgotten",
            "---",
        ]);
        assert_eq!(
            (shared.kind.as_deref(), shared.confidence, shared.pinned),
            (Some("gotcha"), Some(0.4), true)
        );
        assert_eq!(shared.tags, ["x", "y"]);
        assert_eq!(
            shared.source.map(|source| (source.path, source.line)),
            Some(("s.rs".to_owned(), Some(3)))
        );
        assert_eq!(
            shared.recorded_at.map(|at| at.to_string()).as_deref(),
            Some("2026-01-02T00:00:00Z")
        );
        let named: Vec<(Place, &str)> = report
            .unknown_fields
            .iter()
            .map(|(at, name)| (*at, name.as_str()))
            .collect();
        assert_eq!(
            named,
            [
                (Place::Line(6), "bogus"),
                (Place::Line(11), "authors"),
                (Place::Line(13), "status")
            ]
        );
        assert!(report.flaws.is_empty(), "{report:?}");
    }

    #[test]
    fn what_is_not_understood_is_reported() {
        let (shared, report) = read(&["---", "confidence: high", "date: soon", "source:", "---"]);
        assert_eq!(
            (shared.confidence, shared.recorded_at, shared.source),
            (None, None, None)
        );
        assert_eq!(report.flaws.len(), 2, "{report:?}");
    }

    #[test]
    fn a_memory_keeps_what_it_says_itself() {
        let (shared, _) = read(&[
            "confidence: 0.4",
            "tags: a, b",
            "links:",
            "- x/y",
            "- \"z:0\"",
        ]);
        let own = Portable {
            confidence: Some(0.9),
            tags: vec!["b".to_owned()],
            ..Portable::default()
        };
        let mut filled = own.clone();
        fill(&mut filled, &shared);
        assert_eq!(
            (filled.confidence, &filled.tags[..]),
            (Some(0.9), &["b".to_owned(), "a".to_owned()][..])
        );
        assert_eq!(filled.links, ["x/y", "z:0"]);
        fill(&mut filled, &Portable::default());
        assert_eq!(filled.confidence, Some(0.9));
    }
}
