//! `search`: how much is shown, what is left out, how it goes on.

use serde_json::json;

use super::world::World;

#[test]
fn six_levels_of_detail() {
    let mut world = World::with_corpus();
    for detail in ["medium", "full", "brief", "grouped", "topics", "count"] {
        world.say(
            "search",
            json!({"query": "socket permissions", "detail": detail, "limit": 5}),
        );
    }
    insta::assert_snapshot!(world.told());
}

#[test]
fn arguments_filter() {
    let mut world = World::with_corpus();
    world.do_silently(
        "store",
        &json!({"topic": "team", "text": "The socket is reviewed by two.", "scope": "global"}),
    );
    let brief = |filter: serde_json::Value| {
        let mut arguments = json!({"query": "socket", "detail": "brief", "limit": "4"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(filter.as_object().unwrap().clone());
        arguments
    };
    world.say("search", brief(json!({})));
    world.say("search", brief(json!({"topic": "daemon-socket"})));
    world.say(
        "search",
        brief(json!({"topic": ["daemon-socket", "client-connect"], "limit": 8})),
    );
    world.say("search", brief(json!({"tag": "gotcha"})));
    world.say("search", brief(json!({"tag": "gotchas"})));
    world.say("search", brief(json!({"kind": "decision"})));
    world.say("search", brief(json!({"scope": "global"})));
    world.say("search", brief(json!({"scope": "all"})));
    world.say("search", brief(json!({"after": "2026-10-15"})));
    world.say("search", brief(json!({"before": "2026-08-31"})));
    world.say("search", brief(json!({"after": "today"})));
    world.say(
        "search",
        brief(json!({"after": "this-week", "before": "today"})),
    );
    world.say("search", brief(json!({"days": "40"})));
    world.say("search", brief(json!({"days": 40, "hours": 1})));
    world.say(
        "search",
        json!({"topic": "daemon-socket", "tag": "gotcha", "detail": "brief"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn the_query_filters() {
    let mut world = World::with_corpus();
    for query in [
        "topic:daemon-socket peer",
        "tag:gotcha socket",
        "source:writer.rs commit",
        "kind:preference",
        "scope:project peer credentials",
        "after:2026-10-15 socket",
        "before:2026-08-25 socket",
        "topic:daemon-socket tag:gotcha",
    ] {
        world.say(
            "search",
            json!({"query": query, "detail": "brief", "limit": 3}),
        );
    }
    insta::assert_snapshot!(world.told());
}

#[test]
fn pages_follow_each_other() {
    let mut world = World::with_corpus();
    let first = world.say(
        "search",
        json!({"query": "daemon", "detail": "brief", "limit": 3}),
    );
    let cursor = first
        .split("cursor=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    let second = world.say(
        "search",
        json!({"query": "daemon", "detail": "brief", "limit": 3, "cursor": cursor}),
    );
    assert_ne!(first, second);
    world.say(
        "search",
        json!({"query": "daemon", "detail": "brief", "limit": 200}),
    );
    world.say(
        "search",
        json!({"query": "anything else", "cursor": cursor}),
    );
    world.say("search", json!({"query": "daemon", "cursor": "nonsense"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn words_fall_back() {
    let mut world = World::with_corpus();
    world.say(
        "search",
        json!({"query": "fsync SIGBUS umask", "detail": "brief"}),
    );
    world.say("search", json!({"query": "fsync umask", "detail": "count"}));
    world.say(
        "search",
        json!({"query": "fsync umask", "detail": "topics", "mode": "or"}),
    );
    world.say(
        "search",
        json!({"query": "fsync", "mode": "and", "detail": "count"}),
    );
    world.say(
        "search",
        json!({"query": "MESSAGE_MAX_BYTES StorageBackend", "detail": "brief"}),
    );
    world.say("search", json!({"query": "zebra"}));
    world.say("search", json!({"query": "zebra", "detail": "count"}));
    world.say("search", json!({"query": "zebra", "detail": "topics"}));
    world.say(
        "search",
        json!({"query": "socket", "topic": "no-such-topic"}),
    );
    world.say("search", json!({"query": "the of and"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_mistyped_filter_is_told() {
    let mut world = World::with_corpus();
    for (query, meant, detail) in [
        ("tags:gotcha socket", "tag:gotcha", "brief"),
        ("src:hook.rs shim", "source:hook.rs", "count"),
    ] {
        let told = world.say("search", json!({"query": query, "detail": detail}));
        assert!(told.contains(&format!("write {meant} to filter")), "{told}");
    }
    // Anything else with a colon may well be in a text.
    for query in [
        "error:E0432",
        "std::fmt socket",
        "https://example.org",
        "tag:gotcha socket",
    ] {
        let told = world.say("search", json!({"query": query, "detail": "brief"}));
        assert!(!told.contains("is no filter"), "{told}");
    }
}

#[test]
fn hits_are_explained() {
    let mut world = World::with_corpus();
    world.say(
        "search",
        json!({"query": "group commit fsync", "explain": "true", "limit": 3}),
    );
    world.say(
        "search",
        json!({"query": "group commit fsync", "explain": true, "limit": 2, "detail": "brief"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn without_a_query_the_newest_come_first() {
    let mut world = World::with_corpus();
    world.say("search", json!({}));
    world.say("search", json!({"days": 14, "detail": "topics"}));
    world.say("search", json!({"detail": "count"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn nothing_is_known_yet() {
    let mut world = World::empty();
    world.say("search", json!({"query": "socket"}));
    world.say("search", json!({}));
    insta::assert_snapshot!(world.told());
}
