//! Conflicts, and what was decided of them.

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;

/// Memories that contradict each other.
#[derive(Debug, Serialize)]
pub(crate) struct ConflictsDocument<'a> {
    total: u32,
    conflicts: Vec<ConflictDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ConflictDocument<'a> {
    why: &'a str,
    newer: Option<MemoryDocument<'a>>,
    older: Option<MemoryDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<MemoryDocument<'a>>,
}

/// Memories that were settled.
#[derive(Debug, Serialize)]
pub(crate) struct SettledDocument<'a> {
    memories: Vec<MemoryDocument<'a>>,
}

impl<'a> From<&'a v1::ConflictsReply> for ConflictsDocument<'a> {
    fn from(reply: &'a v1::ConflictsReply) -> Self {
        let conflict = |conflict: &'a v1::Conflict| ConflictDocument {
            why: &conflict.why,
            newer: conflict.newer.as_ref().map(MemoryDocument::from),
            older: conflict.older.as_ref().map(MemoryDocument::from),
            others: conflict.others.iter().map(MemoryDocument::from).collect(),
        };
        Self {
            total: reply.total,
            conflicts: reply.conflicts.iter().map(conflict).collect(),
        }
    }
}

impl<'a> From<&'a v1::SettleReply> for SettledDocument<'a> {
    fn from(reply: &'a v1::SettleReply) -> Self {
        Self {
            memories: reply.memories.iter().map(MemoryDocument::from).collect(),
        }
    }
}
