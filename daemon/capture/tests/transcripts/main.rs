//! The readers, with sessions in every client's format.
#![allow(clippy::unwrap_used)]

mod damage;
mod found;
mod reading;
mod recorded;
mod render;
mod session;
