//! Wrong calls: each answer says what to do next.

use serde_json::{Value, json};

use super::world::World;

fn refused(calls: impl IntoIterator<Item = (&'static str, Value)>) -> String {
    let mut world = World::with_corpus();
    for (tool, arguments) in calls {
        world.say(tool, arguments);
    }
    let told = world.told();
    for call in told.split("\n> ") {
        assert!(call.contains("\nERROR "), "not refused: {call}");
    }
    told
}

#[test]
fn in_storing() {
    insta::assert_snapshot!(refused([
        ("store", json!({})),
        ("store", json!({"topic": "a"})),
        ("store", json!({"topic": "!!!", "text": "x"})),
        ("store", json!({"topic": "a", "text": "  "})),
        ("store", json!({"topic": ["a"], "text": "x"})),
        ("store", json!({"topic": "a", "text": {"b": 1}})),
        ("store", json!({"topic": "a", "text": "x".repeat(70_000)})),
        ("store", json!({"topic": "t".repeat(300), "text": "x"})),
        (
            "store",
            json!({"topic": "a", "text": "x", "confidence": "1.5"})
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "confidence": "high"})
        ),
        ("store", json!({"topic": "a", "text": "x", "importance": 8})),
        (
            "store",
            json!({"topic": "a", "text": "x", "kind": "rumour"})
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "scope": "planet"})
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "tags": {"b": 1}})
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "force": "maybe"})
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "content": "y", "tag": "z"})
        ),
        ("batch", json!({})),
        ("batch", json!({"entries": []})),
        ("batch", json!({"entries": "topic=a text=b"})),
        (
            "batch",
            json!({"entries": vec![json!({"topic": "a", "text": "b"}); 1_001]})
        ),
    ]));
}

#[test]
fn in_finding() {
    insta::assert_snapshot!(refused([
        ("search", json!({"query": "x", "limit": "five"})),
        ("search", json!({"query": "x", "limit": 0})),
        ("search", json!({"query": "x", "limit": 1_000})),
        ("search", json!({"query": "x", "limit": 2.5})),
        ("search", json!({"query": "x", "detail": "everything"})),
        ("search", json!({"query": "x", "mode": "not"})),
        ("search", json!({"query": "x", "after": "someday"})),
        ("search", json!({"query": "x", "days": "a week"})),
        ("search", json!({"query": "x", "days": -1})),
        ("search", json!({"query": "after:someday x"})),
        ("search", json!({"query": "kind:rumour x"})),
        ("search", json!({"query": "x", "kind": "rumour"})),
        ("search", json!({"query": "x", "scope": "planet"})),
        ("search", json!({"query": "x".repeat(9_000)})),
        ("search", json!({"text": "x"})),
        ("brief", json!({"query": "x", "detail": "medium"})),
        ("brief", json!({"query": "x", "since": "yesterday"})),
        ("brief", json!({"query": "hook-*", "focus": "jokes"})),
        ("brief", json!({"topic": "x"})),
        ("read", json!({})),
        ("read", json!({"topic": "no-such-topic"})),
        ("read", json!({"topic": "no-such-topic", "index": 7})),
        ("read", json!({"topic": "hook-shim", "index": "first"})),
        ("context", json!({"budget_tokens": 10})),
        ("context", json!({"budget_tokens": 50_000})),
        ("context", json!({"task": "x"})),
    ]));
}

#[test]
fn in_changing() {
    insta::assert_snapshot!(refused([
        ("edit", json!({})),
        ("edit", json!({"action": "replace", "topic": "hook-shim"})),
        ("edit", json!({"action": "revise"})),
        ("edit", json!({"action": "revise", "topic": "hook-shim"})),
        (
            "edit",
            json!({"action": "append", "topic": "hook-shim", "text": "x", "index": 0, "match_str": "y"})
        ),
        (
            "edit",
            json!({"action": "delete", "topic": "hook-shim", "all": true, "index": 0})
        ),
        (
            "edit",
            json!({"action": "delete", "topic": "hook-shim", "index": 99})
        ),
        ("edit", json!({"action": "tag", "topic": "hook-shim"})),
        ("edit", json!({"action": "set", "topic": "hook-shim"})),
        ("edit", json!({"action": "rename", "topic": "hook-shim"})),
        ("edit", json!({"action": "merge", "topic": "hook-shim"})),
        (
            "edit",
            json!({"action": "merge", "topic": "hook-shim", "into": "ci", "index": 0})
        ),
        ("topics", json!({"action": "browse"})),
        ("topics", json!({"action": 7})),
        ("topics", json!({"topic": "hook-shim"})),
        ("topics", json!({"action": "entries"})),
        ("topics", json!({"action": "xref"})),
        ("topics", json!({"action": "recent", "days": 0})),
        ("topics", json!({"action": "stats", "detail": "everything"})),
        ("topics", json!({"action": "compact", "mode": "fast"})),
        ("topics", json!({"action": "prune", "apply": true})),
        ("topics", json!({"action": "import"})),
        ("topics", json!({"action": "import", "json": 7})),
        ("topics", json!({"action": "checkpoint"})),
        ("topics", json!({"action": "resume", "task": "mine"})),
    ]));
}
