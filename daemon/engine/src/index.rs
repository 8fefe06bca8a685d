//! Indexes: everything derived from the store, so that recall need not scan it.
//!
//! Each may be deleted while the daemon is off and is rebuilt from the store.

pub mod vectors;
