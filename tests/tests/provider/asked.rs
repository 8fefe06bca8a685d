//! The grey band: each pair in it is asked about once, and nothing outside of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use helix_tests::Served;
use serde_json::Value;

use super::world::{DIFFERENT, Model, World};

#[test]
fn a_pair_is_asked_about_once_and_waits_with_the_models_word() {
    let mut world = World::new(Model::new(Some(DIFFERENT)));
    world.store_pair();
    let ran = world.json(&["provider", "run"]);
    assert_eq!(ran["asked"], 1, "{ran}");
    assert_eq!(ran["judged"], 1, "{ran}");
    let sent = world.model.await_request();
    assert!(sent.contains("billing listens on 8081"), "{sent}");
    assert!(!sent.to_lowercase().contains("authorization"), "{sent}");
    let reasons = world.reasons();
    assert!(
        reasons.contains("openai/played says: they are about different things"),
        "{reasons}"
    );
    let World {
        served,
        project,
        model,
    } = world;
    let world = World {
        served: served.restarted().unwrap(),
        project,
        model,
    };
    assert_eq!(world.json(&["provider", "run"])["asked"], 0);
    assert_eq!(world.model.waiting(), 0);
    let stats = world.json(&["stats"]);
    assert_eq!(stats["models"]["calls"], 1, "{stats}");
    assert_eq!(stats["models"]["tokens_in"], 200, "{stats}");
    assert_eq!(stats["models"]["tokens_paid"], 0, "{stats}");
}

#[test]
fn nothing_outside_of_the_band_is_asked_about() {
    let mut world = World::new(Model::new(Some(DIFFERENT)));
    world.store("billing listens on 8081");
    world.store("checkout is written in Go");
    world.store("billing listens on 8082 now, no longer on 8081");
    let ran = world.json(&["provider", "run"]);
    assert_eq!(ran["asked"], 0, "{ran}");
    assert_eq!(world.model.waiting(), 0);
}

#[test]
fn a_dry_run_shows_what_would_be_sent_and_sends_nothing() {
    let mut world = World::new(Model::new(Some(DIFFERENT)));
    world.store_pair();
    let ran = world.json(&["provider", "run", "--dry-run"]);
    let body = ran["would_send"][0]["body"].as_str().unwrap();
    assert!(body.contains("billing listens on 8082"), "{body}");
    assert_eq!(world.model.waiting(), 0);
    assert_eq!(world.json(&["provider", "run"])["asked"], 1);
}

#[test]
fn nonsense_leaves_the_pair_as_it_was() {
    let mut world = World::new(Model::new(Some("I am a teapot.")));
    world.store_pair();
    let before = world.reasons();
    let ran = world.json(&["provider", "run"]);
    assert_eq!(ran["judged"], 0, "{ran}");
    assert!(
        ran["error"].as_str().unwrap().contains("no answer"),
        "{ran}"
    );
    assert_eq!(world.reasons(), before);
    world.model.say(DIFFERENT);
    assert_eq!(world.json(&["provider", "run"])["judged"], 1);
}

#[test]
fn without_a_configuration_there_is_no_program_and_no_question() {
    let served = Served::new().unwrap();
    let pid = served.daemon.pid();
    let mut command = served.home.command(helix_tests::Binary::Ctl);
    let output = command
        .args(["provider", "status", "--json"])
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["configured"], false);
    assert_eq!(super::world::provider_of(pid), None);
}

#[test]
fn the_program_has_none_of_the_daemons_files_and_sockets_and_no_key_in_its_arguments() {
    let world = World::new(Model::new(Some(DIFFERENT)));
    let status = world.json(&["provider", "status"]);
    assert_eq!(status["backends"][0]["ready"], true, "{status}");
    let pid = world.provider_pid().unwrap();
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let leads_to = |entry: fs::DirEntry| fs::read_link(entry.path()).unwrap();
    let places: BTreeSet<PathBuf> = descriptors.map(|entry| leads_to(entry.unwrap())).collect();
    // Whoever runs the tests may leave pipes of its own to all below it.
    let home = &world.served.home.paths.home;
    assert!(
        !places.iter().any(|place| place.starts_with(home)),
        "{places:?}"
    );
    let is_socket = |place: &&PathBuf| place.to_string_lossy().starts_with("socket:");
    assert_eq!(places.iter().filter(is_socket).count(), 1, "{places:?}");
    let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    assert!(arguments.ends_with(b"helix-provider\0"), "{arguments:?}");
}
