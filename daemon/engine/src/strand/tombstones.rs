//! Tombstones in RAM: nothing automatic brings back what was forgotten, refused or purged.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::Strand;
use crate::model::{MemoryId, Tombstone};
use crate::policy::forgotten::Returning;
use crate::store::{Change, Snapshot, StoreError, WriteError};

/// All tombstones of a strand.
#[derive(Debug, Default)]
pub struct Tombstones(BTreeMap<MemoryId, Tombstone>);

impl Tombstones {
    pub(super) fn read(snapshot: &Snapshot) -> Result<Self, StoreError> {
        Ok(Self(snapshot.tombstones()?.into_iter().collect()))
    }

    fn follow(&mut self, id: MemoryId, tombstone: Option<&Tombstone>) {
        match tombstone {
            Some(tombstone) => self.0.insert(id, tombstone.clone()),
            None => self.0.remove(&id),
        };
    }
}

impl Strand {
    /// The tombstone of what a text in a scope says, if it was forgotten before: in the same words
    /// or nearly the same.
    #[must_use]
    pub fn forgotten(&self, text: &str, scope: &str) -> Option<Tombstone> {
        let tombstones = self
            .tombstones
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if tombstones.0.is_empty() {
            return None;
        }
        let returning = Returning::of(text);
        let mut same_scope = tombstones.0.values().filter(|stone| stone.scope == scope);
        same_scope.find(|stone| returning.is(stone)).cloned()
    }

    /// Follows a commit.
    pub(super) fn follow_tombstones(&self, changes: &[Result<Change, WriteError>]) {
        for change in changes {
            let (id, tombstone) = match change {
                Ok(Change::Tombstone(id, tombstone)) => (*id, tombstone.as_deref()),
                Ok(Change::Purged { id, tombstone, .. }) => (*id, Some(tombstone.as_ref())),
                Ok(_) | Err(_) => continue,
            };
            let mut tombstones = self
                .tombstones
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            tombstones.follow(id, tombstone);
        }
    }
}
