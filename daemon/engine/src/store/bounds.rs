//! Caps of the tables that grow by themselves, all in one place. Memories, their names, their
//! history and their access statistics have none: nothing that somebody stored is ever deleted
//! automatically.
//!
//! They are enforced behind each group that wrote to a table, and once when a store is opened that
//! an older Helix let grow.
//!
//! Those of tables of states are in [`super::states`]. Of receipts the oldest beyond
//! [`States::RECEIPTS_MAX`] go; a checkpoint beyond [`CHECKPOINTS_MAX`] is refused, because somebody saved
//! each of them; a tombstone beyond [`TOMBSTONES_MAX`] takes the place of the oldest.

use std::collections::BTreeSet;

use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::states::States;
use super::{CommitError, codec, seal, tables};

impl States {
    /// Receipts that are kept: some weeks of them, at a few hundred bytes each.
    pub const RECEIPTS_MAX: u64 = 5_000;
}

/// Projects with a checkpoint. Somebody saved each of them, so none goes by itself.
pub const CHECKPOINTS_MAX: u64 = 10_000;

/// Tombstones that are kept, at a kilobyte or two each. All of them are in RAM.
pub const TOMBSTONES_MAX: u64 = 50_000;

/// The tables with a cap that a group wrote to.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    pub(super) states: BTreeSet<States>,
    pub(super) receipts: bool,
    pub(super) tombstones: bool,
}

impl Touched {
    pub(super) fn all() -> Self {
        Self {
            states: States::ALL.into(),
            receipts: true,
            tombstones: true,
        }
    }
}

/// Takes out of these tables what goes beyond their caps.
pub(super) fn enforce(
    transaction: &WriteTransaction,
    touched: &Touched,
) -> Result<(), CommitError> {
    for states in &touched.states {
        let (definition, cap) = (states.table(), states.cap());
        let mut table = transaction.open_table(definition)?;
        shorten(&mut table, cap.rows_max, cap.slack, |key, record| {
            // What is damaged goes first.
            let state = seal::open("a state", &definition, key, record);
            state.map_or(i64::MIN, |state| (cap.age)(key, state))
        })?;
    }
    if touched.tombstones {
        let mut table = transaction.open_table(tables::TOMBSTONES)?;
        shorten(&mut table, TOMBSTONES_MAX, 0, |key, record| {
            let body = seal::open("a tombstone", &tables::TOMBSTONES, key, record);
            let tombstone = body.and_then(codec::tombstone::decode);
            tombstone.map_or(i64::MIN, |tombstone| tombstone.at.as_micros())
        })?;
    }
    if touched.receipts {
        let mut receipts = transaction.open_table(tables::RECEIPTS)?;
        while receipts.len()? > States::RECEIPTS_MAX {
            receipts.pop_first()?;
        }
    }
    Ok(())
}

/// Takes the rows of the lowest age out of a table that has more than `most`, and `slack` more.
fn shorten(
    table: &mut Table<'_, &'static str, &'static [u8]>,
    most: u64,
    slack: u64,
    age: impl Fn(&str, &[u8]) -> i64,
) -> Result<(), CommitError> {
    let Some(beyond) = table.len()?.checked_sub(most).filter(|beyond| *beyond > 0) else {
        return Ok(());
    };
    let mut rows = Vec::new();
    for row in table.iter()? {
        let (key, state) = row?;
        rows.push((age(key.value(), state.value()), key.value().to_owned()));
    }
    let going = usize::try_from(beyond + slack)
        .unwrap_or(usize::MAX)
        .min(rows.len());
    if going < rows.len() {
        rows.select_nth_unstable(going);
    }
    for (_, key) in rows.iter().take(going) {
        table.remove(key.as_str())?;
    }
    tracing::debug!(rows = going, "rows beyond a table's cap were removed");
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use prost::Message;

    use super::*;
    use crate::store::states::{IncidentAge, SessionAge, States};
    use crate::store::{DirectoryStorage, Store, Write};
    use helix_memory::Timestamp;

    fn session(at_us: i64) -> Vec<u8> {
        SessionAge { at_us }.encode_to_vec()
    }

    fn count(store: &Store) -> [u64; 4] {
        let snapshot = store.snapshot().unwrap();
        let transaction = &snapshot.transaction;
        [
            transaction
                .open_table(States::Sessions.table())
                .unwrap()
                .len()
                .unwrap(),
            transaction
                .open_table(States::Incidents.table())
                .unwrap()
                .len()
                .unwrap(),
            transaction
                .open_table(States::Observations.table())
                .unwrap()
                .len()
                .unwrap(),
            transaction
                .open_table(tables::RECEIPTS)
                .unwrap()
                .len()
                .unwrap(),
        ]
    }

    fn keeps_to_caps([sessions, incidents, observations, receipts]: [u64; 4]) {
        assert_eq!(sessions, States::SESSIONS_MAX);
        assert!(
            incidents <= States::INCIDENTS_MAX && incidents > States::INCIDENTS_MAX * 9 / 10,
            "{incidents}"
        );
        assert!(
            observations <= States::OBSERVATIONS_MAX
                && observations > States::OBSERVATIONS_MAX * 9 / 10,
            "{observations}"
        );
        assert_eq!(receipts, States::RECEIPTS_MAX);
    }

    #[test]
    fn no_table_grows_beyond_its_cap_whoever_writes_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) =
            Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let rows = |most: u64| 0..i64::try_from(most).unwrap() + 500;
        let incident = |at_us: i64| IncidentAge { at_us }.encode_to_vec();
        let sessions = rows(States::SESSIONS_MAX)
            .map(|n| Write::States(States::Sessions, vec![(format!("{n:x}"), session(n))]));
        writer.commit(sessions.collect()).unwrap();
        let incidents = rows(States::INCIDENTS_MAX)
            .map(|n| (format!("{:x}", n * 7_919 % 65_521), incident(n)))
            .collect();
        let observations = rows(States::OBSERVATIONS_MAX)
            .map(|n| (format!("heed {n}"), vec![1]))
            .collect();
        let others = (0..9)
            .map(|n| (format!("hooks project:{n}x"), vec![1]))
            .collect();
        let receipts = rows(States::RECEIPTS_MAX).map(|n| (n, vec![1])).collect();
        writer
            .commit(vec![
                Write::States(States::Incidents, incidents),
                Write::States(States::Observations, others),
            ])
            .unwrap();
        writer
            .commit(vec![
                Write::States(States::Observations, observations),
                Write::Receipts(receipts),
            ])
            .unwrap();
        keeps_to_caps(count(&store));
        let snapshot = store.snapshot().unwrap();
        let kept: Vec<String> = snapshot
            .states(States::Sessions)
            .unwrap()
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        assert!(
            !kept.contains(&"1f3".to_owned()) && kept.contains(&"1f4".to_owned()),
            "the latest are kept"
        );
        assert!(
            snapshot
                .state(States::Incidents, &format!("{:x}", 499 * 7_919 % 65_521))
                .unwrap()
                .is_none()
        );
        assert!(
            snapshot
                .state(States::Incidents, &format!("{:x}", 10_499 * 7_919 % 65_521))
                .unwrap()
                .is_some()
        );
        let noticed = snapshot.states(States::Observations).unwrap();
        assert_eq!(
            noticed
                .iter()
                .filter(|(key, _)| key.starts_with("hooks "))
                .count(),
            9
        );
        assert!(noticed.iter().all(|(key, _)| key != "heed 0"));
        assert_eq!(
            snapshot
                .receipts(Timestamp::from_micros(i64::MIN))
                .unwrap()
                .last()
                .unwrap()
                .0,
            500
        );
    }

    #[test]
    fn what_an_older_helix_let_grow_is_shortened_at_the_opening() {
        let directory = tempfile::tempdir().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        drop(Store::open(&storage).unwrap());
        let database = redb::Database::create(directory.path().join(Store::FILE)).unwrap();
        let transaction = database.begin_write().unwrap();
        {
            let mut sessions = transaction.open_table(States::Sessions.table()).unwrap();
            for n in 0..5_000_i64 {
                let key = format!("{:x}", n * 7_919 % 65_521);
                let record = seal::seal(&States::Sessions.table(), key.as_str(), &session(n));
                sessions.insert(key.as_str(), record.as_slice()).unwrap();
            }
        }
        transaction.commit().unwrap();
        drop(database);
        let (store, _writer) = Store::open(&storage).unwrap();
        assert_eq!(count(&store)[0], States::SESSIONS_MAX);
        let newest = format!("{:x}", 4_999 * 7_919 % 65_521);
        assert!(
            store
                .snapshot()
                .unwrap()
                .states(States::Sessions)
                .unwrap()
                .iter()
                .any(|(key, _)| *key == newest)
        );
    }
}
