//! `brief`: overviews.

use serde_json::json;

use super::world::World;

#[test]
fn of_everything() {
    let mut world = World::with_corpus();
    world.say("brief", json!({}));
    world.say("brief", json!({"compact": "true"}));
    world.say("brief", json!({"detail": "scan"}));
    world.say("brief", json!({"focus": "gaps"}));
    world.say(
        "brief",
        json!({"focus": "how-to, performance", "detail": "full", "compact": true}),
    );
    world.say(
        "brief",
        json!({"focus": "gotchas", "detail": "scan", "since": 1}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn of_a_topic() {
    let mut world = World::with_corpus();
    world.say("brief", json!({"query": "daemon-lifecycle"}));
    world.say(
        "brief",
        json!({"query": "daemon-lifecycle", "detail": "scan"}),
    );
    world.say(
        "brief",
        json!({"query": "daemon-lifecycle", "detail": "full"}),
    );
    for detail in ["summary", "scan", "full"] {
        world.say(
            "brief",
            json!({"query": "daemon-lifecycle", "compact": true, "detail": detail}),
        );
    }
    insta::assert_snapshot!(world.told());
}

#[test]
fn of_several_topics() {
    let mut world = World::with_corpus();
    world.say("brief", json!({"query": "hook-*"}));
    world.say("brief", json!({"query": "hook-*", "detail": "scan"}));
    world.say(
        "brief",
        json!({"query": "hook-*", "focus": "gotchas, invariants", "detail": "full"}),
    );
    world.say("brief", json!({"query": "zebra-*"}));
    world.say(
        "brief",
        json!({"query": "hook-shim, packaging", "detail": "scan"}),
    );
    world.say(
        "brief",
        json!({"query": "topic:hook-shim", "detail": "scan"}),
    );
    world.say(
        "brief",
        json!({"query": "tag:gotcha topic:hook-*", "detail": "scan"}),
    );
    world.say("brief", json!({"query": "tag:gotcha socket"}));
    world.say("brief", json!({"query": "topic:zebra"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn of_words() {
    let mut world = World::with_corpus();
    world.say("brief", json!({"query": "group commit"}));
    world.say("brief", json!({"query": "zebra"}));
    world.say("brief", json!({"query": "hook-*", "since": "720"}));
    world.say("brief", json!({"query": "hook-*", "since": 1}));
    world.say("brief", json!({"query": "hook-shim", "since": 1}));
    world.say("brief", json!({"query": "hook-*", "focus": "performance"}));
    world.say("brief", json!({"query": "writer-thread", "focus": "gaps"}));
    world.say("brief", json!({"scope": "global"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn of_one_memory() {
    let mut world = World::with_corpus();
    let handle = world.say("read", json!({"topic": "hook-shim", "index": 0}));
    let handle = handle.split_whitespace().nth(1).unwrap().to_owned();
    for query in ["hook-shim:0", handle.as_str()] {
        let told = world.say("brief", json!({"query": query, "detail": "full"}));
        assert!(
            told.starts_with("TOPICS: hook-shim (1)\n") && told.contains(&format!("[{handle}]")),
            "{told}"
        );
    }
    let beyond = world.say("brief", json!({"query": "hook-shim:99"}));
    assert!(
        beyond.contains("topic hook-shim has") && beyond.contains("its last index is"),
        "{beyond}"
    );
}

#[test]
fn what_was_overtaken_is_marked() {
    let mut world = World::with_corpus();
    let newer = "perf: a static no_std shim with rustix costs 69 µs over a program that exits at once; libc crate 91, std \
                 with static glibc 404, dynamic glibc 650.";
    world.say(
        "store",
        json!({"topic": "hook-shim", "text": newer, "force": true}),
    );
    world.say(
        "store",
        json!({"topic": "packaging", "text": newer, "force": true}),
    );
    world.say("brief", json!({"query": "hook-shim", "detail": "full"}));
    world.say("brief", json!({"query": "hook-shim"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_word_that_looks_like_a_filter_is_told() {
    let mut world = World::with_corpus();
    let told = world.say("brief", json!({"query": "nope:1 fsync"}));
    assert!(
        told.starts_with("note: \"nope:1\" is no filter and was searched for as words"),
        "{told}"
    );
    let told = world.say("brief", json!({"query": "tags:zebra"}));
    assert!(told.contains("write tag:zebra to filter"), "{told}");
    for query in ["fsync", "tag:gotcha fsync", "hook-shim:0", "hook-*"] {
        let told = world.say("brief", json!({"query": query}));
        assert!(!told.contains("is no filter"), "{told}");
    }
}

#[test]
fn of_nothing() {
    let mut world = World::empty();
    world.say("brief", json!({}));
    world.say("brief", json!({"query": "hook-shim"}));
    insta::assert_snapshot!(world.told());
}
