//! What is beyond the limit of a session is told, and had for the asking.

use super::world::{Said, World};

const RULES: &[Said<'static>] = &[
    ("user", "never log the IBAN of a customer"),
    ("user", "always run `make lint` before a push"),
    ("user", "we decided to keep Postgres for the ledger"),
    ("user", "from now on name branches after their ticket"),
    ("user", "don't ever write to the replica by hand"),
    ("user", "the importer must never hold two locks"),
    ("user", "I prefer short answers without a summary"),
];

#[test]
fn facts_beyond_the_limit_are_counted_and_read_on_demand() {
    let world = World::new();
    world.write("s-1", RULES);
    world.write(
        "s-2",
        &[(
            "user",
            "we decided to rewrite the parser in Rust because of the crashes",
        )],
    );
    let done = world.done(&["capture", "import", "--yes"]);
    assert!(done.contains("2 more were found"), "{done}");
    assert!(done.contains("capture import --more"), "{done}");
    let waiting = world.waiting();
    assert_eq!(waiting.len(), 6, "{waiting:?}");
    let status = world.done(&["capture", "status"]);
    assert!(status.contains("2 more were found"), "{status}");

    let foreseen = world.json(&["capture", "import", "--more", "--dry-run"]);
    assert_eq!(foreseen["total"]["sessions"], 1, "{foreseen}");
    world.done(&["capture", "import", "--more", "--yes"]);
    let all = world.waiting();
    assert_eq!(all.len(), 8, "{all:?}");
    let status = world.done(&["capture", "status"]);
    assert!(!status.contains("more were found"), "{status}");
    let again = world.json(&["capture", "import", "--more", "--yes"]);
    assert_eq!(again["total"]["sessions"], 0, "{again}");
    assert_eq!(world.waiting(), all);
}

#[test]
fn the_next_session_is_told_of_them() {
    let world = World::new();
    world.done(&["capture", "on"]);
    world.write("s-1", RULES);
    world.end("s-1");
    world.await_waiting(5);
    world.await_counted("decision", 1);
    let told = world.begin("s-2");
    assert!(told.contains("2 more were found"), "{told}");
}
