//! What `--json` prints: stable names, times as RFC 3339 in UTC, ids as hyphenated hexadecimal, texts exact.
//!
//! These structs are a format of their own. They are made from the wire's messages here and nowhere else.

mod memory;
mod search;
mod status;

pub(crate) use memory::{ForgetDocument, ReadDocument, StoreDocument, hyphenated};
pub(crate) use search::SearchDocument;
pub(crate) use status::{StatusDocument, embedder_state};
