//! Drafts as `batch` reads them, and the chunks that they are sent in.

use std::collections::HashMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use helix_client::limits::{BATCH_MAX, MESSAGE_MAX_BYTES};
use helix_client::v1;
use serde::Deserialize;
use serde_json::Value;

use crate::time;

/// Most bytes of drafts in one message; half of what a message holds leaves room for its encoding.
const CHUNK_BYTES_MAX: usize = MESSAGE_MAX_BYTES / 2;

/// Bytes that a draft takes besides its texts.
const DRAFT_BYTES: usize = 64;

/// Why an input holds no drafts.
#[derive(Debug, thiserror::Error)]
pub(super) enum DraftsError {
    /// Not JSON.
    #[error("the input is no list of memories ({0}); nothing was stored")]
    Json(#[from] serde_json::Error),
    /// Nothing there.
    #[error("the input holds no memory; write a JSON array or one object a line")]
    Empty,
}

/// A draft on its way in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DraftDocument {
    topic: String,
    text: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    tags: Names,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    links: Names,
    importance: Option<f32>,
    priority: Option<i64>,
    weight: Option<i64>,
    #[serde(default)]
    summary: String,
    confidence: Option<f32>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    attributes: HashMap<String, String>,
    valid_from: Option<String>,
}

/// A list, or the same separated by commas.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    List(Vec<Name>),
    One(Name),
}

/// A name, or a number that stands for one: the place of an earlier memory, in links.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(serde_json::Number),
}

impl Name {
    fn written(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Names {
    fn list(self) -> Vec<String> {
        match self {
            Self::List(list) => list.into_iter().map(Name::written).collect(),
            Self::One(name) => {
                let names = name.written();
                names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect()
            }
        }
    }
}

impl DraftDocument {
    fn draft(self) -> Result<v1::Draft, String> {
        let valid_from_us = self.valid_from.map(|at| time::from(&at)).transpose();
        Ok(v1::Draft {
            topic: self.topic,
            text: self.text,
            kind: self.kind,
            tags: self.tags.list(),
            scope: self.scope,
            source: self.source,
            links: self.links.list(),
            importance: self.importance,
            priority: self.priority,
            weight: self.weight,
            summary: self.summary,
            confidence: self.confidence,
            pinned: self.pinned,
            attributes: self.attributes,
            valid_from_us: valid_from_us.map_err(|problem| format!("valid_from is {problem}"))?,
        })
    }
}

/// The memories of an input.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Drafts {
    /// In order. An empty one, which the daemon refuses, stands for each that is wrong: links go
    /// by position.
    pub(super) drafts: Vec<v1::Draft>,
    /// The mistakes, by position.
    pub(super) wrong: HashMap<usize, String>,
}

impl Drafts {
    fn push(&mut self, read: Result<v1::Draft, String>) {
        let draft = read.unwrap_or_else(|why| {
            self.wrong.insert(self.drafts.len(), why);
            v1::Draft::default()
        });
        self.drafts.push(draft);
    }
}

/// Reads a JSON array of drafts, or one after the other. One that is wrong costs only itself.
pub(super) fn parse(input: &str) -> Result<Drafts, DraftsError> {
    let input = input.strip_prefix('\u{feff}').unwrap_or(input);
    let mut drafts = Drafts::default();
    if input.trim_start().starts_with('[') {
        let items: Vec<Value> = serde_json::from_str(input)?;
        for item in items {
            drafts.push(draft(item));
        }
    } else {
        parse_stream(input, &mut drafts);
    }
    if drafts.drafts.is_empty() {
        return Err(DraftsError::Empty);
    }
    Ok(drafts)
}

/// Reads one after the other. What is no JSON costs the line that it begins on.
fn parse_stream(input: &str, drafts: &mut Drafts) {
    let mut rest = input.trim_start();
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let read = values.next();
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let (item, end) = match read {
            Some(Ok(item)) => (draft(item), values.byte_offset()),
            Some(Err(error)) => {
                let line = input.len().saturating_sub(rest.len());
                let line = input.get(..line).unwrap_or_default().matches('\n').count() + 1;
                (Err(format!("line {line} is no JSON ({error})")), line_end)
            }
            None => return,
        };
        drafts.push(item);
        rest = rest.get(end..).unwrap_or_default().trim_start();
    }
}

fn draft(item: Value) -> Result<v1::Draft, String> {
    serde_json::from_value::<DraftDocument>(item)
        .map_err(|error| error.to_string())?
        .draft()
}

/// Drafts in chunks that one message holds.
#[derive(Debug)]
pub(super) struct Chunks {
    drafts: Peekable<IntoIter<v1::Draft>>,
}

impl Chunks {
    /// Divides the drafts, in order.
    pub(super) fn of(drafts: Vec<v1::Draft>) -> Self {
        Self {
            drafts: drafts.into_iter().peekable(),
        }
    }
}

impl Iterator for Chunks {
    type Item = Vec<v1::Draft>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.drafts.next()?;
        let mut bytes_left = CHUNK_BYTES_MAX.saturating_sub(weight(&first));
        let mut chunk = vec![first];
        while chunk.len() < BATCH_MAX
            && let Some(next) = self.drafts.next_if(|next| weight(next) <= bytes_left)
        {
            bytes_left -= weight(&next);
            chunk.push(next);
        }
        Some(chunk)
    }
}

fn weight(draft: &v1::Draft) -> usize {
    let lists = draft.tags.iter().chain(&draft.links).chain(
        draft
            .attributes
            .iter()
            .flat_map(|(key, value)| [key, value]),
    );
    let texts = [
        &draft.topic,
        &draft.text,
        &draft.kind,
        &draft.scope,
        &draft.source,
    ];
    texts
        .into_iter()
        .chain(lists)
        .map(|text| text.len() + size_of::<u64>())
        .sum::<usize>()
        + DRAFT_BYTES
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn arrays_and_lines_are_read_alike() {
        let array = r#"[{"topic":"a","text":"x","tags":"p, q"},{"topic":"b","text":"y","tags":["r"],"confidence":0.5}]"#;
        let lines = "{\"topic\":\"a\",\"text\":\"x\",\"tags\":[\"p\",\"q\"]}\n\n{\"topic\":\"b\",\n\"text\":\"y\",\"tags\":\"r\",\"confidence\":0.5}\n";
        let drafts = parse(array).unwrap();
        assert_eq!(drafts, parse(lines).unwrap());
        let drafts = drafts.drafts;
        assert_eq!((drafts[0].tags.len(), drafts[1].confidence), (2, Some(0.5)));
    }

    #[test]
    fn a_place_is_a_link() {
        let drafts = parse(
            r#"[{"topic":"a","text":"x","links":[0,"a/b"]},{"topic":"a","text":"y","links":1}]"#,
        )
        .unwrap()
        .drafts;
        assert_eq!(
            (drafts[0].links.join(" "), drafts[1].links.join(" ")),
            ("0 a/b".to_owned(), "1".to_owned())
        );
    }

    #[test]
    fn what_is_wrong_costs_only_itself() {
        let good = "{\"topic\":\"a\",\"text\":\"b\"}";
        for (bad, said) in [
            ("{\"topic\":\"a\"}", "missing field `text`"),
            (
                "{\"topic\":\"a\",\"text\":\"b\",\"colour\":\"c\"}",
                "unknown field `colour`",
            ),
            (
                "{\"topic\":\"a\",\"text\":\"b\",\"valid_from\":\"soon\"}",
                "valid_from is not a date",
            ),
            ("7", "invalid type"),
        ] {
            for input in [
                format!("[{good}, {bad}, {good}]"),
                format!("{good}\n{bad}\n{good}\n"),
            ] {
                let Drafts { drafts, wrong } = parse(&input).unwrap();
                let texts: Vec<&str> = drafts.iter().map(|draft| draft.text.as_str()).collect();
                assert_eq!(texts, ["b", "", "b"], "{input}");
                assert!(
                    wrong.len() == 1 && wrong[&1].contains(said),
                    "{input}: {wrong:?}"
                );
            }
        }
        let Drafts { drafts, wrong } =
            parse(&format!("{good}\n{{\"topic\": nonsense}}\n{good}")).unwrap();
        assert!(
            drafts.len() == 3 && wrong[&1].starts_with("line 2 is no JSON"),
            "{wrong:?}"
        );
        for (input, said) in [
            ("", "no memory"),
            ("[]", "no memory"),
            ("[{\"topic\":", "nothing was stored"),
        ] {
            let error = parse(input).unwrap_err().to_string();
            assert!(error.contains(said), "{input}: {error}");
        }
    }

    #[test]
    fn chunks_hold_what_a_message_holds() {
        let draft = |bytes| v1::Draft {
            text: "x".repeat(bytes),
            ..v1::Draft::default()
        };
        let sizes = |drafts: Vec<v1::Draft>| {
            Chunks::of(drafts)
                .map(|chunk| chunk.len())
                .collect::<Vec<_>>()
        };
        assert_eq!(sizes(vec![draft(10); 2_500]), [1_000, 1_000, 500]);
        assert_eq!(sizes(vec![draft(64 * 1024); 200]), [127, 73]);
        assert_eq!(sizes(vec![draft(CHUNK_BYTES_MAX * 2), draft(1)]), [1, 1]);
        assert!(sizes(Vec::new()).is_empty());
    }
}
