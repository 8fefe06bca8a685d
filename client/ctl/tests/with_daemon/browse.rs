//! Questions and their answers.

use crate::fake::{State, memory};
use crate::world::{USAGE, World, assert_code, json, stderr, stdout};

#[test]
fn topics_pass_pattern_and_scopes_on() {
    let world = World::new(State::default());
    let document = json(&world.run(&[
        "topics", "iris-*", "--scope", "all", "--scope", "global", "--json",
    ]));
    assert_eq!(document["topics"][0]["name"], "iris-*|all|global");
}

#[test]
fn entries_have_names_that_commands_take() {
    let world = World::new(State {
        memory: memory(),
        others: vec![memory()],
        ..State::default()
    });
    let output = world.run(&["entries", "build"]);
    assert_code(&output, 0);
    assert!(
        stdout(&output).starts_with("build:0\tbuild/arch\t"),
        "{}",
        stdout(&output)
    );
    assert!(!stdout(&output).contains('\u{1b}'));
    let missing = world.run(&["entries", "nothing"]);
    assert_code(&missing, USAGE);
    assert!(
        stderr(&missing).contains("search for it"),
        "{}",
        stderr(&missing)
    );
}

#[test]
fn a_checkpoint_is_saved_and_shown() {
    let world = World::new(State::default());
    let none = world.run(&["checkpoint", "show"]);
    assert_code(&none, 0);
    assert!(stderr(&none).contains("helixctl checkpoint save --task") && stdout(&none).is_empty());
    let line = [
        "checkpoint",
        "save",
        "--task",
        "t",
        "--done",
        "a",
        "--done",
        "b",
        "--next",
        "c",
        "--blocked",
        "d",
    ];
    assert_code(&world.run(&line), 0);
    assert_eq!(
        stdout(&world.run(&["checkpoint", "resume"])),
        "## Checkpoint: t\n"
    );
    let document = json(&world.run(&["checkpoint", "show", "--json"]));
    assert_eq!(
        document["checkpoint"]["done"],
        serde_json::json!(["a", "b"])
    );
    assert_eq!(
        (
            &document["checkpoint"]["task"],
            &document["checkpoint"]["blocked"]
        ),
        (&"t".into(), &"d".into())
    );
}

#[test]
fn a_brief_is_text_or_a_document() {
    let world = World::new(State::default());
    let output = world.run(&[
        "brief",
        "a",
        "b",
        "--detail",
        "scan",
        "--since",
        "5",
        "--focus",
        "x,y",
        "--compact",
    ]);
    assert_eq!(stdout(&output), "a b Scan 5 x,y true\\u{1b}[2J\n");
    let document = json(&world.run(&["brief", "--json"]));
    assert_eq!(
        (&document["memories"], &document["brief"]["topics"][0]),
        (&3.into(), &"a".into())
    );
}
