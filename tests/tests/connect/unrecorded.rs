//! Files that were wired with another Helix home: on another machine, by a colleague, or with a
//! home that is gone.

use std::fs;

use crate::world::{World, clients, files_of};

#[test]
fn an_empty_list_of_servers_that_was_there_stays_to_the_byte() {
    let world = World::new();
    for (client, file, text) in [
        ("claude", "project:.mcp.json", "{\"mcpServers\":{}}"),
        (
            "claude",
            "project:.claude/settings.json",
            "{\n\t\"hooks\": {}\n}\n",
        ),
        ("codex", "project:.codex/hooks.json", "{\"hooks\": {}}"),
        ("codex", "project:.codex/config.toml", "# mine\n"),
        (
            "cursor",
            "project:.cursor/mcp.json",
            "{\n  \"mcpServers\": {}\n}\n",
        ),
        (
            "cursor",
            "project:.cursor/hooks.json",
            "{\"version\":1,\"hooks\":{}}",
        ),
        (
            "gemini",
            "project:.gemini/settings.json",
            "{\"mcpServers\":{},\"hooks\":{}}",
        ),
        ("opencode", "project:opencode.json", "{\"mcp\":{}}"),
        (
            "vscode",
            "project:.vscode/mcp.json",
            "{\r\n  \"servers\": {}\r\n}\r\n",
        ),
        (
            "windsurf",
            "home:.codeium/windsurf/mcp_config.json",
            "{\"mcpServers\":{}}",
        ),
    ] {
        world.put(file, text);
        world.done(&["connect", client]);
        assert_ne!(world.text(file), text, "{client}");
        world.done_elsewhere(&["disconnect", client]);
        assert_eq!(world.text(file), text, "{client}: {file}");
    }
}

#[test]
fn what_is_left_is_said_with_the_reason() {
    for client in clients() {
        let world = World::new();
        world.done(&["connect", client]);
        let (said, notes) = world.done_elsewhere(&["disconnect", client]);
        assert!(
            said.lines().all(|line| line.starts_with("cleaned\t")),
            "{client}: {said}"
        );
        let lines: Vec<&str> = notes
            .lines()
            .filter(|line| line.contains("no record"))
            .collect();
        assert_eq!(lines.len(), files_of(client).count(), "{client}: {notes}");
        for (line, file) in lines.iter().zip(files_of(client)) {
            let left: String = world.text(file).split_whitespace().collect();
            let is_named = line.contains(world.path(file).to_str().unwrap());
            let is_shown = line.contains(&format!("left as `{left}`"))
                || left.is_empty() && line.contains("left empty");
            assert!(is_named && is_shown, "{client}: {line}");
        }
        let (said, notes) = world.done_elsewhere(&["disconnect", client]);
        assert!(
            said.lines().all(|line| line.starts_with("unchanged\t")),
            "{client}: {said}"
        );
        assert!(!notes.contains("no record"), "{client}: {notes}");
    }
}

#[test]
fn a_home_that_was_deleted_costs_nothing_but_empty_containers() {
    let world = World::new();
    for file in files_of("cursor") {
        world.put(file, "{\n  // mine\n  \"first\": [1,2,  3]\n}\n");
    }
    world.done(&["connect", "cursor"]);
    fs::remove_dir_all(world.home.paths.home.join("wiring")).unwrap();
    let (_, notes) = world.done(&["disconnect", "cursor"]);
    assert!(
        notes.contains("left with an empty `hooks`")
            && notes.contains("left with an empty `mcpServers`"),
        "{notes}"
    );
    assert!(!world.home.paths.home.join("wiring").exists());
    let left = world.text("project:.cursor/mcp.json");
    assert_eq!(
        left,
        "{\n  // mine\n  \"first\": [1,2,  3],\n  \"mcpServers\": {}\n}\n"
    );
}
