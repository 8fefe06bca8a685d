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
        Self {
            paths,
            unasked,
            end: Instant::now() + NOTICE_DEADLINE,
        }
    }

    /// Returns whether to try once more.
    pub(crate) fn lasts(&self) -> bool {
        let now = Instant::now();
        now < self.unasked || (now < self.end && Notice::read(self.paths).is_some())
    }

    /// Explains an error when the waiting is over: a daemon that is still at work at the end is not
    /// to be taken for one that hangs.
    pub(crate) fn name(&self, error: ConnectError) -> ConnectError {
        if !matches!(
            error,
            ConnectError::Silent { .. } | ConnectError::Absent { .. }
        ) || Instant::now() < self.end
        {
            return error;
        }
        match Notice::read(self.paths) {
            Some(Notice { pid, doing }) => ConnectError::Engaged {
                pid,
                doing: doing.words(),
            },
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::{self, File};
    use std::io;

    use helix_proto::notice::Doing;

    use super::*;

    /// A home that this process holds, as a daemon would that opens its memories.
    fn opening(paths: &Paths) -> File {
        fs::create_dir_all(paths.lock().parent().unwrap()).unwrap();
        fs::write(paths.lock(), "7\n").unwrap();
        let lock = File::open(paths.lock()).unwrap();
        lock.lock().unwrap();
        Notice::post(paths, 7, Doing::Opening).unwrap();
        lock
    }

    #[test]
    fn a_daemon_at_work_is_waited_for_and_named_only_when_the_time_is_over() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        let absent = || ConnectError::Absent {
            socket: paths.socket.clone(),
            source: io::ErrorKind::NotFound.into(),
        };
        let patience = Patience::new(&paths);
        assert!(!patience.lasts(), "nobody says anything");
        let lock = opening(&paths);
        assert!(patience.lasts());
        assert!(
            matches!(patience.name(absent()), ConnectError::Absent { .. }),
            "it has only begun"
        );
        let patience = Patience {
            end: Instant::now(),
            ..patience
        };
        assert!(!patience.lasts());
        assert!(matches!(
            patience.name(absent()),
            ConnectError::Engaged { pid: 7, .. }
        ));
        drop(lock);
        assert!(
            matches!(patience.name(absent()), ConnectError::Absent { .. }),
            "it is gone"
        );
    }
}
