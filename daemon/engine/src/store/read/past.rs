//! Single operations, and what memories and the newest sequence were at a time.

use std::ops::ControlFlow;

use helix_memory::{Memory, Sequence, Timestamp};
use redb::ReadableTable;

use super::super::StoreError;
use super::super::guard::guarded;
use super::super::history::Operation;
use super::Snapshot;

impl Snapshot {
    /// Reads one operation; `None` for one that is missing or damaged.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn operation_of(&self, sequence: Sequence) -> Result<Option<Operation>, StoreError> {
        guarded(|| {
            let entry = self.history.get(sequence.0)?;
            Ok(entry.and_then(|entry| self.operation(sequence, entry.value())))
        })
    }

    /// The memory as an operation left it, without its access statistics; `None` where the
    /// operation is missing or about something else, or the memory was purged.
    ///
    /// # Errors
    /// When the disk fails or the record is damaged.
    pub fn version(&self, sequence: Sequence) -> Result<Option<Memory>, StoreError> {
        match self.operation_of(sequence)? {
            Some(operation) => Ok(operation.memory()?),
            None => Ok(None),
        }
    }

    /// The newest operation that was committed at or before a time; 0 before the first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sequence_at(&self, at: Timestamp) -> Result<Sequence, StoreError> {
        guarded(|| {
            for entry in self.history.iter()?.rev() {
                let (key, value) = entry?;
                let sequence = Sequence(key.value());
                let moment = self.moment(sequence, value.value());
                if moment.is_some_and(|moment| moment.at <= at) {
                    return Ok(sequence);
                }
            }
            Ok(Sequence(0))
        })
    }

    /// Every operation after `from` up to `to`, in order. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_operation_between(
        &self,
        from: Sequence,
        to: Sequence,
        mut each: impl FnMut(Operation) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        guarded(|| {
            for entry in self.history.range(from.0.saturating_add(1)..=to.0)? {
                let (key, value) = entry?;
                if let Some(operation) = self.operation(Sequence(key.value()), value.value()) {
                    each(operation)?;
                }
            }
            Ok(())
        })
    }

    /// Every operation up to `from`, the newest first, until `each` breaks. Damaged ones are left
    /// out.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_operation_back(
        &self,
        from: Sequence,
        mut each: impl FnMut(Operation) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        guarded(|| {
            for entry in self.history.range(..=from.0)?.rev() {
                let (key, value) = entry?;
                let Some(operation) = self.operation(Sequence(key.value()), value.value()) else {
                    continue;
                };
                if each(operation)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}
