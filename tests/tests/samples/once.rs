//! Gemini CLI is told of a file after the tool that touched it, once, and by one hook.

use helix_tests::HookClient;
use serde_json::{Value, json};

use crate::made;
use crate::world::World;

/// The handle of what is remembered of `hello.txt`.
const OF_THE_FILE: &str = "[greeting/hello-txt-stays-plain-text]";

/// One of the inputs that are made up.
fn made(name: &str) -> Value {
    let is_it = |(known, _): &(String, Value)| known.ends_with(&format!("/{name}"));
    made::gemini().into_iter().find(is_it).unwrap().1
}

#[test]
fn a_file_brings_its_memories_up_once_a_session() {
    let world = World::new();
    let said =
        |event: &str, input: &Value| world.said_in_its_session(HookClient::Gemini, event, input);
    let read = made("AfterTool-read_file");
    assert_eq!(
        said("ambient", &made("BeforeTool-read_file")),
        None,
        "it takes no text yet"
    );
    let told = said("ambient", &read).unwrap();
    assert!(
        told.starts_with("<helix-memory") && told.contains(OF_THE_FILE),
        "{told}"
    );
    assert_eq!(said("ambient", &read), None, "again");
    assert_eq!(said("post-build", &read), None, "a file is no build");
    let failing = made("AfterTool-failing");
    assert_eq!(said("ambient", &failing), None, "a build is no file");
    assert!(said("post-build", &failing).is_some());
    assert_eq!(said("post-build", &failing), None, "again");
    // It tells of no start after it compressed what it knows.
    let mut compress = read.clone();
    compress["hook_event_name"] = "PreCompress".into();
    assert_eq!(said("pre-compact", &compress), None);
    let mut later = read;
    later["timestamp"] = "2026-11-22T12:00:00Z".into();
    assert_eq!(said("ambient", &later), Some(told));
}

#[test]
fn what_did_not_change_anything_is_no_edit() {
    let world = World::new();
    let mut replace = made("AfterTool-replace");
    replace["tool_response"] =
        json!({"llmContent": "no match", "error": {"message": "no occurrences found"}});
    let said = |input: &Value| world.said_in_its_session(HookClient::Gemini, "ambient", input);
    let told = said(&replace).unwrap();
    assert!(
        told.contains("[loader/") && !told.contains("this change"),
        "{told}"
    );
    let session = replace["session_id"].as_str().unwrap();
    assert_eq!(world.edited(session), 0);
    said(&made("AfterTool-write_file"));
    assert_eq!(world.edited(session), 1);
}
