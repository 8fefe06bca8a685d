//! The sets of tools that a server can offer.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::fake::Fake;
use crate::harness::Bridge;

/// What the schemas of a set may cost, in bytes.
const SET_MAX_BYTES: usize = 14 * 1024;

fn listed(set: &str) -> Value {
    let mut bridge = Bridge::offering(tempdir().unwrap(), set);
    bridge.initialize();
    let mut answer = bridge.ask(&json!(1), "tools/list", &json!({}));
    bridge.finish_cleanly();
    answer["result"]["tools"].take()
}

#[test]
fn the_memory_set_is_as_agreed() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed("memory")).unwrap());
}

#[test]
fn the_context_set_is_as_agreed() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed("context")).unwrap());
}

#[test]
fn every_set_is_cheap() {
    for set in ["helix", "memory", "context"] {
        let bytes = listed(set).to_string().len();
        assert!(bytes <= SET_MAX_BYTES, "{set}: {bytes} bytes");
    }
}

#[test]
fn a_set_has_only_its_own_tools() {
    let mut bridge = Bridge::offering(tempdir().unwrap(), "memory");
    bridge.initialize();
    let call = json!({"name": "store", "arguments": {}});
    let answer = bridge.ask(&json!(1), "tools/call", &call);
    assert_eq!(
        answer["error"]["message"],
        "unknown tool store; the tools are memory.search, memory.write, memory.note, memory.forget, memory.list, memory.context"
    );
    bridge.finish_cleanly();
}

#[test]
fn the_memory_set_answers() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::offering(home, "memory");
    bridge.initialize();
    let calls = [
        (
            "memory.search",
            json!({"query": "red", "k": "2", "budget_tokens": 200}),
        ),
        ("memory.search", json!({})),
        (
            "memory.write",
            json!({"content": "Needs arm64.", "type": "gotcha"}),
        ),
        ("memory.note", json!({"text": "Needs arm64."})),
        ("memory.forget", json!({"id": "a/b"})),
        ("memory.forget", json!({"query": "red"})),
        ("memory.forget", json!({})),
        ("memory.list", json!({"type": "fact", "limit": 5})),
        ("memory.context", json!({"budget_tokens": "100"})),
        ("memory.context", json!({"budget_tokens": 1})),
    ];
    let lines = calls.map(|(tool, arguments)| {
        let (text, is_error) = bridge.call(tool, &arguments);
        let kind = if is_error { "error" } else { "answer" };
        format!("> {tool} {arguments}\n{kind}: {text}")
    });
    insta::assert_snapshot!(lines.join("\n\n"));
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn the_context_set_answers() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::offering(home, "context");
    bridge.initialize();
    let calls = [
        (
            "context.recall",
            json!({"query": "red", "limit": "2", "mode": "keyword"}),
        ),
        ("context.recall", json!({"query": "red", "mode": "fuzzy"})),
        (
            "context.getCurrent",
            json!({"query": "red", "current_file": "a.rs"}),
        ),
        (
            "context.store",
            json!({"content": "Needs arm64.", "type": "gotcha", "tags": "build"}),
        ),
        (
            "event",
            json!({"type": "error_occurred", "text": "linking fails", "command": "make"}),
        ),
        ("event", json!({"type": "file_closed"})),
        ("event", json!({})),
    ];
    let lines = calls.map(|(tool, arguments)| {
        let (text, is_error) = bridge.call(tool, &arguments);
        let kind = if is_error { "error" } else { "answer" };
        format!("> {tool} {arguments}\n{kind}: {text}")
    });
    insta::assert_snapshot!(lines.join("\n\n"));
    bridge.finish_cleanly();
    fake.stop();
}
