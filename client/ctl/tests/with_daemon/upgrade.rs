//! The handover to another program.

use crate::fake::State;
use crate::world::{USAGE, World, assert_code, json, stderr, stdout};

#[test]
fn an_upgrade_waits_for_the_new_daemon() {
    let world = World::new(State::default());
    let output = world.run(&["upgrade"]);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "upgraded\t0.1.0 → 0.2.0\tpid 1 → 2\n");
    assert_eq!(
        world.fake.look(|state| state.upgraded.clone()).as_deref(),
        Some("")
    );
}

#[test]
fn a_program_is_named_by_its_whole_path() {
    let world = World::new(State::default());
    let path = world.write("new-helixd", "");
    let document = json(&world.run(&["upgrade", "new-helixd", "--json"]));
    assert_eq!(
        (
            &document["old_pid"],
            &document["pid"],
            &document["new_version"]
        ),
        (&1.into(), &2.into(), &"0.2.0".into())
    );
    let sent = world.fake.look(|state| state.upgraded.clone()).unwrap();
    assert_eq!(sent, path.canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn a_program_that_is_not_there_is_never_asked_for() {
    let world = World::new(State::default());
    for name in ["missing", "."] {
        let output = world.run(&["upgrade", name]);
        assert_code(&output, USAGE);
        assert!(stderr(&output).contains("program"), "{}", stderr(&output));
    }
    assert!(world.fake.look(|state| state.upgraded.is_none()));
}
