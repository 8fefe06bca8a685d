//! Promises of the whole module, through its public door.
#![allow(clippy::unwrap_used, clippy::panic)]

mod clients;
mod edits;
mod files;
mod levels;
mod lines;
mod orders;
mod plugin;
mod random;
mod refusals;
mod schemas;
mod snapshots;
mod states;
mod table;
mod tomls;
mod unrecorded;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::document::value_of;
use super::plan::Planned;
use super::record::missing;
use super::{
    Client, HookRow, Original, Place, Plan, Programs, Report, Scope, Target, WiringError,
    plan_install, plan_status, plan_uninstall, table as rows,
};

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

    fn place(&self) -> Place {
        Place {
            project: self.path("project"),
            home: self.path("home"),
            config: self.path("home/.config"),
            claude_config_dir: None,
            codex_home: None,
        }
    }

    fn hooks(&self, scope: Scope) -> Target {
        Client::Claude.targets(scope, &self.place()).remove(0)
    }

    fn server(&self, scope: Scope) -> Target {
        Client::Claude.targets(scope, &self.place()).remove(1)
    }

    fn install(&self, target: &Target) -> Report {
        self.install_with(target, &programs())
    }

    fn install_with(&self, target: &Target, programs: &Programs) -> Report {
        let plan = self.plan(target, programs);
        plan.write().unwrap();
        plan.reports().remove(0)
    }

    fn plan(&self, target: &Target, programs: &Programs) -> Plan {
        Plan::install(std::slice::from_ref(target), programs, &self.path("helix")).unwrap()
    }

    fn uninstall(&self, target: &Target) -> Report {
        let plan = Plan::uninstall(std::slice::from_ref(target), &self.path("helix")).unwrap();
        plan.write().unwrap();
        plan.reports().remove(0)
    }
}

/// Puts a text where a target lies.
fn put(target: &Target, text: &[u8]) {
    fs::create_dir_all(target.path.parent().unwrap()).unwrap();
    fs::write(&target.path, text).unwrap();
}

fn programs() -> Programs {
    Programs::new(Path::new(SHIM), Path::new(BRIDGE), Vec::new()).unwrap()
}

/// A file of Claude Code's that only the pure functions know.
fn hooks_target() -> Target {
    Client::Claude
        .targets(Scope::Project, &Place::default())
        .remove(0)
}

/// The same for the server.
fn server_target() -> Target {
    Client::Claude
        .targets(Scope::Project, &Place::default())
        .remove(1)
}

/// Takes ours out of a text that came from `original`.
fn plan_back(text: &str, original: &str, target: &Target) -> Result<Planned, WiringError> {
    let made = missing(Some(original), target);
    plan_uninstall(
        text,
        Original::Recorded {
            text: Some(original),
            made: &made,
        },
        target,
    )
}

/// The value that a client would read.
fn read(path: &Path) -> Value {
    value_of(&fs::read_to_string(path).unwrap())
        .unwrap()
        .unwrap()
}

/// The groups that Claude Code must find, by event, to the exact key.
fn expected_groups(shim: &str) -> Vec<(&'static str, Value)> {
    let group = |row: &HookRow| {
        let handler = json!({"type": "command", "command": shim, "args": [row.verb], "timeout": row.timeout.number()});
        match row.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": [handler]}),
            None => json!({"hooks": [handler]}),
        }
    };
    rows::CLAUDE
        .iter()
        .map(|row| (row.event, group(row)))
        .collect()
}

/// Checks that every expected group stands once under its event, and that all the rest has the
/// shape that Claude Code accepts where `strict`.
fn assert_wired(root: &Value, shim: &str) {
    for (event, group) in expected_groups(shim) {
        let groups = root["hooks"][event]
            .as_array()
            .unwrap_or_else(|| panic!("{event} is missing in {root}"));
        let count = groups.iter().filter(|found| **found == group).count();
        assert_eq!(count, 1, "{event} in {root}");
    }
    let ours = root.to_string().matches(&format!("\"{shim}\"")).count();
    assert_eq!(ours, expected_groups(shim).len(), "{root}");
}

fn assert_server(root: &Value, bridge: &str) {
    assert_eq!(
        root["mcpServers"]["helix"],
        json!({"type": "stdio", "command": bridge, "args": []})
    );
}
