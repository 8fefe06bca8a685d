//! Looks whether the store's file is still in its place: what is written to one that was moved away
//! would be lost.

use std::io;

use helix_engine::{FileIdentity, Storage, Store};

/// The file that a store was opened from.
pub(super) struct Whereabouts<'s> {
    storage: &'s dyn Storage,
    /// `None` where files have no names, or nobody could say.
    own: Option<FileIdentity>,
}

impl<'s> Whereabouts<'s> {
    /// Notes which file it is.
    pub(super) fn of(storage: &'s dyn Storage) -> Self {
        Self {
            storage,
            own: storage.identity(Store::FILE).ok().flatten(),
        }
    }

    /// Returns whether it is not in its place. Once it was put back, it is.
    pub(super) fn is_lost(&self) -> bool {
        let Some(own) = self.own else { return false };
        match self.storage.identity(Store::FILE) {
            Ok(found) => found != Some(own),
            // Whatever else keeps it from being looked at says nothing.
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use helix_engine::{DirectoryStorage, MemoryStorage};

    use super::*;

    #[test]
    fn a_file_is_lost_while_it_is_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let (place, elsewhere) = (
            directory.path().join(Store::FILE),
            directory.path().join("elsewhere"),
        );
        fs::write(&place, "").unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let file = Whereabouts::of(&storage);
        assert!(!file.is_lost());
        fs::rename(&place, &elsewhere).unwrap();
        assert!(file.is_lost());
        fs::write(&place, "another").unwrap();
        assert!(file.is_lost());
        fs::rename(&elsewhere, &place).unwrap();
        assert!(!file.is_lost());
        assert!(!Whereabouts::of(&MemoryStorage).is_lost());
    }
}
