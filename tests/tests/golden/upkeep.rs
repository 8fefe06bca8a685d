//! `topics`: pruning and compacting.

use serde_json::json;

use super::world::World;

#[test]
fn prune() {
    let mut world = World::with_corpus();
    world.say("topics", json!({"action": "prune"}));
    world.say("topics", json!({"action": "prune", "days": "20"}));
    world.say("topics", json!({"action": "prune", "days": 365}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn compact() {
    let mut world = World::with_corpus();
    let text = "perf: a static no_std shim with rustix costs 69 µs over a program that exits at once; libc crate 91, std \
                with static glibc 404, dynamic glibc 650.";
    world.say("topics", json!({"action": "compact"}));
    world.do_silently(
        "store",
        &json!({"topic": "hook-shim", "text": text, "force": true}),
    );
    world.say("topics", json!({"action": "compact"}));
    world.say("topics", json!({"action": "compact", "log": true}));
    world.say("topics", json!({"action": "compact", "apply": "true"}));
    world.say("topics", json!({"action": "compact", "apply": true}));
    world.say("topics", json!({"action": "compact", "mode": "migrate"}));
    world.say(
        "topics",
        json!({"action": "compact", "mode": "migrate", "apply": true}),
    );
    // What the files weigh before and after is the store's business.
    let log = world.do_silently(
        "topics",
        &json!({"action": "compact", "log": "true", "apply": "true"}),
    );
    assert!(
        log.contains("files: ") && log.contains(" before, "),
        "{log}"
    );
    insta::assert_snapshot!(world.told());
}
