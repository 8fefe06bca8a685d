//! The history: listed, compared, explained, and taken back. Texts are too short to resemble each
//! other, so that nothing is suggested meanwhile.

use serde_json::json;

use super::world::{World, handle_of, spelled_call};

const NPM: &str = "Billing builds with npm.";
const PNPM: &str = "Billing builds with pnpm.";

#[test]
fn what_was_done_is_listed_in_pages() {
    let mut world = World::empty();
    world.say("topics", json!({"action": "log"}));
    let web = world.store("web", NPM);
    world.store("disk", "Clean the disk.");
    world.say(
        "edit",
        json!({"action": "revise", "topic": web, "text": PNPM}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": web, "tags": "build"}),
    );
    world.say("topics", json!({"action": "log"}));
    world.say(
        "topics",
        json!({"action": "log", "topic": "web", "limit": "2"}),
    );
    world.say(
        "topics",
        json!({"action": "log", "topic": "web", "limit": 2, "cursor": "3"}),
    );
    world.say(
        "topics",
        json!({"action": "log", "topic": web, "after": "today"}),
    );
    world.say("topics", json!({"action": "log", "after": "2200-01-01"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn two_places_are_compared() {
    let mut world = World::empty();
    let web = world.store("web", NPM);
    let disk = world.store("disk", "Clean the disk.");
    world.say(
        "edit",
        json!({"action": "revise", "topic": web, "text": format!("{PNPM}\nVersion 9 is pinned.")}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": web, "tags": "build"}),
    );
    world.say("edit", json!({"action": "delete", "topic": disk}));
    let ports = world.store("ports", "Billing listens on 8080.");
    let relate = json!({"action": "relate", "topic": web, "relation": "uses", "to": ports});
    world.say("edit", relate);
    world.say("topics", json!({"action": "diff", "from": 2}));
    world.say("topics", json!({"action": "diff", "from": "0", "to": "2"}));
    world.say("topics", json!({"action": "diff", "from": "now"}));
    world.say(
        "topics",
        json!({"action": "diff", "from": "2200-01-01", "to": "now"}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn a_memorys_life_is_told() {
    let mut world = World::empty();
    let old = world.store("services", "billing listens on 8081");
    let told = world.say(
        "store",
        json!({"topic": "services", "text": "billing listens on 8082"}),
    );
    world.say("edit", spelled_call(&told));
    let new = handle_of(&told);
    let ports = world.store("ports", "Clean the disk.");
    world.say(
        "edit",
        json!({"action": "relate", "topic": new, "relation": "uses", "to": ports}),
    );
    world.say("topics", json!({"action": "why", "topic": new}));
    world.say("topics", json!({"action": "why", "topic": old}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn changes_are_taken_back() {
    let mut world = World::empty();
    let web = world.store("web", NPM);
    world.say(
        "edit",
        json!({"action": "revise", "topic": web, "text": PNPM}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": web, "tags": "build"}),
    );
    world.say("edit", json!({"action": "undo"}));
    world.say("edit", json!({"action": "undo"}));
    world.say("read", json!({"topic": web}));
    world.say("topics", json!({"action": "log", "topic": web}));
    world.remark("a change that another one followed");
    world.say(
        "edit",
        json!({"action": "revise", "topic": web, "text": PNPM}),
    );
    world.say(
        "edit",
        json!({"action": "append", "topic": web, "text": "Version 9."}),
    );
    world.refused("edit", json!({"action": "undo", "sequence": 6}));
    world.say(
        "edit",
        json!({"action": "undo", "sequence": "6", "force": true}),
    );
    insta::assert_snapshot!(world.told());
}

#[test]
fn everything_goes_back_when_the_call_says_so() {
    let mut world = World::empty();
    let web = world.store("web", NPM);
    let disk = world.store("disk", "Clean the disk.");
    world.say(
        "edit",
        json!({"action": "revise", "topic": web, "text": PNPM}),
    );
    world.say("edit", json!({"action": "delete", "topic": disk}));
    world.store("ports", "Billing listens on 8080.");
    world.say("edit", json!({"action": "rollback", "to": 2}));
    world.say("read", json!({"topic": "web"}));
    world.say(
        "edit",
        json!({"action": "rollback", "to": "2", "apply": "true"}),
    );
    world.say("read", json!({"topic": "web"}));
    world.say(
        "edit",
        json!({"action": "rollback", "to": 2, "apply": true}),
    );
    world.say("topics", json!({"action": "diff", "from": 2, "to": "now"}));
    world.say("edit", json!({"action": "undo", "sequence": 6}));
    world.refused("edit", json!({"action": "rollback"}));
    world.refused("edit", json!({"action": "rollback", "to": 99}));
    world.refused("edit", json!({"action": "rollback", "to": "someday"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn mistakes() {
    let mut world = World::empty();
    world.refused("edit", json!({"action": "undo"}));
    world.store("web", NPM);
    for call in [
        json!({"action": "undo", "sequence": 0}),
        json!({"action": "undo", "sequence": 99}),
        json!({"action": "undo", "topic": "web"}),
    ] {
        world.refused("edit", call);
    }
    for call in [
        json!({"action": "log", "topic": "nobody/knows-it"}),
        json!({"action": "log", "cursor": "newest"}),
        json!({"action": "log", "limit": 5_000}),
        json!({"action": "log", "after": "someday"}),
        json!({"action": "diff"}),
        json!({"action": "diff", "from": 99}),
        json!({"action": "diff", "from": "someday"}),
        json!({"action": "diff", "from": 1, "to": 0}),
        json!({"action": "why"}),
        json!({"action": "why", "topic": "nobody/knows-it"}),
    ] {
        world.refused("topics", call);
    }
    insta::assert_snapshot!(world.told());
}
