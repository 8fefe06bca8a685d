//! Kills without warning while clients write: whatever was acknowledged is there when the daemon is started again.

#![allow(clippy::unwrap_used)]

mod writers;

use std::hint::spin_loop;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use helix_client::v1::{CompactRequest, Program};
use helix_client::{Client, Paths, Start, caller};
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

/// Kills over one home whose store is rewritten meanwhile.
const REWRITTEN_CYCLES: u64 = 15;

/// How long the files may take to be rewritten, on a busy machine.
const COMPACT_DEADLINE: Duration = Duration::from_mins(2);

/// Longest time from the first acknowledgement to such a kill: what a few rewrites of a small store take on a busy machine.
const REWRITTEN_AIM_MICROS: u64 = 600_000;

/// Memories searched for at each thorough check.
const SAMPLE: u64 = 40;

/// Names the environment variable that repeats a run.
const SEED_VARIABLE: &str = "HELIX_TEST_SEED";

fn seed() -> u64 {
    let given = std::env::var(SEED_VARIABLE).ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| u64::from(std::process::id()))
}

/// Lets clients write and kills the daemon at a drawn moment.
fn write_and_kill(
    home: &Home,
    daemon: Daemon,
    aim_micros: u64,
    dice: &mut Dice,
    all: &mut Vec<Acknowledged>,
) -> Result<(), String> {
    let (report, reports) = channel();
    let enough = dice.below(ACKNOWLEDGED_MAX);
    let aim = Duration::from_micros(dice.below(aim_micros));
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
            .and_then(|()| write_and_kill(&home, daemon, AIM_MICROS, &mut dice, &mut all))
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

/// Has the daemon rewrite its files, again and again until it is gone. Returns how often it did.
async fn compact_until_gone(paths: Paths) -> u64 {
    // A daemon that is gone already rewrites nothing.
    let Ok(mut client) = Client::connect(&paths, Start::Never, "helix-tests").await else { return 0 };
    let caller = caller(Program::Tool, Path::new(""), "", "");
    let request = CompactRequest { caller: Some(caller), apply: true, log: true, ..CompactRequest::default() };
    let mut done = 0;
    loop {
        let request = request.clone();
        if client.call_once(COMPACT_DEADLINE, async |client| client.compact(request).await).await.is_err() {
            return done;
        }
        done += 1;
    }
}

/// Has the store rewritten over and over while clients write, and kills the daemon meanwhile.
fn run_rewritten(seed: u64) -> Result<(), String> {
    let home = Home::new().unwrap();
    let mut dice = Dice::new(seed);
    let (mut all, mut rewrites) = (Vec::new(), 0);
    for cycle in 1..=REWRITTEN_CYCLES {
        let daemon = Daemon::start(&home).map_err(|error| format!("cycle {cycle}: starting: {error}"))?;
        let is_thorough = cycle % CYCLES_BETWEEN_CHECKS == 0;
        check(&home, &all, is_thorough, &mut dice).map_err(|detail| format!("cycle {cycle}: {detail}"))?;
        let paths = home.paths.clone();
        let rewriting = thread::spawn(move || block_on(compact_until_gone(paths)));
        write_and_kill(&home, daemon, REWRITTEN_AIM_MICROS, &mut dice, &mut all)
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
        rewrites += rewriting.join().map_err(|_| "the rewriting panicked")?;
    }
    let _daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
    check(&home, &all, true, &mut dice)?;
    assert!(rewrites > 0, "nothing was ever rewritten");
    assert!(all.len() as u64 > REWRITTEN_CYCLES, "only {} memories were acknowledged", all.len());
    Ok(())
}

#[test]
fn kills_while_the_store_is_rewritten_lose_nothing_acknowledged() -> Result<(), String> {
    let seed = seed();
    run_rewritten(seed).map_err(|detail| format!("{detail} (repeat with {SEED_VARIABLE}={seed})"))
}
