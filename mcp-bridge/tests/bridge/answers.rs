//! Calls that reach a daemon: who is said to call, how answers read, and that a restart goes
//! unnoticed.

use helix_client::v1;
use serde_json::json;
use tempfile::tempdir;

use crate::fake::Fake;
use crate::harness::Bridge;

#[test]
fn the_daemon_learns_who_calls_and_from_where() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::start_with(home, &[]);
    bridge.initialize();
    let arguments = json!({"topic": "a", "text": "b", "confidence": "0.5"});
    let params = json!({"name": "store", "arguments": arguments, "_meta": {"sessionId": "s-1"}});
    let answer = bridge.ask(&json!(1), "tools/call", &params);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "stored a/b (fact, global)"
    );
    assert_eq!(answer["result"]["isError"], false);
    let request = fake.stored.recv().unwrap();
    let caller = request.caller.unwrap();
    assert_eq!(caller.program(), v1::Program::Mcp);
    assert_eq!(
        caller.cwd,
        std::env::current_dir().unwrap().to_str().unwrap()
    );
    assert_eq!(
        (caller.agent.as_str(), caller.session.as_str()),
        ("test-agent", "s-1")
    );
    assert_eq!(request.draft.unwrap().confidence, Some(0.5));
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn a_stateless_client_is_known_by_each_request() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::start_with(home, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "store", "arguments": {"topic": "a", "text": "b"}, "_meta": meta});
    let answer = bridge.ask(&json!(1), "tools/call", &params);
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(
        fake.stored.recv().unwrap().caller.unwrap().agent,
        "claude-code"
    );
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn stored_text_is_neutralised_and_more_hits_are_announced() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::start_with(home, &[]);
    bridge.initialize();
    let (text, is_error) = bridge.call("search", &json!({"query": "red", "limit": 2}));
    assert!(!is_error);
    insta::assert_snapshot!(text, @r"
    note: searched by words only
    a/0  1970-01-01  fact, global
      red �[31malert
    a/1  1970-01-01  fact, global
      red �[31malert
    more match; cursor=c1 with the same arguments shows the next, topic, tag or kind narrow them
    ");
    let (again, _) = bridge.call("search", &json!({"query": "red", "limit": 2}));
    assert_eq!(
        format!("note: searched by words only\n{again}"),
        text,
        "a note is told once"
    );
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn a_refusal_is_a_tool_error_with_the_daemons_words() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::start_with(home, &[]);
    bridge.initialize();
    let (text, is_error) = bridge.call("read", &json!({"topic": "nope"}));
    assert!(is_error);
    assert_eq!(text, "read: nothing is called \"nope\" here; search for it");
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn a_restarted_daemon_is_found_again() {
    let home = tempdir().unwrap();
    let path = home.path().to_owned();
    let first = Fake::serve(&path);
    let mut bridge = Bridge::start_with(home, &[]);
    bridge.initialize();
    let arguments = json!({"topic": "a", "text": "b"});
    assert_eq!(
        bridge.call("store", &arguments).0,
        "stored a/b (fact, global)"
    );
    first.stop();
    std::fs::remove_file(path.join("run").join("helixd.sock")).unwrap();
    assert!(
        bridge.call("store", &arguments).1,
        "no daemon can be started"
    );
    let second = Fake::serve(&path);
    for _ in 0..3 {
        assert_eq!(
            bridge.call("store", &arguments).0,
            "stored a/b (fact, global)"
        );
    }
    second.stop();
    let third = Fake::serve(&path);
    assert_eq!(
        bridge.call("store", &arguments).0,
        "stored a/b (fact, global)"
    );
    bridge.finish_cleanly();
    third.stop();
}
