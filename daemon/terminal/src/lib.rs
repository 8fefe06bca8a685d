//! What shell commands do and what their outputs say: which of them build, test or change files,
//! which failed, and of what.
//!
//! Pure: lines and outputs come in as text, and nothing is run. It knows nothing of memories.

pub mod command;
pub mod fault;
mod options;
mod shell;
pub mod verdict;

pub use options::does_alike;

/// Names the groups of data that a measurement can switch off.
#[must_use]
pub fn parts() -> Vec<String> {
    let mut parts = command::parts();
    parts.extend(fault::parts());
    parts
}
