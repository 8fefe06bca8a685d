//! Starting the daemon, detached from whoever starts it.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use helix_proto::paths::{DAEMON_VARIABLE, Paths};

/// Name of the daemon's executable.
const DAEMON_NAME: &str = "helixd";

/// Why the daemon could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No executable.
    #[error("{DAEMON_NAME} was found neither beside {0} nor on the search path; set {DAEMON_VARIABLE} or reinstall")]
    NotFound(PathBuf),
    /// The home directory cannot be used.
    #[error("preparing {path}: {source}")]
    Home {
        /// Which directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The executable cannot be run.
    #[error("starting {path}: {source}")]
    Spawn {
        /// Which executable.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Starts the daemon unless one holds the lock. Returns whether a process was started; it may yet lose the lock to
/// another starter, in which case the other one serves.
pub(crate) fn start_daemon(paths: &Paths) -> Result<bool, StartError> {
    let lock = paths.lock();
    if let Some(run) = lock.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(run)
            .map_err(|source| StartError::Home { path: run.to_owned(), source })?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
    let file = file.map_err(|source| StartError::Home { path: lock.clone(), source })?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(source)) => return Err(StartError::Home { path: lock, source }),
    }
    // The daemon takes the lock itself; two that race settle it between them.
    drop(file);
    spawn(paths, &find_daemon()?)?;
    Ok(true)
}

/// `--detached` makes the daemon leave our session and close every descriptor that it inherited.
fn spawn(paths: &Paths, daemon: &Path) -> Result<(), StartError> {
    let child = Command::new(daemon)
        .arg("--detached")
        .env("HELIX_HOME", &paths.home)
        .env("HELIX_SOCKET", &paths.socket)
        .env("HELIX_MODEL_DIR", &paths.models)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|source| StartError::Spawn { path: daemon.to_owned(), source })?;
    // Reaps the daemon should it end before us; the thread ends with it, or with the process.
    let reaper = thread::Builder::new().name("daemon-reaper".to_owned());
    reaper.spawn(move || child.wait()).map_err(|source| StartError::Spawn { path: daemon.to_owned(), source })?;
    Ok(())
}

fn find_daemon() -> Result<PathBuf, StartError> {
    if let Some(named) = env::var_os(DAEMON_VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(named.into());
    }
    let own = env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
    let beside = own.parent().map(|directory| directory.join(DAEMON_NAME)).filter(|path| path.is_file());
    let on_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).map(|directory| directory.join(OsStr::new(DAEMON_NAME))).find(|path| path.is_file())
    };
    beside.or_else(on_path).ok_or(StartError::NotFound(own))
}
