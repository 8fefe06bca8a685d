//! What the whole module promises, through its public door.
#![allow(clippy::unwrap_used, clippy::panic)]

mod edits;
mod files;
mod levels;
mod random;
mod refusals;
mod snapshots;
mod states;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::document::value_of;
use super::{Level, Place, Report, Run, Scope, Spec, Target, install, uninstall};

const SHIM: &str = "/opt/helix/bin/helix-hook";
const BRIDGE: &str = "/opt/helix/bin/helix-mcp";

/// A project, a home and a Helix home that vanish with the test.
struct World {
    root: TempDir,
}

impl World {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        for dir in ["project", "home"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn hooks(&self, scope: Scope) -> Target {
        Target::claude_hooks(
            scope,
            Place { project: &self.path("project"), home: &self.path("home"), claude_config_dir: None },
        )
    }

    fn server(&self, scope: Scope) -> Target {
        Target::claude_server(
            scope,
            Place { project: &self.path("project"), home: &self.path("home"), claude_config_dir: None },
        )
    }

    fn install(&self, target: &Target, spec: &Spec) -> Report {
        let edits = [(target.clone(), spec.clone())];
        install(&edits, &self.path("helix"), Run::Write).unwrap().remove(0)
    }

    fn uninstall(&self, target: &Target) -> Report {
        uninstall(std::slice::from_ref(target), &self.path("helix"), Run::Write).unwrap().remove(0)
    }
}

/// Puts a text where a target lies.
fn put(target: &Target, text: &[u8]) {
    fs::create_dir_all(target.path.parent().unwrap()).unwrap();
    fs::write(&target.path, text).unwrap();
}

fn hooks_spec() -> Spec {
    Spec::hooks(Path::new(SHIM)).unwrap()
}

fn server_spec() -> Spec {
    Spec::server(Path::new(BRIDGE), Vec::new()).unwrap()
}

/// The value that a client would read.
fn read(path: &Path) -> Value {
    value_of(&fs::read_to_string(path).unwrap()).unwrap().unwrap()
}

/// The groups that Claude Code must find, keyed by event, to the exact key.
fn expected_groups(shim: &str) -> Vec<(&'static str, Value)> {
    let handler = |verb: &str| json!({"type": "command", "command": shim, "args": [verb], "timeout": 5});
    vec![
        ("SessionStart", json!({"hooks": [handler("session")]})),
        ("PreToolUse", json!({"matcher": "Read|Edit|Write|Glob|Grep", "hooks": [handler("ambient")]})),
    ]
}

/// Checks that every expected group stands once under its event, and that all the rest has the shape that
/// Claude Code accepts where `strict`.
fn assert_wired(root: &Value, shim: &str) {
    for (event, group) in expected_groups(shim) {
        let groups = root["hooks"][event].as_array().unwrap_or_else(|| panic!("{event} is missing in {root}"));
        let count = groups.iter().filter(|found| **found == group).count();
        assert_eq!(count, 1, "{event} in {root}");
    }
    let ours = root.to_string().matches("helix-hook").count();
    assert_eq!(ours, expected_groups(shim).len(), "{root}");
}

fn assert_server(root: &Value, bridge: &str) {
    assert_eq!(root["mcpServers"]["helix"], json!({"type": "stdio", "command": bridge, "args": []}));
}
