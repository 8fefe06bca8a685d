//! Absolute deadlines on the monotonic clock: a slow peer that sends byte by byte cannot extend
//! them.

use crate::os;

const NS_PER_MS: u64 = 1_000_000;

/// A span of time, in nanoseconds.
pub(crate) const fn ms(count: u64) -> u64 {
    count * NS_PER_MS
}

/// A moment on the monotonic clock after which nothing is waited for any more.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    at_ns: u64,
}

impl Deadline {
    /// The moment `span_ns` from now.
    pub(crate) fn after(span_ns: u64) -> Self {
        Self {
            at_ns: os::now_ns() + span_ns,
        }
    }

    /// The sooner of two deadlines.
    pub(crate) fn or_sooner(self, other: Self) -> Self {
        Self {
            at_ns: self.at_ns.min(other.at_ns),
        }
    }

    /// Nanoseconds left; `None` when the moment has passed.
    pub(crate) fn left_ns(self) -> Option<u64> {
        self.at_ns
            .checked_sub(os::now_ns())
            .filter(|&left| left > 0)
    }
}
