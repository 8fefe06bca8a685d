#![allow(clippy::unwrap_used)]
use std::collections::BTreeSet;

use helix_memory::{Checkpoint, Departure, MemoryId, Origin, Scope, Sketch, Timestamp, Tombstone};
use prost::Message;
use redb::TableHandle;

use super::*;
use crate::store::states::{
    CURSORS_MAX, FirstField, IncidentAge, JOBS_MAX, METRICS_MAX, PROJECTS_MAX, SessionAge, States,
};
use crate::store::{DirectoryStorage, MemoryStorage, Snapshot, Store, Write, WriteError, Writer};

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

/// Tables that hold what somebody stored, what is told of it, or what of it was lost to damage.
const UNCAPPED: [&str; 9] = [
    "access", "edges", "gaps", "handles", "history", "ids", "lost", "memories", "meta",
];

#[test]
fn every_table_has_a_cap_or_holds_what_somebody_stored() {
    let (store, _writer) = Store::open(&MemoryStorage).unwrap();
    let snapshot = store.snapshot().unwrap();
    let tables = snapshot.transaction.list_tables().unwrap();
    let names: BTreeSet<String> = tables.map(|table| table.name().to_owned()).collect();
    let capped = [tables::RECEIPTS.name()]
        .into_iter()
        .chain([tables::CHECKPOINTS.name(), tables::TOMBSTONES.name()])
        .map(str::to_owned)
        .chain(States::ALL.map(|states| states.table().name().to_owned()));
    let known: BTreeSet<String> = capped.chain(UNCAPPED.map(str::to_owned)).collect();
    assert_eq!(names, known);
}

/// Puts more rows than its cap into a table of states, the oldest first.
fn overfilled(states: States, most: u64, row: impl Fn(i64) -> (String, Vec<u8>)) -> Snapshot {
    let (store, mut writer) = Store::open(&MemoryStorage).unwrap();
    let rows = (0..i64::try_from(most).unwrap() + BEYOND)
        .map(row)
        .collect();
    writer.commit(vec![Write::States(states, rows)]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let left = snapshot.states(states).unwrap().len() as u64;
    assert!(left <= most, "{left} of {states:?}");
    assert!(left > most * 9 / 10, "{left} of {states:?}");
    snapshot
}

/// Rows that are put into a table beyond its cap.
const BEYOND: i64 = 100;

/// A key whose place among the others says nothing about its age.
fn scattered(n: i64) -> String {
    format!("{:x}", n * 7_919 % 1_048_573)
}

#[test]
fn projects_and_cursors_beyond_their_caps_go_with_the_oldest_first() {
    for (states, most) in [
        (States::Projects, PROJECTS_MAX),
        (States::Cursors, CURSORS_MAX),
    ] {
        let row = |at_us| (scattered(at_us), FirstField { at_us }.encode_to_vec());
        let snapshot = overfilled(states, most, row);
        let last = i64::try_from(most).unwrap() + BEYOND - 1;
        let is_left = |n| snapshot.state(states, &scattered(n)).unwrap().is_some();
        assert!((0..BEYOND).all(|n| !is_left(n)), "{states:?}");
        assert!(is_left(last), "{states:?}");
        assert!(is_left(last - 50), "{states:?}");
    }
}

#[test]
fn days_beyond_the_cap_of_metrics_go_with_the_oldest_first() {
    let day = |n: i64| {
        format!(
            "{}-{:02}-{:02}",
            2_020 + n / 360,
            n / 30 % 12 + 1,
            n % 30 + 1
        )
    };
    let snapshot = overfilled(States::Metrics, METRICS_MAX, |n| (day(n), vec![1]));
    let left = snapshot.states(States::Metrics).unwrap();
    assert_eq!(left.len() as u64, METRICS_MAX);
    assert_eq!(left.first().unwrap().0, day(BEYOND));
}

#[test]
fn jobs_are_no_more_than_their_cap() {
    let snapshot = overfilled(States::Jobs, JOBS_MAX, |n| (scattered(n), vec![1]));
    let left = snapshot.states(States::Jobs).unwrap();
    assert_eq!(left.len() as u64, JOBS_MAX);
}

#[test]
fn a_tombstone_beyond_the_cap_takes_the_place_of_the_oldest() {
    let id = |n: i64| {
        let mut entropy = [0; 10];
        entropy[..8].copy_from_slice(&(n * 7_919 % 65_521).to_be_bytes());
        MemoryId::new(Timestamp::from_micros(0), &entropy)
    };
    let tombstone = |n: i64| Tombstone {
        scope: "global".to_owned(),
        text_hash: 1,
        word_hashes: Vec::new(),
        sketch: Sketch::default(),
        code: Vec::new(),
        model: String::new(),
        departure: Departure::Forgotten,
        origin: Origin::User,
        agent: String::new(),
        at: Timestamp::from_micros(n),
        handle: String::new(),
    };
    let (store, mut writer) = Store::open(&MemoryStorage).unwrap();
    let last = i64::try_from(TOMBSTONES_MAX).unwrap() + BEYOND - 1;
    let tombstones = (0..=last).map(|n| Write::Tombstone(id(n), Some(Box::new(tombstone(n)))));
    writer.commit(tombstones.collect()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let table = snapshot.transaction.open_table(tables::TOMBSTONES).unwrap();
    assert_eq!(table.len().unwrap(), TOMBSTONES_MAX);
    let is_left = |n| table.get(id(n).to_string().as_str()).unwrap().is_some();
    assert!((0..BEYOND).all(|n| !is_left(n)));
    assert!((BEYOND..=last).all(is_left));
}

/// The scope of a project, by its number.
fn project(n: u64) -> Scope {
    Scope::Project(format!("p{n}"))
}

/// Saves a checkpoint of a project, or clears it where `at` is `None`.
fn checkpoint(n: u64, at: Option<u64>) -> Write {
    let saved = at.map(|at| {
        Box::new(Checkpoint {
            task: "bisect".to_owned(),
            saved_at: Timestamp::from_micros(i64::try_from(at).unwrap()),
            ..Checkpoint::default()
        })
    });
    Write::Checkpoint(project(n), saved)
}

/// Returns whether a write was taken.
fn is_taken(writer: &mut Writer, write: Write) -> bool {
    let changes = writer.commit(vec![write]).unwrap().changes;
    match changes.first().unwrap() {
        Ok(_) => true,
        Err(WriteError::TooManyCheckpoints { limit }) => {
            assert_eq!(*limit, CHECKPOINTS_MAX);
            false
        }
        Err(other) => unreachable!("{other}"),
    }
}

#[test]
fn a_checkpoint_beyond_the_cap_is_refused_until_one_is_cleared() {
    let (store, mut writer) = Store::open(&MemoryStorage).unwrap();
    let all = (0..CHECKPOINTS_MAX).map(|n| checkpoint(n, Some(n)));
    let changes = writer.commit(all.collect()).unwrap().changes;
    assert!(changes.iter().all(Result::is_ok));
    let next = CHECKPOINTS_MAX;
    assert!(!is_taken(&mut writer, checkpoint(next, Some(next))));
    // One that is replaced takes no further place, and one that is cleared gives its own back.
    assert!(is_taken(&mut writer, checkpoint(7, Some(next))));
    assert!(is_taken(&mut writer, checkpoint(8, None)));
    assert!(is_taken(&mut writer, checkpoint(next, Some(next))));
    assert!(!is_taken(&mut writer, checkpoint(next + 1, Some(next))));
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.checkpoint(&project(8)).unwrap(), None);
    assert!(snapshot.checkpoint(&project(0)).unwrap().is_some());
    assert!(snapshot.checkpoint(&project(next)).unwrap().is_some());
    assert_eq!(
        snapshot.earlier_checkpoints([&project(8)]).unwrap().len(),
        1
    );
}

#[test]
fn earlier_checkpoints_beyond_their_cap_go_with_the_oldest_first() {
    let (store, mut writer) = Store::open(&MemoryStorage).unwrap();
    let kept = project(u64::MAX);
    writer.commit(vec![checkpoint(u64::MAX, Some(1))]).unwrap();
    let last = EARLIER_CHECKPOINTS_MAX + 99;
    let saved_and_cleared = (0..=last).flat_map(|n| [checkpoint(n, Some(n)), checkpoint(n, None)]);
    let changes = writer.commit(saved_and_cleared.collect()).unwrap().changes;
    assert!(changes.iter().all(Result::is_ok));
    let snapshot = store.snapshot().unwrap();
    let table = snapshot
        .transaction
        .open_table(tables::CHECKPOINTS)
        .unwrap();
    let rows = table.len().unwrap();
    assert!(rows <= EARLIER_CHECKPOINTS_MAX, "{rows}");
    assert!(rows > EARLIER_CHECKPOINTS_MAX * 9 / 10, "{rows}");
    let earlier = |n| snapshot.earlier_checkpoints([&project(n)]).unwrap().len();
    assert!((0..100).all(|n| earlier(n) == 0));
    assert_eq!(earlier(last), 1);
    assert!(
        snapshot.checkpoint(&kept).unwrap().is_some(),
        "it is none of them"
    );
}
