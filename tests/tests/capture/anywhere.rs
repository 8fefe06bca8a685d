//! Kills without warning at random places of an import and of what is kept at the ends of sessions:
//! nothing comes twice, and nothing is lost.
//!
//! Each run draws its own seed and prints it; `HELIX_TEST_SEED` repeats one.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use helix_tests::{Dice, Served};

use super::world::World;

/// Rounds of a run: in each, sessions go on, and the daemon is killed. No session says more than is kept
/// of one.
const ROUNDS: usize = 5;

/// Sessions, each of which says one more thing in every second round or so.
const SESSIONS: usize = 8;

/// How long a daemon that is to be killed at a place is waited for to come there.
const REST_DEADLINE: Duration = Duration::from_secs(10);

/// Lines of chatter around each thing that is said, so that reading takes a while.
const CHATTER: u64 = 40;

/// Things, and reasons for them, that make each decision another one.
const TOOLS: [&str; 8] = [
    "Bazel",
    "Terraform",
    "Grafana",
    "Kafka",
    "Redis",
    "Vault",
    "Nomad",
    "Consul",
];
const REASONS: [&str; 5] = [
    "the nightly audits need reproducible archives",
    "our on-call engineers already know its dashboards",
    "the security review rejected everything else",
    "its licence lets customers run it themselves",
    "invoices must survive the loss of a region",
];

fn seed() -> u64 {
    let given = env::var("HELIX_TEST_SEED").ok();
    let drawn = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        now.subsec_nanos().into()
    };
    let seed = given.map_or_else(drawn, |seed| seed.parse().unwrap());
    eprintln!("HELIX_TEST_SEED={seed}");
    seed
}

/// What each session says in a round; `None` where it rests.
fn script(dice: &mut Dice) -> Vec<Vec<Option<String>>> {
    let round = |round: usize, dice: &mut Dice| {
        let said = |session: usize, dice: &mut Dice| {
            let is_said = round == 0 || dice.below(2) == 0;
            is_said.then(|| decision(session, round))
        };
        (0..SESSIONS).map(|session| said(session, dice)).collect()
    };
    (0..ROUNDS).map(|nth| round(nth, dice)).collect()
}

fn decision(session: usize, round: usize) -> String {
    let (tool, reason) = (TOOLS[session], REASONS[round]);
    let other = TOOLS[(session + 3) % TOOLS.len()];
    format!("we decided to use {tool}{round} instead of {other}{round} because {reason}")
}

/// Has the sessions of a round go on.
fn write(world: &World, round: &[Option<String>], dice: &mut Dice) {
    for (session, said) in round.iter().enumerate() {
        let Some(said) = said else { continue };
        let chatter: Vec<String> = (0..CHATTER)
            .map(|line| format!("ok, part {line} of it: {}", "lorem ipsum ".repeat(60)))
            .collect();
        let mut all: Vec<(&str, &str)> = chatter
            .iter()
            .map(|text| ("assistant", text.as_str()))
            .collect();
        let place = usize::try_from(dice.below(CHATTER)).unwrap();
        all.insert(place, ("user", said));
        world.write(&format!("s-{session}"), &all);
    }
}

/// Kills the daemon, and starts another in its home.
fn killed(world: World) -> World {
    let World { served, project } = world;
    let Served { home, daemon, rpc } = served;
    drop(rpc);
    daemon.kill().unwrap();
    World {
        served: Served::on(home).unwrap(),
        project,
    }
}

/// What a round is done by.
#[derive(Clone, Copy)]
enum By {
    Import,
    Ends,
}

/// What came of a run in which nothing was killed.
struct Undisturbed {
    /// What waits in the end.
    waiting: Vec<String>,
    /// Bytes that the daemon wrote in each round.
    written: Vec<u64>,
}

impl Undisturbed {
    fn run(script: &[Vec<Option<String>>], by: By) -> Self {
        let world = World::new();
        if let By::Ends = by {
            world.done(&["capture", "on"]);
        }
        let mut written = Vec::new();
        let mut said = BTreeSet::new();
        for round in script {
            write(&world, round, &mut Dice::new(1));
            said.extend(round.iter().flatten());
            let before = bytes_written(&world);
            match by {
                By::Import => {
                    world.import();
                }
                By::Ends => {
                    end(&world, round);
                    world.await_counted("decision", said.len() as u64);
                }
            }
            written.push(bytes_written(&world) - before);
        }
        let waiting = world.waiting();
        assert_eq!(waiting.len(), said.len(), "{waiting:#?}");
        Self { waiting, written }
    }
}

fn end(world: &World, round: &[Option<String>]) {
    for (session, said) in round.iter().enumerate() {
        if said.is_some() {
            world.end(&format!("s-{session}"));
        }
    }
}

/// Bytes that the daemon wrote since it began, as the kernel counts them.
fn bytes_written(world: &World) -> u64 {
    let pid = world.served.daemon.pid();
    let counted = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    let mut lines = counted.lines();
    let written = lines.find_map(|line| line.strip_prefix("wchar: "));
    written.unwrap().trim().parse().unwrap()
}

/// Waits until the daemon has written so many bytes, which is where it is killed. Of another run, or
/// where `is_over`, it may write fewer: then it is killed as it rests.
fn await_bytes(world: &World, bytes: u64, mut is_over: impl FnMut() -> bool) {
    let until = Instant::now() + REST_DEADLINE;
    while bytes_written(world) < bytes && !is_over() && Instant::now() < until {
        thread::yield_now();
    }
}

#[test]
fn an_import_that_is_killed_anywhere_keeps_all_of_it_once() {
    let mut dice = Dice::new(seed());
    let script = script(&mut dice);
    let expected = Undisturbed::run(&script, By::Import);
    let mut world = World::new();
    for (round, written) in script.iter().zip(&expected.written) {
        write(&world, round, &mut dice);
        let place = bytes_written(&world) + dice.below(*written);
        let mut import = world.start(&["capture", "import", "--yes"]);
        await_bytes(&world, place, || import.try_wait().unwrap().is_some());
        world = killed(world);
        import.wait().unwrap();
    }
    world.import();
    assert_eq!(world.waiting(), expected.waiting);
    assert_eq!(world.import()["total"]["sessions"], 0);
    world.done(&["doctor", "--deep"]);
}

#[test]
fn sessions_that_end_and_a_daemon_that_is_killed_anywhere_keep_all_of_it_once() {
    let mut dice = Dice::new(seed());
    let script = script(&mut dice);
    let expected = Undisturbed::run(&script, By::Ends);
    let mut world = World::new();
    world.done(&["capture", "on"]);
    for (round, written) in script.iter().zip(&expected.written) {
        write(&world, round, &mut dice);
        let place = bytes_written(&world) + dice.below(*written);
        end(&world, round);
        await_bytes(&world, place, || false);
        world = killed(world);
    }
    // What waited in a queue is read by an import.
    world.import();
    assert_eq!(world.waiting(), expected.waiting);
    world.done(&["doctor", "--deep"]);
}
