//! Operations, differences, and a memory's life.

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;
use crate::time::rfc3339;

/// Operations, newest first.
#[derive(Debug, Serialize)]
pub(crate) struct LogDocument<'a> {
    operations: Vec<LineDocument<'a>>,
    has_more: bool,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct LineDocument<'a> {
    sequence: u64,
    at: String,
    kind: &'a str,
    handle: &'a str,
    summary: &'a str,
    reason: &'a str,
    origin: &'a str,
    agent: &'a str,
    session: &'a str,
    branch: &'a str,
    commit: &'a str,
    group: u64,
    reverts: Option<u64>,
    undone: bool,
}

/// The differences between two places.
#[derive(Debug, Serialize)]
pub(crate) struct DiffDocument<'a> {
    from_sequence: u64,
    to_sequence: u64,
    memories_total: u32,
    edges_total: u32,
    memories: Vec<ChangedMemoryDocument<'a>>,
    edges: Vec<ChangedEdgeDocument<'a>>,
    notes: &'a [String],
}

/// The changes that were, or would be, taken back.
#[derive(Debug, Serialize)]
pub(crate) struct RevertDocument<'a> {
    /// The operation that did it; absent when nothing was changed.
    sequence: Option<u64>,
    to_sequence: Option<u64>,
    memories_total: u32,
    edges_total: u32,
    reverted: Vec<LineDocument<'a>>,
    memories: Vec<ChangedMemoryDocument<'a>>,
    edges: Vec<ChangedEdgeDocument<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct ChangedMemoryDocument<'a> {
    before: Option<MemoryDocument<'a>>,
    after: Option<MemoryDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ChangedEdgeDocument<'a> {
    from: &'a str,
    relation: &'a str,
    to: &'a str,
    before: Option<EdgeStateDocument<'a>>,
    after: Option<EdgeStateDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct EdgeStateDocument<'a> {
    strength: f32,
    bidirectional: bool,
    status: &'a str,
    reason: &'a str,
}

/// Where a memory comes from and what became of it.
#[derive(Debug, Serialize)]
pub(crate) struct WhyDocument<'a> {
    memory: Option<MemoryDocument<'a>>,
    operations: Vec<LineDocument<'a>>,
    replaces: &'a [String],
    edges: &'a [String],
    told_total: u32,
    told: Vec<TellingDocument<'a>>,
    /// Sessions running that were given it and did not follow.
    ignored: u32,
    /// Sessions that it is yet to be left out of.
    rests: u32,
}

#[derive(Debug, Serialize)]
struct TellingDocument<'a> {
    at: String,
    session: &'a str,
    event: &'a str,
    fate: &'a str,
}

impl<'a> From<&'a v1::LogReply> for LogDocument<'a> {
    fn from(reply: &'a v1::LogReply) -> Self {
        Self {
            operations: lines(&reply.lines),
            has_more: reply.has_more,
            notes: &reply.notes,
        }
    }
}

fn lines(lines: &[v1::LogLine]) -> Vec<LineDocument<'_>> {
    lines.iter().map(LineDocument::from).collect()
}

impl<'a> From<&'a v1::LogLine> for LineDocument<'a> {
    fn from(line: &'a v1::LogLine) -> Self {
        Self {
            sequence: line.sequence,
            at: rfc3339(line.at_us),
            kind: &line.kind,
            handle: &line.handle,
            summary: &line.summary,
            reason: &line.reason,
            origin: &line.origin,
            agent: &line.agent,
            session: &line.session,
            branch: &line.branch,
            commit: &line.commit,
            group: line.group,
            reverts: line.reverts,
            undone: line.undone,
        }
    }
}

impl<'a> From<&'a v1::DiffReply> for DiffDocument<'a> {
    fn from(reply: &'a v1::DiffReply) -> Self {
        Self {
            from_sequence: reply.from_sequence,
            to_sequence: reply.to_sequence,
            memories_total: reply.memories_total,
            edges_total: reply.edges_total,
            memories: changed_memories(&reply.memories),
            edges: changed_edges(&reply.edges),
            notes: &reply.notes,
        }
    }
}

impl<'a> From<&'a v1::RevertReply> for RevertDocument<'a> {
    fn from(reply: &'a v1::RevertReply) -> Self {
        let known = |sequence: u64| (sequence != 0).then_some(sequence);
        Self {
            sequence: known(reply.sequence),
            to_sequence: known(reply.to_sequence),
            memories_total: reply.memories_total,
            edges_total: reply.edges_total,
            reverted: lines(&reply.reverted),
            memories: changed_memories(&reply.memories),
            edges: changed_edges(&reply.edges),
            notes: &reply.notes,
        }
    }
}

fn changed_memories(changed: &[v1::ChangedMemory]) -> Vec<ChangedMemoryDocument<'_>> {
    changed
        .iter()
        .map(|changed| ChangedMemoryDocument {
            before: changed.before.as_ref().map(MemoryDocument::from),
            after: changed.after.as_ref().map(MemoryDocument::from),
        })
        .collect()
}

fn changed_edges(changed: &[v1::ChangedEdge]) -> Vec<ChangedEdgeDocument<'_>> {
    changed
        .iter()
        .map(|changed| ChangedEdgeDocument {
            from: &changed.from,
            relation: &changed.relation,
            to: &changed.to,
            before: changed.before.as_ref().map(EdgeStateDocument::from),
            after: changed.after.as_ref().map(EdgeStateDocument::from),
        })
        .collect()
}

impl<'a> From<&'a v1::EdgeState> for EdgeStateDocument<'a> {
    fn from(state: &'a v1::EdgeState) -> Self {
        Self {
            strength: state.strength,
            bidirectional: state.bidirectional,
            status: &state.status,
            reason: &state.reason,
        }
    }
}

impl<'a> From<&'a v1::WhyReply> for WhyDocument<'a> {
    fn from(reply: &'a v1::WhyReply) -> Self {
        Self {
            memory: reply.memory.as_ref().map(MemoryDocument::from),
            operations: lines(&reply.operations),
            replaces: &reply.replaces,
            edges: &reply.edges,
            told_total: reply.told_total,
            told: reply.told.iter().map(TellingDocument::from).collect(),
            ignored: reply.ignored,
            rests: reply.rests,
        }
    }
}

impl<'a> From<&'a v1::Receipt> for TellingDocument<'a> {
    fn from(receipt: &'a v1::Receipt) -> Self {
        Self {
            at: rfc3339(receipt.at_us),
            session: &receipt.session,
            event: &receipt.event,
            fate: &receipt.fate,
        }
    }
}
