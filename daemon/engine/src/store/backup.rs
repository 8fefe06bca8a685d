//! A copy of the store as it is at one moment, made while writes go on, and the proof that such a
//! copy is whole.
//!
//! It is made row by row from a snapshot, so it holds nothing of what is free in the store's file,
//! and no write waits for it. Of two stores with the same identity and the same mark at a sequence,
//! one continues the other.

use std::sync::Arc;

use helix_memory::{ErrorKind, Sequence};
use redb::{Database, Key, ReadableTable, TableDefinition, TableError, Value, WriteTransaction};

use super::damage::Skipped;
use super::guard::guarded;
use super::history::ChainError;
use super::read::Snapshot;
use super::states::States;
use super::{StoreError, format_of, open_database, open_error, open_view_of, tables};
use crate::ports::Storage;
use crate::store::Store;

/// Rows after which it is asked whether the copy is still wanted.
const ROWS_AT_ONCE: usize = 1_000;

/// Why a copy was not made, or is none to go back to.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store or the copy could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is a file of something else.
    #[error("it holds no memories of Helix")]
    Foreign,
    /// An older Helix made it.
    #[error("it has format {found}, and this Helix makes and reads backups of format {format}", format = Store::FORMAT)]
    Older {
        /// The format found.
        found: u64,
    },
    /// Its history does not hold together.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Records that do not match their hashes.
    #[error("{memories} memories and {operations} operations in it are damaged")]
    Damaged {
        /// How many memories.
        memories: usize,
        /// How many operations.
        operations: usize,
    },
    /// It was given up, and nothing is left of it.
    #[error("the copy was given up because the daemon ends")]
    GivenUp,
}

impl BackupError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Foreign | Self::Older { .. } => ErrorKind::Invalid,
            Self::Chain(_) | Self::Damaged { .. } => ErrorKind::Corrupt,
            Self::GivenUp => ErrorKind::Unavailable,
        }
    }
}

/// The content of a copy that was found whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The newest operation.
    pub sequence: Sequence,
    /// Memories of any status.
    pub memories: u64,
    /// Says which store it is of, and what its past was; see [`Snapshot::mark`].
    pub mark: String,
}

impl Snapshot {
    /// Writes everything that it holds into a new file; durable when it returns. After an error
    /// nothing is left of the file.
    ///
    /// # Errors
    /// When the disk fails, or it is not wanted any more.
    pub fn copy_to(
        &self,
        storage: &dyn Storage,
        name: &str,
        is_wanted: impl Fn() -> bool,
    ) -> Result<(), BackupError> {
        storage.remove(name).map_err(StoreError::Open)?;
        let copied = guarded(|| self.copy_tables(storage, name, &is_wanted));
        if copied.is_err() {
            // What cannot be removed now is replaced by the next copy.
            storage.remove(name).ok();
        }
        copied
    }

    fn copy_tables(
        &self,
        storage: &dyn Storage,
        name: &str,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<(), BackupError> {
        let database = open_database(storage, name)?.map_err(open_error)?;
        let copy = Copy {
            from: self,
            to: database.begin_write().map_err(StoreError::from)?,
            is_wanted,
        };
        copy.table(tables::META)?;
        copy.table(tables::MEMORIES)?;
        copy.table(tables::IDS)?;
        copy.table(tables::HANDLES)?;
        copy.table(tables::HISTORY)?;
        copy.table(tables::ACCESS)?;
        copy.table(tables::RECEIPTS)?;
        copy.table(tables::LOST)?;
        copy.table(tables::GAPS)?;
        let named = tables::NAMED
            .into_iter()
            .chain(States::ALL.map(States::table));
        for definition in named {
            copy.table(definition)?;
        }
        copy.to.commit().map_err(StoreError::from)?;
        Ok(())
    }
}

/// A copy that is being made.
struct Copy<'c> {
    from: &'c Snapshot,
    to: WriteTransaction,
    is_wanted: &'c dyn Fn() -> bool,
}

impl Copy<'_> {
    fn table<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'static, K, V>,
    ) -> Result<(), BackupError> {
        let rows = match self.from.transaction.open_table(definition) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(()),
            rows => rows.map_err(StoreError::from)?,
        };
        let mut table = self.to.open_table(definition).map_err(StoreError::from)?;
        let rows = rows.iter().map_err(StoreError::from)?;
        for (place, row) in rows.enumerate() {
            if place % ROWS_AT_ONCE == 0 && !(self.is_wanted)() {
                return Err(BackupError::GivenUp);
            }
            let (key, value) = row.map_err(StoreError::from)?;
            table
                .insert(key.value(), value.value())
                .map_err(StoreError::from)?;
        }
        Ok(())
    }
}

impl Verified {
    /// Opens a copy without writing to it, compares its pages with their checksums, walks its history
    /// and reads every memory.
    ///
    /// # Errors
    /// `BackupError` says why it is none to go back to.
    pub fn of(storage: &dyn Storage, name: &str) -> Result<Verified, BackupError> {
        guarded(|| {
            let database = open_view_of(storage, name)?;
            match format_of(&database)? {
                Some(Store::FORMAT) => {}
                Some(found) => return Err(BackupError::Older { found }),
                None => return Err(BackupError::Foreign),
            }
            verify_database(database)
        })
    }
}

fn verify_database(database: Database) -> Result<Verified, BackupError> {
    let skipped = Arc::<Skipped>::default();
    let snapshot = Snapshot::new(&Arc::new(database), &skipped)?;
    snapshot.verify_history()??;
    let mut memories = 0;
    snapshot.for_each_memory(|_| {
        memories += 1;
        Ok::<_, StoreError>(())
    })?;
    let damage = snapshot.damage()?;
    if !damage.memories.is_empty() || !damage.operations.is_empty() {
        return Err(BackupError::Damaged {
            memories: damage.memories.len(),
            operations: damage.operations.len(),
        });
    }
    let sequence = snapshot.sequence()?;
    let mark = snapshot.mark(sequence)?.unwrap_or_default();
    Ok(Verified {
        sequence,
        memories,
        mark,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::store::{DirectoryStorage, Store, Write, Writer};

    const COPY: &str = "copy.redb";

    fn storage(directory: &Path) -> DirectoryStorage {
        DirectoryStorage::new(directory.to_owned())
    }

    fn open(directory: &Path) -> (Store, Writer) {
        Store::open(&storage(directory)).unwrap()
    }

    fn session(key: &str) -> Write {
        Write::States(States::Sessions, vec![(key.to_owned(), vec![7; 10])])
    }

    fn sessions(directory: &Path) -> Vec<String> {
        let (store, _) = open(directory);
        let states = store.snapshot().unwrap().states(States::Sessions).unwrap();
        states.into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn a_copy_is_the_store_as_it_was_when_it_was_begun() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) = open(directory.path());
        writer.commit(vec![session("before")]).unwrap();
        let snapshot = store.snapshot().unwrap();
        writer.commit(vec![session("meanwhile")]).unwrap();
        let mark = snapshot.mark(Sequence(0)).unwrap().unwrap();
        snapshot
            .copy_to(&storage(directory.path()), COPY, || true)
            .unwrap();
        let verified = Verified::of(&storage(directory.path()), COPY).unwrap();
        assert_eq!(verified.mark, mark, "it is a copy of this store");
        assert_eq!(verified.memories, 0);

        let other = tempfile::tempdir().unwrap();
        fs::copy(directory.path().join(COPY), other.path().join(Store::FILE)).unwrap();
        assert_eq!(sessions(other.path()), ["before"]);
    }

    #[test]
    fn nothing_is_left_of_a_copy_that_is_given_up() {
        let directory = tempfile::tempdir().unwrap();
        let (store, _writer) = open(directory.path());
        let snapshot = store.snapshot().unwrap();
        let given_up = snapshot.copy_to(&storage(directory.path()), COPY, || false);
        assert!(matches!(given_up, Err(BackupError::GivenUp)));
        assert!(!directory.path().join(COPY).exists());
    }

    #[test]
    fn a_damaged_or_foreign_copy_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) = open(directory.path());
        writer.commit(vec![session("one")]).unwrap();
        let storage = storage(directory.path());
        store
            .snapshot()
            .unwrap()
            .copy_to(&storage, COPY, || true)
            .unwrap();
        let path = directory.path().join(COPY);
        let mut bytes = fs::read(&path).unwrap();
        for byte in bytes.iter_mut().skip(4_096) {
            *byte ^= 0x55;
        }
        fs::write(&path, bytes).unwrap();
        assert!(Verified::of(&storage, COPY).is_err());
        fs::write(&path, "no store").unwrap();
        assert!(Verified::of(&storage, COPY).is_err());
        assert!(Verified::of(&storage, "absent").is_err());
    }
}
