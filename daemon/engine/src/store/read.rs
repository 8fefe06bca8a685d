//! Reading a snapshot of the store.

mod earlier;
mod names;
mod operations;
mod past;
mod states;

use std::ops::RangeBounds;
use std::sync::Arc;

use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable,
    ReadableTableMetadata,
};

pub(crate) use earlier::Earlier;

use helix_memory::{Memory, MemoryNumber, Timestamp};

use super::codec::CodecError;
use super::damage::Skipped;
use super::guard::guarded;
use super::history;
use super::{StoreError, codec, seal, tables};

/// Everything that was committed when it was taken. Cheap to take, never changes.
pub struct Snapshot {
    memories: ReadOnlyTable<u32, &'static [u8]>,
    ids: ReadOnlyTable<[u8; 16], u32>,
    handles: ReadOnlyTable<&'static str, u32>,
    access: ReadOnlyTable<u32, (u64, i64)>,
    history: ReadOnlyTable<u64, &'static [u8]>,
    pub(super) transaction: ReadTransaction,
    pub(super) skipped: Arc<Skipped>,
    /// The versions that stand for some memories, where it is read as it was earlier.
    earlier: Option<Arc<Earlier>>,
    /// Stays open while it is read from, also when a smaller file has taken its place.
    _database: Arc<Database>,
}

impl Snapshot {
    pub(super) fn new(
        database: &Arc<Database>,
        skipped: &Arc<Skipped>,
    ) -> Result<Self, StoreError> {
        guarded(|| {
            let transaction = database.begin_read()?;
            Ok(Self {
                memories: transaction.open_table(tables::MEMORIES)?,
                ids: transaction.open_table(tables::IDS)?,
                handles: transaction.open_table(tables::HANDLES)?,
                access: transaction.open_table(tables::ACCESS)?,
                history: transaction.open_table(tables::HISTORY)?,
                transaction,
                skipped: Arc::clone(skipped),
                earlier: None,
                _database: Arc::clone(database),
            })
        })
    }

    /// Takes a memory's record out of its envelope; `None` for one that is damaged, which is noted.
    fn body<'r>(
        &self,
        number: MemoryNumber,
        record: &'r [u8],
    ) -> Result<Option<&'r [u8]>, StoreError> {
        let body = seal::open_any(MEMORY, &tables::MEMORIES, &number.0, record).ok();
        let body = match body {
            Some(body) if !seal::is_sealed(record) && !self.is_recorded(number, body)? => None,
            body => body,
        };
        if body.is_none() {
            self.skipped.memory(number);
        }
        Ok(body)
    }

    /// Returns whether the history has a record from before format 3 as it is.
    fn is_recorded(&self, number: MemoryNumber, record: &[u8]) -> Result<bool, StoreError> {
        let Ok(columns) = codec::Columns::decode(record) else {
            return Ok(false);
        };
        let operation = self.history.get(columns.sequence.0)?;
        Ok(operation.is_some_and(|operation| {
            history::vouches(columns.sequence, operation.value(), number, record)
        }))
    }

    /// Decodes a memory; `None` for one that is damaged.
    fn decoded(
        &self,
        number: MemoryNumber,
        record: &[u8],
        access: Option<(u64, i64)>,
    ) -> Result<Option<Memory>, StoreError> {
        let Some(body) = self.body(number, record)? else {
            return Ok(None);
        };
        let Some(mut memory) = self.understood(number, codec::decode(number, body)) else {
            return Ok(None);
        };
        if let Some((count, seen)) = access.and_then(|row| seal::open_access(number.0, row)) {
            memory.access_count = count;
            memory.last_seen_at = Timestamp::from_micros(seen);
        }
        Ok(Some(memory))
    }

    /// Returns what was decoded of a memory's record; `None` for one that cannot be, which is
    /// noted.
    pub(crate) fn understood<T>(
        &self,
        number: MemoryNumber,
        decoded: Result<T, CodecError>,
    ) -> Option<T> {
        if decoded.is_err() {
            self.skipped.memory(number);
        }
        decoded.ok()
    }

    /// Returns whether a memory has a record, damaged or not.
    pub(super) fn has_record(&self, number: MemoryNumber) -> Result<bool, StoreError> {
        guarded(|| Ok(self.memories.get(number.0)?.is_some()))
    }

    /// Reads one memory. One whose record is damaged counts as absent, here and wherever memories
    /// are read.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn memory(&self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        match self.earlier(number) {
            Some(version) => self.earlier_version(version),
            None => self.present(number),
        }
    }

    /// Reads one memory as it is now, also where the snapshot is read as it was earlier.
    pub(super) fn present(&self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        guarded(|| {
            let Some(found) = self.memories.get(number.0)? else {
                return Ok(None);
            };
            let access = self.access.get(number.0)?.map(|access| access.value());
            self.decoded(number, found.value(), access)
        })
    }

    /// Reads every memory in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged, or whatever `each` returns.
    pub fn for_each_memory<E: From<StoreError>>(
        &self,
        each: impl FnMut(Memory) -> Result<(), E>,
    ) -> Result<(), E> {
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
        self.for_each_record_in(numbers, |number, body, access| {
            if let Some(version) = self.earlier(number) {
                return self.earlier_version(version)?.map_or(Ok(()), &mut each);
            }
            let Some(mut memory) = self.understood(number, codec::decode(number, body)) else {
                return Ok(());
            };
            if let Some((count, seen)) = access {
                memory.access_count = count;
                memory.last_seen_at = Timestamp::from_micros(seen);
            }
            each(memory)
        })
    }

    /// Reads the records of some numbers in their order, out of their envelopes, each with its
    /// access statistics where it has any: how often, and when last in microseconds.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub(crate) fn for_each_record_in<E: From<StoreError>>(
        &self,
        numbers: impl RangeBounds<u32> + Clone,
        mut each: impl FnMut(MemoryNumber, &[u8], Option<(u64, i64)>) -> Result<(), E>,
    ) -> Result<(), E> {
        guarded(|| {
            let mut access = self
                .access
                .range(numbers.clone())
                .map_err(StoreError::from)?
                .peekable();
            for entry in self.memories.range(numbers).map_err(StoreError::from)? {
                let (key, value) = entry.map_err(StoreError::from)?;
                let number = MemoryNumber(key.value());
                let mut own = None;
                while let Some(next) = access
                    .next_if(|next| next.as_ref().is_ok_and(|(key, _)| key.value() <= number.0))
                {
                    let (key, value) = next.map_err(StoreError::from)?;
                    own = (key.value() == number.0).then(|| value.value());
                }
                if let Some(body) = self.body(number, value.value())? {
                    each(
                        number,
                        body,
                        own.and_then(|own| seal::open_access(number.0, own)),
                    )?;
                }
            }
            Ok(())
        })
    }

    /// Number of memories in every status.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn memory_count(&self) -> Result<u64, StoreError> {
        guarded(|| Ok(self.memories.len()?))
    }

    /// The largest number of a memory.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn last_number(&self) -> Result<Option<MemoryNumber>, StoreError> {
        guarded(|| {
            Ok(self
                .memories
                .last()?
                .map(|(number, _)| MemoryNumber(number.value())))
        })
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
        guarded(|| {
            for entry in self.memories.iter()? {
                let (key, value) = entry?;
                let number = MemoryNumber(key.value());
                if is_wanted(number)
                    && let Some(version) = self.earlier(number)
                {
                    if let Some(memory) = self.earlier_version(version)? {
                        each(number, &memory.text);
                    }
                } else if is_wanted(number)
                    && let Some(body) = self.body(number, value.value())?
                    && let Some(text) = self.understood(number, codec::decode_text(body))
                {
                    each(number, &text);
                }
            }
            Ok(())
        })
    }
}

/// What memories' records are called in errors.
const MEMORY: &str = "a memory";
