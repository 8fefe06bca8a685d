//! Black-box tests of the built `helix-mcp`, mostly without a daemon: handshakes of both eras,
//! listing, refusals, endings, and every tool over a stand-in for the daemon.
#![allow(clippy::unwrap_used)]

mod answers;
mod calls;
mod endings;
mod eras;
mod fake;
mod harness;
mod listing;
mod noise;
mod resources;
mod sets;
mod tools;
