//! Every client wired and unwired by the real command line, and what was written run as the client would.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Daemon, Home, Project};
use serde_json::{Value, json};

/// Each client, a file that it reads in a project or else for a user, and one that somebody could have there.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("claude", "project:.claude/settings.json", "{\n\t// mine\n\t\"model\": \"opus\",\n}\n"),
    ("claude", "project:.mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}"),
    ("codex", "project:.codex/hooks.json", "{\r\n  \"description\": \"ours\"\r\n}\r\n"),
    (
        "codex",
        "project:.codex/config.toml",
        "# mine\r\nmodel = \"o\" # why\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
    ),
    ("cursor", "project:.cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./bell\"}]}}\n"),
    ("cursor", "project:.cursor/mcp.json", "{ }"),
    ("gemini", "project:.gemini/settings.json", "\u{feff}{\n  \"theme\": \"dark\" // at night 🌙\n}"),
    ("opencode", "project:opencode.json", "{\"$schema\": \"https://opencode.ai/config.json\"}"),
    ("vscode", "project:.vscode/mcp.json", "{\n\t\"servers\": {},\n\t\"inputs\": []\n}\n"),
    ("windsurf", "home:.codeium/windsurf/mcp_config.json", ""),
];

struct World {
    home: Home,
    project: Project,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let project = Project::new(&home, "billing").unwrap();
        fs::create_dir(home.scratch().join("own")).unwrap();
        Self { home, project }
    }

    fn command(&self, binary: Binary) -> Command {
        let mut command = self.home.command(binary);
        for name in ["CODEX_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command.current_dir(&self.project.root).env("HOME", self.own());
        command
    }

    /// The user's home, apart from what the test needs itself.
    fn own(&self) -> PathBuf {
        self.home.scratch().join("own")
    }

    /// Runs the command line with nobody at the terminal.
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(Binary::Ctl).args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(output.status.code(), Some(i32::from(exit::OK)), "{arguments:?}: {texts:?}");
        texts.into()
    }

    fn path(&self, name: &str) -> PathBuf {
        match name.split_once(':') {
            Some(("project", rest)) => self.project.root.join(rest),
            Some((_, rest)) => self.own().join(rest),
            None => self.project.root.join(name),
        }
    }

    /// Every file of the project and the user's home but git's, with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.project.root.clone(), self.own()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if !path.is_dir() {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                } else if !path.ends_with(".git") {
                    found.insert(path.clone(), b"a directory".to_vec());
                    open.push(path);
                }
            }
        }
        found
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(path)).unwrap()).unwrap()
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn clients() -> Vec<&'static str> {
    let mut names: Vec<&str> = CLIENTS.iter().map(|(client, ..)| *client).collect();
    names.dedup();
    names
}

#[test]
fn every_client_comes_and_goes_without_a_trace() {
    let world = World::new();
    let before = world.files();
    for client in clients() {
        let (shown, _) = world.done(&["connect", client, "--dry-run"]);
        assert!(shown.starts_with("would be created\t") && shown.contains("\n+"), "{client}: {shown}");
        assert_eq!(world.files(), before, "{client}: a preview writes nothing");

        let (said, next) = world.done(&["connect", client]);
        assert!(said.lines().all(|line| line.starts_with("created\t")), "{client}: {said}");
        assert!(next.contains("helixctl: "), "{client}: nothing is said about what is left to do");
        let connected = world.files();
        assert_ne!(connected, before);
        let (said, _) = world.done(&["connect", client, "--yes"]);
        assert!(said.lines().all(|line| line.starts_with("unchanged\t")), "{client}: {said}");
        assert_eq!(world.files(), connected, "{client}: connecting twice changes nothing");

        let (said, _) = world.done(&["disconnect", client]);
        assert!(said.lines().all(|line| line.starts_with("deleted\t")), "{client}: {said}");
        assert_eq!(world.files(), before, "{client}");
    }
}

#[test]
fn awkward_files_come_back_to_the_byte() {
    let world = World::new();
    for (_, file, text) in CLIENTS {
        put(&world.path(file), text);
    }
    let before = world.files();
    for client in clients() {
        world.done(&["connect", client]);
    }
    for (client, file, _) in CLIENTS {
        assert_ne!(fs::read(world.path(file)).unwrap(), before[&world.path(file)], "{client}");
    }
    for client in clients() {
        let (said, _) = world.done(&["disconnect", client]);
        assert!(said.lines().all(|line| line.starts_with("restored\t")), "{client}: {said}");
    }
    assert_eq!(world.files(), before);
}

#[test]
fn what_was_edited_since_stays() {
    for (client, file, text) in CLIENTS.iter().filter(|(.., text)| text.contains("mine")) {
        let world = World::new();
        put(&world.path(file), text);
        world.done(&["connect", client]);
        let edited = fs::read_to_string(world.path(file)).unwrap().replace("mine", "mine, later");
        fs::write(world.path(file), edited).unwrap();
        world.done(&["disconnect", client]);
        let left = fs::read_to_string(world.path(file)).unwrap();
        assert_eq!(left, text.replace("mine", "mine, later"), "{client}");
    }
}

#[test]
fn what_cannot_be_edited_is_said_and_left() {
    let world = World::new();
    for (client, file, _) in CLIENTS {
        let path = world.path(file);
        put(&path, "{ oops");
        let before = world.files();
        let refused = world.run(&["connect", client]);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(i32::from(exit::USAGE)), "{client}: {said}");
        assert!(said.contains("line 1") && said.contains(path.file_name().unwrap().to_str().unwrap()), "{said}");
        assert_eq!(world.files(), before, "{client}: the client's other file is untouched as well");

        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = world.run(&["connect", client]);
        assert_eq!(refused.status.code(), Some(i32::from(exit::PERMISSION)), "{client}: {refused:?}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn clients_say_who_they_are_and_what_is_left_to_do() {
    let world = World::new();
    let (_, codex) = world.done(&["connect", "codex"]);
    assert!(codex.contains("/hooks") && codex.contains("trust"), "{codex}");
    let shim = Binary::Hook.path().canonicalize().unwrap();
    let hooks = world.json(".codex/hooks.json");
    let command = hooks["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("helix-hook prompt") && command.starts_with(shim.to_str().unwrap()), "{command}");
    world.done(&["connect", "gemini"]);
    let hooks = world.json(".gemini/settings.json");
    let handler = &hooks["hooks"]["BeforeTool"][0]["hooks"][0];
    assert!(handler["command"].as_str().unwrap().ends_with("helix-hook ambient gemini"), "{handler}");
    assert_eq!(handler["timeout"], 5000, "in milliseconds");
}

#[test]
fn cursor_and_claude_in_one_project_are_not_wired_silently() {
    for (first, second) in [("claude", "cursor"), ("cursor", "claude")] {
        let world = World::new();
        let (_, alone) = world.done(&["connect", first]);
        assert!(!alone.contains("starts twice"), "{alone}");
        let (_, both) = world.done(&["connect", second]);
        assert!(both.contains("starts twice"), "{both}");
    }
}

#[test]
fn a_scope_that_a_client_lacks_is_refused() {
    let world = World::new();
    for arguments in [["connect", "windsurf", "--project"], ["connect", "codex", "--local"]] {
        assert_eq!(world.run(&arguments).status.code(), Some(i32::from(exit::USAGE)), "{arguments:?}");
    }
    assert_eq!(world.run(&["connect", "emacs"]).status.code(), Some(i32::from(exit::USAGE)));
}

#[test]
fn a_hook_runs_as_it_was_written() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let (said, _) = world.done(&["add", "Kernels assume sorted input.", "--topic", "kernels"]);
    let handle = said.trim_end().strip_prefix("stored\t").unwrap().to_owned();
    world.done(&["connect", "codex"]);
    let hooks = world.json(".codex/hooks.json");
    let line = hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let input = json!({
        "session_id": "s", "transcript_path": "/t", "cwd": world.project.root, "hook_event_name": "SessionStart",
        "model": "m", "permission_mode": "default", "source": "startup",
    });
    // As Codex does: a shell is given the line.
    let template = world.command(Binary::Hook);
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(&world.project.root);
    for (name, value) in template.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains(&handle), "{output:?}");
}
