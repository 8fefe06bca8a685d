//! Calls that are paid for: the key goes to the provider and nowhere else, and nothing goes out without
//! a budget.

use std::fs;
use std::path::Path;

use helix_tests::Served;

use super::world::{DIFFERENT, Model, World};

const VARIABLE: &str = "HELIX_TEST_PAID_KEY";
const KEY: &str = "quokka-key-5512";

/// A daemon whose model is paid for, with these variables beside the key.
fn paid(model: Model, variables: &[(&str, &str)]) -> World {
    let mut served = Served::new().unwrap();
    served.home.give(VARIABLE, KEY);
    for (name, value) in variables {
        served.home.give(name, value);
    }
    World::with(served, model, VARIABLE)
}

/// Arguments and name of a process, as others see them.
fn shown_to_all(pid: u32) -> String {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let shown = [read("cmdline"), read("comm"), read("status")].concat();
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn the_key_goes_to_the_provider_and_nowhere_else() {
    let mut world = paid(Model::new(Some(DIFFERENT)), &[]);
    world.store_pair();
    let ran = world.run(&["provider", "run", "--json"]);
    let sent = world.model.await_request();
    assert!(sent.contains(&format!("Bearer {KEY}")), "{sent}");
    let provider = world.provider_pid().unwrap();
    let shown = shown_to_all(provider) + &shown_to_all(world.served.daemon.pid());
    assert!(shown.contains("helix-provider"), "{shown}");
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!format!("{ran:?}").contains(KEY));
    for command in ["status", "stats", "review", "log"] {
        let said = format!("{:?}", world.run(&[command]));
        assert!(!said.contains(KEY), "{command}: {said}");
    }
    let stats = world.json(&["stats"]);
    assert_eq!(stats["models"]["tokens_paid"], 230, "{stats}");
    let home = &world.served.home;
    assert!(Path::new(&home.paths.home).join("logs").is_dir());
    assert_eq!(home.holding(KEY).unwrap(), None);
}

#[test]
fn a_budget_of_nothing_in_the_environment_disables_paid_calls() {
    let budget = [("HELIX_MONTHLY_TOKEN_BUDGET", "0")];
    let mut world = paid(Model::new(Some(DIFFERENT)), &budget);
    world.store_pair();
    let ran = world.json(&["provider", "run"]);
    assert!(ran["error"].as_str().unwrap().contains("budget"), "{ran}");
    assert_eq!(world.model.waiting(), 0);
    assert_eq!(world.json(&["stats"])["models"]["tokens_paid_max"], 0);
}

#[test]
fn a_budget_that_is_used_ends_paid_calls_and_a_restart_gives_none_back() {
    // One question takes some five hundred tokens at most, and is told to have taken 230.
    let budget = [("HELIX_MONTHLY_TOKEN_BUDGET", "600")];
    let mut world = paid(Model::new(Some(DIFFERENT)), &budget);
    world.store_pair();
    assert_eq!(world.json(&["provider", "run"])["judged"], 1);
    world.model.await_request();
    let World {
        served,
        project,
        model,
    } = world;
    let mut world = World {
        served: served.restarted().unwrap(),
        project,
        model,
    };
    world.store("checkout listens on 9081");
    world.store("checkout listens on 9082");
    let ran = world.json(&["provider", "run"]);
    assert!(ran["error"].as_str().unwrap().contains("budget"), "{ran}");
    assert_eq!(world.model.waiting(), 0);
}
