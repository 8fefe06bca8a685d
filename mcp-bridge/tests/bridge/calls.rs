//! Calls that cannot succeed say what to do.

use serde_json::json;

use crate::harness::Bridge;

/// What every answer without a daemon ends with.
const WITHOUT_MEMORY: &str =
    "go on without memory, and tell the user that `helixctl doctor` says what is wrong";

#[test]
fn without_a_daemon_every_call_says_why() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    for (tool, arguments) in [
        ("store", json!({"topic": "a", "text": "b"})),
        ("search", json!({"query": "a"})),
        ("read", json!({"topic": "a"})),
        ("topics", json!({"action": "export"})),
    ] {
        let (text, is_error) = bridge.call(tool, &arguments);
        assert!(is_error);
        let why = "starting /nonexistent: No such file or directory (os error 2)";
        assert_eq!(text, format!("{tool}: {why}; {WITHOUT_MEMORY}"));
    }
    bridge.finish_cleanly();
}

#[test]
fn wrong_arguments_are_tool_errors_that_teach() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    let texts = [
        ("store", json!({"topic": "a"})),
        (
            "store",
            json!({"topic": "a", "text": "b", "confidence": "high"}),
        ),
        ("search", json!({"q": "a"})),
        ("search", json!({"query": "a", "limit": "ten"})),
        ("search", json!({"query": "a", "detail": "everything"})),
        ("read", json!({})),
        (
            "batch",
            json!({"entries": [{"topic": "a", "text": "b"}, {"text": "c"}]}),
        ),
        ("brief", json!({"topic": "a"})),
        ("edit", json!({"action": "rename", "topic": "a"})),
        ("edit", json!({"topic": "a"})),
        ("topics", json!({"action": "prune", "apply": "true"})),
        ("context", json!({"budget_tokens": 1})),
    ]
    .map(|(tool, arguments)| {
        let (text, is_error) = bridge.call(tool, &arguments);
        assert!(is_error);
        text
    });
    insta::assert_snapshot!(texts.join("\n"));
    bridge.finish_cleanly();
}

#[test]
fn an_unusable_environment_is_explained() {
    let mut bridge = Bridge::start_with(
        tempfile::tempdir().unwrap(),
        &[("HELIX_SOCKET", "relative.sock")],
    );
    bridge.initialize();
    let (text, is_error) = bridge.call("read", &json!({"topic": "a"}));
    assert!(is_error);
    let why = "HELIX_SOCKET is \"relative.sock\", which is not absolute; give the full path";
    assert_eq!(text, format!("read: {why}; {WITHOUT_MEMORY}"));
    bridge.finish_cleanly();
}

#[test]
fn unknown_tools_and_malformed_calls_are_protocol_errors() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    let unknown = bridge.ask(
        &json!(1),
        "tools/call",
        &json!({"name": "forget", "arguments": {}}),
    );
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(
        unknown["error"]["message"],
        "unknown tool forget; the tools are store, batch, search, brief, read, edit, topics, context"
    );
    let malformed = bridge.ask(&json!(2), "tools/call", &json!({"arguments": {}}));
    assert_eq!(malformed["error"]["code"], -32602);
    bridge.finish_cleanly();
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let (mut bridge, daemon) = Bridge::start_with_mute_daemon();
    bridge.initialize();
    let call = json!({"name": "read", "arguments": {"topic": "a"}});
    bridge.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}));
    // The call is in flight once the bridge has connected.
    let _connection = daemon.accept().unwrap();
    let cancelled = json!({"requestId": 7, "reason": "test"});
    bridge
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    bridge.ask(&json!(8), "ping", &json!({}));
    bridge.finish_cleanly();
}
