//! Files that hold entries of Helix already, which somebody wrote by hand, and entries that only
//! have its name.

use helix_proto::exit;
use serde_json::{Value, json};

use crate::world::{World, clients, files_of};

/// A client's file, an entry of Helix in it that was written by hand, beside one of somebody else,
/// and the path to both.
const SERVERS: &[(&str, &str, &str, &str)] = &[
    (
        "claude",
        "project:.mcp.json",
        r#"{"mcpServers": {"helix": ENTRY, "other": {"command": "x"}}}"#,
        "/mcpServers",
    ),
    (
        "cursor",
        "project:.cursor/mcp.json",
        r#"{"mcpServers": {"other": {"command": "x"}, "helix": ENTRY}}"#,
        "/mcpServers",
    ),
    (
        "gemini",
        "project:.gemini/settings.json",
        r#"{"mcpServers": {"helix": ENTRY, "other": {"command": "x"}}}"#,
        "/mcpServers",
    ),
    (
        "opencode",
        "project:opencode.json",
        r#"{"mcp": {"helix": {"type": "local", "command": ["PROGRAM"], "enabled": true}, "other": {"command": ["x"]}}}"#,
        "/mcp",
    ),
    (
        "vscode",
        "project:.vscode/mcp.json",
        r#"{"servers": {"helix": ENTRY, "other": {"command": "x"}}}"#,
        "/servers",
    ),
    (
        "windsurf",
        "home:.codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"other": {"command": "x"}, "helix": ENTRY}}"#,
        "/mcpServers",
    ),
];

const CODEX: &str =
    "[mcp_servers.helix]\ncommand = \"PROGRAM\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
const CODEX_FILE: &str = "project:.codex/config.toml";

fn entry(template: &str, program: &str) -> String {
    template
        .replace("ENTRY", r#"{"command": "PROGRAM", "args": []}"#)
        .replace("PROGRAM", program)
}

impl World {
    /// Disconnects: what was there by hand is there again, and asked once more it goes as well.
    fn back_and_gone(&self, client: &str, file: &str, by_hand: &str) {
        let (_, said) = self.done(&["disconnect", client]);
        assert_eq!(self.text(file), by_hand, "{client}");
        assert!(said.contains("repeat this"), "{client}: {said}");
        let (_, said) = self.done(&["disconnect", client]);
        assert!(!said.contains("repeat this"), "{client}: {said}");
    }
}

#[test]
fn an_entry_by_hand_becomes_ours_and_comes_back() {
    for (client, file, template, servers) in SERVERS {
        let world = World::new();
        let by_hand = entry(template, "/opt/old/helix-mcp");
        world.put(file, by_hand.clone());
        world.done(&["connect", client]);
        let connected = world.json(file);
        let list = connected.pointer(servers).unwrap().as_object().unwrap();
        assert_eq!(list.len(), 2, "{client}: {connected}");
        let command = list["helix"]["command"].to_string();
        assert!(
            command.contains("/helix-mcp") && !command.contains("/opt/old"),
            "{client}: {command}"
        );
        let before = world.files();
        world.done(&["connect", client]);
        assert_eq!(world.files(), before, "{client}: connected twice");
        world.back_and_gone(client, file, &by_hand);
        let left = world.json(file);
        let left = left.pointer(servers).unwrap().as_object().unwrap();
        assert_eq!(left.keys().collect::<Vec<_>>(), ["other"], "{client}");
    }
}

#[test]
fn an_entry_by_hand_in_toml_becomes_ours_and_comes_back() {
    let world = World::new();
    let by_hand = entry(CODEX, "/opt/old/helix-mcp");
    world.put(CODEX_FILE, by_hand.clone());
    world.done(&["connect", "codex"]);
    let text = world.text(CODEX_FILE);
    assert_eq!(text.matches("helix-mcp").count(), 1, "{text}");
    assert!(!text.contains("/opt/old"), "{text}");
    world.back_and_gone("codex", CODEX_FILE, &by_hand);
    let left = world.text(CODEX_FILE);
    assert!(
        !left.contains("helix") && left.contains("[mcp_servers.other]\ncommand = \"x\"\n"),
        "{left}"
    );
}

#[test]
fn hooks_by_hand_become_ours_and_come_back() {
    let world = World::new();
    let file = "project:.claude/settings.json";
    let handler = |command: Value| json!({"hooks": [command]});
    let by_hand = json!({"hooks": {
        "SessionStart": [
            handler(json!({"type": "command", "command": "/opt/old/helix-hook session", "timeout": 60})),
            handler(json!({"type": "command", "command": "./greet.sh"})),
        ],
        "Notification": [handler(json!({"type": "command", "command": "./bell.sh"}))],
    }});
    world.put(file, by_hand.to_string());
    world.done(&["connect", "claude"]);
    let text = world.text(file);
    assert!(!text.contains("/opt/old"), "{text}");
    let starts = world.json(file)["hooks"]["SessionStart"].to_string();
    assert_eq!(starts.matches("helix-hook").count(), 1, "{starts}");
    world.back_and_gone("claude", file, &by_hand.to_string());
    let left = world.json(file);
    assert!(!left.to_string().contains("helix-hook"), "{left}");
    let others = [
        &left["hooks"]["SessionStart"],
        &left["hooks"]["Notification"],
    ]
    .map(Value::to_string);
    assert!(
        others[0].contains("./greet.sh") && others[1].contains("./bell.sh"),
        "{left}"
    );
}

#[test]
fn a_server_that_only_has_the_name_is_left_alone() {
    for (client, file, template, _) in SERVERS {
        let world = World::new();
        world.put(file, entry(template, "/opt/biology/helix"));
        let said = world.refused(&["connect", client], exit::USAGE);
        assert!(said.contains("rename or remove"), "{client}: {said}");
        let before = world.files();
        world.done(&["disconnect", client]);
        assert_eq!(world.files(), before, "{client}");
    }
    let world = World::new();
    world.put(CODEX_FILE, entry(CODEX, "/opt/biology/helix"));
    let said = world.refused(&["connect", "codex"], exit::USAGE);
    assert!(said.contains("rename or remove"), "{said}");
}

#[test]
fn every_client_has_a_file_here() {
    let named = SERVERS
        .iter()
        .map(|(client, file, ..)| (*client, *file))
        .chain([("codex", CODEX_FILE)]);
    let named: Vec<(&str, &str)> = named.collect();
    for client in clients() {
        let is_its = |file: &str| named.contains(&(client, file));
        assert!(files_of(client).any(is_its), "{client}");
    }
}
