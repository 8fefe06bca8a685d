//! Starting the daemon, detached from whoever starts it.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;

use helix_proto::exit;
use helix_proto::holder::Holder;
use helix_proto::own_file;
use helix_proto::paths::{DAEMON_VARIABLE, Paths};

/// Name of the daemon's executable.
const DAEMON_NAME: &str = "helixd";

/// Log of a daemon before its own is open, inside the home.
const START_LOG: &str = "run/start.log";

/// Everything that the group and others may do.
const OTHERS: u32 = 0o077;

/// Longest such text, in bytes: a few lines.
const SAID_MAX_BYTES: u64 = 1024 * 1024;

/// Why the daemon could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No executable.
    #[error(
        "{DAEMON_NAME} was found neither beside {0} nor on the search path; set {DAEMON_VARIABLE} or reinstall"
    )]
    NotFound(PathBuf),
    /// The home directory cannot be used.
    #[error("preparing {path}: {source}")]
    Home {
        /// Which directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Others can look into the home.
    #[error(
        "{0} is open to others; run `chmod 700 {0}` if it is to be Helix's, or name another with HELIX_HOME"
    )]
    OpenToOthers(PathBuf),
    /// It ran and gave up.
    #[error("{message}")]
    Ended {
        /// Its exit code.
        code: u8,
        /// Its message.
        message: String,
    },
    /// The executable cannot be run.
    #[error("starting {path}: {source}")]
    Spawn {
        /// Which executable.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A daemon's process that was started here.
#[derive(Debug)]
pub(crate) struct Started {
    /// The process's id, which the daemon keeps for as long as it runs.
    pub(crate) pid: u32,
    ended: Arc<OnceLock<u8>>,
    said: PathBuf,
}

impl Started {
    /// Returns whether the process found that another daemon holds the home.
    pub(crate) fn found_another(&self) -> bool {
        self.ended.get() == Some(&exit::ALREADY_RUNNING)
    }

    /// Why the process ended, if it did. Losing the lock to another starter is no failure: the
    /// other one serves.
    pub(crate) fn failure(&self) -> Option<StartError> {
        let code = *self.ended.get()?;
        if matches!(code, exit::OK | exit::ALREADY_RUNNING) {
            return None;
        }
        let said = own_file::read(&self.said, SAID_MAX_BYTES).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let message = last.map_or_else(|| silent_end(code, &self.said), str::to_owned);
        Some(StartError::Ended { code, message })
    }
}

/// Says what is likely when a daemon could not even say why it ended.
fn silent_end(code: u8, said: &Path) -> String {
    let place = said.display();
    match code {
        exit::IO => format!(
            "{DAEMON_NAME} ended with code {code} and could not write why to {place}: the disk may be full or failing; \
             free some space and try again"
        ),
        _ => {
            format!("{DAEMON_NAME} ended with code {code} and said nothing in {place}; see its log")
        }
    }
}

/// Says who holds a home's lock, for a message.
pub(crate) fn holder(paths: &Paths) -> String {
    Holder::read(paths).map_or_else(|| "unknown".to_owned(), |holder| holder.pid.to_string())
}

/// Starts the daemon unless one holds the lock. Returns what was started; it may yet lose the lock
/// to another starter.
pub(crate) fn start_daemon(paths: &Paths) -> Result<Option<Started>, StartError> {
    let lock = paths.lock();
    if let Some(run) = lock.parent() {
        make_run_directory(&paths.home, run)?;
    }
    let file = own_file::open(
        OpenOptions::new().create(true).truncate(false).write(true),
        &lock,
    );
    let file = file.map_err(|source| StartError::Home {
        path: lock.clone(),
        source,
    })?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(source)) => return Err(StartError::Home { path: lock, source }),
    }
    // The daemon takes the lock itself; two that race settle it between them.
    drop(file);
    spawn(paths, &find_daemon()?).map(Some)
}

/// Makes the run directory and what leads to it. Nothing is made in a directory that is none of
/// ours.
fn make_run_directory(home: &Path, run: &Path) -> Result<(), StartError> {
    let failed = |source| StartError::Home {
        path: run.to_owned(),
        source,
    };
    own_file::check_directory(run).map_err(failed)?;
    if fs::symlink_metadata(run).is_ok() {
        return Ok(());
    }
    let is_open = fs::metadata(home).is_ok_and(|found| found.mode() & OTHERS != 0);
    if is_open {
        return Err(StartError::OpenToOthers(home.to_owned()));
    }
    let mut builder = DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(run)
        .map_err(failed)
}

/// `--detached` makes the daemon leave our session and close every descriptor that it inherited.
fn spawn(paths: &Paths, daemon: &Path) -> Result<Started, StartError> {
    let said = paths.home.join(START_LOG);
    // Without it the daemon is merely started without a word.
    let words = own_file::anew(&said);
    let child = Command::new(daemon)
        .arg("--detached")
        .env("HELIX_HOME", &paths.home)
        .env("HELIX_SOCKET", &paths.socket)
        .env("HELIX_MODEL_DIR", &paths.models)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(words.map_or_else(|_| Stdio::null(), Stdio::from))
        .spawn();
    let mut child = child.map_err(|source| StartError::Spawn {
        path: daemon.to_owned(),
        source,
    })?;
    let pid = child.id();
    // Reaps the daemon should it end before us; the thread ends with it, or with the process.
    let reaper = thread::Builder::new().name("daemon-reaper".to_owned());
    let ended = Arc::new(OnceLock::new());
    let tell = Arc::clone(&ended);
    let reap = move || {
        let code = child
            .wait()
            .ok()
            .and_then(|status| u8::try_from(status.code()?).ok());
        tell.set(code.unwrap_or(exit::INTERNAL))
    };
    reaper.spawn(reap).map_err(|source| StartError::Spawn {
        path: daemon.to_owned(),
        source,
    })?;
    Ok(Started { pid, ended, said })
}

/// Finds the daemon's program: the one that the environment names, the one beside this executable,
/// else the first on the search path.
///
/// # Errors
/// When there is none.
pub fn find_daemon() -> Result<PathBuf, StartError> {
    if let Some(named) = env::var_os(DAEMON_VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(named.into());
    }
    let own = env::current_exe()
        .and_then(fs::canonicalize)
        .unwrap_or_default();
    let beside = own
        .parent()
        .map(|directory| directory.join(DAEMON_NAME))
        .filter(|path| path.is_file());
    let on_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path)
            .map(|directory| directory.join(OsStr::new(DAEMON_NAME)))
            .find(|path| path.is_file())
    };
    beside.or_else(on_path).ok_or(StartError::NotFound(own))
}
