//! Language models behind the daemon: what is asked, how often, and what becomes of it when nobody
//! answers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

mod asked;
mod captured;
mod harmed;
mod paid;
mod world;
