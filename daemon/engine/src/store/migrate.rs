//! Older formats: the file is copied as it is, then brought up to today's format.
//!
//! | format | what it added |
//! |---|---|
//! | 1 | memories, and operations that store, reinforce and forget them |
//! | 2 | operations that edit, move, supersede and repair; checkpoints; what imports bring along |
//! | 3 | the envelope with a hash around every record; the store's identity; what was lost to damage |
//! | 4 | edges, tombstones, projects, jobs, cursors, metrics; what operations say of their reason and group |
//!
//! A migration is one transaction: a crash leaves the older format, and the next start copies and
//! migrates again. The copy is never read; it is there for somebody who wants to go back to the
//! older Helix.

use redb::{Database, ReadableTable, WriteTransaction};

use super::backend::copy;
use super::states::States;
use super::{CommitError, StoreError, seal, tables};
use crate::ports::Storage;
use crate::store::Store;

/// The first format in which records have an envelope.
const SEALED_FORMAT: u64 = 3;

/// The file that holds a store as it was before it was migrated from a format.
pub(super) fn backup_name(format: u64) -> String {
    format!("{file}.format-{format}", file = Store::FILE)
}

/// Copies the store, which is closed; durable when it returns. An earlier copy of that format is
/// replaced: it was made by a start that did not come to the end of the migration.
pub(super) fn back_up(storage: &dyn Storage, format: u64) -> Result<(), StoreError> {
    let name = backup_name(format);
    tracing::info!(
        format,
        to = Store::FORMAT,
        copy = name,
        "bringing the store up to date"
    );
    copy(storage, Store::FILE, &name).map_err(|source| {
        // Half a copy is of no use, and the room may be what is missing.
        storage.remove(&name).ok();
        StoreError::BackUp { name, source }
    })
}

/// Brings an open store of an older format up to [`Store::FORMAT`].
pub(super) fn bring_up(database: &Database, found: u64) -> Result<(), CommitError> {
    let transaction = database.begin_write()?;
    // Nothing of format 1 is different in format 2; tables that are new are made by the writer.
    if found < SEALED_FORMAT {
        seal_records(&transaction)?;
    }
    transaction
        .open_table(tables::META)?
        .insert(tables::META_FORMAT, Store::FORMAT)?;
    transaction.commit()?;
    tracing::info!(found, now = Store::FORMAT, "the store is up to date");
    Ok(())
}

/// Puts the records into envelopes of which the history does not vouch for. Those of memories get
/// theirs when they are next written, and operations keep theirs, which is the chain.
fn seal_records(transaction: &WriteTransaction) -> Result<(), CommitError> {
    let named = tables::NAMED
        .into_iter()
        .chain(States::ALL.map(States::table));
    for definition in named {
        let mut table = transaction.open_table(definition)?;
        let mut sealed = Vec::new();
        for entry in table.iter()? {
            let (key, record) = entry?;
            sealed.push((
                key.value().to_owned(),
                seal::seal(&definition, key.value(), record.value()),
            ));
        }
        for (key, record) in sealed {
            table.insert(key.as_str(), record.as_slice())?;
        }
    }
    let mut receipts = transaction.open_table(tables::RECEIPTS)?;
    let mut sealed = Vec::new();
    for entry in receipts.iter()? {
        let (at, record) = entry?;
        sealed.push((
            at.value(),
            seal::seal(&tables::RECEIPTS, &at.value(), record.value()),
        ));
    }
    for (at, record) in sealed {
        receipts.insert(at, record.as_slice())?;
    }
    let mut access = transaction.open_table(tables::ACCESS)?;
    let mut rows = Vec::new();
    for entry in access.iter()? {
        let (number, row) = entry?;
        rows.push((number.value(), row.value()));
    }
    for (number, row) in rows {
        access.insert(number, seal::seal_access(number, row))?;
    }
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
            if name == self.refused {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                self.directory.open(name)
            }
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            self.directory.remove(name)
        }
    }

    fn format(directory: &Path) -> u64 {
        let database = Database::open(directory.join(Store::FILE)).unwrap();
        let meta = database
            .begin_read()
            .unwrap()
            .open_table(tables::META)
            .unwrap();
        meta.get(tables::META_FORMAT).unwrap().unwrap().value()
    }

    /// A closed store of format 1 with a session in it.
    fn older() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) =
            Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let write = crate::store::Write::States(
            States::Sessions,
            vec![("s".to_owned(), b"state".to_vec())],
        );
        writer.commit(vec![write]).unwrap();
        drop((store, writer));
        let database = Database::open(directory.path().join(Store::FILE)).unwrap();
        let write = database.begin_write().unwrap();
        write
            .open_table(tables::META)
            .unwrap()
            .insert(tables::META_FORMAT, 1)
            .unwrap();
        // As they were before they had envelopes.
        write
            .open_table(States::Sessions.table())
            .unwrap()
            .insert("s", b"state".as_slice())
            .unwrap();
        write
            .open_table(tables::ACCESS)
            .unwrap()
            .insert(7, (3, 5))
            .unwrap();
        write.commit().unwrap();
        directory
    }

    fn access(directory: &Path) -> (u64, i64) {
        let database = Database::open(directory.join(Store::FILE)).unwrap();
        let access = database
            .begin_read()
            .unwrap()
            .open_table(tables::ACCESS)
            .unwrap();
        access.get(7).unwrap().unwrap().value()
    }

    fn has_session(store: &Store) -> bool {
        store.snapshot().unwrap().states(States::Sessions).unwrap()
            == [("s".to_owned(), b"state".to_vec())]
    }

    #[test]
    fn an_older_store_is_copied_and_brought_up_to_date_once() {
        let directory = older();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let copy = directory.path().join(backup_name(1));
        // What a start left that was killed in the middle of copying.
        fs::write(&copy, vec![7; 3_000_000]).unwrap();
        assert!(has_session(&Store::open(&storage).unwrap().0));
        assert_eq!(format(directory.path()), Store::FORMAT);
        assert_eq!(seal::open_access(7, access(directory.path())), Some((3, 5)));
        fs::remove_file(directory.path().join(Store::FILE)).unwrap();
        fs::rename(&copy, directory.path().join(Store::FILE)).unwrap();
        assert_eq!(
            format(directory.path()),
            1,
            "the copy is the store as it was"
        );
        assert!(has_session(&Store::open(&storage).unwrap().0));

        fs::remove_file(&copy).unwrap();
        drop(Store::open(&storage).unwrap());
        assert!(!copy.exists(), "a store of today is not copied");
    }

    #[test]
    fn without_a_copy_nothing_is_changed() {
        let directory = older();
        let path = directory.path().to_owned();
        let refusing = Refusing {
            directory: DirectoryStorage::new(path),
            refused: backup_name(1),
        };
        let refused = Store::open(&refusing).err().unwrap();
        assert!(
            matches!(refused, StoreError::BackUp { .. })
                && refused.to_string().contains("free some space")
        );
        assert_eq!(format(directory.path()), 1);
        assert!(!directory.path().join(backup_name(1)).exists());
    }
}
