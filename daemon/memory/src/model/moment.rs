//! The moment at which a strand is looked at.

use super::{Sequence, Timestamp};

/// The moment at which a strand is looked at, on both axes of time; now where neither is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Looks at what was known after this operation.
    pub as_of: Option<Sequence>,
    /// Looks at what held at this time, as far as it is known.
    pub valid_at: Option<Timestamp>,
}

impl Moment {
    /// Returns whether it is now on both axes.
    #[must_use]
    pub const fn is_now(&self) -> bool {
        self.as_of.is_none() && self.valid_at.is_none()
    }
}
