//! What stands in a subagent's prompt is not told it again at its first file.

use helix_tests::hook::Session;

use crate::{World, mentions};

const FILE: &str = "src/export.rs";
const TASK: &str = "Find out why invoices are exported as semicolon CSV.";
const OTHER_TASK: &str = "Write a haiku about the moon.";

fn world() -> (World, String) {
    let world = World::new();
    world.project.write(FILE, "fn post() {}\n").unwrap();
    let text =
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.";
    let handle = world.remember_of("exchange", text, FILE);
    (world, handle)
}

/// Starts a subagent of a type.
fn start(agent: &Session<'_>, agent_type: &str) {
    agent
        .hook("subagent", "SubagentStart", |input| {
            input["agent_type"] = agent_type.into();
        })
        .unwrap();
}

/// Whether a file's memory is told.
fn is_told(session: &Session<'_>, handle: &str) -> bool {
    mentions(session.read(FILE).unwrap().as_ref(), handle)
}

#[test]
fn a_subagent_is_not_told_what_its_prompt_was_given() {
    let (world, handle) = world();
    let session = world.session("one");
    assert!(mentions(session.spawn(TASK).unwrap().as_ref(), &handle));
    let (spawned, later) = (session.subagent("a1"), session.subagent("a2"));
    start(&spawned, "general-purpose");
    assert!(!is_told(&spawned, &handle));
    start(&later, "general-purpose");
    assert!(is_told(&later, &handle), "the call was the other one's");
    assert!(
        is_told(&session, &handle),
        "the prompt is not the session's to read"
    );
}

#[test]
fn a_subagent_of_another_call_is_told() {
    let (world, handle) = world();
    let session = world.session("one");
    assert!(session.spawn(TASK).unwrap().is_some());
    let other = session.subagent("a1");
    start(&other, "Explore");
    assert!(is_told(&other, &handle), "the call was for another type");
    let two = world.session("two");
    let stranger = two.subagent("a2");
    start(&stranger, "general-purpose");
    assert!(is_told(&stranger, &handle), "another session called");
    assert_eq!(two.spawn(OTHER_TASK).unwrap(), None);
    let third = two.subagent("a3");
    start(&third, "general-purpose");
    assert!(is_told(&third, &handle), "its prompt was given nothing");
}

#[test]
fn of_calls_at_once_a_subagent_has_what_any_was_given() {
    let (world, handle) = world();
    let session = world.session("one");
    assert!(session.spawn(TASK).unwrap().is_some());
    assert_eq!(session.spawn(OTHER_TASK).unwrap(), None);
    let agents = ["a1", "a2", "a3"].map(|id| session.subagent(id));
    for agent in &agents {
        start(agent, "general-purpose");
    }
    assert_eq!(
        agents.each_ref().map(|agent| is_told(agent, &handle)),
        [false, false, true]
    );
}
