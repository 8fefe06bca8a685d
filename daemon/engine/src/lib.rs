//! Helix's functional core and its storage.
//!
//! Data moves one way: `model` (values) → `policy` (pure decisions) → `store` (redb, the truth) →
//! `index` (derived, may be deleted while the daemon is off) → `recall` (parse, search, fuse, rank)
//! → `brief` (compress what was selected) and `surface` (text for readers). [`strand`] ties store
//! and indexes together; [`exchange`] is how memories travel between strands.
//! What everybody may use stands beside these and imports nothing: [`error`], [`ports`],
//! [`lock_order`], [`neutral`], text that is safe to show, and [`derived`], files that can be made
//! anew.
//!
//! Absent on purpose: tokio, tonic, ort, environment variables, home directories and clocks. Time,
//! randomness, storage and embeddings come in through [`ports`] or as arguments.

pub mod brief;
pub mod derived;
pub mod error;
pub mod exchange;
pub mod index;
pub mod lock_order;
pub mod model;
pub mod neutral;
pub mod policy;
pub mod ports;
pub mod recall;
pub mod store;
pub mod strand;
pub mod surface;
