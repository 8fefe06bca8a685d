//! `cargo xtask fuzz`: runs the targets of `tests/fuzz` under `libFuzzer`, each for a while.
//!
//! The coverage that guides it comes from the compiler itself, so the stable toolchain and a C++
//! compiler (for `libFuzzer`) are all it needs. Overflow and broken assertions count as findings;
//! memory errors need no sanitizer, because nothing that is fuzzed has unsafe code of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::run::{announce, complain, run, say, version_of};
use crate::shim::host_target;
use crate::workspace::Workspace;

/// How long each target runs unless told otherwise.
pub(crate) const SECONDS_DEFAULT: u32 = 60;

/// The targets, by the names of their programs.
const TARGETS: [&str; 5] = ["amrl", "documents", "query", "arguments", "transcript"];

/// Counts edges and shows the fuzzer what is compared with what.
const COVERAGE_FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                              -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                              -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
                              -Ccodegen-units=1 --cfg fuzzing";

/// Longest input that is tried, in bytes: several records, past every bound of the readers that is
/// worth a byte each.
const INPUT_MAX_BYTES: u32 = 16 * 1024;

/// Time that one input may take before it is a finding, in seconds.
const INPUT_SECONDS: u32 = 10;

/// Memory that a target may take before it is a finding, in MiB.
const MEMORY_MIB: u32 = 2048;

/// Said when the targets cannot be compiled.
const NO_COMPILER: &str =
    "neither c++ nor what CXX names runs here; install g++ or clang, or name a compiler in CXX";

/// Builds the targets and runs them; returns whether none found anything.
pub(crate) fn fuzz(seconds: u32, named: &[String]) -> Result<bool> {
    let chosen = choose(named)?;
    let workspace = Workspace::find()?;
    ensure!(
        can_compile(),
        "fuzzing needs a C++ compiler, and {NO_COMPILER}"
    );
    announce("building the fuzz targets");
    let programs = build(&workspace)?;
    let mut findings = 0;
    for target in &chosen {
        announce(&format!("fuzzing {target} for {seconds} s"));
        if !run_target(&workspace, &programs, target, seconds)? {
            findings += 1;
        }
    }
    say(&format!(
        "{} passed, {findings} failed",
        chosen.len() - findings
    ));
    Ok(findings == 0)
}

fn choose(named: &[String]) -> Result<Vec<&'static str>> {
    if named.is_empty() {
        return Ok(TARGETS.to_vec());
    }
    let find = |name: &String| TARGETS.into_iter().find(|target| target == name);
    let known = || format!("the fuzz targets are {}", TARGETS.join(", "));
    named
        .iter()
        .map(|name| {
            find(name).with_context(|| format!("there is no fuzz target {name}; {}", known()))
        })
        .collect()
}

/// Returns whether the targets can be compiled here: `libFuzzer` is C++ and is compiled from the
/// copy in its package.
fn can_compile() -> bool {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    version_of(&compiler, &["--version"]).is_some()
}

/// Builds all targets. Returns where the programs are.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let host = host_target()?;
    // With flags of their own, so apart from everything else.
    let mut cargo = workspace.cargo(&["build", "--profile", "fuzz", "--target", &host]);
    cargo
        .args(["--package", "helix-fuzz", "--features", "programs"])
        .env("CARGO_TARGET_DIR", dir(workspace))
        .env("RUSTFLAGS", COVERAGE_FLAGS)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    run(&mut cargo)?;
    Ok(dir(workspace).join(host).join("fuzz"))
}

/// Runs one target; `false` when it found something, which is then kept and named.
fn run_target(workspace: &Workspace, programs: &Path, target: &str, seconds: u32) -> Result<bool> {
    let corpus = dir(workspace).join("corpus").join(target);
    let findings = dir(workspace).join("findings").join(target);
    for dir in [&corpus, &findings] {
        fs::create_dir_all(dir).with_context(|| format!("could not create {}", dir.display()))?;
    }
    let seeds = workspace
        .root
        .join("tests")
        .join("fuzz")
        .join("seeds")
        .join(target);
    let mut fuzzer = Command::new(programs.join(target));
    fuzzer
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={INPUT_MAX_BYTES}"))
        .arg(format!("-timeout={INPUT_SECONDS}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args(["-verbosity=0", "-print_final_stats=1"])
        .args([&corpus, &seeds])
        .current_dir(&workspace.root)
        .stdin(Stdio::null());
    let status = fuzzer
        .status()
        .with_context(|| format!("could not start the fuzz target {target}"))?;
    if status.success() {
        return Ok(true);
    }
    if status.code().is_none() && !has_files(&findings)? {
        bail!("the fuzz target {target} was stopped ({status})");
    }
    complain(&format!(
        "    {target}: found something, kept in {}; run the target with that file",
        findings.display()
    ));
    Ok(false)
}

fn has_files(dir: &Path) -> Result<bool> {
    let mut files =
        fs::read_dir(dir).with_context(|| format!("could not read {}", dir.display()))?;
    Ok(files.next().is_some())
}

/// Where the programs, what they learned and what they found is kept.
fn dir(workspace: &Workspace) -> PathBuf {
    workspace.target.join("fuzz")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn targets_are_chosen_by_name() {
        assert_eq!(choose(&[]).unwrap(), TARGETS);
        assert_eq!(choose(&["query".to_owned()]).unwrap(), ["query"]);
        let error = choose(&["nothing".to_owned()]).unwrap_err().to_string();
        assert!(
            error.contains("nothing") && error.contains("amrl"),
            "{error}"
        );
    }

    #[test]
    fn every_target_has_a_program_and_seeds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz");
        let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
        for target in TARGETS {
            assert!(
                manifest.contains(&format!("name = \"{target}\"")),
                "{target}"
            );
            assert!(
                has_files(&root.join("seeds").join(target)).unwrap(),
                "{target}"
            );
        }
        assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    }
}
