//! `hook`: whole-process time, from the start of the process to its end, over a static program that does nothing.
//!
//! In every round each variant has a turn, and the floor one right before it: whatever else the machine does hits a variant
//! and its own floor alike. A variant that was measured as faster than its floor, by more than the floor itself varies, says
//! that the machine was too busy to tell.

use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use helix_tests::{Binary, Home};
use serde_json::json;

use crate::Effort;
use crate::corpus::source_path;
use crate::fixture::{Fixtures, project};
use crate::report::{Report, Table, Target, micros, ratio};
use crate::stats::Samples;

/// Names the program that does nothing.
const NOOP_VARIABLE: &str = "HELIX_BENCH_NOOP";

/// Lines of the file that is opened.
const FILE_LINES: usize = 500;

/// What a hook may cost over the floor, in microseconds.
const EMPTY_OVER_FLOOR_MAX_US: f64 = 150.0;
const AMBIENT_OVER_FLOOR_MAX_US: f64 = 1_000.0;

/// Number of memories that the target for `ambient` is about.
const AMBIENT_TARGET_SIZE: usize = 100_000;

/// Rounds whose times are not counted: files and projects are read the first time.
const WARM_UP_ROUNDS: usize = 5;

/// Slow programs run in one round of so many.
const SLOW_EVERY: usize = 20;

/// One way to start a process.
struct Variant {
    name: String,
    program: PathBuf,
    arguments: Vec<&'static str>,
    /// The home that it asks; none for programs that are no hook.
    home: Option<PathBuf>,
    /// What it is given, by round.
    stdin: Box<dyn Fn(usize) -> Vec<u8>>,
    must_answer: bool,
    is_slow: bool,
    over_floor_max_us: Option<f64>,
    samples: Samples,
    /// What the program that does nothing took in the turns before.
    floor: Samples,
}

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let mut floor = floor()?;
    let mut variants = Vec::new();
    for &size in effort.sizes() {
        let file = fixtures.corpus.source_file(FILE_LINES);
        let home = &fixtures.at(size)?.home;
        if size == effort.sizes()[0] {
            variants.push(empty(home));
        }
        variants.push(ambient(home, size, &file)?);
    }
    variants.extend(others());
    let rounds = effort.pick(600, 150);
    for round in 0..WARM_UP_ROUNDS + rounds {
        for variant in &mut variants {
            if variant.is_slow && round % SLOW_EVERY != 0 {
                continue;
            }
            let nothing = floor.run(round).with_context(|| format!("running {}", floor.name))?;
            let elapsed = variant.run(round).with_context(|| format!("running {}", variant.name))?;
            if round >= WARM_UP_ROUNDS {
                floor.samples.push(nothing);
                variant.floor.push(nothing);
                variant.samples.push(elapsed);
            }
        }
    }
    floor.floor = floor.samples.clone();
    variants.insert(0, floor);
    report.add(table(&variants, rounds));
    Ok(())
}

fn table(variants: &[Variant], rounds: usize) -> Table {
    let mut table = Table::new(
        "hook: whole process, start to end",
        &["process", "p50", "p99", "over floor", "ratio", "target", ""],
    );
    for variant in variants {
        let floor = variant.floor.p50();
        let (p50, p99) = (variant.samples.p50(), variant.samples.p99());
        let over = p50 - floor;
        table.figure(&format!("{} p50", variant.name), p50, "µs");
        let (target, verdict) = match variant.over_floor_max_us {
            Some(most) => {
                let name = format!("{} over floor", variant.name);
                let verdict = if over < -variant.floor.spread() {
                    table.noisy(&name, over, "µs")
                } else {
                    table.judge(&name, over, "µs", Target::AtMost(most))
                };
                (format!("≤ +{}", micros(most)), verdict)
            }
            None => (String::new(), String::new()),
        };
        let name = variant.name.clone();
        table.row([
            name,
            micros(p50),
            micros(p99),
            format!("{}{}", if over < 0.0 { "" } else { "+" }, micros(over)),
            ratio(p50 / floor),
            target,
            verdict,
        ]);
    }
    table.note(format!("{rounds} rounds, each program right after its own floor; slow ones in one of {SLOW_EVERY}."));
    table.note("Every ambient answer was checked to carry memories.");
    table
}

/// The program that does nothing, and what the others are compared with.
fn floor() -> Result<Variant> {
    let program = env::var_os(NOOP_VARIABLE).map(PathBuf::from).filter(|path| path.is_file());
    let program = program.with_context(|| format!("{NOOP_VARIABLE} names no program; run `cargo xtask bench hook`"))?;
    Ok(Variant::plain("static program that does nothing", program, vec![]))
}

fn empty(home: &Home) -> Variant {
    let stdin = json!({ "session_id": "bench", "hook_event_name": "Stop", "cwd": home.scratch() }).to_string();
    let mut variant = Variant::plain("helix-hook, empty answer", Binary::Hook.path(), vec!["stop"]);
    variant.home = Some(home.paths.home.clone());
    variant.stdin = Box::new(move |_| stdin.clone().into_bytes());
    variant.over_floor_max_us = Some(EMPTY_OVER_FLOOR_MAX_US);
    variant
}

fn ambient(home: &Home, size: usize, text: &str) -> Result<Variant> {
    let (root, file) = project(home, &source_path(1), text)?;
    let mut variant = Variant::plain("", Binary::Hook.path(), vec!["ambient"]);
    variant.name = format!("helix-hook, ambient, {size} memories");
    variant.home = Some(home.paths.home.clone());
    // A session is told of a memory once, so each round is a session of its own.
    variant.stdin = Box::new(move |round| {
        let input = json!({
            "session_id": format!("bench-{round}"), "cwd": root, "hook_event_name": "PreToolUse",
            "transcript_path": root.join("transcript.jsonl"), "permission_mode": "default",
            "tool_name": "Read", "tool_input": { "file_path": file },
        });
        input.to_string().into_bytes()
    });
    variant.must_answer = true;
    variant.over_floor_max_us = (size == AMBIENT_TARGET_SIZE).then_some(AMBIENT_OVER_FLOOR_MAX_US);
    Ok(variant)
}

/// What a hook written otherwise would start with, where it is installed.
fn others() -> Vec<Variant> {
    let mut found = vec![
        Variant::plain("/bin/true", PathBuf::from("/bin/true"), vec![]),
        Variant::plain("sh -c true", PathBuf::from("/bin/sh"), vec!["-c", "true"]),
    ];
    if let Some(node) = on_path("node") {
        let mut node = Variant::plain("node -e ''", node, vec!["-e", ""]);
        node.is_slow = true;
        found.push(node);
    }
    found.retain(|variant| variant.program.is_file());
    found
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|program| program.is_file())
}

impl Variant {
    fn plain(name: &str, program: PathBuf, arguments: Vec<&'static str>) -> Self {
        Self {
            name: name.to_owned(),
            program,
            arguments,
            home: None,
            stdin: Box::new(|_| br#"{"session_id":"bench"}"#.to_vec()),
            must_answer: false,
            is_slow: false,
            over_floor_max_us: None,
            samples: Samples::default(),
            floor: Samples::default(),
        }
    }

    fn run(&self, round: usize) -> Result<Duration> {
        let stdin = (self.stdin)(round);
        // The same few variables for all, so that starting costs all the same.
        let home = self.home.as_deref().unwrap_or(Path::new("/nonexistent"));
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().env("HELIX_HOME", home).env("HOME", home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut answer = Vec::new();
        let started = Instant::now();
        let mut child = command.spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that does not read may be gone already.
            pipe.write_all(&stdin).ok();
        }
        if let Some(mut pipe) = child.stdout.take() {
            pipe.read_to_end(&mut answer)?;
        }
        let status = child.wait()?;
        let elapsed = started.elapsed();
        ensure!(status.success(), "it ended with {status}");
        let is_answer = serde_json::from_slice::<serde_json::Value>(&answer).is_ok();
        // The first rounds may be cut off by the daemon's own deadline while it looks at the project.
        ensure!(!self.must_answer || round < WARM_UP_ROUNDS || is_answer, "it answered nothing");
        Ok(elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variant that takes `us` in every turn, over a floor that varies by ten around 500.
    fn variant(name: &str, us: u64) -> Variant {
        let mut variant = Variant::plain(name, PathBuf::new(), vec![]);
        variant.over_floor_max_us = Some(EMPTY_OVER_FLOOR_MAX_US);
        for floor_us in 495..505 {
            variant.floor.push_micros(floor_us);
            variant.samples.push_micros(us);
        }
        variant
    }

    #[test]
    fn each_row_is_judged_by_its_own_floor() {
        let variants = [variant("quick", 600), variant("alike", 498), variant("slow", 700), variant("drifted", 400)];
        let rows = table(&variants, 10).rows;
        let verdicts: Vec<&str> = rows.iter().filter_map(|row| row.last().map(String::as_str)).collect();
        assert_eq!(verdicts, ["met", "met", "MISSED", "noisy"]);
    }
}
