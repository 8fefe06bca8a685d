//! A memory in an editor: what is changed, what is kept, what is never overwritten.

use std::fs;

use helix_client::v1::edit_request::Action;

use crate::fake::{State, memory};
use crate::world::{UNAVAILABLE, USAGE, World, assert_code, json, names, stderr, stdout};

/// Changes the text, a tag and a field.
const EDIT: &str = r#"sed -i -e 's/use arm64/use x86/' -e 's/^tags: build/tags: linker/' -e 's/^importance: 0.5/importance: 0.9/' "$1""#;

fn world(state: State) -> World {
    World::new(State {
        memory: memory(),
        ..state
    })
}

/// The one file that was kept.
fn kept(world: &World) -> std::path::PathBuf {
    let directories = world.left_over();
    assert_eq!(directories.len(), 1, "{directories:?}");
    names(&directories[0]).remove(0)
}

#[test]
fn what_was_edited_is_changed_and_nothing_is_left() {
    let world = world(State::default());
    let output = world.run_with_editor(&["edit", "build/arch"], EDIT);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "edited\tbuild/arch\tbuild:0\n");
    assert!(
        stderr(&output).contains("warning 1") && stderr(&output).contains("warning 3"),
        "{}",
        stderr(&output)
    );
    assert!(world.left_over().is_empty());
    world.fake.look(|state| match state.edits.as_slice() {
        [Action::Set(set), Action::Tag(tag), Action::Revise(revise)] => {
            assert_eq!(
                (set.importance, set.confidence, set.replace_links),
                (Some(0.9), None, false)
            );
            assert_eq!(
                (&tag.add, &tag.remove),
                (&vec!["linker".to_owned()], &vec!["build".to_owned()])
            );
            assert_eq!(revise.text, memory().text.replace("arm64", "x86"));
            let id = "07070707-0707-0707-0707-070707070707";
            assert_eq!(revise.target.as_ref().unwrap().reference, id);
        }
        other => unreachable!("{other:?}"),
    });
}

#[test]
fn unchanged_does_nothing() {
    let world = world(State::default());
    let output = world.run_with_editor(&["edit", "build/arch"], "true");
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "unchanged\tbuild/arch\n");
    let rewritten = world.run_with_editor(
        &["edit", "build/arch", "--json"],
        r#"sed -i 's/^pinned: no/pinned:   no/' "$1""#,
    );
    assert_eq!(json(&rewritten)["changed"], 0);
    assert!(world.fake.look(|state| state.edits.is_empty()) && world.left_over().is_empty());
}

#[test]
fn emptied_aborts() {
    let world = world(State::default());
    for script in [r#": > "$1""#, r#"sed -i '/^use arm64/,$d' "$1""#] {
        let output = world.run_with_editor(&["edit", "build/arch"], script);
        assert_code(&output, USAGE);
        assert!(stderr(&output).contains("empty"), "{}", stderr(&output));
    }
    assert!(world.fake.look(|state| state.edits.is_empty()) && world.left_over().is_empty());
}

#[test]
fn what_was_typed_survives_a_failing_daemon_and_can_be_given_again() {
    let world = world(State {
        edits_max: Some(0),
        ..State::default()
    });
    let output = world.run_with_editor(&["edit", "build/arch"], EDIT);
    assert_code(&output, UNAVAILABLE);
    let file = kept(&world);
    let said = stderr(&output);
    assert!(
        said.contains("the disk is full") && said.contains(file.to_str().unwrap()),
        "{said}"
    );
    assert!(said.contains("helixctl edit build/arch --from"), "{said}");
    assert!(fs::read_to_string(&file).unwrap().contains("use x86"));

    let well = self::world(State::default());
    let again = well.run(&["edit", "build/arch", "--from", file.to_str().unwrap()]);
    assert_code(&again, 0);
    assert_eq!(well.fake.look(|state| state.edits.len()), 3);
    assert!(file.exists());
}

#[test]
fn what_was_changed_before_a_failure_is_said() {
    let world = world(State {
        edits_max: Some(2),
        ..State::default()
    });
    let output = world.run_with_editor(&["edit", "build/arch"], EDIT);
    assert_code(&output, UNAVAILABLE);
    assert!(
        stderr(&output).contains("fields and tags were changed, the rest was not"),
        "{}",
        stderr(&output)
    );
    assert!(kept(&world).exists());
}

#[test]
fn a_memory_that_changed_meanwhile_is_not_overwritten() {
    let world = world(State {
        sequence_step: 1,
        ..State::default()
    });
    let output = world.run_with_editor(&["edit", "build/arch"], EDIT);
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("was changed meanwhile"),
        "{}",
        stderr(&output)
    );
    assert!(world.fake.look(|state| state.edits.is_empty()) && kept(&world).exists());
}

#[test]
fn a_broken_header_is_said_and_the_file_kept() {
    let world = world(State::default());
    let output = world.run_with_editor(
        &["edit", "build/arch"],
        r#"sed -i 's/^kind: .*/knd: fact/' "$1""#,
    );
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("line 3 is no field") && kept(&world).exists(),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let world = world(State::default());
    let output = world.run_with_editor(&["edit", "build/arch"], "exit 3");
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("so nothing was changed"),
        "{}",
        stderr(&output)
    );
    assert!(world.left_over().is_empty());
    let typed = world.run_with_editor(&["edit", "build/arch"], &format!("{EDIT}; exit 3"));
    assert_code(&typed, USAGE);
    assert!(kept(&world).exists() && world.fake.look(|state| state.edits.is_empty()));
}

#[test]
fn without_a_terminal_no_editor_is_started() {
    let world = world(State::default());
    let mut command = world.command(&["edit", "build/arch"]);
    let output = command
        .env(
            "EDITOR",
            format!("touch '{}'; :", world.path("started").display()),
        )
        .output()
        .unwrap();
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("helixctl edit build/arch --text TEXT"),
        "{}",
        stderr(&output)
    );
    assert!(!world.path("started").exists() && world.fake.look(|state| state.edits.is_empty()));
}

#[test]
fn a_text_may_be_given_instead() {
    let world = world(State::default());
    assert_code(
        &world.run(&["edit", "build/arch", "--text", "new\ntext"]),
        0,
    );
    assert_code(
        &world.run_with_input(&["edit", "build/arch", "--text", "-"], b"from stdin\n"),
        0,
    );
    assert_code(&world.run(&["edit", "build/arch", "--text", " "]), USAGE);
    world.fake.look(|state| match state.edits.as_slice() {
        [Action::Revise(one), Action::Revise(two)] => {
            assert_eq!(
                (one.text.as_str(), two.text.as_str()),
                ("new\ntext", "from stdin")
            );
        }
        other => unreachable!("{other:?}"),
    });
}

#[test]
fn a_topic_is_no_memory() {
    let world = world(State {
        others: vec![memory()],
        ..State::default()
    });
    let output = world.run_with_editor(&["edit", "build"], EDIT);
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("2 memories; name one, e.g. build:0"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn without_a_terminal_a_memory_has_to_be_named() {
    let world = world(State::default());
    for command in ["edit", "read", "forget"] {
        let output = world.run(&[command]);
        assert_code(&output, USAGE);
        assert!(
            stderr(&output).contains(&format!("helixctl {command} REF")),
            "{}",
            stderr(&output)
        );
    }
}
