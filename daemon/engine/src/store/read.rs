//! Reading a snapshot of the store.

use std::ops::RangeBounds;
use std::sync::Arc;

use redb::{Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use super::codec;
use super::history::{self, ChainError, GENESIS, Operation};
use super::{StoreError, tables};
use crate::model::{Memory, MemoryId, MemoryNumber, Sequence, Timestamp};

/// Everything that was committed when it was taken. Cheap to take, never changes.
pub struct Snapshot {
    memories: ReadOnlyTable<u32, &'static [u8]>,
    ids: ReadOnlyTable<[u8; 16], u32>,
    handles: ReadOnlyTable<&'static str, u32>,
    access: ReadOnlyTable<u32, (u64, i64)>,
    history: ReadOnlyTable<u64, &'static [u8]>,
    sessions: ReadOnlyTable<&'static str, &'static [u8]>,
    pub(super) transaction: ReadTransaction,
    /// Stays open while it is read from, also when a smaller file has taken its place.
    _database: Arc<Database>,
}

impl Snapshot {
    pub(super) fn new(database: &Arc<Database>) -> Result<Self, StoreError> {
        let transaction = database.begin_read()?;
        Ok(Self {
            memories: transaction.open_table(tables::MEMORIES)?,
            ids: transaction.open_table(tables::IDS)?,
            handles: transaction.open_table(tables::HANDLES)?,
            access: transaction.open_table(tables::ACCESS)?,
            history: transaction.open_table(tables::HISTORY)?,
            sessions: transaction.open_table(tables::SESSIONS)?,
            transaction,
            _database: Arc::clone(database),
        })
    }

    /// Reads one memory.
    ///
    /// # Errors
    /// When the disk fails or the record is damaged.
    pub fn memory(&self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        let Some(found) = self.memories.get(number.0)? else { return Ok(None) };
        let mut memory = codec::decode(number, found.value())?;
        if let Some(access) = self.access.get(number.0)? {
            let (count, seen) = access.value();
            memory.access_count = count;
            memory.last_seen_at = Timestamp::from_micros(seen);
        }
        Ok(Some(memory))
    }

    /// Reads every memory in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged, or whatever `each` returns.
    pub fn for_each_memory<E: From<StoreError>>(&self, each: impl FnMut(Memory) -> Result<(), E>) -> Result<(), E> {
        self.for_each_memory_in(.., each)
    }

    /// Reads the memories of some numbers in their order.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged, or whatever `each` returns.
    pub fn for_each_memory_in<E: From<StoreError>>(
        &self,
        numbers: impl RangeBounds<u32> + Clone,
        mut each: impl FnMut(Memory) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_record_in(numbers, |number, record, access| {
            let mut memory = codec::decode(number, record).map_err(StoreError::from)?;
            if let Some((count, seen)) = access {
                memory.access_count = count;
                memory.last_seen_at = Timestamp::from_micros(seen);
            }
            each(memory)
        })
    }

    /// Reads the records of some numbers in their order, each with its access statistics where it has any: how often, and when
    /// last in microseconds.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub(crate) fn for_each_record_in<E: From<StoreError>>(
        &self,
        numbers: impl RangeBounds<u32> + Clone,
        mut each: impl FnMut(MemoryNumber, &[u8], Option<(u64, i64)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut access = self.access.range(numbers.clone()).map_err(StoreError::from)?.peekable();
        for entry in self.memories.range(numbers).map_err(StoreError::from)? {
            let (key, value) = entry.map_err(StoreError::from)?;
            let number = MemoryNumber(key.value());
            let mut own = None;
            while let Some(next) = access.next_if(|next| next.as_ref().is_ok_and(|(key, _)| key.value() <= number.0)) {
                let (key, value) = next.map_err(StoreError::from)?;
                own = (key.value() == number.0).then(|| value.value());
            }
            each(number, value.value(), own)?;
        }
        Ok(())
    }

    /// Number of memories in every status.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn memory_count(&self) -> Result<u64, StoreError> {
        Ok(self.memories.len()?)
    }

    /// The largest number of a memory.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn last_number(&self) -> Result<Option<MemoryNumber>, StoreError> {
        Ok(self.memories.last()?.map(|(number, _)| MemoryNumber(number.value())))
    }

    /// Finds a memory by its id.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn number_of_id(&self, id: &MemoryId) -> Result<Option<MemoryNumber>, StoreError> {
        Ok(self.ids.get(*id.as_bytes())?.map(|found| MemoryNumber(found.value())))
    }

    /// Whether a handle, present or former, is this memory's.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn has_handle(&self, handle: &str, number: MemoryNumber) -> Result<bool, StoreError> {
        Ok(self.handles.get(handle)?.is_some_and(|found| found.value() == number.0))
    }

    /// Reads every handle, present and former, in order.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_handle<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(&str, MemoryNumber) -> Result<(), E>,
    ) -> Result<(), E> {
        for entry in self.handles.iter().map_err(StoreError::from)? {
            let (key, value) = entry.map_err(StoreError::from)?;
            each(key.value(), MemoryNumber(value.value()))?;
        }
        Ok(())
    }

    /// Finds the memory of exactly this handle, present or former.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn number_of_handle(&self, handle: &str) -> Result<Option<MemoryNumber>, StoreError> {
        Ok(self.handles.get(handle)?.map(|found| MemoryNumber(found.value())))
    }

    /// Calls `each` with the memories of which a handle, present or former, starts with `prefix`, until it returns false.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn for_each_handle_from(
        &self,
        prefix: &str,
        mut each: impl FnMut(MemoryNumber) -> bool,
    ) -> Result<(), StoreError> {
        for entry in self.handles.range(prefix..)? {
            let (key, value) = entry?;
            if !key.value().starts_with(prefix) || !each(MemoryNumber(value.value())) {
                break;
            }
        }
        Ok(())
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
        for entry in self.ids.range(first..=last)? {
            if !each(MemoryNumber(entry?.1.value())) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the newest sequence.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sequence(&self) -> Result<Sequence, StoreError> {
        Ok(self.history.last()?.map_or(Sequence(0), |(key, _)| Sequence(key.value())))
    }

    /// The change feed: every operation after `sequence`, in order.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged, or whatever `each` returns.
    pub fn for_each_operation_after<E: From<StoreError>>(
        &self,
        sequence: Sequence,
        mut each: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<(), E> {
        for entry in self.history.range(sequence.0.saturating_add(1)..).map_err(StoreError::from)? {
            let (key, value) = entry.map_err(StoreError::from)?;
            let (operation, _) = history::decode(Sequence(key.value()), value.value()).map_err(StoreError::from)?;
            each(operation)?;
        }
        Ok(())
    }

    /// Every operation, the newest first.
    ///
    /// # Errors
    /// When the disk fails; an item, when its record is damaged.
    pub fn operations_backwards(&self) -> Result<impl Iterator<Item = Result<Operation, StoreError>>, StoreError> {
        let entries = self.history.iter()?.rev();
        Ok(entries.map(|entry| {
            let (key, value) = entry?;
            Ok(history::decode(Sequence(key.value()), value.value())?.0)
        }))
    }

    /// When memories were changed after they were stored: calls `each` for every such operation after `sequence`, in order. What
    /// was done in the very moment of the operation before it belongs to that, as the links of an import to its storing. Returns
    /// the newest sequence.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn for_each_change_after(
        &self,
        sequence: Sequence,
        mut each: impl FnMut(MemoryNumber, Timestamp),
    ) -> Result<Sequence, StoreError> {
        let mut newest = sequence;
        for entry in self.history.range(sequence.0.saturating_add(1)..)? {
            let (key, value) = entry?;
            newest = Sequence(key.value());
            let moment = history::decode_moment(value.value())?;
            let Some(previous) = moment.previous_of_memory else { continue };
            let before = self.history.get(previous.0)?;
            let before = before.map(|value| history::decode_moment(value.value())).transpose()?;
            if before.is_none_or(|before| before.at != moment.at) {
                each(moment.number, moment.at);
            }
        }
        Ok(newest)
    }

    /// Reads the texts of the memories that `is_wanted`, in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn for_each_text(
        &self,
        is_wanted: impl Fn(MemoryNumber) -> bool,
        mut each: impl FnMut(MemoryNumber, &str),
    ) -> Result<(), StoreError> {
        for entry in self.memories.iter()? {
            let (key, value) = entry?;
            let number = MemoryNumber(key.value());
            if is_wanted(number) {
                each(number, &codec::decode_text(value.value())?);
            }
        }
        Ok(())
    }

    /// Walks the whole history and checks its chain.
    ///
    /// # Errors
    /// The outer error when the disk fails; the inner one names the first operation that does not fit.
    pub fn verify_history(&self) -> Result<Result<Sequence, ChainError>, StoreError> {
        let mut previous = GENESIS;
        let mut expected = Sequence(1);
        for entry in self.history.iter()? {
            let (key, value) = entry?;
            let sequence = Sequence(key.value());
            if sequence != expected {
                return Ok(Err(ChainError { sequence: expected, detail: "the operation is missing" }));
            }
            match history::verify(sequence, value.value(), &previous) {
                Ok(hash) => previous = hash,
                Err(broken) => return Ok(Err(broken)),
            }
            expected = expected.next();
        }
        Ok(Ok(Sequence(expected.0 - 1)))
    }

    /// Reads what is known of a mistake.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn incident(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let incidents = self.transaction.open_table(tables::INCIDENTS)?;
        Ok(incidents.get(key)?.map(|state| state.value().to_vec()))
    }

    /// Reads everything that hooks noticed, by key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn observations(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let observations = self.transaction.open_table(tables::OBSERVATIONS)?;
        let mut all = Vec::new();
        for entry in observations.iter()? {
            let (key, state) = entry?;
            all.push((key.value().to_owned(), state.value().to_vec()));
        }
        Ok(all)
    }

    /// Reads the receipts since then, newest first: their time in microseconds and their opaque states.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn receipts(&self, since: Timestamp) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        let receipts = self.transaction.open_table(tables::RECEIPTS)?;
        let mut newest = Vec::new();
        for entry in receipts.range(since.as_micros()..)?.rev() {
            let (at, state) = entry?;
            newest.push((at.value(), state.value().to_vec()));
        }
        Ok(newest)
    }

    /// Reads what every session was given.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sessions(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut sessions = Vec::new();
        for entry in self.sessions.iter()? {
            let (key, value) = entry?;
            sessions.push((key.value().to_owned(), value.value().to_vec()));
        }
        Ok(sessions)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::model::Timestamp;
    use crate::store::{DirectoryStorage, Store, Write};

    #[test]
    fn receipts_are_read_back_to_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) = Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let receipts: Vec<(i64, Vec<u8>)> = [10, 20, 30].map(|at_us| (at_us, vec![1])).into();
        writer.commit(vec![Write::Receipts(receipts)]).unwrap();
        let since = |at_us: i64| -> Vec<i64> {
            let receipts = store.snapshot().unwrap().receipts(Timestamp::from_micros(at_us)).unwrap();
            receipts.into_iter().map(|(at_us, _)| at_us).collect()
        };
        assert_eq!(since(i64::MIN), [30, 20, 10]);
        assert_eq!(since(20), [30, 20]);
        assert!(since(31).is_empty());
    }
}
