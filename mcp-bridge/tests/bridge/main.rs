//! Black-box tests of the built `helix-mcp`, without a daemon: handshakes of both eras, listing, refusals, endings.
#![allow(clippy::unwrap_used)]

mod answers;
mod calls;
mod endings;
mod eras;
mod fake;
mod harness;
mod listing;
mod noise;
