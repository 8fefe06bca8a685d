//! Reading a snapshot of the store.

use std::collections::BTreeMap;
use std::ops::RangeBounds;
use std::sync::Arc;

use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableHandle,
};

use super::codec::CodecError;
use super::damage::Skipped;
use super::guard::guarded;
use super::history::{self, ChainError, GENESIS, Moment, Operation};
use super::seal::SealedKey;
use super::{StoreError, codec, seal, tables};
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
    pub(super) skipped: Arc<Skipped>,
    /// Stays open while it is read from, also when a smaller file has taken its place.
    _database: Arc<Database>,
}

impl Snapshot {
    pub(super) fn new(database: &Arc<Database>, skipped: &Arc<Skipped>) -> Result<Self, StoreError> {
        guarded(|| {
            let transaction = database.begin_read()?;
            Ok(Self {
                memories: transaction.open_table(tables::MEMORIES)?,
                ids: transaction.open_table(tables::IDS)?,
                handles: transaction.open_table(tables::HANDLES)?,
                access: transaction.open_table(tables::ACCESS)?,
                history: transaction.open_table(tables::HISTORY)?,
                sessions: transaction.open_table(tables::SESSIONS)?,
                transaction,
                skipped: Arc::clone(skipped),
                _database: Arc::clone(database),
            })
        })
    }

    /// Takes a memory's record out of its envelope; `None` for one that is damaged, which is noted.
    fn body<'r>(&self, number: MemoryNumber, record: &'r [u8]) -> Result<Option<&'r [u8]>, StoreError> {
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

    /// Whether the history has a record from before format 3 as it is.
    fn is_recorded(&self, number: MemoryNumber, record: &[u8]) -> Result<bool, StoreError> {
        let Ok(columns) = codec::Columns::decode(record) else { return Ok(false) };
        let operation = self.history.get(columns.sequence.0)?;
        Ok(operation.is_some_and(|operation| history::vouches(columns.sequence, operation.value(), number, record)))
    }

    /// Decodes a memory; `None` for one that is damaged.
    fn decoded(
        &self,
        number: MemoryNumber,
        record: &[u8],
        access: Option<(u64, i64)>,
    ) -> Result<Option<Memory>, StoreError> {
        let Some(body) = self.body(number, record)? else { return Ok(None) };
        let Some(mut memory) = self.understood(number, codec::decode(number, body)) else { return Ok(None) };
        if let Some((count, seen)) = access.and_then(|row| seal::open_access(number.0, row)) {
            memory.access_count = count;
            memory.last_seen_at = Timestamp::from_micros(seen);
        }
        Ok(Some(memory))
    }

    /// What was decoded of a memory's record; `None` for one that cannot be, which is noted.
    pub(crate) fn understood<T>(&self, number: MemoryNumber, decoded: Result<T, CodecError>) -> Option<T> {
        if decoded.is_err() {
            self.skipped.memory(number);
        }
        decoded.ok()
    }

    /// Whether a memory has a record, damaged or not.
    pub(super) fn has_record(&self, number: MemoryNumber) -> Result<bool, StoreError> {
        guarded(|| Ok(self.memories.get(number.0)?.is_some()))
    }

    /// Reads one memory. One whose record is damaged counts as absent, here and wherever memories are read.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn memory(&self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        guarded(|| {
            let Some(found) = self.memories.get(number.0)? else { return Ok(None) };
            let access = self.access.get(number.0)?.map(|access| access.value());
            self.decoded(number, found.value(), access)
        })
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
        self.for_each_record_in(numbers, |number, body, access| {
            let Some(mut memory) = self.understood(number, codec::decode(number, body)) else { return Ok(()) };
            if let Some((count, seen)) = access {
                memory.access_count = count;
                memory.last_seen_at = Timestamp::from_micros(seen);
            }
            each(memory)
        })
    }

    /// Reads the records of some numbers in their order, out of their envelopes, each with its access statistics where it has
    /// any: how often, and when last in microseconds.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub(crate) fn for_each_record_in<E: From<StoreError>>(
        &self,
        numbers: impl RangeBounds<u32> + Clone,
        mut each: impl FnMut(MemoryNumber, &[u8], Option<(u64, i64)>) -> Result<(), E>,
    ) -> Result<(), E> {
        guarded(|| {
            let mut access = self.access.range(numbers.clone()).map_err(StoreError::from)?.peekable();
            for entry in self.memories.range(numbers).map_err(StoreError::from)? {
                let (key, value) = entry.map_err(StoreError::from)?;
                let number = MemoryNumber(key.value());
                let mut own = None;
                while let Some(next) =
                    access.next_if(|next| next.as_ref().is_ok_and(|(key, _)| key.value() <= number.0))
                {
                    let (key, value) = next.map_err(StoreError::from)?;
                    own = (key.value() == number.0).then(|| value.value());
                }
                if let Some(body) = self.body(number, value.value())? {
                    each(number, body, own.and_then(|own| seal::open_access(number.0, own)))?;
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
        guarded(|| Ok(self.memories.last()?.map(|(number, _)| MemoryNumber(number.value()))))
    }

    /// Finds a memory by its id.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn number_of_id(&self, id: &MemoryId) -> Result<Option<MemoryNumber>, StoreError> {
        guarded(|| {
            let Some(number) = self.ids.get(*id.as_bytes())?.map(|found| MemoryNumber(found.value())) else {
                return Ok(None);
            };
            let Some(record) = self.memories.get(number.0)? else { return Ok(None) };
            let body = self.body(number, record.value())?;
            let own = body.and_then(|body| codec::Columns::decode(body).ok()).map(|columns| columns.id);
            Ok((own == Some(*id)).then_some(number))
        })
    }

    /// Whether a memory has, or had, this handle, as far as the history says.
    fn goes_by(&self, number: MemoryNumber, handle: &str) -> Result<bool, StoreError> {
        Ok(self.had_handle(number, handle)? == Some(true))
    }

    /// The same; `None` where the operations that could say it were lost with a damaged store.
    fn had_handle(&self, number: MemoryNumber, handle: &str) -> Result<Option<bool>, StoreError> {
        let Some(memory) = self.memory(number)? else { return Ok(Some(false)) };
        let mut earlier = Some(memory.sequence).filter(|_| memory.handle.as_str() != handle);
        while let Some(sequence) = earlier {
            let Some(entry) = self.history.get(sequence.0)? else { return Ok(None) };
            let Some(operation) = self.operation(sequence, entry.value()) else { return Ok(None) };
            if operation.memory().is_ok_and(|earlier| earlier.handle.as_str() == handle) {
                return Ok(Some(true));
            }
            earlier = operation.previous_of_memory.filter(|previous| *previous < sequence);
        }
        Ok(Some(memory.handle.as_str() == handle))
    }

    /// Whether a handle, present or former, is this memory's.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn has_handle(&self, handle: &str, number: MemoryNumber) -> Result<bool, StoreError> {
        guarded(|| Ok(self.handles.get(handle)?.is_some_and(|found| found.value() == number.0)))
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
            let found = self.handles.get(handle)?.map(|found| MemoryNumber(found.value()));
            match found {
                Some(number) if self.goes_by(number, handle)? => Ok(Some(number)),
                Some(_) | None => Ok(None),
            }
        })
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

    /// Returns the newest sequence.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sequence(&self) -> Result<Sequence, StoreError> {
        guarded(|| {
            let newest = self.history.last()?.map_or(0, |(key, _)| key.value());
            let lost = self.transaction.open_table(tables::GAPS)?.last()?.map_or(0, |(_, last)| last.value());
            Ok(Sequence(newest.max(lost)))
        })
    }

    /// The newest operation as it is kept.
    pub(super) fn last_operation(&self) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        guarded(|| Ok(self.history.last()?.map(|(sequence, entry)| (sequence.value(), entry.value().to_vec()))))
    }

    /// Says which store this is: no other one says the same, but for a copy of it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn identity(&self) -> Result<String, StoreError> {
        guarded(|| {
            let meta = self.transaction.open_table(tables::META)?;
            let identity = meta.get(tables::META_IDENTITY)?.map_or(0, |identity| identity.value());
            Ok(format!("{identity:016x}"))
        })
    }

    /// Says which store this is and what its history was up to a sequence: no other store, and no other past of this one, says the
    /// same. `None` for a sequence that it does not have.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn mark(&self, sequence: Sequence) -> Result<Option<String>, StoreError> {
        guarded(|| {
            let chain = match self.history.get(sequence.0)? {
                Some(entry) => history::decode(sequence, entry.value())?.1,
                None if sequence.0 == 0 => GENESIS,
                None => return Ok(None),
            };
            let chain = chain.first_chunk().copied().map_or(0, u64::from_be_bytes);
            Ok(Some(format!("{}-{chain:016x}", self.identity()?)))
        })
    }

    /// The change feed: every operation after `sequence`, in order. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_operation_after<E: From<StoreError>>(
        &self,
        sequence: Sequence,
        mut each: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<(), E> {
        guarded(|| {
            for entry in self.history.range(sequence.0.saturating_add(1)..).map_err(StoreError::from)? {
                let (key, value) = entry.map_err(StoreError::from)?;
                if let Some(operation) = self.operation(Sequence(key.value()), value.value()) {
                    each(operation)?;
                }
            }
            Ok(())
        })
    }

    /// Decodes an operation; `None` for one that is damaged, which is noted.
    fn operation(&self, sequence: Sequence, entry: &[u8]) -> Option<Operation> {
        let decoded = history::decode(sequence, entry);
        if decoded.is_err() {
            self.skipped.operation(sequence);
        }
        decoded.ok().map(|(operation, _)| operation)
    }

    /// Every operation, the newest first. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails; an item, when it fails there, and it is the last one.
    pub fn operations_backwards(&self) -> Result<impl Iterator<Item = Result<Operation, StoreError>>, StoreError> {
        let mut entries = guarded(|| Ok::<_, StoreError>(self.history.iter()?.rev()))?;
        let mut has_failed = false;
        let mut next = move || -> Result<Option<Operation>, StoreError> {
            for entry in entries.by_ref() {
                let (key, value) = entry?;
                if let Some(operation) = self.operation(Sequence(key.value()), value.value()) {
                    return Ok(Some(operation));
                }
            }
            Ok(None)
        };
        Ok(std::iter::from_fn(move || {
            if has_failed {
                return None;
            }
            let operation = guarded(&mut next);
            has_failed = operation.is_err();
            operation.transpose()
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
        guarded(|| {
            let mut newest = sequence;
            for entry in self.history.range(sequence.0.saturating_add(1)..)? {
                let (key, value) = entry?;
                newest = Sequence(key.value());
                let Some(moment) = self.moment(newest, value.value()) else { continue };
                let Some(previous) = moment.previous_of_memory else { continue };
                let before = self.history.get(previous.0)?;
                let before = before.and_then(|value| self.moment(previous, value.value()));
                if before.is_none_or(|before| before.at != moment.at) {
                    each(moment.number, moment.at);
                }
            }
            Ok(newest)
        })
    }

    /// Decodes when an operation was; `None` for one that is damaged, which is noted.
    fn moment(&self, sequence: Sequence, entry: &[u8]) -> Option<Moment> {
        let decoded = history::decode_moment(sequence, entry);
        if decoded.is_err() {
            self.skipped.operation(sequence);
        }
        decoded.ok()
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
                    && let Some(body) = self.body(number, value.value())?
                    && let Some(text) = self.understood(number, codec::decode_text(body))
                {
                    each(number, &text);
                }
            }
            Ok(())
        })
    }

    /// Walks the whole history and checks its chain. What is known to be lost is passed over.
    ///
    /// # Errors
    /// The outer error when the disk fails; the inner one names the first operation that does not fit.
    pub fn verify_history(&self) -> Result<Result<Sequence, ChainError>, StoreError> {
        guarded(|| {
            let gaps = self.transaction.open_table(tables::GAPS)?;
            let mut previous = Some(GENESIS);
            let mut expected = Sequence(1);
            for entry in self.history.iter()? {
                let (key, value) = entry?;
                let sequence = Sequence(key.value());
                if let Some(gap) = gaps.get(expected.0)? {
                    previous = None;
                    expected = Sequence(gap.value()).next();
                }
                if sequence != expected {
                    return Ok(Err(ChainError { sequence: expected, detail: "the operation is missing" }));
                }
                match history::verify(sequence, value.value(), previous.as_ref()) {
                    Ok(hash) => previous = Some(hash),
                    Err(broken) => return Ok(Err(broken)),
                }
                expected = expected.next();
            }
            Ok(Ok(Sequence(expected.0 - 1)))
        })
    }

    /// Checks that every memory's record is the one that the last operation on it left, and that every name leads to a memory that
    /// has or had it. Returns those of which this is not so, by number.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verify_records(&self) -> Result<BTreeMap<MemoryNumber, &'static str>, StoreError> {
        let mut newest: BTreeMap<u32, u64> = BTreeMap::new();
        self.for_each_operation_after(Sequence(0), |operation| {
            newest.insert(operation.number.0, operation.sequence.0);
            Ok::<_, StoreError>(())
        })?;
        let mut wrong = BTreeMap::new();
        self.for_each_memory(|memory| {
            if newest.get(&memory.number.0).is_some_and(|newest| *newest > memory.sequence.0) {
                wrong.insert(memory.number, "its record is an earlier one");
            } else if self.number_of_id(&memory.id)? != Some(memory.number) {
                wrong.insert(memory.number, "its id leads elsewhere");
            }
            Ok::<_, StoreError>(())
        })?;
        let lost = self.damage()?.lost_memories;
        for number in newest.keys().copied().filter(|number| !lost.contains_key(number)).map(MemoryNumber) {
            if !self.has_record(number)? {
                wrong.insert(number, "it has no record");
            }
        }
        self.for_each_handle(|handle, number| {
            if self.had_handle(number, handle)? == Some(false) && self.has_record(number)? {
                wrong.entry(number).or_insert("a handle leads to it that it never had");
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(wrong)
    }

    /// Reads what is known of a mistake.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn incident(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        guarded(|| {
            let incidents = self.transaction.open_table(tables::INCIDENTS)?;
            Ok(incidents.get(key)?.and_then(|record| opened(&tables::INCIDENTS, key, record.value())))
        })
    }

    /// Reads everything that hooks noticed, by key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn observations(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        guarded(|| {
            let observations = self.transaction.open_table(tables::OBSERVATIONS)?;
            let mut all = Vec::new();
            for entry in observations.iter()? {
                let (key, record) = entry?;
                let state = opened(&tables::OBSERVATIONS, key.value(), record.value());
                all.extend(state.map(|state| (key.value().to_owned(), state)));
            }
            Ok(all)
        })
    }

    /// Reads the receipts since then, newest first: their time in microseconds and their opaque states.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn receipts(&self, since: Timestamp) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        guarded(|| {
            let receipts = self.transaction.open_table(tables::RECEIPTS)?;
            let mut newest = Vec::new();
            for entry in receipts.range(since.as_micros()..)?.rev() {
                let (at, record) = entry?;
                let state = opened(&tables::RECEIPTS, &at.value(), record.value());
                newest.extend(state.map(|state| (at.value(), state)));
            }
            Ok(newest)
        })
    }

    /// Reads what every session was given.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sessions(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        guarded(|| {
            let mut sessions = Vec::new();
            for entry in self.sessions.iter()? {
                let (key, record) = entry?;
                let state = opened(&tables::SESSIONS, key.value(), record.value());
                sessions.extend(state.map(|state| (key.value().to_owned(), state)));
            }
            Ok(sessions)
        })
    }
}

/// What memories' records are called in errors.
const MEMORY: &str = "a memory";

/// Takes a record out of its envelope; one that is damaged counts as absent, since nobody stored it as knowledge.
fn opened<K: SealedKey + ?Sized>(table: &impl TableHandle, key: &K, record: &[u8]) -> Option<Vec<u8>> {
    let opened = seal::open("a record", table, key, record);
    if let Err(error) = &opened {
        tracing::warn!(table = table.name(), %error, "a record is left out");
    }
    opened.ok().map(<[u8]>::to_vec)
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
