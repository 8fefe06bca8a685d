//! The reminder of a session that learned something and stored nothing.

use helix_tests::fixtures::hook_samples;
use helix_tests::hook::Session;
use helix_tests::{Bridge, HookClient, HookRun};
use serde_json::json;

use crate::MISTAKE;
use crate::world::World;

/// Work after which a session is worth a reminder.
fn mends(session: &Session<'_>) {
    session.failed("cargo build", MISTAKE).unwrap();
    for file in ["src/a.rs", "src/b.rs", "src/c.rs"] {
        session.edit(file, "a", "b").unwrap();
    }
    session.ran("cargo build", "Finished").unwrap();
}

#[test]
fn codex_is_told_in_the_keys_that_it_takes_at_the_end_of_a_turn() {
    let world = World::new();
    mends(&world.session("one"));
    let sample = hook_samples()
        .unwrap()
        .into_iter()
        .find(|sample| sample.name == "codex-0.169.0/Stop")
        .unwrap();
    let mut input = sample.input;
    input["session_id"] = "one".into();
    input["cwd"] = world.project.root.to_string_lossy().into();
    let run = HookRun::by(
        &world.home,
        HookClient::Codex,
        "stop",
        input.to_string().as_bytes(),
    )
    .unwrap();
    let reason = run
        .check_taken_by(HookClient::Codex, "Stop")
        .unwrap()
        .unwrap();
    assert!(reason.starts_with("Helix: this session mended"), "{reason}");
}

#[test]
fn what_another_session_stored_that_goes_on_is_not_this_ones() {
    let world = World::new();
    let other = world.session("other");
    other.start("startup").unwrap();
    let mut bridge = Bridge::of_session(&world.home, &world.project.root, "other").unwrap();
    bridge
        .text(
            "store",
            &json!({"topic": "build", "text": "Rows move into the cache: clone them first."}),
        )
        .unwrap();
    bridge.finish_cleanly().unwrap();
    // Nothing is told on either of them.
    assert_eq!(
        (other.prompt("thanks").unwrap(), other.stop().unwrap()),
        (None, None)
    );
    let one = world.session("one");
    mends(&one);
    assert!(one.stop().unwrap().is_some());
}

#[test]
fn a_session_that_learned_something_and_stored_nothing_is_reminded_once() {
    let world = World::new();
    let one = world.session("one");
    assert_eq!(one.stop().unwrap(), None, "it did nothing");
    mends(&one);
    let goes_on = one.hook("stop", "Stop-active", |_| ()).unwrap();
    assert_eq!(goes_on, None, "it goes on because of a hook already");
    insta::assert_snapshot!(one.stop().unwrap().unwrap());
    assert_eq!(one.stop().unwrap(), None, "once");
    let two = world.session("two");
    mends(&two);
    let mut bridge = Bridge::of_session(&world.home, &world.project.root, "two").unwrap();
    bridge
        .text(
            "store",
            &json!({"topic": "build", "text": "Rows move into the cache: clone them first."}),
        )
        .unwrap();
    bridge.finish_cleanly().unwrap();
    assert_eq!(two.stop().unwrap(), None, "it stored something");
}
