//! `edit`: every action, by every way to say which memory is meant.

use serde_json::json;

use super::world::World;

#[test]
fn append() {
    let mut world = World::with_corpus();
    world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread", "text": "Measured again: 1,200."}),
    );
    world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread", "index": "0", "text": "Still true."}),
    );
    world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread", "match_str": "group commit", "text": "On a busy machine 900."}),
    );
    world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread", "tag": "limit", "text": "Nobody reached it yet."}),
    );
    world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread", "tag": "zebra", "text": "Lost."}),
    );
    world.say("read", json!({"topic": "writer-thread", "index": 0}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn revise() {
    let mut world = World::with_corpus();
    let text = "invariant: nothing is acknowledged before its durable commit.\nThe reply channel comes after it.";
    world.say(
        "edit",
        json!({"action": "revise", "topic": "writer-thread", "index": 0, "text": text}),
    );
    world.say("read", json!({"topic": "writer-thread", "index": 0}));
    world.say("edit", json!({"action": "revise", "topic": "writer-thread", "match_str": "commit", "text": "Unclear."}));
    world.say("edit", json!({"action": "revise", "topic": "writer-thread", "match_str": "zebra", "text": "Lost."}));
    world.say(
        "edit",
        json!({"action": "revise", "topic": "no-such-topic", "text": "Lost."}),
    );
    world.say("edit", json!({"action": "revise", "topic": "writer-thread:3", "text": "The queue holds 4,096 jobs."}));
    world.say("edit", json!({"action": "revise", "topic": "writer-thread:3", "text": "The queue holds 4,096 jobs."}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_tag_added_and_removed_at_once() {
    let mut world = World::with_corpus();
    world.say("edit", json!({"action": "tag", "topic": "writer-thread", "index": 0, "tags": "a, b", "remove": "A"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn delete_and_restore() {
    let mut world = World::with_corpus();
    let deleted = world.say("edit", json!({"action": "delete", "topic": "store-codec"}));
    let handle = deleted
        .split_whitespace()
        .nth(1)
        .unwrap()
        .trim_end_matches(';')
        .to_owned();
    world.say("edit", json!({"action": "restore", "topic": handle}));
    world.say("edit", json!({"action": "restore", "topic": handle}));
    world.say(
        "edit",
        json!({"action": "delete", "topic": "store-codec", "index": "0"}),
    );
    world.say(
        "edit",
        json!({"action": "delete", "topic": "hook-shim", "match_str": "macOS"}),
    );
    world.say(
        "edit",
        json!({"action": "delete", "topic": "hook-shim", "match_str": "gotcha:"}),
    );
    world.say(
        "edit",
        json!({"action": "delete", "topic": "store-codec", "all": "true"}),
    );
    world.say(
        "edit",
        json!({"action": "delete", "topic": "store-codec", "all": "true"}),
    );
    world.say("read", json!({"topic": "store-codec"}));
    world.say("edit", json!({"action": "restore", "topic": "store-codec"}));
    world.say("edit", json!({"action": "restore", "topic": "hook-shim"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn tag_and_set() {
    let mut world = World::with_corpus();
    world
        .project
        .write("src/writer.rs", "fn commit() {}\n")
        .unwrap();
    world.say(
        "edit",
        json!({"action": "tag", "topic": "writer-thread:0", "tags": "Reviews, durability"}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": "writer-thread:0", "tags": "fresh", "remove": ["review"]}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": "writer-thread:0", "remove": "zebra"}),
    );
    world.say(
        "edit",
        json!({
            "action": "set", "topic": "writer-thread", "index": 0, "kind": "decision", "source": "src/writer.rs:1",
            "confidence": "0.6", "importance": 0.5, "pinned": "true", "links": "store-redb:0 hook-shim:1",
        }),
    );
    world.say(
        "edit",
        json!({"action": "set", "topic": "writer-thread:0", "pinned": false, "confidence": 1}),
    );
    world.say(
        "edit",
        json!({"action": "set", "topic": "writer-thread:0", "links": "nowhere:3"}),
    );
    world.say(
        "edit",
        json!({"action": "set", "topic": "writer-thread:0", "kind": "rumour"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn lines_of_a_text_set_what_they_say() {
    let mut world = World::with_corpus();
    world
        .project
        .write("src/writer.rs", "fn commit() {}\n")
        .unwrap();
    let text =
        "[tags: gotcha, q]\n[confidence: 0.3]\nThe writer thread is the only one that writes.";
    let revised = world.say(
        "edit",
        json!({"action": "revise", "topic": "writer-thread:0", "text": text}),
    );
    assert!(
        revised.contains("note: tags, confidence came from lines of the text"),
        "{revised}"
    );
    let line = "[source: src/writer.rs:1]";
    let appended = world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread:0", "text": line}),
    );
    assert!(
        appended.contains("note: source came from lines of the text"),
        "{appended}"
    );
    let read = world.say("read", json!({"topic": "writer-thread", "index": 0}));
    for part in ["gotcha, ", "[confidence: 0.3]", "[source: src/writer.rs:1]"] {
        assert!(read.contains(part), "{part}: {read}");
    }
    assert_eq!(read.matches("[confidence: 0.3]").count(), 1, "{read}");
    let inside = "First.\n[links: hook-shim:0]\nLast.";
    let appended = world.say(
        "edit",
        json!({"action": "append", "topic": "writer-thread:1", "text": inside}),
    );
    assert!(
        appended.contains("note: [links: …] inside the text set nothing"),
        "{appended}"
    );
    let stored = world.say("store", json!({"topic": "writer-thread", "text": inside}));
    assert!(
        stored.contains("note: [links: …] inside the text set nothing"),
        "{stored}"
    );
    let unknown = world.say(
        "edit",
        json!({"action": "append", "topic": "hook-shim", "text": "[links: nowhere:3]"}),
    );
    assert!(
        unknown.contains("none of the links names a memory"),
        "{unknown}"
    );
}

#[test]
fn rename_and_merge() {
    let mut world = World::with_corpus();
    world.say(
        "edit",
        json!({"action": "rename", "topic": "store-codec", "new_name": "Codec of the Store"}),
    );
    world.say("topics", json!({"focus": "*codec*"}));
    world.say(
        "edit",
        json!({"action": "rename", "topic": "codec-of-the-store", "new_name": "hook-shim"}),
    );
    world.say(
        "edit",
        json!({"action": "merge", "topic": "codec-of-the-store", "into": "store-redb"}),
    );
    world.say("topics", json!({"focus": "*codec*"}));
    world.say("topics", json!({"focus": "store-*"}));
    world.say(
        "edit",
        json!({"action": "merge", "topic": "store-redb", "into": "store-redb"}),
    );
    world.say(
        "edit",
        json!({"action": "merge", "topic": "no-such-topic", "into": "store-redb"}),
    );
    world.say(
        "edit",
        json!({"action": "rename", "topic": "no-such-topic", "new_name": "other"}),
    );
    world.say(
        "edit",
        json!({"action": "rename", "topic": "store-redb", "new_name": "!!!"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn split() {
    let mut world = World::empty();
    let ports = world.store(
        "ports",
        "Ports that are taken:\n- 8080 by billing\n- 9090 by metrics",
    );
    world.say("edit", json!({"action": "split", "topic": ports}));
    world.say("read", json!({"topic": "ports"}));
    world.say("edit", json!({"action": "undo"}));
    let texts = json!([
        "Billing listens on 8080, always.",
        "Metrics listen on 9090."
    ]);
    world.say(
        "edit",
        json!({"action": "split", "topic": ports, "parts": texts}),
    );
    let alone = world.store("walls", "Walls are white.");
    world.refused("edit", json!({"action": "split", "topic": alone}));
    world.refused(
        "edit",
        json!({"action": "split", "topic": alone, "parts": "Only one."}),
    );
    insta::assert_snapshot!(world.told());
}
