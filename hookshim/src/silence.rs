//! Why the shim says nothing: every failure it knows, as a value.

/// A reason to print nothing. Shown on stderr only under `HELIX_HOOK_DEBUG`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// No event was named, or its name is longer than any event's.
    NoEvent,
    /// No variable says where the socket is.
    NoHome,
    /// The socket's path does not fit into a socket address.
    PathTooLong,
    /// A standard stream is closed and the socket took its number.
    StreamClosed,
    /// Nothing listens.
    Absent,
    /// The daemon's queue of connections stayed full.
    Busy,
    /// Connecting failed for another reason.
    NoConnection,
    /// The socket belongs to another user.
    Stranger,
    /// The system took no more of the request.
    NotSent,
    /// The connection ended before the daemon had read the whole request, so it did nothing.
    Untaken,
    /// The deadline passed before the whole reply was there.
    Late,
    /// The connection ended before the whole reply was there.
    CutOff,
    /// The reply is not in the frame's format, or too long.
    Garbled,
    /// stdout took nothing more.
    NotPrinted,
    /// The home directory is relative, so a daemon could not find it.
    RelativeHome,
    /// The run directory or the lock file could not be made.
    NoLock,
    /// Others can look into what would be the home.
    OpenHome,
    /// Another process holds the daemon's lock.
    LockHeld,
    /// No `helixd` to start was found.
    NoDaemon,
    /// The daemon could not be started.
    NotStarted,
    /// The daemon was started and does not listen yet.
    Starting,
    /// A daemon was started a moment ago.
    StartedLately,
    /// The call is not on the list of those that are harmless.
    NotHarmless,
    /// Helix itself asks this agent something.
    SwitchedOff,
    /// The daemon was started and left word that it cannot serve.
    Complains,
}

impl Silence {
    /// Returns the event and the remedy, for a reader of stderr.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::NoEvent => "no usable event: run `helix-hook <event>`",
            Self::NoHome => "no place for the socket: set HELIX_SOCKET, HELIX_HOME or HOME",
            Self::PathTooLong => "path too long: set a shorter HELIX_SOCKET or HELIX_HOME",
            Self::StreamClosed => "a standard stream is closed: keep stdin, stdout and stderr open",
            Self::Absent => "connecting to helixd: nothing listens; start helixd",
            Self::Busy => "connecting to helixd: its queue stayed full; try again",
            Self::NoConnection => {
                "connecting to helixd: refused by the system; check the socket's permissions"
            }
            Self::Stranger => "the socket belongs to another user; check HELIX_SOCKET",
            Self::NotSent => "sending to helixd: refused by the system; see its log",
            Self::Untaken => {
                "sending to helixd: the connection ended before it read everything; see its log"
            }
            Self::Late => "waiting for helixd: deadline passed; see its log",
            Self::CutOff => "reading from helixd: the reply ended early; see its log",
            Self::Garbled => {
                "reading from helixd: not a reply; check that shim and daemon are of one version"
            }
            Self::NotPrinted => "writing to stdout: refused by the reader",
            Self::RelativeHome => {
                "starting helixd: its home is a relative path; set an absolute HELIX_HOME"
            }
            Self::NoLock => {
                "starting helixd: no lock file; check the permissions of the run directory"
            }
            Self::OpenHome => {
                "starting helixd: its home is open to others; `helixctl up` says more"
            }
            Self::LockHeld => "starting helixd: another process holds its lock; try again",
            Self::NoDaemon => {
                "starting helixd: none found; install it beside helix-hook or set HELIX_DAEMON"
            }
            Self::NotStarted => "starting helixd: no new process; check the system's limits",
            Self::Starting => {
                "helixd was started and does not listen yet; the next hook will find it"
            }
            Self::StartedLately => "starting helixd: one was started a moment ago; see its log",
            Self::NotHarmless => "not a call that needs no permission: the user is asked",
            Self::SwitchedOff => "HELIX_HOOKS is off: Helix itself asks this agent something",
            Self::Complains => "helixd was started and cannot serve; `helixctl up` says why",
        }
    }
}
