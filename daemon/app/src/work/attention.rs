//! Tracks whether agents heed what hooks say, and how much less often an unheeded memory is said.
//!
//! A memory that was given in three sessions running and that none of them followed (by an edit, by
//! reading it, by a mention) rests: it is left out of the next session that it would be given in,
//! then of two, of four, of eight at most. One session that follows it ends this.

use prost::Message;

use helix_redact::{Redact, Secrets};

/// Sessions running in which a memory may be ignored before it rests.
const IGNORED_MAX: u32 = 3;

/// Most sessions for which a memory rests.
const RESTS_MAX: u32 = 8;

/// How a memory was heeded lately. What is as new need not be kept.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Heed {
    /// Sessions running that were given it and did not follow.
    #[prost(uint32, tag = "1")]
    pub ignored: u32,
    /// Sessions that it is yet to be left out of.
    #[prost(uint32, tag = "2")]
    pub rests: u32,
}

impl Redact for Heed {
    fn redact(&mut self, _: &mut Secrets) {
        let Self {
            ignored: _,
            rests: _,
        } = self;
    }
}

impl Heed {
    /// Returns whether the next session is not to be given it.
    #[must_use]
    pub fn is_resting(self) -> bool {
        self.rests > 0
    }

    /// After a session that was not given it because it rests.
    #[must_use]
    pub fn rested(self) -> Self {
        Self {
            rests: self.rests.saturating_sub(1),
            ..self
        }
    }

    /// After a session that was given it.
    #[must_use]
    pub fn given(self, is_followed: bool) -> Self {
        if is_followed {
            return Self::default();
        }
        let ignored = self.ignored.saturating_add(1);
        let rests = match ignored.checked_sub(IGNORED_MAX) {
            None => 0,
            Some(more) => 1_u32.checked_shl(more).unwrap_or(RESTS_MAX).min(RESTS_MAX),
        };
        Self { ignored, rests }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In which of so many sessions a memory is given that nobody follows.
    fn given(sessions: usize) -> Vec<usize> {
        let mut heed = Heed::default();
        let mut given = Vec::new();
        for session in 1..=sessions {
            if heed.is_resting() {
                heed = heed.rested();
            } else {
                given.push(session);
                heed = heed.given(false);
            }
        }
        given
    }

    #[test]
    fn what_nobody_heeds_is_said_less_and_less_but_never_not_at_all() {
        assert_eq!(given(40), [1, 2, 3, 5, 8, 13, 22, 31, 40]);
    }

    #[test]
    fn one_that_follows_ends_it() {
        let ignored = Heed::default().given(false).given(false).given(false);
        assert!(ignored.is_resting());
        assert_eq!(ignored.rested().given(true), Heed::default());
        assert!(
            !Heed::default()
                .given(false)
                .given(true)
                .given(false)
                .given(false)
                .is_resting()
        );
    }
}
