//! Recognises a gRPC client's first request: its preface, its settings and the headers of the
//! request.

/// Bytes of the HTTP/2 preface (RFC 9113, 3.4).
const PREFACE_BYTES: usize = 24;

/// Bytes of a frame's header: length in three, type, flags, stream in four (RFC 9113, 4.1).
const FRAME_HEADER_BYTES: usize = 9;

/// Types of frames that carry headers: HEADERS and CONTINUATION.
const CARRY_HEADERS: [u8; 2] = [0x1, 0x9];

/// Flag of a frame with which a request's headers end.
const END_HEADERS: u8 = 0x4;

/// Follows what a client sends up to its first request.
#[derive(Debug)]
pub(super) struct Opening {
    /// Bytes to pass over.
    skip: usize,
    header: [u8; FRAME_HEADER_BYTES],
    /// How much of the header is there.
    filled: usize,
    /// True if the headers of a request end with what is passed over.
    ends_headers: bool,
}

impl Opening {
    pub(super) fn new() -> Self {
        Self {
            skip: PREFACE_BYTES,
            header: [0; FRAME_HEADER_BYTES],
            filled: 0,
            ends_headers: false,
        }
    }

    /// Takes what came next. Returns whether the first request is there.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) -> bool {
        loop {
            let passed = self.skip.min(bytes.len());
            self.skip -= passed;
            bytes = bytes.get(passed..).unwrap_or_default();
            if self.skip > 0 {
                return false;
            }
            if self.ends_headers {
                return true;
            }
            let Some((byte, rest)) = bytes.split_first() else {
                return false;
            };
            bytes = rest;
            if let Some(place) = self.header.get_mut(self.filled) {
                *place = *byte;
            }
            self.filled += 1;
            if self.filled == FRAME_HEADER_BYTES {
                let [high, middle, low, kind, flags, ..] = self.header;
                self.skip = u32::from_be_bytes([0, high, middle, low]) as usize;
                self.ends_headers = CARRY_HEADERS.contains(&kind) && flags & END_HEADERS != 0;
                self.filled = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, length: u8) -> Vec<u8> {
        [0, 0, length, kind, flags, 0, 0, 0, 1]
            .into_iter()
            .chain((0..length).map(|_| 7))
            .collect()
    }

    #[test]
    fn a_request_is_seen_when_its_headers_are_whole() {
        let mut all = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        all.extend(
            [
                frame(0x4, 0, 6),
                frame(0x1, 0, 3),
                frame(0x9, END_HEADERS, 5),
            ]
            .concat(),
        );
        for size in [1, 7, all.len()] {
            let mut opening = Opening::new();
            let (last, before) = all.split_last().unwrap_or((&0, &[]));
            assert!(
                before.chunks(size).all(|bytes| !opening.follow(bytes)),
                "{size}"
            );
            assert!(opening.follow(&[*last]), "{size}");
        }
    }
}
