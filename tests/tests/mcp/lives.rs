//! Bridges and daemons that start, end and are killed around calls.

use std::thread;

use helix_tests::bridge::Answer;
use helix_tests::{Daemon, Rpc, process};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::World;

#[test]
fn two_bridges_share_what_they_know() {
    let world = World::new();
    let (mut one, mut two) = (world.bridge(), world.bridge());
    for at in 0..20 {
        let (writer, reader) = if at % 2 == 0 {
            (&mut one, &mut two)
        } else {
            (&mut two, &mut one)
        };
        let text = format!("Fact number{at} about shape{at}.");
        writer
            .text(
                "store",
                &json!({"topic": "facts", "text": text, "force": true}),
            )
            .unwrap();
        let found = reader
            .text("search", &json!({"query": format!("shape{at}")}))
            .unwrap();
        assert!(found.contains(&text), "{found}");
    }
    one.finish_cleanly().unwrap();
    two.finish_cleanly().unwrap();
}

#[test]
fn bridges_that_start_together_share_one_daemon() {
    let world = World::new();
    let bridges: Vec<_> = (0..8).map(|_| world.bridge()).collect();
    let calls = bridges.into_iter().enumerate().map(|(at, mut bridge)| {
        thread::spawn(move || {
            let text = format!("Fact number{at} about shape{at}.");
            bridge
                .text(
                    "store",
                    &json!({"topic": "facts", "text": text, "force": true}),
                )
                .unwrap();
            bridge.finish_cleanly().unwrap();
        })
    });
    calls
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(|call| call.join().unwrap());
    let counted = world.bridge().text(
        "search",
        &json!({"query": "fact", "topic": "facts", "detail": "count"}),
    );
    assert!(counted.unwrap().ends_with("8 memories match"));
}

#[test]
fn a_daemon_killed_between_calls_is_started_again() {
    let world = World::new();
    let mut bridge = world.bridge();
    let mut rpc_pids = Vec::new();
    for at in 0..3 {
        let text = format!("Fact number{at} about shape{at}.");
        let stored = bridge
            .text(
                "store",
                &json!({"topic": "facts", "text": text, "force": true}),
            )
            .unwrap();
        assert!(stored.starts_with("stored "), "{stored}");
        let pid = Rpc::connect(&world.home).unwrap().pid();
        assert!(!rpc_pids.contains(&pid));
        rpc_pids.push(pid);
        process::signal(pid, Signal::SIGKILL).unwrap();
        process::await_end(pid).unwrap();
    }
    for at in 0..3 {
        let found = bridge
            .text("search", &json!({"query": format!("shape{at}")}))
            .unwrap();
        assert!(found.contains(&format!("number{at}")), "{found}");
    }
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_daemon_that_a_bridge_started_outlives_it() {
    let world = World::new();
    let mut bridge = world.bridge();
    bridge
        .text("store", &json!({"topic": "facts", "text": "Water is wet."}))
        .unwrap();
    let pid = Rpc::connect(&world.home).unwrap().pid();
    // Also waits for the end of the bridge's stdout, which a daemon that held it would keep open.
    bridge.finish_cleanly().unwrap();
    let mut rpc = Rpc::connect(&world.home).unwrap();
    assert_eq!(rpc.status().unwrap().pid, pid);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_a_bridge_started_holds_nothing_of_it() {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    let held = |pid: u32| -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        entries
            .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
            .collect()
    };
    let is_connected = |path: &&PathBuf| {
        let path = path.to_string_lossy();
        path.starts_with("pipe:") || path.starts_with("socket:")
    };
    let world = World::new();
    let mut bridge = world.bridge();
    bridge
        .text("store", &json!({"topic": "facts", "text": "Water is wet."}))
        .unwrap();
    let pid = Rpc::connect(&world.home).unwrap().pid();
    let (bridges, daemons) = (held(bridge.pid()), held(pid));
    assert!(
        bridges.iter().filter(is_connected).count() >= 3,
        "the bridge has three pipes: {bridges:?}"
    );
    let shared: Vec<_> = bridges
        .intersection(&daemons)
        .filter(is_connected)
        .collect();
    assert!(shared.is_empty(), "{shared:?}");
    for stream in 0..3 {
        assert_eq!(
            fs::read_link(format!("/proc/{pid}/fd/{stream}"))
                .unwrap()
                .to_str(),
            Some("/dev/null")
        );
    }
    let group = |pid: u32| {
        nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(
            i32::try_from(pid).unwrap(),
        )))
        .unwrap()
    };
    assert_ne!(group(pid), group(bridge.pid()), "a session of its own");
    bridge.finish_cleanly().unwrap();
}

#[test]
fn every_ending_is_clean() {
    let world = World::new();
    for signal in [None, Some(Signal::SIGINT), Some(Signal::SIGTERM)] {
        for has_called in [false, true] {
            let mut bridge = world.bridge();
            if has_called {
                bridge.text("search", &json!({"query": "x"})).unwrap();
            }
            match signal {
                None => bridge.close_stdin(),
                Some(signal) => bridge.signal(signal).unwrap(),
            }
            assert_eq!(bridge.finish().unwrap().code(), Some(0), "{signal:?}");
        }
    }
}

/// Sends everything before it reads anything.
#[test]
fn calls_that_nobody_waits_for_take_effect_in_their_order() {
    const ROUNDS: u64 = 60;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let first = json!({"topic": "counter", "text": "The counter stands at 0."});
    bridge.call("store", &first).unwrap();
    // Three calls a round: more than may be with the daemon at once.
    for round in 1..=ROUNDS {
        let text = format!("The counter stands at {round}.");
        bridge
            .send_call(
                3 * round,
                "edit",
                &json!({"action": "revise", "topic": "counter", "text": text}),
            )
            .unwrap();
        for at in 1..3 {
            bridge
                .send_call(3 * round + at, "read", &json!({"topic": "counter"}))
                .unwrap();
        }
    }
    let answers: Vec<Value> = (0..3 * ROUNDS).map(|_| bridge.receive().unwrap()).collect();
    for answer in answers {
        let round = answer["id"].as_u64().unwrap() / 3;
        let Answer { text, is_error } = Answer::of(&answer).unwrap();
        assert!(
            !is_error && text.contains(&format!("stands at {round}.")),
            "{round}: {text}"
        );
    }
    bridge.finish_cleanly().unwrap();
}

#[test]
fn more_calls_than_a_line_holds_wait_for_room() {
    const CALLS: u64 = 1_300;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for id in 0..CALLS {
        bridge
            .send_call(id, "read", &json!({"topic": "nothing"}))
            .unwrap();
    }
    bridge.close_stdin();
    let mut answered: Vec<u64> = Vec::new();
    for _ in 0..CALLS {
        let answer = bridge.receive().unwrap();
        let text = Answer::of(&answer).unwrap().text;
        assert!(!text.contains("wait already"), "{text}");
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..CALLS).collect::<Vec<_>>());
    assert_eq!(bridge.finish().unwrap().code(), Some(0));
}

#[test]
fn calls_that_wait_are_answered_after_the_end_of_the_input() {
    const CALLS: u64 = 200;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for id in 0..CALLS {
        let topic = format!("topic-{id}");
        bridge
            .send_call(
                id,
                "store",
                &json!({"topic": topic, "text": format!("Fact {id} of many.")}),
            )
            .unwrap();
    }
    bridge.close_stdin();
    let mut answered: Vec<u64> = (0..CALLS)
        .map(|_| bridge.receive().unwrap()["id"].as_u64().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..CALLS).collect::<Vec<_>>());
    assert_eq!(bridge.finish().unwrap().code(), Some(0));
}
