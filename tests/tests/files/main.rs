//! Hooks tell an agent about the files that it touches and searches for.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod about;
mod searched;
mod whose;
mod world;
