//! Memories that fade, and a backup that does not bring back what was forgotten.

#![allow(clippy::unwrap_used)]

mod common;

use common::{actor, at, edit, store};
use helix_engine::{
    DirectoryStorage, Request, Restored, Step, StepChange, Strand, StrandWriter, Verified,
};
use helix_memory::{Edit, Kinds, LifeStep, MemoryNumber, Sequence, Status, Timestamp};

const DAY_S: u64 = 24 * 60 * 60;

fn open(directory: &std::path::Path) -> (std::sync::Arc<Strand>, StrandWriter) {
    let storage = DirectoryStorage::new(directory.to_owned());
    let (strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    (strand, writer)
}

fn write(writer: &mut StrandWriter, request: Request) {
    for outcome in writer.commit(vec![request]).unwrap() {
        outcome.unwrap();
    }
}

fn add(writer: &mut StrandWriter, text: &str, tick: u64) {
    let entropy = [u8::try_from(tick).unwrap(); 10];
    write(writer, store("build", text, true, entropy, at(tick)));
}

/// Takes every step that is due, as the daemon does.
fn live(strand: &Strand, writer: &mut StrandWriter, now: Timestamp) -> Vec<(u32, LifeStep)> {
    let fates = strand.fates(now).unwrap();
    let steps = fates.iter().map(|fate| {
        let edit = match fate.due.step {
            LifeStep::Archive | LifeStep::Expire => Edit::Archive,
            LifeStep::Prune => Edit::Prune,
        };
        let change = StepChange::Edit {
            number: fate.number,
            edit,
            expected: Some(fate.sequence),
        };
        Step::new(change, "faded")
    });
    let steps: Vec<Step> = steps.collect();
    if !steps.is_empty() {
        let request = Request::Together {
            steps,
            actor: actor(),
            at: now,
        };
        write(writer, request);
    }
    fates
        .iter()
        .map(|fate| (fate.number.0, fate.due.step))
        .collect()
}

fn status(strand: &Strand, number: u32) -> Option<Status> {
    let found = strand.memories(&[MemoryNumber(number)]).unwrap();
    found.first().map(|memory| memory.status)
}

#[test]
fn a_memory_is_archived_then_pruned_and_never_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let (strand, mut writer) = open(directory.path());
    // A gotcha by its prefix: it fades by half in 45 days.
    add(&mut writer, "GOTCHA: the linker needs arm64 objects", 1);
    let number = strand.catalog().rows().next().unwrap().0.0;
    let later = |days: u64| at(1 + days * DAY_S);
    // From 1.0 to 0.3 it takes 78.2 days, and two weeks more.
    assert_eq!(live(&strand, &mut writer, later(92)), []);
    let archived = [(number, LifeStep::Archive)];
    assert_eq!(live(&strand, &mut writer, later(93)), archived);
    assert_eq!(live(&strand, &mut writer, later(122)), []);
    assert_eq!(status(&strand, number), Some(Status::Archived));

    // When it was archived is in the history, so a restart forgets nothing of it.
    drop((strand, writer));
    let (strand, mut writer) = open(directory.path());
    let pruned = [(number, LifeStep::Prune)];
    assert_eq!(live(&strand, &mut writer, later(124)), pruned);
    assert_eq!(status(&strand, number), Some(Status::Pruned));
    assert_eq!(live(&strand, &mut writer, later(9_999)), []);
    write(&mut writer, edit(number, Edit::Restore, later(10_000)));
    assert_eq!(status(&strand, number), Some(Status::Active));
}

#[test]
fn a_restore_keeps_what_was_forgotten_and_purged_away() {
    let directory = tempfile::tempdir().unwrap();
    let (strand, mut writer) = open(directory.path());
    let texts = [
        "the linker needs arm64 objects",
        "cranelift fails on the old runners",
        "the token server listens on port 9",
    ];
    for (tick, text) in (1..).zip(texts) {
        add(&mut writer, text, tick);
    }
    let numbers: Vec<u32> = strand
        .catalog()
        .rows()
        .map(|(number, _)| number.0)
        .collect();
    let backup = tempfile::tempdir().unwrap();
    let backup = DirectoryStorage::new(backup.path().to_owned());
    let snapshot = strand.snapshot().unwrap();
    snapshot.copy_to(&backup, "store.redb", || true).unwrap();
    assert_eq!(
        Verified::of(&backup, "store.redb").unwrap().sequence,
        Sequence(3)
    );
    drop(snapshot);

    write(&mut writer, edit(numbers[0], Edit::Forget, at(4)));
    let purge = Request::Purge {
        number: MemoryNumber(numbers[1]),
        actor: actor(),
        at: at(5),
    };
    write(&mut writer, purge);
    add(&mut writer, "a short thought that came later", 6);
    let last = *numbers.iter().max().unwrap() + 1;
    write(&mut writer, edit(last, Edit::Forget, at(7)));
    let present = strand.snapshot().unwrap().tombstones().unwrap();
    assert_eq!(present.len(), 3);

    let target = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(target.path().to_owned());
    let restored =
        Restored::from_backup(&backup, &present, (&storage, "store.redb"), at(8)).unwrap();
    assert_eq!(
        (restored.memories, restored.forgotten, restored.purged),
        (3, 1, 1)
    );
    let bytes = std::fs::read(target.path().join("store.redb")).unwrap();
    let has = |text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(!has("cranelift"), "a purged text is in the file");
    assert!(has("token server"));

    let (strand, _writer) = open(target.path());
    assert_eq!(status(&strand, numbers[0]), Some(Status::Forgotten));
    assert_eq!(status(&strand, numbers[1]), None);
    assert_eq!(status(&strand, numbers[2]), Some(Status::Active));
    let snapshot = strand.snapshot().unwrap();
    assert_eq!(snapshot.tombstones().unwrap().len(), 3);
    assert!(snapshot.verify_history().unwrap().is_ok());
    assert!(snapshot.verify_records().unwrap().is_empty());
    let again = strand.forgotten("A short thought that came later", "global");
    assert!(
        again.is_some(),
        "what came after the backup stays forgotten"
    );
}
