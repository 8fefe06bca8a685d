//! A checkpoint outlives the daemon, one for each project.

#![allow(clippy::unwrap_used)]

mod common;

use common::{at, edit, store};
use helix_engine::{DirectoryStorage, Request, Strand};
use helix_memory::{Checkpoint, Edit, Kinds, Scope};

fn save(scope: &Scope, task: &str) -> Request {
    let checkpoint = Checkpoint {
        task: task.to_owned(),
        saved_at: at(1),
        ..Checkpoint::default()
    };
    Request::Checkpoint {
        scope: scope.clone(),
        checkpoint: Some(Box::new(checkpoint)),
    }
}

fn task(strand: &Strand, scope: &Scope) -> Option<String> {
    strand
        .snapshot()
        .unwrap()
        .checkpoint(scope)
        .unwrap()
        .map(|checkpoint| checkpoint.task)
}

#[test]
fn checkpoints_survive_a_restart_until_they_are_cleared() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        Strand::open(
            &DirectoryStorage::new(directory.path().to_owned()),
            None,
            Kinds::default(),
        )
        .unwrap()
    };
    let (one, other) = (Scope::Project("one".into()), Scope::Project("other".into()));
    {
        let (strand, mut writer, _) = open();
        assert_eq!(task(&strand, &one), None);
        let memory = store("build", "a memory of the same group", false, [1; 10], at(1));
        let group = vec![
            save(&one, "first"),
            memory,
            save(&other, "elsewhere"),
            save(&one, "second"),
        ];
        assert!(writer.commit(group).unwrap().iter().all(Result::is_ok));
        assert_eq!(
            writer.sequence().0,
            1,
            "only the memory is part of the history"
        );
    }
    {
        let (strand, mut writer, _) = open();
        assert_eq!(task(&strand, &one).as_deref(), Some("second"));
        assert_eq!(task(&strand, &other).as_deref(), Some("elsewhere"));
        assert_eq!(task(&strand, &Scope::Global), None);
        writer
            .commit(vec![Request::Checkpoint {
                scope: one.clone(),
                checkpoint: None,
            }])
            .unwrap();
    }
    let (strand, _writer, _) = open();
    assert_eq!(task(&strand, &one), None);
    assert_eq!(task(&strand, &other).as_deref(), Some("elsewhere"));
}

#[test]
fn the_history_is_read_backwards() {
    let storage = helix_engine::MemoryStorage;
    let (strand, mut writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    for (tick, text) in ["walrus", "kestrel", "tamarin"].into_iter().enumerate() {
        let tick = u64::try_from(tick).unwrap();
        writer
            .commit(vec![store(
                "build",
                text,
                false,
                [u8::try_from(tick).unwrap(); 10],
                at(tick),
            )])
            .unwrap();
    }
    writer.commit(vec![edit(1, Edit::Forget, at(9))]).unwrap();
    let snapshot = strand.snapshot().unwrap();
    let operations = snapshot.operations_backwards().unwrap();
    let read: Vec<(u64, String)> = operations
        .map(|operation| {
            operation
                .map(|found| (found.sequence.0, found.memory().unwrap().unwrap().text))
                .unwrap()
        })
        .collect();
    assert_eq!(read[0], (4, "kestrel".to_owned()));
    assert_eq!(
        read[1..],
        [
            (3, "tamarin".to_owned()),
            (2, "kestrel".to_owned()),
            (1, "walrus".to_owned())
        ]
    );
}
