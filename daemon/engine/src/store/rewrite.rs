//! Writing the store's file anew, row by row.
//!
//! Compacting a copy moves pages and leaves in the free ones what they held. After a purge nothing
//! may be left, so every row is written into a new file, which takes the store's place by a rename
//! as after shrinking. Writes wait for it, however large the store is: a purge is rare, and its
//! promise is that nothing stays.

use std::sync::{Arc, PoisonError};

use redb::{
    Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    Value, WriteTransaction,
};

use super::guard::guarded;
use super::shrink::{SHRUNK_FILE, discard, extent};
use super::{
    CommitError, STORE_FILE, Shrunk, States, StoreError, Writer, open_database, open_error, tables,
};
use crate::ports::Storage;

impl Writer {
    /// Writes the store's file anew. Needs as much room again meanwhile.
    ///
    /// # Errors
    /// [`CommitError`] when it is not known which file is the store after a crash: nothing more may
    /// be acknowledged until the store is reopened.
    pub fn rewrite(&mut self, storage: &dyn Storage) -> Result<Shrunk, CommitError> {
        if self.refusal.is_some() {
            return Ok(Shrunk::Failed);
        }
        let store = self.store.clone();
        let _writing = store.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let written = guarded(|| write_anew(storage, &self.database));
        match written {
            Ok(Anew {
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
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the store could not be written anew"
                );
                discard(storage);
                Ok(Shrunk::Failed)
            }
        }
    }
}

/// The new file, and how large it and the old one are.
struct Anew {
    copy: Database,
    before_bytes: u64,
    after_bytes: u64,
}

fn write_anew(storage: &dyn Storage, database: &Arc<Database>) -> Result<Anew, StoreError> {
    let length = |name| {
        let file = storage.read(name);
        file.and_then(|file| file.len()).map_err(StoreError::Open)
    };
    let before_bytes = length(STORE_FILE)?;
    storage.remove(SHRUNK_FILE).map_err(StoreError::Open)?;
    let copy = open_database(storage, SHRUNK_FILE)?.map_err(open_error)?;
    let from = database.begin_read()?;
    let to = copy.begin_write()?;
    copy_tables(&from, &to)?;
    to.commit()?;
    if extent(&copy)? != extent(database)? {
        return Err(StoreError::Open(std::io::Error::other(
            "the store that was written anew differs from the store",
        )));
    }
    Ok(Anew {
        after_bytes: length(SHRUNK_FILE)?,
        copy,
        before_bytes,
    })
}

fn copy_tables(from: &ReadTransaction, to: &WriteTransaction) -> Result<(), StoreError> {
    copy_table(from, to, tables::MEMORIES)?;
    copy_table(from, to, tables::IDS)?;
    copy_table(from, to, tables::HANDLES)?;
    copy_table(from, to, tables::HISTORY)?;
    copy_table(from, to, tables::ACCESS)?;
    copy_table(from, to, tables::RECEIPTS)?;
    copy_table(from, to, tables::LOST)?;
    copy_table(from, to, tables::GAPS)?;
    copy_table(from, to, tables::META)?;
    let named = tables::NAMED.into_iter();
    for table in named.chain(States::ALL.map(States::table)) {
        copy_table(from, to, table)?;
    }
    Ok(())
}

fn copy_table<K: Key + 'static, V: Value + 'static>(
    from: &ReadTransaction,
    to: &WriteTransaction,
    definition: TableDefinition<'static, K, V>,
) -> Result<(), StoreError> {
    let source = match from.open_table(definition) {
        Ok(source) => source,
        // Made when it is first written to.
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut target = to.open_table(definition)?;
    for row in source.iter()? {
        let (key, value) = row?;
        target.insert(key.value(), value.value())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::store::{DirectoryStorage, Store, Write};

    const TEXT: &[u8] = b"the text that was removed";

    fn holds_text(directory: &Path) -> bool {
        let bytes = fs::read(directory.join(STORE_FILE)).unwrap();
        bytes.windows(TEXT.len()).any(|window| window == TEXT)
    }

    fn state(key: &str, state: &[u8]) -> Write {
        Write::States(States::Sessions, vec![(key.to_owned(), state.to_vec())])
    }

    #[test]
    fn nothing_that_was_removed_is_left_and_the_rest_is() {
        let directory = tempfile::tempdir().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let (store, mut writer) = Store::open(&storage).unwrap();
        writer.commit(vec![state("gone", TEXT)]).unwrap();
        writer.commit(vec![state("kept", b"kept")]).unwrap();
        writer.commit(vec![state("gone", b"")]).unwrap();
        assert!(holds_text(directory.path()), "it is in a free page");
        let shrunk = writer.rewrite(&storage).unwrap();
        assert!(matches!(shrunk, Shrunk::Rewritten { .. }), "{shrunk:?}");
        assert!(!holds_text(directory.path()));
        writer.commit(vec![state("later", b"later")]).unwrap();
        let keys = |store: &Store| -> Vec<String> {
            let states = store.snapshot().unwrap().states(States::Sessions).unwrap();
            states.into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(keys(&store), ["kept", "later"]);
        drop((store, writer));
        let (store, _) = Store::open(&storage).unwrap();
        assert_eq!(keys(&store), ["kept", "later"]);
    }
}
