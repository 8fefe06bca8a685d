//! The command line, run in a directory.
#![allow(
    clippy::unwrap_used,
    reason = "only tests run commands, and a failed step is a failed test"
)]

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::{Binary, Home};

impl Home {
    /// Runs `helixctl` with nobody at the terminal.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn run(&self, cwd: &Path, arguments: &[&str]) -> Output {
        let mut command = self.command(Binary::Ctl);
        command.args(arguments).current_dir(cwd);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Runs a command that must do what was asked; returns its output, then its remarks.
    ///
    /// # Panics
    /// When it fails.
    #[expect(
        clippy::must_use_candidate,
        reason = "most commands are run for what they do"
    )]
    pub fn done(&self, cwd: &Path, arguments: &[&str]) -> String {
        let output = self.run(cwd, arguments);
        let remarks = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {remarks}");
        String::from_utf8(output.stdout).unwrap() + &remarks
    }

    /// Runs a command that must be refused; returns the complaint.
    ///
    /// # Panics
    /// When it succeeds.
    #[must_use]
    pub fn refused(&self, cwd: &Path, arguments: &[&str]) -> String {
        let output = self.run(cwd, arguments);
        assert!(!output.status.success(), "{arguments:?} was done");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a command that must do what was asked; returns its answer in JSON.
    ///
    /// # Panics
    /// When it fails or prints anything else.
    #[must_use]
    pub fn json(&self, cwd: &Path, arguments: &[&str]) -> Value {
        let output = self.run(cwd, &[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}
