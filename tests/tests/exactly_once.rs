//! Kills without warning while an agent changes a memory: no change is made twice, and none that
//! was acknowledged is lost.

#![allow(clippy::unwrap_used)]

use std::hint::spin_loop;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use helix_tests::{Bridge, Dice, Home, process};
use nix::sys::signal::Signal;
use serde_json::json;

/// Lines appended one after the other.
const LINES: usize = 120;

/// Lines between two kills.
const LINES_BETWEEN_KILLS: usize = 8;

/// Longest time from asking for a change to the kill: about as long as a change takes, so that
/// kills fall into all of its parts.
const AIM_MICROS: u64 = 4_000;

/// The answer when nobody can know.
const UNKNOWN: &str = "may or may not have been done";

/// Kills the daemon of a home, each time after the time that it is told.
fn kill_when_told(home: &Home, moments: &Receiver<Duration>) {
    while let Ok(aim) = moments.recv() {
        let moment = Instant::now() + aim;
        while Instant::now() < moment {
            spin_loop();
        }
        // One that is just starting has not yet written who it is, and one that has gone cannot be
        // killed again.
        if let Ok(Some(pid)) = home.holder() {
            process::signal(pid, Signal::SIGKILL).ok();
        }
    }
}

/// Appends lines while the daemon is killed again and again. Returns which were acknowledged and of
/// which nobody knows.
fn append_under_kills(
    bridge: &mut Bridge,
    home: &Home,
    dice: &mut Dice,
) -> (Vec<usize>, Vec<usize>) {
    let (mut done, mut unknown) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let (tell, moments) = channel();
        scope.spawn(move || kill_when_told(home, &moments));
        for line in 0..LINES {
            if line % LINES_BETWEEN_KILLS == LINES_BETWEEN_KILLS - 1 {
                tell.send(Duration::from_micros(dice.below(AIM_MICROS)))
                    .unwrap();
            }
            let change = json!({"action": "append", "topic": "counted", "index": 0, "text": format!("line {line}.")});
            let answer = bridge.call("edit", &change).unwrap();
            let is_unknown = answer.text.contains(UNKNOWN);
            assert!(
                !answer.is_error || is_unknown,
                "line {line}: {}",
                answer.text
            );
            if answer.is_error {
                unknown.push(line);
            } else {
                done.push(line);
            }
        }
    });
    (done, unknown)
}

#[test]
fn no_change_is_made_twice() {
    let home = Home::new().unwrap();
    let mut bridge = Bridge::greeted(&home, home.scratch()).unwrap();
    bridge
        .text(
            "store",
            &json!({"topic": "counted", "text": "Lines are counted here.", "scope": "global"}),
        )
        .unwrap();
    let (done, unknown) = append_under_kills(
        &mut bridge,
        &home,
        &mut Dice::new(u64::from(std::process::id())),
    );
    let text = bridge
        .text("read", &json!({"topic": "counted", "index": 0}))
        .unwrap();
    let times = |line: &usize| text.matches(&format!("line {line}.")).count();
    for line in &done {
        assert_eq!(times(line), 1, "line {line} was acknowledged\n{text}");
    }
    for line in &unknown {
        assert!(times(line) <= 1, "line {line} was made twice\n{text}");
    }
    assert!(
        done.len() > LINES / 2,
        "{} lines were acknowledged, of {} nobody knows",
        done.len(),
        unknown.len()
    );
}
