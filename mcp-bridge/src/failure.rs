//! Why a tool call failed, as the model reads it.

use crate::arguments::ArgumentError;
use crate::daemon::CallError;

/// A failed call. Its text says what to do next.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The call itself was wrong.
    #[error("{0}")]
    Argument(#[from] ArgumentError),
    /// The daemon did not do it.
    #[error("{0}")]
    Call(#[from] CallError),
}
