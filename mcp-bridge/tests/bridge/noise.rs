//! What is not a proper message neither stops the server nor makes it wait.

use serde_json::{Value, json};

use crate::harness::Bridge;

/// More than the longest line that is read.
const OVERSIZED_BYTES: usize = 5 * 1024 * 1024;

fn ping(bridge: &mut Bridge) {
    assert_eq!(
        bridge.ask(&json!("ping"), "ping", &json!({}))["result"],
        json!({})
    );
}

#[test]
fn unknown_methods_are_refused_at_once() {
    let mut bridge = Bridge::start();
    let before = bridge.ask(&json!(1), "server/frobnicate", &json!({}));
    assert_eq!(before["error"]["code"], -32601);
    bridge.initialize();
    let after = bridge.ask(&json!(2), "server/frobnicate", &json!({}));
    assert_eq!(after["error"]["code"], -32601);
    bridge.finish_cleanly();
}

#[test]
fn a_malformed_handshake_can_be_repeated() {
    let mut bridge = Bridge::start();
    assert_eq!(
        bridge.ask(&json!(0), "initialize", &json!({"capabilities": {}}))["error"]["code"],
        -32602
    );
    assert_eq!(bridge.initialize()["result"]["serverInfo"]["name"], "helix");
    bridge.finish_cleanly();
}

#[test]
fn strays_before_the_handshake_are_ignored() {
    let mut bridge = Bridge::start();
    bridge.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    bridge.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    bridge.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    bridge.send(&json!({"jsonrpc": "2.0", "id": 6, "error": {"code": -32601, "message": "no"}}));
    bridge.initialize();
    bridge.finish_cleanly();
}

#[test]
fn garbage_is_refused_and_survived() {
    let mut bridge = Bridge::start();
    // Before the handshake and after it.
    for is_greeted in [false, true] {
        if is_greeted {
            bridge.initialize();
        }
        for garbage in [
            &b"not json\n"[..],
            b"{\"jsonrpc\":\"2.0\",\n",
            b"\0\x01\n",
            b"\xFF\xFE\n",
        ] {
            bridge.send_bytes(garbage);
            let refusal = bridge.receive();
            assert_eq!(
                (refusal.get("id"), &refusal["error"]["code"]),
                (Some(&Value::Null), &json!(-32_700))
            );
        }
        bridge.send_bytes(b"\n\r\n");
    }
    ping(&mut bridge);
    bridge.finish_cleanly();
}

#[test]
fn a_refusal_is_not_refused() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    bridge.send_bytes(b"not json\n");
    let refusal = bridge.receive();
    bridge.send(&refusal);
    ping(&mut bridge);
    bridge.finish_cleanly();
}

#[test]
fn json_that_is_no_message_is_refused() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    bridge.send_bytes(b"[1,2,3]\n");
    let refusal = bridge.receive();
    assert_eq!(
        (refusal.get("id"), &refusal["error"]["code"]),
        (Some(&Value::Null), &json!(-32_600))
    );
    ping(&mut bridge);
    bridge.finish_cleanly();
}

#[test]
fn an_oversized_line_is_refused() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    let text = "x".repeat(OVERSIZED_BYTES);
    let call = json!({"name": "store", "arguments": {"topic": "a", "text": text}});
    bridge.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}));
    let refusal = bridge.receive();
    assert_eq!(
        (refusal.get("id"), &refusal["error"]["code"]),
        (Some(&json!(9)), &json!(-32_600))
    );
    ping(&mut bridge);
    bridge.finish_cleanly();
}
