//! A stream as UTF-8: what is none becomes U+FFFD, so that one damaged text does not cost the
//! document.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::read::BUFFER_BYTES;

/// Replaces what is no UTF-8.
pub(super) struct Lossy<R> {
    input: R,
    /// Bytes that were read and are not text yet: at most the beginning of a character.
    begun: Vec<u8>,
    ready: Vec<u8>,
    /// Where the next byte of `ready` is.
    at: usize,
    /// Set when anything was replaced.
    replaced: Rc<Cell<bool>>,
}

impl<R: Read> Lossy<R> {
    pub(super) fn new(input: R, replaced: Rc<Cell<bool>>) -> Self {
        Self {
            input,
            begun: Vec::new(),
            ready: Vec::new(),
            at: 0,
            replaced,
        }
    }

    /// Reads until something is ready, or the stream has ended.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.at = 0;
        while self.ready.is_empty() {
            let kept = self.begun.len();
            self.begun.resize(kept + BUFFER_BYTES, 0);
            let read = self
                .input
                .read(self.begun.get_mut(kept..).unwrap_or_default());
            self.begun.truncate(kept + *read.as_ref().unwrap_or(&0));
            let is_end = read? == 0;
            self.take(is_end);
            if is_end {
                break;
            }
        }
        Ok(())
    }

    /// Makes what was read ready, but for a character whose rest may come.
    fn take(&mut self, is_end: bool) {
        if std::str::from_utf8(&self.begun).is_ok() {
            std::mem::swap(&mut self.begun, &mut self.ready);
            self.begun.clear();
            return;
        }
        let mut rest = Vec::new();
        let mut end = 0;
        for chunk in self.begun.utf8_chunks() {
            self.ready.extend(chunk.valid().as_bytes());
            let invalid = chunk.invalid();
            end += chunk.valid().len() + invalid.len();
            // Only what stands at the end can have a rest that is still to come.
            let may_go_on = !is_end && end == self.begun.len();
            let is_begun = may_go_on
                && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if is_begun {
                rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.ready.extend("\u{fffd}".as_bytes());
                self.replaced.set(true);
            }
        }
        self.begun = rest;
    }
}

impl<R: Read> Read for Lossy<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() {
            self.refill()?;
        }
        let rest = self.ready.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// Gives a few bytes at a time.
    struct Dripping<'a>(&'a [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len());
            self.0
                .take(count as u64)
                .read(buffer)
                .inspect(|read| self.0 = self.0.get(*read..).unwrap_or_default())
        }
    }

    proptest! {
        #[test]
        fn it_reads_what_the_whole_would_be(
            parts in prop::collection::vec(prop_oneof!["\\PC{0,4}".prop_map(String::into_bytes), any::<[u8; 2]>().prop_map(Vec::from)], 0..12),
            step in 1_usize..5,
        ) {
            let bytes = parts.concat();
            let replaced = Rc::new(Cell::new(false));
            let mut text = String::new();
            Lossy::new(Dripping(&bytes, step), Rc::clone(&replaced)).read_to_string(&mut text).unwrap();
            prop_assert_eq!(&text, &String::from_utf8_lossy(&bytes));
            prop_assert_eq!(replaced.get(), std::str::from_utf8(&bytes).is_err());
        }
    }
}
