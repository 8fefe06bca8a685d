//! Memories found outdated, quiet or doubled, and what was done about them.

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;
use super::status::IndexDocument;
use super::topics::TopicDocument;

/// Memories whose source changed.
#[derive(Debug, Serialize)]
pub(crate) struct StaleDocument<'a> {
    checked: u32,
    unknown: u32,
    stale: Vec<StaleMemoryDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct StaleMemoryDocument<'a> {
    memory: Option<MemoryDocument<'a>>,
    current: Option<&'a str>,
    current_line: Option<u32>,
}

/// Topics that were quiet.
#[derive(Debug, Serialize)]
pub(crate) struct PruneDocument<'a> {
    days: u32,
    topics: Vec<TopicDocument<'a>>,
}

/// Near duplicates.
#[derive(Debug, Serialize)]
pub(crate) struct CompactDocument<'a> {
    pairs: Vec<PairDocument<'a>>,
    similar: Vec<PairDocument<'a>>,
    merged: u32,
    repaired: u32,
    bytes_before: u64,
    /// Only where the files were rewritten.
    bytes_after: Option<u64>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct PairDocument<'a> {
    similarity: f32,
    kept: Option<MemoryDocument<'a>>,
    duplicate: Option<MemoryDocument<'a>>,
}

/// Indexes made anew.
#[derive(Debug, Serialize)]
pub(crate) struct ReindexDocument<'a> {
    memories: u64,
    elapsed_us: u64,
    indexes: Vec<IndexDocument<'a>>,
}

impl<'a> From<&'a v1::StaleReply> for StaleDocument<'a> {
    fn from(reply: &'a v1::StaleReply) -> Self {
        let document = |stale: &'a v1::StaleMemory| StaleMemoryDocument {
            memory: stale.memory.as_ref().map(MemoryDocument::from),
            current: Some(stale.current.as_str()).filter(|current| !current.is_empty()),
            current_line: (stale.current_line != 0).then_some(stale.current_line),
        };
        Self {
            checked: reply.checked,
            unknown: reply.unknown,
            stale: reply.stale.iter().map(document).collect(),
        }
    }
}

impl<'a> From<&'a v1::PruneReply> for PruneDocument<'a> {
    fn from(reply: &'a v1::PruneReply) -> Self {
        Self {
            days: reply.days,
            topics: reply.topics.iter().map(TopicDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::CompactReply> for CompactDocument<'a> {
    fn from(reply: &'a v1::CompactReply) -> Self {
        let document = |pair: &'a v1::DuplicatePair| PairDocument {
            similarity: pair.similarity,
            kept: pair.kept.as_ref().map(MemoryDocument::from),
            duplicate: pair.duplicate.as_ref().map(MemoryDocument::from),
        };
        Self {
            pairs: reply.pairs.iter().map(document).collect(),
            similar: reply.similar.iter().map(document).collect(),
            merged: reply.merged,
            repaired: reply.repaired,
            bytes_before: reply.bytes_before,
            bytes_after: (reply.bytes_after > 0).then_some(reply.bytes_after),
            notes: &reply.notes,
        }
    }
}

impl<'a> From<&'a v1::ReindexReply> for ReindexDocument<'a> {
    fn from(reply: &'a v1::ReindexReply) -> Self {
        Self {
            memories: reply.memories,
            elapsed_us: reply.elapsed_us,
            indexes: reply.indexes.iter().map(IndexDocument::from).collect(),
        }
    }
}
