//! Files of which no record is here: wired by a colleague, on another machine, or with a home that
//! is gone.

use serde_json::Map;

use super::clients::{all, texts};
use super::*;
use crate::wiring::Change;
use crate::wiring::target::Syntax;
use crate::wiring::verify::read_as;

impl World {
    /// Takes out with a home that knows nothing.
    fn take_out(&self, target: &Target) -> Report {
        let plan = Plan::uninstall(std::slice::from_ref(target), &self.path("nowhere")).unwrap();
        plan.write().unwrap();
        assert!(!self.path("nowhere").exists());
        plan.reports().remove(0)
    }
}

/// Drops the containers that may have been there or not.
fn told(mut value: Value) -> Value {
    fn is_empty(value: &Value) -> bool {
        matches!(value, Value::Null) || value.as_object().is_some_and(Map::is_empty)
    }
    for name in [
        "hooks",
        "mcpServers",
        "servers",
        "mcp",
        "mcp_servers",
        "projects",
    ] {
        let Some(found) = value.get_mut(name) else {
            continue;
        };
        *found = told(found.take());
        found
            .as_object_mut()
            .into_iter()
            .for_each(|inner| inner.retain(|_, held| *held != json!({"mcpServers": {}})));
        if is_empty(found) {
            value.as_object_mut().unwrap().shift_remove(name);
        }
    }
    value
}

#[test]
fn exactly_ours_goes_and_what_was_there_stays() {
    for (client, scope) in all() {
        let world = World::new();
        for target in client.targets(scope, &world.place()) {
            for text in texts(&target) {
                put(&target, text.as_bytes());
                world.install(&target);
                let name = format!("{client:?}: {text:?}");
                assert_eq!(world.take_out(&target).change, Change::Cleaned, "{name}");
                let left = fs::read_to_string(&target.path).unwrap();
                assert!(!left.contains("helix-"), "{name}: {left}");
                let value = |text: &str| {
                    let mut value = told(
                        read_as(target.syntax, text)
                            .unwrap()
                            .unwrap_or_else(|| json!({})),
                    );
                    value.as_object_mut().unwrap().shift_remove("version");
                    value.to_string()
                };
                assert_eq!(value(&left), value(text), "{name}: {left}");
                assert_eq!(world.take_out(&target).change, Change::Unchanged, "{name}");
            }
        }
    }
}

#[test]
fn an_empty_container_that_was_there_stays_to_the_byte() {
    let world = World::new();
    let cases: &[(Target, &[&str])] = &[
        (
            world.server(Scope::Project),
            &[
                "{\"mcpServers\":{}}",
                "{\n  \"mcpServers\": {}\n}\n",
                "{\"a\": 1, \"mcpServers\": {}}",
            ],
        ),
        (
            world.hooks(Scope::Project),
            &["{\"hooks\":{}}", "{\n\t\"hooks\": {},\n\t\"a\": 1\n}"],
        ),
        (
            Client::Cursor
                .targets(Scope::Project, &world.place())
                .remove(0),
            &["{\"version\":1,\"hooks\":{}}\n"],
        ),
        (
            Client::VsCode
                .targets(Scope::Project, &world.place())
                .remove(0),
            &["{\n\t\"servers\": {},\n\t\"inputs\": []\n}\n"],
        ),
        (
            Client::Codex
                .targets(Scope::Project, &world.place())
                .remove(1),
            &["", "\n", "a = 1\n", "[mcp_servers]\n", "# a\n"],
        ),
    ];
    for (target, texts) in cases {
        for text in *texts {
            put(target, text.as_bytes());
            world.install(target);
            world.take_out(target);
            assert_eq!(fs::read_to_string(&target.path).unwrap(), *text);
        }
    }
}

#[test]
fn what_is_left_of_a_file_is_said_with_the_reason() {
    let world = World::new();
    for (client, scope) in all() {
        for target in client.targets(scope, &world.place()) {
            world.install(&target);
            let report = world.take_out(&target);
            let left = fs::read_to_string(&target.path).unwrap();
            assert_eq!(
                (report.change, report.notes.len()),
                (Change::Cleaned, 1),
                "{report:?}"
            );
            let shell = match target.syntax {
                Syntax::Toml => "left empty".to_owned(),
                Syntax::Json => {
                    format!("left as `{}`", left.split_whitespace().collect::<String>())
                }
            };
            let note = &report.notes[0];
            assert!(
                note.contains(&shell) && note.contains("no record"),
                "{note}"
            );
            assert!(note.contains(target.path.to_str().unwrap()), "{note}");
            fs::remove_file(&target.path).unwrap();
        }
    }
}

#[test]
fn an_entry_that_stands_twice_goes_twice() {
    let world = World::new();
    let target = world.server(Scope::Project);
    let ours = |program: &str| format!("\"helix\": {{\"command\": \"{program}/helix-mcp\"}}");
    let twice = format!("{{\"mcpServers\": {{{}, {}}}}}", ours("/a"), ours("/b"));
    put(&target, twice.as_bytes());
    world.install(&target);
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert_eq!(fs::read_to_string(&target.path).unwrap(), twice);
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    assert_eq!(
        fs::read_to_string(&target.path).unwrap(),
        "{\"mcpServers\": {}}"
    );
}

#[test]
fn a_file_in_which_others_have_servers_is_not_spoken_of() {
    let world = World::new();
    let target = world.server(Scope::Project);
    put(&target, br#"{"mcpServers": {"other": {"command": "x"}}}"#);
    world.install(&target);
    let report = world.take_out(&target);
    assert_eq!(
        (report.change, report.notes.len()),
        (Change::Cleaned, 0),
        "{report:?}"
    );
    assert_eq!(
        fs::read(&target.path).unwrap(),
        br#"{"mcpServers": {"other": {"command": "x"}}}"#
    );
}
