//! How long to go on trying to reach a daemon that is there and greets nobody.

use helix_proto::limits::NOTICE_DEADLINE;
use helix_proto::notice::Notice;
use helix_proto::paths::Paths;
use tokio::time::Instant;

use crate::connect::ConnectError;

/// Waits for a daemon that says what it is doing longer than for one that says nothing.
pub(crate) struct Patience<'p> {
    paths: &'p Paths,
    /// Until then nothing need be said.
    unasked: Instant,
    end: Instant,
}

impl<'p> Patience<'p> {
    /// Waits only for a daemon that says why.
    pub(crate) fn new(paths: &'p Paths) -> Self {
        Self::until(paths, Instant::now())
    }

    /// Waits until then for one that says nothing.
    pub(crate) fn until(paths: &'p Paths, unasked: Instant) -> Self {
        Self { paths, unasked, end: Instant::now() + NOTICE_DEADLINE }
    }

    /// Whether to try once more.
    pub(crate) fn lasts(&self) -> bool {
        let now = Instant::now();
        now < self.unasked || (now < self.end && Notice::read(self.paths).is_some())
    }

    /// What went wrong, when it is over: a daemon at work is not to be taken for one that hangs.
    pub(crate) fn name(&self, error: ConnectError) -> ConnectError {
        match (&error, Notice::read(self.paths)) {
            (ConnectError::Silent { .. } | ConnectError::Absent { .. }, Some(Notice { pid, doing })) => {
                ConnectError::Engaged { pid, doing: doing.words() }
            }
            _ => error,
        }
    }
}
