//! What sessions said becomes what waits in the review, and nothing else of it is kept.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

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
