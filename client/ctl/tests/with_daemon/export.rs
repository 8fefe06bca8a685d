//! Exports: whole or not at all.

use std::fs;

use helix_client::v1::{ExchangeFormat, ExportPiece};

use crate::fake::State;
use crate::world::{INTERRUPTED, USAGE, World, assert_code, json, names, stderr, stdout};

fn piece(file: &str, data: &str, written: u64) -> ExportPiece {
    ExportPiece {
        file: file.to_owned(),
        data: data.as_bytes().to_vec(),
        written,
        total: 3,
        notes: Vec::new(),
    }
}

fn two_pieces() -> Vec<ExportPiece> {
    let notes = vec!["links were left out".to_owned()];
    vec![
        piece("", "{\"a\":", 1),
        ExportPiece {
            notes,
            ..piece("", "1}", 3)
        },
    ]
}

#[test]
fn a_file_is_written_and_described() {
    let world = World::new(State {
        pieces: two_pieces(),
        ..State::default()
    });
    let output = world.run(&[
        "export", "-o", "out.json", "--topic", "a*", "--scope", "all",
    ]);
    assert_code(&output, 0);
    let path = world
        .path("project")
        .canonicalize()
        .unwrap()
        .join("out.json");
    assert_eq!(
        stdout(&output),
        format!("exported\t3 memories\t7 bytes\t{}\n", path.display())
    );
    assert!(stderr(&output).contains("links were left out"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}");
    world.fake.look(|state| {
        assert_eq!(state.exports[0].format(), ExchangeFormat::Json);
        assert_eq!(
            (&state.exports[0].topics[0], &state.exports[0].scopes[0]),
            (&"a*".to_owned(), &"all".to_owned())
        );
    });
    assert_code(&world.run(&["export", "all.json", "--all"]), 0);
    assert_eq!(
        world.fake.look(|state| state.exports[1].scopes.clone()),
        ["all"]
    );
    assert_code(
        &world.run(&["export", "more.json", "--all", "--scope", "global"]),
        USAGE,
    );
    let document = json(&world.run(&["export", "--output", "data.log", "--json"]));
    assert_eq!(
        (&document["format"], &document["memories"]),
        (&"amrl".into(), &3.into())
    );
    assert_eq!(names(&world.path("project")).len(), 3);
}

#[test]
fn stdout_gets_the_bytes_alone() {
    let world = World::new(State {
        pieces: two_pieces(),
        ..State::default()
    });
    assert_eq!(stdout(&world.run(&["export"])), "{\"a\":1}");
}

#[test]
fn an_export_that_breaks_leaves_what_was_there() {
    let world = World::new(State {
        pieces: two_pieces(),
        export_breaks: true,
        ..State::default()
    });
    let path = world.write("out.json", "old");
    let output = world.run(&["export", "out.json", "--force"]);
    assert_code(&output, 70);
    assert!(
        stderr(&output).contains("reading the store failed"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_code(&world.run(&["export", "-f", "markdown", "-o", "out"]), 74);
    assert_eq!(names(&world.path("project")), [path]);
}

#[test]
fn an_interrupted_export_leaves_nothing_behind() {
    let pieces = vec![piece("a.md", "1", 1), piece("b.md", "2", 2)];
    let world = World::new(State {
        pieces,
        hangs: true,
        ..State::default()
    });
    for line in [
        &["export", "out.json"][..],
        &["export", "-f", "markdown", "out"],
    ] {
        let exports = world.fake.look(|state| state.exports.len());
        let output = world.interrupt(line, |state| state.exports.len() > exports);
        assert_code(&output, INTERRUPTED);
        assert_eq!(
            stderr(&output),
            "helixctl: interrupted; nothing was written\n"
        );
        assert!(
            names(&world.path("project")).is_empty(),
            "{:?}",
            names(&world.path("project"))
        );
    }
}

#[test]
fn an_interrupted_export_to_stdout_is_said_to_be_a_part() {
    let world = World::new(State {
        pieces: two_pieces(),
        hangs: true,
        ..State::default()
    });
    let output = world.interrupt(&["export"], |state| !state.exports.is_empty());
    assert_code(&output, INTERRUPTED);
    let said = "helixctl: interrupted; what was written to stdout is not the whole export\n";
    assert_eq!(stderr(&output), said);
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_it_is_said() {
    let world = World::new(State {
        pieces: two_pieces(),
        ..State::default()
    });
    let path = world.write("out.json", "old");
    let refused = world.run(&["export", "out.json"]);
    assert_code(&refused, USAGE);
    assert!(
        stderr(&refused).contains("out.json exists") && stderr(&refused).contains("--force"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert!(
        world.fake.look(|state| state.calls.is_empty()),
        "nothing was asked"
    );
    assert_code(&world.run(&["export", "out.json", "--force"]), 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}");
    assert_code(&world.run(&["export", "out.json", "--overwrite"]), 0);
}

#[test]
fn markdown_is_a_directory() {
    let pieces = vec![
        piece("a.md", "1", 1),
        piece("a.md", "2", 2),
        piece("b.md", "3", 3),
        piece("", "", 3),
    ];
    let world = World::new(State {
        pieces,
        ..State::default()
    });
    let document = json(&world.run(&["export", "-f", "markdown", "-o", "out", "--json"]));
    assert_eq!(
        (&document["files"], &document["bytes"]),
        (&2.into(), &3.into())
    );
    let out = world.path("project/out");
    assert_eq!(fs::read_to_string(out.join("a.md")).unwrap(), "12");
    let again = world.run(&["export", "-f", "markdown", "-o", "out"]);
    assert_code(&again, USAGE);
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    // A file's name would become a directory's.
    for line in [
        &["export", "notes.md"][..],
        &["export", "-f", "markdown", "notes.json"],
    ] {
        let refused = world.run(line);
        assert_code(&refused, USAGE);
        assert!(
            stderr(&refused).contains("looks like a file")
                && stderr(&refused).contains("one file a topic")
        );
    }
    // A directory is markdown, said or not.
    assert_code(&world.run(&["export", "-o", "out", "--overwrite"]), 0);
    assert_eq!(
        (names(&out).len(), names(&world.path("project")).len()),
        (2, 1)
    );
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_asked() {
    let world = World::new(State::default());
    world.write("file", "");
    for line in [
        &["export", "-f", "markdown"][..],
        &["export", "--json"],
        &["export", "-f", "markdown", "-o", "file"],
        &["export", "-o", "."],
        &["export", "-f", "json", "-o", "."],
    ] {
        assert_code(&world.run(line), USAGE);
    }
    assert!(world.fake.look(|state| state.calls.is_empty()));
}
