//! A fork has what its parent had, as its transcript says. The lines are those of Claude Code
//! 2.1.330.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use helix_proto::v1::{Program, SessionLogRequest};
use helix_tests::Rpc;
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::rpc::draft;
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

fn asks(world: &World, id: &str, prompt: &str) -> Option<String> {
    let change = |input: &mut Value| input["prompt"] = prompt.into();
    let session = world.session(id);
    hook(world, &session, id, "prompt", "UserPromptSubmit", change)
}

/// Waits until a fork has what its parent was given: a busy machine may read a transcript behind
/// the answer.
fn await_inherited(world: &World, id: &str) {
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let request = SessionLogRequest {
        list: true,
        ..SessionLogRequest::default()
    };
    let inherited = within(Duration::from_secs(10), || {
        drop(asks(world, id, "thanks"));
        let log = rpc.call(async |client| client.session_log(request.clone()).await)?;
        let mut sessions = log.sessions.iter();
        let has_any = sessions.any(|known| known.session == id && known.injected > 0);
        Ok(has_any.then_some(()))
    });
    assert!(inherited.is_ok(), "{id} has nothing of its parent");
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

#[test]
fn a_fork_is_told_nothing_as_it_starts() {
    let (world, _) = world();
    let text = "decision: postings are written in one transaction.";
    Rpc::connect(&world.home)
        .unwrap()
        .store(Program::Mcp, &world.project.root, draft("books", text, ""))
        .unwrap();
    assert!(world.session("one").start("startup").unwrap().is_some());
    assert_eq!(world.session("fork").start("fork").unwrap(), None);
}

#[test]
fn a_prompt_that_the_parent_asked_brings_nothing_up_again() {
    let (world, handle) = world();
    let prompt = "why are postings written in one transaction?";
    start(&world, "one", "startup");
    assert!(mentions(asks(&world, "one", prompt).as_ref(), &handle));
    let messages = [("a", LONG_AGO)];
    write(
        &transcript(&world, "early"),
        "early",
        &messages,
        Some("one"),
    );
    assert_eq!(start(&world, "early", "fork"), None);
    await_inherited(&world, "early");
    assert_eq!(asks(&world, "early", prompt), None);
    assert_eq!(start(&world, "late", "fork"), None);
    write(&transcript(&world, "late"), "late", &messages, Some("one"));
    await_inherited(&world, "late");
    assert_eq!(asks(&world, "late", prompt), None);
    start(&world, "stranger", "startup");
    assert!(mentions(asks(&world, "stranger", prompt).as_ref(), &handle));
}
