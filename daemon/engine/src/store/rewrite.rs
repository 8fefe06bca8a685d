//! Writing the store's file anew, row by row.
//!
//! Compacting a copy moves pages and leaves in the free ones what they held. After a purge nothing
//! may be left, so every row is written into a new file, which takes the store's place by a rename
//! as after shrinking. Writes wait for it, however large the store is: a purge is rare, and its
//! promise is that nothing stays.

use super::backup::BackupError;
use super::read::Snapshot;
use super::shrink::{Made, SHRUNK_FILE, extent, length};
use super::{CommitError, Shrunk, StoreError, Writer, open_database, open_error};
use crate::ports::Storage;
use crate::store::Store;

impl Writer {
    /// Writes the store's file anew. Needs as much room again meanwhile.
    ///
    /// # Errors
    /// `CommitError` when it is not known which file is the store after a crash: nothing more may
    /// be acknowledged until the store is reopened.
    pub fn rewrite(&mut self, storage: &dyn Storage) -> Result<Shrunk, CommitError> {
        self.replace_file(storage, Self::write_anew)
    }

    fn write_anew(&self, storage: &dyn Storage) -> Result<Made, StoreError> {
        let before_bytes = length(storage, Store::FILE)?;
        let snapshot = Snapshot::new(&self.database, &self.store.skipped)?;
        snapshot
            .copy_to(storage, SHRUNK_FILE, || true)
            .map_err(store_error)?;
        let copy = open_database(storage, SHRUNK_FILE)?.map_err(open_error)?;
        if extent(&copy)? != extent(&self.database)? {
            return Err(StoreError::Open(std::io::Error::other(
                "the store that was written anew differs from the store",
            )));
        }
        Ok(Made::Ready {
            after_bytes: length(storage, SHRUNK_FILE)?,
            copy,
            before_bytes,
        })
    }
}

fn store_error(error: BackupError) -> StoreError {
    match error {
        BackupError::Store(error) => error,
        other => StoreError::Open(std::io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::store::{DirectoryStorage, States, Store, Write};

    const TEXT: &[u8] = b"the text that was removed";

    fn holds_text(directory: &Path) -> bool {
        let bytes = fs::read(directory.join(Store::FILE)).unwrap();
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
