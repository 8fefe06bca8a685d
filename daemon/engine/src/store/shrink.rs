//! Rewriting the store's file without what is free in it, while readers go on.
//!
//! The writer does it, so that nothing is written meanwhile: the file is copied, the copy is
//! compacted and compared with it, and takes its place by a rename. Until then the old file is the
//! store, and whatever fails before leaves it as it was. A crash leaves one of two files that hold
//! the same. A reader keeps the file that its snapshot is of until it is done.

use std::sync::{Arc, PoisonError};

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use super::backend::copy;
use super::guard::guarded;
use super::{CommitError, StoreError, Writer, open_checked, open_error, tables};
use crate::ports::Storage;
use crate::store::Store;

/// The copy while it is made; what a crash left of it is removed at the next start.
pub(super) const SHRUNK_FILE: &str = "store.redb.shrinking";

impl Shrunk {
    /// Largest store that is rewritten while it is in use, in bytes: writes wait for it, some seconds
    /// on an ordinary disk and never as long as a client waits. It holds about a million memories.
    pub const MAX_BYTES: u64 = 1024 * 1024 * 1024;
}

/// The fate of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shrunk {
    /// It was rewritten.
    Rewritten {
        /// Its size before.
        before_bytes: u64,
        /// Its size now.
        after_bytes: u64,
    },
    /// Nothing in it was free.
    AsItWas,
    /// It is larger than [`Shrunk::MAX_BYTES`].
    TooLarge,
    /// The copy could not be made; nothing was changed.
    Failed,
}

impl Writer {
    /// Rewrites the store's file without what is free in it. Needs as much room again meanwhile.
    ///
    /// # Errors
    /// `CommitError` when it is not known which file is the store after a crash: nothing more may
    /// be acknowledged until the store is reopened.
    pub fn shrink(&mut self, storage: &dyn Storage) -> Result<Shrunk, CommitError> {
        self.replace_file(storage, Self::make_copy)
    }

    /// Makes a copy of the store's file and puts it in the file's place, while nothing is written.
    pub(super) fn replace_file(
        &mut self,
        storage: &dyn Storage,
        make: impl FnOnce(&Self, &dyn Storage) -> Result<Made, StoreError>,
    ) -> Result<Shrunk, CommitError> {
        if self.refusal.is_some() {
            return Ok(Shrunk::Failed);
        }
        let store = self.store.clone();
        let _writing = store.writing.lock().unwrap_or_else(PoisonError::into_inner);
        match guarded(|| make(self, storage)) {
            Ok(Made::Ready {
                copy,
                before_bytes,
                after_bytes,
            }) => {
                self.take_place(storage, copy)?;
                Ok(Shrunk::Rewritten {
                    before_bytes,
                    after_bytes,
                })
            }
            Ok(Made::NotSmaller) => {
                discard(storage);
                Ok(Shrunk::AsItWas)
            }
            Ok(Made::TooLarge) => Ok(Shrunk::TooLarge),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the store could not be rewritten"
                );
                discard(storage);
                Ok(Shrunk::Failed)
            }
        }
    }

    /// Puts the copy in the store's place.
    fn take_place(&mut self, storage: &dyn Storage, copy: Database) -> Result<(), CommitError> {
        storage
            .replace(Store::FILE, SHRUNK_FILE)
            .map_err(|error| CommitError::from(StoreError::Open(error)))?;
        let copy = Arc::new(copy);
        let mut database = self
            .store
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *database = Arc::clone(&copy);
        drop(database);
        self.database = copy;
        self.is_saved = false;
        Ok(())
    }

    fn make_copy(&self, storage: &dyn Storage) -> Result<Made, StoreError> {
        let before_bytes = length(storage, Store::FILE)?;
        if before_bytes > Shrunk::MAX_BYTES {
            return Ok(Made::TooLarge);
        }
        copy(storage, Store::FILE, SHRUNK_FILE).map_err(StoreError::Open)?;
        // Checked, so that damage is not copied to where nobody looks for it.
        let mut copy = open_checked(storage, SHRUNK_FILE)?.map_err(open_error)?;
        copy.compact().map_err(redb::Error::from)?;
        if extent(&copy)? != extent(&self.database)? {
            return Err(StoreError::Open(std::io::Error::other(
                "the rewritten store differs from the store",
            )));
        }
        let after_bytes = length(storage, SHRUNK_FILE)?;
        if after_bytes < before_bytes {
            Ok(Made::Ready {
                copy,
                before_bytes,
                after_bytes,
            })
        } else {
            Ok(Made::NotSmaller)
        }
    }
}

/// The result of making the copy.
pub(super) enum Made {
    /// It is to take the store's place.
    Ready {
        copy: Database,
        before_bytes: u64,
        after_bytes: u64,
    },
    NotSmaller,
    TooLarge,
}

/// The size of a file.
pub(super) fn length(storage: &dyn Storage, name: &str) -> Result<u64, StoreError> {
    let file = storage.read(name);
    file.and_then(|file| file.len()).map_err(StoreError::Open)
}

/// Removes the copy. If it stays, the next start does.
fn discard(storage: &dyn Storage) {
    if let Err(error) = storage.remove(SHRUNK_FILE) {
        tracing::warn!(%error, "the copy of the store was not removed");
    }
}

/// How much a store holds, and the end of its history, whose hash covers everything before.
#[derive(PartialEq, Eq)]
pub(super) struct Extent {
    memories: u64,
    ids: u64,
    handles: u64,
    operations: u64,
    last: Option<Vec<u8>>,
}

pub(super) fn extent(database: &Database) -> Result<Extent, StoreError> {
    let transaction = database.begin_read()?;
    let history = transaction.open_table(tables::HISTORY)?;
    Ok(Extent {
        memories: transaction.open_table(tables::MEMORIES)?.len()?,
        ids: transaction.open_table(tables::IDS)?.len()?,
        handles: transaction.open_table(tables::HANDLES)?.len()?,
        operations: history.len()?,
        last: history
            .last()?
            .map(|(_, operation)| operation.value().to_vec()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::io;
    use std::path::Path;

    use super::*;
    use crate::store::{DirectoryStorage, States, Store, Write};

    /// Sessions are all that a store needs to grow.
    fn session(key: u32, bytes: usize) -> Write {
        Write::States(States::Sessions, vec![(format!("s{key}"), vec![7; bytes])])
    }

    /// A store whose file has room for much that is gone.
    fn grown(directory: &Path) -> (Store, Writer) {
        let (store, mut writer) =
            Store::open(&DirectoryStorage::new(directory.to_owned())).unwrap();
        writer
            .commit((0..200).map(|key| session(key, 50_000)).collect())
            .unwrap();
        writer
            .commit((1..200).map(|key| session(key, 0)).collect())
            .unwrap();
        (store, writer)
    }

    fn keys(store: &Store) -> Vec<String> {
        store
            .snapshot()
            .unwrap()
            .states(States::Sessions)
            .unwrap()
            .into_iter()
            .map(|(key, _)| key)
            .collect()
    }

    fn bytes(directory: &Path) -> u64 {
        fs::metadata(directory.join(Store::FILE)).unwrap().len()
    }

    #[test]
    fn the_file_shrinks_while_readers_go_on_and_writes_follow() {
        let directory = tempfile::tempdir().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let (store, mut writer) = grown(directory.path());
        let before = store.snapshot().unwrap();
        let size = bytes(directory.path());
        let shrunk = writer.shrink(&storage).unwrap();
        assert_eq!(
            shrunk,
            Shrunk::Rewritten {
                before_bytes: size,
                after_bytes: bytes(directory.path())
            }
        );
        assert!(bytes(directory.path()) * 4 < size, "{shrunk:?}");
        assert!(!directory.path().join(SHRUNK_FILE).exists());
        writer.commit(vec![session(500, 10)]).unwrap();
        assert_eq!(keys(&store), ["s0", "s500"]);
        assert_eq!(
            before.states(States::Sessions).unwrap().len(),
            1,
            "a snapshot stays what it was"
        );
        drop((store, writer, before));
        let (store, mut writer) = Store::open(&storage).unwrap();
        assert_eq!(keys(&store), ["s0", "s500"]);
        let size = bytes(directory.path());
        for _ in 0..2 {
            assert_ne!(writer.shrink(&storage).unwrap(), Shrunk::Failed);
            assert!(bytes(directory.path()) <= size);
        }
        writer.commit(vec![session(0, 0)]).unwrap();
        assert_eq!(keys(&store), ["s500"]);
    }

    #[test]
    fn what_a_crash_left_of_a_copy_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        drop(grown(directory.path()));
        fs::write(directory.path().join(SHRUNK_FILE), b"half a copy").unwrap();
        let (store, _) = Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        assert_eq!(keys(&store), ["s0"]);
        assert!(!directory.path().join(SHRUNK_FILE).exists());
    }

    /// A directory where files cannot be made, or cannot be renamed.
    struct Refusing {
        directory: DirectoryStorage,
        refuses_copy: bool,
    }

    impl Storage for Refusing {
        fn open(&self, name: &str) -> io::Result<Box<dyn redb::StorageBackend>> {
            let refuses = self.refuses_copy && name == SHRUNK_FILE;
            if refuses {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                self.directory.open(name)
            }
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            self.directory.remove(name)
        }
    }

    #[test]
    fn a_copy_that_cannot_be_made_changes_nothing_and_one_that_cannot_take_its_place_ends_the_writing()
     {
        let directory = tempfile::tempdir().unwrap();
        let refusing = |refuses_copy| Refusing {
            directory: DirectoryStorage::new(directory.path().to_owned()),
            refuses_copy,
        };
        let (store, mut writer) = grown(directory.path());
        assert_eq!(writer.shrink(&refusing(true)).unwrap(), Shrunk::Failed);
        writer.commit(vec![session(500, 10)]).unwrap();
        assert_eq!(keys(&store), ["s0", "s500"]);
        assert!(writer.shrink(&refusing(false)).is_err());
        assert_eq!(keys(&store), ["s0", "s500"]);
    }
}
