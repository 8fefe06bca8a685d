//! Why a tool call failed, as the model reads it.

use crate::arguments::ArgumentError;
use crate::daemon::CallError;

/// A failed call. Its text says what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The call itself was wrong.
    #[error("{0}")]
    Argument(#[from] ArgumentError),
    /// More than an answer holds.
    #[error(
        "the export of {0} memories does not fit into an answer; give topic (names or globs) to export less, or use \
         `helixctl export`"
    )]
    TooLarge(u64),
    /// The daemon did not do it.
    #[error("{0}")]
    Call(#[from] CallError),
}
