//! A fork has what its parent had, as its transcript says. The lines are those of Claude Code
//! 2.1.330.

use std::fs;
use std::path::{Path, PathBuf};

use helix_tests::hook::Session;
use serde_json::{Value, json};

use crate::{World, mentions};

const FILE: &str = "src/ledger.rs";

/// A project with two memories: one of a file, and one that every session starts with.
fn world() -> (World, String) {
    let world = World::new();
    world.project.write(FILE, "fn post() {}\n").unwrap();
    let handle = world.remember_of("ledger", "Postings are written in one transaction.", FILE);
    (world, handle)
}

/// Where a session writes its transcript.
fn transcript(world: &World, session: &str) -> PathBuf {
    world.project.root.join(format!("../{session}.jsonl"))
}

/// Tells an event of a session whose transcript is known.
fn hook(
    world: &World,
    session: &Session<'_>,
    id: &str,
    event: &str,
    sample: &str,
    change: impl Fn(&mut Value),
) -> Option<String> {
    let path = transcript(world, id);
    let change = |input: &mut Value| {
        input["transcript_path"] = path.to_string_lossy().into();
        change(input);
    };
    session.hook(event, sample, change).unwrap()
}

fn start(world: &World, id: &str, source: &str) -> Option<String> {
    hook(
        world,
        &world.session(id),
        id,
        "session",
        "SessionStart-startup",
        |input| input["source"] = source.into(),
    )
}

fn reads(world: &World, id: &str) -> Option<String> {
    let file = world.project.root.join(FILE);
    let change = |input: &mut Value| input["tool_input"] = json!({ "file_path": file });
    hook(
        world,
        &world.session(id),
        id,
        "ambient",
        "PreToolUse-Read",
        change,
    )
}

/// Writes what was said, by the ids of the messages.
fn write(transcript: &Path, session: &str, said: &[(&str, &str)], forked_from: Option<&str>) {
    let mut lines =
        vec![json!({"type": "mode", "mode": "default", "sessionId": session}).to_string()];
    let mut parent = Value::Null;
    for (uuid, at) in said {
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "type": "user", "message": {"role": "user", "content": "go on"},
            "uuid": uuid, "timestamp": at, "userType": "external", "cwd": "/p", "sessionId": session,
        });
        if let Some(from) = forked_from {
            line["forkedFrom"] = json!({"sessionId": from, "messageUuid": uuid});
        }
        parent = (*uuid).into();
        lines.push(line.to_string());
    }
    fs::write(transcript, lines.join("\n") + "\n").unwrap();
}

const LONG_AGO: &str = "2026-01-01T10:00:00.000Z";
const LATER: &str = "2096-01-01T10:00:00.000Z";

#[test]
fn a_fork_is_not_told_again_what_the_session_has_that_its_transcript_names() {
    let (world, handle) = world();
    start(&world, "one", "startup");
    assert!(mentions(reads(&world, "one").as_ref(), &handle));
    // It is the latest in this directory, and has nothing to do with the fork.
    start(&world, "two", "startup");
    write(
        &transcript(&world, "fork"),
        "fork",
        &[("a", LONG_AGO)],
        Some("one"),
    );
    assert_eq!(start(&world, "fork", "fork"), None);
    assert_eq!(reads(&world, "fork"), None);
    write(
        &transcript(&world, "other"),
        "other",
        &[("b", LONG_AGO)],
        Some("two"),
    );
    assert_eq!(start(&world, "other", "fork"), None);
    assert!(
        mentions(reads(&world, "other").as_ref(), &handle),
        "the other's parent was not told of it"
    );
}

#[test]
fn a_fork_whose_transcript_comes_later_is_known_by_its_first_messages() {
    let (world, handle) = world();
    for (id, first) in [("one", "a"), ("two", "b")] {
        start(&world, id, "startup");
        write(&transcript(&world, id), id, &[(first, LONG_AGO)], None);
    }
    assert!(mentions(reads(&world, "one").as_ref(), &handle));
    assert_eq!(start(&world, "fork", "fork"), None);
    hook(
        &world,
        &world.session("fork"),
        "fork",
        "prompt",
        "UserPromptSubmit",
        |input| {
            input["prompt"] = "go on".into();
        },
    );
    write(
        &transcript(&world, "fork"),
        "fork",
        &[("a", LONG_AGO), ("own", LATER)],
        None,
    );
    assert_eq!(reads(&world, "fork"), None);
    write(
        &transcript(&world, "other"),
        "other",
        &[("b", LONG_AGO), ("own", LATER)],
        None,
    );
    start(&world, "other", "fork");
    assert!(
        mentions(reads(&world, "other").as_ref(), &handle),
        "it is a fork of the other one"
    );
}
