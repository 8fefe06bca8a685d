//! Sessions of recorded clients, with the calls that our tools take.

use std::fmt::Write as _;

use helix_proto::v1::Program;
use helix_tests::bridge::Answer;
use helix_tests::fixtures::client_messages;
use helix_tests::rpc::draft;
use helix_tests::text::without_days;
use helix_tests::{Bridge, Daemon, Rpc};
use serde_json::{Value, json};

use super::World;

/// The recorded clients called the tools of another server; the same calls, of ours.
fn adapted(mut message: Value) -> Value {
    if message["method"] == "tools/call" {
        let (name, arguments) = match message["params"]["name"].as_str().unwrap() {
            "recall" => ("search", json!({"query": "alignment"})),
            "fail" => ("read", json!({"topic": "no-such-topic"})),
            _ => (
                "search",
                json!({"query": "alignment", "limit": "1", "detail": "brief"}),
            ),
        };
        message["params"]["name"] = name.into();
        message["params"]["arguments"] = arguments;
    }
    message
}

/// One line for an answer, or the text of a tool.
fn shown(request: &Value, answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return format!(
            "error {} {}",
            error["code"],
            error["message"].as_str().unwrap()
        );
    }
    let result = &answer["result"];
    match request["method"].as_str().unwrap() {
        "tools/call" => {
            let Answer { text, is_error } = Answer::of(answer).unwrap();
            format!(
                "{}\n{}",
                if is_error { "error" } else { "ok" },
                without_days(&text)
            )
        }
        "tools/list" => {
            let names = result["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        }
        "initialize" => format!(
            "{} {}",
            result["protocolVersion"], result["serverInfo"]["name"]
        ),
        "server/discover" => format!("{}", result["supportedVersions"]),
        _ => result.to_string(),
    }
}

/// Says what the client said; returns what was answered.
fn replayed(transcript: &str) -> String {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let text = "Kernels need 64-byte alignment.\nThe loader does not check.";
    let mut rpc = Rpc::connect(&world.home).unwrap();
    rpc.store(
        Program::Mcp,
        &world.project.root,
        draft("kernels", text, "src/kernels.rs:42"),
    )
    .unwrap();
    let mut bridge = Bridge::start(&world.home, &world.project.root).unwrap();
    let mut said = String::new();
    let mut calls = 0;
    for message in client_messages(transcript).unwrap() {
        let message = adapted(message);
        if message.get("method").is_none() {
            continue;
        }
        if message.get("id").is_none() {
            bridge.send(&message).unwrap();
            continue;
        }
        let answer = bridge.ask(&message).unwrap();
        calls += usize::from(message["method"] == "tools/call");
        // A client that calls two hundred times is told the same every time.
        if calls <= 3 || message["method"] != "tools/call" {
            writeln!(
                said,
                "> {}\n{}",
                message["method"].as_str().unwrap(),
                shown(&message, &answer)
            )
            .unwrap();
        }
    }
    bridge.finish_cleanly().unwrap();
    assert!(calls > 0, "the transcript calls no tool");
    said
}

#[test]
fn claude_with_discovery() {
    insta::assert_snapshot!(replayed("claude-2.1.330-modern-2026-07-28"));
}

#[test]
fn claude_with_initialize() {
    insta::assert_snapshot!(replayed("claude-2.1.330-legacy-2025-11-25"));
}

#[test]
fn codex() {
    insta::assert_snapshot!(replayed("codex-0.169.0-legacy-2025-06-18"));
}

#[test]
fn inspector() {
    insta::assert_snapshot!(replayed("inspector-cli-2.12.0"));
}
