//! Sessions that end: distilled where somebody switched that on, and nowhere else.

use helix_tests::hook::Session;

use super::world::World;

const DECISION: &str =
    "we decided to go with Postgres instead of Mongo because we need transactions across tenants";

const CONVENTION: &str = "from now on never log the customer's IBAN, not even masked";

#[test]
fn a_session_that_ends_is_distilled_and_the_next_one_is_told() {
    let world = World::new();
    let said = world.done(&["capture", "on"]);
    assert!(said.contains("capture is on here"), "{said}");
    world.write("s-1", &[("user", DECISION)]);
    world.end("s-1");
    world.await_counted("decision", 1);
    let told = world.begin("s-2");
    assert!(
        told.contains("Helix kept 1 fact of earlier sessions for review (1 decision)"),
        "{told}"
    );
    assert!(!told.contains("Postgres"), "{told}");
    let told = world.begin("s-3");
    assert!(!told.contains("Helix kept"), "it is told once: {told}");
    let status = world.json(&["capture", "status"]);
    assert_eq!(status["kept"][0]["kept"]["decision"], 1);
    // Its end is told again after a resumption, and nothing comes twice.
    world.end("s-1");
    world.write("s-4", &[("user", CONVENTION)]);
    world.end("s-4");
    world.await_waiting(2);
    assert_eq!(world.waiting().len(), 2);
}

#[test]
fn off_means_off() {
    let world = World::new();
    let status = world.json(&["capture", "status"]);
    assert_eq!(status["on"], false);
    assert_eq!(status["why"], "nobody switched it on");
    world.write("s-1", &[("user", DECISION)]);
    world.end("s-1");
    assert_eq!(world.json(&["capture", "status"])["waiting"], 0);

    world.done(&["capture", "on", "--global"]);
    world.done(&["capture", "off"]);
    world.end("s-1");
    assert_eq!(world.json(&["capture", "status"])["waiting"], 0);

    world.done(&["capture", "on"]);
    world.done(&["capture", "pause", "--session", "s-1"]);
    world.end("s-1");
    assert_eq!(world.json(&["capture", "status"])["waiting"], 0);

    let root = world.project.root.to_string_lossy().into_owned();
    world.done(&["capture", "off", "--path", &root]);
    world.write("s-2", &[("user", CONVENTION)]);
    world.end("s-2");
    assert_eq!(world.json(&["capture", "status"])["waiting"], 0);
    // What follows goes through the same queue: had anything been in it, it would be there by now.
    world.done(&["capture", "on", "--path", &root]);
    world.write("s-3", &[("user", "I prefer small commits, one idea each")]);
    world.end("s-3");
    world.await_waiting(1);
    let waiting = world.waiting();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert!(waiting[0].contains("small commits"), "{waiting:?}");
}

#[test]
fn switches_survive_a_restart_and_the_configuration_may_forbid_them() {
    let world = World::new();
    world.done(&["capture", "on"]);
    let World { served, project } = world;
    let world = World {
        served: served.restarted().unwrap(),
        project,
    };
    let status = world.json(&["capture", "status"]);
    assert_eq!(status["on"], true, "{status}");

    let forbidding = World::with("[capture]\ntranscripts = false\n");
    let refused = forbidding.refused(&["capture", "on"]);
    assert!(refused.contains("config.toml"), "{refused}");
    let shown = forbidding.done(&["capture", "status"]);
    assert!(
        shown.contains("`transcripts = false` in config.toml"),
        "{shown}"
    );
}

#[test]
fn recordings_can_be_switched_off() {
    let off = "[capture]\nreceipts = false\nsessions = false\nincidents = false\n";
    let world = World::with(off);
    world.done(&[
        "add",
        "Ledger totals are rounded half to even.",
        "--topic",
        "ledger",
    ]);
    let told = world.begin("s-1");
    assert!(told.contains("half to even"), "{told}");
    let status = world.json(&["capture", "status"]);
    assert_eq!(status["recordings"]["receipts"], false);
    assert_eq!(status["recordings"]["events"], true);
    let failing = Session::new(world.home(), &world.project, "s-1");
    let output = "error[E0432]: unresolved import `serde_json`\n --> src/main.rs:1:5\n";
    failing.failed("cargo build", output).unwrap();
    let World { served, project } = world;
    let world = World {
        served: served.restarted().unwrap(),
        project,
    };
    let receipts = world.json(&["receipts"]);
    assert!(!receipts.to_string().contains("s-1"), "{receipts}");
    let recorded = &world.json(&["capture", "status"])["recorded"];
    for name in ["receipts", "sessions", "incidents"] {
        assert_eq!(recorded[name]["kept"], 0, "{name}: {recorded}");
        let why = recorded[name]["why"].as_str().unwrap();
        assert_eq!(why, format!("`{name} = false` in config.toml"));
    }
}
