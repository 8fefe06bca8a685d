//! A program that is killed, and a daemon that ends, in the middle of a question.

use std::thread;

use helix_tests::process::{await_end, signal};
use nix::sys::signal::Signal;
use serde_json::Value;

use super::world::{DIFFERENT, Model, World};

#[test]
fn a_program_that_is_killed_in_a_call_costs_nothing() {
    let mut world = World::new(Model::new(None));
    world.store_pair();
    let before = world.reasons();
    let ran = thread::scope(|scope| {
        let run = scope.spawn(|| world.json(&["provider", "run"]));
        world.model.await_request();
        signal(world.provider_pid().unwrap(), Signal::SIGKILL).unwrap();
        run.join().unwrap()
    });
    let error = ran["error"].as_str().unwrap();
    assert!(error.contains("helix-provider failed"), "{error}");
    assert_eq!(world.reasons(), before);
    world.store("checkout is written in Go");
    world.model.say(DIFFERENT);
    let is_asked = |world: &World| {
        let output = world.run(&["provider", "run", "--json"]);
        let ran: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        ran["asked"] == 1
    };
    while !is_asked(&world) {}
    assert!(world.reasons().contains("openai/played says"));
}

#[test]
fn writes_do_not_wait_for_a_question_and_the_daemon_ends_in_the_middle_of_one() {
    let mut world = World::new(Model::new(None));
    world.store_pair();
    let mut command = world.served.home.command(helix_tests::Binary::Ctl);
    let command = command
        .args(["provider", "run"])
        .current_dir(&world.project.root);
    let mut run = command.spawn().unwrap();
    world.model.await_request();
    let program = world.provider_pid().unwrap();
    world.store("checkout is written in Go");
    let World { served, .. } = world;
    let helix_tests::Served { rpc, daemon, home } = served;
    drop(rpc);
    assert!(daemon.stop().unwrap().success());
    await_end(program).unwrap();
    assert!(!run.wait().unwrap().success());
    drop(home);
}

#[test]
fn a_daemon_that_is_killed_leaves_no_program_behind() {
    let mut world = World::new(Model::new(None));
    world.store_pair();
    let mut command = world.served.home.command(helix_tests::Binary::Ctl);
    let command = command
        .args(["provider", "run"])
        .current_dir(&world.project.root);
    let mut run = command.spawn().unwrap();
    world.model.await_request();
    let program = world.provider_pid().unwrap();
    let World { served, .. } = world;
    let helix_tests::Served { rpc, daemon, home } = served;
    drop(rpc);
    daemon.kill().unwrap();
    await_end(program).unwrap();
    assert!(!run.wait().unwrap().success());
    drop(home);
}
