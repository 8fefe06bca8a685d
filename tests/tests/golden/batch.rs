//! `batch`: several memories at once.

use serde_json::json;

use super::world::World;

#[test]
fn several_are_stored_at_once() {
    let mut world = World::with_corpus();
    let loader = "The loader checks the hash of the library before it maps it.";
    let entries = json!([
        {"topic": "loader", "text": loader, "tags": "invariant", "source": "src/loader.rs:3"},
        {"topic": "loader", "text": "The cache of hashes is keyed by size and time of change.", "kind": "fact"},
    ]);
    world.say("batch", json!({"entries": entries}));
    world.say("batch", json!({"entries": entries, "verbose": "true"}));
    let mixed = json!([
        {"topic": "loader", "text": "A truncated library kills the process with SIGBUS, so look before you map."},
        {"topic": "loader", "text": "A truncated library kills the process with SIGBUS, so look before you map it."},
        {"topic": "loader", "text": loader.replace("before it maps it", "before it maps it in")},
        {"topic": "loader", "text": "Its self-test embeds one sentence.", "links": "nowhere:3"},
        {"topic": "loader", "text": "x".repeat(70_000)},
    ]);
    world.say("batch", json!({"entries": mixed}));
    world.say(
        "batch",
        json!({"entries": mixed.as_array().unwrap()[..3], "verbose": true, "force": true}),
    );
    world.say(
        "batch",
        json!({"entries": "[{\"topic\": \"loader\", \"text\": \"Given as a string.\"}]"}),
    );
    world.say(
        "batch",
        json!({"entries": {"topic": "loader", "text": "Given alone."}, "verbose": true}),
    );
    insta::assert_snapshot!(world.told());
}
