//! Which calls of Helix's tools the user need not be asked about: every tool and every action that
//! the bridge has, decided.

use std::collections::BTreeSet;
use std::time::Duration;

use helix_tests::accepts::ALLOWED;
use helix_tests::{Bridge, HookRun};
use serde_json::{Value, json};

use crate::world::World;

/// Tools, their actions (empty for a tool without any), and whether a call is approved.
const DECIDED: &[(&str, &str, bool)] = &[
    ("store", "", true),
    ("batch", "", true),
    ("search", "", true),
    ("brief", "", true),
    ("read", "", true),
    ("context", "", true),
    ("memory.search", "", true),
    ("memory.write", "", true),
    ("memory.note", "", true),
    ("memory.list", "", true),
    ("memory.context", "", true),
    ("memory.forget", "", false),
    ("context.recall", "", true),
    ("context.getCurrent", "", true),
    ("context.store", "", true),
    ("event", "", true),
    ("edit", "append", true),
    ("edit", "revise", true),
    ("edit", "tag", true),
    ("edit", "set", true),
    ("edit", "restore", true),
    ("edit", "relate", true),
    ("edit", "delete", false),
    ("edit", "unrelate", false),
    ("edit", "settle", false),
    ("edit", "supersede", false),
    ("edit", "undo", false),
    ("edit", "split", false),
    ("edit", "rollback", false),
    ("edit", "rename", false),
    ("edit", "merge", false),
    ("topics", "list", true),
    ("topics", "recent", true),
    ("topics", "entries", true),
    ("topics", "stats", true),
    ("topics", "xref", true),
    ("topics", "graph", true),
    ("topics", "stale", true),
    ("topics", "prune", true),
    ("topics", "compact", true),
    ("topics", "session", true),
    ("topics", "checkpoint", true),
    ("topics", "resume", true),
    ("topics", "clear_checkpoint", true),
    ("topics", "log", true),
    ("topics", "diff", true),
    ("topics", "why", true),
    ("topics", "neighbours", true),
    ("topics", "traverse", true),
    ("topics", "path", true),
    ("topics", "conflicts", true),
    ("topics", "reindex", false),
    ("topics", "export", false),
    ("topics", "import", false),
];

/// A silent run that took this long may have come too late for its answer, and is asked again so
/// often.
const LATE: Duration = Duration::from_millis(100);
const PLAYS_MAX: usize = 50;

/// Names that the client may have for the server.
const SERVERS: &[&str] = &["mcp__helix__", "mcp__plugin_helix_helix__"];

/// Returns whether a call is approved; else the user is asked.
fn is_approved(world: &World, tool: &str, tool_input: &Value) -> bool {
    let change = |input: &mut Value| {
        input["tool_name"] = tool.into();
        input["tool_input"] = tool_input.clone();
    };
    let input = world
        .session("one")
        .input("PermissionRequest-mcp__toy__recall", change)
        .unwrap()
        .to_string();
    for _ in 0..PLAYS_MAX {
        let run = HookRun::of(&world.home, "approve-mcp", input.as_bytes()).unwrap();
        let said = run.check_accepted("PermissionRequest").unwrap();
        if said.is_some() || run.elapsed < LATE {
            assert!(
                said.as_deref().is_none_or(|said| said == ALLOWED),
                "{tool}: {said:?}"
            );
            return said.is_some();
        }
    }
    unreachable!("{tool} came late {PLAYS_MAX} times")
}

/// The sets of tools that the bridge can offer.
const SETS: [&str; 3] = ["helix", "memory", "context"];

/// The tools and the actions that the bridge lists, of every set.
fn listed(world: &World) -> BTreeSet<(String, String)> {
    let sets = SETS.into_iter();
    sets.flat_map(|set| listed_of(world, set)).collect()
}

fn listed_of(world: &World, set: &str) -> Vec<(String, String)> {
    let mut bridge = Bridge::offering(&world.home, &world.project.root, set).unwrap();
    let answer = bridge
        .ask(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}))
        .unwrap();
    bridge.finish_cleanly().unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let listed = tools.iter().flat_map(|tool| {
        let actions = tool["inputSchema"]["properties"]["action"]["enum"]
            .as_array()
            .cloned();
        let actions = actions.unwrap_or_else(|| vec!["".into()]);
        let name = tool["name"].as_str().unwrap().to_owned();
        actions
            .into_iter()
            .map(move |action| (name.clone(), action.as_str().unwrap().to_owned()))
    });
    listed.collect()
}

#[test]
fn every_action_of_every_tool_is_decided() {
    let world = World::new();
    let decided: BTreeSet<(String, String)> = DECIDED
        .iter()
        .map(|(tool, action, _)| ((*tool).to_owned(), (*action).to_owned()))
        .collect();
    assert_eq!(
        decided,
        listed(&world),
        "a tool or an action came or went: decide whether it takes something away"
    );
    for server in SERVERS {
        for (tool, action, approved) in DECIDED {
            // As clients write a name that has a dot.
            let named = format!("{server}{}", tool.replace('.', "_"));
            let input = if action.is_empty() {
                json!({"topic": "a", "text": "b"})
            } else {
                json!({"action": action})
            };
            assert_eq!(
                is_approved(&world, &named, &input),
                *approved,
                "{named} {action}"
            );
        }
    }
}

#[test]
fn what_only_shows_is_asked_about_when_it_is_to_be_done() {
    let world = World::new();
    for action in ["prune", "compact"] {
        for (apply, approved) in [
            (json!(false), true),
            (json!("false"), true),
            (json!(true), false),
            (json!("yes"), false),
        ] {
            let input = json!({"action": action, "apply": apply, "days": 30});
            assert_eq!(
                is_approved(&world, "mcp__helix__topics", &input),
                approved,
                "{input}"
            );
        }
    }
}

#[test]
fn what_is_not_ours_is_never_approved() {
    let world = World::new();
    for (tool, input) in [
        ("mcp__toy__store", json!({})),
        ("mcp__helix__purge", json!({"topic": "a"})),
        ("mcp__helix__topics", json!({"action": "vanish"})),
        ("mcp__helix__edit", json!({"topic": "a", "all": true})),
        ("Bash", json!({"command": "rm -r x"})),
    ] {
        assert!(!is_approved(&world, tool, &input), "{tool} {input}");
    }
}
