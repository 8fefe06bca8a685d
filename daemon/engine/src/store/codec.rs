//! The versioned record codec: one version byte, then a protobuf message of that version.
//!
//! Every version keeps its own struct for good. Protobuf allows fields to be added inside a
//! version; a change that older code would misread makes a new version.

mod columns;
pub(super) mod edge;
pub(super) mod tombstone;

use std::collections::BTreeMap;

use prost::Message;

use helix_memory::{
    ErrorKind, GitContext, Handle, Kind, Memory, MemoryId, MemoryNumber, Origin, Provenance, Scope,
    Sequence, SourceRef, Status, Timestamp, Topic,
};

pub(crate) use columns::Columns;

/// Version of records written today.
pub(super) const RECORD_VERSION: u8 = 1;

/// Why a record cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Written by a newer Helix.
    #[error(
        "record of {what} has version {found}, this Helix knows up to {RECORD_VERSION}; install the newer Helix"
    )]
    Newer {
        /// The record's subject.
        what: &'static str,
        /// The version found.
        found: u8,
    },
    /// Not a record.
    #[error(
        "record of {what} is damaged: {detail}; restore a backup or run `helixctl doctor --deep`"
    )]
    Damaged {
        /// The record's subject.
        what: &'static str,
        /// The damage; never the record's content.
        detail: String,
    },
}

impl CodecError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Newer { .. } => ErrorKind::Newer,
            Self::Damaged { .. } => ErrorKind::Corrupt,
        }
    }
}

/// Splits the version byte off and checks it.
pub(super) fn versioned<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a [u8], CodecError> {
    match bytes.split_first() {
        Some((&RECORD_VERSION, body)) => Ok(body),
        Some((&found, _)) if found > RECORD_VERSION => Err(CodecError::Newer { what, found }),
        Some((found, _)) => Err(damaged(what, &format!("version {found} never existed"))),
        None => Err(damaged(what, "it is empty")),
    }
}

/// Puts the version byte before a message.
pub(super) fn with_version(message: &impl Message) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + message.encoded_len());
    bytes.push(RECORD_VERSION);
    message.encode_raw(&mut bytes);
    bytes
}

pub(super) fn damaged(what: &'static str, detail: &(impl ToString + ?Sized)) -> CodecError {
    CodecError::Damaged {
        what,
        detail: detail.to_string(),
    }
}

const WHAT: &str = "a memory";

/// A memory on disk, version 1. `access_count` and `last_seen_at` live in a table of their own.
#[derive(Clone, PartialEq, Message)]
struct MemoryV1 {
    #[prost(bytes = "vec", tag = "1")]
    id: Vec<u8>,
    #[prost(string, tag = "2")]
    handle: String,
    #[prost(string, tag = "3")]
    topic: String,
    #[prost(string, tag = "4")]
    text: String,
    #[prost(string, tag = "5")]
    kind: String,
    #[prost(string, repeated, tag = "6")]
    tags: Vec<String>,
    #[prost(string, tag = "7")]
    scope: String,
    #[prost(message, optional, tag = "8")]
    source: Option<SourceV1>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    links: Vec<Vec<u8>>,
    #[prost(float, tag = "10")]
    importance: f32,
    #[prost(float, tag = "11")]
    confidence: f32,
    #[prost(bool, tag = "12")]
    pinned: bool,
    #[prost(string, tag = "13")]
    origin: String,
    #[prost(message, repeated, tag = "14")]
    provenance: Vec<ProvenanceV1>,
    #[prost(btree_map = "string, string", tag = "15")]
    attributes: BTreeMap<String, String>,
    #[prost(sint64, tag = "16")]
    valid_from_us: i64,
    #[prost(sint64, optional, tag = "17")]
    valid_to_us: Option<i64>,
    #[prost(sint64, tag = "18")]
    recorded_at_us: i64,
    #[prost(string, tag = "19")]
    status: String,
    #[prost(uint64, tag = "20")]
    sequence: u64,
    #[prost(string, tag = "21")]
    summary: String,
    #[prost(string, repeated, tag = "22")]
    suspicions: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct SourceV1 {
    #[prost(string, tag = "1")]
    path: String,
    #[prost(uint32, optional, tag = "2")]
    line: Option<u32>,
    #[prost(bytes = "vec", optional, tag = "3")]
    content_hash: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "4")]
    git_blob: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProvenanceV1 {
    #[prost(string, tag = "1")]
    agent: String,
    #[prost(string, tag = "2")]
    reference: String,
    #[prost(string, tag = "3")]
    extractor: String,
    #[prost(string, tag = "4")]
    origin: String,
    #[prost(sint64, tag = "5")]
    at_us: i64,
    #[prost(string, tag = "6")]
    branch: String,
    #[prost(string, tag = "7")]
    commit: String,
}

/// Encodes a memory without its access statistics.
pub(super) fn encode(memory: &Memory) -> Vec<u8> {
    with_version(&MemoryV1 {
        id: memory.id.as_bytes().to_vec(),
        handle: memory.handle.as_str().to_owned(),
        topic: memory.topic.as_str().to_owned(),
        text: memory.text.clone(),
        kind: memory.kind.as_str().to_owned(),
        tags: memory.tags.clone(),
        scope: memory.scope.to_string(),
        source: memory.source.as_ref().map(encode_source),
        links: memory
            .links
            .iter()
            .map(|id| id.as_bytes().to_vec())
            .collect(),
        importance: memory.importance,
        confidence: memory.confidence,
        pinned: memory.pinned,
        origin: memory.origin.name().to_owned(),
        provenance: memory.provenance.iter().map(encode_provenance).collect(),
        attributes: memory.attributes.clone(),
        valid_from_us: memory.valid_from.as_micros(),
        valid_to_us: memory.valid_to.map(Timestamp::as_micros),
        recorded_at_us: memory.recorded_at.as_micros(),
        status: memory.status.name().to_owned(),
        sequence: memory.sequence.0,
        summary: memory.summary.clone(),
        suspicions: memory.suspicions.clone(),
    })
}

fn encode_source(source: &SourceRef) -> SourceV1 {
    SourceV1 {
        path: source.path.clone(),
        line: source.line,
        content_hash: source.content_hash.map(|hash| hash.to_vec()),
        git_blob: source.git_blob.map(|blob| blob.to_vec()),
    }
}

pub(super) fn encode_provenance(provenance: &Provenance) -> ProvenanceV1 {
    ProvenanceV1 {
        agent: provenance.agent.clone(),
        reference: provenance.reference.clone(),
        extractor: provenance.extractor.clone(),
        origin: provenance.origin.name().to_owned(),
        at_us: provenance.at.as_micros(),
        branch: provenance.git.branch.clone(),
        commit: provenance.git.commit.clone(),
    }
}

/// The field of [`MemoryV1`] that [`decode_text`] reads.
#[derive(Clone, PartialEq, Message)]
struct TextV1 {
    #[prost(string, tag = "4")]
    text: String,
}

/// Decodes a memory's text alone, at a fraction of the cost of the whole.
pub(super) fn decode_text(bytes: &[u8]) -> Result<String, CodecError> {
    let record = TextV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))?;
    Ok(record.text)
}

/// Decodes a memory. Access statistics start as "never since it was recorded".
pub(super) fn decode(number: MemoryNumber, bytes: &[u8]) -> Result<Memory, CodecError> {
    let record =
        MemoryV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))?;
    let links = record
        .links
        .iter()
        .map(|link| decode_id(link))
        .collect::<Result<_, _>>()?;
    let provenance = record
        .provenance
        .into_iter()
        .map(decode_provenance)
        .collect::<Result<_, _>>()?;
    Ok(Memory {
        id: decode_id(&record.id)?,
        number,
        handle: Handle::from_stored(record.handle),
        topic: Topic::parse(&record.topic).map_err(|error| damaged(WHAT, &error))?,
        text: record.text,
        kind: Kind::from_stored(&record.kind),
        tags: record.tags,
        scope: Scope::parse(&record.scope).map_err(|error| damaged(WHAT, &error))?,
        source: record.source.map(decode_source).transpose()?,
        links,
        importance: record.importance,
        confidence: record.confidence,
        pinned: record.pinned,
        origin: decode_origin(&record.origin)?,
        provenance,
        attributes: record.attributes,
        summary: record.summary,
        suspicions: record.suspicions,
        valid_from: Timestamp::from_micros(record.valid_from_us),
        valid_to: record.valid_to_us.map(Timestamp::from_micros),
        recorded_at: Timestamp::from_micros(record.recorded_at_us),
        last_seen_at: Timestamp::from_micros(record.recorded_at_us),
        access_count: 0,
        status: Status::parse(&record.status)
            .ok_or_else(|| damaged(WHAT, "its status is unknown"))?,
        sequence: Sequence(record.sequence),
    })
}

fn decode_id(bytes: &[u8]) -> Result<MemoryId, CodecError> {
    bytes
        .try_into()
        .map(MemoryId::from_bytes)
        .map_err(|_| damaged(WHAT, "an id has not 16 bytes"))
}

fn decode_origin(name: &str) -> Result<Origin, CodecError> {
    Origin::parse(name).ok_or_else(|| damaged(WHAT, "its origin is unknown"))
}

fn decode_source(source: SourceV1) -> Result<SourceRef, CodecError> {
    let content_hash = source.content_hash.map(|hash| fixed(&hash)).transpose()?;
    let git_blob = source.git_blob.map(|blob| fixed(&blob)).transpose()?;
    Ok(SourceRef {
        path: source.path,
        line: source.line,
        content_hash,
        git_blob,
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], CodecError> {
    bytes
        .try_into()
        .map_err(|_| damaged(WHAT, &format!("a hash has not {N} bytes")))
}

pub(super) fn decode_provenance(provenance: ProvenanceV1) -> Result<Provenance, CodecError> {
    Ok(Provenance {
        origin: decode_origin(&provenance.origin)?,
        agent: provenance.agent,
        reference: provenance.reference,
        extractor: provenance.extractor,
        at: Timestamp::from_micros(provenance.at_us),
        git: GitContext {
            branch: provenance.branch,
            commit: provenance.commit,
        },
    })
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
