//! The built program with a stand-in for the daemon: what it sends, what it says, what it leaves
//! behind.
#![allow(clippy::unwrap_used)]

mod batch;
mod browse;
mod change;
mod edit;
mod export;
mod fake;
mod import;
mod upgrade;
mod world;
