<<<<<<< HEAD
//! Everything derived from the store: the catalog of columns, the lexical index, the vectors.
//!
//! All of it may be deleted while the daemon is off. Indexes follow the store by sequence and never answer for it: a hit is
//! read from a snapshot before anyone sees it.

pub mod catalog;
pub mod filter;
mod interner;
pub mod lexical;
=======
//! Indexes: everything derived from the store, so that recall need not scan it.
//!
//! Each may be deleted while the daemon is off and is rebuilt from the store.

>>>>>>> vectors
pub mod vectors;
