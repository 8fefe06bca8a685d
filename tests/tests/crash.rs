//! Kills without warning while clients write: whatever was acknowledged is there when the daemon is
//! started again.

#![allow(clippy::unwrap_used)]

mod audit;
mod writers;

use std::hint::spin_loop;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use helix_client::v1::{CompactRequest, Program};
use helix_client::{Client, Paths, Start, caller};
use helix_tests::{Daemon, Dice, Home};

use audit::{are_chained, are_stored_once, store_twice, twist_history};
use writers::{Acknowledged, all_are_there, are_found, block_on, collect, is_sound};

/// Kills over one home, unless [`CYCLES_VARIABLE`] names another number.
const CYCLES: u64 = 50;

/// Names the environment variable with the number of kills.
const CYCLES_VARIABLE: &str = "HELIX_TEST_CYCLES";

/// Cycles between two thorough checks, which read everything.
const CYCLES_BETWEEN_CHECKS: u64 = 10;

/// Most acknowledgements before a kill.
const ACKNOWLEDGED_MAX: u64 = 40;

/// Longest time from the chosen acknowledgement to the kill: about a commit, so that kills fall
/// into all of its parts.
const AIM_MICROS: u64 = 4_000;

/// Kills over one home whose store is rewritten meanwhile.
const REWRITTEN_CYCLES: u64 = 15;

/// How long the files may take to be rewritten, on a busy machine.
const COMPACT_DEADLINE: Duration = Duration::from_mins(2);

/// Longest time from the first acknowledgement to such a kill: what a few rewrites of a small store
/// take on a busy machine.
const REWRITTEN_AIM_MICROS: u64 = 600_000;

/// Memories searched for at each thorough check.
const SAMPLE: u64 = 40;

/// Names the environment variable that repeats a run.
const SEED_VARIABLE: &str = "HELIX_TEST_SEED";

fn cycles() -> u64 {
    std::env::var(CYCLES_VARIABLE)
        .ok()
        .and_then(|cycles| cycles.parse().ok())
        .unwrap_or(CYCLES)
}

fn seed() -> u64 {
    let given = std::env::var(SEED_VARIABLE)
        .ok()
        .and_then(|seed| seed.parse().ok());
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
        reports
            .recv()
            .map_err(|_| "every client gave up before the kill")?;
    }
    // Not to wait for something, but to hit any part of the commit that is under way.
    let moment = Instant::now() + aim;
    while Instant::now() < moment {
        spin_loop();
    }
    daemon.kill().map_err(|error| error.to_string())?;
    collect(clients, all)
}

/// Checks all that was acknowledged when it is `is_thorough`, else what was since `checked`.
fn check(
    home: &Home,
    all: &[Acknowledged],
    checked: usize,
    is_thorough: bool,
    dice: &mut Dice,
) -> Result<(), String> {
    all_are_there(
        &home.paths,
        if is_thorough {
            all
        } else {
            all.get(checked..).unwrap_or_default()
        },
    )?;
    if is_thorough {
        block_on(is_sound(&home.paths))?;
        block_on(are_found(&home.paths, all, SAMPLE, dice))?;
    }
    Ok(())
}

fn run(seed: u64) -> Result<(), String> {
    let home = Home::new().unwrap();
    let mut dice = Dice::new(seed);
    let (cycles, mut all, mut checked) = (cycles(), Vec::new(), 0);
    for cycle in 1..=cycles {
        let daemon =
            Daemon::start(&home).map_err(|error| format!("cycle {cycle}: starting: {error}"))?;
        let is_thorough = cycle % CYCLES_BETWEEN_CHECKS == 0;
        check(&home, &all, checked, is_thorough, &mut dice)
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
        checked = all.len();
        write_and_kill(&home, daemon, AIM_MICROS, &mut dice, &mut all)
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
    }
    finish(&home, &all, &mut dice)?;
    assert!(
        all.len() as u64 > cycles,
        "only {} memories were acknowledged",
        all.len()
    );
    let count = all.len();
    writeln!(
        std::io::stderr(),
        "{cycles} kills, {count} acknowledged, none lost, none twice; {SEED_VARIABLE}={seed}"
    )
    .map_err(|error| error.to_string())
}

/// Checks everything once more, through a last daemon and in the store that it leaves.
fn finish(home: &Home, all: &[Acknowledged], dice: &mut Dice) -> Result<(), String> {
    let daemon = Daemon::start(home).map_err(|error| error.to_string())?;
    check(home, all, 0, true, dice)?;
    let ended = daemon.stop().map_err(|error| error.to_string())?;
    if !ended.success() {
        return Err(format!("the last daemon ended with {ended}"));
    }
    are_stored_once(&home.paths, all)
}

#[test]
fn kills_lose_nothing_acknowledged() -> Result<(), String> {
    let seed = seed();
    run(seed).map_err(|detail| format!("{detail} (repeat with {SEED_VARIABLE}={seed})"))
}

/// Has the daemon rewrite its files, again and again until it is gone. Returns how often it did.
async fn compact_until_gone(paths: Paths) -> u64 {
    // A daemon that is gone already rewrites nothing.
    let Ok(mut client) = Client::connect(&paths, Start::Never, "helix-tests").await else {
        return 0;
    };
    let caller = caller(Program::Tool, Path::new(""), "", "");
    let request = CompactRequest {
        caller: Some(caller),
        apply: true,
        log: true,
        ..CompactRequest::default()
    };
    let mut done = 0;
    loop {
        let request = request.clone();
        if client
            .call_once(COMPACT_DEADLINE, async |client| {
                client.compact(request).await
            })
            .await
            .is_err()
        {
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
        let daemon =
            Daemon::start(&home).map_err(|error| format!("cycle {cycle}: starting: {error}"))?;
        let is_thorough = cycle % CYCLES_BETWEEN_CHECKS == 0;
        check(&home, &all, 0, is_thorough, &mut dice)
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
        let paths = home.paths.clone();
        let rewriting = thread::spawn(move || block_on(compact_until_gone(paths)));
        write_and_kill(&home, daemon, REWRITTEN_AIM_MICROS, &mut dice, &mut all)
            .map_err(|detail| format!("cycle {cycle}: {detail}"))?;
        rewrites += rewriting.join().map_err(|_| "the rewriting panicked")?;
    }
    finish(&home, &all, &mut dice)?;
    assert!(rewrites > 0, "nothing was ever rewritten");
    assert!(
        all.len() as u64 > REWRITTEN_CYCLES,
        "only {} memories were acknowledged",
        all.len()
    );
    Ok(())
}

#[test]
fn kills_while_the_store_is_rewritten_lose_nothing_acknowledged() -> Result<(), String> {
    let seed = seed();
    run_rewritten(seed).map_err(|detail| format!("{detail} (repeat with {SEED_VARIABLE}={seed})"))
}

#[test]
fn a_loss_a_repeat_and_a_twisted_history_are_caught() {
    let home = Home::new().unwrap();
    let mut dice = Dice::new(seed());
    let mut all = Vec::new();
    write_and_kill(
        &home,
        Daemon::start(&home).unwrap(),
        AIM_MICROS,
        &mut dice,
        &mut all,
    )
    .unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let lost = Acknowledged {
        handle: "client-0/never".to_owned(),
        text: "never stored".to_owned(),
    };
    assert!(
        all_are_there(&home.paths, std::slice::from_ref(&lost))
            .unwrap_err()
            .contains("is lost")
    );
    daemon.stop().unwrap();
    let missing = are_stored_once(&home.paths, &[lost]).unwrap_err();
    assert!(missing.contains("0 times"), "{missing}");
    let daemon = Daemon::start(&home).unwrap();
    let repeated = block_on(store_twice(&home.paths)).unwrap();
    daemon.stop().unwrap();
    let twice = are_stored_once(&home.paths, &[repeated]).unwrap_err();
    assert!(twice.contains("2 times"), "{twice}");
    twist_history(&home.paths);
    let broken = are_chained(&home.paths).unwrap_err();
    assert!(broken.contains("history"), "{broken}");
}
