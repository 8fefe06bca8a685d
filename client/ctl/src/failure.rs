//! Why a command failed: one line for people, one exit code for scripts.

use std::error::Error;
use std::io;

use helix_client::{ConnectError, PathError, StartError};
use helix_proto::exit;
use tonic::{Code, Status};

use crate::model::{FetchError, InstallError, UnpackError, VerifyError};
use crate::wiring::WiringError;

/// The answer of a finished command: an exit code, usually [`exit::OK`].
pub(crate) type Outcome = Result<u8, Failure>;

/// A command that could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line asks for something that cannot be.
    #[error("{0}")]
    Usage(String),
    /// A part of the input was not taken.
    #[error("{0}")]
    Data(String),
    /// Something that the command needs is not there.
    #[error("{0}")]
    Unavailable(String),
    /// A file or a stream failed.
    #[error("{action}: {source}")]
    Io {
        /// The action, and its object.
        action: String,
        /// The system's error.
        source: io::Error,
    },
    /// The daemon refused or failed.
    #[error("{}", .0.message())]
    Daemon(Box<Status>),
    /// There is no daemon to ask.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The places are not known.
    #[error(transparent)]
    Paths(#[from] PathError),
    /// The model could not be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The model is not as it should be.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// An agent's settings could not be read or edited.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The output could not be encoded.
    #[error("encoding the answer: {0}")]
    Encode(#[from] serde_json::Error),
    /// A failure that leaves something to know about.
    #[error("{failure}; {what}")]
    Within {
        /// The note.
        what: String,
        /// The failure.
        failure: Box<Self>,
    },
    /// Ctrl-C came.
    #[error("interrupted")]
    Interrupted,
    /// Whoever read our output has gone away, which is no fault of anybody.
    #[error("the reader of the output went away")]
    ReaderGone,
}

impl Failure {
    /// Makes an adapter for `map_err` that names what was tried.
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }

    /// Answers the documented exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Paths(_) => exit::USAGE,
            Self::Data(_) => exit::DATA,
            Self::Unavailable(_) => exit::UNAVAILABLE,
            Self::Io { source, .. } => io_code(source),
            Self::Daemon(status) => status_code(status),
            Self::Connect(error) => connect_code(error),
            Self::Install(error) => install_code(error),
            Self::Verify(error) => verify_code(error),
            Self::Wiring(error) => error.exit_code(),
            Self::Encode(_) => exit::INTERNAL,
            Self::Within { failure, .. } => failure.exit_code(),
            Self::Interrupted => exit::INTERRUPTED,
            Self::ReaderGone => exit::OK,
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Daemon(Box::new(status))
    }
}

/// Maps what the daemon answered.
fn status_code(status: &Status) -> u8 {
    match status.code() {
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::OutOfRange
        | Code::ResourceExhausted
        | Code::Aborted => exit::USAGE,
        Code::FailedPrecondition if is_about_newer_format(status.message()) => exit::NEWER_FORMAT,
        Code::Unavailable | Code::DeadlineExceeded | Code::FailedPrecondition => exit::UNAVAILABLE,
        Code::PermissionDenied => exit::PERMISSION,
        Code::DataLoss => exit::IO,
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::Unimplemented
        | Code::Internal
        | Code::Unauthenticated => exit::INTERNAL,
    }
}

/// The wire has one status for "not in this state"; only its message tells a newer format from the
/// rest.
fn is_about_newer_format(message: &str) -> bool {
    message.contains("newer")
}

fn connect_code(error: &ConnectError) -> u8 {
    match error {
        ConnectError::Absent { .. }
        | ConnectError::Silent { .. }
        | ConnectError::Engaged { .. }
        | ConnectError::Version { .. }
        | ConnectError::Elsewhere { .. }
        | ConnectError::Start(StartError::NotFound(_)) => exit::UNAVAILABLE,
        // Any other code is that of something else than a helixd, or of one that a signal ended.
        ConnectError::Start(StartError::Ended { code, .. }) => {
            if exit::is_known(*code) {
                *code
            } else {
                exit::UNAVAILABLE
            }
        }
        ConnectError::NotOurs(_) | ConnectError::Start(StartError::OpenToOthers(_)) => {
            exit::PERMISSION
        }
        ConnectError::Start(StartError::Spawn { source, .. })
            if source.kind() == io::ErrorKind::NotFound =>
        {
            exit::UNAVAILABLE
        }
        ConnectError::Start(StartError::Home { source, .. } | StartError::Spawn { source, .. }) => {
            io_code(source)
        }
    }
}

fn install_code(error: &InstallError) -> u8 {
    match error {
        InstallError::Platform(_) | InstallError::Fetch(FetchError::Download(_)) => {
            exit::UNAVAILABLE
        }
        InstallError::Fetch(FetchError::MissingWheels { .. } | FetchError::WrongWheel { .. }) => {
            exit::USAGE
        }
        InstallError::Fetch(FetchError::File(error))
        | InstallError::File(error)
        | InstallError::Unpack(UnpackError::File(error)) => cause_code(error),
        InstallError::Unpack(_) => exit::IO,
        InstallError::Verify(error) => verify_code(error),
    }
}

fn verify_code(error: &VerifyError) -> u8 {
    match error {
        VerifyError::Platform(_) | VerifyError::Missing { .. } => exit::UNAVAILABLE,
        VerifyError::Manifest { .. } | VerifyError::Damaged { .. } => exit::IO,
        VerifyError::Unreadable { source, .. } => io_code(source),
    }
}

/// The code of the I/O error behind an error that keeps it to itself.
fn cause_code(error: &dyn Error) -> u8 {
    error
        .source()
        .and_then(<dyn Error>::downcast_ref)
        .map_or(exit::IO, io_code)
}

fn io_code(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => exit::PERMISSION,
        _ => exit::IO,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn every_status_has_its_exit_code() {
        let table = [
            (Code::InvalidArgument, exit::USAGE),
            (Code::NotFound, exit::USAGE),
            (Code::AlreadyExists, exit::USAGE),
            (Code::OutOfRange, exit::USAGE),
            (Code::ResourceExhausted, exit::USAGE),
            (Code::Aborted, exit::USAGE),
            (Code::Unavailable, exit::UNAVAILABLE),
            (Code::DeadlineExceeded, exit::UNAVAILABLE),
            (Code::FailedPrecondition, exit::UNAVAILABLE),
            (Code::PermissionDenied, exit::PERMISSION),
            (Code::DataLoss, exit::IO),
            (Code::Internal, exit::INTERNAL),
            (Code::Unknown, exit::INTERNAL),
            (Code::Unimplemented, exit::INTERNAL),
        ];
        for (code, expected) in table {
            assert_eq!(
                Failure::from(Status::new(code, "said so")).exit_code(),
                expected,
                "{code:?}"
            );
        }
    }

    #[test]
    fn a_newer_format_has_a_code_of_its_own() {
        let status = Status::failed_precondition("the store was written by a newer Helix; upgrade");
        assert_eq!(Failure::from(status).exit_code(), exit::NEWER_FORMAT);
    }

    #[test]
    fn failures_on_this_side_have_theirs() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let absent = ConnectError::Absent {
            socket: PathBuf::new(),
            source: io::ErrorKind::NotFound.into(),
        };
        let home = StartError::Home {
            path: PathBuf::new(),
            source: denied(),
        };
        let spawn = |kind: io::ErrorKind| StartError::Spawn {
            path: PathBuf::new(),
            source: kind.into(),
        };
        let ended = |code| StartError::Ended {
            code,
            message: String::new(),
        };
        let table = [
            (
                Failure::Connect(spawn(io::ErrorKind::NotFound).into()),
                exit::UNAVAILABLE,
            ),
            (
                Failure::Connect(spawn(io::ErrorKind::PermissionDenied).into()),
                exit::PERMISSION,
            ),
            (
                Failure::Connect(ended(exit::NEWER_FORMAT).into()),
                exit::NEWER_FORMAT,
            ),
            (Failure::Connect(ended(1).into()), exit::UNAVAILABLE),
            (Failure::Connect(ended(127).into()), exit::UNAVAILABLE),
            (Failure::Usage(String::new()), exit::USAGE),
            (Failure::Data(String::new()), exit::DATA),
            (Failure::Unavailable(String::new()), exit::UNAVAILABLE),
            (Failure::Connect(absent), exit::UNAVAILABLE),
            (
                Failure::Connect(ConnectError::NotOurs(PathBuf::new())),
                exit::PERMISSION,
            ),
            (Failure::Connect(home.into()), exit::PERMISSION),
            (
                Failure::io("writing")(io::Error::from(io::ErrorKind::StorageFull)),
                exit::IO,
            ),
            (Failure::io("writing")(denied()), exit::PERMISSION),
            (Failure::Interrupted, exit::INTERRUPTED),
            (Failure::ReaderGone, exit::OK),
        ];
        for (failure, expected) in table {
            assert_eq!(failure.exit_code(), expected, "{failure:?}");
        }
    }
}
