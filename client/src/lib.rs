//! The client side of the socket: connect, check who answers, start the daemon when it is absent,
//! retry, deadlines.
//!
//! Clients keep no state. A call that reads or stores may be repeated safely, because storing the
//! same text twice reinforces the first memory, so one that met a dying daemon is simply made again
//! ([`Client::call`]). What changes a memory, or stores a text a second time, is made again only
//! when the first surely did nothing ([`Client::call_at_most_once`]). What streams or takes long is
//! called once ([`Client::call_once`]).
//!
//! What several programs show of a memory is written in one place ([`text`]).
//!
//! # Example
//!
//! What a daemon says is made safe before a person sees it. Connecting needs a daemon; see [`Client`].
//!
//! ```
//! use std::path::Path;
//!
//! use helix_client::{Paths, text};
//!
//! assert_eq!(text::clean::line("two\r\nlines \u{202e}"), "two lines");
//!
//! let paths = Paths::inside(Path::new("/home/ada/.helix"));
//! assert_eq!(paths.socket, Path::new("/home/ada/.helix/run/helixd.sock"));
//! ```

mod connect;
mod lost;
mod patience;
mod peer;
mod start;
pub mod text;

pub use connect::{Client, ConnectError, Rpc, Start, caller};
pub use lost::is_lost_connection;
pub use start::{StartError, find_daemon as daemon_program};

pub use helix_proto::holder::Holder;
pub use helix_proto::notice::{Doing, Notice};
pub use helix_proto::paths::{PathError, Paths};
pub use helix_proto::{exit, limits, standing, v1};
