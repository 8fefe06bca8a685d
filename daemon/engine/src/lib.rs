//! Helix's functional core and its storage.

pub mod index;
