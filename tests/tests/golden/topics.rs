//! `topics`: browsing.

use serde_json::json;

use super::world::World;

#[test]
fn list() {
    let mut world = World::with_corpus();
    world.say("topics", json!({}));
    world.say("topics", json!({"action": "list", "focus": "index-*"}));
    world.say("topics", json!({"action": "list", "focus": "zebra-*"}));
    world.say("topics", json!({"action": "list", "scope": "global"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn recent() {
    let mut world = World::with_corpus();
    world.do_silently(
        "store",
        &json!({"topic": "team", "text": "Reviews are on Fridays.", "scope": "global"}),
    );
    world.say("topics", json!({"action": "recent"}));
    world.say(
        "topics",
        json!({"action": "recent", "days": "20", "hours": "2"}),
    );
    world.say("topics", json!({"action": "recent", "days": 12}));
    world.say("topics", json!({"action": "recent", "scope": "global"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn entries() {
    let mut world = World::with_corpus();
    world.say("topics", json!({"action": "entries", "topic": "hook-shim"}));
    world.say(
        "topics",
        json!({"action": "entries", "topic": "hook-shim", "index": "2"}),
    );
    world.say(
        "topics",
        json!({"action": "entries", "topic": "hook-shim", "match_str": "GOTCHA"}),
    );
    world.say(
        "topics",
        json!({"action": "entries", "topic": "hook-shim", "match_str": "zebra"}),
    );
    world.say(
        "topics",
        json!({"action": "entries", "topic": "no-such-topic"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn stats() {
    let mut world = World::with_corpus();
    world.say("topics", json!({"action": "stats"}));
    world.say("topics", json!({"action": "stats", "detail": "tags"}));
    world.say("topics", json!({"action": "stats", "detail": "index"}));
    world.say("topics", json!({"action": "reindex"}));
    world.say("topics", json!({"action": "stats", "scope": "global"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn who_mentions_whom() {
    let mut world = World::with_corpus();
    let text = "See store-redb and hook-shim before you touch it.";
    world.do_silently(
        "store",
        &json!({"topic": "team", "text": text, "links": "store-redb:0"}),
    );
    world.say("topics", json!({"action": "xref", "topic": "store-redb"}));
    world.say("topics", json!({"action": "xref", "topic": "team"}));
    world.say(
        "topics",
        json!({"action": "xref", "topic": "no-such-topic"}),
    );
    world.say("topics", json!({"action": "graph"}));
    world.say("topics", json!({"action": "graph", "focus": "hook-*"}));
    world.say("topics", json!({"action": "graph", "focus": "zebra-*"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn nothing_is_known_yet() {
    let mut world = World::empty();
    for action in [
        "list", "recent", "stats", "graph", "stale", "prune", "compact", "session", "resume",
        "export",
    ] {
        world.say("topics", json!({"action": action}));
    }
    world.say("topics", json!({"action": "stats", "detail": "tags"}));
    world.say("topics", json!({"action": "entries", "topic": "hook-shim"}));
    world.say("topics", json!({"action": "clear_checkpoint"}));
    insta::assert_snapshot!(world.told());
}
