//! Programs that take over from one another: which one is fit to, and whether this one did.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Duration;

use helix_memory::ErrorKind;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Tells the new program that the lock and the socket are its own already; holds the process id,
/// which stays.
pub(crate) const MARK: &str = "HELIX_HANDOVER";

/// How long a program may take to say its version.
const VERSION_DEADLINE: Duration = Duration::from_secs(5);

/// A program that can take over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Successor {
    /// Where it is.
    pub(crate) program: PathBuf,
    /// Its version, as it says.
    pub(crate) version: String,
}

/// Why a program cannot take over. The daemon goes on as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandoverError {
    /// Not a path from the root.
    #[error("{0} is not an absolute path; give the whole path of the new helixd")]
    NotAbsolute(PathBuf),
    /// Cannot be run.
    #[error("running {program} --version: {detail}; give the path of a helixd that works")]
    NotRunnable {
        /// The program.
        program: PathBuf,
        /// The event.
        detail: String,
    },
    /// Something else.
    #[error("{0} is not a helixd; give the path of one")]
    NotOurs(PathBuf),
    /// Too old for the data.
    #[error("{program} {version} cannot open this store (format {format}); install a newer one")]
    TooOld {
        /// The program.
        program: PathBuf,
        /// Its version, as it says.
        version: String,
        /// The store's format.
        format: u64,
    },
}

impl HandoverError {
    /// Returns the class of the error.
    pub(crate) const fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAbsolute(_)
            | Self::NotRunnable { .. }
            | Self::NotOurs(_)
            | Self::TooOld { .. } => ErrorKind::Invalid,
        }
    }
}

/// Returns whether this process took over from another program file.
pub(crate) fn is_taking_over() -> bool {
    env::var(MARK).is_ok_and(|pid| pid == process::id().to_string())
}

/// Asks a program what it is and whether it can open a store of this format.
pub(crate) fn examine(program: &Path, format: u64) -> Result<Successor, HandoverError> {
    if !program.is_absolute() {
        return Err(HandoverError::NotAbsolute(program.to_owned()));
    }
    let said = ask(program, "--version".into())?.unwrap_or_default();
    let version = said
        .trim()
        .strip_prefix("helixd ")
        .ok_or_else(|| HandoverError::NotOurs(program.to_owned()))?;
    let version = version.to_owned();
    match ask(program, format!("--can-open={format}").into())? {
        Some(_) => Ok(Successor {
            program: program.to_owned(),
            version,
        }),
        None => Err(HandoverError::TooOld {
            program: program.to_owned(),
            version,
            format,
        }),
    }
}

/// Runs a program with one argument. Returns what it printed, or `None` when it failed.
fn ask(program: &Path, argument: OsString) -> Result<Option<String>, HandoverError> {
    let broken = |detail: &dyn ToString| HandoverError::NotRunnable {
        program: program.to_owned(),
        detail: detail.to_string(),
    };
    let mut command = Command::new(program);
    let child = command
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let child = child.map_err(|error| broken(&error))?;
    let pid = Pid::from_raw(i32::try_from(child.id()).map_err(|error| broken(&error))?);
    let (answer, answered) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || answer.send(child.wait_with_output()).is_ok());
    let Ok(output) = answered.recv_timeout(VERSION_DEADLINE) else {
        // It may just have ended by itself.
        kill(pid, Signal::SIGKILL).ok();
        waiting.join().ok();
        return Err(broken(&format!("no answer within {VERSION_DEADLINE:?}")));
    };
    let output = output.map_err(|error| broken(&error))?;
    Ok(output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}
