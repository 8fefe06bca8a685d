//! Claude Code in a terminal of Cursor's speaks; Cursor that runs Claude Code's hooks is told
//! nothing by them, because its own come anyway.

use helix_tests::fixtures::claude_hook;
use helix_tests::{HookClient, HookRun};
use serde_json::{Value, json};

use crate::world::World;

/// Environment of a terminal of Cursor's and of everything that Cursor starts.
const INSIDE: &[(&str, &str)] = &[("CURSOR_VERSION", "2.3.14")];

/// Events of Helix's, and a recording that each says something to.
const TELLING: &[(&str, &str)] = &[
    ("session", "SessionStart-startup"),
    ("prompt", "UserPromptSubmit"),
    ("ambient", "PreToolUse-Read"),
    ("error-context", "PostToolUseFailure-Bash"),
];

fn said(
    world: &World,
    variables: &[(&str, &str)],
    event: &str,
    name: &str,
    input: &Value,
) -> HookRun {
    world.said_among(
        variables,
        HookClient::Claude,
        event,
        &format!("{name} {}", variables.len()),
        input,
    )
}

/// An event as Cursor writes it to a hook of Claude Code's.
fn of_cursors(claudes: &Value) -> Value {
    let mut input = claudes.clone();
    let own = json!({
        "conversation_id": "c0ffee00-0000-4000-8000-000000000001", "generation_id": "g1", "cursor_version": "2.3.14",
        "workspace_roots": ["/home/dev/project"], "session_id": "c0ffee00-0000-4000-8000-000000000001",
    });
    input
        .as_object_mut()
        .unwrap()
        .extend(own.as_object().unwrap().clone());
    input
}

#[test]
fn claude_code_speaks_in_a_terminal_of_cursors() {
    let world = World::new();
    for (event, name) in TELLING {
        let input = claude_hook(name).unwrap().input;
        let texts = [&[], INSIDE].map(|variables| {
            let run = said(&world, variables, event, name, &input);
            run.check_accepted(input["hook_event_name"].as_str().unwrap())
                .unwrap()
                .unwrap()
        });
        assert_eq!(texts[0], texts[1], "{event}");
    }
}

#[test]
fn cursor_is_told_by_its_own_hooks_alone() {
    let world = World::new();
    for (event, name) in TELLING {
        let input = of_cursors(&claude_hook(name).unwrap().input);
        let mut without_transcript = claude_hook(name).unwrap().input;
        without_transcript
            .as_object_mut()
            .unwrap()
            .remove("transcript_path");
        for variables in [&[], INSIDE] {
            said(&world, variables, event, name, &input)
                .check_silent()
                .unwrap();
            let mut bare = input.clone();
            for key in [
                "cursor_version",
                "generation_id",
                "transcript_path",
                "session_id",
            ] {
                bare.as_object_mut().unwrap().remove(key);
            }
            said(&world, variables, event, &format!("bare {name}"), &bare)
                .check_silent()
                .unwrap();
        }
        let name = format!("unsure {name}");
        said(&world, INSIDE, event, &name, &without_transcript)
            .check_silent()
            .unwrap();
    }
    let mut own = of_cursors(&claude_hook("SessionStart-startup").unwrap().input);
    own["hook_event_name"] = "sessionStart".into();
    let run = world.said_among(INSIDE, HookClient::Cursor, "session", "its own", &own);
    assert!(
        run.check_taken_by(HookClient::Cursor, "sessionStart")
            .unwrap()
            .is_some()
    );
}
