//! Staleness, duplicates, sessions, changes, batches and imports as people read them.
#![allow(clippy::unwrap_used)]

use helix_client::v1::{
    BatchItem, CheckpointReply, CompactReply, DuplicatePair, EditReply, ImportProgress,
    KnownSession, LoggedOperation, Receipt, Repeat, SessionLogReply, SourceState, StaleMemory,
    StaleReply, StoreOutcome, StoreReply, TaskCheckpoint, batch_item,
};
use insta::assert_snapshot;

use super::*;
use crate::document::{
    BatchLine, CheckpointDocument, CompactDocument, EditDocument, ImportDocument, SessionDocument,
    SessionsDocument, StaleDocument,
};

fn outdated() -> StaleReply {
    let source = SourceRef {
        path: "gone\u{1b}[2J.rs".to_owned(),
        ..SourceRef::default()
    };
    let changed = Memory {
        source_state: SourceState::Changed.into(),
        ..decision()
    };
    let deleted = Memory {
        source_state: SourceState::Deleted.into(),
        source: Some(source),
        ..hostile()
    };
    StaleReply {
        stale: vec![
            StaleMemory {
                memory: Some(changed),
                current: "fn a() {\n\tb(\u{202e});\n}".to_owned(),
                current_line: 11,
            },
            StaleMemory {
                memory: Some(deleted),
                ..StaleMemory::default()
            },
        ],
        checked: 9,
        unknown: 2,
        ..StaleReply::default()
    }
}

fn doubled() -> CompactReply {
    let pair = DuplicatePair {
        kept: Some(decision()),
        duplicate: Some(hostile()),
        similarity: 0.875,
    };
    CompactReply {
        pairs: vec![pair],
        merged: 1,
        bytes_before: 100,
        bytes_after: 60,
        ..CompactReply::default()
    }
}

fn worked() -> SessionLogReply {
    let operation = LoggedOperation {
        sequence: 7,
        at_us: NOW_US,
        kind: "store".to_owned(),
        handle: "a/b".to_owned(),
        summary: "clear \u{1b}[2J".to_owned(),
        agent: "claude-code".to_owned(),
    };
    let (session, operations) = ("s-1".to_owned(), vec![operation]);
    SessionLogReply {
        session,
        operations,
        total: 1,
        ..SessionLogReply::default()
    }
}

fn batched() -> Vec<BatchItem> {
    let stored = |outcome: StoreOutcome, memory, warnings| {
        let reply = StoreReply {
            corrections: Vec::new(),
            outcome: outcome.into(),
            memory: Some(memory),
            similarity: 0.75,
            warnings,
            inferred: String::new(),
        };
        BatchItem {
            item: Some(batch_item::Item::Stored(reply)),
        }
    };
    vec![
        stored(
            StoreOutcome::Stored,
            decision(),
            vec!["no such link: a\u{1b}/b".to_owned()],
        ),
        stored(StoreOutcome::Reinforced, decision(), Vec::new()),
        stored(StoreOutcome::Duplicate, hostile(), Vec::new()),
        BatchItem {
            item: Some(batch_item::Item::Refused(
                "the text is\u{1b} empty".to_owned(),
            )),
        },
        BatchItem { item: None },
    ]
}

#[test]
fn stale_memories_are_readable() {
    assert_snapshot!("stale_pipe", stale(PIPE, &outdated()));
    assert_snapshot!("stale_terminal", stale(TERMINAL, &outdated()));
    assert_snapshot!("stale_beside", stale_beside(PIPE, &outdated()));
    let value: serde_json::Value =
        serde_json::from_str(&json(&StaleDocument::from(&outdated()))).unwrap();
    assert_eq!(value["stale"][0]["memory"]["source_state"], "changed");
    assert_eq!(value["stale"][1]["current"], serde_json::Value::Null);
}

#[test]
fn duplicates_are_readable() {
    assert_snapshot!("duplicates_pipe", duplicates(PIPE, &doubled().pairs));
    for width in [40, 100] {
        let look = Look {
            table_width: Some(width),
            color: false,
        };
        for (shown, roles) in [
            (duplicates(look, &doubled().pairs), ["keep", "drop"]),
            (similar(look, &doubled().pairs), ["new", "old"]),
        ] {
            let row = |role: &str, handle: &str| {
                shown
                    .lines()
                    .any(|line| line.contains(role) && line.contains(handle))
            };
            assert!(
                row(roles[0], "storage/redb-is-truth") && row(roles[1], "traps/hostile"),
                "{shown}"
            );
        }
    }
    let value: serde_json::Value =
        serde_json::from_str(&json(&CompactDocument::from(&doubled()))).unwrap();
    assert_eq!(value["pairs"][0]["duplicate"]["handle"], "traps/hostile");
}

#[test]
fn a_session_is_readable() {
    let shown = session(PIPE, &worked().operations);
    assert!(
        shown.starts_with("7\t") && shown.ends_with("\tstore\ta/b\tclear \\u{1b}[2J\n"),
        "{shown}"
    );
    assert_snapshot!("session_json", json(&SessionDocument::from(&worked())));
}

#[test]
fn sessions_are_readable() {
    let known = |session: &str, project: &str, phase: &str| KnownSession {
        session: session.to_owned(),
        project: project.to_owned(),
        phase: phase.to_owned(),
        last_event_at_us: NOW_US,
        injected: 3,
        ..KnownSession::default()
    };
    let named = KnownSession {
        project_name: "helix".to_owned(),
        ..known("s-1", "project:commit:0", "debug")
    };
    let all = vec![named, known("bad\u{1b}[2J", "project:example.org/a", "")];
    let shown = sessions(PIPE, &all);
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(rows[0][2..], ["debug", "3 given", "helix"]);
    assert_eq!(
        (rows[1][0], &rows[1][2..]),
        (
            "bad\\u{1b}[2J",
            &["-", "3 given", "project:example.org/a"][..]
        )
    );
    let unknown = sessions(PIPE, &[known("s-2", "", "")]);
    assert!(unknown.ends_with("\t-\n"), "{unknown}");
    let reply = SessionLogReply {
        sessions: all,
        total: 2,
        ..SessionLogReply::default()
    };
    assert_snapshot!("sessions_json", json(&SessionsDocument::from(&reply)));
}

#[test]
fn sessions_and_receipts_fit_a_narrow_terminal() {
    let narrow = Look {
        table_width: Some(80),
        color: false,
    };
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e".to_owned();
    let known = KnownSession {
        session: id.clone(),
        phase: "research".to_owned(),
        last_event_at_us: NOW_US,
        injected: 12,
        project_name: "billing".to_owned(),
        ..KnownSession::default()
    };
    let table = sessions(narrow, &[known]);
    assert!(
        table.contains(" session ") && table.contains(&id) && table.contains("billing"),
        "{table}"
    );
    let receipt = Receipt {
        at_us: NOW_US,
        session: id,
        event: "session".to_owned(),
        handles: [
            "storage/redb-is-truth",
            "build-gotchas/pass-arch-arm64-without-xcodebuild",
        ]
        .map(str::to_owned)
        .to_vec(),
        tokens: 412,
        latency_us: 1_234,
        fate: "delivered".to_owned(),
    };
    let shown = [80, 140].map(|width| {
        receipts(
            Look {
                table_width: Some(width),
                ..narrow
            },
            std::slice::from_ref(&receipt),
        )
    });
    assert_snapshot!("receipts_narrow_and_wide", shown.join("\n"));
    assert_snapshot!("receipts_pipe", receipts(PIPE, &[receipt]));
}

#[test]
fn a_checkpoint_is_a_document() {
    let checkpoint = TaskCheckpoint {
        task: "t".to_owned(),
        done: vec!["a".to_owned()],
        ..TaskCheckpoint::default()
    };
    let reply = CheckpointReply {
        checkpoint: Some(checkpoint),
        text: "## Checkpoint: t".to_owned(),
        ..CheckpointReply::default()
    };
    assert_snapshot!("checkpoint_json", json(&CheckpointDocument::from(&reply)));
    let none = json(&CheckpointDocument::from(&CheckpointReply::default()));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&none).unwrap()["checkpoint"],
        serde_json::Value::Null
    );
}

#[test]
fn changes_are_readable() {
    let reply = EditReply {
        memories: vec![
            Memory {
                index: Some(2),
                ..decision()
            },
            hostile(),
        ],
        changed: 2,
        ..EditReply::default()
    };
    assert_eq!(
        changed(PIPE, "tagged", &reply),
        "tagged\tstorage/redb-is-truth\tstorage:2\ntagged\ttraps/hostile\n"
    );
    let many = EditReply {
        changed: 500,
        ..reply.clone()
    };
    assert!(changed(PIPE, "renamed", &many).ends_with("renamed\t500 memories in all\n"));
    assert_eq!(
        changed(PIPE, "tagged", &EditReply::default()),
        "unchanged\n"
    );
    let value: serde_json::Value =
        serde_json::from_str(&json(&EditDocument::from(&reply))).unwrap();
    assert_eq!(
        (&value["changed"], &value["topic"]),
        (&2.into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_batch_is_readable() {
    assert_snapshot!("batch_pipe", batch(PIPE, &batched(), 1_000));
    let lines: Vec<String> = batched()
        .iter()
        .enumerate()
        .map(|(at, item)| {
            crate::text::neutral_json(&serde_json::to_string(&BatchLine::new(at, item)).unwrap())
        })
        .collect();
    assert_snapshot!("batch_json", lines.join("\n"));
}

#[test]
fn an_import_is_readable() {
    let problems = vec!["byte 17: not a record\u{1b}[2J".to_owned()];
    let progress = ImportProgress {
        read: 6,
        stored: 2,
        known: 1,
        revised: 1,
        conflicts: 1,
        refused: 1,
        problems,
        done: true,
        bytes_read: 9,
        bytes_whole: 9,
        repeats: 2,
        repeated: vec![Repeat {
            handle: "a/b".to_owned(),
            of: "c/d\u{1b}".to_owned(),
            similarity: 0.75,
        }],
        is_repeats_cut: true,
        problems_untold: 200,
        forgotten: 2,
        forgotten_handles: vec!["build/old".to_owned()],
        problems_harmless: 0,
        quarantined: 1,
    };
    assert_snapshot!("imported", imported(PIPE, &progress, false));
    assert!(
        imported(PIPE, &progress, true)
            .contains("2 would be stored, 1 known before, 1 would be revised")
    );
    let one = ImportProgress {
        read: 1,
        stored: 1,
        ..ImportProgress::default()
    };
    assert!(imported(PIPE, &one, false).starts_with("1 memory read: 1 stored, 0 known before"));
    assert_snapshot!("import_json", json(&ImportDocument::new(&progress, true)));
}

#[test]
fn nothing_active_passes_in_colours() {
    let shown = [
        stale(COLORS, &outdated()),
        stale_beside(COLORS, &outdated()),
        duplicates(COLORS, &doubled().pairs),
        session(COLORS, &worked().operations),
        batch(COLORS, &batched(), 0),
        in_full(COLORS, &[hostile()]),
        entries(COLORS, &[hostile()]),
        recent(COLORS, &[hostile()]),
    ];
    for text in shown {
        assert!(
            !text.contains("\u{1b}[2J") && !text.contains('\u{202e}') && !text.contains('\u{200b}'),
            "{text:?}"
        );
    }
}
