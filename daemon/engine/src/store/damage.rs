//! Records that did not match their hash when they were read, and memories that a damaged store
//! lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use helix_memory::{MemoryNumber, Sequence};

use super::guard::guarded;
use super::{Snapshot, StoreError, tables};

/// Records of a kind that are noted; where there are more, the file as a whole is the matter.
const NOTED_MAX: usize = 1_000;

/// Records that were skipped since the store was opened. They are shown to nobody.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    memories: Mutex<BTreeSet<u32>>,
    operations: Mutex<BTreeSet<u64>>,
}

fn lock<T>(set: &Mutex<BTreeSet<T>>) -> MutexGuard<'_, BTreeSet<T>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note<T: Ord>(set: &Mutex<BTreeSet<T>>, key: T) -> bool {
    let mut set = lock(set);
    set.len() < NOTED_MAX && set.insert(key)
}

impl Skipped {
    /// Notes a memory's record.
    pub(super) fn memory(&self, number: MemoryNumber) {
        if note(&self.memories, number.0) {
            tracing::error!(
                number = number.0,
                "a memory's record does not match its hash and is not shown"
            );
        }
    }

    /// Notes an operation.
    pub(super) fn operation(&self, sequence: Sequence) {
        if note(&self.operations, sequence.0) {
            tracing::error!(
                sequence = sequence.0,
                "an operation does not match its hash and is not shown"
            );
        }
    }
}

/// The damage, by numbers and handles; never a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Memories whose records do not match their hashes now.
    pub memories: Vec<MemoryNumber>,
    /// Operations that do not match theirs.
    pub operations: Vec<Sequence>,
    /// Memories that were lost when the store was made anew, with their handles where these are
    /// known.
    pub lost_memories: BTreeMap<u32, String>,
    /// Operations that were lost then.
    pub lost_operations: u64,
}

impl Damage {
    /// Returns whether anything is.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Snapshot {
    /// Says what is damaged, as far as it was met. What was mended since counts no more.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn damage(&self) -> Result<Damage, StoreError> {
        let (memories, operations) = (
            lock(&self.skipped.memories).clone(),
            lock(&self.skipped.operations).clone(),
        );
        let mut damage = Damage::default();
        for number in memories.into_iter().map(MemoryNumber) {
            if self.has_record(number)? && self.memory(number)?.is_none() {
                damage.memories.push(number);
            }
        }
        damage
            .operations
            .extend(operations.into_iter().map(Sequence));
        guarded(|| {
            for entry in self
                .transaction
                .open_table(tables::LOST)?
                .range::<u32>(..)?
            {
                let (number, handle) = entry?;
                damage
                    .lost_memories
                    .insert(number.value(), handle.value().to_owned());
            }
            for entry in self
                .transaction
                .open_table(tables::GAPS)?
                .range::<u64>(..)?
            {
                let (first, last) = entry?;
                damage.lost_operations +=
                    last.value().saturating_sub(first.value()).saturating_add(1);
            }
            Ok(damage)
        })
    }
}
