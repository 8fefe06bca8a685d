//! Bytes of an export, on their way to whoever takes them.

use std::cell::Cell;
use std::io::{self, Write};
use std::mem;
use std::rc::Rc;

use crate::exchange::{Piece, Pieces};

/// Bytes of a piece: many memories, and far below what a message may hold.
const PIECE_BYTES: usize = 256 * 1024;

/// Gathers bytes into pieces and hands them on.
pub(super) struct Outlet<'p> {
    pieces: &'p mut dyn Pieces,
    file: String,
    data: Vec<u8>,
    /// Memories so far; the writers count while they hold the outlet.
    pub(super) written: Rc<Cell<u64>>,
    pub(super) total: u64,
}

impl<'p> Outlet<'p> {
    /// Hands on to `pieces`.
    pub(super) fn new(pieces: &'p mut dyn Pieces) -> Self {
        Self {
            pieces,
            file: String::new(),
            data: Vec::new(),
            written: Rc::default(),
            total: 0,
        }
    }

    /// Starts another file.
    pub(super) fn begin(&mut self, file: String) -> io::Result<()> {
        if !self.data.is_empty() {
            self.send(Vec::new())?;
        }
        self.file = file;
        Ok(())
    }

    /// Hands on what there is.
    pub(super) fn send(&mut self, notes: Vec<String>) -> io::Result<()> {
        self.pieces.take(Piece {
            file: self.file.clone(),
            data: mem::take(&mut self.data),
            written: self.written.get(),
            total: self.total,
            notes,
        })
    }
}

impl Write for Outlet<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.data.extend_from_slice(bytes);
        if self.data.len() >= PIECE_BYTES {
            self.send(Vec::new())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
