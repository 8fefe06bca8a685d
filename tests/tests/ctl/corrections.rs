//! Effects of a stored text on those that were known, as a person is told, and the command that
//! settles it.

use crate::world::{World, stderr};

/// The command that a remark names, without the program's name.
fn spelled(said: &str) -> Vec<&str> {
    let (_, command) = said.split_once("`helixctl ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    command.split_whitespace().collect()
}

#[test]
fn the_command_that_a_conflict_names_settles_it() {
    let world = World::new();
    world.done(&["add", "billing listens on 8081", "--topic", "services"]);
    let added = world.run(&["add", "billing listens on 8082", "--topic", "services"]);
    let said = stderr(&added);
    assert!(said.contains("both are kept"), "{said}");
    assert_eq!(world.json(&["conflicts"])["total"], 1);
    let settled = world.done(&spelled(&said));
    assert!(settled.contains("superseded\tservices/"), "{settled}");
    assert_eq!(world.json(&["conflicts"])["total"], 0);
}

#[test]
fn the_command_that_a_replacement_names_takes_it_back() {
    let world = World::new();
    let old = world.add("web", "The web app is built with npm.", &[]);
    let text = "We switched the web app from npm to pnpm.";
    let added = world.run(&["add", text, "--topic", "web"]);
    let said = stderr(&added);
    assert!(said.contains("replaces web/"), "{said}");
    world.done(&spelled(&said));
    let read = world.json(&["read", &old]);
    assert_eq!(read["memories"][0]["status"], "active");
}

#[test]
fn json_names_what_was_corrected() {
    let world = World::new();
    let old = world.add("services", "billing listens on 8081", &[]);
    let added = world.json(&["add", "billing listens on 8082", "--topic", "services"]);
    let correction = &added["corrections"][0];
    assert_eq!(correction["handle"], *old);
    assert_eq!(correction["replaced"], false);
}
