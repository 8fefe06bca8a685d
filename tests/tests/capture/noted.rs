//! Notes: a sentence without a topic finds its place, and says which.

use helix_tests::Bridge;
use serde_json::json;

use super::world::World;

#[test]
fn a_note_finds_its_topic_and_says_how() {
    let world = World::new();
    world.done(&[
        "add",
        "Cargo needs the arm64 linker for release builds.",
        "--topic",
        "build-gotchas",
    ]);
    let named = world.done(&[
        "note",
        "gotcha: build-gotchas apply to the nightly runners as well",
    ]);
    assert!(named.starts_with("noted as build-gotchas/"), "{named}");
    assert!(
        named.contains("(gotcha; topic named in the text;"),
        "{named}"
    );
    assert!(
        named.contains("change: helixctl edit build-gotchas/"),
        "{named}"
    );

    world
        .project
        .write("src/ledger.rs", "fn round() {}\n")
        .unwrap();
    world.done(&[
        "add",
        "Rounds half to even.",
        "--topic",
        "ledger-rules",
        "--source",
        "src/ledger.rs:1",
    ]);
    let about = world.done(&[
        "note",
        "src/ledger.rs is generated nightly, so edits vanish",
    ]);
    assert!(about.starts_with("noted as ledger-rules/"), "{about}");
    assert!(
        about.contains("topic of the file it names; about src/ledger.rs"),
        "{about}"
    );

    let near = world.done(&[
        "note",
        "The arm64 linker of cargo release builds is called from a wrapper script",
    ]);
    assert!(near.starts_with("noted as build-gotchas/"), "{near}");
    assert!(near.contains("topic from the nearest memory"), "{near}");

    let nowhere = world.done(&["note", "water the plants on the windowsill on fridays"]);
    assert!(nowhere.starts_with("noted as notes/"), "{nowhere}");
}

#[test]
fn a_wrong_topic_is_corrected_in_one_call() {
    let world = World::new();
    let said = world.done(&["note", "water the plants on the windowsill on fridays"]);
    let handle = said
        .strip_prefix("noted as ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    world.done(&["merge", handle, "office"]);
    let moved = world.json(&["read", handle]);
    assert_eq!(moved["memories"][0]["topic"], "office", "{moved}");
}

#[test]
fn a_secret_names_no_topic() {
    let world = World::new();
    for text in [
        "password: Tr0ubadour-Xylophone is used by staging",
        "connect with postgres://admin:Hunter2Zebra@db.prod.internal/main via pgbouncer",
        "the build must use <private>Falconhawk acquires Zebrasoft</private> the nightly channel",
    ] {
        world.done(&["note", text]);
    }
    let all = world.done(&["topics"]) + &world.done(&["recent"]);
    for secret in ["xylophone", "zebra", "falconhawk"] {
        assert!(!all.to_lowercase().contains(secret), "{secret}: {all}");
    }
}

#[test]
fn agents_note_through_the_bridge() {
    let world = World::new();
    let mut bridge = Bridge::greeted(world.home(), &world.project.root).unwrap();
    let stored = bridge.text(
        "store",
        &json!({"text": "I prefer small commits, one idea each"}),
    );
    let stored = stored.unwrap();
    assert!(stored.starts_with("stored "), "{stored}");
    assert!(stored.contains("edit action=merge topic="), "{stored}");
    let listed = bridge
        .ask(&json!({"jsonrpc": "2.0", "id": 90, "method": "prompts/list"}))
        .unwrap();
    assert_eq!(
        listed["result"]["prompts"][0]["name"], "remember",
        "{listed}"
    );
    let asked = json!({
        "jsonrpc": "2.0", "id": 91, "method": "prompts/get",
        "params": {"name": "remember", "arguments": {"text": "Totals are rounded half to even."}},
    });
    let prompt = bridge.ask(&asked).unwrap();
    let said = prompt["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(said.contains("Totals are rounded half to even."), "{said}");
}

#[test]
fn a_note_that_says_nothing_is_not_kept() {
    let world = World::new();
    for text in [
        "ok",
        "it fixed it",
        "<private>the salary of Dana is five</private>",
        "the <private>ledger key</private> key",
    ] {
        let said = world.refused(&["note", text]);
        assert!(said.contains("nothing was kept"), "{text}: {said}");
    }
    let said = world.refused(&["add", "<private>b</private>", "--topic", "pay"]);
    assert!(said.contains("nothing was stored"), "{said}");
    let topics = world.done(&["topics"]);
    assert!(
        topics.trim().is_empty() || topics.contains("no topic"),
        "{topics}"
    );
}

#[test]
fn what_was_private_is_not_called_a_secret() {
    let world = World::new();
    let output = world.run(&[
        "note",
        "<private>For Dana.</private> The proxy drops long requests.",
    ]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("what you marked as private"), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn a_person_is_no_topic_and_the_tags_are_told() {
    let world = World::new();
    let owner = world.done(&["note", "Priya Sharma owns the billing database"]);
    assert!(owner.starts_with("noted as people/"), "{owner}");
    assert!(owner.contains("(entity;"), "{owner}");
    let moved = world.done(&["note", "we moved from Jenkins to GitHub Actions"]);
    assert!(moved.starts_with("noted as jenkins/"), "{moved}");
    assert!(moved.contains("; tags github-actions;"), "{moved}");
}
