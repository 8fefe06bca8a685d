//! Secrets in what somebody gives to be kept are taken out before any of it reaches the disk, and
//! this is said.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Bridge, Home, Project, Served, broken_rule};
use serde_json::json;

const PASSWORD: &str = "hunter2-of-the-tests";

/// Returns the output of `helixctl`, of both its streams.
fn ctl(home: &Home, cwd: &Path, arguments: &[&str]) -> String {
    home.done(cwd, arguments)
}

#[test]
fn nothing_that_is_stored_has_a_secret() {
    let served = Served::new().unwrap();
    let project = Project::new(&served.home, "billing").unwrap();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let mut bridge = Bridge::greeted(&served.home, &project.root).unwrap();
    let stored = format!("Deploys log in to the registry with {token}, which belongs to the bot.");
    let drafts = [
        json!({"topic": "deploy", "text": format!("Staging is postgres://app:{PASSWORD}@db.staging:5432/app.")}),
        json!({"topic": "deploy", "text": format!("The bot's password: {PASSWORD}"), "tags": ["bot"]}),
        json!({"topic": "deploy", "text": "Deploys wait for the canary, which drains in four minutes."}),
    ];
    let calls = [
        ("store", json!({"topic": "deploy", "text": stored})),
        ("batch", json!({ "entries": drafts })),
        (
            "edit",
            json!({"action": "append", "topic": "deploy", "text": format!("Its token is {token}")}),
        ),
        (
            "edit",
            json!({"action": "revise", "topic": "deploy", "index": 1, "text": format!("Staging: --password {PASSWORD}")}),
        ),
        (
            "topics",
            json!({"action": "checkpoint", "task": format!("Rotate {token}"), "next": [format!("PGPASSWORD={PASSWORD} psql")]}),
        ),
    ];
    for (tool, arguments) in calls {
        let answer = bridge.text(tool, &arguments).unwrap();
        assert!(
            answer.contains("taken out: [redacted:…] stands there"),
            "{tool}: {answer}"
        );
        assert!(
            !answer.contains(PASSWORD) && !answer.contains(&token),
            "{tool}: {answer}"
        );
    }
    let clean = bridge
        .text(
            "store",
            &json!({"topic": "deploy", "text": "Tokens are kept in Vault, never here."}),
        )
        .unwrap();
    assert!(!clean.contains("taken out"), "{clean}");
    let read = bridge.text("read", &json!({"topic": "deploy"})).unwrap();
    assert!(
        read.contains("registry with [redacted:github-token], which belongs to the bot"),
        "{read}"
    );
    bridge.finish_cleanly().unwrap();
    served.daemon.stop().unwrap();
    for secret in [PASSWORD, token.as_str()] {
        assert_eq!(served.home.holding(secret).unwrap(), None);
    }
}

#[test]
fn an_import_takes_secrets_out_and_finds_its_memories_known_the_next_time() {
    let served = Served::new().unwrap();
    let (home, cwd) = (&served.home, served.home.scratch());
    let path = cwd.join("notes.json");
    let entries = json!([
        {"topic": "deploy", "text": format!("The bot logs in with password: {PASSWORD}")},
        {"topic": "deploy", "text": "The canary drains.", "attributes": {"db_password": PASSWORD}},
        {"topic": "deploy", "text": "Releases are cut on Mondays."},
    ]);
    fs::write(&path, entries.to_string()).unwrap();
    let file = path.to_str().unwrap();
    let printed = ctl(home, cwd, &["import", file, "--trust"]);
    assert!(printed.contains("3 stored"), "{printed}");
    assert_eq!(
        printed.matches("a secret was taken out").count(),
        2,
        "{printed}"
    );
    let printed = ctl(home, cwd, &["import", file, "--trust"]);
    assert!(
        printed.contains("0 stored, 3 known before, 0 revised, 0 in conflict"),
        "{printed}"
    );
    // An export that an earlier Helix made has the secret, and the hash of the text with it.
    let exported = cwd.join("export.json");
    ctl(
        home,
        cwd,
        &[
            "export",
            "--format",
            "json",
            "--output",
            exported.to_str().unwrap(),
        ],
    );
    let text = fs::read_to_string(&exported).unwrap();
    assert!(text.contains("password: [redacted:password]"), "{text}");
    fs::write(
        &exported,
        text.replace(
            "password: [redacted:password]",
            &format!("password: {PASSWORD}"),
        ),
    )
    .unwrap();
    let printed = ctl(
        home,
        cwd,
        &["import", exported.to_str().unwrap(), "--trust"],
    );
    assert!(
        printed.contains("3 known before, 0 revised, 0 in conflict"),
        "{printed}"
    );
    served.daemon.stop().unwrap();
    assert_eq!(served.home.holding(PASSWORD).unwrap(), None);
}

/// Runs a program as the daemon of a home until it ends.
fn run_as_daemon(home: &Home, program: &Path) -> Output {
    let usual = home.command(Binary::Daemon);
    let mut command = Command::new(program);
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_daemon_with_a_rule_that_does_not_compile_does_not_start() {
    let home = Home::new().unwrap();
    let program = home.scratch().join("helixd");
    broken_rule::copy(&Binary::Daemon.path(), &program).unwrap();
    let ended = run_as_daemon(&home, &program);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(
        ended.status.code(),
        Some(i32::from(exit::INTERNAL)),
        "{said}"
    );
    assert!(
        said.contains(&format!("compiling the rule {:?}", broken_rule::NAME)),
        "{said}"
    );
    assert!(said.contains("install another"), "{said}");
    assert!(!home.paths.socket.exists());
    assert!(!home.paths.strand("default").exists());

    // Nor does somebody who wants to store something have it started.
    let added = home
        .command(Binary::Ctl)
        .args([
            "add",
            "--topic",
            "deploy",
            "Staging drains in four minutes.",
        ])
        .env("HELIX_DAEMON", &program)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(added.stderr).unwrap();
    assert!(!added.status.success(), "{said}");
    assert!(said.contains(broken_rule::NAME), "{said}");
    assert!(!home.paths.strand("default").exists());
    assert_eq!(home.holding("Staging drains").unwrap(), None);
}
