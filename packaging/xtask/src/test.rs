//! `cargo xtask test`: every check, in order, stopping at the first that fails; or some tests.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Instant;

use anyhow::Result;

use crate::binaries::{self, OnShimFailure};
use crate::run::{announce, complain, run, say, version_of};
use crate::workspace::Workspace;
use crate::{processes, readme, shim, units};

/// Shown behind the help of the command.
pub(crate) const HELP: &str = "\
Examples:
  cargo xtask test                                   every check
  cargo xtask test -p helix-engine                   the tests of one crate
  cargo xtask test -p helix-tests -E 'binary(mcp)'   one black-box suite, against fresh programs
  cargo xtask test near_duplicate                    the tests with this in their names";

/// How a check ended, when it did not fail.
enum Outcome {
    Passed,
    /// It needs something that this machine lacks.
    Skipped(String),
}

/// The workspace under test.
struct Subject {
    workspace: Workspace,
    daemons_before: BTreeSet<u32>,
}

/// A named check.
type Check = (&'static str, fn(&Subject) -> Result<Outcome>);

/// The checks, the cheap ones first as far as one rests on another.
const CHECKS: [Check; 12] = [
    ("format", format),
    ("clippy", clippy),
    ("build", build),
    ("hook shim", hook_shim),
    ("hook shim for macos", hook_shim_for_macos),
    ("model", model),
    ("tests", tests),
    ("documentation tests", documentation_tests),
    ("documentation", documentation),
    ("service files", service_files),
    ("readme", readme_commands),
    ("no daemon left", no_daemon_left),
];

/// Runs the checks and returns whether all passed; the last line printed counts them.
pub(crate) fn test() -> Result<bool> {
    let workspace = Workspace::find()?;
    let daemons_before = processes::daemons(&workspace);
    Ok(perform(
        &CHECKS,
        &Subject {
            workspace,
            daemons_before,
        },
    ))
}

/// Builds and installs the programs, then runs the tests that these arguments of nextest select.
///
/// # Errors
/// When building fails or a test does.
pub(crate) fn some(arguments: &[OsString]) -> Result<()> {
    let workspace = Workspace::find()?;
    binaries::prepare(&workspace)?;
    let mut command = workspace.cargo(&["nextest", "run", "--release"]);
    command.args(arguments);
    if !arguments
        .iter()
        .any(|argument| argument == "-p" || argument == "--package")
    {
        command.arg("--workspace");
    }
    binaries::point_at_binaries(&mut command, &workspace);
    run(&mut command)
}

fn perform(checks: &[Check], subject: &Subject) -> bool {
    let (mut passed, mut skipped) = (0, 0);
    for (name, check) in checks {
        announce(name);
        let start = Instant::now();
        match check(subject) {
            Ok(Outcome::Passed) => {
                passed += 1;
                say(&format!(
                    "    {name}: passed in {:.1} s",
                    start.elapsed().as_secs_f64()
                ));
            }
            Ok(Outcome::Skipped(reason)) => {
                skipped += 1;
                say(&format!("    {name}: skipped, {reason}"));
            }
            Err(error) => {
                complain(&format!(
                    "    {name}: failed after {:.1} s: {error:#}",
                    start.elapsed().as_secs_f64()
                ));
                say(&summary(passed, 1, skipped));
                return false;
            }
        }
    }
    say(&summary(passed, 0, skipped));
    true
}

fn summary(passed: usize, failed: usize, skipped: usize) -> String {
    let rest = if skipped == 0 {
        String::new()
    } else {
        format!(", {skipped} skipped")
    };
    format!("{passed} passed, {failed} failed{rest}")
}

fn format(subject: &Subject) -> Result<Outcome> {
    run(&mut subject.workspace.cargo(&["fmt", "--all", "--", "--check"]))?;
    Ok(Outcome::Passed)
}

fn build(subject: &Subject) -> Result<Outcome> {
    binaries::build(&subject.workspace, true)?;
    Ok(Outcome::Passed)
}

/// Installing the set builds the shim and checks it.
fn hook_shim(subject: &Subject) -> Result<Outcome> {
    binaries::install(&subject.workspace, OnShimFailure::Stop)?;
    if shim::is_possible() {
        Ok(Outcome::Passed)
    } else {
        Ok(Outcome::Skipped(
            "this system has no static programs".to_owned(),
        ))
    }
}

fn hook_shim_for_macos(subject: &Subject) -> Result<Outcome> {
    Ok(match shim::check_for_macos(&subject.workspace)? {
        Some(_) => Outcome::Passed,
        None => Outcome::Skipped("no macos target is installed".to_owned()),
    })
}

fn model(subject: &Subject) -> Result<Outcome> {
    binaries::install_shared_model(&subject.workspace)?;
    Ok(Outcome::Passed)
}

fn tests(subject: &Subject) -> Result<Outcome> {
    let nextest = version_of("cargo-nextest", &["nextest", "--version"]).is_some();
    let runner: &[&str] = if nextest {
        &["nextest", "run"]
    } else {
        &["test"]
    };
    let mut command = subject.workspace.cargo(runner);
    command.args(["--release", "--workspace"]);
    binaries::point_at_binaries(&mut command, &subject.workspace);
    run(&mut command)?;
    Ok(Outcome::Passed)
}

fn documentation_tests(subject: &Subject) -> Result<Outcome> {
    let mut command = subject
        .workspace
        .cargo(&["test", "--release", "--workspace", "--doc"]);
    binaries::point_at_binaries(&mut command, &subject.workspace);
    run(&mut command)?;
    Ok(Outcome::Passed)
}

/// Of the fuzz targets, which are compiled nowhere else, this is all the check.
fn clippy(subject: &Subject) -> Result<Outcome> {
    run(&mut subject.workspace.cargo(&[
        "clippy",
        "--release",
        "--workspace",
        "--all-targets",
        "--features",
        "helix-fuzz/targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    Ok(Outcome::Passed)
}

fn documentation(subject: &Subject) -> Result<Outcome> {
    run(subject
        .workspace
        .cargo(&["doc", "--release", "--workspace", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Passed)
}

fn service_files(subject: &Subject) -> Result<Outcome> {
    let checked = units::check(&subject.workspace)?;
    Ok(if checked {
        Outcome::Passed
    } else {
        Outcome::Skipped("systemd-analyze is not installed".to_owned())
    })
}

fn readme_commands(subject: &Subject) -> Result<Outcome> {
    let blocks = readme::check(&subject.workspace)?;
    Ok(if blocks > 0 {
        Outcome::Passed
    } else {
        Outcome::Skipped("the README marks no block as tested".to_owned())
    })
}

fn no_daemon_left(subject: &Subject) -> Result<Outcome> {
    processes::check_none_left(&subject.workspace, &subject.daemons_before)?;
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static RUNS: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn the_first_failure_stops_the_rest() {
        let checks: [Check; 3] = [
            ("good", |_| Ok(Outcome::Passed)),
            ("bad", |_| anyhow::bail!("no")),
            ("never", |_| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                Ok(Outcome::Passed)
            }),
        ];
        let subject = Subject {
            workspace: Workspace {
                root: "/".into(),
                target: "/".into(),
            },
            daemons_before: BTreeSet::new(),
        };
        assert!(!perform(&checks, &subject));
        assert_eq!(RUNS.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_last_line_is_one_that_machines_read() {
        assert_eq!(summary(12, 0, 0), "12 passed, 0 failed");
        assert_eq!(summary(3, 1, 2), "3 passed, 1 failed, 2 skipped");
    }
}
