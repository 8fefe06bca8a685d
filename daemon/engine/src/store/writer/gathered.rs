//! Rows of new memories and operations, gathered so that many are written at once.
//!
//! Numbers and sequences grow, so these rows come behind every other of their tables. A cursor at a
//! table's end fills page after page with them, where inserting them one by one looks for each
//! one's place and moves what is in its page already.

use std::collections::BTreeMap;
use std::ops::Bound;

use helix_memory::MemoryNumber;
use redb::{Key, ReadableTable, Table, Value};

use super::CommitError;
use super::group::Tables;

/// Operations after which what is gathered is written: their records are in RAM twice meanwhile.
const GATHERED_MAX: usize = 512;

/// Fewest rows for which a cursor costs less than inserting them one by one.
const CURSOR_MIN: usize = 8;

/// Rows that are not in the tables yet.
#[derive(Default)]
pub(super) struct Gathered {
    memories: Vec<(u32, Vec<u8>)>,
    ids: BTreeMap<[u8; 16], u32>,
    access: Vec<(u32, (u64, i64))>,
    operations: Vec<(u64, Vec<u8>)>,
}

impl Gathered {
    /// Adds a new memory's record.
    pub(super) fn memory(&mut self, number: MemoryNumber, record: Vec<u8>) {
        self.memories.push((number.0, record));
    }

    /// Adds a new memory's id.
    pub(super) fn id(&mut self, id: [u8; 16], number: MemoryNumber) {
        self.ids.insert(id, number.0);
    }

    /// Adds a new memory's access statistics.
    pub(super) fn access(&mut self, number: MemoryNumber, access: (u64, i64)) {
        self.access.push((number.0, access));
    }

    /// Adds an operation.
    pub(super) fn operation(&mut self, sequence: u64, record: Vec<u8>) {
        self.operations.push((sequence, record));
    }

    /// Returns whether a memory has this id that is not in the tables yet.
    pub(super) fn has_id(&self, id: &[u8; 16]) -> bool {
        self.ids.contains_key(id)
    }

    /// The memory that has this id and is not in the tables yet.
    pub(super) fn of_id(&self, id: &[u8; 16]) -> Option<MemoryNumber> {
        self.ids.get(id).copied().map(MemoryNumber)
    }

    /// Returns whether a memory is not in the tables yet.
    pub(super) fn has(&self, number: MemoryNumber) -> bool {
        self.memories
            .first()
            .is_some_and(|(first, _)| *first <= number.0)
    }

    /// Returns whether so much is gathered that it is to be written.
    pub(super) fn is_full(&self) -> bool {
        self.operations.len() >= GATHERED_MAX
    }
}

impl Tables<'_> {
    /// Writes what is gathered.
    pub(super) fn settle(&mut self) -> Result<(), CommitError> {
        let Gathered {
            memories,
            ids,
            access,
            operations,
        } = std::mem::take(&mut self.gathered);
        append(
            &mut self.memories,
            memories
                .iter()
                .map(|(number, record)| (*number, record.as_slice())),
        )?;
        append(&mut self.access, access.iter().copied())?;
        append(
            &mut self.history,
            operations
                .iter()
                .map(|(sequence, record)| (*sequence, record.as_slice())),
        )?;
        let last = self.ids.last()?.map(|(last, _)| last.value());
        let are_behind = ids
            .first_key_value()
            .is_some_and(|(first, _)| last.is_none_or(|last| last < *first));
        if are_behind {
            append(&mut self.ids, ids.into_iter())
        } else {
            insert(&mut self.ids, ids.into_iter())
        }
    }
}

/// Writes rows that come in order and behind those of the table.
fn append<'r, K: Key + 'static, V: Value + 'static>(
    table: &mut Table<'_, K, V>,
    rows: impl ExactSizeIterator<Item = (K::SelfType<'r>, V::SelfType<'r>)>,
) -> Result<(), CommitError> {
    if rows.len() < CURSOR_MIN {
        return insert(table, rows);
    }
    let mut cursor = table.upper_bound_mut(Bound::<K::SelfType<'r>>::Unbounded)?;
    for (key, value) in rows {
        cursor.insert_before(key, value)?;
    }
    Ok(cursor.close()?)
}

fn insert<'r, K: Key + 'static, V: Value + 'static>(
    table: &mut Table<'_, K, V>,
    rows: impl Iterator<Item = (K::SelfType<'r>, V::SelfType<'r>)>,
) -> Result<(), CommitError> {
    for (key, value) in rows {
        table.insert(key, value)?;
    }
    Ok(())
}
