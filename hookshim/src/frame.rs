//! The HLX1 frame as the shim speaks it: a request encoded by hand, a reply's header.
//!
//! `helix_proto::frame` and `HookRequest` are the contract; depending on them would link an HTTP/2
//! stack into a program of 16 KB. The tests prove that both agree.

use crate::text::{Overflow, Text};

/// First bytes of a request and of its reply.
const MAGIC: [u8; 4] = *b"HLX1";

/// Bytes before the body: the magic and the length.
pub(crate) const HEADER_BYTES: usize = 8;

/// Most bytes of stdin that a request carries; the rest is read and dropped.
pub(crate) const INPUT_MAX_BYTES: usize = 8 * 1024 * 1024;

/// Largest reply body. A client shows at most 10,000 characters, and this much fits into an empty
/// pipe at once.
pub(crate) const REPLY_MAX_BYTES: usize = 64 * 1024 - HEADER_BYTES - 1;

/// Longest event name, in bytes; the known ones have at most 13.
pub(crate) const EVENT_MAX_BYTES: usize = 64;

/// Longest name of a client, in bytes.
pub(crate) const CLIENT_MAX_BYTES: usize = 32;

/// Longest `CURSOR_VERSION` that is passed on, in bytes.
const CURSOR_VERSION_MAX_BYTES: usize = 256;

/// Longest `CLAUDE_PROJECT_DIR` that is passed on, in bytes: Linux's `PATH_MAX`.
const PROJECT_DIR_MAX_BYTES: usize = 4096;

/// How many slices a request is sent as.
pub(crate) const PARTS: usize = 11;

/// Keys of `HookRequest`'s fields: number and wire type.
mod key {
    pub(super) const EVENT: u8 = 1 << 3 | 2;
    pub(super) const STDIN: u8 = 2 << 3 | 2;
    pub(super) const TRUNCATED: u8 = 3 << 3;
    pub(super) const CURSOR_VERSION: u8 = 4 << 3 | 2;
    pub(super) const PROJECT_DIR: u8 = 5 << 3 | 2;
    pub(super) const CLIENT: u8 = 7 << 3 | 2;
}

/// A `HookRequest`; it borrows everything, for stdin is sent from where it was read.
pub(crate) struct Request<'a> {
    pub(crate) event: &'a [u8],
    pub(crate) stdin: &'a [u8],
    pub(crate) truncated: bool,
    pub(crate) cursor_version: &'a [u8],
    pub(crate) project_dir: &'a [u8],
    pub(crate) client: &'a [u8],
}

/// The bytes between the borrowed ones.
pub(crate) struct Seams {
    header: Text<{ HEADER_BYTES + 1 }>,
    before_event: Text<16>,
    before_stdin: Text<16>,
    before_cursor_version: Text<16>,
    before_project_dir: Text<16>,
    before_client: Text<16>,
}

impl Request<'_> {
    /// The request without the fields that protobuf could not carry: text must be UTF-8, and its
    /// size is bounded.
    pub(crate) fn sanitised(mut self) -> Self {
        self.cursor_version = text_or_empty(self.cursor_version, CURSOR_VERSION_MAX_BYTES);
        self.project_dir = text_or_empty(self.project_dir, PROJECT_DIR_MAX_BYTES);
        self
    }

    /// Encodes what stands before and between the borrowed bytes.
    pub(crate) fn seams(&self) -> Result<Seams, Overflow> {
        let mut seams = Seams {
            header: Text::new(),
            before_event: Text::new(),
            before_stdin: Text::new(),
            before_cursor_version: Text::new(),
            before_project_dir: Text::new(),
            before_client: Text::new(),
        };
        push_length(&mut seams.before_event, key::EVENT, self.event)?;
        push_length(&mut seams.before_stdin, key::STDIN, self.stdin)?;
        if self.truncated {
            seams.before_cursor_version.push(&[key::TRUNCATED, 1])?;
        }
        push_length(
            &mut seams.before_cursor_version,
            key::CURSOR_VERSION,
            self.cursor_version,
        )?;
        push_length(
            &mut seams.before_project_dir,
            key::PROJECT_DIR,
            self.project_dir,
        )?;
        push_length(&mut seams.before_client, key::CLIENT, self.client)?;
        let body = self
            .parts(&seams)
            .iter()
            .map(|part| part.len())
            .sum::<usize>();
        seams.header.push(&MAGIC)?;
        seams
            .header
            .push(&u32::try_from(body).map_err(|_| Overflow)?.to_le_bytes())?;
        Ok(seams)
    }

    /// Everything that goes over the wire, in order.
    pub(crate) fn parts<'b>(&'b self, seams: &'b Seams) -> [&'b [u8]; PARTS] {
        [
            seams.header.as_bytes(),
            seams.before_event.as_bytes(),
            self.event,
            seams.before_stdin.as_bytes(),
            self.stdin,
            seams.before_cursor_version.as_bytes(),
            self.cursor_version,
            seams.before_project_dir.as_bytes(),
            self.project_dir,
            seams.before_client.as_bytes(),
            self.client,
        ]
    }
}

/// Reads a reply's header: the length of its body, or `None` when it is not a reply or longer than
/// allowed.
pub(crate) fn reply_length(header: [u8; HEADER_BYTES]) -> Option<usize> {
    let (magic, size) = header.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*size.first_chunk::<4>()?)).ok()?;
    (*magic == MAGIC && length <= REPLY_MAX_BYTES).then_some(length)
}

fn text_or_empty(bytes: &[u8], most_bytes: usize) -> &[u8] {
    if bytes.len() <= most_bytes && core::str::from_utf8(bytes).is_ok() {
        bytes
    } else {
        &[]
    }
}

/// Writes a field's key and length; nothing for an empty field, as protobuf 3 wants it.
fn push_length<const CAPACITY: usize>(
    text: &mut Text<CAPACITY>,
    key: u8,
    field: &[u8],
) -> Result<(), Overflow> {
    if field.is_empty() {
        return Ok(());
    }
    text.push(&[key])?;
    let mut rest = field.len();
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return text.push(&[low & 0x7F]);
        }
        text.push(&[low | 0x80])?;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;
    use helix_proto::frame as contract;
    use helix_proto::v1::HookRequest;
    use proptest::prelude::*;
    use prost::Message as _;

    const STOP: Request<'static> = Request {
        event: b"stop",
        stdin: b"{}",
        truncated: false,
        cursor_version: b"",
        project_dir: b"",
        client: b"",
    };

    fn encode(request: &Request<'_>) -> Vec<u8> {
        request.parts(&request.seams().unwrap()).concat()
    }

    fn decode(frame: &[u8]) -> HookRequest {
        let (header, body) = frame.split_first_chunk().unwrap();
        assert_eq!(
            contract::body_length(*header),
            Some(u32::try_from(body.len()).unwrap())
        );
        HookRequest::decode(body).unwrap()
    }

    #[test]
    fn constants_are_the_contract_s() {
        assert_eq!(MAGIC, contract::MAGIC);
        assert_eq!(HEADER_BYTES, contract::HEADER_BYTES);
        assert_eq!(REPLY_MAX_BYTES, contract::REPLY_MAX_BYTES);
        let most = INPUT_MAX_BYTES
            + EVENT_MAX_BYTES
            + CURSOR_VERSION_MAX_BYTES
            + PROJECT_DIR_MAX_BYTES
            + CLIENT_MAX_BYTES
            + 6 * 16;
        assert!(most <= contract::REQUEST_MAX_BYTES);
    }

    proptest! {
        #[test]
        fn a_request_decodes_to_the_same_message(
            event in "[a-z-]{0,64}", stdin in any::<Vec<u8>>(), truncated: bool, cursor in ".{0,60}", project in ".{0,900}",
            client in "[a-z]{0,32}",
        ) {
            let request = Request {
                event: event.as_bytes(),
                stdin: &stdin,
                truncated,
                cursor_version: cursor.as_bytes(),
                project_dir: project.as_bytes(),
                client: client.as_bytes(),
            };
            let frame = encode(&request.sanitised());
            let expected = HookRequest {
                event: event.clone(),
                stdin: stdin.clone(),
                truncated,
                cursor_version: cursor.clone(),
                project_dir: project.clone(),
                dry_run: false,
                client: client.clone(),
            };
            prop_assert_eq!(&decode(&frame), &expected);
            prop_assert_eq!(&frame[HEADER_BYTES..], &expected.encode_to_vec());
        }
    }

    #[test]
    fn lengths_of_every_varint_width_decode() {
        for length in [
            1,
            127,
            128,
            16_383,
            16_384,
            2_097_151,
            2_097_152,
            INPUT_MAX_BYTES,
        ] {
            let stdin = vec![b'x'; length];
            let request = Request {
                stdin: &stdin,
                ..STOP
            };
            assert_eq!(decode(&encode(&request)).stdin.len(), length);
        }
    }

    #[test]
    fn variables_that_protobuf_cannot_carry_are_left_out() {
        let long = [b'a'; PROJECT_DIR_MAX_BYTES + 1];
        let request = Request {
            cursor_version: b"\xFF",
            project_dir: &long,
            ..STOP
        };
        let message = decode(&encode(&request.sanitised()));
        assert_eq!(
            (
                message.cursor_version.as_str(),
                message.project_dir.as_str()
            ),
            ("", "")
        );
    }

    #[test]
    fn reply_headers() {
        for (length, expected) in [
            (0, Some(0)),
            (65_527, Some(65_527)),
            (65_528, None),
            (u32::MAX, None),
        ] {
            assert_eq!(reply_length(contract::header(length)), expected);
        }
        assert_eq!(reply_length(*b"PRI * HT"), None);
    }
}
