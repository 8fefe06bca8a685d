//! JSON: one document that holds everything, written and read one memory at a time.
//!
//! ```text
//! {"format":"helix-export","version":1,"topics":[
//! {"topic":"build-gotchas","entries":[
//! {"id":"…","handle":"…","kind":"gotcha","tags":["build"],…,"recorded_at":"2026-11-21T14:30:05.000700Z","text":"…"},
//! {…}
//! ]}
//! ]}
//! ```
//!
//! A memory takes one line. A topic may come more than once, so a writer needs no sorting. Fields
//! without a value are left out; what is written comes back exactly. A memory with an id carries
//! hashes of its text and of the fields that people edit, as in Markdown: so the reader knows an
//! edited one, and what the edit started from.
//!
//! [`read`] also takes what other tools export: topics as an object (`{"topics":{"name":[…]}}`),
//! memories in one list (`{"entries":[…]}`, `[…]`) that name their topic, and the common names of
//! fields: `body` and `content` for the text (metadata lines of AMRL in a `body` are taken out of
//! it), `timestamp`, `date`, `at` and `created_at` for the time, tags and links as one string. In a
//! list of memories a link may be the index of another.

mod lossy;
mod read;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use read::{ReadError, read, read_with_bases};
pub use write::Writer;

/// The document's name for its format.
const FORMAT: &str = "helix-export";

/// The version that is written, and the last one that is read.
const VERSION: u64 = 1;

/// Bytes that one memory may take in a document: the longest text with every character escaped, and
/// its metadata. More is not read into memory.
pub const ENTRY_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes of memories that may come before the name of their topic; they have to wait for it.
pub const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;
