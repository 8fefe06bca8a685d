//! Relations between memories, and what they connect.

use helix_client::v1;
use serde::Serialize;

use super::memory::{MemoryDocument, ProvenanceDocument, hyphenated};
use crate::time::rfc3339;

/// A relation between two memories.
#[derive(Debug, Serialize)]
pub(super) struct EdgeDocument<'a> {
    id: String,
    from: &'a str,
    relation: &'a str,
    to: &'a str,
    /// How it reads from its far end.
    inverse: &'a str,
    strength: f32,
    bidirectional: bool,
    status: &'a str,
    /// `edge`, `link` or `supersession`.
    source: &'static str,
    provenance: Option<ProvenanceDocument<'a>>,
    reason: &'a str,
    valid_from: Option<String>,
    valid_to: Option<String>,
}

/// The result of relating.
#[derive(Debug, Serialize)]
pub(crate) struct RelateDocument<'a> {
    changed: bool,
    edge: Option<EdgeDocument<'a>>,
    notes: &'a [String],
}

/// How a relation was taken back.
#[derive(Debug, Serialize)]
pub(crate) struct UnrelateDocument<'a> {
    /// `removed`, `rejected` or `unlinked`.
    outcome: &'static str,
    edge: Option<EdgeDocument<'a>>,
}

/// The result of a walk, or a path.
#[derive(Debug, Serialize)]
pub(crate) struct WalkDocument<'a> {
    memories: Vec<ReachedDocument<'a>>,
    edges: Vec<EdgeDocument<'a>>,
    /// True if there is more than these.
    cut: bool,
}

#[derive(Debug, Serialize)]
struct ReachedDocument<'a> {
    depth: u32,
    /// The edge by which it was reached.
    by: Option<String>,
    memory: Option<MemoryDocument<'a>>,
}

/// Names how a relation was taken back.
pub(crate) fn unrelated_how(outcome: v1::UnrelateOutcome) -> &'static str {
    match outcome {
        v1::UnrelateOutcome::Removed => "removed",
        v1::UnrelateOutcome::Rejected => "rejected",
        v1::UnrelateOutcome::Unlinked => "unlinked",
    }
}

impl<'a> From<&'a v1::MemoryEdge> for EdgeDocument<'a> {
    fn from(edge: &'a v1::MemoryEdge) -> Self {
        let source = match edge.source() {
            v1::EdgeSource::Stored => "edge",
            v1::EdgeSource::Link => "link",
            v1::EdgeSource::Supersession => "supersession",
        };
        Self {
            id: hyphenated(&edge.id),
            from: &edge.from,
            relation: &edge.relation,
            to: &edge.to,
            inverse: &edge.inverse,
            strength: edge.strength,
            bidirectional: edge.bidirectional,
            status: &edge.status,
            source,
            provenance: edge.provenance.as_ref().map(ProvenanceDocument::from),
            reason: &edge.reason,
            valid_from: edge.valid_from_us.map(rfc3339),
            valid_to: edge.valid_to_us.map(rfc3339),
        }
    }
}

impl<'a> From<&'a v1::RelateReply> for RelateDocument<'a> {
    fn from(reply: &'a v1::RelateReply) -> Self {
        Self {
            changed: reply.changed,
            edge: reply.edge.as_ref().map(EdgeDocument::from),
            notes: &reply.notes,
        }
    }
}

impl<'a> From<&'a v1::UnrelateReply> for UnrelateDocument<'a> {
    fn from(reply: &'a v1::UnrelateReply) -> Self {
        Self {
            outcome: unrelated_how(reply.outcome()),
            edge: reply.edge.as_ref().map(EdgeDocument::from),
        }
    }
}

impl<'a> From<&'a v1::TraverseReply> for WalkDocument<'a> {
    fn from(reply: &'a v1::TraverseReply) -> Self {
        Self {
            memories: reply.memories.iter().map(ReachedDocument::from).collect(),
            edges: reply.edges.iter().map(EdgeDocument::from).collect(),
            cut: reply.cut,
        }
    }
}

impl<'a> From<&'a v1::PathReply> for WalkDocument<'a> {
    fn from(reply: &'a v1::PathReply) -> Self {
        Self {
            memories: reply.memories.iter().map(ReachedDocument::from).collect(),
            edges: reply.edges.iter().map(EdgeDocument::from).collect(),
            cut: false,
        }
    }
}

impl<'a> From<&'a v1::ReachedMemory> for ReachedDocument<'a> {
    fn from(reached: &'a v1::ReachedMemory) -> Self {
        Self {
            depth: reached.depth,
            by: (!reached.by.is_empty()).then(|| hyphenated(&reached.by)),
            memory: reached.memory.as_ref().map(MemoryDocument::from),
        }
    }
}
