//! Edges with the names of their ends.

use std::collections::HashMap;

use helix_engine::{GraphArc as Arc, Snapshot};
use helix_memory::{
    Edge, EdgeStatus, Memory, MemoryId, MemoryNumber, Provenance, Relation, Timestamp,
};

use crate::Refusal;

/// Where an edge is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In an edge of its own.
    Stored,
    /// In the links of the memory that it begins at.
    Link,
    /// In the memory whose place was taken.
    Supersession,
}

/// An edge as it is told.
#[derive(Clone, Debug)]
pub struct ToldEdge {
    /// The same in every store that has both ends.
    pub id: MemoryId,
    /// Handle of the memory where it begins.
    pub from: String,
    /// How the two are related.
    pub relation: Relation,
    /// Handle of the memory to which it leads.
    pub to: String,
    /// 0 to 1.
    pub strength: f32,
    /// Leads both ways.
    pub is_bidirectional: bool,
    /// Where it is in its life.
    pub status: EdgeStatus,
    /// Where it is written down.
    pub source: Source,
    /// Who or what made it; `None` for a supersession.
    pub provenance: Option<Provenance>,
    /// Why; empty where nobody said.
    pub reason: String,
    /// When it became true; `None` for a link or a supersession.
    pub valid_from: Option<Timestamp>,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
}

impl ToldEdge {
    /// Tells an edge that is stored as such.
    pub(super) fn stored(edge: &Edge, from: &Memory, to: &Memory) -> Self {
        Self {
            id: Edge::id_of(&from.id, edge.key.relation, &to.id),
            from: from.handle.as_str().to_owned(),
            relation: edge.key.relation,
            to: to.handle.as_str().to_owned(),
            strength: edge.strength,
            is_bidirectional: edge.is_bidirectional,
            status: edge.status,
            source: Source::Stored,
            provenance: Some(edge.provenance.clone()),
            reason: edge.reason.clone(),
            valid_from: Some(edge.valid_from),
            valid_to: edge.valid_to,
        }
    }

    /// Tells the edge that a link is, or a supersession.
    pub(super) fn implied(arc: &Arc, from: &Memory, to: &Memory) -> Self {
        let source = if arc.key.relation == Relation::Supersedes {
            Source::Supersession
        } else {
            Source::Link
        };
        let author = from.provenance.first().filter(|_| source == Source::Link);
        Self {
            id: Edge::id_of(&from.id, arc.key.relation, &to.id),
            from: from.handle.as_str().to_owned(),
            relation: arc.key.relation,
            to: to.handle.as_str().to_owned(),
            strength: arc.strength,
            is_bidirectional: arc.is_bidirectional,
            status: arc.status,
            source,
            provenance: author.cloned(),
            reason: String::new(),
            valid_from: None,
            valid_to: None,
        }
    }

    /// Tells an edge of the graph, whose ends are among `memories`; `None` where one is missing or
    /// it went meanwhile.
    pub(super) fn of(
        snapshot: &Snapshot,
        memories: &HashMap<MemoryNumber, Memory>,
        arc: &Arc,
    ) -> Result<Option<Self>, Refusal> {
        let ends = memories.get(&arc.key.from).zip(memories.get(&arc.key.to));
        let Some((from, to)) = ends else {
            return Ok(None);
        };
        if arc.valid_from.is_none() {
            return Ok(Some(Self::implied(arc, from, to)));
        }
        let edge = snapshot.edge(&arc.key)?;
        Ok(edge.map(|edge| Self::stored(&edge, from, to)))
    }
}
