//! Replies of the hooks of every client, word by word: each recording of a client's stdin through
//! the real shim and the real daemon, over a few notes about a small project.
//!
//! One snapshot a client: each recording, the client's event, and what every event of Helix's says
//! to it. Every answer is checked to be one that the client takes.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod golden;
mod harmless;
mod inside;
mod keys;
mod made;
mod once;
mod world;
