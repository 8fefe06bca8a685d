//! Reads the store that a killed daemon left, and plants the faults that must be found in it.

use std::collections::HashMap;

use helix_client::Paths;
use helix_client::v1::{Draft, StoreRequest};
use helix_engine::{DirectoryStorage, Snapshot, Store, StoreError};
use redb::ReadableTable;

use crate::writers::{Acknowledged, connect, me};

/// The strand that is used where none is named.
const STRAND: &str = "default";

/// The store's table of operations.
const HISTORY: redb::TableDefinition<u64, &[u8]> = redb::TableDefinition::new("history");

fn snapshot(paths: &Paths) -> Result<Snapshot, StoreError> {
    Store::open(&DirectoryStorage::new(paths.strand(STRAND)))?
        .0
        .snapshot()
}

/// Reads the store that a daemon left: each acknowledged text is there once, no text is there
/// twice, and the history's chain is whole.
pub(crate) fn are_stored_once(paths: &Paths, all: &[Acknowledged]) -> Result<(), String> {
    let snapshot = snapshot(paths).map_err(|error| error.to_string())?;
    let mut times: HashMap<String, u32> = HashMap::new();
    let counted = snapshot.for_each_memory::<StoreError>(|memory| {
        *times.entry(memory.text).or_default() += 1;
        Ok(())
    });
    counted.map_err(|error| error.to_string())?;
    let lost = all.iter().map(|expected| {
        (
            expected.text.as_str(),
            times.get(&expected.text).copied().unwrap_or(0),
        )
    });
    let stored = times.iter().map(|(text, times)| (text.as_str(), *times));
    if let Some((text, times)) = lost.chain(stored).find(|(_, times)| *times != 1) {
        return Err(format!("{text:?} is stored {times} times"));
    }
    are_linked(&snapshot)
}

/// Reads the store that a daemon left: the history's chain is whole.
pub(crate) fn are_chained(paths: &Paths) -> Result<(), String> {
    let opened = snapshot(paths).map_err(|error| format!("the history: {error}"))?;
    are_linked(&opened)
}

fn are_linked(snapshot: &Snapshot) -> Result<(), String> {
    let verified = snapshot
        .verify_history()
        .map_err(|error| format!("the history: {error}"))?;
    verified
        .map(|_| ())
        .map_err(|error| format!("the history: {error}"))
}

/// Stores one text a second time, as only somebody can who means it.
pub(crate) async fn store_twice(paths: &Paths) -> Result<Acknowledged, String> {
    let mut connection = connect(paths).await?;
    let mut handle = String::new();
    let text = "planted twice by the test itself".to_owned();
    for _ in 0..2 {
        let draft = Draft {
            topic: "planted".to_owned(),
            text: text.clone(),
            ..Draft::default()
        };
        let request = StoreRequest {
            caller: Some(me()),
            draft: Some(draft),
            force: true,
        };
        let reply = connection
            .call(async |client| client.store(request.clone()).await)
            .await;
        handle = reply
            .map_err(|status| status.to_string())?
            .memory
            .ok_or("the reply has no memory")?
            .handle;
    }
    Ok(Acknowledged { handle, text })
}

/// Changes a byte of the first operation of a store that no daemon has.
pub(crate) fn twist_history(paths: &Paths) {
    let file = paths.strand(STRAND).join(Store::FILE);
    let database = redb::Database::open(file).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut history = transaction.open_table(HISTORY).unwrap();
        let mut operation = history.get(1).unwrap().unwrap().value().to_vec();
        let middle = operation.len() / 2;
        operation[middle] ^= 1;
        history.insert(1, operation.as_slice()).unwrap();
    }
    transaction.commit().unwrap();
}
