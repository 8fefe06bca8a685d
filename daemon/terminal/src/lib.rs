//! What shell commands do and what their outputs say: which of them build, test or change files,
//! which failed, and of what.
//!
//! Pure: lines and outputs come in as text, and nothing is run. It knows nothing of memories.
//!
//! # Example
//!
//! ```
//! use helix_terminal::command::{Purpose, run_of};
//! use helix_terminal::fault::sightings;
//! use helix_terminal::verdict::Verdict;
//!
//! let run = run_of("cd api && cargo test --quiet").unwrap();
//! assert_eq!(run.tool, "cargo test");
//! assert_eq!(run.purpose, Purpose::Test);
//! assert_eq!(run.directory.as_deref(), Some("api"));
//!
//! let output = "error[E0382]: borrow of moved value: `rows`\n  --> src/load.rs:14:9\n";
//! assert_eq!(Verdict::of(&run, output), Verdict::Failed);
//!
//! let seen = sightings(output);
//! assert_eq!(seen[0].fault.code, "E0382");
//! assert_eq!(seen[0].fault.symbol, "rows");
//! assert_eq!(seen[0].fault.file, "src/load.rs");
//! ```

pub mod command;
pub mod fault;
mod options;
mod pattern;
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
