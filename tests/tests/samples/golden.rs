//! One snapshot a client.

use std::fmt::Write as _;

use helix_tests::fixtures::hook_samples;
use helix_tests::hook::EVENTS;
use helix_tests::text::{without_days, without_noise};
use helix_tests::{HookClient, HookRun};
use serde_json::Value;

use crate::made;
use crate::world::World;

/// Plays inputs of a client, each by its name, and writes down what every event says.
fn told(client: HookClient, inputs: &[(String, Value)]) -> String {
    let world = World::new();
    let mut log = String::new();
    for (name, input) in inputs {
        let client_event = input["hook_event_name"].as_str().unwrap();
        writeln!(log, "# {name} ({client_event})").unwrap();
        let mut others = 0;
        for event in EVENTS {
            let run = world.said(client, event, name, input);
            let checked = run.check_taken_by(client, client_event);
            assert!(checked.is_ok(), "{event} with {name}: {checked:?}");
            if run.stdout.is_empty() {
                others += 1;
            } else {
                writeln!(log, "{event}, exit {}:\n{}", code(&run), shown(&run)).unwrap();
            }
        }
        let which = if others == EVENTS.len() {
            "every event"
        } else {
            "every other event"
        };
        writeln!(log, "{which}, exit 0: nothing\n").unwrap();
    }
    log
}

fn code(run: &HookRun) -> i32 {
    run.status.code().unwrap()
}

/// An answer as a person reads it.
fn shown(run: &HookRun) -> String {
    let answer: Value = serde_json::from_slice(&run.stdout).unwrap();
    without_days(&without_noise(
        &serde_json::to_string_pretty(&answer).unwrap(),
    ))
}

/// The recordings of a client.
fn recorded(client: HookClient) -> Vec<(String, Value)> {
    let samples = hook_samples()
        .unwrap()
        .into_iter()
        .filter(|sample| sample.client() == Some(client));
    samples.map(|sample| (sample.name, sample.input)).collect()
}

#[test]
fn claude() {
    insta::assert_snapshot!(told(HookClient::Claude, &recorded(HookClient::Claude)));
}

#[test]
fn codex() {
    insta::assert_snapshot!(told(HookClient::Codex, &recorded(HookClient::Codex)));
}

#[test]
fn cursor() {
    insta::assert_snapshot!(told(HookClient::Cursor, &made::cursor()));
}

#[test]
fn gemini() {
    insta::assert_snapshot!(told(HookClient::Gemini, &made::gemini()));
}
