//! One event, told twice: an agent that is wired in the user's settings and in the project's runs
//! every hook twice. The first is answered and recorded, the second gets nothing.
//!
//! What names the call of a tool is the same event whenever it comes again. What names none may
//! truly come again, and counts as one only while the first is being answered and shortly after,
//! and only until its session has another event.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use helix_memory::WordSet;

/// How long after an event that names no call another one like it is the same.
const SAME_MAX: Duration = Duration::from_secs(1);

/// How long a call is remembered: hooks of one event run at the same time, or one right after the
/// other.
const CALL_MAX: Duration = Duration::from_mins(1);

/// Events that are remembered; when there are more, those forget that came longest ago.
const EVENTS_MAX: usize = 1_024;

/// A hash of what was told.
type Key = [u8; 32];

/// What was told lately.
#[derive(Debug, Default)]
pub struct Twice {
    events: Mutex<HashMap<Key, Told>>,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    /// A hash of its session's id.
    session: u64,
    names_call: bool,
    /// Since when it counts: when it came, then when it was answered.
    at: Instant,
    is_being_answered: bool,
}

impl Told {
    fn is_over(&self, now: Instant) -> bool {
        // Whoever never says that it is answered is forgotten as well.
        let same_for = if self.is_being_answered || self.names_call {
            CALL_MAX
        } else {
            SAME_MAX
        };
        now.saturating_duration_since(self.at) >= same_for
    }
}

/// An event that is told for the first time.
#[derive(Debug)]
pub(super) struct First<'t> {
    all: &'t Twice,
    key: Key,
}

impl Twice {
    /// Takes up a session's event by its name and what the client wrote; `names_call` when that
    /// names the call of a tool. `None` when it is the same as one before.
    pub(super) fn first(
        &self,
        session: &str,
        event: &str,
        stdin: &[u8],
        names_call: bool,
        now: Instant,
    ) -> Option<First<'_>> {
        let session = WordSet::text_hash(session);
        let mut hasher = blake3::Hasher::new();
        hasher.update(event.as_bytes()).update(&[0]).update(stdin);
        let key = *hasher.finalize().as_bytes();
        let mut events = self.lock();
        if events.get(&key).is_some_and(|told| !told.is_over(now)) {
            return None;
        }
        if events.len() >= EVENTS_MAX {
            events.retain(|_, told| !told.is_over(now));
        }
        if events.len() >= EVENTS_MAX {
            let longest_ago = events
                .iter()
                .min_by_key(|(_, told)| told.at)
                .map(|(key, _)| *key);
            longest_ago.and_then(|key| events.remove(&key));
        }
        // What came before this one comes anew from now on.
        events
            .retain(|_, told| told.names_call || told.is_being_answered || told.session != session);
        events.insert(
            key,
            Told {
                session,
                names_call,
                at: now,
                is_being_answered: true,
            },
        );
        Some(First { all: self, key })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Told>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl First<'_> {
    /// Notes that it was answered. One whose answer nobody waited for may come again.
    pub(super) fn answered(self, is_awaited: bool, now: Instant) {
        let mut events = self.all.lock();
        if !is_awaited {
            events.remove(&self.key);
        } else if let Some(told) = events.get_mut(&self.key) {
            (told.at, told.is_being_answered) = (now, false);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_same_event_counts_once() {
        let (twice, now) = (Twice::default(), Instant::now());
        let after = |ms: u64| now + Duration::from_millis(ms);
        let first = twice.first("s", "stop", b"{}", false, now).unwrap();
        assert!(
            twice
                .first("s", "stop", b"{}", false, after(2_000))
                .is_none(),
            "it is being answered"
        );
        assert!(
            twice.first("s", "prompt", b"{}", false, now).is_some()
                && twice.first("s", "stop", b"{ }", false, now).is_some()
        );
        first.answered(true, after(2_000));
        assert!(
            twice
                .first("s", "stop", b"{}", false, after(2_999))
                .is_none()
        );
        assert!(
            twice
                .first("s", "stop", b"{}", false, after(3_000))
                .is_some(),
            "it truly comes again"
        );
        twice
            .first("s", "stop", b"[]", false, after(3_000))
            .unwrap()
            .answered(true, after(3_000));
        twice
            .first("s", "prompt", b"{ }", false, after(3_001))
            .unwrap()
            .answered(true, after(3_001));
        assert!(
            twice
                .first("s", "stop", b"[]", false, after(3_002))
                .is_some(),
            "something else came in between"
        );
        twice
            .first("s", "ambient", b"{}", true, now)
            .unwrap()
            .answered(true, now);
        assert!(
            twice
                .first("s", "ambient", b"{}", true, after(59_000))
                .is_none(),
            "a call comes once"
        );
        twice
            .first("s", "error-context", b"{}", true, now)
            .unwrap()
            .answered(false, now);
        assert!(
            twice
                .first("s", "error-context", b"{}", true, now)
                .is_some(),
            "nobody got the answer"
        );
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (twice, now) = (Twice::default(), Instant::now());
        for n in 0..EVENTS_MAX + 9 {
            let at = now + Duration::from_micros(n as u64);
            twice
                .first("s", "ambient", n.to_string().as_bytes(), true, at)
                .unwrap()
                .answered(true, at);
        }
        assert_eq!(twice.lock().len(), EVENTS_MAX);
        assert!(twice.first("s", "ambient", b"0", true, now).is_some());
    }
}
