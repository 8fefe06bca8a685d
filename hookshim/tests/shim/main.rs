//! The shim as its agent and its daemon see it: the real program against a socket server in this
//! process.
//!
//! `HELIX_HOOK_BIN` names another build of the shim to test, for instance the freestanding one.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

mod approve;
mod exchange;
mod harness;
mod input;
mod place;
mod start;
mod streams;
