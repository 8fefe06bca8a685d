//! Why the daemon ends, and with which exit code.

use std::io;
use std::path::PathBuf;

use helix_engine::OpenError;
use helix_memory::ErrorKind;
use helix_proto::exit;
use helix_proto::paths::PathError;

/// A reason to end other than being asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The places cannot be decided.
    #[error(transparent)]
    Paths(#[from] PathError),
    /// The configuration is wrong.
    #[error("configuration {path}: {detail}")]
    Config {
        /// Which file or variable.
        path: String,
        /// The fault, and its remedy.
        detail: String,
    },
    /// Another daemon holds the home directory.
    #[error("another helixd (pid {holder}) already serves {home}; nothing to do")]
    AlreadyRunning {
        /// Its process id as it wrote it into the lock, or `unknown`.
        holder: String,
        /// The home directory.
        home: PathBuf,
    },
    /// The home would be a directory that others can look into.
    #[error(
        "{path} is open to others; run `chmod 700 {path}` if it is to be Helix's, or name another with --home or HELIX_HOME"
    )]
    OpenToOthers {
        /// The directory.
        path: PathBuf,
    },
    /// Others could replace the socket.
    #[error(
        "others can write to {path}; put the socket into a directory of your own with --socket or HELIX_SOCKET"
    )]
    Shared {
        /// The directory.
        path: PathBuf,
    },
    /// A file or socket cannot be used.
    #[error("{action} {path}: {source}")]
    Io {
        /// The action that was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The strand cannot be opened.
    #[error(transparent)]
    Strand(#[from] OpenError),
    /// The home is not there any more, so that nothing that is written would be found.
    #[error(
        "the home {path} was removed or replaced under the daemon, which ended; start it again"
    )]
    Gone {
        /// The home directory.
        path: PathBuf,
    },
    /// A backup was not restored; the store is as it was.
    #[error("{0}; the store was not changed")]
    Restore(String),
    /// Secrets cannot be found, so nothing may be kept.
    #[error("{0}")]
    Rules(String),
    /// A commit failed, so nothing more may be acknowledged.
    #[error(
        "a write failed ({0}); what was acknowledged is kept; free some space or mend the disk, and start again"
    )]
    Disk(String),
}

impl Failure {
    /// Returns whether no daemon starts here until somebody mends something.
    pub(crate) fn is_lasting(&self) -> bool {
        match self {
            Self::Config { .. }
            | Self::OpenToOthers { .. }
            | Self::Shared { .. }
            | Self::Rules(_) => true,
            Self::Strand(error) => error.kind() != ErrorKind::Conflict,
            Self::Paths(_)
            | Self::AlreadyRunning { .. }
            | Self::Io { .. }
            | Self::Gone { .. }
            | Self::Restore(_)
            | Self::Disk(_) => false,
        }
    }

    /// The process's exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Paths(_) | Self::Config { .. } => exit::USAGE,
            Self::Rules(_) => exit::INTERNAL,
            Self::AlreadyRunning { .. } => exit::ALREADY_RUNNING,
            Self::OpenToOthers { .. } | Self::Shared { .. } => exit::PERMISSION,
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    exit::PERMISSION
                }
                // A daemon of another home has the socket.
                io::ErrorKind::AddrInUse => exit::ALREADY_RUNNING,
                // The place is something else than Helix's, or no place at all.
                io::ErrorKind::AlreadyExists
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::InvalidInput => exit::USAGE,
                _ => exit::IO,
            },
            Self::Restore(_) => exit::DATA,
            Self::Gone { .. } | Self::Disk(_) => exit::IO,
            Self::Strand(error) => match error.kind() {
                ErrorKind::Newer => exit::NEWER_FORMAT,
                ErrorKind::Conflict => exit::ALREADY_RUNNING,
                ErrorKind::Denied => exit::PERMISSION,
                ErrorKind::Unavailable => exit::UNAVAILABLE,
                ErrorKind::Invalid
                | ErrorKind::NotFound
                | ErrorKind::Changed
                | ErrorKind::Exhausted
                | ErrorKind::Corrupt
                | ErrorKind::Internal => exit::IO,
            },
        }
    }
}

/// Names what was tried on what, for `map_err`.
pub(crate) fn io_failure(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> Failure {
    let path = path.into();
    move |source| Failure::Io {
        action,
        path,
        source,
    }
}
