//! A view of a file that is never written to: what redb writes stays in RAM and is gone with the
//! view.
//!
//! It is how a store is examined while it is in use, opened while the disk is full, and read when
//! it is damaged.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::{BackendError, StorageBackend};

/// Bytes that are kept together.
const PIECE_BYTES: u64 = 4096;

/// Where redb's header says whether the file was closed, and the bit that says that it was not.
const STATE_OFFSET: u64 = 9;
const UNCLOSED_BIT: u8 = 2;

/// The view.
#[derive(Debug)]
pub(super) struct Overlay {
    base: Box<dyn StorageBackend>,
    /// Shows the file as if it had been closed, so that redb reads it as it is instead of
    /// repairing it first.
    looks_closed: bool,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    base_length: u64,
    length: u64,
    pieces: BTreeMap<u64, Vec<u8>>,
}

impl Overlay {
    /// Shows a file.
    ///
    /// # Errors
    /// When its length cannot be read.
    pub(super) fn new(base: Box<dyn StorageBackend>, looks_closed: bool) -> io::Result<Self> {
        let length = base.len()?;
        let written = Mutex::new(Written {
            base_length: length,
            length,
            pieces: BTreeMap::new(),
        });
        Ok(Self {
            base,
            looks_closed,
            written,
        })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a piece of the file itself; zeros behind its end.
    fn base_piece(&self, piece: u64, base_length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(PIECE_BYTES).unwrap_or_default()];
        let start = piece * PIECE_BYTES;
        let there =
            usize::try_from(base_length.saturating_sub(start).min(PIECE_BYTES)).unwrap_or_default();
        if let Some(part) = bytes.get_mut(..there).filter(|part| !part.is_empty()) {
            self.base.read(start, part)?;
        }
        Ok(bytes)
    }
}

/// The pieces that a range touches: each one, where the range begins in it, and how many of its
/// bytes are meant.
fn pieces(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset.saturating_add(length as u64);
    let mut at = offset;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (piece, start) = (at / PIECE_BYTES, at % PIECE_BYTES);
        let size = (PIECE_BYTES - start).min(end - at);
        at += size;
        Some((
            piece,
            usize::try_from(start).ok()?,
            usize::try_from(size).ok()?,
        ))
    })
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        if offset
            .checked_add(out.len() as u64)
            .is_none_or(|end| end > written.length)
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if written.pieces.is_empty() && written.length == written.base_length {
            drop(written);
            self.base.read(offset, out)?;
        } else {
            let mut rest = &mut *out;
            for (piece, start, size) in pieces(offset, rest.len()) {
                let (part, behind) = rest
                    .split_at_mut_checked(size)
                    .ok_or(io::ErrorKind::UnexpectedEof)?;
                let held = written.pieces.get(&piece).cloned();
                let held = held.map_or_else(|| self.base_piece(piece, written.base_length), Ok)?;
                part.copy_from_slice(
                    held.get(start..start + size)
                        .ok_or(io::ErrorKind::UnexpectedEof)?,
                );
                rest = behind;
            }
        }
        let state = STATE_OFFSET
            .checked_sub(offset)
            .and_then(|at| out.get_mut(usize::try_from(at).ok()?));
        if let Some(state) = state.filter(|_| self.looks_closed) {
            *state &= !UNCLOSED_BIT;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut written = self.written();
        written.length = len;
        // What was cut off must not come back when the file grows again.
        written.base_length = written.base_length.min(len);
        written.pieces.retain(|piece, _| piece * PIECE_BYTES < len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let base_length = written.base_length;
        let mut rest = data;
        for (piece, start, size) in pieces(offset, data.len()) {
            let (part, behind) = rest
                .split_at_checked(size)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
            let mut held = match written.pieces.remove(&piece) {
                Some(held) => held,
                None => self.base_piece(piece, base_length)?,
            };
            held.get_mut(start..start + size)
                .ok_or(io::ErrorKind::UnexpectedEof)?
                .copy_from_slice(part);
            written.pieces.insert(piece, held);
            rest = behind;
        }
        Ok(())
    }

    // Nobody else is kept from the file, and nobody else matters: what is read was committed.
    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use redb::backends::InMemoryBackend;

    use super::*;

    #[test]
    fn what_is_written_is_read_and_the_file_stays() {
        let base = InMemoryBackend::new();
        base.set_len(10_000).unwrap();
        base.write(0, &[7; 10_000]).unwrap();
        let overlay = Overlay::new(Box::new(base), false).unwrap();
        let read = |from: u64, length: usize| -> Vec<u8> {
            let mut out = vec![0; length];
            overlay.read(from, &mut out).unwrap();
            out
        };
        overlay.write(4_090, &[1; 12]).unwrap();
        assert_eq!(
            read(4_088, 16),
            [[7; 2].as_slice(), &[1; 12], &[7; 2]].concat()
        );
        overlay.set_len(20_000).unwrap();
        assert_eq!(read(9_998, 4), [7, 7, 0, 0]);
        overlay.write(19_999, &[3]).unwrap();
        assert_eq!(read(19_998, 2), [0, 3]);
        overlay.set_len(9_000).unwrap();
        overlay.set_len(10_000).unwrap();
        assert_eq!(read(8_999, 2), [7, 0], "what was cut off is gone");
        assert!(overlay.read(9_999, &mut [0; 2]).is_err());
        let mut untouched = [0; 1];
        overlay.base.read(4_090, &mut untouched).unwrap();
        assert_eq!(untouched, [7]);
    }
}
