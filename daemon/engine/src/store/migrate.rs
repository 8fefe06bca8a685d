//! Older formats: the file is copied as it is, then brought up to today's format.
//!
//! | format | what it added |
//! |---|---|
//! | 1 | memories, and operations that store, reinforce and forget them |
//! | 2 | operations that edit, move, supersede and repair; checkpoints; what imports bring along |
//!
//! A migration is one transaction: a crash leaves the older format, and the next start copies and migrates again. The copy is
//! never read; it is there for somebody who wants to go back to the older Helix.

use redb::Database;

use super::backend::copy;
use super::{FORMAT, STORE_FILE, StoreError, tables};
use crate::ports::Storage;

/// The file that holds a store as it was before it was migrated from a format.
pub(super) fn backup_name(format: u64) -> String {
    format!("{STORE_FILE}.format-{format}")
}

/// Copies the store, which is closed; durable when it returns. An earlier copy of that format is replaced: it was made by a
/// start that did not come to the end of the migration.
pub(super) fn back_up(storage: &dyn Storage, format: u64) -> Result<(), StoreError> {
    let name = backup_name(format);
    tracing::info!(format, to = FORMAT, copy = name, "bringing the store up to date");
    copy(storage, STORE_FILE, &name).map_err(|source| {
        // Half a copy is of no use, and the room may be what is missing.
        storage.remove(&name).ok();
        StoreError::BackUp { name, source }
    })
}

/// Brings an open store of an older format up to [`FORMAT`].
pub(super) fn bring_up(database: &Database, found: u64) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    // Nothing of format 1 is different in format 2; tables that are new are made by the writer.
    transaction.open_table(tables::META)?.insert(tables::META_FORMAT, FORMAT)?;
    transaction.commit()?;
    tracing::info!(found, now = FORMAT, "the store is up to date");
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::io;
    use std::path::Path;

    use redb::ReadableDatabase;

    use super::*;
    use crate::store::{DirectoryStorage, Store};

    /// A directory on which a file cannot be written.
    struct Refusing {
        directory: DirectoryStorage,
        refused: String,
    }

    impl Storage for Refusing {
        fn open(&self, name: &str) -> io::Result<Box<dyn redb::StorageBackend>> {
            if name == self.refused { Err(io::ErrorKind::StorageFull.into()) } else { self.directory.open(name) }
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            self.directory.remove(name)
        }
    }

    fn format(directory: &Path) -> u64 {
        let database = Database::open(directory.join(STORE_FILE)).unwrap();
        let meta = database.begin_read().unwrap().open_table(tables::META).unwrap();
        meta.get(tables::META_FORMAT).unwrap().unwrap().value()
    }

    /// A closed store of format 1 with a session in it.
    fn older() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) = Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let write = crate::store::Write::Session { key: "s".to_owned(), state: b"state".to_vec() };
        writer.commit(vec![write]).unwrap();
        drop((store, writer));
        let database = Database::open(directory.path().join(STORE_FILE)).unwrap();
        let write = database.begin_write().unwrap();
        write.open_table(tables::META).unwrap().insert(tables::META_FORMAT, 1).unwrap();
        write.commit().unwrap();
        directory
    }

    fn has_session(store: &Store) -> bool {
        store.snapshot().unwrap().sessions().unwrap() == [("s".to_owned(), b"state".to_vec())]
    }

    #[test]
    fn an_older_store_is_copied_and_brought_up_to_date_once() {
        let directory = older();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let copy = directory.path().join(backup_name(1));
        // What a start left that was killed in the middle of copying.
        fs::write(&copy, vec![7; 3_000_000]).unwrap();
        assert!(has_session(&Store::open(&storage).unwrap().0));
        assert_eq!(format(directory.path()), FORMAT);
        fs::remove_file(directory.path().join(STORE_FILE)).unwrap();
        fs::rename(&copy, directory.path().join(STORE_FILE)).unwrap();
        assert_eq!(format(directory.path()), 1, "the copy is the store as it was");
        assert!(has_session(&Store::open(&storage).unwrap().0));

        fs::remove_file(&copy).unwrap();
        drop(Store::open(&storage).unwrap());
        assert!(!copy.exists(), "a store of today is not copied");
    }

    #[test]
    fn without_a_copy_nothing_is_changed() {
        let directory = older();
        let path = directory.path().to_owned();
        let refusing = Refusing { directory: DirectoryStorage::new(path), refused: backup_name(1) };
        let refused = Store::open(&refusing).err().unwrap();
        assert!(matches!(refused, StoreError::BackUp { .. }) && refused.to_string().contains("free some space"));
        assert_eq!(format(directory.path()), 1);
        assert!(!directory.path().join(backup_name(1)).exists());
    }
}
