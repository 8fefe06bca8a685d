//! A bounded look ahead into a stream.

use std::io::{self, ErrorKind, Read};

/// Bytes asked of the stream at once.
const READ_BYTES: usize = 64 * 1024;

/// The stretch of a stream that is in memory: it grows to what its reader asks to see, and no
/// further.
pub(super) struct Window<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the unread bytes start in the buffer.
    start: usize,
    /// Where they start in the stream.
    offset: u64,
    ended: bool,
}

impl<R: Read> Window<R> {
    /// Looks into a stream from its current position, which counts as `offset`.
    pub(super) fn new(input: R, offset: u64) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            offset,
            ended: false,
        }
    }

    /// Where the next byte stands in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Shows the next `bytes` bytes or more; fewer only when the stream ends before.
    pub(super) fn show(&mut self, bytes: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.start < bytes && !self.ended {
            self.buffer.drain(..self.start);
            self.start = 0;
            self.fill(bytes)?;
        }
        Ok(self.buffer.get(self.start..).unwrap_or_default())
    }

    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        let mut filled = self.buffer.len();
        self.buffer.resize(bytes.max(filled) + READ_BYTES, 0);
        let mut result = Ok(());
        while filled < bytes && !self.ended {
            match self
                .input
                .read(self.buffer.get_mut(filled..).unwrap_or_default())
            {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.buffer.truncate(filled);
        result
    }

    /// Passes over bytes that have been shown.
    pub(super) fn pass(&mut self, bytes: usize) {
        let passed = bytes.min(self.buffer.len() - self.start);
        self.start += passed;
        self.offset += passed as u64;
    }

    /// Passes over bytes unseen and returns how many there were.
    pub(super) fn skip(&mut self, bytes: u64) -> io::Result<u64> {
        let mut left = bytes;
        while left > 0 {
            let shown = self.show(1)?.len();
            if shown == 0 {
                break;
            }
            let step = usize::try_from(left).map_or(shown, |left| left.min(shown));
            self.pass(step);
            left -= step as u64;
        }
        Ok(bytes - left)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn it_shows_what_is_there_and_counts_what_it_passes() {
        let bytes: Vec<u8> = (0..=255).cycle().take(READ_BYTES * 3).collect();
        let mut window = Window::new(bytes.as_slice(), 8);
        assert!(window.show(READ_BYTES * 2).unwrap().len() >= READ_BYTES * 2);
        window.pass(READ_BYTES + 1);
        assert_eq!(window.show(1).unwrap().first(), Some(&1));
        assert_eq!(window.offset(), READ_BYTES as u64 + 9);
        assert_eq!(window.skip(u64::MAX).unwrap(), READ_BYTES as u64 * 2 - 1);
        assert!(window.show(1).unwrap().is_empty());
        assert_eq!(window.offset(), bytes.len() as u64 + 8);
    }

    #[test]
    fn a_failing_stream_keeps_what_was_read() {
        struct Broken(u32);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 => Err(ErrorKind::Interrupted.into()),
                    2 => {
                        buffer[0] = 7;
                        Ok(1)
                    }
                    _ => Err(ErrorKind::Other.into()),
                }
            }
        }
        let mut window = Window::new(Broken(0), 0);
        assert!(window.show(2).is_err());
        assert_eq!(window.show(1).unwrap(), [7]);
    }
}
