//! MCP sessions of both eras, through the real bridge and the real daemon.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fmt::Write as _;
use std::thread;

use helix_proto::v1::Program;
use helix_tests::bridge::Answer;
use helix_tests::fixtures::client_messages;
use helix_tests::rpc::draft;
use helix_tests::text::without_days;
use helix_tests::{Bridge, Daemon, Home, Project, Rpc, Stray, process};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// A home, its daemon should one start, and a project.
struct World {
    _stray: Stray,
    home: Home,
    project: Project,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let stray = Stray::on(&home);
        let project = Project::new(&home, "billing").unwrap();
        Self { _stray: stray, home, project }
    }

    fn bridge(&self) -> Bridge {
        Bridge::greeted(&self.home, &self.project.root).unwrap()
    }
}

/// The recorded clients called the tools of another server; the same calls, of ours.
fn adapted(mut message: Value) -> Value {
    if message["method"] == "tools/call" {
        let (name, arguments) = match message["params"]["name"].as_str().unwrap() {
            "recall" => ("search", json!({"query": "alignment"})),
            "fail" => ("read", json!({"topic": "no-such-topic"})),
            _ => ("search", json!({"query": "alignment", "limit": "1", "detail": "brief"})),
        };
        message["params"]["name"] = name.into();
        message["params"]["arguments"] = arguments;
    }
    message
}

/// One line for an answer, or the text of a tool.
fn shown(request: &Value, answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return format!("error {} {}", error["code"], error["message"].as_str().unwrap());
    }
    let result = &answer["result"];
    match request["method"].as_str().unwrap() {
        "tools/call" => {
            let Answer { text, is_error } = Answer::of(answer).unwrap();
            format!("{}\n{}", if is_error { "error" } else { "ok" }, without_days(&text))
        }
        "tools/list" => {
            let names = result["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        }
        "initialize" => format!("{} {}", result["protocolVersion"], result["serverInfo"]["name"]),
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
    rpc.store(Program::Mcp, &world.project.root, draft("kernels", text, "src/kernels.rs:42")).unwrap();
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
            writeln!(said, "> {}\n{}", message["method"].as_str().unwrap(), shown(&message, &answer)).unwrap();
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

#[test]
fn what_is_stored_is_found_and_read() {
    let world = World::new();
    let mut bridge = world.bridge();
    let mut said = String::new();
    let mut say = |tool: &str, arguments: Value| {
        let answer = bridge.call(tool, &arguments).unwrap();
        writeln!(said, "> {tool} {arguments}\n{}\n", answer.text).unwrap();
    };
    say(
        "store",
        json!({
            "topic": "Build Gotchas", "text": "The release needs arm64: x86 fails at link time.", "tags": "gotcha,build",
            "source": "build.rs:12", "confidence": "0.85", "importance": "0.9", "pinned": "true",
        }),
    );
    say("store", json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 fails at link time."}));
    say("store", json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 always fails at link time."}));
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "Clean the cache after a toolchain change.", "terse": "true"}),
    );
    say("search", json!({"query": "arm64 link", "limit": "5"}));
    say("search", json!({"query": "cache", "detail": "brief", "explain": "false"}));
    say("search", json!({"query": "toolchain zebra"}));
    say("search", json!({"query": "zebra"}));
    say("read", json!({"topic": "build-gotchas"}));
    say("read", json!({"topic": "build-gotchas", "index": "1"}));
    bridge.finish_cleanly().unwrap();
    insta::assert_snapshot!(without_days(&said));
}

#[test]
fn an_error_says_what_to_do() {
    let world = World::new();
    let mut bridge = world.bridge();
    let calls = [
        ("store", json!({"topic": "a"})),
        ("store", json!({"topic": "!!!", "text": "x"})),
        ("store", json!({"topic": "a", "text": "x", "kind": "rumour"})),
        ("store", json!({"topic": "a", "text": "x", "scope": "planet"})),
        ("store", json!({"topic": "a", "text": "x".repeat(70_000)})),
        ("search", json!({"query": "x", "limit": "five"})),
        ("search", json!({"query": "after:someday x"})),
        ("read", json!({"topic": "no-such-topic"})),
        ("read", json!({"topic": "no-such-topic", "index": 7})),
    ];
    let mut said = String::new();
    for (tool, arguments) in calls {
        let answer = bridge.call(tool, &arguments).unwrap();
        assert!(answer.is_error, "{tool}: {}", answer.text);
        writeln!(said, "{}", answer.text).unwrap();
    }
    bridge.finish_cleanly().unwrap();
    insta::assert_snapshot!(said);
}

#[test]
fn two_bridges_share_what_they_know() {
    let world = World::new();
    let (mut one, mut two) = (world.bridge(), world.bridge());
    for at in 0..20 {
        let (writer, reader) = if at % 2 == 0 { (&mut one, &mut two) } else { (&mut two, &mut one) };
        let text = format!("Fact number{at} about shape{at}.");
        writer.text("store", &json!({"topic": "facts", "text": text, "force": true})).unwrap();
        let found = reader.text("search", &json!({"query": format!("shape{at}")})).unwrap();
        assert!(found.contains(&text), "{found}");
    }
    one.finish_cleanly().unwrap();
    two.finish_cleanly().unwrap();
}

#[test]
fn bridges_that_start_together_share_one_daemon() {
    let world = World::new();
    let bridges: Vec<_> = (0..8).map(|_| world.bridge()).collect();
    let calls = bridges.into_iter().enumerate().map(|(at, mut bridge)| {
        thread::spawn(move || {
            let text = format!("Fact number{at} about shape{at}.");
            bridge.text("store", &json!({"topic": "facts", "text": text, "force": true})).unwrap();
            bridge.finish_cleanly().unwrap();
        })
    });
    calls.collect::<Vec<_>>().into_iter().for_each(|call| call.join().unwrap());
    let counted = world.bridge().text("search", &json!({"query": "fact", "topic": "facts", "detail": "count"}));
    assert!(counted.unwrap().ends_with("8 memories match"));
}

#[test]
fn a_daemon_killed_between_calls_is_started_again() {
    let world = World::new();
    let mut bridge = world.bridge();
    let mut rpc_pids = Vec::new();
    for at in 0..3 {
        let text = format!("Fact number{at} about shape{at}.");
        let stored = bridge.text("store", &json!({"topic": "facts", "text": text, "force": true})).unwrap();
        assert!(stored.starts_with("stored "), "{stored}");
        let pid = Rpc::connect(&world.home).unwrap().pid();
        assert!(!rpc_pids.contains(&pid));
        rpc_pids.push(pid);
        process::signal(pid, Signal::SIGKILL).unwrap();
        process::await_end(pid).unwrap();
    }
    for at in 0..3 {
        let found = bridge.text("search", &json!({"query": format!("shape{at}")})).unwrap();
        assert!(found.contains(&format!("number{at}")), "{found}");
    }
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_daemon_that_a_bridge_started_outlives_it() {
    let world = World::new();
    let mut bridge = world.bridge();
    bridge.text("store", &json!({"topic": "facts", "text": "Water is wet."})).unwrap();
    let pid = Rpc::connect(&world.home).unwrap().pid();
    // Also waits for the end of the bridge's stdout, which a daemon that held it would keep open.
    bridge.finish_cleanly().unwrap();
    let mut rpc = Rpc::connect(&world.home).unwrap();
    assert_eq!(rpc.status().unwrap().pid, pid);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_a_bridge_started_holds_nothing_of_it() {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    let held = |pid: u32| -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok()).collect()
    };
    let is_connected = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        path.starts_with("pipe:") || path.starts_with("socket:")
    };
    let world = World::new();
    let mut bridge = world.bridge();
    bridge.text("store", &json!({"topic": "facts", "text": "Water is wet."})).unwrap();
    let pid = Rpc::connect(&world.home).unwrap().pid();
    let (bridges, daemons) = (held(bridge.pid()), held(pid));
    assert!(bridges.iter().filter(is_connected).count() >= 3, "the bridge has three pipes: {bridges:?}");
    let shared: Vec<_> = bridges.intersection(&daemons).filter(is_connected).collect();
    assert!(shared.is_empty(), "{shared:?}");
    for stream in 0..3 {
        assert_eq!(fs::read_link(format!("/proc/{pid}/fd/{stream}")).unwrap().to_str(), Some("/dev/null"));
    }
    let group = |pid: u32| nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap()))).unwrap();
    assert_ne!(group(pid), group(bridge.pid()), "a session of its own");
    bridge.finish_cleanly().unwrap();
}

#[test]
fn every_ending_is_clean() {
    let world = World::new();
    for signal in [None, Some(Signal::SIGINT), Some(Signal::SIGTERM)] {
        for has_called in [false, true] {
            let mut bridge = world.bridge();
            if has_called {
                bridge.text("search", &json!({"query": "x"})).unwrap();
            }
            match signal {
                None => bridge.close_stdin(),
                Some(signal) => bridge.signal(signal).unwrap(),
            }
            assert_eq!(bridge.finish().unwrap().code(), Some(0), "{signal:?}");
        }
    }
}
