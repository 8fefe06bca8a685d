//! Comparing the store's file with its own checksums while it is in use.

use std::io;
use std::sync::PoisonError;

use redb::{ReadableDatabase, ReadableTable};

use super::guard::guarded;
use super::{Store, StoreError, open_view, tables};
use crate::ports::Storage;

/// The fate of the file that a store was opened from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    /// Every page of it matches its checksum, and it holds what the store holds.
    Whole,
    /// It is gone: what is written now is lost when the daemon ends.
    Missing,
    /// It is another one, or another past of this one.
    Replaced,
    /// A page does not match its checksum; what redb says of it.
    Damaged(String),
    /// It is larger than what was to be examined.
    TooLarge,
}

impl Store {
    /// Examines the file up to this size. Commits wait meanwhile, some 0.7 ms for each megabyte.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn examine(&self, storage: &dyn Storage, max_bytes: u64) -> Result<Examined, StoreError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let length = match storage.read(Store::FILE).and_then(|file| file.len()) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Examined::Missing),
            Err(error) => return Err(StoreError::Open(error)),
        };
        if length > max_bytes {
            return Ok(Examined::TooLarge);
        }
        let own = self.snapshot()?.last_operation()?;
        let found = guarded(|| {
            let view = open_view(storage)?;
            let history = view.begin_read()?.open_table(tables::HISTORY)?;
            Ok::<_, StoreError>(
                history
                    .last()?
                    .map(|(sequence, entry)| (sequence.value(), entry.value().to_vec())),
            )
        });
        match found {
            Ok(found) if found == own => Ok(Examined::Whole),
            Ok(_) => Ok(Examined::Replaced),
            Err(StoreError::Damaged { detail }) => Ok(Examined::Damaged(detail)),
            Err(error) => Err(error),
        }
    }
}
