//! The contract between helixd and helix-provider: frames over its standard streams.
//!
//! ```text
//! u32 LE length  Order (helixd → helix-provider) or Answer (back), as protobuf
//! ```

use std::io::{self, Read, Write};

use prost::Message;

/// Generated messages of `helix.provider.v1`.
#[allow(missing_docs, clippy::pedantic, unreachable_pub)]
pub mod v1 {
    tonic::include_proto!("helix.provider.v1");
}

/// Raised when an older program would misunderstand a newer daemon, or the other way round.
pub const PROTOCOL: u32 = 1;

/// Largest message, in bytes: several times what one question may hold.
pub const MESSAGE_MAX_BYTES: usize = 4 * 1024 * 1024;

/// The program's file name. It stands beside helixd.
pub const PROGRAM: &str = "helix-provider";

/// Set to `off` in an agent program that Helix itself starts, so that Helix's hooks are silent
/// there. The shim knows it by this name.
pub const HOOKS_VARIABLE: (&str, &str) = ("HELIX_HOOKS", "off");

/// Kinds that a model may give a fact.
pub const FACT_KINDS: [&str; 8] = [
    "decision",
    "convention",
    "preference",
    "gotcha",
    "bug_fix",
    "procedure",
    "architecture",
    "fact",
];

/// Writes one message.
///
/// # Errors
/// When it is too large, or nobody reads.
pub fn write<M: Message>(to: &mut impl Write, message: &M) -> io::Result<()> {
    let body = message.encode_to_vec();
    let length = u32::try_from(body.len())
        .ok()
        .filter(|_| body.len() <= MESSAGE_MAX_BYTES)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the message is too large"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&body)?;
    to.flush()
}

/// Reads one message.
///
/// # Errors
/// When the stream ends, or has something else.
pub fn read<M: Message + Default>(from: &mut impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > MESSAGE_MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the message is too large",
        ));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    M::decode(body.as_slice()).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let order = v1::Order {
            id: 7,
            what: Some(v1::order::What::Setup(v1::Setup {
                protocol: PROTOCOL,
                backends: Vec::new(),
            })),
        };
        let mut stream = Vec::new();
        write(&mut stream, &order).unwrap();
        write(&mut stream, &order).unwrap();
        let mut from = stream.as_slice();
        assert_eq!(read::<v1::Order>(&mut from).unwrap(), order);
        assert_eq!(read::<v1::Order>(&mut from).unwrap(), order);
        assert!(read::<v1::Order>(&mut from).is_err());
    }

    #[test]
    fn a_length_that_no_message_has_takes_no_room() {
        let mut from = [0xff; 8].as_slice();
        let error = read::<v1::Order>(&mut from).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
