//! Every client wired and unwired by the real command line, and what was written run as the client
//! would.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod awkward;
mod forms;
mod hand;
mod places;
mod scopes;
mod shared;
mod unrecorded;
mod world;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Daemon};
use serde_json::json;

use world::{CLIENTS, World, clients, put};

#[test]
fn every_client_comes_and_goes_without_a_trace() {
    let world = World::new();
    let before = world.files();
    for client in clients() {
        let (shown, _) = world.done(&["connect", client, "--dry-run"]);
        assert!(
            shown.starts_with("would be created\t") && shown.contains("\n+"),
            "{client}: {shown}"
        );
        assert_eq!(world.files(), before, "{client}: a preview writes nothing");

        let (said, next) = world.done(&["connect", client]);
        assert!(
            said.lines().all(|line| line.starts_with("created\t")),
            "{client}: {said}"
        );
        assert!(
            next.contains("helixctl: "),
            "{client}: nothing is said about what is left to do"
        );
        let connected = world.files();
        assert_ne!(connected, before);
        let (said, _) = world.done(&["connect", client, "--yes"]);
        assert!(
            said.lines().all(|line| line.starts_with("unchanged\t")),
            "{client}: {said}"
        );
        assert_eq!(
            world.files(),
            connected,
            "{client}: connecting twice changes nothing"
        );

        let (said, _) = world.done(&["disconnect", client]);
        assert!(
            said.lines().all(|line| line.starts_with("deleted\t")),
            "{client}: {said}"
        );
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
        assert_ne!(
            fs::read(world.path(file)).unwrap(),
            before[&world.path(file)],
            "{client}"
        );
    }
    for client in clients() {
        let (said, _) = world.done(&["disconnect", client]);
        assert!(
            said.lines().all(|line| line.starts_with("restored\t")),
            "{client}: {said}"
        );
    }
    assert_eq!(world.files(), before);
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
        assert_eq!(
            refused.status.code(),
            Some(i32::from(exit::USAGE)),
            "{client}: {said}"
        );
        assert!(
            said.contains("line 1") && said.contains(path.file_name().unwrap().to_str().unwrap()),
            "{said}"
        );
        assert_eq!(
            world.files(),
            before,
            "{client}: the client's other file is untouched as well"
        );

        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = world.run(&["connect", client]);
        assert_eq!(
            refused.status.code(),
            Some(i32::from(exit::PERMISSION)),
            "{client}: {refused:?}"
        );
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn clients_say_who_they_are_and_what_is_left_to_do() {
    let world = World::new();
    let (_, codex) = world.done(&["connect", "codex"]);
    assert!(
        codex.contains("/hooks") && codex.contains("trust"),
        "{codex}"
    );
    let shim = Binary::Hook.path().canonicalize().unwrap();
    let hooks = world.json(".codex/hooks.json");
    let command = hooks["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    assert!(
        command.ends_with("helix-hook prompt") && command.starts_with(shim.to_str().unwrap()),
        "{command}"
    );
    world.done(&["connect", "gemini"]);
    let hooks = world.json(".gemini/settings.json");
    assert!(
        hooks["hooks"]["BeforeTool"].is_null(),
        "it takes no text before a tool is used: {hooks}"
    );
    let handler = &hooks["hooks"]["AfterTool"][0]["hooks"][0];
    assert!(
        handler["command"]
            .as_str()
            .unwrap()
            .ends_with("helix-hook ambient gemini"),
        "{handler}"
    );
    assert_eq!(handler["timeout"], 5000, "in milliseconds");
}

#[test]
fn a_scope_that_a_client_lacks_is_refused() {
    let world = World::new();
    for arguments in [
        ["connect", "windsurf", "--project"],
        ["connect", "codex", "--local"],
    ] {
        assert_eq!(
            world.run(&arguments).status.code(),
            Some(i32::from(exit::USAGE)),
            "{arguments:?}"
        );
    }
    assert_eq!(
        world.run(&["connect", "emacs"]).status.code(),
        Some(i32::from(exit::USAGE))
    );
}

#[test]
fn a_hook_runs_as_it_was_written() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let (said, _) = world.done(&["add", "Kernels assume sorted input.", "--topic", "kernels"]);
    let handle = said.trim_end().strip_prefix("stored\t").unwrap().to_owned();
    world.done(&["connect", "codex"]);
    let hooks = world.json(".codex/hooks.json");
    let line = hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap()
        .to_owned();
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
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.to_string().as_bytes())
        .unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.contains(&handle), "{output:?}");
}
