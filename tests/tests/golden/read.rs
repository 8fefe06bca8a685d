//! `read`: memories in full.

use serde_json::json;

use super::world::World;

#[test]
fn in_full() {
    let mut world = World::with_corpus();
    world.say("read", json!({"topic": "store-codec"}));
    world.say("read", json!({"topic": "Store Codec", "index": "1"}));
    world.say("read", json!({"topic": "store-codec:2"}));
    let hit = world.say(
        "search",
        json!({"query": "drain stdin", "detail": "brief", "limit": 1}),
    );
    let handle = hit
        .split_whitespace()
        .find(|word| word.starts_with("hook-shim/"))
        .unwrap()
        .to_owned();
    world.say("read", json!({"topic": handle}));
    world.say(
        "read",
        json!({"topic": "store-codec", "match_str": "version"}),
    );
    world.say(
        "read",
        json!({"topic": "store-codec", "match_str": "zebra"}),
    );
    world.say("read", json!({"topic": "store-codec", "index": 40}));
    world.say("read", json!({"topic": "store-codek"}));
    world.say("read", json!({"topic": "hook-shim/no-such-memory"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_long_memory_is_read_whole_and_cut_in_a_search() {
    let mut world = World::empty();
    let lines: Vec<String> = (0..400)
        .map(|at| format!("Line {at} of the long story."))
        .collect();
    world.do_silently(
        "store",
        &json!({"topic": "stories", "text": lines.join("\n")}),
    );
    world.do_silently(
        "store",
        &json!({"topic": "stories", "text": "A short one."}),
    );
    let all = world.do_silently("read", &json!({"topic": "stories"}));
    assert!(
        all.contains("Line 399 of the long story.") && all.contains("A short one."),
        "{all}"
    );
    let alone = world.do_silently("read", &json!({"topic": "stories:0"}));
    assert!(alone.contains("Line 399 of the long story."), "{alone}");
    world.say("search", json!({"query": "long story"}));
    insta::assert_snapshot!(world.told());
}
