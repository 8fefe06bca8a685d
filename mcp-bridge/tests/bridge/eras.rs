//! What real clients said on the wire, said again: every request gets one answer, and the handshake
//! is what they need.

use serde_json::{Value, json};

use crate::harness::Bridge;

/// The tools, in the order in which they are listed.
const TOOLS: [&str; 8] = [
    "store", "batch", "search", "brief", "read", "edit", "topics", "context",
];

fn client_messages(transcript: &str) -> Vec<Value> {
    let lines = transcript
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["dir"] == "c2s")
        .map(|line| line["msg"].clone())
        .collect()
}

/// Says what the client said, one after the other; returns each request with its answer.
fn replay(transcript: &str) -> Vec<(Value, Value)> {
    let mut bridge = Bridge::start();
    let mut pairs = Vec::new();
    for message in client_messages(transcript) {
        bridge.send(&message);
        if message.get("id").is_some() {
            let answer = bridge.receive();
            assert_eq!(answer["id"], message["id"], "{answer}");
            pairs.push((message, answer));
        }
    }
    bridge.finish_cleanly();
    pairs
}

fn answer<'a>(pairs: &'a [(Value, Value)], method: &str) -> &'a Value {
    &pairs
        .iter()
        .find(|(request, _)| request["method"] == method)
        .unwrap()
        .1
}

fn tool_names(listing: &Value) -> Vec<&str> {
    listing["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

fn check_initialize(pairs: &[(Value, Value)], version: &str) {
    let result = &answer(pairs, "initialize")["result"];
    assert_eq!(result["protocolVersion"], version);
    assert_eq!(result["serverInfo"]["name"], "helix");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["capabilities"], json!({"prompts": {}, "tools": {}}));
    assert!(
        result["instructions"]
            .as_str()
            .unwrap()
            .contains("Search before")
    );
    assert_eq!(tool_names(answer(pairs, "tools/list")), TOOLS);
}

#[test]
fn claude_with_discovery() {
    let pairs = replay(include_str!(
        "../data/claude-2.1.330-modern-2026-07-28.jsonl"
    ));
    let discovered = &answer(&pairs, "server/discover")["result"];
    assert!(
        discovered["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
    assert_eq!(
        discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "helix"
    );
    assert!(
        discovered["instructions"]
            .as_str()
            .unwrap()
            .contains("Search before")
    );
    let listing = answer(&pairs, "tools/list");
    assert_eq!(listing["result"]["resultType"], "complete");
    assert_eq!(tool_names(listing), TOOLS);
    assert_eq!(
        answer(&pairs, "subscriptions/listen")["error"]["code"],
        -32601
    );
    assert_eq!(answer(&pairs, "tools/call")["error"]["code"], -32602);
}

#[test]
fn claude_with_initialize_after_the_probe() {
    check_initialize(
        &replay(include_str!(
            "../data/claude-2.1.330-legacy-2025-11-25.jsonl"
        )),
        "2025-11-25",
    );
}

#[test]
fn codex() {
    check_initialize(
        &replay(include_str!(
            "../data/codex-0.169.0-legacy-2025-06-18.jsonl"
        )),
        "2025-06-18",
    );
}

/// Methods of the protocol that the server does not declare.
const UNDECLARED: [&str; 11] = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/list",
    "skills/list",
    "subscriptions/listen",
];

/// Parameters that are right for each of them.
fn parameters() -> Value {
    json!({
        "name": "x", "uri": "file:///x", "level": "debug", "taskId": "t", "notifications": {},
        "ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "x", "value": ""},
    })
}

#[test]
fn only_what_is_declared_is_answered_after_a_handshake() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    for method in UNDECLARED {
        for parameters in [parameters(), json!({}), Value::Null] {
            let answer = bridge.ask(&json!(method), method, &parameters);
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
    }
    bridge.finish_cleanly();
}

#[test]
fn only_what_is_declared_is_answered_without_a_handshake() {
    let transcript = include_str!("../data/claude-2.1.330-modern-2026-07-28.jsonl");
    let listing = client_messages(transcript)
        .into_iter()
        .find(|message| message["method"] == "tools/list")
        .unwrap();
    for is_first in [true, false] {
        for method in UNDECLARED {
            let mut bridge = Bridge::start();
            if !is_first {
                bridge.ask(&json!(0), "tools/list", &listing["params"]);
            }
            let mut parameters = parameters();
            parameters["_meta"] = listing["params"]["_meta"].clone();
            let answer = bridge.ask(&json!(method), method, &parameters);
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
            bridge.finish_cleanly();
        }
    }
}

#[test]
fn an_unknown_revision_is_answered_with_one_that_is_served() {
    let mut bridge = Bridge::start();
    let client = json!({"name": "old", "version": "1"});
    let params = json!({"protocolVersion": "2023-01-01", "capabilities": {}, "clientInfo": client});
    let answer = bridge.ask(&json!(0), "initialize", &params);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    bridge.finish_cleanly();
}
