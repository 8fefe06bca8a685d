//! A disk without room: what is stored is read, every write is refused, and nothing is acknowledged
//! or lost.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use common::{at, edit, store};
use helix_engine::{
    DirectoryStorage, LexicalQuery, Request, SpaceRole, Storage, Strand, WordsMode as Mode,
    WordsRestriction as Restriction, WriteError,
};
use helix_memory::{Edit, Kinds, MemoryNumber};
use nix::libc::PATH_MAX;
use redb::{BackendError, StorageBackend};

/// A directory on which no file can grow or be made.
struct Full(DirectoryStorage);

#[derive(Debug)]
struct FullFile(Box<dyn StorageBackend>);

impl Storage for Full {
    fn open(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        // A file that is not there cannot be made.
        self.0
            .read(name)
            .map_err(|_| io::Error::from(io::ErrorKind::StorageFull))?;
        Ok(Box::new(FullFile(self.0.open(name)?)))
    }

    fn read(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        self.0.read(name)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }
}

impl StorageBackend for FullFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if len > self.0.len()? {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            self.0.set_len(len)
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.unlock_range(start, end)
    }
}

fn read(strand: &Strand) -> Vec<String> {
    let all: Vec<MemoryNumber> = (0..9).map(MemoryNumber).collect();
    strand
        .memories(&all)
        .unwrap()
        .into_iter()
        .map(|memory| memory.text)
        .collect()
}

fn found(strand: &Strand) -> usize {
    let query = LexicalQuery::parse("written", Mode::All);
    strand
        .lexical()
        .search(&query, 9, &Restriction::default(), |_| true)
        .unwrap()
        .len()
}

/// Length of a directory's name that every file system takes, in bytes.
const NAME_BYTES: usize = 200;

/// Where no index can be made.
const NOWHERE: &str = "/proc/helix/index";

#[test]
fn everything_is_read_and_every_write_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (strand, mut writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    let requests = (0..5).map(|n| {
        store(
            "room",
            &format!("written before, {n}"),
            true,
            [n; 10],
            at(u64::from(n)),
        )
    });
    assert!(
        writer
            .commit(requests.collect())
            .unwrap()
            .iter()
            .all(Result::is_ok)
    );
    let stored = read(&strand);
    drop((strand, writer));

    let full = Full(storage.clone());
    let (strand, mut writer, report) =
        Strand::open(&full, Some(Path::new(NOWHERE)), Kinds::default()).unwrap();
    assert!(report.is_read_only);
    assert_eq!(read(&strand), stored);
    assert_eq!(found(&strand), 5);
    strand
        .open_space(&full, SpaceRole::Answering, "model", 8)
        .unwrap();
    let revise = Edit::Revise {
        text: "written later".to_owned(),
        seen: None,
    };
    let refused = [
        store("room", "written later", true, [9; 10], at(9)),
        edit(1, revise, at(9)),
        Request::Accesses,
    ];
    for outcome in writer.commit(refused.into()).unwrap() {
        let refusal = outcome.unwrap_err();
        assert!(matches!(refusal, WriteError::ReadOnly(_)), "{refusal}");
        assert!(refusal.to_string().contains("free some space"), "{refusal}");
    }
    writer.rest().unwrap();
    assert_eq!(read(&strand), stored);
    drop((strand, writer));

    let (strand, mut writer, report) = Strand::open(&storage, None, Kinds::default()).unwrap();
    assert!(!report.is_read_only);
    assert_eq!(read(&strand), stored);
    let later = writer
        .commit(vec![store("room", "written later", true, [9; 10], at(9))])
        .unwrap();
    assert!(later.iter().all(Result::is_ok));
}

/// A directory in which an index's own files have names short enough, and its segments have not: it
/// can be opened, and nothing be committed to it, as on a full disk.
fn without_room_for_segments(root: &Path) -> PathBuf {
    let length = usize::try_from(PATH_MAX).unwrap() - 30;
    let mut directory = root.to_owned();
    while directory.as_os_str().len() + 2 * NAME_BYTES < length {
        directory.push("d".repeat(NAME_BYTES));
    }
    for _ in 0..2 {
        let left = length - directory.as_os_str().len();
        directory.push("d".repeat(if left > NAME_BYTES {
            left / 2
        } else {
            left - 1
        }));
    }
    fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn an_index_without_room_is_in_memory() {
    let root = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(root.path().to_owned());
    let (strand, mut writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    let requests = (0..5).map(|n| {
        store(
            "room",
            &format!("written before, {n}"),
            true,
            [n; 10],
            at(u64::from(n)),
        )
    });
    assert!(
        writer
            .commit(requests.collect())
            .unwrap()
            .iter()
            .all(Result::is_ok)
    );
    drop((strand, writer));

    let index = without_room_for_segments(root.path());
    let full = Full(storage.clone());
    for storage in [&full as &dyn Storage, &storage] {
        let (strand, _writer, report) =
            Strand::open(storage, Some(&index), Kinds::default()).unwrap();
        assert!(report.rebuilt_words);
        assert_eq!(found(&strand), 5);
    }
}
