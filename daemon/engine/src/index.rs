//! What is derived from the store and may be deleted while the daemon is off.

pub mod lexical;
