//! Files that a project shares: what is written there runs on every machine, and is silent on one
//! without Helix.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Daemon};
use serde_json::{Value, json};

use crate::world::{World, clients, files_of};

/// The clients that have hooks, a file of theirs, and an event and its key in it.
const HOOKED: [(&str, &str, &str); 4] = [
    ("claude", "project:.claude/settings.json", "SessionStart"),
    ("codex", "project:.codex/hooks.json", "SessionStart"),
    ("cursor", "project:.cursor/hooks.json", "sessionStart"),
    ("gemini", "project:.gemini/settings.json", "SessionStart"),
];

const SYSTEM_PATH: &str = "/usr/bin:/bin";

impl World {
    /// The search path of somebody who has Helix on it.
    fn search_path(&self) -> String {
        let bin = self.home.scratch().join("bin");
        fs::create_dir_all(&bin).unwrap();
        for binary in [Binary::Daemon, Binary::Ctl, Binary::Mcp, Binary::Hook] {
            symlink(binary.path(), bin.join(binary.name())).ok();
        }
        format!("{}:{SYSTEM_PATH}", bin.display())
    }

    fn by_name(&self, arguments: &[&str], helix_home: &Path) -> Output {
        let mut command = self.command(Binary::Ctl);
        command
            .env("PATH", self.search_path())
            .env("HELIX_HOME", helix_home);
        let output = command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(exit::OK)),
            "{arguments:?}: {output:?}"
        );
        output
    }

    fn connect(&self, client: &str, scope: &str) -> String {
        String::from_utf8(
            self.by_name(&["connect", client, scope], &self.home.paths.home)
                .stderr,
        )
        .unwrap()
    }

    /// Runs a handler as its client does: with arguments without a shell, else by one.
    fn run_handler(&self, handler: &Value, search_path: &str, stdin: &[u8]) -> Output {
        let command = handler["command"].as_str().unwrap();
        let mut run = if let Some(arguments) = handler["args"].as_array() {
            let mut run = Command::new("env");
            run.arg(format!("PATH={search_path}")).arg(command);
            run.args(arguments.iter().map(|argument| argument.as_str().unwrap()));
            run
        } else {
            let mut run = Command::new("/bin/sh");
            run.args(["-c", command]);
            run
        };
        for (name, value) in self.command(Binary::Hook).get_envs() {
            match value {
                Some(value) => run.env(name, value),
                None => run.env_remove(name),
            };
        }
        run.env("PATH", search_path).current_dir(&self.project.root);
        let mut child = run
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(stdin).unwrap();
        drop(pipe);
        child.wait_with_output().unwrap()
    }
}

/// The first handler of an event.
fn handler<'a>(settings: &'a Value, event: &str) -> &'a Value {
    let first = &settings["hooks"][event][0];
    first.get("hooks").map_or(first, |handlers| &handlers[0])
}

#[test]
fn shared_files_name_programs_and_not_their_places() {
    for client in clients() {
        let world = World::new();
        let scope = if client == "windsurf" {
            "--user"
        } else {
            "--project"
        };
        let said = world.connect(client, scope);
        let here = world.home.scratch().join("bin").display().to_string();
        for file in files_of(client).filter(|file| file.starts_with("project:")) {
            let text = world.text(file);
            assert!(
                text.contains("helix-") && !text.contains(&here),
                "{client}: {text}"
            );
            assert!(
                !text.contains(Binary::Ctl.path().parent().unwrap().to_str().unwrap()),
                "{client}: {text}"
            );
            let name = file.split_once(':').unwrap().1;
            assert!(said.contains(&format!("`{name}`")), "{client}: {said}");
        }
        if scope == "--project" {
            let own = if client == "claude" {
                "--local"
            } else {
                "--user"
            };
            assert!(
                said.contains(&format!("`helixctl connect {client} {own}`")),
                "{client}: {said}"
            );
        }
        let again = world.by_name(&["connect", client, scope], &world.home.paths.home);
        assert!(
            String::from_utf8(again.stdout)
                .unwrap()
                .lines()
                .all(|line| line.starts_with("unchanged\t"))
        );
        let before = world.by_name(&["disconnect", client, scope], &world.home.paths.home);
        assert!(
            String::from_utf8(before.stdout)
                .unwrap()
                .lines()
                .all(|line| line.starts_with("deleted\t"))
        );
    }
}

#[test]
fn a_shared_hook_runs_where_helix_is_and_is_silent_where_it_is_not() {
    let input = json!({"session_id": "s", "transcript_path": "/t", "hook_event_name": "SessionStart", "source": "startup"});
    // More than a pipe holds: a client that writes it must not meet a closed one.
    let long = json!({"session_id": "s", "x": "x".repeat(300_000)});
    for (client, file, event) in HOOKED {
        let world = World::new();
        world.connect(client, "--project");
        let settings = world.json(file.split_once(':').unwrap().1);
        let handler = handler(&settings, event);
        for stdin in [&input, &long] {
            let absent = world.run_handler(handler, SYSTEM_PATH, stdin.to_string().as_bytes());
            assert!(absent.status.success(), "{client}: {absent:?}");
            assert!(
                absent.stdout.is_empty() && absent.stderr.is_empty(),
                "{client}: {absent:?}"
            );
        }
        let _daemon = Daemon::start(&world.home).unwrap();
        world.done(&["add", "Kernels assume sorted input.", "--topic", "kernels"]);
        let mut input = input.clone();
        input["cwd"] = world.project.root.to_str().unwrap().into();
        if client == "cursor" {
            input = json!({"conversation_id": "c", "workspace_roots": [world.project.root], "hook_event_name": "sessionStart"});
        }
        let present =
            world.run_handler(handler, &world.search_path(), input.to_string().as_bytes());
        assert!(
            String::from_utf8_lossy(&present.stdout).contains("Kernels assume"),
            "{client}: {present:?}"
        );
    }
}

#[test]
fn own_files_start_the_shim_without_a_shell() {
    let world = World::new();
    for scope in ["--local", "--user"] {
        let said = world.connect("claude", scope);
        assert!(!said.contains("shares"), "{said}");
        let file = if scope == "--local" {
            "project:.claude/settings.local.json"
        } else {
            "home:.claude/settings.json"
        };
        let settings: Value = serde_json::from_str(&world.text(file)).unwrap();
        let command = handler(&settings, "Stop")["command"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            command.starts_with('/') && command.ends_with("/helix-hook"),
            "{command}"
        );
    }
}

#[test]
fn programs_that_the_path_does_not_lead_to_are_said_to_be_of_this_machine() {
    let world = World::new();
    let (_, said) = world.done(&["connect", "claude"]);
    assert!(said.contains("on the PATH and connect again"), "{said}");
    assert!(world.text("project:.mcp.json").contains("/helix-mcp"));
    // By the path first, by the name then: nothing is left of either.
    world.connect("claude", "--project");
    assert!(
        !world
            .text("project:.claude/settings.json")
            .contains("/helix-hook")
    );
    world.done(&["disconnect", "claude"]);
    assert!(!world.path("project:.claude").exists() && !world.path("project:.mcp.json").exists());
}

#[test]
fn hooks_alone_are_no_reason_to_speak_of_a_server() {
    let world = World::new();
    let (_, said) = world.done(&["hooks", "install"]);
    assert!(
        said.contains("restart Claude Code") && !said.contains("server"),
        "{said}"
    );
    assert!(
        said.contains("`helixctl hooks install --local`") && !said.contains(".mcp.json"),
        "{said}"
    );
    world.done(&["hooks", "uninstall"]);
}

#[test]
fn nothing_stays_after_connects_from_two_homes() {
    for client in clients() {
        for by_name in [true, false] {
            for order in [[0, 1], [1, 0]] {
                let world = World::new();
                let before = world.files();
                let homes = ["one", "two"].map(|name| world.home.scratch().join(name));
                let run = |verb: &str, home: &Path| {
                    if by_name {
                        world.by_name(&[verb, client], home);
                    } else {
                        let mut command = world.command(Binary::Ctl);
                        let output = command
                            .env("HELIX_HOME", home)
                            .args([verb, client])
                            .stdin(Stdio::null())
                            .output();
                        assert!(output.unwrap().status.success(), "{verb} {client}");
                    }
                };
                for home in &homes {
                    run("connect", home);
                }
                assert_ne!(world.files(), before);
                for at in order {
                    run("disconnect", &homes[at]);
                }
                assert_eq!(
                    world.files(),
                    before,
                    "{client} {order:?} by name: {by_name}"
                );
            }
        }
    }
}
