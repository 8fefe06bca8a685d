//! The object as it is written.

use std::collections::BTreeMap;

use helix_memory::{Origin, Provenance, SourceRef, Status, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::rest_hash;
use crate::{Portable, time};

/// Says whether the object holds the text or only describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// Everything but the topic, which stands around it; and the hashes, where an id makes changes
    /// known again.
    Text,
    /// Everything but topic and text, and the hashes that tell what was changed.
    Hash,
}

/// The object, its fields in the order in which people read them.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    links: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    provenance: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen_at: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    access_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rest_hash: Option<String>,
}

#[derive(Serialize)]
struct Source<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_blob: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Step<'a> {
    agent: &'a str,
    reference: &'a str,
    extractor: &'a str,
    origin: &'static str,
    at: String,
}

impl<'a> Line<'a> {
    pub(crate) fn new(memory: &'a Portable, carries: Carries) -> Self {
        let has_hashes = carries == Carries::Hash || memory.id.is_some();
        Self {
            id: memory.id.map(|id| id.to_string()),
            handle: memory.handle.as_deref(),
            kind: memory.kind.as_deref(),
            summary: &memory.summary,
            tags: &memory.tags,
            scope: memory.scope.as_ref().map(ToString::to_string),
            source: memory.source.as_ref().map(Source::new),
            links: &memory.links,
            importance: memory.importance,
            confidence: memory.confidence,
            pinned: memory.pinned,
            origin: memory.origin.map(Origin::name),
            provenance: memory.provenance.iter().map(Step::new).collect(),
            attributes: &memory.attributes,
            recorded_at: written_time(memory.recorded_at),
            valid_from: written_time(memory.valid_from),
            valid_to: written_time(memory.valid_to),
            last_seen_at: written_time(memory.last_seen_at),
            access_count: memory.access_count,
            status: memory.status.map(Status::name),
            text: (carries == Carries::Text).then_some(memory.text.as_str()),
            text_hash: has_hashes.then(|| text_hash(&memory.text)),
            fields_hash: has_hashes.then(|| fields_hash(memory)),
            rest_hash: has_hashes.then(|| rest_hash(memory)),
        }
    }
}

impl<'a> Source<'a> {
    fn new(source: &'a SourceRef) -> Self {
        let content_hash = source.content_hash.map(hex::encode);
        let git_blob = source.git_blob.map(hex::encode);
        Self {
            path: &source.path,
            line: source.line,
            content_hash,
            git_blob,
        }
    }
}

impl<'a> Step<'a> {
    pub(super) fn new(step: &'a Provenance) -> Self {
        Self {
            agent: &step.agent,
            reference: &step.reference,
            extractor: &step.extractor,
            origin: step.origin.name(),
            at: time::write(step.at),
        }
    }
}

/// A moment as it is written.
pub(super) fn written_time(at: Option<Timestamp>) -> Option<String> {
    at.map(time::write)
}

/// Bytes of a text's hash that a marker carries: enough to notice an edit.
const TEXT_HASH_BYTES: usize = 8;

/// Returns the hash by which an edited text is told from an untouched one.
pub(crate) fn text_hash(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    hex::encode(hash.as_bytes().get(..TEXT_HASH_BYTES).unwrap_or_default())
}

/// Returns the hash by which edited fields are told from untouched ones: of those that people edit
/// by hand.
pub(crate) fn fields_hash(memory: &Portable) -> String {
    let Portable {
        kind,
        tags,
        importance,
        confidence,
        pinned,
        ..
    } = memory;
    text_hash(&json!([kind, tags, importance, confidence, pinned]).to_string())
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
