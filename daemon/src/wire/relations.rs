//! Relations as the wire has them.

use helix_app::relations::{
    Connected, PathWanted, Reached, Related, Relating, Source, ToldEdge, Unrelated, Unrelating,
    WalkWanted, Walked,
};
use helix_memory::Timestamp;
use helix_proto::v1;

use super::{provenance, told};

/// Reads a relation that somebody wants.
pub(crate) fn relating(wire: v1::RelateRequest) -> Relating {
    let v1::RelateRequest {
        caller: _,
        from,
        relation,
        to,
        strength,
        bidirectional,
        valid_from_us,
        valid_to_us,
        reason,
    } = wire;
    Relating {
        from,
        relation,
        to,
        strength,
        is_bidirectional: bidirectional,
        valid_from: valid_from_us.map(Timestamp::from_micros),
        valid_to: valid_to_us.map(Timestamp::from_micros),
        reason,
    }
}

/// Writes a relation that was made.
pub(crate) fn related(related: &Related) -> v1::RelateReply {
    v1::RelateReply {
        edge: Some(edge(&related.edge)),
        changed: related.is_changed,
        notes: related.notes.clone(),
    }
}

/// Reads a relation that somebody wants gone.
pub(crate) fn unrelating(wire: v1::UnrelateRequest) -> Unrelating {
    let v1::UnrelateRequest {
        caller: _,
        from,
        relation,
        to,
    } = wire;
    Unrelating { from, relation, to }
}

/// Writes how a relation was taken back.
pub(crate) fn unrelated(unrelated: &Unrelated) -> v1::UnrelateReply {
    let (gone, outcome) = match unrelated {
        Unrelated::Removed(edge) => (edge, v1::UnrelateOutcome::Removed),
        Unrelated::Rejected(edge) => (edge, v1::UnrelateOutcome::Rejected),
        Unrelated::Unlinked(edge) => (edge, v1::UnrelateOutcome::Unlinked),
    };
    v1::UnrelateReply {
        edge: Some(edge(gone)),
        outcome: outcome.into(),
    }
}

/// Reads where somebody wants to walk.
pub(crate) fn walk(wire: v1::TraverseRequest) -> WalkWanted {
    let v1::TraverseRequest {
        caller: _,
        memories,
        topics,
        depth,
        edges,
        scopes,
        limit,
    } = wire;
    WalkWanted {
        memories,
        topics,
        depth,
        scopes,
        limit,
        ..followed(edges.unwrap_or_default())
    }
}

/// Writes what a walk reached.
pub(crate) fn walked(walked: &Walked) -> v1::TraverseReply {
    v1::TraverseReply {
        memories: walked.memories.iter().map(reached).collect(),
        edges: walked.edges.iter().map(edge).collect(),
        cut: walked.is_cut,
    }
}

/// Reads which path somebody wants.
pub(crate) fn path(wire: v1::PathRequest) -> PathWanted {
    let v1::PathRequest {
        caller: _,
        from,
        to,
        depth,
        edges,
        scopes,
    } = wire;
    PathWanted {
        from,
        to,
        walk: WalkWanted {
            depth,
            scopes,
            ..followed(edges.unwrap_or_default())
        },
    }
}

/// Writes how two memories are connected.
pub(crate) fn connected(connected: &Connected) -> v1::PathReply {
    v1::PathReply {
        memories: connected.memories.iter().map(reached).collect(),
        edges: connected.edges.iter().map(edge).collect(),
    }
}

fn followed(wire: v1::EdgeFilter) -> WalkWanted {
    let v1::EdgeFilter {
        relations,
        direction,
        strength_min,
        suggested,
        valid_at_us,
    } = wire;
    WalkWanted {
        relations,
        direction,
        strength_min: Some(strength_min),
        with_suggested: suggested,
        valid_at: valid_at_us.map(Timestamp::from_micros),
        ..WalkWanted::default()
    }
}

fn reached(reached: &Reached) -> v1::ReachedMemory {
    let by = reached.by.as_ref().map(|id| id.as_bytes().to_vec());
    v1::ReachedMemory {
        memory: Some(told(&reached.told)),
        depth: reached.depth,
        by: by.unwrap_or_default(),
    }
}

fn edge(edge: &ToldEdge) -> v1::MemoryEdge {
    let source = match edge.source {
        Source::Stored => v1::EdgeSource::Stored,
        Source::Link => v1::EdgeSource::Link,
        Source::Supersession => v1::EdgeSource::Supersession,
    };
    v1::MemoryEdge {
        id: edge.id.as_bytes().to_vec(),
        from: edge.from.clone(),
        to: edge.to.clone(),
        relation: edge.relation.name().to_owned(),
        inverse: edge.relation.inverse().to_owned(),
        strength: edge.strength,
        bidirectional: edge.is_bidirectional,
        status: edge.status.name().to_owned(),
        source: source.into(),
        provenance: edge.provenance.as_ref().map(provenance),
        reason: edge.reason.clone(),
        valid_from_us: edge.valid_from.map(Timestamp::as_micros),
        valid_to_us: edge.valid_to.map(Timestamp::as_micros),
    }
}
