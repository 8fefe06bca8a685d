//! Everything derived from the store: the catalog of columns, the lexical index, the vectors.
//!
//! All of it may be deleted while the daemon is off. Indexes follow the store by sequence and never
//! answer for it: a hit is read from a snapshot before anyone sees it.

pub mod catalog;
pub mod filter;
pub mod graph;
pub(crate) mod interner;
pub mod lexical;
pub mod vectors;
