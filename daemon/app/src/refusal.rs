//! Why a use case was not carried out, in words for who asked.

use std::fmt;

use helix_memory::{ErrorKind, Fault};

use crate::ports::SubmitError;

/// A use case that was not carried out. Nothing of it is half done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    kind: ErrorKind,
    message: String,
}

macro_rules! refusals {
    ($($name:ident: $kind:ident, $says:literal;)+) => {
        $(
            #[doc = $says]
            #[must_use]
            pub fn $name(message: impl Into<String>) -> Self {
                Self { kind: ErrorKind::$kind, message: message.into() }
            }
        )+
    };
}

impl Refusal {
    refusals! {
        invalid: Invalid, "The request makes no sense as it is.";
        not_found: NotFound, "What it names does not exist.";
        conflict: Conflict, "It contradicts what is stored.";
        changed: Changed, "It was changed since the caller read it.";
        denied: Denied, "The caller may not.";
        exhausted: Exhausted, "A limit is reached.";
        unavailable: Unavailable, "Not now; try again.";
        corrupt: Corrupt, "Stored data is damaged.";
        internal: Internal, "A fault of the engine or the disk.";
    }

    /// An error of the engine's.
    #[must_use]
    pub fn of(kind: ErrorKind, error: &dyn fmt::Display) -> Self {
        Self {
            kind,
            message: error.to_string(),
        }
    }

    /// Its class.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl<E: Fault> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::of(error.kind(), &error)
    }
}

impl From<SubmitError> for Refusal {
    fn from(error: SubmitError) -> Self {
        Self::of(error.kind(), &error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_failed_disk_is_told_from_a_daemon_that_stops() {
        let failed = Refusal::from(SubmitError::Disk("no space".to_owned()));
        assert_eq!(failed.kind(), ErrorKind::Corrupt);
        let stopping = Refusal::from(SubmitError::Stopping);
        assert_eq!(stopping.kind(), ErrorKind::Unavailable);
    }
}
