//! The built program where no daemon runs: what it answers, with which code, and that it starts
//! none.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const USAGE: i32 = 64;
const UNAVAILABLE: i32 = 69;

/// A home, a user and a project that vanish with the test.
struct World {
    root: TempDir,
}

impl World {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        fs::create_dir(root.path().join("user")).unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_helixctl")))
    }

    fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.path("user"))
            .env("HELIX_HOME", self.path("helix"))
            // A daemon started by mistake would be this one, and the command would fail.
            .env("HELIX_DAEMON", self.path("no-such-daemon"))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().unwrap()
    }

    /// A copy of the program with stand-ins for its companions, which are only ever named here.
    fn install(&self) -> PathBuf {
        let bin = self.path("bin");
        fs::create_dir(&bin).unwrap();
        for companion in ["helix-hook", "helix-mcp"] {
            fs::write(bin.join(companion), "").unwrap();
        }
        let program = bin.join("helixctl");
        fs::copy(env!("CARGO_BIN_EXE_helixctl"), &program).unwrap();
        program
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_wrong_command_line_exits_64() {
    let world = World::new();
    for line in [
        &["frobnicate"][..],
        &[],
        &["add", "text"],
        &["search"],
        &["search", "x", "--limit", "0"],
    ] {
        let output = world.run(line);
        assert_eq!(
            output.status.code(),
            Some(USAGE),
            "{line:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty(), "{line:?}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let world = World::new();
    let version = world.run(&["--version"]);
    assert_eq!(
        (version.status.code(), stdout(&version)),
        (Some(0), format!("helixctl {}\n", env!("CARGO_PKG_VERSION")))
    );
    let help = world.run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Exit codes"), "{}", stdout(&help));
    assert!(!stdout(&help).contains("manual pages"), "{}", stdout(&help));
}

#[test]
fn status_says_that_nothing_runs_and_makes_nothing() {
    let world = World::new();
    for line in [&["status"][..], &["status", "--json"]] {
        let output = world.run(line);
        assert_eq!(output.status.code(), Some(UNAVAILABLE));
        assert!(output.stdout.is_empty());
        let said = stderr(&output);
        assert!(
            said.starts_with("helixctl: no daemon answers at ") && said.contains("helixctl up"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert!(!world.path("helix").exists());
}

#[test]
fn down_is_done_when_nothing_runs() {
    let world = World::new();
    let output = world.run(&["down"]);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(0), "helixd was not running\n".to_owned())
    );
    assert!(!world.path("helix").exists());
}

#[test]
fn a_daemon_that_cannot_be_started_is_said() {
    let world = World::new();
    for line in [&["up"][..], &["search", "x"], &["read", "x"]] {
        let output = world.run(line);
        assert!(
            matches!(output.status.code(), Some(UNAVAILABLE | 74)),
            "{line:?}: {output:?}"
        );
        assert!(
            stderr(&output).contains("no-such-daemon"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn places_come_from_the_command_line_first() {
    let world = World::new();
    let output = world.run(&["--home", "elsewhere", "status"]);
    let expected = world
        .path("project")
        .canonicalize()
        .unwrap()
        .join("elsewhere/run/helixd.sock");
    assert!(
        stderr(&output).contains(expected.to_str().unwrap()),
        "{}",
        stderr(&output)
    );
    let output = world.run(&["status", "--socket", "/nowhere/s"]);
    assert!(
        stderr(&output).contains("/nowhere/s"),
        "{}",
        stderr(&output)
    );
    let output = world
        .command()
        .env("HELIX_HOME", "relative")
        .arg("status")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(USAGE));
}

#[test]
fn every_shell_has_completions() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = world.run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        for command in ["doctor", "checkpoint", "reindex", "upgrade"] {
            assert!(stdout(&output).contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let world = World::new();
    assert_eq!(world.run(&["man", "pages/man1"]).status.code(), Some(0));
    let pages = world.path("project/pages/man1");
    for page in [
        "helixctl",
        "helixctl-search",
        "helixctl-hooks-install",
        "helixctl-connect-claude",
        "helixctl-model-status",
        "helixctl-checkpoint-save",
        "helixctl-edit",
        "helixctl-export",
        "helixctl-upgrade",
    ] {
        let text = fs::read_to_string(pages.join(page).with_extension("1")).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(!pages.join("helixctl-man.1").exists());
}

#[test]
fn hooks_go_in_and_out_again() {
    let world = World::new();
    let program = world.install();
    let run = |arguments: &[&str]| world.command_of(&program).args(arguments).output().unwrap();
    let settings = world.path("project/.claude/settings.json");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    let original = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    fs::write(&settings, original).unwrap();

    let shown = run(&["hooks", "install", "--dry-run"]);
    assert!(stdout(&shown).contains("helix-hook"), "{shown:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), original);

    let installed = run(&["hooks", "install", "--json"]);
    assert_eq!(installed.status.code(), Some(0), "{installed:?}");
    let document: serde_json::Value = serde_json::from_slice(&installed.stdout).unwrap();
    assert_eq!(document["files"][0]["change"], "updated");
    let text = fs::read_to_string(&settings).unwrap();
    assert!(
        text.contains("// mine") && text.contains("helix-hook"),
        "{text}"
    );

    let status = run(&["hooks", "status"]);
    assert!(
        stdout(&status).starts_with("project\tinstalled\t"),
        "{status:?}"
    );
    assert!(stdout(&status).contains("user\tabsent\t"), "{status:?}");

    let removed = run(&["hooks", "uninstall"]);
    assert!(stdout(&removed).starts_with("restored\t"), "{removed:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), original);
}

#[test]
fn an_agent_is_connected_and_disconnected() {
    let world = World::new();
    let program = world.install();
    let run = |arguments: &[&str]| world.command_of(&program).args(arguments).output().unwrap();
    let connected = run(&["connect", "claude"]);
    assert_eq!(connected.status.code(), Some(0));
    let said = stderr(&connected);
    let home = world.path("helix");
    let home = home.to_str().unwrap();
    assert!(
        said.contains("restart Claude Code") && said.contains(&format!("HELIX_HOME={home} set")),
        "{said}"
    );
    assert!(!said.contains("cargo clean"), "{said}");
    let server = fs::read_to_string(world.path("project/.mcp.json")).unwrap();
    let server: serde_json::Value = serde_json::from_str(&server).unwrap();
    let server = &server["mcpServers"]["helix"];
    assert!(
        server["command"].as_str().unwrap().ends_with("/helix-mcp"),
        "{server}"
    );
    assert_eq!(server["env"], serde_json::json!({"HELIX_HOME": home}));
    assert!(world.path("project/.claude/settings.json").exists());
    assert!(
        said.contains("+++ ") && said.contains("\n+  \"mcpServers\""),
        "what is written is shown: {said}"
    );
    let gone = run(&["disconnect", "claude", "--yes"]);
    assert_eq!(gone.status.code(), Some(0));
    assert!(stderr(&gone).contains("\n-  \"mcpServers\""), "{gone:?}");
    assert_eq!(fs::read_dir(world.path("project")).unwrap().count(), 0);
}

#[test]
fn a_local_server_is_on_in_its_project_alone() {
    let world = World::new();
    let program = world.install();
    let run = |arguments: &[&str]| {
        let output = world
            .command_of(&program)
            .env_remove("HELIX_HOME")
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        stderr(&output)
    };
    let own = || -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(world.path("user/.claude.json")).unwrap()).unwrap()
    };
    let said = run(&["connect", "claude", "--local"]);
    assert!(!said.contains("HELIX_HOME"), "{said}");
    let project = world.path("project").canonicalize().unwrap();
    let server = &own()["projects"][project.to_str().unwrap()]["mcpServers"]["helix"];
    assert!(
        server["command"].as_str().unwrap().ends_with("/helix-mcp") && server.get("env").is_none(),
        "{server}"
    );
    assert!(own().get("mcpServers").is_none());
    run(&["connect", "claude", "--user"]);
    run(&["disconnect", "claude", "--local"]);
    assert!(
        own()["mcpServers"]["helix"].is_object() && own().get("projects").is_none(),
        "{}",
        own()
    );
    run(&["disconnect", "claude", "--user"]);
    assert!(
        !world.path("user/.claude.json").exists(),
        "it was made by connecting"
    );
}

#[test]
fn a_missing_model_is_said() {
    let world = World::new();
    let output = world.run(&["model", "status"]);
    assert_eq!(output.status.code(), Some(UNAVAILABLE));
    assert!(
        stderr(&output).contains("helixctl model install"),
        "{}",
        stderr(&output)
    );
    assert!(!world.path("helix").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let world = World::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = world
        .command()
        .args(["completions", "bash"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), String::new())
    );
}
