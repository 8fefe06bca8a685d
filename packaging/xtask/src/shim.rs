//! Builds the hook shim as a freestanding static program, and proves that it is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::elf;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// Flags that leave out libc, the loader and relocation. They apply to the shim alone, because
/// `--target` is given.
const FREESTANDING_FLAGS: &str = "--cfg helix_freestanding -C link-arg=-nostartfiles -C link-arg=-nostdlib \
                                  -C link-arg=-static -C relocation-model=static -C link-arg=-no-pie";

/// Largest shim on Linux, in bytes: a larger one has pulled in something that slows its start.
const SHIM_MAX_BYTES: u64 = 64 * 1024;

/// Returns whether this machine can build the freestanding shim.
pub(crate) fn is_possible() -> bool {
    cfg!(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))
}

/// Builds the shim and returns its path.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let host = host_target()?;
    let dir = workspace.target.join("shim");
    let mut build = workspace.cargo(&[
        "build",
        "--profile",
        "shim",
        "--package",
        "helix-hook",
        "--target",
        &host,
    ]);
    build
        .arg("--target-dir")
        .arg(&dir)
        .env("RUSTFLAGS", FREESTANDING_FLAGS)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    run(&mut build)?;
    Ok(dir.join(host).join("shim").join("helix-hook"))
}

/// Builds the program that does nothing, as the shim is built: the floor under its time. Returns
/// its path.
pub(crate) fn build_noop(workspace: &Workspace) -> Result<PathBuf> {
    let program = workspace.target.join("shim").join("noop");
    std::fs::create_dir_all(workspace.target.join("shim"))
        .context("could not create the shim's target directory")?;
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args([
        "--edition",
        "2024",
        "-C",
        "opt-level=z",
        "-C",
        "panic=abort",
        "-C",
        "strip=symbols",
    ]);
    if is_possible() {
        rustc.args(FREESTANDING_FLAGS.split_whitespace());
    }
    rustc
        .arg("-o")
        .arg(&program)
        .arg(workspace.root.join("hookshim/examples/noop.rs"));
    run(&mut rustc)?;
    Ok(program)
}

/// Checks that a built shim is static and small, and that it stays silent without a daemon.
pub(crate) fn check(shim: &Path) -> Result<()> {
    let file = std::fs::read(shim).with_context(|| format!("could not read {}", shim.display()))?;
    if let Some(problem) = elf::problem(&file) {
        bail!("{} is not static: {problem}", shim.display());
    }
    let bytes = file.len() as u64;
    ensure!(
        bytes <= SHIM_MAX_BYTES,
        "{} has {bytes} bytes, {SHIM_MAX_BYTES} are allowed",
        shim.display()
    );
    check_silence(shim)
}

/// Without a daemon a hook says nothing and succeeds.
fn check_silence(shim: &Path) -> Result<()> {
    let absent = shim.with_file_name("no-daemon.sock");
    let output = Command::new(shim)
        .arg("ambient")
        .env("HELIX_SOCKET", &absent)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("could not run {}", shim.display()))?;
    ensure!(
        output.status.success(),
        "{} without a daemon ended with {}",
        shim.display(),
        output.status
    );
    ensure!(
        output.stdout.is_empty(),
        "{} without a daemon printed something",
        shim.display()
    );
    Ok(())
}

/// Checks that the shim compiles for macOS. Returns the target, or nothing when none is installed.
pub(crate) fn check_for_macos(workspace: &Workspace) -> Result<Option<String>> {
    let Ok(installed) = capture(Command::new("rustup").args(["target", "list", "--installed"]))
    else {
        return Ok(None);
    };
    let Some(target) = installed
        .lines()
        .find(|line| line.ends_with("-apple-darwin"))
    else {
        return Ok(None);
    };
    run(&mut workspace.cargo(&[
        "check",
        "--release",
        "--package",
        "helix-hook",
        "--target",
        target,
    ]))?;
    Ok(Some(target.to_owned()))
}

/// Returns the triple that this compiler builds for by default.
pub(crate) fn host_target() -> Result<String> {
    let version = capture(
        Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"),
    )?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}
