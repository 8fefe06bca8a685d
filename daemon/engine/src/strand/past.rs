//! The strand as it was: what changed between two places in its history, and a memory or an edge
//! as it was at one.
//!
//! Each operation on a memory names the one before it, so that a version is found without a copy of
//! the whole strand. Edges have no such chain: an earlier version of one is looked for backwards.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use helix_memory::{Edge, EdgeKey, Memory, MemoryNumber, Sequence};

use crate::store::{Operation, OperationKind, Payload, Snapshot, StoreError};

/// The operations that made a memory what it was at both ends of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// At its beginning; `None` where there was no such memory.
    pub before: Option<Sequence>,
    /// At its end; `None` where the memory was purged.
    pub after: Option<Sequence>,
}

/// An edge at both ends of a span; `None` where there was none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeVersions {
    /// At its beginning.
    pub before: Option<Edge>,
    /// At its end.
    pub after: Option<Edge>,
}

/// Changes made by the operations after one sequence up to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between {
    memories: BTreeMap<MemoryNumber, Versions>,
    edges: BTreeMap<EdgeKey, EdgeVersions>,
}

impl Between {
    /// Reads what was changed after `from` up to `to`.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn read(snapshot: &Snapshot, from: Sequence, to: Sequence) -> Result<Self, StoreError> {
        let mut between = Self::default();
        let mut unknown = BTreeSet::new();
        snapshot.for_each_operation_between(from, to, |operation| {
            match operation.kind.payload() {
                Payload::Memory | Payload::Nothing => between.add_memory(&operation),
                Payload::Edge => between.add_edge(&operation, &mut unknown)?,
            }
            Ok(())
        })?;
        for (key, edge) in edges_before(snapshot, from, unknown)? {
            between.edges.entry(key).or_default().before = Some(edge);
        }
        Ok(between)
    }

    fn add_memory(&mut self, operation: &Operation) {
        let is_there = operation.kind.payload() == Payload::Memory;
        let versions = self.memories.entry(operation.number).or_insert(Versions {
            before: operation.previous_of_memory,
            after: None,
        });
        versions.after = is_there.then_some(operation.sequence);
    }

    /// An edge that was made first may have been there before: that is looked for later.
    fn add_edge(
        &mut self,
        operation: &Operation,
        unknown: &mut BTreeSet<EdgeKey>,
    ) -> Result<(), StoreError> {
        let Some(edge) = operation.edge()? else {
            return Ok(());
        };
        let key = edge.key;
        let is_removed = operation.kind == OperationKind::Unrelate;
        let is_first = !self.edges.contains_key(&key);
        let versions = self.edges.entry(key).or_default();
        if is_first && is_removed {
            versions.before = Some(edge);
        } else if is_first {
            versions.after = Some(edge);
            unknown.insert(key);
        } else {
            versions.after = (!is_removed).then_some(edge);
        }
        Ok(())
    }

    /// The memories that were changed, by number.
    pub fn memories(&self) -> impl Iterator<Item = (MemoryNumber, Versions)> {
        self.memories
            .iter()
            .map(|(&number, &versions)| (number, versions))
    }

    /// The edges that were changed.
    pub fn edges(&self) -> impl Iterator<Item = (&EdgeKey, &EdgeVersions)> {
        self.edges.iter()
    }
}

/// The edges of these names that were there at a sequence.
fn edges_before(
    snapshot: &Snapshot,
    sequence: Sequence,
    mut wanted: BTreeSet<EdgeKey>,
) -> Result<Vec<(EdgeKey, Edge)>, StoreError> {
    let mut found = Vec::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    snapshot.for_each_operation_back(sequence, |operation| {
        let Some(edge) = operation.edge()? else {
            return Ok(ControlFlow::Continue(()));
        };
        let key = edge.key;
        if wanted.remove(&key) && operation.kind == OperationKind::Relate {
            found.push((key, edge));
        }
        Ok(if wanted.is_empty() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(found)
}

/// The strand as it was after an operation.
pub struct Past<'s> {
    snapshot: &'s Snapshot,
    sequence: Sequence,
    since: Between,
}

impl Snapshot {
    /// Reads what was changed since an operation.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn past(&self, sequence: Sequence) -> Result<Past<'_>, StoreError> {
        let newest = self.sequence()?;
        Ok(Past {
            snapshot: self,
            sequence,
            since: Between::read(self, sequence, newest)?,
        })
    }
}

impl Past<'_> {
    /// The operation after which it is.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Returns the changes since.
    #[must_use]
    pub fn since(&self) -> &Between {
        &self.since
    }

    /// Returns whether a memory was changed since.
    #[must_use]
    pub fn is_changed(&self, number: MemoryNumber) -> bool {
        self.since.memories.contains_key(&number)
    }

    /// A memory as it was; `None` where there was none, or it was purged since.
    ///
    /// # Errors
    /// When the disk fails or the record is damaged.
    pub fn memory(&self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        match self.since.memories.get(&number) {
            None => self.snapshot.memory(number),
            Some(versions) => versions
                .before
                .map_or(Ok(None), |before| self.snapshot.version(before)),
        }
    }

    /// Every edge that there was.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn edges(&self) -> Result<Vec<Edge>, StoreError> {
        let mut edges = self.snapshot.edges()?;
        edges.retain(|edge| !self.since.edges.contains_key(&edge.key));
        let changed = self.since.edges.values();
        edges.extend(changed.filter_map(|versions| versions.before.clone()));
        edges.sort_by_key(|edge| edge.key);
        Ok(edges)
    }
}
