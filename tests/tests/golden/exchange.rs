//! `topics`: export and import.

use serde_json::json;

use super::world::World;

#[test]
fn export_and_import() {
    let mut world = World::with_corpus();
    world.say("topics", json!({"action": "export"}));
    world.say(
        "topics",
        json!({"action": "export", "topic": "store-codec"}),
    );
    world.say("topics", json!({"action": "export", "topic": "zebra-*"}));
    let exported = world.do_silently(
        "topics",
        &json!({"action": "export", "topic": "store-codec"}),
    );
    world.say_back("topics", json!({"action": "import", "json": exported}));
    world.say(
        "topics",
        json!({"action": "import", "json": [
            {"topic": "imported", "text": "Kept with its time.", "at": "2026-09-01T12:00:00Z", "tags": ["old"]},
            {"topic": "imported", "text": ""},
            {"topic": "imported"},
            {"topic": "", "text": "Of no topic."},
            {"topic": "!!!", "text": "Of a topic without a letter."},
            {"topic": "imported", "text": "x".repeat(64 * 1024 + 1)},
            {"topic": "imported", "text": "Has a field of the wrong type.", "importance": "high"},
        ]}),
    );
    world.say("read", json!({"topic": "imported"}));
    world.say(
        "topics",
        json!({"action": "import", "json": "{\"imported\": [\"one line\", \"another line\"]}"}),
    );
    world.say("topics", json!({"action": "import", "json": "not json"}));
    world.say("topics", json!({"action": "import", "json": "[]"}));
    world.say(
        "topics",
        json!({"action": "import", "json": "{}", "scope": "planet"}),
    );
    insta::assert_snapshot!(world.told());
}
