//! Caps of the tables that grow by themselves, all in one place. Memories, their names, their
//! history and their access statistics have none: nothing that somebody stored is ever deleted
//! automatically.
//!
//! They are enforced behind each group that wrote to a table, and once when a store is opened that
//! an older Helix let grow.
//!
//! | table | rows | which go |
//! |---|---|---|
//! | sessions | [`SESSIONS_MAX`] | those heard of longest ago |
//! | incidents | [`INCIDENTS_MAX`] | those that came longest ago |
//! | observations | [`OBSERVATIONS_MAX`] | what is known of the oldest memories, then any |
//! | receipts | [`RECEIPTS_MAX`] | the oldest |
//! | checkpoints | [`CHECKPOINTS_MAX`] | none: a further one is refused |

use prost::Message;
use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::{CommitError, seal, tables};

/// Sessions that are kept: more than go on at once. All of them are in RAM.
pub const SESSIONS_MAX: u64 = 1_024;

/// Mistakes that are kept: what a few large projects meet in years, at one or two kilobytes each.
pub const INCIDENTS_MAX: u64 = 10_000;

/// Things that hooks noticed. Whoever writes them keeps to less: two for each memory that is often
/// given and not heeded, one for each project and client. All of them are in RAM, at some ten bytes
/// each.
pub const OBSERVATIONS_MAX: u64 = 50_000;

/// Receipts that are kept: some weeks of them, at a few hundred bytes each.
pub const RECEIPTS_MAX: u64 = 5_000;

/// Projects with a checkpoint. Somebody saved each of them, so none goes by itself.
pub const CHECKPOINTS_MAX: u64 = 10_000;

/// Part of a cap that is made free at once, so that not every further row has the whole table
/// looked through.
const SLACK: u64 = 32;

/// The tables with a cap that a group wrote to.
#[expect(clippy::struct_excessive_bools, reason = "one for each table")]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touched {
    pub(super) sessions: bool,
    pub(super) incidents: bool,
    pub(super) observations: bool,
    pub(super) receipts: bool,
}

impl Touched {
    pub(super) const ALL: Self = Self {
        sessions: true,
        incidents: true,
        observations: true,
        receipts: true,
    };
}

/// When a session was heard of last, out of its state.
#[derive(Clone, PartialEq, Message)]
struct SessionAge {
    #[prost(sint64, tag = "3")]
    last_event_at_us: i64,
}

/// When a mistake came last, out of its state.
#[derive(Clone, PartialEq, Message)]
struct IncidentAge {
    #[prost(sint64, tag = "9")]
    last_at_us: i64,
}

/// Takes out of these tables what goes beyond their caps.
pub(super) fn enforce(transaction: &WriteTransaction, touched: Touched) -> Result<(), CommitError> {
    if touched.sessions {
        // What is damaged goes first.
        let age = |key: &str, record: &[u8]| {
            let state = seal::open("a session", &tables::SESSIONS, key, record).ok();
            state
                .and_then(|state| SessionAge::decode(state).ok())
                .map_or(i64::MIN, |age| age.last_event_at_us)
        };
        shorten(
            &mut transaction.open_table(tables::SESSIONS)?,
            SESSIONS_MAX,
            0,
            age,
        )?;
    }
    if touched.incidents {
        let age = |key: &str, record: &[u8]| {
            let state = seal::open("an incident", &tables::INCIDENTS, key, record).ok();
            state
                .and_then(|state| IncidentAge::decode(state).ok())
                .map_or(i64::MIN, |age| age.last_at_us)
        };
        shorten(
            &mut transaction.open_table(tables::INCIDENTS)?,
            INCIDENTS_MAX,
            INCIDENTS_MAX / SLACK,
            age,
        )?;
    }
    if touched.observations {
        let slack = OBSERVATIONS_MAX / SLACK;
        shorten(
            &mut transaction.open_table(tables::OBSERVATIONS)?,
            OBSERVATIONS_MAX,
            slack,
            |key, _| memory_of(key),
        )?;
    }
    if touched.receipts {
        let mut receipts = transaction.open_table(tables::RECEIPTS)?;
        while receipts.len()? > RECEIPTS_MAX {
            receipts.pop_first()?;
        }
    }
    Ok(())
}

/// The memory that an observation is about, by its number: `heed 17`. What is about something else
/// comes behind all.
fn memory_of(key: &str) -> i64 {
    key.rsplit_once(' ')
        .and_then(|(_, number)| number.parse::<u32>().ok())
        .map_or(i64::MAX, i64::from)
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
    use super::*;
    use crate::model::Timestamp;
    use crate::store::{DirectoryStorage, Store, Write};

    fn session(at_us: i64) -> Vec<u8> {
        SessionAge {
            last_event_at_us: at_us,
        }
        .encode_to_vec()
    }

    fn count(store: &Store) -> [u64; 4] {
        let snapshot = store.snapshot().unwrap();
        let transaction = &snapshot.transaction;
        [
            transaction
                .open_table(tables::SESSIONS)
                .unwrap()
                .len()
                .unwrap(),
            transaction
                .open_table(tables::INCIDENTS)
                .unwrap()
                .len()
                .unwrap(),
            transaction
                .open_table(tables::OBSERVATIONS)
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
        assert_eq!(sessions, SESSIONS_MAX);
        assert!(
            incidents <= INCIDENTS_MAX && incidents > INCIDENTS_MAX * 9 / 10,
            "{incidents}"
        );
        assert!(
            observations <= OBSERVATIONS_MAX && observations > OBSERVATIONS_MAX * 9 / 10,
            "{observations}"
        );
        assert_eq!(receipts, RECEIPTS_MAX);
    }

    #[test]
    fn no_table_grows_beyond_its_cap_whoever_writes_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let (store, mut writer) =
            Store::open(&DirectoryStorage::new(directory.path().to_owned())).unwrap();
        let rows = |most: u64| 0..i64::try_from(most).unwrap() + 500;
        let incident = |at_us: i64| IncidentAge { last_at_us: at_us }.encode_to_vec();
        let sessions = rows(SESSIONS_MAX).map(|n| Write::Session {
            key: format!("{n:x}"),
            state: session(n),
        });
        writer.commit(sessions.collect()).unwrap();
        let incidents = rows(INCIDENTS_MAX)
            .map(|n| (format!("{:x}", n * 7_919 % 65_521), incident(n)))
            .collect();
        let observations = rows(OBSERVATIONS_MAX)
            .map(|n| (format!("heed {n}"), vec![1]))
            .collect();
        let others = (0..9)
            .map(|n| (format!("hooks project:{n}x"), vec![1]))
            .collect();
        let receipts = rows(RECEIPTS_MAX).map(|n| (n, vec![1])).collect();
        writer
            .commit(vec![
                Write::Incidents(incidents),
                Write::Observations(others),
            ])
            .unwrap();
        writer
            .commit(vec![
                Write::Observations(observations),
                Write::Receipts(receipts),
            ])
            .unwrap();
        keeps_to_caps(count(&store));
        let snapshot = store.snapshot().unwrap();
        let kept: Vec<String> = snapshot
            .sessions()
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
                .incident(&format!("{:x}", 499 * 7_919 % 65_521))
                .unwrap()
                .is_none()
        );
        assert!(
            snapshot
                .incident(&format!("{:x}", 10_499 * 7_919 % 65_521))
                .unwrap()
                .is_some()
        );
        let noticed = snapshot.observations().unwrap();
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
        let database =
            redb::Database::create(directory.path().join(crate::store::STORE_FILE)).unwrap();
        let transaction = database.begin_write().unwrap();
        {
            let mut sessions = transaction.open_table(tables::SESSIONS).unwrap();
            for n in 0..5_000_i64 {
                let key = format!("{:x}", n * 7_919 % 65_521);
                let record = seal::seal(&tables::SESSIONS, key.as_str(), &session(n));
                sessions.insert(key.as_str(), record.as_slice()).unwrap();
            }
        }
        transaction.commit().unwrap();
        drop(database);
        let (store, _writer) = Store::open(&storage).unwrap();
        assert_eq!(count(&store)[0], SESSIONS_MAX);
        let newest = format!("{:x}", 4_999 * 7_919 % 65_521);
        assert!(
            store
                .snapshot()
                .unwrap()
                .sessions()
                .unwrap()
                .iter()
                .any(|(key, _)| *key == newest)
        );
    }
}
