//! What sessions said becomes what waits in the review, and nothing else of it is kept.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

// The place of a kill is found in /proc.
#[cfg(target_os = "linux")]
mod anywhere;
mod clients;
mod ended;
mod events;
mod files;
mod followed;
mod imported;
mod killed;
mod left_out;
mod named;
mod noted;
mod refused;
mod world;
