//! Forked sessions. A fork begins with everything that its parent had in its context then. Claude
//! Code starts it under an id of its own and does not say whose fork it is; its transcript does,
//! once it is written, which may be after the first prompt. Until then the fork is told nothing as
//! it starts, because what it would be told is replayed to it.

mod lineage;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::work::activity::Activity;
use helix_memory::Timestamp;

use super::Sessions;
use super::session::Session;
use super::state::Told;
use crate::reach::Reach;
use lineage::Messages;

/// How long an answer waits for transcripts to be read: a few megabytes take some milliseconds.
/// What takes longer is read behind it.
const READ_PATIENCE: Duration = Duration::from_millis(30);

/// Sessions whose transcripts are compared with a fork's, those heard of last first.
const CANDIDATES_MAX: usize = 16;

/// A fork whose transcript was not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fork {
    /// When it began: what its parent did later is not in it.
    pub(super) at: Timestamp,
    /// Whether somebody reads the transcript just now.
    pub(super) is_being_read: bool,
}

impl Sessions {
    /// Notes that a session that begins is a fork.
    pub(in crate::hook) fn begin_fork(&self, key: &str, now: Timestamp) {
        let mut sessions = self.lock();
        let session = self.current(&mut sessions, key, now);
        if !session.has_context() {
            session.fork = Some(Fork {
                at: now,
                is_being_read: false,
            });
            session.is_dirty = true;
        }
    }

    /// Whether a session is a fork of which nobody knows yet what it has in its context.
    #[cfg(test)]
    fn is_unread_fork(&self, key: &str) -> bool {
        self.lock()
            .get(key)
            .is_some_and(|session| session.fork.is_some())
    }

    /// Notes where a session that hooks told of writes its transcript. Persisted with what else
    /// becomes known of it.
    pub(in crate::hook) fn writes_to(&self, key: &str, transcript: &Path) {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(key) else {
            return;
        };
        if session.transcript.as_deref() != Some(transcript) {
            session.transcript = Some(transcript.to_owned());
            session.is_dirty = true;
        }
    }

    /// Gives a fork what its parent had, where its transcript says by now who that is: at once, or
    /// behind the answer where that takes long.
    pub(in crate::hook) fn read_fork(
        self: &Arc<Self>,
        reach: &Reach,
        key: &str,
        transcript: &Path,
        now: Timestamp,
    ) {
        let Some(fork) = self.begin_reading(key) else {
            return;
        };
        let reading = Reading {
            sessions: Arc::clone(self),
            key: key.to_owned(),
        };
        let read = transcript.to_owned();
        reach.ask_of(
            transcript.parent().unwrap_or(transcript),
            vec![read.clone()],
            READ_PATIENCE,
            move || {
                reading.sessions.find_parent(&reading.key, fork, &read, now);
            },
        );
    }

    /// A fork that was not read yet, which is from now on; `None` where somebody reads it just now.
    fn begin_reading(&self, key: &str) -> Option<Fork> {
        let mut sessions = self.lock();
        let fork = sessions
            .get_mut(key)?
            .fork
            .as_mut()
            .filter(|fork| !fork.is_being_read)?;
        let unread = *fork;
        fork.is_being_read = true;
        Some(unread)
    }

    /// Reads transcripts, without the lock. One that is not written as far as the fork's own first
    /// message may name its parent later.
    fn find_parent(&self, key: &str, fork: Fork, transcript: &Path, now: Timestamp) {
        let Some(own) = Messages::read(transcript, fork.at) else {
            return;
        };
        let ids: HashSet<&str> = own.ids().collect();
        let shared = |(session, transcript): (String, PathBuf)| {
            let read = Messages::read(&transcript, fork.at)?;
            let shared = read.shared_with(&own, &ids, fork.at)?;
            (shared > 0).then_some((shared, session))
        };
        let mut parent: Option<(usize, String)> = None;
        for found in self.beside(key, transcript).into_iter().filter_map(shared) {
            if parent.as_ref().is_none_or(|(most, _)| found.0 > *most) {
                parent = Some(found);
            }
        }
        let parent = parent
            .map(|(_, session)| session)
            .or_else(|| own.named_parent().map(str::to_owned));
        if parent.is_some() || own.has_any_after(fork.at) {
            self.inherit(key, parent.as_deref(), now);
        }
    }

    /// The sessions with transcripts in the same directory, those heard of last first.
    fn beside(&self, key: &str, transcript: &Path) -> Vec<(String, PathBuf)> {
        let sessions = self.lock();
        let mut beside: Vec<_> = sessions
            .iter()
            .filter(|(other, _)| *other != key)
            .filter_map(|(other, session)| {
                Some((session.last_event_at, other, session.transcript.as_ref()?))
            })
            .filter(|(_, _, known)| known.parent() == transcript.parent() && *known != transcript)
            .collect();
        beside.sort_by_key(|(at, _, _)| std::cmp::Reverse(*at));
        beside
            .into_iter()
            .take(CANDIDATES_MAX)
            .map(|(_, other, known)| (other.clone(), known.clone()))
            .collect()
    }

    /// Gives a fork what its parent has, where that is known.
    fn inherit(&self, key: &str, parent: Option<&str>, now: Timestamp) {
        let mut sessions = self.lock();
        let parent = parent
            .and_then(|parent| sessions.get(parent))
            .filter(|parent| !parent.is_over(now))
            .cloned();
        let Some(session) = sessions
            .get_mut(key)
            .filter(|session| session.fork.is_some())
        else {
            return;
        };
        session.fork = None;
        if let Some(parent) = parent {
            session.inherit(parent);
        }
        session.persist(key, &self.outbox);
    }
}

/// A fork's transcript is being read for as long as the value lives, also where nobody gets to it.
struct Reading {
    sessions: Arc<Sessions>,
    key: String,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(fork) = self
            .sessions
            .lock()
            .get_mut(&self.key)
            .and_then(|session| session.fork.as_mut())
        {
            fork.is_being_read = false;
        }
    }
}

impl Session {
    fn has_context(&self) -> bool {
        !self.given.is_empty() || !self.known.is_empty()
    }

    /// Takes over what a session has that this one is forked from. What became of what that was
    /// given is counted there.
    fn inherit(&mut self, parent: Self) {
        let own = std::mem::replace(&mut self.given, parent.given);
        self.given.append(own);
        let known: Vec<_> = parent
            .known
            .into_iter()
            .map(helix_memory::MemoryNumber)
            .collect();
        self.know(&known);
        for told in parent.told.into_values() {
            self.told.entry(told.number).or_insert(Told {
                is_judged: true,
                ..told
            });
        }
        self.checkpoint = self.checkpoint.or(parent.checkpoint);
        self.place = self.place.take().or(parent.place);
        self.work_told = self.work_told.or(parent.work_told);
        self.warned.extend(parent.warned);
        if self.activity == Activity::default() {
            self.activity = parent.activity;
        }
    }
}

#[cfg(test)]
mod tests;
