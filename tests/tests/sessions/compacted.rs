//! A session that lost its context gets its memories back, and a resumed one is told of its work.

use std::collections::BTreeMap;

use helix_client::caller;
use helix_proto::v1::checkpoint_request::Action;
use helix_proto::v1::{CheckpointRequest, Draft, Program, TaskCheckpoint};
use helix_tests::Rpc;
use helix_tests::rpc::draft;

use crate::MISTAKE;
use crate::world::World;

/// Most tokens that a session starts with, also after a compaction, at four characters each.
const SURFACE_MAX_CHARS: usize = 550 * 4;

impl World {
    /// Remembers something that a session starts with.
    fn decide(&self, text: &str, pinned: bool) -> String {
        let draft = Draft {
            kind: "decision".to_owned(),
            pinned,
            ..draft("ground-rules", text, "")
        };
        Rpc::connect(&self.home)
            .unwrap()
            .store(Program::Mcp, &self.project.root, draft)
            .unwrap()
            .handle
    }
}

/// Where each of some memories stands in a text.
fn places(context: &str, handles: &[&String]) -> Vec<Option<usize>> {
    handles
        .iter()
        .map(|handle| context.find(&format!("[{handle}]")))
        .collect()
}

#[test]
fn a_compacted_session_gets_back_the_memories_of_its_work_the_latest_first() {
    let mut world = World::new();
    let prompted = world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let padding = "so that the nightly run can be repeated by hand ".repeat(4);
    let of_file: BTreeMap<usize, String> = (0..12)
        .map(|n| {
            (
                n,
                world.remember_of(
                    "ledger",
                    &format!("Ledger part {n} is locked {padding}"),
                    &format!("src/f{n}.rs"),
                ),
            )
        })
        .collect();
    let pinned = world.decide("Money is counted in cents, never in floats.", true);
    let decided = world.decide("Postgres over Mongo: money needs transactions.", false);
    // Stored last, and given to nobody.
    (0..30).for_each(|n| {
        drop(world.remember(
            "newest",
            &format!("Tide table {n} has the harbour's level."),
        ));
    });
    let session = world.session("one");
    let started = session.start("startup").unwrap().unwrap();
    assert!(
        started.chars().count() <= SURFACE_MAX_CHARS && started.contains(&decided),
        "{started}"
    );
    assert!(
        session
            .prompt("why are invoices exported as semicolon CSV?")
            .unwrap()
            .unwrap()
            .contains(&prompted)
    );
    for n in [9, 2, 11, 0, 1, 3, 4, 5, 6, 7, 8, 10] {
        assert!(
            session
                .read(&format!("src/f{n}.rs"))
                .unwrap()
                .unwrap()
                .contains(&of_file[&n])
        );
    }
    for round in 0..2 {
        world.restart();
        let context = world.session("one").start("compact").unwrap().unwrap();
        let expected: Vec<&String> = [&pinned]
            .into_iter()
            .chain([10, 8, 7, 6, 5, 4, 3, 1, 0, 11, 2, 9].map(|n| &of_file[&n]))
            .chain([&prompted, &decided])
            .collect();
        let places = places(&context, &expected);
        let told = places.iter().take_while(|place| place.is_some()).count();
        assert!(told >= 6, "round {round}: {places:?}: {context}");
        assert!(
            places.iter().take(told).is_sorted(),
            "round {round}: {places:?}: {context}"
        );
        assert!(
            places.iter().skip(told).all(Option::is_none),
            "round {round}: {places:?}: {context}"
        );
        let chars = context.chars().count();
        assert!(chars <= SURFACE_MAX_CHARS, "{chars} characters");
        assert!(!context.contains("Tide table"), "{context}");
    }
}

#[test]
fn a_resumed_session_is_told_of_unfinished_work_once() {
    let mut world = World::new();
    let session = world.session("one");
    session.start("startup").unwrap();
    assert_eq!(session.start("resume").unwrap(), None, "it did nothing");
    session.edit("src/export.rs", "a", "b").unwrap();
    session.failed("cargo test -p export", MISTAKE).unwrap();
    session
        .hook("session-end", "SessionEnd-other", |_| ())
        .unwrap();
    world.restart();
    let session = world.session("one");
    let context = session.start("resume").unwrap().unwrap();
    assert!(
        context.contains("Changed in this session: src/export.rs"),
        "{context}"
    );
    assert!(
        context.contains("Failing: `cargo test -p export` (once)"),
        "{context}"
    );
    assert_eq!(session.start("resume").unwrap(), None, "it knows by now");
    session.edit("src/rows.rs", "a", "b").unwrap();
    assert!(
        session
            .start("resume")
            .unwrap()
            .unwrap()
            .contains("src/rows.rs"),
        "it went on"
    );
}

#[test]
fn a_session_starts_with_what_blocks_the_task() {
    let world = World::new();
    let task = TaskCheckpoint {
        task: "Port the exporter".to_owned(),
        next: vec!["Compare the output".to_owned()],
        blocked: "waits for the tax office's test account".to_owned(),
        ..TaskCheckpoint::default()
    };
    let caller = Some(caller(Program::Mcp, &world.project.root, "tests", ""));
    let request = CheckpointRequest {
        caller,
        action: Some(Action::Save(task)),
    };
    let mut rpc = Rpc::connect(&world.home).unwrap();
    rpc.call(async |rpc| rpc.checkpoint(request.clone()).await)
        .unwrap();
    let context = world.session("one").start("startup").unwrap().unwrap();
    assert!(
        context
            .contains("Next: Compare the output\nBlocked: waits for the tax office's test account"),
        "{context}"
    );
}

#[test]
fn much_work_leaves_the_memories_of_it_their_room() {
    let world = World::new();
    let session = world.session("one");
    session.start("startup").unwrap();
    let handles: Vec<String> = (0..8)
        .map(|n| {
            let file = format!(
                "src/a-rather-long-directory-name-{n}/with-another-inside-of-it/and-a-file-{n}.rs"
            );
            let handle = world.remember_of(
                "ledger",
                &format!("Ledger part {n} is locked while it is copied."),
                &file,
            );
            session.read(&file).unwrap();
            session.edit(&file, "a", "b").unwrap();
            session
                .failed(
                    &format!("cargo test -p a-rather-long-package-name-{n} --test {n}"),
                    MISTAKE,
                )
                .unwrap();
            handle
        })
        .collect();
    let context = session.start("compact").unwrap().unwrap();
    assert!(
        context.chars().count() <= SURFACE_MAX_CHARS,
        "{} characters: {context}",
        context.chars().count()
    );
    assert!(
        handles
            .iter()
            .all(|handle| context.contains(&format!("[{handle}]"))),
        "{context}"
    );
    assert!(context.contains("Changed in this session: "), "{context}");
}
