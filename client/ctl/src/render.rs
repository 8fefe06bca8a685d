//! Answers as people read them: tables and colours on a terminal, lines of fields separated by tabs elsewhere.
//!
//! Pure: a reply and a [`Look`](crate::screen::Look) go in, text comes out. Every stored text passes [`crate::text`] on its way.

mod findings;
mod memory;
mod search;
mod status;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use findings::findings;
pub(crate) use memory::{candidates, in_full, topic};
pub(crate) use search::search;
pub(crate) use status::status;
