//! Contradictions from the store that finds them to the call that settles them, and back.

use serde_json::json;

use super::world::{World, handle_of, spelled_call};

const OLD: &str = "billing listens on 8081";
const NEW: &str = "billing listens on 8082";

#[test]
fn the_call_that_a_store_names_settles_the_conflict() {
    let mut world = World::empty();
    let old = world.store("services", OLD);
    let told = world.say("store", json!({"topic": "services", "text": NEW}));
    world.say("topics", json!({"action": "conflicts"}));
    let settled = world.say("edit", spelled_call(&told));
    assert!(settled.starts_with("settled: "), "{settled}");
    world.say("topics", json!({"action": "conflicts"}));
    world.say("read", json!({"topic": old}));
    world.remark("the other way round: winner and loser change places");
    let new = handle_of(&told);
    world.say(
        "edit",
        json!({"action": "settle", "topic": old, "other": new, "how": "keep"}),
    );
    world.say(
        "edit",
        json!({"action": "settle", "topic": old, "other": new, "how": "keep"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn both_are_kept_or_joined() {
    let mut world = World::empty();
    let old = world.store("services", OLD);
    let new = world.store("services", NEW);
    world.say(
        "edit",
        json!({"action": "settle", "topic": new, "other": old, "how": "both"}),
    );
    world.say("topics", json!({"action": "conflicts"}));
    world.say(
        "edit",
        json!({"action": "merge", "topic": old, "into": new}),
    );
    world.say("read", json!({"topic": new}));
    world.say("edit", json!({"action": "undo"}));
    world.say(
        "edit",
        json!({"action": "supersede", "topic": new, "by": old}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn what_a_store_replaced_comes_back_by_the_call_that_it_names() {
    let mut world = World::empty();
    let old = world.store("web", "The web app is built with npm.");
    let told = world.say(
        "store",
        json!({"topic": "web", "text": "We switched the web app from npm to pnpm."}),
    );
    assert!(told.contains("note: replaces "), "{told}");
    let settled = world.say("edit", spelled_call(&told));
    assert!(
        settled.contains(&format!("({old} in use again)")),
        "{settled}"
    );
    world.say("read", json!({"topic": "web"}));
    world.say("topics", json!({"action": "conflicts"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_batch_names_the_calls_too() {
    let mut world = World::empty();
    world.store("services", OLD);
    let told = world.say(
        "batch",
        json!({"entries": [{"topic": "services", "text": NEW}, {"topic": "ci", "text": "Runs at night."}]}),
    );
    let settled = world.say("edit", spelled_call(&told));
    assert!(settled.starts_with("settled: "), "{settled}");
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_batch_is_decided_in_its_own_order() {
    let mut world = World::empty();
    let told = world.say(
        "batch",
        json!({"entries": [
            {"topic": "services", "text": OLD},
            {"topic": "services", "text": NEW},
            {"topic": "web", "text": "The web app is built with npm."},
            {"topic": "web", "text": "We switched the web app from npm to pnpm."},
            {"topic": "people", "text": "Priya maintains the speech frontend"},
            {"topic": "people", "text": "Priya maintains the speech frontend; Lorenzo stands in on vacation"},
        ]}),
    );
    assert!(told.contains("contradicts services/"), "{told}");
    assert!(told.contains("replaces web/"), "{told}");
    world.say("topics", json!({"action": "conflicts"}));
    world.say("read", json!({"topic": "people"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn undo_takes_a_contradicting_memory_back() {
    let mut world = World::empty();
    let old = world.store("services", OLD);
    world.store("services", NEW);
    let undone = world.say("edit", json!({"action": "undo"}));
    assert!(undone.contains("removed services/"), "{undone}");
    world.say("topics", json!({"action": "conflicts"}));
    let again = world.say("edit", spelled_call(&undone));
    assert!(again.contains("added services/"), "{again}");
    world.say("read", json!({"topic": old}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn mistakes_in_settling() {
    let mut world = World::empty();
    let old = world.store("services", OLD);
    let new = world.store("services", NEW);
    for call in [
        json!({"action": "settle", "topic": new}),
        json!({"action": "settle", "topic": new, "other": old}),
        json!({"action": "settle", "topic": new, "other": old, "how": "nonsense"}),
        json!({"action": "settle", "topic": new, "other": new, "how": "keep"}),
        json!({"action": "settle", "topic": new, "other": "services/none", "how": "keep"}),
        json!({"action": "settle", "topic": "services", "other": old, "how": "keep"}),
        json!({"action": "settle", "topic": new, "other": old, "how": "keep", "into": "a"}),
        json!({"action": "supersede", "topic": old}),
        json!({"action": "supersede", "topic": "nobody/knows-it", "by": new}),
        json!({"action": "merge", "topic": "services", "into": new}),
    ] {
        world.refused("edit", call);
    }
    world.refused(
        "topics",
        json!({"action": "conflicts", "topic": "services"}),
    );
    insta::assert_snapshot!(world.told());
}
