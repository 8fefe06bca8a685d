//! Hooks and agents: what is shown, put into settings and taken out again.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use helix_proto::exit;
use helix_tests::Binary;
use serde_json::{Value, json};

use crate::world::{World, code, stderr};

#[test]
fn a_hook_is_shown_and_not_recorded() {
    let world = World::new();
    let handle = world.add(
        "kernels",
        "Kernels assume sorted input.",
        &["--source", "src/kernels.rs:42"],
    );
    for _ in 0..2 {
        for arguments in [
            &["hook", "session"][..],
            &["hook", "ambient", "--file", "src/kernels.rs"],
        ] {
            let printed = world.done(arguments);
            assert!(printed.ends_with("}\n"), "{printed}");
            let answer: Value = serde_json::from_str(&printed).unwrap();
            let context = answer["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .unwrap();
            assert!(context.contains(&handle), "{context}");
        }
    }
    let nothing = world.run(&["hook", "ambient", "--file", "docs/tides.md"]);
    assert_eq!((code(&nothing), nothing.stdout.len()), (Some(exit::OK), 0));
    assert!(
        stderr(&nothing).starts_with("(nothing: no memory"),
        "{nothing:?}"
    );
    assert_eq!(world.json(&["status"])["injected_tokens"], 0);
    let input = json!({
        "session_id": "s", "cwd": world.project.root, "hook_event_name": "PreToolUse", "tool_name": "Edit",
        "tool_input": {"file_path": world.project.root.join("src/kernels.rs")},
    });
    let given = world.run_with(&["hook", "ambient"], &input.to_string());
    assert!(String::from_utf8(given.stdout).unwrap().contains(&handle));
}

#[test]
fn a_hook_explains_which_layers_fired_and_why() {
    let world = World::new();
    let of_file = world.add(
        "kernels",
        "Kernels assume sorted input.",
        &["--source", "src/kernels.rs:42"],
    );
    let of_release = world.add(
        "release",
        "How we release: tag the commit, then run the pipeline of nightly builds.",
        &["--kind", "procedure"],
    );
    world.add(
        "backups",
        "The nightly dump of the warehouse takes two hours.",
        &[],
    );
    let explained = |arguments: &[&str], input: Option<Value>| {
        let arguments = [&["hook"], arguments, &["--explain"]].concat();
        let run = match input {
            Some(input) => world.run_with(&arguments, &input.to_string()),
            None => world.run(&arguments),
        };
        assert_eq!(code(&run), Some(exit::OK), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    };
    let line = |said: &str, part: &str, found: &str| {
        let is_it = |line: &str| line.starts_with(part) && line.contains(found);
        assert!(said.lines().any(is_it), "{part}: {found}\n{said}");
    };
    let said = explained(&["ambient", "--file", "src/kernels.rs"], None);
    line(&said, "project", "the session works in");
    line(&said, "layer/source", &of_file);
    line(&said, "answer", "1 of 1 memories");
    assert!(said.contains("additionalContext"), "{said}");
    let said = explained(&["ambient", "--file", "docs/tides.md"], None);
    line(&said, "layer/source", "nothing");
    line(&said, "answer", "nothing");
    let prompt = json!({
        "session_id": "s", "cwd": world.project.root, "hook_event_name": "UserPromptSubmit",
        "prompt": "how do we release the nightly builds?",
    });
    let said = explained(&["prompt"], Some(prompt));
    line(&said, "relevance", &of_release);
    line(&said, "relevance", "not likely enough to help");
    let failure = json!({
        "session_id": "s", "cwd": world.project.root, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "cargo build"}, "error": "error[E0432]: unresolved import `tides::moon`",
    });
    let said = explained(&["error-context"], Some(failure));
    line(&said, "command", "cargo build: failed");
    line(&said, "fault", "E0432");
    assert_eq!(world.json(&["status"])["injected_tokens"], 0);
}

#[test]
fn a_hook_that_cannot_be_shown_says_why() {
    let world = World::new();
    let said = world.refused(&["hook", "bogus"]);
    assert!(said.contains("session, prompt, ambient"), "{said}");
    let no_json = world.run_with(&["hook", "ambient"], "not json");
    assert_eq!(code(&no_json), Some(exit::USAGE), "{no_json:?}");
    assert!(
        stderr(&no_json).contains("not the JSON object"),
        "{no_json:?}"
    );
    let empty = world.run(&["hook", "session"]);
    assert_eq!((code(&empty), empty.stdout.len()), (Some(exit::OK), 0));
    assert!(
        stderr(&empty).contains("no memories in the scopes"),
        "{empty:?}"
    );
}

#[test]
fn hooks_go_in_and_come_out_without_a_trace() {
    let world = World::new();
    let originals: [Option<&str>; 5] = [
        None,
        Some("{}"),
        Some("{\n  // mine\n  \"model\": \"opus\", // this one\n}\n"),
        Some(
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        ),
        Some("{\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": []\r\n\t}\r\n}"),
    ];
    let settings = world.project.root.join(".claude").join("settings.json");
    for original in originals {
        if let Some(text) = original {
            world.project.write(".claude/settings.json", text).unwrap();
        }
        world.done(&["hooks", "install"]);
        let installed: Value =
            serde_json::from_str(&uncommented(&fs::read_to_string(&settings).unwrap())).unwrap();
        let groups = installed["hooks"]["PreToolUse"].as_array().unwrap();
        let of_files = groups.iter().find(|group| {
            group["matcher"]
                .as_str()
                .is_some_and(|names| names.starts_with("Read"))
        });
        let handler = &of_files.unwrap()["hooks"][0];
        assert_eq!(
            handler["command"].as_str().unwrap(),
            Binary::Hook
                .path()
                .canonicalize()
                .unwrap()
                .to_str()
                .unwrap()
        );
        assert_eq!(handler["args"], json!(["ambient"]), "without a shell");
        let before = fs::read(&settings).unwrap();
        world.done(&["hooks", "install"]);
        assert_eq!(
            fs::read(&settings).unwrap(),
            before,
            "installing twice changes nothing"
        );
        let status = world.json(&["hooks", "status"]);
        assert_eq!(
            (
                &status["files"][0]["scope"],
                &status["files"][0]["complete"]
            ),
            (&json!("project"), &json!(true))
        );
        world.done(&["hooks", "uninstall"]);
        assert_eq!(fs::read_to_string(&settings).ok().as_deref(), original);
    }
}

/// Takes out the one kind of comment, and the one trailing comma, that the samples above have.
fn uncommented(text: &str) -> String {
    text.lines()
        .map(|line| line.split(" //").next().unwrap())
        .collect::<String>()
        .replace(",}", "}")
}

#[test]
fn claude_is_connected_and_disconnected() {
    let world = World::new();
    world.done(&["connect", "claude"]);
    let servers: Value =
        serde_json::from_str(&fs::read_to_string(world.project.root.join(".mcp.json")).unwrap())
            .unwrap();
    let server = &servers["mcpServers"]["helix"];
    assert_eq!(
        server["command"].as_str().unwrap(),
        Binary::Mcp.path().canonicalize().unwrap().to_str().unwrap()
    );
    assert!(world.project.root.join(".claude/settings.json").exists());
    world.done(&["disconnect", "claude"]);
    let left: Vec<_> = fs::read_dir(&world.project.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn an_agent_that_is_wired_twice_is_told_of() {
    let world = World::new();
    world.done(&["connect", "claude"]);
    let findings = |world: &World| {
        let results = world.json(&["doctor"])["results"]
            .as_array()
            .unwrap()
            .clone();
        results
            .into_iter()
            .filter(|result| result["name"] == "hooks of Claude Code")
            .collect::<Vec<_>>()
    };
    assert_eq!(findings(&world), Vec::<Value>::new());
    world.done(&["connect", "claude", "--local"]);
    let found = findings(&world);
    assert_eq!(
        (found.len(), &found[0]["level"]),
        (1, &json!("warning")),
        "{found:?}"
    );
    let detail = found[0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("settings.json and in ") && detail.contains("settings.local.json"),
        "{detail}"
    );
    let remark = stderr(&world.run(&["status"]));
    assert!(
        remark.contains("`helixctl disconnect claude --local`") && remark.lines().count() == 1,
        "{remark}"
    );
    world.done(&["disconnect", "claude", "--local"]);
    assert_eq!(findings(&world), Vec::<Value>::new());
    assert_eq!(stderr(&world.run(&["status"])), "");
}

#[test]
fn what_was_installed_works_when_it_is_run() {
    let world = World::new();
    let handle = world.add(
        "kernels",
        "Kernels assume sorted input.",
        &["--source", "src/kernels.rs:42"],
    );
    world.done(&["hooks", "install"]);
    let text = fs::read_to_string(world.project.root.join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    let input = json!({"session_id": "s", "cwd": world.project.root, "hook_event_name": "SessionStart", "source": "startup"});
    let mut command = world.home.command(Binary::Hook);
    assert_eq!(command.get_program(), handler["command"].as_str().unwrap());
    let arguments = handler["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument.as_str().unwrap());
    let mut child = command
        .args(arguments)
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
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains(&handle));
}

#[test]
fn a_program_that_is_gone_has_the_remedy_that_sessions_are_told() {
    let world = World::new();
    let hook = json!({"type": "command", "command": "/nowhere/helix-hook", "args": ["session"]});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
    world
        .project
        .write(".claude/settings.local.json", &settings.to_string())
        .unwrap();
    let said = String::from_utf8(world.run(&["doctor"]).stdout).unwrap();
    let line = said
        .lines()
        .find(|line| line.contains("/nowhere/helix-hook does not exist"))
        .unwrap_or(&said);
    assert!(
        line.ends_with("; run `helixctl connect claude --local`"),
        "{said}"
    );
}
