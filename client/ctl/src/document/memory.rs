//! Memories, and the answers that hold little else.

use std::collections::BTreeMap;

use helix_client::v1;
use serde::Serialize;

use crate::time::rfc3339;

/// Where an id's hexadecimal digits are divided.
const HYPHENS_BEFORE_BYTES: [usize; 4] = [4, 6, 8, 10];

/// One memory.
#[derive(Debug, Serialize)]
pub(crate) struct MemoryDocument<'a> {
    id: String,
    handle: &'a str,
    topic: &'a str,
    text: &'a str,
    kind: &'a str,
    tags: &'a [String],
    scope: &'a str,
    source: Option<SourceDocument<'a>>,
    links: &'a [String],
    importance: f32,
    /// As stored.
    confidence: f32,
    /// Its rest now.
    effective_confidence: f32,
    /// Its rest, where the memory is stale.
    doubted_confidence: Option<f32>,
    pinned: bool,
    origin: &'a str,
    provenance: Vec<ProvenanceDocument<'a>>,
    attributes: BTreeMap<&'a str, &'a str>,
    valid_from: String,
    valid_to: Option<String>,
    recorded_at: String,
    last_seen_at: String,
    access_count: u64,
    status: &'a str,
    /// The memory that took its place.
    superseded_by: Option<&'a str>,
    /// Memories that contradict it, which nobody has settled.
    contradicted_by: &'a [String],
    sequence: u64,
    source_state: Option<&'static str>,
    /// Where its source's line is by now, if it moved.
    moved_to_line: Option<u32>,
    /// True if its source is no longer what it was.
    stale: bool,
    index: Option<u32>,
    summary: Option<&'a str>,
    shape: Option<&'a str>,
    /// Of the work tree that it was said in.
    branch: Option<&'a str>,
    commit: Option<&'a str>,
    /// Names of the orders to an agent in its text.
    suspicions: &'a [String],
}

#[derive(Debug, Serialize)]
struct SourceDocument<'a> {
    path: &'a str,
    line: Option<u32>,
    content_hash: Option<String>,
    git_blob: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct ProvenanceDocument<'a> {
    agent: &'a str,
    reference: &'a str,
    extractor: &'a str,
    origin: &'a str,
    at: String,
    branch: Option<&'a str>,
    commit: Option<&'a str>,
}

/// Outcome of a memory to be stored.
#[derive(Debug, Serialize)]
pub(crate) struct StoreDocument<'a> {
    outcome: &'static str,
    memory: Option<MemoryDocument<'a>>,
    similarity: Option<f32>,
    warnings: &'a [String],
    corrections: Vec<CorrectionDocument<'a>>,
}

/// A memory that a new one replaced, or cannot stand beside.
#[derive(Debug, Serialize)]
pub(crate) struct CorrectionDocument<'a> {
    handle: &'a str,
    replaced: bool,
    why: &'a str,
    text: &'a str,
}

/// One memory or a topic's.
#[derive(Debug, Serialize)]
pub(crate) struct ReadDocument<'a> {
    topic: Option<&'a str>,
    total: u32,
    next_cursor: Option<&'a str>,
    memories: Vec<MemoryDocument<'a>>,
}

/// The forgotten memories, or the candidates.
#[derive(Debug, Serialize)]
pub(crate) struct ForgetDocument<'a> {
    forgotten: Option<MemoryDocument<'a>>,
    was_forgotten: bool,
    notes: &'a [String],
    candidates: Vec<MemoryDocument<'a>>,
}

impl<'a> From<&'a v1::Memory> for MemoryDocument<'a> {
    fn from(memory: &'a v1::Memory) -> Self {
        Self {
            id: hyphenated(&memory.id),
            handle: &memory.handle,
            topic: &memory.topic,
            text: &memory.text,
            kind: &memory.kind,
            tags: &memory.tags,
            scope: &memory.scope,
            source: memory.source.as_ref().map(SourceDocument::from),
            links: &memory.links,
            importance: memory.importance,
            confidence: memory.confidence,
            effective_confidence: memory.effective_confidence,
            doubted_confidence: memory.doubted_confidence,
            pinned: memory.pinned,
            origin: &memory.origin,
            provenance: memory
                .provenance
                .iter()
                .map(ProvenanceDocument::from)
                .collect(),
            attributes: memory
                .attributes
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect(),
            valid_from: rfc3339(memory.valid_from_us),
            valid_to: memory.valid_to_us.map(rfc3339),
            recorded_at: rfc3339(memory.recorded_at_us),
            last_seen_at: rfc3339(memory.last_seen_at_us),
            access_count: memory.access_count,
            status: &memory.status,
            superseded_by: Some(memory.superseded_by.as_str()).filter(|handle| !handle.is_empty()),
            contradicted_by: &memory.contradicted_by,
            sequence: memory.sequence,
            source_state: source_state(memory.source_state()),
            moved_to_line: memory.moved_to_line,
            stale: is_stale(memory.source_state()),
            index: memory.index,
            summary: said(&memory.summary),
            shape: said(&memory.shape),
            branch: said(&memory.branch),
            commit: said(&memory.commit),
            suspicions: &memory.suspicions,
        }
    }
}

/// A field that says something.
fn said(field: &str) -> Option<&str> {
    Some(field).filter(|field| !field.is_empty())
}

impl<'a> From<&'a v1::SourceRef> for SourceDocument<'a> {
    fn from(source: &'a v1::SourceRef) -> Self {
        let known = |bytes: &[u8]| (!bytes.is_empty()).then(|| hex::encode(bytes));
        Self {
            path: &source.path,
            line: (source.line != 0).then_some(source.line),
            content_hash: known(&source.content_hash),
            git_blob: known(&source.git_blob),
        }
    }
}

impl<'a> From<&'a v1::Provenance> for ProvenanceDocument<'a> {
    fn from(provenance: &'a v1::Provenance) -> Self {
        let known = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        Self {
            agent: &provenance.agent,
            reference: &provenance.reference,
            extractor: &provenance.extractor,
            origin: &provenance.origin,
            at: rfc3339(provenance.at_us),
            branch: known(&provenance.branch),
            commit: known(&provenance.commit),
        }
    }
}

impl<'a> From<&'a v1::StoreReply> for StoreDocument<'a> {
    fn from(reply: &'a v1::StoreReply) -> Self {
        Self {
            outcome: outcome(reply),
            memory: reply.memory.as_ref().map(MemoryDocument::from),
            similarity: (reply.outcome() == v1::StoreOutcome::Duplicate)
                .then_some(reply.similarity),
            warnings: &reply.warnings,
            corrections: corrections(reply),
        }
    }
}

impl<'a> From<&'a v1::Correction> for CorrectionDocument<'a> {
    fn from(correction: &'a v1::Correction) -> Self {
        Self {
            handle: &correction.handle,
            replaced: correction.is_replaced,
            why: &correction.why,
            text: &correction.text,
        }
    }
}

/// Returns what a new memory did to those that were known.
pub(crate) fn corrections(reply: &v1::StoreReply) -> Vec<CorrectionDocument<'_>> {
    let corrections = reply.corrections.iter();
    corrections.map(CorrectionDocument::from).collect()
}

impl<'a> From<&'a v1::ReadReply> for ReadDocument<'a> {
    fn from(reply: &'a v1::ReadReply) -> Self {
        Self {
            topic: Some(reply.topic.as_str()).filter(|topic| !topic.is_empty()),
            total: reply.total,
            next_cursor: Some(reply.next_cursor.as_str()).filter(|cursor| !cursor.is_empty()),
            memories: reply.memories.iter().map(MemoryDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::ForgetReply> for ForgetDocument<'a> {
    fn from(reply: &'a v1::ForgetReply) -> Self {
        Self {
            forgotten: reply.forgotten.as_ref().map(MemoryDocument::from),
            was_forgotten: reply.was_forgotten,
            notes: &reply.notes,
            candidates: reply.candidates.iter().map(MemoryDocument::from).collect(),
        }
    }
}

/// Names what became of a memory's source; nothing when nobody looked.
pub(crate) fn source_state(state: v1::SourceState) -> Option<&'static str> {
    match state {
        v1::SourceState::Unknown => None,
        v1::SourceState::Fresh => Some("fresh"),
        v1::SourceState::Changed => Some("changed"),
        v1::SourceState::Deleted => Some("deleted"),
    }
}

fn is_stale(state: v1::SourceState) -> bool {
    match state {
        v1::SourceState::Unknown | v1::SourceState::Fresh => false,
        v1::SourceState::Changed | v1::SourceState::Deleted => true,
    }
}

/// Names what became of a memory to be stored.
pub(super) fn outcome(reply: &v1::StoreReply) -> &'static str {
    match reply.outcome() {
        v1::StoreOutcome::Unspecified => "unspecified",
        v1::StoreOutcome::Stored => "stored",
        v1::StoreOutcome::Reinforced => "reinforced",
        v1::StoreOutcome::Extended => "extended",
        v1::StoreOutcome::Duplicate => "duplicate",
    }
}

/// Writes an id as UUIDs are written.
pub(crate) fn hyphenated(id: &[u8]) -> String {
    let mut text = hex::encode(id);
    for byte in HYPHENS_BEFORE_BYTES.into_iter().rev() {
        if byte < id.len() {
            text.insert(2 * byte, '-');
        }
    }
    text
}
