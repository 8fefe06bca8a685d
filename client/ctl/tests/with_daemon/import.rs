//! Imports: every byte arrives, in order, and a broken input is never taken for a whole one.

use helix_client::v1::{ExchangeFormat, ImportProgress};

use crate::fake::State;
use crate::world::{DATA, INTERRUPTED, USAGE, World, assert_code, json, stderr, stdout};

fn done() -> ImportProgress {
    ImportProgress {
        read: 5,
        stored: 3,
        known: 2,
        done: true,
        ..ImportProgress::default()
    }
}

fn world() -> World {
    World::new(State {
        import_reply: done(),
        ..State::default()
    })
}

/// Returns the pieces that arrived, by file.
fn arrived(world: &World) -> Vec<(String, Vec<u8>)> {
    world.fake.look(|state| {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for piece in &state.imported {
            match files.last_mut().filter(|(name, _)| *name == piece.file) {
                Some((_, data)) => data.extend_from_slice(&piece.data),
                None => files.push((piece.file.clone(), piece.data.clone())),
            }
        }
        files
    })
}

#[test]
fn a_large_file_arrives_in_pieces() {
    let world = world();
    let text = format!("[{}]", "1,".repeat(400_000));
    world.write("in.json", &text);
    let output = world.run(&["import", "in.json", "--scope", "global"]);
    assert_code(&output, 0);
    assert_eq!(
        stdout(&output),
        "5 memories read: 3 stored, 2 known before, 0 revised, 0 in conflict, 0 refused\n"
    );
    assert!(arrived(&world) == [(String::new(), text.into_bytes())]);
    world.fake.look(|state| {
        assert_eq!((state.imported.len(), state.import_ended), (4, true));
        let (first, second) = (&state.imported[0], &state.imported[1]);
        assert_eq!(
            (first.format(), first.scope.as_str(), first.dry_run),
            (ExchangeFormat::Json, "global", false)
        );
        assert!(
            first.caller.is_some()
                && second.caller.is_none()
                && second.format() == ExchangeFormat::Unspecified
        );
    });
}

#[test]
fn a_directory_is_markdown_in_order() {
    let world = world();
    for (name, text) in [
        ("in/b.md", "B"),
        ("in/a.md", "A"),
        ("in/notes.txt", "no"),
        ("in/empty.md", ""),
    ] {
        world.write(name, text);
    }
    let output = world.run(&["import", "in", "--dry-run", "--json"]);
    assert_eq!(json(&output)["dry_run"], true);
    assert!(
        stderr(&output).contains("1 other file in "),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        arrived(&world),
        [
            ("a.md".to_owned(), b"A".to_vec()),
            ("b.md".to_owned(), b"B".to_vec())
        ]
    );
    world.fake.look(|state| {
        assert_eq!(
            (state.imported[0].format(), state.imported[0].dry_run),
            (ExchangeFormat::Markdown, true)
        );
    });
}

#[test]
fn stdin_tells_its_format() {
    let world = world();
    let log = b"AMRL\x01\0\0\0\x01\x02";
    assert_code(&world.run_with_input(&["import", "-"], log), 0);
    assert_eq!(arrived(&world), [(String::new(), log.to_vec())]);
    assert_eq!(
        world.fake.look(|state| state.imported[0].format()),
        ExchangeFormat::Amrl
    );
}

#[test]
fn an_empty_input_is_still_one() {
    let world = world();
    world.write("in.json", "");
    assert_code(&world.run(&["import", "in.json"]), 0);
    world
        .fake
        .look(|state| assert!(state.imported.len() == 1 && state.imported[0].caller.is_some()));
}

#[test]
fn what_is_refused_is_listed_and_counts() {
    let problems = vec!["byte 9: half a record".to_owned()];
    let world = World::new(State {
        import_reply: ImportProgress {
            refused: 1,
            problems,
            ..done()
        },
        ..State::default()
    });
    world.write("in.json", "{}");
    let output = world.run(&["import", "in.json"]);
    assert_code(&output, DATA);
    assert!(
        stdout(&output).starts_with("problem\tbyte 9: half a record\n5 memories read:"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn an_import_that_the_daemon_refuses_or_ends_early_fails() {
    let refusing = World::new(State {
        import_refused: true,
        ..State::default()
    });
    refusing.write("in.json", vec![b'['; 4 * 1024 * 1024]);
    let output = refusing.run(&["import", "in.json"]);
    assert_code(&output, USAGE);
    assert!(
        stderr(&output).contains("is it another format?"),
        "{}",
        stderr(&output)
    );

    let early = World::new(State {
        import_reply: ImportProgress {
            stored: 2,
            ..ImportProgress::default()
        },
        ..State::default()
    });
    early.write("in.json", "{}");
    let output = early.run(&["import", "in.json"]);
    assert_code(&output, 69);
    assert!(
        stderr(&output).contains("2 memories were stored until then"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_interrupted_import_says_how_to_go_on() {
    let world = World::new(State {
        hangs: true,
        ..State::default()
    });
    world.write("in.json", "{}");
    let output = world.interrupt(&["import", "in.json"], |state| state.import_ended);
    assert_code(&output, INTERRUPTED);
    assert_eq!(
        stderr(&output),
        "helixctl: interrupted; nothing was stored until then; import the same again\n"
    );
}

#[test]
fn what_tells_no_format_is_asked_for() {
    let world = world();
    world.write("in.txt", "words");
    world.write("none/in.txt", "words");
    for (line, said) in [
        (&["import", "in.txt"][..], "--format"),
        (&["import", "none"], "no Markdown file"),
        (&["import", "none", "--format", "json"], "only markdown"),
    ] {
        let output = world.run(line);
        assert_code(&output, USAGE);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    assert_code(&world.run(&["import", "missing.json"]), 74);
    assert!(world.fake.look(|state| state.calls.is_empty()));
}

/// A file that opens and cannot be read: the memory of a process that has nothing at 0.
#[cfg(target_os = "linux")]
#[test]
fn reading_that_fails_is_never_an_end() {
    let world = world();
    world.write("in/a.md", "A");
    std::os::unix::fs::symlink("/proc/self/mem", world.path("project/in/b.md")).unwrap();
    let output = world.run(&["import", "in/b.md"]);
    assert_code(&output, 74);
    assert!(stderr(&output).contains("b.md"), "{}", stderr(&output));
    assert!(world.fake.look(|state| !state.import_ended));
}
