//! What a model reads: every tool of the bridge, every action and every kind of mistake, over the
//! real daemon.
//!
//! Each snapshot is a conversation: a line with a call, then its whole answer. The world that they
//! run in remembers the notes of `fixtures/corpus`, always as old as they were on one day; times,
//! ids and sizes are left out, so that it reads the same on every day and machine.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod batch;
mod brief;
mod context;
mod corrections;
mod edit;
mod exchange;
mod history;
mod mistakes;
mod read;
mod relations;
mod search;
mod session;
mod stale;
mod store;
mod topics;
mod upkeep;
mod world;
