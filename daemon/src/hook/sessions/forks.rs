//! Forked sessions. Claude Code tells of a fork's start under the id of the session that it is forked from, and of all that
//! follows under the fork's own. So a session of which nothing was told before may be the fork of the one that was forked last
//! in its directory.
//!
//! It is taken for that only with every sign of a fork: it begins with a prompt, and its transcript lies beside that of the
//! session that was forked and is not older than the fork. A fork that is taken for a new session is merely told some things
//! again; a session that is taken for a fork is not told what it needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use helix_engine::model::Timestamp;

use super::session::{Session, elapsed};
use super::{Sessions, current};

/// How long after its start a fork may do something for the first time: somebody thinks before writing.
const FORK_MAX: Duration = Duration::from_hours(1);

/// How much older than the fork's start its transcript may be: nobody knows what Claude Code does first.
const TRANSCRIPT_AGE_MAX: Duration = Duration::from_mins(1);

/// That a session was forked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forked {
    at: Timestamp,
    /// Where its transcript lies.
    transcripts: PathBuf,
}

impl Forked {
    /// Whether a session that is heard of for the first time may be the fork, by its transcript.
    fn may_be(&self, transcript: &Path, born_at: Option<Timestamp>, now: Timestamp) -> bool {
        let is_older = born_at.is_some_and(|born_at| elapsed(born_at, self.at) > TRANSCRIPT_AGE_MAX);
        elapsed(self.at, now) < FORK_MAX && directory_of(transcript) == self.transcripts && !is_older
    }
}

impl Sessions {
    /// Notes that a session with this transcript is forked, where it has anything that the fork has then too.
    pub(in crate::hook) fn fork(&self, key: &str, transcript: &Path, now: Timestamp) {
        let mut sessions = self.lock();
        if let Some(session) = sessions.get_mut(key).filter(|session| !session.is_over(now) && session.has_context()) {
            session.forked = Some(Forked { at: now, transcripts: directory_of(transcript) });
        }
    }

    /// Notes that somebody writes to a session in a directory. One that is new there and may be the fork of a session has in its
    /// context what that one has.
    pub(in crate::hook) fn take_up_fork(&self, key: &str, directory: &Path, transcript: &Path, now: Timestamp) {
        if key.is_empty() || self.lock().contains_key(key) {
            return;
        }
        // Before the lock is taken: its file system may not answer.
        let born_at = born_at(transcript);
        let mut sessions = self.lock();
        if sessions.contains_key(key) {
            return;
        }
        let is_fork_of = |session: &Session| {
            session.forked.as_ref().is_some_and(|forked| forked.may_be(transcript, born_at, now))
                && session.place.as_ref().is_some_and(|place| Path::new(&place.directory) == directory)
        };
        let forked = sessions.values_mut().filter(|session| is_fork_of(session));
        let Some(forked) = forked.max_by_key(|session| session.forked.as_ref().map(|forked| forked.at)) else { return };
        forked.forked = None;
        let fork = forked.fork(now);
        *current(&mut sessions, key, now) = fork;
    }
}

fn directory_of(transcript: &Path) -> PathBuf {
    transcript.parent().unwrap_or(transcript).to_owned()
}

/// When a file was made; `None` where there is none yet, or the file system does not say.
fn born_at(file: &Path) -> Option<Timestamp> {
    let born = fs::metadata(file).ok()?.created().ok()?;
    let micros = born.duration_since(UNIX_EPOCH).ok()?.as_micros();
    i64::try_from(micros).ok().map(Timestamp::from_micros)
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
    #![allow(clippy::unwrap_used)]
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

    const TRANSCRIPT: &str = "/nowhere/p/one.jsonl";

    fn has(sessions: &Sessions, key: &str, directory: &str, now: Timestamp) -> bool {
        sessions.take_up_fork(key, Path::new(directory), Path::new("/nowhere/p/other.jsonl"), now);
        sessions.was_given(key, MemoryNumber(7))
    }

    #[test]
    fn a_fork_has_what_it_is_forked_from_had() {
        let sessions = given();
        assert!(!has(&sessions, "other", "/p", NOW), "nothing was forked");
        sessions.fork("one", Path::new(TRANSCRIPT), NOW);
        assert!(!has(&sessions, "elsewhere", "/q", NOW));
        assert!(has(&sessions, "fork", "/p", NOW));
        assert!(!has(&sessions, "next", "/p", NOW), "there was one fork");
    }

    #[test]
    fn a_session_that_is_known_or_comes_late_is_no_fork() {
        let sessions = given();
        sessions.meet("known", NOW);
        sessions.fork("one", Path::new(TRANSCRIPT), NOW);
        sessions.fork("nobody", Path::new(TRANSCRIPT), NOW);
        let late = Timestamp::from_micros(NOW.as_micros() + 3_600_000_000);
        assert!(!has(&sessions, "known", "/p", NOW) && !has(&sessions, "late", "/p", late));
    }

    #[test]
    fn a_session_with_an_old_transcript_or_one_of_elsewhere_is_no_fork() {
        let directory = tempfile::tempdir().unwrap();
        let transcript = directory.path().join("other.jsonl");
        std::fs::write(&transcript, "").unwrap();
        let made = born_at(&transcript).unwrap();
        let forked = |after: Duration| Forked {
            at: Timestamp::from_micros(made.as_micros() + i64::try_from(after.as_micros()).unwrap()),
            transcripts: directory.path().to_owned(),
        };
        let may_be = |forked: &Forked| forked.may_be(&transcript, born_at(&transcript), forked.at);
        assert!(may_be(&forked(Duration::ZERO)) && may_be(&forked(TRANSCRIPT_AGE_MAX)));
        assert!(!may_be(&forked(TRANSCRIPT_AGE_MAX * 2)), "it is older than the fork");
        let elsewhere = Forked { transcripts: PathBuf::from("/elsewhere"), ..forked(Duration::ZERO) };
        assert!(!may_be(&elsewhere));
        let unborn = directory.path().join("unborn.jsonl");
        assert!(forked(Duration::ZERO).may_be(&unborn, born_at(&unborn), made));
    }
}
