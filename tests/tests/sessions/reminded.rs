//! The reminder of a session that learned something and stored nothing.

use helix_tests::Bridge;
use helix_tests::hook::Session;
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
fn what_another_session_stored_that_goes_on_is_not_this_ones() {
    let world = World::new();
    let other = world.session("other");
    other.start("startup").unwrap();
    let mut bridge = Bridge::of_session(&world.home, &world.project.root, "other").unwrap();
    bridge.text("store", &json!({"topic": "build", "text": "Rows move into the cache: clone them first."})).unwrap();
    bridge.finish_cleanly().unwrap();
    // Nothing is told on either of them.
    assert_eq!((other.prompt("thanks").unwrap(), other.stop().unwrap()), (None, None));
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
    bridge.text("store", &json!({"topic": "build", "text": "Rows move into the cache: clone them first."})).unwrap();
    bridge.finish_cleanly().unwrap();
    assert_eq!(two.stop().unwrap(), None, "it stored something");
}
