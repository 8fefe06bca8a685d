//! Where the processes meet: the home directory, the socket, the lock.

use std::env;
use std::path::{Path, PathBuf};

/// Names the home directory; default: the platform's data directory.
pub const HOME_VARIABLE: &str = "HELIX_HOME";

/// Names the socket.
pub const SOCKET_VARIABLE: &str = "HELIX_SOCKET";

/// Names the directory of models, so that several homes can share them.
pub const MODEL_DIR_VARIABLE: &str = "HELIX_MODEL_DIR";

/// Names the daemon's executable; default: beside the program that starts it, then the search path.
pub const DAEMON_VARIABLE: &str = "HELIX_DAEMON";

/// Longest socket path, in bytes, that the kernel takes.
pub const SOCKET_PATH_MAX_BYTES: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// The places of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Holds everything: configuration, strands, models, logs, run files.
    pub home: PathBuf,
    /// The daemon's socket.
    pub socket: PathBuf,
    /// Models and the runtime library.
    pub models: PathBuf,
}

/// Why the places cannot be decided.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// No home directory.
    #[error("no home directory is known; set HELIX_HOME to the directory that Helix should use")]
    NoHome,
    /// Too long for the kernel.
    #[error(
        "the socket path {0} is longer than {SOCKET_PATH_MAX_BYTES} bytes; set HELIX_SOCKET to a shorter one"
    )]
    TooLong(PathBuf),
    /// Not absolute.
    #[error("{variable} is {value:?}, which is not absolute; give the full path")]
    Relative {
        /// Which variable.
        variable: &'static str,
        /// Its value.
        value: PathBuf,
    },
}

impl Paths {
    /// Decides the places from the environment. Empty variables count as unset.
    ///
    /// The socket is `$HELIX_SOCKET`; else, when `$HELIX_HOME` is set, `run/helixd.sock` inside it,
    /// so that homes never share a daemon by accident; else
    /// `$XDG_RUNTIME_DIR/helix/helixd.sock`; else `run/helixd.sock` in the default home.
    ///
    /// # Errors
    /// [`PathError`] says which variable to set.
    pub fn from_environment() -> Result<Self, PathError> {
        let explicit_home = absolute(HOME_VARIABLE)?;
        let home = match &explicit_home {
            Some(home) => home.clone(),
            None => default_home().ok_or(PathError::NoHome)?,
        };
        let socket = match (
            absolute(SOCKET_VARIABLE)?,
            &explicit_home,
            absolute("XDG_RUNTIME_DIR")?,
        ) {
            (Some(socket), _, _) => socket,
            (None, None, Some(runtime)) => runtime.join("helix").join("helixd.sock"),
            (None, _, _) => home.join("run").join("helixd.sock"),
        };
        let models = absolute(MODEL_DIR_VARIABLE)?.unwrap_or_else(|| home.join("models"));
        Self {
            home,
            socket,
            models,
        }
        .checked()
    }

    /// The places inside one home directory, whatever the environment says.
    #[must_use]
    pub fn inside(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            socket: home.join("run").join("helixd.sock"),
            models: home.join("models"),
        }
    }

    /// The file whose lock proves that a home has one daemon.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.home.join("run").join("helixd.lock")
    }

    /// The file in which a daemon says why it greets nobody for a while; see [`crate::notice`].
    #[must_use]
    pub fn notice(&self) -> PathBuf {
        self.home.join("run").join("helixd.notice")
    }

    /// The file in which a daemon that cannot start leaves a message for the session whose hook
    /// started it, in the words of its client.
    #[must_use]
    pub fn complaint(&self) -> PathBuf {
        self.home.join("run").join("helixd.complaint")
    }

    /// The shim's name for that file once the session was told.
    #[must_use]
    pub fn told_complaint(&self) -> PathBuf {
        self.home.join("run").join("helixd.complaint-told")
    }

    /// The configuration file.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.home.join("config.toml")
    }

    /// The directory of log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.home.join("logs")
    }

    /// The directory of a strand.
    #[must_use]
    pub fn strand(&self, name: &str) -> PathBuf {
        self.home.join("strands").join(name)
    }

    /// Refuses a socket that the kernel does not take.
    ///
    /// # Errors
    /// [`PathError::TooLong`].
    pub fn checked(self) -> Result<Self, PathError> {
        if self.socket.as_os_str().len() > SOCKET_PATH_MAX_BYTES {
            return Err(PathError::TooLong(self.socket));
        }
        Ok(self)
    }
}

fn absolute(variable: &'static str) -> Result<Option<PathBuf>, PathError> {
    match env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
    {
        Some(value) if !value.is_absolute() => Err(PathError::Relative { variable, value }),
        found => Ok(found),
    }
}

fn default_home() -> Option<PathBuf> {
    let base = directories::BaseDirs::new()?;
    Some(base.data_dir().join("helix"))
}
