//! Every tool through the real bridge: what a model says and what it reads.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::fake::{Fake, LARGE_TOPIC};
use crate::harness::Bridge;

/// Calls tools one after the other; returns what a model would have seen.
fn transcript(calls: &[(&str, Value)]) -> String {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::start_with(home, &[]);
    bridge.initialize();
    let lines: Vec<String> = calls
        .iter()
        .map(|(tool, arguments)| {
            let (text, is_error) = bridge.call(tool, arguments);
            let kind = if is_error { "error" } else { "answer" };
            format!("> {tool} {arguments}\n{kind}: {text}")
        })
        .collect();
    bridge.finish_cleanly();
    fake.stop();
    lines.join("\n\n")
}

#[test]
fn storing_and_finding() {
    let entries = json!([{"topic": "a", "text": "one"}, {"topic": "a", "text": "two"}]);
    insta::assert_snapshot!(transcript(&[
        ("store", json!({"topic": "a", "text": "b"})),
        ("store", json!({"topic": "a", "text": "b", "terse": "true"})),
        ("batch", json!({"entries": entries})),
        (
            "batch",
            json!({"entries": entries.to_string(), "verbose": true})
        ),
        (
            "search",
            json!({"query": "red", "limit": "1", "detail": "brief"})
        ),
        (
            "search",
            json!({"query": "red", "limit": 1, "detail": "brief", "cursor": "c1"})
        ),
        ("search", json!({"query": "red", "detail": "count"})),
        ("search", json!({"query": "red", "detail": "topics"})),
        ("brief", json!({"query": "a"})),
        ("context", json!({"query": "red", "budget_tokens": "100"})),
    ]));
}

#[test]
fn editing() {
    insta::assert_snapshot!(transcript(&[
        (
            "edit",
            json!({"action": "append", "topic": "a", "text": "more"})
        ),
        (
            "edit",
            json!({"action": "revise", "topic": "a", "index": "0", "text": "new"})
        ),
        ("edit", json!({"action": "delete", "topic": "a/b"})),
        (
            "edit",
            json!({"action": "tag", "topic": "a/b", "remove": "gotcha"})
        ),
        (
            "edit",
            json!({"action": "rename", "topic": "b", "new_name": "a"})
        ),
        (
            "edit",
            json!({"action": "merge", "topic": "b", "into": "a"})
        ),
        ("edit", json!({"action": "restore", "topic": "a/b"})),
        (
            "edit",
            json!({"action": "restore", "topic": "a/b", "text": "c"})
        ),
    ]));
}

#[test]
fn topics() {
    insta::assert_snapshot!(transcript(&[
        ("topics", json!({"focus": "x*"})),
        (
            "topics",
            json!({"action": "checkpoint", "task": "build", "done": "a;b", "next": "c", "files": "x.rs, y.rs"})
        ),
        ("topics", json!({"action": "resume"})),
        ("topics", json!({"action": "clear_checkpoint"})),
        ("topics", json!({"action": "export"})),
        ("topics", json!({"action": "export", "topic": LARGE_TOPIC})),
        (
            "topics",
            json!({"action": "import", "json": {"memories": []}})
        ),
        (
            "topics",
            json!({"action": "import", "json": "{\"memories\":[]}"})
        ),
        ("topics", json!({"action": "stale", "refresh": "true"})),
        ("topics", json!({"action": "statistics"})),
    ]));
}
