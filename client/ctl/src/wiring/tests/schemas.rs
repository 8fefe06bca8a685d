//! Each client's own schema: nothing that Helix writes has a key besides.
//!
//! From the clients' documentation: a hook's and a server's members. Codex refuses a hooks file
//! with another root key.

use super::*;
use crate::wiring::client::HookShape;
use crate::wiring::target::Part;
use crate::wiring::verify::{handlers, read_as};

/// The members of a server's entry.
fn server_keys(client: Client) -> &'static [&'static str] {
    match client {
        Client::Claude => &["type", "command", "args", "env"],
        Client::Codex => &[
            "command",
            "args",
            "env",
            "env_vars",
            "cwd",
            "enabled",
            "startup_timeout_sec",
        ],
        Client::Cursor => &["type", "command", "args", "env", "envFile"],
        Client::Gemini => &[
            "command",
            "args",
            "env",
            "cwd",
            "timeout",
            "trust",
            "includeTools",
            "excludeTools",
        ],
        Client::OpenCode => &["type", "command", "environment", "enabled", "timeout"],
        Client::VsCode => &["type", "command", "args", "env", "envFile", "cwd"],
        Client::Windsurf => &["command", "args", "env"],
    }
}

/// The members of a hook.
fn handler_keys(client: Client) -> &'static [&'static str] {
    match client {
        Client::Claude => &["type", "command", "args", "timeout"],
        Client::Codex => &["type", "command", "timeout", "statusMessage"],
        Client::Cursor => &["type", "command", "timeout", "matcher"],
        Client::Gemini => &["type", "command", "timeout", "name", "description"],
        Client::OpenCode | Client::VsCode | Client::Windsurf => &[],
    }
}

/// The events that a client has.
fn events(client: Client) -> &'static [&'static str] {
    match client {
        Client::Claude => &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "PreCompact",
            "Stop",
            "SubagentStart",
            "SubagentStop",
            "SessionEnd",
        ],
        Client::Codex => &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
        ],
        Client::Cursor => &["sessionStart"],
        Client::Gemini => &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "PreCompress",
            "SessionEnd",
        ],
        Client::OpenCode | Client::VsCode | Client::Windsurf => &[],
    }
}

/// The root's members, where a client has none but those.
fn root_keys(client: Client) -> &'static [&'static str] {
    match client {
        Client::Codex => &["hooks", "mcp_servers"],
        Client::Cursor => &["version", "hooks", "mcpServers"],
        Client::Claude | Client::Gemini | Client::Windsurf => &["hooks", "mcpServers"],
        Client::OpenCode => &["mcp"],
        Client::VsCode => &["servers"],
    }
}

fn assert_within(found: &Value, allowed: &[&str], what: &str) {
    for key in found.as_object().unwrap().keys() {
        assert!(allowed.contains(&key.as_str()), "{what}: {key} in {found}");
    }
}

#[test]
fn nothing_is_written_that_a_client_does_not_know() {
    let environment = vec![("HELIX_HOME".to_owned(), "/h".to_owned())];
    let programs = Programs::new(Path::new(SHIM), Path::new(BRIDGE), environment).unwrap();
    for client in Client::ALL {
        let what = client.name();
        for target in client
            .scopes()
            .iter()
            .flat_map(|scope| client.targets(*scope, &Place::default()))
        {
            let text = plan_install(None, &target, &programs).unwrap().text;
            let root = read_as(target.syntax, &text).unwrap().unwrap();
            let keys = if root.get("projects").is_some() {
                &["projects"]
            } else {
                root_keys(client)
            };
            assert_within(&root, keys, what);
            for part in &target.parts {
                match part {
                    Part::Hooks(form) => {
                        assert_within(&root["hooks"], events(client), what);
                        let found: Vec<_> = handlers(&root, form.shape).collect();
                        assert_eq!(found.len(), form.rows.len(), "{what}");
                        for (_, group, handler) in found {
                            assert_within(handler, handler_keys(client), what);
                            if let Some(group) = group {
                                assert_within(group, &["matcher", "hooks"], what);
                            }
                            assert_eq!(
                                handler["type"] == "command",
                                form.shape != HookShape::Lines,
                                "{what}"
                            );
                        }
                    }
                    Part::Server(form) => {
                        let keys = target.server_keys(form);
                        let entry = keys
                            .into_iter()
                            .try_fold(&root, |at, key| at.get(key))
                            .unwrap();
                        assert_within(entry, server_keys(client), what);
                        assert!(entry.to_string().contains("HELIX_HOME"), "{what}: {entry}");
                    }
                }
            }
        }
    }
}

#[test]
fn strict_readers_get_strict_json() {
    for client in Client::ALL {
        for target in client
            .scopes()
            .iter()
            .flat_map(|scope| client.targets(*scope, &Place::default()))
        {
            if target
                .path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let text = plan_install(None, &target, &programs()).unwrap().text;
                serde_json::from_str::<Value>(&text).unwrap();
                let text = plan_install(Some("{\"a\": 1}"), &target, &programs())
                    .unwrap()
                    .text;
                serde_json::from_str::<Value>(&text).unwrap();
            }
        }
    }
}

#[test]
fn an_event_and_a_verb_meet_once() {
    for rows in [rows::CLAUDE, rows::CODEX, rows::CURSOR, rows::GEMINI] {
        let mut labels: Vec<String> = rows.iter().map(HookRow::label).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), rows.len());
    }
}

#[test]
fn what_each_client_gets() {
    let texts = Client::ALL
        .into_iter()
        .filter(|client| *client != Client::Claude)
        .flat_map(|client| {
            let targets = client.targets(client.scopes()[0], &Place::default());
            targets.into_iter().map(move |target| {
                let text = plan_install(None, &target, &programs()).unwrap().text;
                format!("== {}, {}\n{text}\n", client.name(), target.path.display())
            })
        });
    insta::assert_snapshot!(texts.collect::<String>());
}
