//! Edits of a file between installing and uninstalling, and binaries that move.

use super::*;
use crate::wiring::Change;

const MOVED: &str = "/usr/local/bin/helix-hook";

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn moved() -> Programs {
    Programs::new(Path::new(MOVED), Path::new(BRIDGE), Vec::new()).unwrap()
}

#[test]
fn only_ours_goes_from_an_edited_file() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{\n  // keep\n  \"model\": \"opus\"\n}\n");
    world.install(&target);
    replace(&target.path, "\"opus\"", "\"sonnet\" /* newer */");
    let report = world.uninstall(&target);
    assert_eq!(report.change, Change::Cleaned);
    assert_eq!(report.notes.len(), 1);
    let text = fs::read_to_string(&target.path).unwrap();
    assert_eq!(
        text,
        "{\n  // keep\n  \"model\": \"sonnet\" /* newer */\n}\n"
    );
}

#[test]
fn a_comment_within_what_is_ours_stays() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{\n  \"a\": 1\n}\n");
    world.install(&target);
    replace(
        &target.path,
        "\"hooks\": {\n",
        "\"hooks\": {\n    // team rule: ask Ann\n",
    );
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    let text = fs::read_to_string(&target.path).unwrap();
    assert_eq!(
        text,
        "{\n  \"a\": 1,\n  \"hooks\": {\n    // team rule: ask Ann\n  }\n}\n"
    );
    assert_eq!(world.uninstall(&target).change, Change::Unchanged);
}

#[test]
fn a_comment_within_a_group_of_ours_stays() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    replace(
        &target.path,
        "\"matcher\": \"Read|Edit",
        "// mine\n        \"matcher\": \"Read|Edit",
    );
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    let text = fs::read_to_string(&target.path).unwrap();
    assert!(
        text.contains("// mine") && !text.contains("helix-hook"),
        "{text}"
    );
}

#[test]
fn a_handler_added_to_our_group_stays() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    replace(
        &target.path,
        "\"matcher\": \"Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep\",\n        \"hooks\": [",
        "\"matcher\": \"Read\",\n        \"hooks\": [{\"type\":\"command\",\"command\":\"./mine\"},",
    );
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    let expected = json!({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "./mine"}]}]}});
    assert_eq!(read(&target.path), expected);
}

#[test]
fn a_file_that_we_made_goes_even_when_it_was_reformatted() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    let compact = read(&target.path).to_string();
    fs::write(&target.path, compact).unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Deleted);
    assert!(!world.path("project/.claude").exists());
}

#[test]
fn empty_containers_that_were_there_before_stay() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(
        &target,
        b"{\"hooks\": {\"PreToolUse\": [], \"SessionStart\": null}, \"a\": 1}",
    );
    world.install(&target);
    replace(&target.path, "\"a\": 1", "\"a\": 2");
    world.uninstall(&target);
    assert_eq!(
        read(&target.path),
        json!({"hooks": {"PreToolUse": [], "SessionStart": null}, "a": 2})
    );
}

#[test]
fn a_moved_binary_is_updated_in_place_and_the_original_kept() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{\"a\": 1}");
    world.install(&target);
    let before = fs::read_to_string(&target.path).unwrap();
    assert_eq!(
        world.install_with(&target, &moved()).change,
        Change::Updated
    );
    assert_eq!(
        fs::read_to_string(&target.path).unwrap(),
        before.replace(SHIM, MOVED)
    );
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert_eq!(fs::read(&target.path).unwrap(), b"{\"a\": 1}");
}

#[test]
fn an_edit_before_a_second_install_is_never_lost() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{\"a\": 1}");
    world.install(&target);
    replace(&target.path, "\"a\": 1", "\"a\": 2");
    world.install_with(&target, &moved());
    assert_wired(&read(&target.path), MOVED);
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    assert_eq!(read(&target.path), json!({"a": 2}));
}

#[test]
fn a_record_of_an_earlier_time_does_not_bind_a_new_installation() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{\"a\": 1}");
    world.install(&target);
    fs::write(&target.path, "{\"checked\": \"out\"}").unwrap();
    world.install(&target);
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert_eq!(fs::read(&target.path).unwrap(), b"{\"checked\": \"out\"}");
}

#[test]
fn entries_from_elsewhere_are_adopted_and_come_back() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    let colleague = plan_install(Some("{\n  \"a\": 1\n}\n"), &hooks_target(), &moved())
        .unwrap()
        .text;
    put(&target, colleague.as_bytes());
    world.install(&target);
    assert_wired(&read(&target.path), SHIM);
    let report = world.uninstall(&target);
    assert_eq!((report.change, report.notes.len()), (Change::Restored, 1));
    assert_eq!(fs::read_to_string(&target.path).unwrap(), colleague);
    // They were not put there by us: asked again, they go.
    let report = world.uninstall(&target);
    assert_eq!((report.change, report.notes.len()), (Change::Cleaned, 1));
    assert!(
        report.notes[0].contains("no record") && report.notes[0].contains("an empty `hooks`"),
        "{report:?}"
    );
    assert_eq!(
        fs::read_to_string(&target.path).unwrap(),
        "{\n  \"a\": 1,\n  \"hooks\": {}\n}\n"
    );
}

#[test]
fn stale_and_repeated_handlers_are_tidied() {
    let ours = |verb: &str| json!({"type": "command", "command": "/old/helix-hook", "args": [verb], "statusMessage": "mine"});
    let text = json!({"hooks": {
        "Gone": [{"hooks": [ours("session")]}],
        "SessionStart": [{"matcher": "startup", "hooks": [ours("session")]}, {"hooks": [ours("session"), {"command": "x"}]}],
    }});
    let planned = plan_install(Some(&text.to_string()), &hooks_target(), &programs()).unwrap();
    let root = value_of(&planned.text).unwrap().unwrap();
    assert!(root["hooks"].get("Gone").is_none());
    let updated = json!({"type": "command", "command": SHIM, "args": ["session"], "statusMessage": "mine", "timeout": 5});
    assert_eq!(
        root["hooks"]["SessionStart"],
        json!([{"hooks": [updated]}, {"hooks": [{"command": "x"}]}])
    );
}

#[test]
fn a_server_keeps_its_arguments_when_it_moves() {
    let text = r#"{"mcpServers":{"helix":{"command":"/old/helix-mcp","args":["--strand","x"],"env":{"A":"1"}}}}"#;
    let planned = plan_install(Some(text), &server_target(), &programs()).unwrap();
    let root = value_of(&planned.text).unwrap().unwrap();
    let expected =
        json!({"command": BRIDGE, "args": ["--strand", "x"], "env": {"A": "1"}, "type": "stdio"});
    assert_eq!(root["mcpServers"]["helix"], expected);
}

#[test]
fn a_chosen_set_of_tools_takes_the_place_of_the_one_that_is_there() {
    let arguments = |there: &str, tools| {
        let text = format!(
            r#"{{"mcpServers":{{"helix":{{"command":"/old/helix-mcp","args":{there}}}}}}}"#
        );
        let programs = programs().offering(tools);
        let planned = plan_install(Some(&text), &server_target(), &programs).unwrap();
        let root = value_of(&planned.text).unwrap().unwrap();
        root["mcpServers"]["helix"]["args"].clone()
    };
    let memory = Some("memory");
    assert_eq!(arguments("[]", memory), json!(["--tools", "memory"]));
    assert_eq!(
        arguments(r#"["--tools", "helix", "--x"]"#, memory),
        json!(["--x", "--tools", "memory"])
    );
    assert_eq!(
        arguments(r#"["--tools=helix"]"#, memory),
        json!(["--tools", "memory"])
    );
    assert_eq!(
        arguments(r#"["--tools", "memory"]"#, None),
        json!(["--tools", "memory"])
    );
    assert_eq!(
        arguments(r#"["--tools"]"#, memory),
        json!(["--tools", "memory"])
    );
}

#[test]
fn uninstalling_what_is_not_installed_does_nothing() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    assert_eq!(world.uninstall(&target).change, Change::Unchanged);
    put(&target, b"{\"hooks\": {}}");
    assert_eq!(world.uninstall(&target).change, Change::Unchanged);
    assert_eq!(fs::read(&target.path).unwrap(), b"{\"hooks\": {}}");
    let foreign = br#"{"mcpServers": {"helix": {"command": "biology"}}}"#;
    let server = world.server(Scope::Project);
    put(&server, foreign);
    assert_eq!(world.uninstall(&server).change, Change::Unchanged);
    assert_eq!(fs::read(&server.path).unwrap(), foreign);
}

/// Settings in forms that others than a formatter give them; `mine` is edited later.
const FORMS: &[&str] = &[
    r#"{"model":"mine"}"#,
    r#"{ "model": "mine", "a": [1, 2] }"#,
    r#"{"model": "mine", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./bell"}]}]}}"#,
    "{\n  \"hooks\": {\n    \"Stop\": [{\n      \"hooks\": [{\"type\": \"command\", \"command\": \"./bell\"}]\n    }]\n  },\n  \"model\": \"mine\"\n}\n",
    "{\n  \"model\": \"mine\",\n  \"hooks\": { \"Stop\": [ {\"hooks\": []} ], \"Other\": [] }\n}\n",
    "{\n\n  \"model\": \"mine\",\n\n  \"hooks\": {\n\n    \"Stop\": [\n\n      {\"hooks\": []}\n\n    ]\n\n  }\n\n}",
    "{\"model\": \"mine\", // why\n \"hooks\": {\"Stop\": [{\"hooks\": []} /* one */, // two\n ], /* three */ } }",
    "{\r\n\t\"model\": \"mine\", \"hooks\": {\"Stop\": [{\"hooks\": []}]}}\r\n",
    r#"{"mcpServers":{"other":{"command":"x"}},"model":"mine"}"#,
    r#"{"model":"mine","projects":{"/elsewhere":{"allowedTools":[]}},"numStartups":3}"#,
];

#[test]
fn what_others_wrote_keeps_its_bytes_in_an_edited_file() {
    for text in FORMS {
        for scope in [Scope::Project, Scope::Local, Scope::User] {
            let world = World::new();
            for target in [world.hooks(scope), world.server(scope)] {
                put(&target, text.as_bytes());
                world.install(&target);
                replace(&target.path, "mine", "mine, newer");
                assert_eq!(world.uninstall(&target).change, Change::Cleaned);
                assert_eq!(
                    fs::read_to_string(&target.path).unwrap(),
                    text.replace("mine", "mine, newer")
                );
            }
        }
    }
}

#[test]
fn two_that_share_a_file_go_in_any_order() {
    for text in FORMS {
        for last_goes_first in [true, false] {
            let world = World::new();
            let (user, local) = (world.server(Scope::User), world.server(Scope::Local));
            assert_eq!(user.path, local.path);
            put(&user, text.as_bytes());
            world.install(&user);
            world.install(&local);
            let (first, second) = if last_goes_first {
                (&local, &user)
            } else {
                (&user, &local)
            };
            world.uninstall(first);
            world.install(first);
            world.uninstall(second);
            world.uninstall(first);
            assert_eq!(fs::read_to_string(&user.path).unwrap(), *text);
        }
    }
}

#[test]
fn what_somebody_wrote_beside_ours_stays_where_it_is() {
    let world = World::new();
    let target = world.server(Scope::Project);
    put(&target, br#"{"mcpServers": {"other": {"command": "x"}}}"#);
    world.install(&target);
    let text = fs::read_to_string(&target.path).unwrap();
    fs::write(
        &target.path,
        text.replace("\n  }}}", "\n  }, // ours\n  \"third\": {}}}"),
    )
    .unwrap();
    assert!(
        fs::read_to_string(&target.path).unwrap().contains("third"),
        "{text}"
    );
    world.uninstall(&target);
    let expected =
        "{\"mcpServers\": {\"other\": {\"command\": \"x\"},\n  // ours\n  \"third\": {}}}";
    assert_eq!(fs::read_to_string(&target.path).unwrap(), expected);
}

#[test]
fn what_the_user_made_of_an_entry_stays_when_it_moves() {
    let world = World::new();
    for client in [Client::Claude, Client::Codex, Client::Gemini] {
        let target = client.targets(Scope::Project, &world.place()).remove(0);
        world.install(&target);
        let text = fs::read_to_string(&target.path).unwrap();
        let (wait, longer) = if client == Client::Gemini {
            ("5000", "30000")
        } else {
            ("5", "30")
        };
        replace(
            &target.path,
            &format!("\"timeout\": {wait}"),
            &format!("\"timeout\": {longer}, \"async\": true"),
        );
        let edited = fs::read_to_string(&target.path).unwrap();
        assert_eq!(world.install(&target).change, Change::Unchanged);
        assert_eq!(fs::read_to_string(&target.path).unwrap(), edited);
        world.install_with(&target, &moved());
        assert_eq!(
            fs::read_to_string(&target.path).unwrap(),
            edited.replace(SHIM, MOVED)
        );
        assert_eq!(world.uninstall(&target).change, Change::Deleted, "{text}");
    }
}
