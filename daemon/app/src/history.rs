//! The history: what was done, what it was like before, and how to go back.
//!
//! Everything is read from the history and seen through the scopes of who asks. Going back is a
//! request like any other: the history grows by it.

pub mod diff;
mod line;
pub mod log;
pub mod point;
pub mod revert;
mod undo;
mod undone;
pub mod why;

pub use line::Line;
pub(crate) use line::seen_line;

use helix_engine::{Catalog, EdgeVersions, Snapshot, StoreError};
use helix_memory::{Edge, EdgeKey, EdgeStatus, Memory, MemoryNumber, Scope};

use crate::told::Told;
use crate::{App, Asker};

/// Memories and edges that one answer shows of a change.
pub const SHOWN_MAX: usize = 200;

/// A memory at both ends of a span; `None` where there was none.
#[derive(Clone, Debug)]
pub struct ChangedMemory {
    /// At its beginning.
    pub before: Option<Told>,
    /// At its end.
    pub after: Option<Told>,
}

impl ChangedMemory {
    fn of(app: &App, before: Option<&Memory>, after: Option<&Memory>) -> Self {
        Self {
            before: before.map(|memory| Told::of(app, memory)),
            after: after.map(|memory| Told::of(app, memory)),
        }
    }
}

/// An edge at both ends of a span; `None` where there was none.
#[derive(Clone, Debug)]
pub struct ChangedEdge {
    /// The handle of the memory where it begins.
    pub from: String,
    /// The handle of the memory that it leads to.
    pub to: String,
    /// How both are related.
    pub relation: &'static str,
    /// At the beginning of the span.
    pub before: Option<EdgeState>,
    /// At its end.
    pub after: Option<EdgeState>,
}

/// An edge apart from its name.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeState {
    /// 0 to 1.
    pub strength: f32,
    /// Leads both ways.
    pub is_bidirectional: bool,
    /// Where it is in its life.
    pub status: EdgeStatus,
    /// Why it is there.
    pub reason: String,
}

impl EdgeState {
    fn of(snapshot: &Snapshot, edge: &Edge) -> Result<Self, StoreError> {
        Ok(Self {
            strength: edge.strength,
            is_bidirectional: edge.is_bidirectional,
            status: edge.status,
            reason: line::rendered(snapshot, &edge.reason)?,
        })
    }
}

impl ChangedEdge {
    fn of(snapshot: &Snapshot, key: &EdgeKey, versions: &EdgeVersions) -> Result<Self, StoreError> {
        let state = |edge: &Option<Edge>| {
            let edge = edge.as_ref();
            edge.map(|edge| EdgeState::of(snapshot, edge)).transpose()
        };
        Ok(Self {
            from: line::handle_of(snapshot, key.from)?,
            to: line::handle_of(snapshot, key.to)?,
            relation: key.relation.name(),
            before: state(&versions.before)?,
            after: state(&versions.after)?,
        })
    }
}

/// The part of the history that somebody may see.
struct Sight {
    scopes: Vec<Scope>,
}

impl Sight {
    fn of(asker: &Asker) -> Self {
        Self {
            scopes: asker.scopes(),
        }
    }

    /// Returns whether a version of a memory is seen.
    fn has(&self, memory: &Memory) -> bool {
        self.scopes.contains(&memory.scope)
    }

    /// Returns whether a memory is seen as it is now.
    fn has_number(&self, catalog: &Catalog, number: MemoryNumber) -> bool {
        let scopes = catalog.scope_numbers(&self.scopes);
        catalog.row(number).is_some_and(|row| row.is_in(&scopes))
    }

    /// Returns whether both ends of an edge are seen.
    fn has_edge(&self, app: &App, key: &EdgeKey) -> bool {
        let catalog = app.memory.strand.catalog();
        self.has_number(&catalog, key.from) && self.has_number(&catalog, key.to)
    }
}

/// Returns whether two versions of a memory differ in anything but the count of changes and
/// accesses.
fn differ(one: Option<&Memory>, other: Option<&Memory>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let aligned = Memory {
                sequence: one.sequence,
                access_count: one.access_count,
                last_seen_at: one.last_seen_at,
                provenance: one.provenance.clone(),
                ..other.clone()
            };
            aligned != *one
        }
        (None, None) => false,
        _ => true,
    }
}

/// Returns whether edges say the same, whoever made them and when.
fn are_alike(one: Option<&Edge>, other: Option<&Edge>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let aligned = Edge {
                sequence: one.sequence,
                provenance: one.provenance.clone(),
                valid_from: one.valid_from,
                ..other.clone()
            };
            aligned == *one
        }
        (None, None) => true,
        _ => false,
    }
}
