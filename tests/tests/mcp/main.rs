//! MCP sessions of both eras, through the real bridge and the real daemon.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod lives;
mod pages;
mod replayed;

use std::fmt::Write as _;

use helix_tests::text::without_days;
use helix_tests::{Bridge, Daemon, Home, Project};
use serde_json::{Value, json};

/// A home, its daemon should one start, and a project.
struct World {
    home: Home,
    project: Project,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let project = Project::new(&home, "billing").unwrap();
        Self { home, project }
    }

    fn bridge(&self) -> Bridge {
        Bridge::greeted(&self.home, &self.project.root).unwrap()
    }
}

#[test]
fn what_is_stored_is_found_and_read() {
    let world = World::new();
    let mut bridge = world.bridge();
    let mut said = String::new();
    let mut say = |tool: &str, arguments: Value| {
        let answer = bridge.call(tool, &arguments).unwrap();
        writeln!(said, "> {tool} {arguments}\n{}\n", answer.text).unwrap();
    };
    say(
        "store",
        json!({
            "topic": "Build Gotchas", "text": "The release needs arm64: x86 fails at link time.", "tags": "gotcha,build",
            "source": "build.rs:12", "confidence": "0.85", "importance": "0.9", "pinned": "true",
        }),
    );
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 fails at link time."}),
    );
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 always fails at link time."}),
    );
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "Clean the cache after a toolchain change.", "terse": "true"}),
    );
    say("search", json!({"query": "arm64 link", "limit": "5"}));
    say(
        "search",
        json!({"query": "cache", "detail": "brief", "explain": "false"}),
    );
    say("search", json!({"query": "toolchain zebra"}));
    say("search", json!({"query": "zebra"}));
    say("read", json!({"topic": "build-gotchas"}));
    say("read", json!({"topic": "build-gotchas", "index": "1"}));
    bridge.finish_cleanly().unwrap();
    insta::assert_snapshot!(without_days(&said));
}

#[test]
fn an_error_says_what_to_do() {
    let world = World::new();
    let mut bridge = world.bridge();
    let calls = [
        ("store", json!({"topic": "a"})),
        ("store", json!({"topic": "!!!", "text": "x"})),
        (
            "store",
            json!({"topic": "a", "text": "x", "kind": "rumour"}),
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "scope": "planet"}),
        ),
        ("store", json!({"topic": "a", "text": "x".repeat(70_000)})),
        ("search", json!({"query": "x", "limit": "five"})),
        ("search", json!({"query": "after:someday x"})),
        ("read", json!({"topic": "no-such-topic"})),
        ("read", json!({"topic": "no-such-topic", "index": 7})),
    ];
    let mut said = String::new();
    for (tool, arguments) in calls {
        let answer = bridge.call(tool, &arguments).unwrap();
        assert!(answer.is_error, "{tool}: {}", answer.text);
        writeln!(said, "{}", answer.text).unwrap();
    }
    bridge.finish_cleanly().unwrap();
    insta::assert_snapshot!(said);
}

#[test]
fn a_wrong_entry_of_a_batch_costs_only_itself() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let entries = json!([
        {"topic": "a", "text": "The first fact."},
        {"topic": "a"},
        {"topic": "a", "text": "The third fact.", "colour": "red"},
        {"topic": "a", "text": "x".repeat(70_000)},
        {"topic": "a", "text": "The last fact.", "links": [0]},
    ]);
    let told = bridge.text("batch", &json!({"entries": entries})).unwrap();
    assert!(
        told.starts_with("2 stored, 3 refused\n[1] refused: text: required"),
        "{told}"
    );
    let read = bridge.text("read", &json!({"topic": "a"})).unwrap();
    assert!(
        read.contains("The first fact.") && read.contains("[links: a/first-fact]"),
        "{read}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_replaced_checkpoint_is_told_of_and_kept() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for at in 0..13 {
        let saved = bridge
            .text(
                "topics",
                &json!({"action": "checkpoint", "task": format!("Task {at}")}),
            )
            .unwrap();
        assert_eq!(saved.contains("it replaced Task"), at > 0, "{saved}");
    }
    let loaded = bridge.text("topics", &json!({"action": "resume"})).unwrap();
    let listed: Vec<&str> = loaded
        .lines()
        .filter_map(|line| line.rsplit_once("  Task "))
        .map(|(_, at)| at)
        .collect();
    assert_eq!(
        listed,
        ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2"],
        "{loaded}"
    );
    let earlier = bridge
        .text("topics", &json!({"action": "resume", "index": 3}))
        .unwrap();
    assert!(earlier.contains("## Checkpoint: Task 9"), "{earlier}");
    bridge.finish_cleanly().unwrap();
}

#[test]
fn what_moved_or_was_revised_is_found_by_its_old_name() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    bridge
        .text(
            "store",
            &json!({"topic": "ports", "text": "Billing listens on 8081."}),
        )
        .unwrap();
    let revise = json!({"action": "revise", "topic": "ports/billing-listens-8081", "text": "Billing listens on 9000 since May."});
    let revised = bridge.text("edit", &revise).unwrap();
    assert!(
        revised.starts_with(
            "revised ports/billing-listens-9000-since-may, which ports/billing-listens-8081"
        ),
        "{revised}"
    );
    let read = bridge
        .text("read", &json!({"topic": "ports/billing-listens-8081"}))
        .unwrap();
    assert!(
        read.starts_with("ports/billing-listens-9000-since-may"),
        "{read}"
    );
    for topic in ["older", "newer"] {
        let text = "The walrus proxy listens on port 8083 and needs a restart after each change of its table.";
        bridge
            .text(
                "store",
                &json!({"topic": topic, "text": text, "force": true}),
            )
            .unwrap();
    }
    bridge
        .text("topics", &json!({"action": "compact", "apply": true}))
        .unwrap();
    for topic in ["older", "newer"] {
        let read = bridge.text("read", &json!({"topic": topic})).unwrap();
        assert!(
            read.contains("The walrus proxy listens on port 8083"),
            "{topic}: {read}"
        );
    }
    bridge
        .text("edit", &json!({"action": "restore", "topic": "older"}))
        .unwrap();
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_client_without_a_session_sees_its_own_changes() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let (mut one, mut other) = (world.bridge(), world.bridge());
    one.text(
        "store",
        &json!({"topic": "a", "text": "Stored by the first client."}),
    )
    .unwrap();
    other
        .text(
            "store",
            &json!({"topic": "a", "text": "The second one says something else."}),
        )
        .unwrap();
    let changes = one.text("topics", &json!({"action": "session"})).unwrap();
    assert!(
        changes.contains("first client") && !changes.contains("second one"),
        "{changes}"
    );
    one.finish_cleanly().unwrap();
    other.finish_cleanly().unwrap();
}
