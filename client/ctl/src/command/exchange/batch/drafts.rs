//! Drafts as `batch` reads them, and the chunks that they are sent in.

use std::collections::HashMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use helix_client::limits::{BATCH_MAX, MESSAGE_MAX_BYTES};
use helix_client::v1;
use serde::Deserialize;

use crate::time;

/// Most bytes of drafts in one message; half of what a message holds leaves room for its encoding.
const CHUNK_BYTES_MAX: usize = MESSAGE_MAX_BYTES / 2;

/// Bytes that a draft takes besides its texts.
const DRAFT_BYTES: usize = 64;

/// Why an input holds no drafts.
#[derive(Debug, thiserror::Error)]
pub(super) enum DraftsError {
    /// Not JSON, or not of this shape.
    #[error("the input is no list of memories ({0}); nothing was stored")]
    Json(#[from] serde_json::Error),
    /// A field cannot be.
    #[error("memory {number}: valid_from is {problem}; nothing was stored")]
    Time {
        /// 1-based.
        number: usize,
        /// What is wrong.
        problem: String,
    },
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
                names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
            }
        }
    }
}

impl DraftDocument {
    fn draft(self, number: usize) -> Result<v1::Draft, DraftsError> {
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
            confidence: self.confidence,
            pinned: self.pinned,
            attributes: self.attributes,
            valid_from_us: valid_from_us.map_err(|problem| DraftsError::Time { number, problem })?,
        })
    }
}

/// Reads a JSON array of drafts, or one after the other.
pub(super) fn parse(input: &str) -> Result<Vec<v1::Draft>, DraftsError> {
    let input = input.strip_prefix('\u{feff}').unwrap_or(input);
    let documents: Vec<DraftDocument> = if input.trim_start().starts_with('[') {
        serde_json::from_str(input)?
    } else {
        serde_json::Deserializer::from_str(input).into_iter().collect::<Result<_, _>>()?
    };
    if documents.is_empty() {
        return Err(DraftsError::Empty);
    }
    documents.into_iter().enumerate().map(|(at, document)| document.draft(at + 1)).collect()
}

/// Drafts in chunks that one message holds.
#[derive(Debug)]
pub(super) struct Chunks {
    drafts: Peekable<IntoIter<v1::Draft>>,
}

impl Chunks {
    /// Divides the drafts, in order.
    pub(super) fn of(drafts: Vec<v1::Draft>) -> Self {
        Self { drafts: drafts.into_iter().peekable() }
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
    let lists =
        draft.tags.iter().chain(&draft.links).chain(draft.attributes.iter().flat_map(|(key, value)| [key, value]));
    let texts = [&draft.topic, &draft.text, &draft.kind, &draft.scope, &draft.source];
    texts.into_iter().chain(lists).map(|text| text.len() + size_of::<u64>()).sum::<usize>() + DRAFT_BYTES
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn arrays_and_lines_are_read_alike() {
        let array =
            r#"[{"topic":"a","text":"x","tags":"p, q"},{"topic":"b","text":"y","tags":["r"],"confidence":0.5}]"#;
        let lines = "{\"topic\":\"a\",\"text\":\"x\",\"tags\":[\"p\",\"q\"]}\n\n{\"topic\":\"b\",\n\"text\":\"y\",\"tags\":\"r\",\"confidence\":0.5}\n";
        let drafts = parse(array).unwrap();
        assert_eq!(drafts, parse(lines).unwrap());
        assert_eq!((drafts[0].tags.len(), drafts[1].confidence), (2, Some(0.5)));
    }

    #[test]
    fn a_place_is_a_link() {
        let drafts =
            parse(r#"[{"topic":"a","text":"x","links":[0,"a/b"]},{"topic":"a","text":"y","links":1}]"#).unwrap();
        assert_eq!((drafts[0].links.join(" "), drafts[1].links.join(" ")), ("0 a/b".to_owned(), "1".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let table = [
            ("", "no memory"),
            ("[]", "no memory"),
            ("{\"topic\":\"a\"}", "missing field `text`"),
            ("{\"topic\":\"a\",\"text\":\"b\",\"colour\":\"c\"}", "unknown field `colour`"),
            ("{\"topic\":\"a\",\"text\":\"b\"}\nnonsense", "line 2"),
            ("{\"topic\":\"a\",\"text\":\"b\",\"valid_from\":\"soon\"}", "memory 1: valid_from is not a date"),
        ];
        for (input, said) in table {
            let error = parse(input).unwrap_err().to_string();
            assert!(error.contains(said), "{input}: {error}");
        }
    }

    #[test]
    fn chunks_hold_what_a_message_holds() {
        let draft = |bytes| v1::Draft { text: "x".repeat(bytes), ..v1::Draft::default() };
        let sizes = |drafts: Vec<v1::Draft>| Chunks::of(drafts).map(|chunk| chunk.len()).collect::<Vec<_>>();
        assert_eq!(sizes(vec![draft(10); 2_500]), [1_000, 1_000, 500]);
        assert_eq!(sizes(vec![draft(64 * 1024); 200]), [127, 73]);
        assert_eq!(sizes(vec![draft(CHUNK_BYTES_MAX * 2), draft(1)]), [1, 1]);
        assert!(sizes(Vec::new()).is_empty());
    }
}
