//! Which requests were undone, as the history tells it when it is read backwards.

use std::collections::{HashMap, HashSet};

use helix_engine::{Operation, Payload, Snapshot, StoreError};
use helix_memory::{MemoryNumber, Sequence};

/// Requests and changes that were undone by operations met so far.
#[derive(Debug, Default)]
pub(super) struct Undone {
    /// The first operations of requests.
    groups: HashSet<Sequence>,
    /// By a memory that was led back: the operation from which on its changes were taken back. An
    /// undo by force takes back those that came after what it names.
    since: HashMap<MemoryNumber, Sequence>,
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
        if operation.kind.payload() == Payload::Memory {
            let since = self.since.entry(operation.number).or_insert(reverts);
            *since = reverts.min(*since);
        }
        let taken_back = snapshot.operation_of(reverts)?;
        let group = taken_back.map_or(reverts, |taken_back| taken_back.first_of_group());
        self.groups.insert(group);
        Ok(())
    }

    /// Returns whether the request of an operation was undone.
    pub(super) fn has(&self, operation: &Operation) -> bool {
        let since = self.since.get(&operation.number);
        self.groups.contains(&operation.first_of_group())
            || (operation.kind.payload() == Payload::Memory
                && operation.reverts.is_none()
                && since.is_some_and(|since| operation.sequence >= *since))
    }
}
