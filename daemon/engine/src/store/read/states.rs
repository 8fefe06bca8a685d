//! What hooks keep: mistakes, observations, receipts and sessions.

use redb::{ReadableTable, TableHandle};

use super::super::guard::guarded;
use super::super::seal::{self, SealedKey};
use super::super::{StoreError, tables};
use super::Snapshot;
use crate::model::Timestamp;

impl Snapshot {
    /// Reads what is known of a mistake.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn incident(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        guarded(|| {
            let incidents = self.transaction.open_table(tables::INCIDENTS)?;
            Ok(incidents
                .get(key)?
                .and_then(|record| opened(&tables::INCIDENTS, key, record.value())))
        })
    }

    /// Reads everything that hooks noticed, by key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn observations(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        guarded(|| {
            let observations = self.transaction.open_table(tables::OBSERVATIONS)?;
            let mut all = Vec::new();
            for entry in observations.iter()? {
                let (key, record) = entry?;
                let state = opened(&tables::OBSERVATIONS, key.value(), record.value());
                all.extend(state.map(|state| (key.value().to_owned(), state)));
            }
            Ok(all)
        })
    }

    /// Reads the receipts since then, newest first: their time in microseconds and their opaque
    /// states.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn receipts(&self, since: Timestamp) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        guarded(|| {
            let receipts = self.transaction.open_table(tables::RECEIPTS)?;
            let mut newest = Vec::new();
            for entry in receipts.range(since.as_micros()..)?.rev() {
                let (at, record) = entry?;
                let state = opened(&tables::RECEIPTS, &at.value(), record.value());
                newest.extend(state.map(|state| (at.value(), state)));
            }
            Ok(newest)
        })
    }

    /// Reads what every session was given.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sessions(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        guarded(|| {
            let mut sessions = Vec::new();
            for entry in self.sessions.iter()? {
                let (key, record) = entry?;
                let state = opened(&tables::SESSIONS, key.value(), record.value());
                sessions.extend(state.map(|state| (key.value().to_owned(), state)));
            }
            Ok(sessions)
        })
    }
}

/// Takes a record out of its envelope; one that is damaged counts as absent, since nobody stored it
/// as knowledge.
fn opened<K: SealedKey + ?Sized>(
    table: &impl TableHandle,
    key: &K,
    record: &[u8],
) -> Option<Vec<u8>> {
    let opened = seal::open("a record", table, key, record);
    if let Err(error) = &opened {
        tracing::warn!(table = table.name(), %error, "a record is left out");
    }
    opened.ok().map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::model::Timestamp;
    use crate::store::{DirectoryStorage, Store, Write};

    #[test]
    fn receipts_are_read_back_to_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) =
            Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let receipts: Vec<(i64, Vec<u8>)> = [10, 20, 30].map(|at_us| (at_us, vec![1])).into();
        writer.commit(vec![Write::Receipts(receipts)]).unwrap();
        let since = |at_us: i64| -> Vec<i64> {
            let receipts = store
                .snapshot()
                .unwrap()
                .receipts(Timestamp::from_micros(at_us))
                .unwrap();
            receipts.into_iter().map(|(at_us, _)| at_us).collect()
        };
        assert_eq!(since(i64::MIN), [30, 20, 10]);
        assert_eq!(since(20), [30, 20]);
        assert!(since(31).is_empty());
    }
}
