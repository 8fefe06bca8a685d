//! Making a store anew from a damaged one: everything whose hash holds is taken over, a memory
//! whose record does not match is taken from the history where that is whole, and the rest is
//! named.
//!
//! Nothing is written into the damaged file. A copy of it is kept beside the store and never read
//! again; the new file takes its place by a rename, so that a crash leaves one of the two. A memory
//! whose last operation may be among the lost ones is not taken from an earlier one: a text of
//! yesterday would pass for today's.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use helix_memory::{MemoryNumber, Sequence};
use redb::{
    ConcurrencyMode, Database, Key, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    ReadableTable, ReadableTableMetadata, TableDefinition, Value, WriteTransaction,
};

use super::backend::copy;
use super::guard::guarded;
use super::history::{OperationKind, Payload};
use super::overlay::Overlay;
use super::states::States;
use super::{CACHE_BYTES, StoreError, codec, history, open_database, open_error, seal, tables};
use crate::ports::Storage;
use crate::store::{Damage, Store};

/// The new file while it is made; what a crash left of it is removed at the next start.
pub(super) const MENDED_FILE: &str = "store.redb.mending";

/// Fewest bytes that a memory or an operation takes in the file: no damaged number makes more of
/// them.
const ROW_BYTES_MIN: u64 = 64;

/// Of the memories so many percent may be lost; a store of which less is left is for its user to
/// restore.
const LOST_MAX_PERCENT: u64 = 25;

/// Copies of damaged stores that are kept; beyond it nothing more is made anew.
const COPIES_MAX: u32 = 100;

/// Rows of one transaction.
const ROWS_AT_ONCE: usize = 50_000;

/// Rows of a table with names as keys that are looked at: a damaged tree may seem to have no end.
const NAMED_ROWS_MAX: usize = 1_000_000;

impl Damage {
    /// Name of a copy of a damaged store.
    #[must_use]
    pub fn copy_name(number: u32) -> String {
        format!("{file}.damaged-{number}", file = Store::FILE)
    }
}

/// Makes the store anew and puts it in the damaged one's place. `detail` is why that counts as
/// damaged.
pub(super) fn mend(storage: &dyn Storage, detail: &str) -> Result<(), StoreError> {
    let refused = || StoreError::Damaged {
        detail: detail.to_owned(),
    };
    let out_of_room = |source: io::Error| StoreError::Mend { source };
    tracing::error!(
        detail,
        "the store is damaged; what is whole is taken over into a new one"
    );
    let damaged = Damaged::open(storage).map_err(|_| refused())?;
    storage.remove(MENDED_FILE).map_err(StoreError::Open)?;
    let (mended, found) = damaged.take_over(storage)?;
    if found.is_hopeless() {
        drop(mended);
        storage.remove(MENDED_FILE).map_err(StoreError::Open)?;
        return Err(refused());
    }
    drop(mended);
    let copied = (1..=COPIES_MAX)
        .map(Damage::copy_name)
        .find(|name| storage.read(name).is_err())
        .ok_or_else(refused)?;
    copy(storage, Store::FILE, &copied).map_err(out_of_room)?;
    storage
        .replace(Store::FILE, MENDED_FILE)
        .map_err(out_of_room)?;
    tracing::error!(
        memories = found.memories.len(),
        from_history = found.from_history,
        lost_memories = found.lost.len(),
        lost_operations = found.lost_operations(),
        copied,
        "the store was made anew"
    );
    Ok(())
}

/// The tables of a damaged store, as far as they can be opened.
struct Damaged {
    memories: Option<ReadOnlyTable<u32, &'static [u8]>>,
    history: Option<ReadOnlyTable<u64, &'static [u8]>>,
    access: Option<ReadOnlyTable<u32, (u64, i64)>>,
    receipts: Option<ReadOnlyTable<i64, &'static [u8]>>,
    /// With names as keys and sealed records.
    named: Vec<(tables::Named, Named)>,
    /// Records that were lost before.
    lost: Option<ReadOnlyTable<u32, &'static str>>,
    handles: Option<ReadOnlyTable<&'static str, u32>>,
    /// The next number of a memory, as the store has it.
    next_number: u64,
    /// No more memories or operations than these can be in the file.
    rows_max: u64,
}

type Named = Option<ReadOnlyTable<&'static str, &'static [u8]>>;

/// The rows that were taken over.
#[derive(Default)]
struct Found {
    /// The operation that changed each memory last, as its record says.
    memories: BTreeMap<u32, u64>,
    /// How many came from the history.
    from_history: u64,
    /// Those that could not be taken over, with their handles where these are known.
    lost: BTreeMap<u32, String>,
    /// Operations that could not be taken over: the first and the last of each run.
    gaps: BTreeMap<u64, u64>,
    operations: u64,
    /// The newest operation on each memory.
    newest: BTreeMap<u32, u64>,
    /// Memories that were purged: nothing is lost where they have no record.
    purged: BTreeSet<u32>,
}

impl Found {
    /// Returns whether so little is left that the store is not to be begun with.
    fn is_hopeless(&self) -> bool {
        let (kept, lost) = (self.memories.len() as u64, self.lost.len() as u64);
        let is_empty = kept == 0 && self.operations == 0;
        is_empty || lost * 100 > (kept + lost) * LOST_MAX_PERCENT
    }

    fn lost_operations(&self) -> u64 {
        self.gaps.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Notes an operation that could not be taken over.
    fn miss(&mut self, sequence: u64) {
        match self.gaps.last_entry() {
            Some(mut gap) if gap.get().saturating_add(1) == sequence => *gap.get_mut() = sequence,
            _ => {
                self.gaps.insert(sequence, sequence);
            }
        }
    }
}

/// Returns whether a name from a damaged table may be shown.
fn is_plain(handle: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'/')
    };
    !handle.is_empty() && handle.bytes().all(is_plain)
}

/// Opens a table of a damaged store, if that is possible.
fn table<K: Key + 'static, V: Value + 'static>(
    transaction: &ReadTransaction,
    definition: TableDefinition<'static, K, V>,
) -> Option<ReadOnlyTable<K, V>> {
    guarded(|| Ok::<_, StoreError>(transaction.open_table(definition)?)).ok()
}

impl Damaged {
    fn open(storage: &dyn Storage) -> Result<Self, StoreError> {
        let base = storage.read(Store::FILE).map_err(StoreError::Open)?;
        let rows_max = base.len().map_err(StoreError::Open)? / ROW_BYTES_MIN;
        let view = Overlay::new(base, true).map_err(StoreError::Open)?;
        guarded(|| {
            // A reader beside a writer reads only the pages that it asks for, and neither repairs
            // nor allocates.
            let database = redb::Builder::new()
                .set_cache_size(CACHE_BYTES)
                .set_concurrency_mode(ConcurrencyMode::SingleWriter)
                .open_read_only_with_backend(view)
                .map_err(open_error)?;
            let transaction = database.begin_read()?;
            let meta = table(&transaction, tables::META);
            let number = |key| lookup(meta.as_ref(), key, |found: u64| found);
            if number(tables::META_FORMAT).is_some_and(|format| format > Store::FORMAT) {
                return Err(StoreError::Damaged {
                    detail: String::new(),
                });
            }
            let next_number = number(tables::META_NEXT_NUMBER).filter(|number| *number <= rows_max);
            let named = tables::NAMED
                .into_iter()
                .chain(States::ALL.map(States::table));
            Ok(Self {
                memories: table(&transaction, tables::MEMORIES),
                history: table(&transaction, tables::HISTORY),
                access: table(&transaction, tables::ACCESS),
                receipts: table(&transaction, tables::RECEIPTS),
                named: named
                    .map(|definition| (definition, table(&transaction, definition)))
                    .collect(),
                lost: table(&transaction, tables::LOST),
                handles: table(&transaction, tables::HANDLES),
                next_number: next_number.unwrap_or_default(),
                rows_max,
            })
        })
    }

    /// Writes everything that is whole into a new file.
    fn take_over(&self, storage: &dyn Storage) -> Result<(Database, Found), StoreError> {
        let target = open_database(storage, MENDED_FILE)?.map_err(open_error)?;
        let mut found = Found::default();
        self.take_memories(&target, &mut found)?;
        self.take_history(&target, &mut found)?;
        let transaction = target.begin_write()?;
        self.settle(&transaction, &mut found)?;
        self.take_rest(&transaction, &found)?;
        transaction.commit()?;
        Ok((target, found))
    }

    /// Takes over the records that match their hash, or the history's hash of them.
    fn take_memories(&self, target: &Database, found: &mut Found) -> Result<(), StoreError> {
        let claimed = count(self.memories.as_ref());
        let last = last(self.memories.as_ref()).map_or(0, |last| u64::from(last) + 1);
        let end = [claimed, last, self.next_number]
            .into_iter()
            .filter(|end| *end <= self.rows_max)
            .max();
        let end = u32::try_from(end.unwrap_or_default()).unwrap_or(u32::MAX);
        in_parts(0..u64::from(end), target, |transaction, numbers| {
            let mut table = transaction.open_table(tables::MEMORIES)?;
            for number in numbers.filter_map(|number| u32::try_from(number).ok()) {
                if let Some((record, sequence)) = self.record(number) {
                    table.insert(number, record.as_slice())?;
                    found.memories.insert(number, sequence);
                } else {
                    found.lost.insert(number, String::new());
                }
            }
            Ok(())
        })
    }

    /// A memory's record, sealed, and the operation that changed it last.
    fn record(&self, number: u32) -> Option<(Vec<u8>, u64)> {
        let record = lookup(self.memories.as_ref(), number, <[u8]>::to_vec)?;
        let body = seal::open_any("a memory", &tables::MEMORIES, &number, &record).ok()?;
        let memory = codec::decode(MemoryNumber(number), body).ok()?;
        if seal::is_sealed(&record) {
            return Some((record, memory.sequence.0));
        }
        let operation = lookup(self.history.as_ref(), memory.sequence.0, <[u8]>::to_vec)?;
        let is_recorded = history::vouches(memory.sequence, &operation, memory.number, body);
        is_recorded.then(|| {
            (
                seal::seal(&tables::MEMORIES, &number, body),
                memory.sequence.0,
            )
        })
    }

    /// Takes over the operations that can be read, and every handle that a memory ever had.
    fn take_history(&self, target: &Database, found: &mut Found) -> Result<(), StoreError> {
        let claimed = [
            count(self.history.as_ref()),
            last(self.history.as_ref()).unwrap_or_default(),
        ];
        let known = found.memories.values().copied().max().unwrap_or_default();
        let end = claimed
            .into_iter()
            .chain([known])
            .filter(|end| *end <= self.rows_max)
            .max()
            .unwrap_or_default();
        let mut previous = Some(history::GENESIS);
        in_parts(
            1..end.saturating_add(1),
            target,
            |transaction, sequences| {
                let mut table = transaction.open_table(tables::HISTORY)?;
                let mut handles = transaction.open_table(tables::HANDLES)?;
                for sequence in sequences {
                    let entry =
                        lookup(self.history.as_ref(), sequence, <[u8]>::to_vec).unwrap_or_default();
                    let hash = history::verify(Sequence(sequence), &entry, previous.as_ref()).ok();
                    let operation = history::sound(Sequence(sequence), &entry)
                        .ok()
                        .filter(|_| hash.is_some());
                    previous = hash;
                    let Some(operation) = operation else {
                        found.miss(sequence);
                        continue;
                    };
                    table.insert(sequence, entry.as_slice())?;
                    found.operations += 1;
                    if operation.kind.payload() == Payload::Edge {
                        continue;
                    }
                    if operation.kind == OperationKind::Purge {
                        found.purged.insert(operation.number.0);
                    }
                    found.newest.insert(operation.number.0, sequence);
                    if let Ok(Some(memory)) = operation.memory()
                        && handles.get(memory.handle.as_str())?.is_none()
                    {
                        handles.insert(memory.handle.as_str(), memory.number.0)?;
                    }
                }
                Ok(())
            },
        )
    }

    /// Takes records from the history where a memory has none, or an older one, and finds out which
    /// are lost.
    fn settle(&self, transaction: &WriteTransaction, found: &mut Found) -> Result<(), StoreError> {
        let mut memories = transaction.open_table(tables::MEMORIES)?;
        let mut ids = transaction.open_table(tables::IDS)?;
        let mut handles = transaction.open_table(tables::HANDLES)?;
        let history = transaction.open_table(tables::HISTORY)?;
        let lost_last = found.gaps.last_key_value().map_or(0, |(_, last)| *last);
        for (number, sequence) in found.newest.clone() {
            if found.purged.contains(&number) {
                memories.remove(number)?;
                found.memories.remove(&number);
                found.lost.remove(&number);
                continue;
            }
            if found
                .memories
                .get(&number)
                .is_some_and(|own| *own >= sequence)
            {
                continue;
            }
            let entry = history
                .get(sequence)?
                .map(|entry| entry.value().to_vec())
                .unwrap_or_default();
            let operation = history::sound(Sequence(sequence), &entry).ok();
            let memory = operation
                .as_ref()
                .and_then(|operation| operation.memory().ok().flatten());
            if let Some(operation) = operation.filter(|_| sequence > lost_last && memory.is_some())
            {
                memories.insert(
                    number,
                    seal::seal(&tables::MEMORIES, &number, &operation.after).as_slice(),
                )?;
                found.memories.insert(number, sequence);
                found.lost.remove(&number);
                found.from_history += 1;
            } else {
                // Its record is of an earlier time, or it has none.
                memories.remove(number)?;
                found.memories.remove(&number);
                found.lost.insert(
                    number,
                    memory
                        .map(|memory| memory.handle.as_str().to_owned())
                        .unwrap_or_default(),
                );
            }
        }
        each_row(self.lost.as_ref(), |number: u32, handle: &str| {
            if u64::from(number) <= self.rows_max && !found.memories.contains_key(&number) {
                found.lost.insert(number, handle.to_owned());
            }
        });
        each_row(self.handles.as_ref(), |handle: &str, number: u32| {
            if let Some(name) = found
                .lost
                .get_mut(&number)
                .filter(|name| name.is_empty() && is_plain(handle))
            {
                handle.clone_into(name);
            }
        });
        for entry in memories.iter()? {
            let (number, record) = entry?;
            let number = number.value();
            let body = seal::open("a memory", &tables::MEMORIES, &number, record.value())?;
            let memory = codec::decode(MemoryNumber(number), body)?;
            ids.insert(*memory.id.as_bytes(), number)?;
            handles.insert(memory.handle.as_str(), number)?;
        }
        Ok(())
    }

    /// Takes over what is neither a memory nor an operation, and writes down what was lost.
    fn take_rest(&self, transaction: &WriteTransaction, found: &Found) -> Result<(), StoreError> {
        let mut access = transaction.open_table(tables::ACCESS)?;
        for &number in found.memories.keys() {
            let row = lookup(self.access.as_ref(), number, |row: (u64, i64)| row);
            if let Some(row) = row.filter(|row| seal::open_access(number, *row).is_some()) {
                access.insert(number, row)?;
            }
        }
        let mut receipts = transaction.open_table(tables::RECEIPTS)?;
        let mut rows = Vec::new();
        each_row(self.receipts.as_ref(), |at: i64, record: &[u8]| {
            if seal::open("a receipt", &tables::RECEIPTS, &at, record).is_ok() {
                rows.push((at, record.to_vec()));
            }
        });
        for (at, record) in rows {
            receipts.insert(at, record.as_slice())?;
        }
        for (definition, table) in &self.named {
            let mut target = transaction.open_table(*definition)?;
            let mut rows = Vec::new();
            each_row(table.as_ref(), |key: &str, record: &[u8]| {
                if seal::open("a record", definition, key, record).is_ok() {
                    rows.push((key.to_owned(), record.to_vec()));
                }
            });
            for (key, record) in rows {
                target.insert(key.as_str(), record.as_slice())?;
            }
        }
        let mut lost = transaction.open_table(tables::LOST)?;
        for (number, handle) in &found.lost {
            lost.insert(number, handle.as_str())?;
        }
        let mut gaps = transaction.open_table(tables::GAPS)?;
        for (first, last) in &found.gaps {
            gaps.insert(first, last)?;
        }
        let mut meta = transaction.open_table(tables::META)?;
        let numbers = found
            .memories
            .last_key_value()
            .into_iter()
            .map(|(number, _)| *number);
        let next = numbers
            .chain(found.lost.last_key_value().map(|(number, _)| *number))
            .max();
        let next = next
            .map_or(0, |last| u64::from(last) + 1)
            .max(self.next_number);
        meta.insert(tables::META_NEXT_NUMBER, next)?;
        meta.insert(tables::META_FORMAT, Store::FORMAT)?;
        Ok(())
    }
}

/// Does something for the numbers of a range, so many in each transaction.
fn in_parts(
    range: std::ops::Range<u64>,
    target: &Database,
    mut each: impl FnMut(&WriteTransaction, std::ops::Range<u64>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let end = range.end;
    for start in range.step_by(ROWS_AT_ONCE) {
        let transaction = target.begin_write()?;
        each(&transaction, start..end.min(start + ROWS_AT_ONCE as u64))?;
        transaction.commit()?;
    }
    Ok(())
}

/// Reads one row; nothing where the table is damaged.
fn lookup<K: Key + 'static, V: Value + 'static, T>(
    table: Option<&ReadOnlyTable<K, V>>,
    key: K::SelfType<'_>,
    take: impl for<'v> FnOnce(V::SelfType<'v>) -> T,
) -> Option<T> {
    let table = table?;
    guarded(|| Ok::<_, StoreError>(table.get(key)?.map(|found| take(found.value()))))
        .ok()
        .flatten()
}

/// How many rows a table says that it has.
fn count<K: Key + 'static, V: Value + 'static>(table: Option<&ReadOnlyTable<K, V>>) -> u64 {
    table
        .and_then(|table| guarded(|| Ok::<_, StoreError>(table.len()?)).ok())
        .unwrap_or_default()
}

/// The last key of a table.
fn last<K, V, T>(table: Option<&ReadOnlyTable<K, V>>) -> Option<T>
where
    K: Key + for<'k> Value<SelfType<'k> = T> + 'static,
    V: Value + 'static,
{
    let table = table?;
    guarded(|| Ok::<_, StoreError>(table.last()?.map(|(key, _)| key.value())))
        .ok()
        .flatten()
}

/// Reads the rows of a table from both of its ends, each up to where it is damaged.
fn each_row<K: Key + 'static, V: Value + 'static>(
    table: Option<&ReadOnlyTable<K, V>>,
    mut each: impl for<'r> FnMut(K::SelfType<'r>, V::SelfType<'r>),
) {
    let Some(table) = table else { return };
    let mut left = count(Some(table)).min(NAMED_ROWS_MAX as u64);
    for is_reversed in [false, true] {
        let walked = guarded(|| {
            let mut rows = table.iter()?;
            while left > 0 {
                let row = if is_reversed {
                    rows.next_back()
                } else {
                    rows.next()
                };
                let Some(row) = row else { break };
                let (key, value) = row?;
                each(key.value(), value.value());
                left -= 1;
            }
            Ok::<_, StoreError>(())
        });
        if walked.is_ok() {
            return;
        }
    }
}
