//! Errors of wiring Helix into a client, and the exit code of each.

use std::io;
use std::path::PathBuf;

/// Exit code for input that the user has to correct (`EX_USAGE`).
const EXIT_USAGE: u8 = 64;
/// Exit code for a failed read or write (`EX_IOERR`).
const EXIT_IO: u8 = 74;
/// Exit code for a file or directory that may not be written (`EX_NOPERM`).
const EXIT_PERMISSION: u8 = 77;

/// A failure of planning, installing, removing or reading the wiring. Whenever one is returned, the
/// file that it names is untouched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WiringError {
    /// The text is not in the file's language.
    #[error(
        "read settings as {language}: {problem} at line {line}, column {column}; correct the file and run this again"
    )]
    Syntax {
        /// The file's language.
        language: &'static str,
        /// The parser's error.
        problem: String,
        /// One-based line.
        line: usize,
        /// One-based column, in characters.
        column: usize,
    },
    /// A value that has to be walked through is of another type than the client accepts.
    #[error(
        "read settings: `{key}` must be {expected}, found {found} at line {line}, column {column}; correct the file and run this again"
    )]
    Shape {
        /// Dotted path of the value; `the root` for the document itself.
        key: String,
        /// The accepted type, with its article.
        expected: &'static str,
        /// The type that is there, with its article.
        found: String,
        /// One-based line.
        line: usize,
        /// One-based column, in characters.
        column: usize,
    },
    /// A server entry with our name belongs to something else.
    #[error(
        "add the MCP server `{name}`: an entry of that name at line {line}, column {column} runs another program; rename or remove that entry and run this again"
    )]
    ForeignServer {
        /// The entry's name.
        name: &'static str,
        /// One-based line.
        line: usize,
        /// One-based column, in characters.
        column: usize,
    },
    /// The file holds bytes that are not UTF-8.
    #[error(
        "read settings: not UTF-8 at line {line}, column {column}; save the file as UTF-8 and run this again"
    )]
    NotUtf8 {
        /// One-based line.
        line: usize,
        /// One-based column, in characters.
        column: usize,
    },
    /// The file is larger than any settings file should be.
    #[error(
        "read settings: the file has {bytes} bytes, at most {limit_bytes} are read; shorten it, or edit it by hand"
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The edited text failed its own check; a defect of this program or of the CST library.
    #[error(
        "edit settings: the edited text would {problem}, so nothing was written; edit the file by hand and report this"
    )]
    SelfCheck {
        /// The check's finding.
        problem: &'static str,
    },
    /// A program's path cannot stand in a settings file.
    #[error("use `{path}` as a command: it must be an absolute path in UTF-8")]
    Command {
        /// The path, as far as it can be shown.
        path: String,
    },
    /// Something else than a regular file stands in the way.
    #[error("read `{path}`: not a regular file; move it away and run this again")]
    NotAFile {
        /// The thing that was found.
        path: PathBuf,
    },
    /// Something else than a directory is on the way to a file.
    #[error(
        "use `{path}` as a directory: it is a file, or a link that leads nowhere; move it away and run this again"
    )]
    NotADirectory {
        /// The thing that was found.
        path: PathBuf,
    },
    /// Links that lead in a circle, or too far.
    #[error("follow the link `{path}`: more than {limit} links; point it at the file itself")]
    Links {
        /// Where the chain starts.
        path: PathBuf,
        /// How many are followed.
        limit: usize,
    },
    /// A file or directory is write-protected.
    #[error("write `{path}`: it is read-only; make it writable and run this again")]
    ReadOnly {
        /// The protected file or directory.
        path: PathBuf,
    },
    /// The file changed between planning and writing.
    #[error("write `{path}`: another program changed it meanwhile; run this again")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// An undo record cannot be understood.
    #[error(
        "read the undo record `{path}`: {problem}; the original file is beside it, move both away to go on without them"
    )]
    Record {
        /// The record.
        path: PathBuf,
        /// The flaw.
        problem: String,
    },
    /// An operation of the system failed.
    #[error("{action} `{path}`: {source}")]
    Io {
        /// A verb phrase.
        action: &'static str,
        /// The file that it was tried on.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// An error together with the file that it is about.
    #[error("{path}: {source}")]
    In {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: Box<WiringError>,
    },
}

impl WiringError {
    /// Answers the documented exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Syntax { .. }
            | Self::Shape { .. }
            | Self::ForeignServer { .. }
            | Self::NotUtf8 { .. }
            | Self::TooLarge { .. }
            | Self::Command { .. }
            | Self::NotAFile { .. }
            | Self::NotADirectory { .. }
            | Self::Links { .. } => EXIT_USAGE,
            Self::ReadOnly { .. } => EXIT_PERMISSION,
            Self::SelfCheck { .. } | Self::Changed { .. } | Self::Record { .. } => EXIT_IO,
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    EXIT_PERMISSION
                }
                _ => EXIT_IO,
            },
            Self::In { source, .. } => source.exit_code(),
        }
    }

    /// Makes an adapter for `map_err` that names the action and the path.
    pub(super) fn io<'a>(
        action: &'static str,
        path: &'a std::path::Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Names the file that an error of a pure function is about.
    pub(super) fn within(self, path: &std::path::Path) -> Self {
        Self::In {
            path: path.to_owned(),
            source: Box::new(self),
        }
    }
}
