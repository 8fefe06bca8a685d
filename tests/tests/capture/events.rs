//! Events: each goes where the like of it goes.

use super::world::World;

#[test]
fn events_become_what_the_like_of_them_becomes() {
    let world = World::new();
    let event = |arguments: &[&str]| world.json(&[&["event"], arguments].concat());
    let decided = event(&[
        "decision_made",
        "We chose Postgres over Mongo for the ledger.",
    ]);
    assert_eq!(decided["memory"]["kind"], "decision", "{decided}");
    assert_ne!(decided["memory"]["scope"], "global");
    let pattern = event(&[
        "pattern_detected",
        "Handlers return Result and never panic.",
    ]);
    assert_eq!(pattern["memory"]["kind"], "pattern", "{pattern}");
    assert_eq!(pattern["memory"]["scope"], "global");
    let preferred = event(&["user_feedback", "I prefer small commits, one idea each"]);
    assert_eq!(preferred["memory"]["kind"], "preference", "{preferred}");
    assert_eq!(preferred["memory"]["scope"], "global");
    let remark = event(&["user_feedback", "that looks good"]);
    assert!(remark["memory"].is_null(), "{remark}");
    let opened = event(&["file_opened", "--file", "src/a.rs", "--session", "s-1"]);
    assert_eq!(opened["outcome"], "noted for this session");
    let session = world.json(&["session", "s-1"]);
    assert!(session.to_string().contains("src/a.rs"), "{session}");
    let nobody = event(&["session_start"]);
    assert_eq!(nobody["outcome"], "not noted: no session is named");
}

#[test]
fn an_error_is_stored_once_and_then_its_memory_helps() {
    let world = World::new();
    let output = "error[E0382]: borrow of moved value: `ledger_totals`\n --> src/ledger.rs:31:9\n";
    let event = || {
        let arguments = [
            "event",
            "error_occurred",
            output,
            "--command",
            "cargo build",
        ];
        world.json(&arguments)
    };
    let first = event();
    assert_eq!(first["memory"]["kind"], "bug_fix", "{first}");
    let again = event();
    let outcome = again["outcome"].as_str().unwrap();
    assert!(outcome.starts_with("known as "), "{again}");
    assert_eq!(again["memory"]["handle"], first["memory"]["handle"]);
}

#[test]
fn wrong_events_and_events_that_are_switched_off_are_refused() {
    let world = World::with("[capture]\nevents = false\n");
    let refused = world.refused(&["event", "decision_made", "We chose Postgres."]);
    assert!(refused.contains("events = false"), "{refused}");
    let world = World::new();
    let unknown = world.refused(&["event", "file_closed"]);
    assert!(unknown.contains("file_opened"), "{unknown}");
    let missing = world.refused(&["event", "decision_made"]);
    assert!(missing.contains("needs text"), "{missing}");
}
