//! Which memory an id or a handle leads to.

use helix_memory::{MemoryId, MemoryNumber};
use redb::ReadableTable;

use super::super::guard::guarded;
use super::super::{StoreError, codec};
use super::Snapshot;

impl Snapshot {
    /// Finds a memory by its id.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn number_of_id(&self, id: &MemoryId) -> Result<Option<MemoryNumber>, StoreError> {
        guarded(|| {
            let Some(number) = self
                .ids
                .get(*id.as_bytes())?
                .map(|found| MemoryNumber(found.value()))
            else {
                return Ok(None);
            };
            let Some(record) = self.memories.get(number.0)? else {
                return Ok(None);
            };
            let body = self.body(number, record.value())?;
            let own = body
                .and_then(|body| codec::Columns::decode(body).ok())
                .map(|columns| columns.id);
            Ok((own == Some(*id)).then_some(number))
        })
    }

    /// Returns whether a memory has, or had, this handle, as far as the history says.
    pub(super) fn goes_by(&self, number: MemoryNumber, handle: &str) -> Result<bool, StoreError> {
        Ok(self.had_handle(number, handle)? == Some(true))
    }

    /// The same; `None` where the operations that could say it were lost with a damaged store.
    pub(super) fn had_handle(
        &self,
        number: MemoryNumber,
        handle: &str,
    ) -> Result<Option<bool>, StoreError> {
        // A memory is named by any handle that it ever had, also where it is read as it was earlier.
        let Some(memory) = self.present(number)? else {
            return Ok(Some(false));
        };
        let mut earlier = Some(memory.sequence).filter(|_| memory.handle.as_str() != handle);
        while let Some(sequence) = earlier {
            let Some(entry) = self.history.get(sequence.0)? else {
                return Ok(None);
            };
            let Some(operation) = self.operation(sequence, entry.value()) else {
                return Ok(None);
            };
            if operation.memory().is_ok_and(|earlier| {
                earlier.is_some_and(|earlier| earlier.handle.as_str() == handle)
            }) {
                return Ok(Some(true));
            }
            earlier = operation
                .previous_of_memory
                .filter(|previous| *previous < sequence);
        }
        Ok(Some(memory.handle.as_str() == handle))
    }

    /// Returns whether a handle, present or former, is this memory's.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn has_handle(&self, handle: &str, number: MemoryNumber) -> Result<bool, StoreError> {
        guarded(|| {
            Ok(self
                .handles
                .get(handle)?
                .is_some_and(|found| found.value() == number.0))
        })
    }

    /// Reads every handle, present and former, in order.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_handle<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(&str, MemoryNumber) -> Result<(), E>,
    ) -> Result<(), E> {
        guarded(|| {
            for entry in self.handles.iter().map_err(StoreError::from)? {
                let (key, value) = entry.map_err(StoreError::from)?;
                each(key.value(), MemoryNumber(value.value()))?;
            }
            Ok(())
        })
    }

    /// Finds the memory of exactly this handle, present or former.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn number_of_handle(&self, handle: &str) -> Result<Option<MemoryNumber>, StoreError> {
        guarded(|| {
            let found = self
                .handles
                .get(handle)?
                .map(|found| MemoryNumber(found.value()));
            match found {
                Some(number) if self.goes_by(number, handle)? => Ok(Some(number)),
                Some(_) | None => Ok(None),
            }
        })
    }

    /// Calls `each` with the memories of which a handle, present or former, starts with `prefix`,
    /// until it returns false.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn for_each_handle_from(
        &self,
        prefix: &str,
        mut each: impl FnMut(MemoryNumber) -> bool,
    ) -> Result<(), StoreError> {
        guarded(|| {
            for entry in self.handles.range(prefix..)? {
                let (key, value) = entry?;
                if !key.value().starts_with(prefix) || !each(MemoryNumber(value.value())) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Calls `each` with the memories whose id lies between two ids, until it returns false.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn for_each_id(
        &self,
        first: [u8; 16],
        last: [u8; 16],
        mut each: impl FnMut(MemoryNumber) -> bool,
    ) -> Result<(), StoreError> {
        guarded(|| {
            for entry in self.ids.range(first..=last)? {
                if !each(MemoryNumber(entry?.1.value())) {
                    break;
                }
            }
            Ok(())
        })
    }
}
