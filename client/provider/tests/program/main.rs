//! The program as the daemon uses it, before a server that plays each provider's protocol, its
//! errors, its slowness and its nonsense.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

mod commands;
mod every;
mod harness;
mod protocols;
mod routes;
mod rules;
