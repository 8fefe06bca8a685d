//! States that other layers keep, receipts, edges and tombstones.

use helix_memory::{Edge, EdgeKey, MemoryId, Timestamp, Tombstone};
use redb::{ReadableTable, TableHandle};

use super::super::guard::guarded;
use super::super::seal::{self, SealedKey};
use super::super::states::States;
use super::super::{StoreError, codec, tables};
use super::Snapshot;

impl Snapshot {
    /// Reads one state.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn state(&self, states: States, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        guarded(|| {
            let definition = states.table();
            let table = self.transaction.open_table(definition)?;
            let record = table.get(key)?;
            Ok(record.and_then(|record| opened(&definition, key, record.value())))
        })
    }

    /// Reads every state of a table, by key.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn states(&self, states: States) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.named(states.table(), |state| Some(state.to_vec()))
    }

    /// Reads every edge. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn edges(&self) -> Result<Vec<Edge>, StoreError> {
        let edges = self.named(tables::EDGES, |body| codec::edge::decode(body).ok())?;
        Ok(edges.into_iter().map(|(_, edge)| edge).collect())
    }

    /// Reads an edge.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn edge(&self, key: &EdgeKey) -> Result<Option<Edge>, StoreError> {
        guarded(|| {
            let name = codec::edge::key(key);
            let table = self.transaction.open_table(tables::EDGES)?;
            let record = table.get(name.as_str())?;
            let body = record.and_then(|record| opened(&tables::EDGES, &*name, record.value()));
            Ok(body.and_then(|body| codec::edge::decode(&body).ok()))
        })
    }

    /// Reads every tombstone, by the id of the memory that it is for.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn tombstones(&self) -> Result<Vec<(MemoryId, Tombstone)>, StoreError> {
        let all = self.named(tables::TOMBSTONES, |body| {
            codec::tombstone::decode(body).ok()
        })?;
        let with_id = |(key, tombstone): (String, Tombstone)| {
            let id = uuid::Uuid::parse_str(&key).ok()?;
            Some((MemoryId::from_bytes(*id.as_bytes()), tombstone))
        };
        Ok(all.into_iter().filter_map(with_id).collect())
    }

    /// Reads a table with names as keys.
    fn named<T>(
        &self,
        definition: tables::Named,
        decode: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<(String, T)>, StoreError> {
        guarded(|| {
            let table = self.transaction.open_table(definition)?;
            let mut all = Vec::new();
            for entry in table.iter()? {
                let (key, record) = entry?;
                let body = opened(&definition, key.value(), record.value());
                let decoded = body.and_then(|body| decode(&body));
                all.extend(decoded.map(|decoded| (key.value().to_owned(), decoded)));
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
    use crate::store::{DirectoryStorage, Store, Write};
    use helix_memory::Timestamp;

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
