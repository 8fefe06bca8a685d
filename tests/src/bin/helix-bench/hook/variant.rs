//! One way to start a process, and what it took.

use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::stats::Samples;

/// Names the program that does nothing.
const NOOP_VARIABLE: &str = "HELIX_BENCH_NOOP";

/// Slow programs run in one round of so many.
const SLOW_EVERY: usize = 20;

/// The reply that a hook must give for its times to mean what its name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// It is no hook.
    Whatever,
    /// Nothing in any round.
    Silence,
    /// Something in at least so many rounds of a hundred.
    AnswersAtLeast(usize),
}

/// One way to start a process.
pub(super) struct Variant {
    pub(super) name: String,
    /// How many memories its daemon has; none for what is no hook.
    pub(super) size: Option<usize>,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<&'static str>,
    /// The home that it asks.
    pub(super) home: Option<PathBuf>,
    /// Its input, by round.
    pub(super) stdin: Box<dyn Fn(usize) -> Vec<u8>>,
    pub(super) expected: Expected,
    /// It runs in one round of so many.
    pub(super) every: usize,
    pub(super) over_floor_max_us: Option<f64>,
    pub(super) samples: Samples,
    /// Times of the program that does nothing, in the turns before.
    pub(super) floor: Samples,
    pub(super) runs: usize,
    pub(super) answers: usize,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) elapsed: Duration,
    has_answered: bool,
}

/// The program that does nothing, and what the others are compared with.
pub(super) fn floor() -> Result<Variant> {
    let program = env::var_os(NOOP_VARIABLE)
        .map(PathBuf::from)
        .filter(|path| path.is_file());
    let program = program.with_context(|| {
        format!("{NOOP_VARIABLE} names no program; run `cargo xtask bench hook`")
    })?;
    Ok(Variant::plain(
        "static program that does nothing",
        program,
        vec![],
    ))
}

/// Lists the programs that a hook written otherwise would start with, where they are installed.
pub(super) fn others() -> Vec<Variant> {
    let mut found = vec![
        Variant::plain("/bin/true", PathBuf::from("/bin/true"), vec![]),
        Variant::plain("sh -c true", PathBuf::from("/bin/sh"), vec!["-c", "true"]),
    ];
    if let Some(node) = on_path("node") {
        let mut node = Variant::plain("node -e ''", node, vec!["-e", ""]);
        node.every = SLOW_EVERY;
        found.push(node);
    }
    found.retain(|variant| variant.program.is_file());
    found
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|program| program.is_file())
}

impl Variant {
    pub(super) fn plain(name: &str, program: PathBuf, arguments: Vec<&'static str>) -> Self {
        Self {
            name: name.to_owned(),
            size: None,
            program,
            arguments,
            home: None,
            stdin: Box::new(|_| br#"{"session_id":"bench"}"#.to_vec()),
            expected: Expected::Whatever,
            every: 1,
            over_floor_max_us: None,
            samples: Samples::default(),
            floor: Samples::default(),
            runs: 0,
            answers: 0,
        }
    }

    pub(super) fn run(&self, round: usize) -> Result<Run> {
        let stdin = (self.stdin)(round);
        // The same few variables for all, so that starting costs all the same.
        let home = self.home.as_deref().unwrap_or(Path::new("/nonexistent"));
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .env("HELIX_HOME", home)
            .env("HOME", home);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
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
        Ok(Run {
            elapsed,
            has_answered: serde_json::from_slice::<Value>(&answer).is_ok(),
        })
    }

    /// Counts a run, and what the program that does nothing took right before it.
    pub(super) fn note(&mut self, nothing: Duration, run: &Run) {
        self.floor.push(nothing);
        self.samples.push(run.elapsed);
        self.runs += 1;
        self.answers += usize::from(run.has_answered);
    }

    /// Returns whether it said something as often as its name promises.
    pub(super) fn is_as_expected(&self) -> bool {
        let Self { runs, answers, .. } = self;
        match self.expected {
            Expected::Whatever => true,
            Expected::Silence => *answers == 0,
            Expected::AnswersAtLeast(percent) => answers * 100 >= percent * runs,
        }
    }

    /// How often it said something, for people.
    pub(super) fn said(&self) -> String {
        match self.expected {
            Expected::Whatever => String::new(),
            Expected::Silence | Expected::AnswersAtLeast(_) => {
                format!("{} %", self.answers * 100 / self.runs.max(1))
            }
        }
    }

    /// Returns the name of its figures.
    pub(super) fn figure_name(&self) -> String {
        self.size.map_or_else(
            || self.name.clone(),
            |size| format!("{}, {size} memories", self.name),
        )
    }
}
