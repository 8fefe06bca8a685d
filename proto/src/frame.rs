//! The HLX1 frame: one hook request and its reply, without HTTP/2.
//!
//! ```text
//! request:  "HLX1"  u32 LE length  HookRequest (protobuf)
//! reply:    "HLX1"  u32 LE length  bytes for the hook's stdout
//! ```
//!
//! One request a connection. The reply is raw so that the shim needs no decoder; a length of zero
//! means "print nothing".

/// First bytes of a request and of its reply. gRPC starts with `PRI `, so four bytes tell the
/// protocols apart.
pub const MAGIC: [u8; 4] = *b"HLX1";

/// Bytes before the body: the magic and the length.
pub const HEADER_BYTES: usize = 8;

/// Largest request body, in bytes: the shim's 8 MiB of stdin and its other fields.
pub const REQUEST_MAX_BYTES: usize = 8 * 1024 * 1024 + 64 * 1024;

/// Largest reply body, in bytes. Clients turn anything over 10,000 characters into a file, so this
/// is a backstop.
pub const REPLY_MAX_BYTES: usize = 64 * 1024 - HEADER_BYTES - 1;

/// Builds the header of a body of `length` bytes.
#[must_use]
pub fn header(length: u32) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    let (magic, size) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(&MAGIC);
    size.copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Reads a header; `None` when the magic is not ours.
#[must_use]
pub fn body_length(header: [u8; HEADER_BYTES]) -> Option<u32> {
    let (magic, size) = header.split_first_chunk::<4>()?;
    let size = size.first_chunk::<4>()?;
    (*magic == MAGIC).then(|| u32::from_le_bytes(*size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_round_trips() {
        for length in [0, 1, 255, 65_536, u32::MAX] {
            assert_eq!(body_length(header(length)), Some(length));
        }
        assert_eq!(body_length(*b"PRI * HT"), None);
    }
}
