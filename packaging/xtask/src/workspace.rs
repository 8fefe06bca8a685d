//! Where things are: the checkout, cargo's target directory and what is put into it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run::capture;

/// The checkout and cargo's directories.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Asks cargo, which knows every way to move the target directory.
    pub(crate) fn find() -> Result<Self> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")));
        let mut metadata = Command::new(cargo_program());
        metadata
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(&package);
        let answer: Value = serde_json::from_str(&capture(&mut metadata)?)
            .context("could not read what cargo metadata says")?;
        let path = |key: &str| {
            let text = answer.get(key).and_then(Value::as_str);
            text.map(PathBuf::from)
                .with_context(|| format!("cargo metadata names no {key}"))
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
        })
    }

    /// Returns a cargo command that runs in the checkout.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo_program());
        command
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Returns where the set of binaries stands that `up` starts and the tests use.
    pub(crate) fn bin_dir(&self) -> PathBuf {
        self.target.join("helix").join("bin")
    }

    /// Returns where tests and benchmarks find the model: `$HELIX_MODEL_DIR`, else beside the
    /// binaries.
    pub(crate) fn model_dir(&self) -> PathBuf {
        std::env::var_os("HELIX_MODEL_DIR")
            .map_or_else(|| self.target.join("helix").join("models"), PathBuf::from)
    }

    /// Returns the path of an installed binary.
    pub(crate) fn bin(&self, name: &str) -> PathBuf {
        self.bin_dir().join(name)
    }

    /// Returns `PATH` with the binaries in front.
    pub(crate) fn path_with_bins(&self) -> Result<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::iter::once(self.bin_dir()).chain(std::env::split_paths(&path));
        std::env::join_paths(dirs)
            .context("PATH cannot be extended: the target directory's path holds a colon")
    }
}

/// Returns the cargo that runs us, else the one in `PATH`.
fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// An empty directory of our own, removed when dropped. Its path is short, because sockets live in
/// it.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Creates the directory, readable by its owner alone.
    pub(crate) fn create(purpose: &str) -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let path = std::env::temp_dir().join(format!("helix-{purpose}-{}", std::process::id()));
        let created = std::fs::DirBuilder::new().mode(0o700).create(&path);
        created.with_context(|| format!("could not create {}", path.display()))?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is a temporary directory: what stays does no harm.
        drop(std::fs::remove_dir_all(&self.path));
    }
}
