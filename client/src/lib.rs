//! The client side of the socket: connect, check who answers, start the daemon when it is absent, retry, deadlines.
//!
//! Clients keep no state. A call that reads or stores may be repeated safely, because storing the same text twice reinforces
//! the first memory, so one that met a dying daemon is simply made again ([`Client::call`]). What changes a memory, and what
//! streams, is called once ([`Client::call_once`]).

mod connect;
mod peer;
mod start;

pub use connect::{Client, ConnectError, Start, caller};
pub use start::StartError;

pub use helix_proto::paths::{PathError, Paths};
pub use helix_proto::{exit, limits, v1};
