#![allow(clippy::unwrap_used)]
use helix_app::outbox::Row;
use helix_engine::States;
use helix_engine::{DirectoryStorage, Strand};
use helix_memory::Kinds;
use helix_redact::State;

use super::room::tests::large;
use super::*;

#[test]
fn it_ends_when_told_to_though_somebody_has_a_handle() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (_strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    let (handle, thread) = start(writer, Box::new(storage), Arc::default(), || (), || ()).unwrap();
    let last = handle.submit(vec![Request::Accesses]).unwrap();
    handle.end();
    thread.join().unwrap().unwrap();
    assert_eq!(
        last.blocking_recv().unwrap().len(),
        1,
        "what waited is written"
    );
    assert!(matches!(
        handle.submit(Vec::new()),
        Err(SubmitError::Stopping)
    ));
}

#[test]
fn a_submission_of_nothing_is_answered() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (_strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    let (handle, thread) = start(writer, Box::new(storage), Arc::default(), || (), || ()).unwrap();
    let answer = handle.submit(Vec::new()).unwrap();
    assert!(answer.blocking_recv().unwrap().is_empty());
    handle.end();
    thread.join().unwrap().unwrap();
}

#[test]
fn announced_changes_are_written_without_another_task() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    let (written, write) = sync_channel(1);
    let committed = move || {
        written.try_send(()).ok();
    };
    let (handle, thread) =
        start(writer, Box::new(storage), Arc::default(), committed, || ()).unwrap();
    let outbox = handle.outbox().clone();
    let collected = outbox.taker();
    outbox.collect_with(Box::new(move || {
        collected.put(Row::Session("s".to_owned()), State::of_numbers([1]));
    }));
    outbox.expect();
    write.recv().unwrap();
    let states = strand.snapshot().unwrap().states(States::Sessions).unwrap();
    assert_eq!(states, [("s".to_owned(), vec![1])]);
    handle.end();
    thread.join().unwrap().unwrap();
}

/// A writer that stands still after its first commit until it is let go on.
struct Held {
    directory: tempfile::TempDir,
    handle: WriterHandle,
    thread: JoinHandle<Result<(), String>>,
    go_on: SyncSender<()>,
}

impl Held {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let (_strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
        let (go_on, wait) = sync_channel::<()>(0);
        let (reached, reach) = sync_channel(1);
        let committed = move || {
            reached.try_send(()).ok();
            wait.recv().ok();
        };
        let (handle, thread) =
            start(writer, Box::new(storage), Arc::default(), committed, || ()).unwrap();
        drop(handle.submit(vec![Request::Accesses]).unwrap());
        reach.recv().unwrap();
        Self {
            directory,
            handle,
            thread,
            go_on,
        }
    }

    /// Lets the writer go on and end, and opens what it wrote.
    fn reopened(self) -> (Arc<Strand>, tempfile::TempDir) {
        let Self {
            directory,
            handle,
            thread,
            go_on,
        } = self;
        drop(go_on);
        handle.end();
        thread.join().unwrap().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let (strand, _, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
        (strand, directory)
    }
}

#[test]
fn a_full_queue_costs_nothing_that_hooks_keep() {
    let held = Held::new();
    while held.handle.submit(vec![Request::Accesses]).is_ok() {}
    for state in 0..9 {
        assert!(
            held.handle
                .outbox()
                .put(Row::Session("s".into()), State::of_numbers([state]))
        );
        assert!(
            held.handle
                .outbox()
                .put(Row::Incident("i".into()), State::of_numbers([state]))
        );
        assert!(
            held.handle
                .outbox()
                .put(Row::Observation("o".into()), State::of_numbers([state]))
        );
        assert!(
            held.handle
                .outbox()
                .put(Row::Receipt(7), State::of_numbers([state]))
        );
    }
    let (strand, _directory) = held.reopened();
    let snapshot = strand.snapshot().unwrap();
    assert_eq!(
        snapshot.states(States::Sessions).unwrap(),
        [("s".to_owned(), vec![8])]
    );
    assert_eq!(
        snapshot.state(States::Incidents, "i").unwrap(),
        Some(vec![8])
    );
    assert_eq!(
        snapshot.states(States::Observations).unwrap(),
        [("o".to_owned(), vec![8])]
    );
    let receipts = snapshot
        .receipts(helix_memory::Timestamp::from_micros(0))
        .unwrap();
    assert_eq!(receipts, [(7, vec![8])]);
}

#[test]
fn large_writes_are_refused_before_they_fill_the_memory() {
    let held = Held::new();
    let state = large(1024 * 1024);
    let large = || {
        vec![Request::States(
            States::Sessions,
            vec![("s".into(), state.clone())],
        )]
    };
    let queued = (0..QUEUE_MAX)
        .take_while(|_| held.handle.submit(large()).is_ok())
        .count();
    assert!(
        (32..128).contains(&queued),
        "{queued} of a mebibyte each wait"
    );
    assert!(matches!(
        held.handle.submit(large()),
        Err(SubmitError::Busy)
    ));
    let waits = held.handle.clone();
    let waiting = thread::spawn(move || {
        let request = Request::States(States::Sessions, vec![("waited".into(), state)]);
        waits
            .submit_when_free(vec![request])
            .unwrap()
            .blocking_recv()
            .unwrap()
            .len()
    });
    held.go_on.send(()).unwrap();
    held.go_on.send(()).unwrap();
    drop(held.go_on);
    assert_eq!(waiting.join().unwrap(), 1);
    held.handle.end();
    held.thread.join().unwrap().unwrap();
    assert!(matches!(
        held.handle.submit_when_free(Vec::new()),
        Err(SubmitError::Stopping)
    ));
}
