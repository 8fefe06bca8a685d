//! A store of the format before records had an envelope: everything is read, a record that the
//! history does not vouch for is not, and what is written gets an envelope.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{at, edit, store};
use helix_engine::{DirectoryStorage, Request, Resolution, States, Store, Strand, StrandWriter};
use helix_memory::{Edit, Kinds, MemoryNumber, Scope, Topic};
use helix_redact::Secrets;
use redb::{AccessGuard, Database, ReadableDatabase, ReadableTable, TableDefinition, Value};

const MEMORIES: TableDefinition<u32, &[u8]> = TableDefinition::new("memories");
const HISTORY: TableDefinition<u64, &[u8]> = TableDefinition::new("history");
const SESSIONS: TableDefinition<&str, &[u8]> = TableDefinition::new("sessions");
const ACCESS: TableDefinition<u32, (u64, i64)> = TableDefinition::new("access");
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");

/// The format that is made here.
const OLDER: u64 = 2;

/// Bytes before a record in its envelope.
const ENVELOPE_BYTES: usize = 9;

fn open(directory: &Path) -> (Arc<Strand>, StrandWriter) {
    let words = directory.join("index").join("lexical");
    let storage = DirectoryStorage::new(directory.to_owned());
    let (strand, writer, _) = Strand::open(&storage, Some(&words), Kinds::default()).unwrap();
    (strand, writer)
}

/// A row with its record out of its envelope.
fn bare<K: for<'k> Value<SelfType<'k> = K> + 'static>(
    (key, record): (AccessGuard<'_, K>, AccessGuard<'_, &'static [u8]>),
) -> (K, Vec<u8>) {
    (key.value(), record.value()[ENVELOPE_BYTES..].to_vec())
}

/// Takes everything out of its envelope, as it was in format 2.
fn make_older(directory: &Path) {
    let database = Database::open(directory.join(Store::FILE)).unwrap();
    let write = database.begin_write().unwrap();
    {
        let mut memories = write.open_table(MEMORIES).unwrap();
        let rows: Vec<(u32, Vec<u8>)> = memories
            .iter()
            .unwrap()
            .map(|row| bare(row.unwrap()))
            .collect();
        for (key, record) in rows {
            memories.insert(key, record.as_slice()).unwrap();
        }
        let mut history = write.open_table(HISTORY).unwrap();
        let rows: Vec<(u64, Vec<u8>)> = history
            .iter()
            .unwrap()
            .map(|row| bare(row.unwrap()))
            .collect();
        for (key, record) in rows {
            history.insert(key, record.as_slice()).unwrap();
        }
        write
            .open_table(SESSIONS)
            .unwrap()
            .insert("s", b"state".as_slice())
            .unwrap();
        write
            .open_table(ACCESS)
            .unwrap()
            .insert(1, (4, 1_790_000_900_000_000))
            .unwrap();
        let mut meta = write.open_table(META).unwrap();
        meta.insert("format", OLDER).unwrap();
        meta.remove("identity").unwrap();
    }
    write.commit().unwrap();
}

/// Changes a byte of a record through the store's own library, so that the pages' checksums hold.
fn change(directory: &Path, number: u32) {
    let database = Database::open(directory.join(Store::FILE)).unwrap();
    let record = {
        let table = database.begin_read().unwrap().open_table(MEMORIES).unwrap();
        table.get(number).unwrap().unwrap().value().to_vec()
    };
    let at = record
        .windows(4)
        .position(|window| window == b"text")
        .unwrap();
    let mut record = record;
    record[at] = b'T';
    let write = database.begin_write().unwrap();
    write
        .open_table(MEMORIES)
        .unwrap()
        .insert(number, record.as_slice())
        .unwrap();
    write.commit().unwrap();
}

fn is_sealed(directory: &Path, number: u32) -> bool {
    let database = Database::open(directory.join(Store::FILE)).unwrap();
    let table = database.begin_read().unwrap().open_table(MEMORIES).unwrap();
    table.get(number).unwrap().unwrap().value()[0] == 2
}

fn texts(strand: &Strand) -> Vec<String> {
    let all: Vec<MemoryNumber> = (0..30).map(MemoryNumber).collect();
    strand
        .memories(&all)
        .unwrap()
        .into_iter()
        .map(|memory| memory.text)
        .collect()
}

fn filled() -> (tempfile::TempDir, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let (strand, mut writer) = open(directory.path());
    for tick in 0..20_u8 {
        let text = format!("a text of number {tick}");
        drop(
            writer
                .commit(vec![store(
                    "older",
                    &text,
                    true,
                    [tick; 10],
                    at(u64::from(tick)),
                )])
                .unwrap(),
        );
    }
    let moved = Edit::Move {
        topic: Topic::kept("moved", &mut Secrets::default()).unwrap(),
    };
    drop(writer.commit(vec![edit(3, moved, at(50))]).unwrap());
    let stored = texts(&strand);
    drop((strand, writer));
    make_older(directory.path());
    (directory, stored)
}

#[test]
fn everything_is_read_and_what_is_written_gets_an_envelope() {
    let (directory, stored) = filled();
    let (strand, mut writer) = open(directory.path());
    assert_eq!(texts(&strand), stored);
    let snapshot = strand.snapshot().unwrap();
    assert_eq!(
        snapshot.states(States::Sessions).unwrap(),
        [("s".to_owned(), b"state".to_vec())]
    );
    assert_eq!(
        snapshot
            .memory(MemoryNumber(1))
            .unwrap()
            .unwrap()
            .access_count,
        4
    );
    assert_eq!(snapshot.verify_history().unwrap().unwrap().0, 21);
    assert!(snapshot.verify_records().unwrap().is_empty());
    assert_eq!(
        strand
            .resolve("older/text-number-3", &[Scope::Global])
            .unwrap(),
        Resolution::One(MemoryNumber(3))
    );
    let append = Edit::Append {
        text: "more".to_owned(),
    };
    drop(
        writer
            .commit(vec![edit(5, append, at(60)), Request::Accesses])
            .unwrap(),
    );
    assert_eq!(
        strand
            .snapshot()
            .unwrap()
            .verify_history()
            .unwrap()
            .unwrap()
            .0,
        22
    );
    drop((snapshot, strand, writer));
    assert!(is_sealed(directory.path(), 5));
    assert!(!is_sealed(directory.path(), 6));
    assert!(
        directory
            .path()
            .join(format!("{file}.format-{OLDER}", file = Store::FILE))
            .exists()
    );
}

#[test]
fn a_record_that_the_history_does_not_vouch_for_is_taken_from_it() {
    let (directory, stored) = filled();
    change(directory.path(), 7);
    let (strand, writer) = open(directory.path());
    assert_eq!(texts(&strand), stored);
    drop((strand, writer));
    assert!(is_sealed(directory.path(), 7));
}
