//! How memories travel between strands: the AMRL log, JSON and Markdown, each read and written as a
//! stream.
//!
//! ```text
//! store → Memory → Portable → amrl | json | markdown → file → Portable → Draft → policy → store
//! ```
//!
//! [`Portable`] is the one value in the middle; each format has its own struct or layout and its
//! own version. Readers take what other tools wrote as far as it can be understood, and say in a
//! [`Report`] what they left out and where. Nothing here opens a file, reads a clock or decides
//! what a strand keeps.
//!
//! # Example
//!
//! A memory written as Markdown, and read back:
//!
//! ```
//! use helix_memory::Topic;
//! use helix_exchange::{Portable, markdown};
//!
//! let memory = Portable {
//!     topic: "deploys".to_owned(),
//!     text: "The staging cluster is rebuilt every Monday.".to_owned(),
//!     ..Portable::default()
//! };
//! let mut writer = markdown::Writer::new(Vec::new(), &Topic::parse("deploys")?, 1)?;
//! writer.write(&memory)?;
//! let file = writer.finish()?;
//!
//! for section in markdown::Reader::new(file.as_slice(), "unnamed")? {
//!     assert_eq!(section?.memory.text, memory.text);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod amrl;
mod change;
mod entry;
pub mod json;
pub mod markdown;
mod portable;
mod report;
#[cfg(test)]
mod samples;
mod time;

pub use amrl::OwnLines;
pub use change::{Base, Change};
pub use entry::Rest;
pub use portable::{Portable, named_once};
pub use report::{FLAWS_MAX, Flaw, Place, Problem, Report};
