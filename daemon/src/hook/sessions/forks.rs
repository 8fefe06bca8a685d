//! Forked sessions. Claude Code tells of a fork's start under the id of the session that it is forked from, and of all that
//! follows under the fork's own. So a session whose start nobody told goes on where one was forked in its directory lately.

use std::path::Path;
use std::time::Duration;

use helix_engine::model::Timestamp;

use super::session::{Session, elapsed};
use super::{Sessions, current};

/// How long after its start a fork may do something for the first time: somebody thinks before writing.
const FORK_MAX: Duration = Duration::from_hours(1);

impl Sessions {
    /// Notes that a session is forked, where it has anything that the fork has then too.
    pub(in crate::hook) fn fork(&self, key: &str, now: Timestamp) {
        let mut sessions = self.lock();
        if let Some(session) = sessions.get_mut(key).filter(|session| !session.is_over(now) && session.has_context()) {
            session.forked_at = Some(now);
        }
    }

    /// Notes that a session does something in a directory. One that is new there is the fork of the session that was forked
    /// last, and has in its context what that one has.
    pub(in crate::hook) fn take_up_fork(&self, key: &str, directory: &Path, now: Timestamp) {
        let mut sessions = self.lock();
        if key.is_empty() || sessions.contains_key(key) {
            return;
        }
        let is_fork_of = |session: &Session| {
            session.forked_at.is_some_and(|at| elapsed(at, now) < FORK_MAX)
                && session.place.as_ref().is_some_and(|place| Path::new(&place.directory) == directory)
        };
        let forked = sessions.values_mut().filter(|session| is_fork_of(session));
        let Some(forked) = forked.max_by_key(|session| session.forked_at) else { return };
        forked.forked_at = None;
        let fork = forked.fork(now);
        *current(&mut sessions, key, now) = fork;
    }
}

impl Session {
    fn has_context(&self) -> bool {
        !self.given.is_empty() || !self.known.is_empty()
    }

    /// A session with the same context that did nothing yet.
    fn fork(&self, now: Timestamp) -> Self {
        Self {
            given: self.given.clone(),
            known: self.known.clone(),
            checkpoint: self.checkpoint,
            place: self.place.clone(),
            work_told: self.work_told,
            warned: self.warned.clone(),
            is_dirty: true,
            last_event_at: now,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use helix_engine::model::{MemoryNumber, Scope};

    use super::super::Start;
    use super::*;
    use crate::project::Project;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);

    fn given() -> Sessions {
        let sessions = Sessions::default();
        sessions.begin("one", Start::Anew, NOW);
        let root = PathBuf::from("/p");
        let project = Project { scope: Scope::Project("p".into()), root, name: "p".into(), aliases: Vec::new() };
        sessions.works_in("one", &project, Path::new("/p"));
        current(&mut sessions.lock(), "one", NOW).give(&[MemoryNumber(7)], None);
        sessions
    }

    fn has(sessions: &Sessions, key: &str, directory: &str, now: Timestamp) -> bool {
        sessions.take_up_fork(key, Path::new(directory), now);
        sessions.was_given(key, MemoryNumber(7))
    }

    #[test]
    fn a_fork_has_what_it_is_forked_from_had() {
        let sessions = given();
        assert!(!has(&sessions, "other", "/p", NOW), "nothing was forked");
        sessions.fork("one", NOW);
        assert!(!has(&sessions, "elsewhere", "/q", NOW));
        assert!(has(&sessions, "fork", "/p", NOW));
        assert!(!has(&sessions, "next", "/p", NOW), "there was one fork");
    }

    #[test]
    fn a_session_that_is_known_or_comes_late_is_no_fork() {
        let sessions = given();
        sessions.meet("known", NOW);
        sessions.fork("one", NOW);
        sessions.fork("nobody", NOW);
        let late = Timestamp::from_micros(NOW.as_micros() + 3_600_000_000);
        assert!(!has(&sessions, "known", "/p", NOW) && !has(&sessions, "late", "/p", late));
    }
}
