//! What waits in the review, and what was purged.

use helix_client::v1::{self, ReviewKind};
use serde::Serialize;

use super::memory::MemoryDocument;

/// What waits.
#[derive(Debug, Serialize)]
pub(crate) struct ReviewDocument<'a> {
    total: u32,
    elsewhere: u32,
    items: Vec<ItemDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ItemDocument<'a> {
    kind: &'static str,
    reason: &'a str,
    relation: Option<&'a str>,
    memory: Option<MemoryDocument<'a>>,
    other: Option<MemoryDocument<'a>>,
    if_approved: &'a str,
    if_rejected: &'a str,
}

/// What was settled.
#[derive(Debug, Serialize)]
pub(crate) struct JudgeDocument<'a> {
    settled: u32,
    memories: Vec<MemoryDocument<'a>>,
    notes: &'a [String],
}

/// What was purged, or would be.
#[derive(Debug, Serialize)]
pub(crate) struct PurgeDocument<'a> {
    done: bool,
    memories: Vec<PurgedDocument<'a>>,
    /// The tasks of the checkpoints.
    checkpoints: Vec<&'a str>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct PurgedDocument<'a> {
    handle: &'a str,
    id: String,
    derived_from: Option<&'a str>,
}

impl<'a> From<&'a v1::ReviewReply> for ReviewDocument<'a> {
    fn from(reply: &'a v1::ReviewReply) -> Self {
        Self {
            total: reply.total,
            elsewhere: reply.elsewhere,
            items: reply.items.iter().map(ItemDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::ReviewItem> for ItemDocument<'a> {
    fn from(item: &'a v1::ReviewItem) -> Self {
        Self {
            kind: review_kind(item.kind()),
            reason: &item.reason,
            relation: Some(item.relation.as_str()).filter(|relation| !relation.is_empty()),
            memory: item.memory.as_ref().map(MemoryDocument::from),
            other: item.other.as_ref().map(MemoryDocument::from),
            if_approved: &item.if_approved,
            if_rejected: &item.if_rejected,
        }
    }
}

impl<'a> From<&'a v1::JudgeReply> for JudgeDocument<'a> {
    fn from(reply: &'a v1::JudgeReply) -> Self {
        Self {
            settled: reply.settled,
            memories: reply.memories.iter().map(MemoryDocument::from).collect(),
            notes: &reply.notes,
        }
    }
}

impl<'a> From<&'a v1::PurgeReply> for PurgeDocument<'a> {
    fn from(reply: &'a v1::PurgeReply) -> Self {
        let purged = |purged: &'a v1::PurgedMemory| {
            let memory = purged.memory.as_ref()?;
            Some(PurgedDocument {
                handle: &memory.handle,
                id: super::hyphenated(&memory.id),
                derived_from: Some(purged.derived_from.as_str()).filter(|from| !from.is_empty()),
            })
        };
        Self {
            done: reply.done,
            memories: reply.memories.iter().filter_map(purged).collect(),
            checkpoints: reply
                .checkpoints
                .iter()
                .map(|saved| saved.task.as_str())
                .collect(),
            notes: &reply.notes,
        }
    }
}

/// Names why something waits.
pub(crate) fn review_kind(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Unspecified => "unknown",
        ReviewKind::Quarantined => "quarantined",
        ReviewKind::Suspect => "suspect",
        ReviewKind::Conflict => "conflict",
        ReviewKind::Supersession => "supersession",
        ReviewKind::Relation => "relation",
        ReviewKind::Archive => "archive",
        ReviewKind::Repeated => "repeated",
    }
}
