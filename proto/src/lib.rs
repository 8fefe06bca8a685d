//! The wire contract `helix.v1` between the daemon and its clients: messages, the hook frame,
//! limits, the handshake.
//!
//! Nothing here knows the engine; `daemon/src/rpc/convert.rs` is the one place that maps these
//! messages to domain types.
//!
//! # Example
//!
//! A hook request in its frame, as the shim sends it:
//!
//! ```
//! use helix_proto::frame::{HEADER_BYTES, body_length, header};
//! use helix_proto::v1::HookRequest;
//! use prost::Message;
//!
//! let request = HookRequest { event: "ambient".to_owned(), ..HookRequest::default() };
//! let body = request.encode_to_vec();
//! let mut frame = header(u32::try_from(body.len())?).to_vec();
//! frame.extend(&body);
//!
//! let (start, rest) = frame.split_first_chunk::<HEADER_BYTES>().unwrap();
//! assert_eq!(body_length(*start), Some(u32::try_from(rest.len())?));
//! assert_eq!(HookRequest::decode(rest)?, request);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod exit;
pub mod frame;
pub mod harmless;
pub mod holder;
pub mod limits;
pub mod notice;
pub mod ordinal;
pub mod own_file;
pub mod paths;
pub mod provider;
pub mod remedy;
pub mod standing;

/// Generated messages, client and server of `helix.v1`.
#[allow(
    missing_docs,
    clippy::pedantic,
    clippy::large_enum_variant,
    rustdoc::invalid_html_tags,
    unreachable_pub
)]
pub mod v1 {
    tonic::include_proto!("helix.v1");
}

/// The scope in which an examination stores, finds and forgets a memory. The daemon leaves what it
/// holds out of every count, listing and guess.
pub const SCRATCH_SCOPE: &str = "project:scratch:helix-doctor";

/// Beginning of the session id that an examination plays. The daemon answers its hooks as any
/// others and records nothing of them.
pub const SCRATCH_SESSION: &str = "helix-doctor-";

/// Protocol number: raised when an older peer would misunderstand a newer one.
pub const PROTOCOL: u32 = 1;
