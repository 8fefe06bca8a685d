//! Changes from the command line alone.

use helix_client::v1::edit_request::Action;

use crate::fake::{State, memory};
use crate::world::{USAGE, World, assert_code, json, stderr, stdout};

fn world() -> World {
    World::new(State {
        memory: memory(),
        ..State::default()
    })
}

#[test]
fn every_change_reaches_the_daemon() {
    let world = world();
    let lines: [(&[&str], &str); 8] = [
        (&["append", "build/arch", "more"], "appended\t"),
        (&["revise", "build", "new", "--match", "arm"], "revised\t"),
        (
            &["tag", "build/arch", "--add", "a,b", "--remove", "c"],
            "tagged\t",
        ),
        (
            &[
                "set",
                "build/arch",
                "--links",
                "",
                "--pinned=false",
                "--source=",
            ],
            "set\t",
        ),
        (&["rename", "build", "built"], "renamed\t"),
        (&["merge", "build", "into"], "merged\t"),
        (&["restore", "build/arch"], "restored\t"),
        (
            &["forget", "--topic", "build", "--all", "--yes"],
            "forgot\t",
        ),
    ];
    for (line, said) in lines {
        let output = world.run(line);
        assert_code(&output, 0);
        assert!(stdout(&output).starts_with(said), "{}", stdout(&output));
    }
    world.fake.look(|state| match state.edits.as_slice() {
        [
            Action::Append(append),
            Action::Revise(revise),
            Action::Tag(tag),
            Action::Set(set),
            Action::Rename(rename),
            Action::Merge(merge),
            Action::Restore(restore),
            Action::Delete(delete),
        ] => {
            assert_eq!(append.text, "more");
            assert_eq!(revise.target.as_ref().unwrap().match_text, "arm");
            assert_eq!((tag.add.len(), tag.remove.len()), (2, 1));
            assert_eq!(
                (set.replace_links, set.links.len(), set.pinned),
                (true, 0, Some(false))
            );
            assert_eq!(set.source.as_deref(), Some(""));
            assert_eq!(
                (rename.new_name.as_str(), merge.into.as_str()),
                ("built", "into")
            );
            assert_eq!(
                (restore.reference.as_str(), delete.all),
                ("build/arch", true)
            );
        }
        other => unreachable!("{other:?}"),
    });
}

#[test]
fn a_change_of_an_older_version_is_refused() {
    let world = world();
    for line in [
        ["append", "build/arch", "more"],
        ["revise", "build/arch", "new"],
        ["tag", "build/arch", "--add=a"],
    ] {
        assert_code(
            &world.run(&[line.as_slice(), &["--sequence", "4"]].concat()),
            0,
        );
        let output = world.run(&[line.as_slice(), &["--sequence", "3"]].concat());
        assert_code(&output, USAGE);
        assert!(
            stderr(&output).contains("changed meanwhile; read it again"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(world.fake.look(|state| state.edits.len()), 3);
}

#[test]
fn text_comes_from_stdin() {
    let world = world();
    assert_code(
        &world.run_with_input(&["append", "build/arch", "-"], b"a\nb\n"),
        0,
    );
    world.fake.look(|state| match state.edits.as_slice() {
        [Action::Append(append)] => assert_eq!(append.text, "a\nb"),
        other => unreachable!("{other:?}"),
    });
}

#[test]
fn a_whole_topic_is_not_forgotten_unasked() {
    let world = world();
    let output = world.run(&["forget", "--topic", "build", "--all"]);
    assert_code(&output, USAGE);
    assert!(stderr(&output).contains("--yes"), "{}", stderr(&output));
    assert!(world.fake.look(|state| state.edits.is_empty()));
}

#[test]
fn several_candidates_are_listed_and_nothing_is_claimed() {
    let world = World::new(State {
        candidates: vec![memory(), memory()],
        ..State::default()
    });
    let output = world.run(&["append", "bui", "more"]);
    assert_code(&output, USAGE);
    assert!(
        stdout(&output).starts_with("build/arch\tgotcha\t"),
        "{}",
        stdout(&output)
    );
    assert!(stderr(&output).contains("2 memories fit") && !stdout(&output).contains('\u{1b}'));
}

#[test]
fn a_change_is_a_document() {
    let world = world();
    let document = json(&world.run(&["tag", "build/arch", "--add", "a", "--json"]));
    assert_eq!(
        (&document["changed"], &document["memories"][0]["index"]),
        (&1.into(), &0.into())
    );
    assert_eq!(document["warnings"][0], "warning 1");
}
