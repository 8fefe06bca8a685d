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
        Self {
            _stray: stray,
            home,
            project,
        }
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
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 fails at link time."}),
    );
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "The release needs arm64: x86 always fails at link time."}),
    );
    say(
        "store",
        json!({"topic": "build-gotchas", "text": "Clean the cache after a toolchain change.", "terse": "true"}),
    );
    say("search", json!({"query": "arm64 link", "limit": "5"}));
    say(
        "search",
        json!({"query": "cache", "detail": "brief", "explain": "false"}),
    );
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
        (
            "store",
            json!({"topic": "a", "text": "x", "kind": "rumour"}),
        ),
        (
            "store",
            json!({"topic": "a", "text": "x", "scope": "planet"}),
        ),
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
        let (writer, reader) = if at % 2 == 0 {
            (&mut one, &mut two)
        } else {
            (&mut two, &mut one)
        };
        let text = format!("Fact number{at} about shape{at}.");
        writer
            .text(
                "store",
                &json!({"topic": "facts", "text": text, "force": true}),
            )
            .unwrap();
        let found = reader
            .text("search", &json!({"query": format!("shape{at}")}))
            .unwrap();
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
            bridge
                .text(
                    "store",
                    &json!({"topic": "facts", "text": text, "force": true}),
                )
                .unwrap();
            bridge.finish_cleanly().unwrap();
        })
    });
    calls
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(|call| call.join().unwrap());
    let counted = world.bridge().text(
        "search",
        &json!({"query": "fact", "topic": "facts", "detail": "count"}),
    );
    assert!(counted.unwrap().ends_with("8 memories match"));
}

#[test]
fn a_daemon_killed_between_calls_is_started_again() {
    let world = World::new();
    let mut bridge = world.bridge();
    let mut rpc_pids = Vec::new();
    for at in 0..3 {
        let text = format!("Fact number{at} about shape{at}.");
        let stored = bridge
            .text(
                "store",
                &json!({"topic": "facts", "text": text, "force": true}),
            )
            .unwrap();
        assert!(stored.starts_with("stored "), "{stored}");
        let pid = Rpc::connect(&world.home).unwrap().pid();
        assert!(!rpc_pids.contains(&pid));
        rpc_pids.push(pid);
        process::signal(pid, Signal::SIGKILL).unwrap();
        process::await_end(pid).unwrap();
    }
    for at in 0..3 {
        let found = bridge
            .text("search", &json!({"query": format!("shape{at}")}))
            .unwrap();
        assert!(found.contains(&format!("number{at}")), "{found}");
    }
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_daemon_that_a_bridge_started_outlives_it() {
    let world = World::new();
    let mut bridge = world.bridge();
    bridge
        .text("store", &json!({"topic": "facts", "text": "Water is wet."}))
        .unwrap();
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
        entries
            .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
            .collect()
    };
    let is_connected = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        path.starts_with("pipe:") || path.starts_with("socket:")
    };
    let world = World::new();
    let mut bridge = world.bridge();
    bridge
        .text("store", &json!({"topic": "facts", "text": "Water is wet."}))
        .unwrap();
    let pid = Rpc::connect(&world.home).unwrap().pid();
    let (bridges, daemons) = (held(bridge.pid()), held(pid));
    assert!(
        bridges.iter().filter(is_connected).count() >= 3,
        "the bridge has three pipes: {bridges:?}"
    );
    let shared: Vec<_> = bridges
        .intersection(&daemons)
        .filter(is_connected)
        .collect();
    assert!(shared.is_empty(), "{shared:?}");
    for stream in 0..3 {
        assert_eq!(
            fs::read_link(format!("/proc/{pid}/fd/{stream}"))
                .unwrap()
                .to_str(),
            Some("/dev/null")
        );
    }
    let group = |pid: u32| {
        nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(
            i32::try_from(pid).unwrap(),
        )))
        .unwrap()
    };
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

/// Sends everything before it reads anything.
#[test]
fn calls_that_nobody_waits_for_take_effect_in_their_order() {
    const ROUNDS: u64 = 60;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let first = json!({"topic": "counter", "text": "The counter stands at 0."});
    bridge.call("store", &first).unwrap();
    // Three calls a round: more than may be with the daemon at once.
    for round in 1..=ROUNDS {
        let text = format!("The counter stands at {round}.");
        bridge
            .send_call(
                3 * round,
                "edit",
                &json!({"action": "revise", "topic": "counter", "text": text}),
            )
            .unwrap();
        for at in 1..3 {
            bridge
                .send_call(3 * round + at, "read", &json!({"topic": "counter"}))
                .unwrap();
        }
    }
    let answers: Vec<Value> = (0..3 * ROUNDS).map(|_| bridge.receive().unwrap()).collect();
    for answer in answers {
        let round = answer["id"].as_u64().unwrap() / 3;
        let Answer { text, is_error } = Answer::of(&answer).unwrap();
        assert!(
            !is_error && text.contains(&format!("stands at {round}.")),
            "{round}: {text}"
        );
    }
    bridge.finish_cleanly().unwrap();
}

#[test]
fn calls_that_wait_are_answered_after_the_end_of_the_input() {
    const CALLS: u64 = 200;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for id in 0..CALLS {
        let topic = format!("topic-{id}");
        bridge
            .send_call(
                id,
                "store",
                &json!({"topic": topic, "text": format!("Fact {id} of many.")}),
            )
            .unwrap();
    }
    bridge.close_stdin();
    let mut answered: Vec<u64> = (0..CALLS)
        .map(|_| bridge.receive().unwrap()["id"].as_u64().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..CALLS).collect::<Vec<_>>());
    assert_eq!(bridge.finish().unwrap().code(), Some(0));
}

/// Returns the text behind `cursor=` in an answer.
fn cursor_of(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("cursor=")?;
    Some(
        rest.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect(),
    )
}

#[test]
fn a_long_topic_is_read_in_pages_and_exactly() {
    const MEMORIES: usize = 45;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let line = |at: usize| {
        format!(
            "Fact {at} of the long topic.\n\tindented  \n\n{}",
            "word ".repeat(200).trim_end()
        )
    };
    let entries: Vec<Value> = (0..MEMORIES)
        .map(|at| json!({"topic": "long", "text": line(at)}))
        .collect();
    bridge
        .text("batch", &json!({"entries": entries, "force": true}))
        .unwrap();
    let (mut read, mut cursor) = (String::new(), String::new());
    for page in 1.. {
        let text = bridge
            .text("read", &json!({"topic": "long", "cursor": cursor}))
            .unwrap();
        assert!(
            text.chars().count() <= 20_500,
            "page {page} has {} characters",
            text.chars().count()
        );
        assert!(page < 10, "the pages never end");
        let next = cursor_of(&text);
        read.push_str(&text);
        match next {
            Some(next) => cursor = next,
            None => break,
        }
        assert!(cursor.len() <= 12, "{cursor} is long");
    }
    for at in 0..MEMORIES {
        let stored = line(at);
        let shown = stored.lines().map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("  {line}")
            }
        });
        let shown = shown.collect::<Vec<_>>().join("\n");
        assert_eq!(read.matches(&shown).count(), 1, "memory {at}");
    }
    let few = bridge
        .text("read", &json!({"topic": "long", "limit": 2}))
        .unwrap();
    assert!(
        few.contains("Fact 1 of") && !few.contains("Fact 2 of"),
        "{few}"
    );
    let other = bridge
        .call(
            "read",
            &json!({"topic": "other", "cursor": cursor_of(&few).unwrap()}),
        )
        .unwrap();
    assert!(other.is_error, "{other:?}");
    let export = bridge
        .call("topics", &json!({"action": "export", "topic": "long"}))
        .unwrap();
    assert!(
        export.is_error && export.text.contains("does not fit into an answer"),
        "{export:?}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_query_means_what_it_says() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for (topic, text, source) in [
        (
            "net",
            "The connection was refused by the walrus proxy.",
            "src/arrow.rs:7",
        ),
        (
            "net",
            "A refused walrus connection is tried again.",
            "src/row.rs:88",
        ),
        (
            "net",
            "Connection refused: the walrus daemon is down.",
            "src/row.rs:9",
        ),
        ("plan", "Phase 2 moves the walrus tables.", "docs/row.rs.md"),
        ("plan", "Phase 3 moves the walrus files.", ""),
    ] {
        bridge
            .text(
                "store",
                &json!({"topic": topic, "text": text, "source": source, "force": true}),
            )
            .unwrap();
    }
    let mut found = |arguments: Value| {
        let text = bridge.text("search", &arguments).unwrap();
        let texts = ["refused by", "tried again", "is down", "Phase 2", "Phase 3"];
        (
            texts
                .into_iter()
                .filter(|part| text.contains(part))
                .collect::<Vec<_>>()
                .join(", "),
            text,
        )
    };
    for (query, expected) in [
        (
            json!({"query": "walrus connection", "mode": "and"}),
            "refused by, tried again, is down",
        ),
        (json!({"query": "walrus phase 3", "mode": "and"}), "Phase 3"),
        (json!({"query": "walrus zebra", "mode": "and"}), ""),
        (json!({"query": "\"connection refused\""}), "is down"),
        (json!({"query": "walrus -connection"}), "Phase 2, Phase 3"),
        (
            json!({"query": "walrus -\"connection refused\" topic:net"}),
            "refused by, tried again",
        ),
        (json!({"query": "-connection"}), "Phase 2, Phase 3"),
        (
            json!({"query": "walrus source:row.rs"}),
            "tried again, is down",
        ),
        (
            json!({"query": "walrus source:src/row.rs:88"}),
            "tried again",
        ),
        (
            json!({"query": "source:src"}),
            "refused by, tried again, is down",
        ),
        (json!({"query": "walrus source:ow.rs"}), ""),
    ] {
        let (texts, text) = found(query.clone());
        assert_eq!(texts, expected, "{query}: {text}");
    }
    let (texts, text) = found(json!({"query": "\"walrus connection proxy\""}));
    assert!(
        texts.contains("refused by") && text.contains("no memory has the phrase"),
        "{text}"
    );
    let (_, text) = found(json!({"query": "walrus topic:nett"}));
    assert!(
        text.contains("no topic here is called nett; near: net"),
        "{text}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_match_is_shown_and_its_score_explained() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let text = format!(
        "A long story.\n{}\nIt ends with the zebras of Aachen.",
        "nothing to see here\n".repeat(400)
    );
    bridge
        .text("store", &json!({"topic": "story", "text": text}))
        .unwrap();
    let found = bridge
        .text(
            "search",
            &json!({"query": "zebra", "detail": "full", "explain": true}),
        )
        .unwrap();
    assert!(
        found.contains("> It ends with the zebras of Aachen."),
        "{found}"
    );
    let (score, parts) = found.split_once(" = relevance ").unwrap();
    let number = |text: &str| -> f64 {
        text.chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect::<String>()
            .parse()
            .unwrap()
    };
    let (_, score) = score.rsplit_once("score ").unwrap();
    let (relevance, factors) = parts.split_once(" × ").unwrap_or((parts, ""));
    let (factors, _) = factors.split_once(';').unwrap_or((factors, ""));
    let named = factors
        .split(" × ")
        .filter_map(|factor| factor.rsplit_once(' '));
    let product = number(relevance) * named.map(|(_, factor)| number(factor)).product::<f64>();
    assert!(
        (product - number(score)).abs() < 0.003,
        "{product} in {found}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_wrong_entry_of_a_batch_costs_only_itself() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let entries = json!([
        {"topic": "a", "text": "The first fact."},
        {"topic": "a"},
        {"topic": "a", "text": "The third fact.", "colour": "red"},
        {"topic": "a", "text": "x".repeat(70_000)},
        {"topic": "a", "text": "The last fact.", "links": [0]},
    ]);
    let told = bridge.text("batch", &json!({"entries": entries})).unwrap();
    assert!(
        told.starts_with("2 stored, 3 refused\n[1] refused: text: required"),
        "{told}"
    );
    let read = bridge.text("read", &json!({"topic": "a"})).unwrap();
    assert!(
        read.contains("The first fact.") && read.contains("[links: a/first-fact]"),
        "{read}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_replaced_checkpoint_is_told_of_and_kept() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for at in 0..13 {
        let saved = bridge
            .text(
                "topics",
                &json!({"action": "checkpoint", "task": format!("Task {at}")}),
            )
            .unwrap();
        assert_eq!(saved.contains("it replaced Task"), at > 0, "{saved}");
    }
    let loaded = bridge.text("topics", &json!({"action": "resume"})).unwrap();
    let listed: Vec<&str> = loaded
        .lines()
        .filter_map(|line| line.rsplit_once("  Task "))
        .map(|(_, at)| at)
        .collect();
    assert_eq!(
        listed,
        ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2"],
        "{loaded}"
    );
    let earlier = bridge
        .text("topics", &json!({"action": "resume", "index": 3}))
        .unwrap();
    assert!(earlier.contains("## Checkpoint: Task 9"), "{earlier}");
    bridge.finish_cleanly().unwrap();
}

#[test]
fn what_moved_or_was_revised_is_found_by_its_old_name() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    bridge
        .text(
            "store",
            &json!({"topic": "ports", "text": "Billing listens on 8081."}),
        )
        .unwrap();
    let revise = json!({"action": "revise", "topic": "ports/billing-listens-8081", "text": "Billing listens on 9000 since May."});
    let revised = bridge.text("edit", &revise).unwrap();
    assert!(
        revised.starts_with(
            "revised ports/billing-listens-9000-since-may, which ports/billing-listens-8081"
        ),
        "{revised}"
    );
    let read = bridge
        .text("read", &json!({"topic": "ports/billing-listens-8081"}))
        .unwrap();
    assert!(
        read.starts_with("ports/billing-listens-9000-since-may"),
        "{read}"
    );
    for topic in ["older", "newer"] {
        let text = "The walrus proxy listens on port 8083 and needs a restart after each change of its table.";
        bridge
            .text(
                "store",
                &json!({"topic": topic, "text": text, "force": true}),
            )
            .unwrap();
    }
    bridge
        .text("topics", &json!({"action": "compact", "apply": true}))
        .unwrap();
    for topic in ["older", "newer"] {
        let read = bridge.text("read", &json!({"topic": topic})).unwrap();
        assert!(
            read.contains("The walrus proxy listens on port 8083"),
            "{topic}: {read}"
        );
    }
    bridge
        .text("edit", &json!({"action": "restore", "topic": "older"}))
        .unwrap();
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_client_without_a_session_sees_its_own_changes() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let (mut one, mut other) = (world.bridge(), world.bridge());
    one.text(
        "store",
        &json!({"topic": "a", "text": "Stored by the first client."}),
    )
    .unwrap();
    other
        .text(
            "store",
            &json!({"topic": "a", "text": "The second one says something else."}),
        )
        .unwrap();
    let changes = one.text("topics", &json!({"action": "session"})).unwrap();
    assert!(
        changes.contains("first client") && !changes.contains("second one"),
        "{changes}"
    );
    one.finish_cleanly().unwrap();
    other.finish_cleanly().unwrap();
}
