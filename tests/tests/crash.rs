//! Kills without warning while clients write: whatever was acknowledged is there when the daemon is started again.

#![allow(clippy::unwrap_used)]

mod writers;

use std::hint::spin_loop;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use helix_tests::{Daemon, Dice, Home};

use writers::{Acknowledged, all_are_there, are_found, block_on, collect, is_sound};

/// Kills over one home.
const CYCLES: u64 = 50;

/// Cycles between two thorough checks, which read everything.
const CYCLES_BETWEEN_CHECKS: u64 = 10;

/// Most acknowledgements before a kill.
const ACKNOWLEDGED_MAX: u64 = 40;

/// Longest time from the chosen acknowledgement to the kill: about a commit, so that kills fall into all of its parts.
const AIM_MICROS: u64 = 4_000;

/// Memories searched for at each thorough check.
const SAMPLE: u64 = 40;

/// Names the environment variable that repeats a run.
const SEED_VARIABLE: &str = "HELIX_TEST_SEED";

fn seed() -> u64 {
    let given = std::env::var(SEED_VARIABLE).ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| u64::from(std::process::id()))
}

/// Lets clients write and kills the daemon at a drawn moment.
fn write_and_kill(home: &Home, daemon: Daemon, dice: &mut Dice, all: &mut Vec<Acknowledged>) -> Result<(), String> {
    let (report, reports) = channel();
    let enough = dice.below(ACKNOWLEDGED_MAX);
    let aim = Duration::from_micros(dice.below(AIM_MICROS));
    let clients = writers::start(&home.paths, dice, &report);
    drop(report);
    for _ in 0..enough {
        reports.recv().map_err(|_| "every client gave up before the kill")?;
    }
    // Not to wait for something, but to hit any part of the commit that is under way.
    let moment = Instant::now() + aim;
    while Instant::now() < moment {
        spin_loop();
    }
    daemon.kill().map_err(|error| error.to_string())?;
    collect(clients, all)
}

fn check(home: &Home, all: &[Acknowledged], is_thorough: bool, dice: &mut Dice) -> Result<(), String> {
    all_are_there(&home.paths, all)?;
    if is_thorough {
        block_on(is_sound(&home.paths))?;
        block_on(are_found(&home.paths, all, SAMPLE, dice))?;
    }
    Ok(())
}

fn run(seed: u64) -> Result<(), String> {
    let home = Home::new().unwrap();
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for cycle in 1..=CYCLES {
        let daemon = Daemon::start(&home).map_err(|error| format!("cycle {cycle}: starting: {error}"))?;
        let is_thorough = cycle % CYCLES_BETWEEN_CHECKS == 0;
        check(&home, &all, is_thorough, &mut dice)
            .and_then(|()| write_and_kill(&home, daemon, &mut dice, &mut all))
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
    }
    let _daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
    check(&home, &all, true, &mut dice)?;
    assert!(all.len() as u64 > CYCLES, "only {} memories were acknowledged", all.len());
    Ok(())
}

#[test]
fn kills_lose_nothing_acknowledged() -> Result<(), String> {
    let seed = seed();
    run(seed).map_err(|detail| format!("{detail} (repeat with {SEED_VARIABLE}={seed})"))
}
