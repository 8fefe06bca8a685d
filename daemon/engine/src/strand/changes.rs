//! When memories were changed after they were stored.
//!
//! A record does not say it; its history does. What was read of the history is kept, so that only
//! the first question walks all of it.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use helix_memory::{MemoryNumber, Sequence, Timestamp};

use super::Strand;
use crate::lock_order::{Lock, Ordered};
use crate::store::StoreError;

/// Changes in the history up to a sequence.
#[derive(Debug, Default)]
pub(super) struct Changes {
    up_to: Sequence,
    changed_at: HashMap<u32, Timestamp>,
}

impl Changes {
    /// The memories that are not as they were stored, in no order, and when each was last changed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (MemoryNumber, Timestamp)> {
        self.changed_at
            .iter()
            .map(|(&number, &at)| (MemoryNumber(number), at))
    }
}

impl Strand {
    /// Reads what the history has gained. Its lock comes before the catalog's.
    pub(super) fn changes(&self) -> Result<Ordered<MutexGuard<'_, Changes>>, StoreError> {
        let newest = self.catalog().sequence();
        let lock = || self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Ordered::take(Lock::Changes, lock);
        if changes.up_to < newest {
            let mut gained: HashMap<u32, Timestamp> = HashMap::new();
            let up_to = self
                .snapshot()?
                .for_each_change_after(changes.up_to, |number, at| {
                    gained
                        .entry(number.0)
                        .and_modify(|last| *last = at.max(*last))
                        .or_insert(at);
                })?;
            for (number, at) in gained {
                changes
                    .changed_at
                    .entry(number)
                    .and_modify(|last| *last = at.max(*last))
                    .or_insert(at);
            }
            changes.up_to = up_to;
        }
        Ok(changes)
    }
}
