//! Which requests were undone, as the history tells it when it is read backwards.

use std::collections::HashSet;

use helix_engine::{Operation, Snapshot, StoreError};
use helix_memory::Sequence;

/// The first operations of the requests that were undone by operations met so far.
#[derive(Debug, Default)]
pub(super) struct Undone {
    groups: HashSet<Sequence>,
}

impl Undone {
    /// Takes note of an operation; those after it must have been met. An undo that was undone
    /// itself counts for nothing.
    pub(super) fn meet(
        &mut self,
        snapshot: &Snapshot,
        operation: &Operation,
    ) -> Result<(), StoreError> {
        let Some(reverts) = operation.reverts.filter(|_| !self.has(operation)) else {
            return Ok(());
        };
        let taken_back = snapshot.operation_of(reverts)?;
        let group = taken_back.map_or(reverts, |taken_back| taken_back.first_of_group());
        self.groups.insert(group);
        Ok(())
    }

    /// Returns whether the request of an operation was undone.
    pub(super) fn has(&self, operation: &Operation) -> bool {
        self.groups.contains(&operation.first_of_group())
    }
}
