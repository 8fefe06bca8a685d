//! The lines of a file, each bounded.

use std::io::{self, BufRead, Read};

use super::SECTION_MAX_BYTES;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    /// Its bytes as text.
    pub(super) text: String,
    /// True if bytes that are no UTF-8 were replaced.
    pub(super) is_lossy: bool,
    /// Bytes that were there; more than the text has when the line is longer than
    /// [`SECTION_MAX_BYTES`].
    pub(super) bytes: u64,
}

/// Reads lines and counts them. In a file whose first line ends with CRLF, every line's CR belongs
/// to its end.
pub(super) struct Lines<R> {
    input: R,
    number: u64,
    is_crlf: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            number: 0,
            is_crlf: false,
        }
    }

    /// The 1-based number of the line read last.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<TextLine>> {
        let mut line = Vec::new();
        let mut bytes = (&mut self.input)
            .take(SECTION_MAX_BYTES as u64 + 1)
            .read_until(b'\n', &mut line)? as u64;
        if bytes == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if bytes > SECTION_MAX_BYTES as u64 {
            bytes += self.input.skip_until(b'\n')? as u64;
        }
        if self.number == 1 {
            line.drain(
                ..if line.starts_with(BYTE_ORDER_MARK) {
                    BYTE_ORDER_MARK.len()
                } else {
                    0
                },
            );
            self.is_crlf = line.last() == Some(&b'\r');
        }
        if self.is_crlf && line.last() == Some(&b'\r') {
            line.pop();
        }
        let (text, is_lossy) = match String::from_utf8(line) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        Ok(Some(TextLine {
            text,
            is_lossy,
            bytes,
        }))
    }
}

/// Mark that some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
