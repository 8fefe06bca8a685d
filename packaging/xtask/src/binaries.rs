//! Builds the programs and puts them side by side into `<target>/helix/bin`, where a daemon may
//! already run from.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::run::{announce, complain, run};
use crate::shim;
use crate::workspace::Workspace;

/// The programs that cargo builds as they are; the shim is built on its own.
pub(crate) const PROGRAMS: [&str; 4] = ["helixd", "helixctl", "helix-mcp", "helix-provider"];

/// The hook shim's name.
pub(crate) const SHIM: &str = "helix-hook";

/// The reaction to a freestanding shim that cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnShimFailure {
    /// Fails.
    Stop,
    /// Says so and takes the larger one that needs the system's libraries.
    UseStandard,
}

/// Builds everything with the release profile, in the one way that shares all artefacts. `tests`
/// adds test programs.
pub(crate) fn build(workspace: &Workspace, tests: bool) -> Result<()> {
    let mut cargo = workspace.cargo(&["build", "--release", "--workspace"]);
    if tests {
        cargo.arg("--all-targets");
    }
    run(&mut cargo)
}

/// Puts the built programs into place as one set.
pub(crate) fn install(workspace: &Workspace, on_shim_failure: OnShimFailure) -> Result<()> {
    let release = workspace.target.join("release");
    for program in PROGRAMS {
        put_into_place(&release.join(program), &workspace.bin(program))?;
    }
    let standard = release.join(SHIM);
    let freestanding = shim::is_possible().then(|| {
        let built = shim::build(workspace)?;
        shim::check(&built)?;
        anyhow::Ok(built)
    });
    match freestanding {
        None => put_into_place(&standard, &workspace.bin(SHIM)),
        Some(Ok(built)) => put_into_place(&built, &workspace.bin(SHIM)),
        Some(Err(error)) if on_shim_failure == OnShimFailure::Stop => Err(error),
        Some(Err(error)) => {
            complain(&format!(
                "note: the static hook shim could not be built ({error:#}); hooks use the larger one"
            ));
            put_into_place(&standard, &workspace.bin(SHIM))
        }
    }
}

/// Copies a program beside its place and renames it, so that a running one keeps its file.
pub(crate) fn put_into_place(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().context("a program has no directory")?;
    fs::create_dir_all(dir).with_context(|| format!("could not create {}", dir.display()))?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let copy = dir.join(format!(".{name}.{}", std::process::id()));
    let placed = fs::copy(from, &copy)
        .and_then(|_| fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)))
        .and_then(|()| fs::rename(&copy, to));
    if placed.is_err() {
        // The copy may not exist.
        drop(fs::remove_file(&copy));
    }
    placed.with_context(|| format!("could not copy {} to {}", from.display(), to.display()))
}

/// Installs the model that tests and benchmarks share.
pub(crate) fn install_shared_model(workspace: &Workspace) -> Result<()> {
    let mut install = Command::new(workspace.bin("helixctl"));
    install
        .args(["model", "install"])
        .env("HELIX_MODEL_DIR", workspace.model_dir());
    run(&mut install)
}

/// Sets what the tests and benchmarks read to find programs and model.
pub(crate) fn point_at_binaries(command: &mut Command, workspace: &Workspace) {
    command
        .env("HELIX_TEST_BIN_DIR", workspace.bin_dir())
        .env("HELIX_HOOK_BIN", workspace.bin(SHIM))
        .env("HELIX_MODEL_DIR", workspace.model_dir());
}

/// Builds the programs, puts them into place and installs the shared model.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    announce("building");
    build(workspace, false)?;
    install(workspace, OnShimFailure::UseStandard)?;
    announce("installing the model");
    install_shared_model(workspace)?;
    ensure!(
        workspace.bin("helixd").is_file(),
        "helixd is missing in {}",
        workspace.bin_dir().display()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_program_in_use_is_replaced_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("bin").join("to"));
        fs::write(&from, "one").unwrap();
        put_into_place(&from, &to).unwrap();
        let running = fs::File::open(&to).unwrap();
        fs::write(&from, "two").unwrap();
        put_into_place(&from, &to).unwrap();
        assert_eq!(std::io::read_to_string(running).unwrap(), "one");
        assert_eq!(fs::read_to_string(&to).unwrap(), "two");
        assert_eq!(
            fs::metadata(&to).unwrap().permissions().mode() & 0o777,
            0o755
        );
        assert_eq!(fs::read_dir(dir.path().join("bin")).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_program_is_named_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let error = put_into_place(&dir.path().join("absent"), &dir.path().join("to")).unwrap_err();
        assert!(error.to_string().contains("absent"), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
