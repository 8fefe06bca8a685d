//! A memory as a JSON object: what the JSON export holds, and what stands in the markers of a
//! Markdown export.
//!
//! Writing is exact: every field, times with microseconds, numbers as they are. Reading is lenient,
//! so that what other tools export can be read: other names for the common fields, lists as
//! strings, numbers as strings, times in several forms. A field that cannot be understood is left
//! out and reported; it never costs the memory.

mod read;
mod rest;
mod write;

pub(super) use read::{RECORDED_NAMES, is_known, read};
pub use rest::Rest;
pub(super) use rest::{edited, rest_hash};
pub(super) use write::{Carries, Line, fields_hash, text_hash};

#[cfg(test)]
mod tests;
