//! Reading the document: limits, places and errors. What stands where is in `tree`.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use helix_memory::ErrorKind;
use serde::de::DeserializeSeed;
use serde_json::Deserializer;
use serde_json::error::Category;

use super::lossy::Lossy;
use super::tree::Root;
use super::{ENTRY_MAX_BYTES, VERSION, WAITING_MAX_BYTES};
use crate::{Base, Portable, Report};

/// Mark that Windows programs put before a text that is UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes read at once.
pub(super) const BUFFER_BYTES: usize = 64 * 1024;

/// Why a document cannot be read to its end. What was handed over before stands.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<E> {
    /// Not JSON.
    #[error(
        "could not read the JSON export at line {line}, column {column}: it is not valid JSON; correct it there"
    )]
    Syntax {
        /// 1-based.
        line: usize,
        /// In bytes.
        column: usize,
    },
    /// It stops in the middle.
    #[error(
        "could not read the JSON export: it ends in the middle, at line {line}; export or copy it again"
    )]
    Truncated {
        /// 1-based.
        line: usize,
    },
    /// JSON, but something else.
    #[error(
        "could not read the JSON export at line {line}: memories are expected as {{\"topics\": …}}, {{\"entries\": […]}} \
         or […]; arrange them so"
    )]
    Shape {
        /// 1-based.
        line: usize,
    },
    /// A later version.
    #[error(
        "could not read the JSON export: it has version {0}, this Helix reads up to {VERSION}; install the newer Helix"
    )]
    Version(u64),
    /// One value is too large to be a memory.
    #[error(
        "could not read the JSON export at line {line}: one entry has more than {ENTRY_MAX_BYTES} bytes; split it"
    )]
    EntryTooLarge {
        /// 1-based.
        line: u64,
    },
    /// Too many memories before the name of their topic.
    #[error(
        "could not read the JSON export: over {WAITING_MAX_BYTES} bytes of entries come before the name of their topic; \
         put `topic` first"
    )]
    TooManyWaiting,
    /// The stream failed.
    #[error("could not read the JSON export at line {line}: {error}")]
    Io {
        /// 1-based.
        line: u64,
        /// The system's error.
        error: io::Error,
    },
    /// Whoever takes the memories had enough.
    #[error("{0}")]
    Stopped(E),
}

impl<E> ReadError<E> {
    /// Returns the class of the error; `None` for an error of the one who takes the memories.
    #[must_use]
    pub const fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Syntax { .. } | Self::Truncated { .. } | Self::Shape { .. } => {
                Some(ErrorKind::Invalid)
            }
            Self::Version(_) => Some(ErrorKind::Newer),
            Self::EntryTooLarge { .. } | Self::TooManyWaiting => Some(ErrorKind::Exhausted),
            Self::Io { .. } => Some(ErrorKind::Unavailable),
            Self::Stopped(_) => None,
        }
    }
}

/// Reads a document and hands its memories over one by one, in its order. An error of `take` ends
/// it. Bytes that are no UTF-8 are replaced, and reported where they stand in a text.
///
/// # Errors
/// [`ReadError`]. Entries that cannot be used are no error: the report names them.
pub fn read<E>(
    input: impl Read,
    mut take: impl FnMut(Portable) -> Result<(), E>,
) -> Result<Report, ReadError<E>> {
    read_with_bases(input, |memory, _| take(memory))
}

/// Does what [`read`] does, and says of each memory what it was when it was exported.
///
/// # Errors
/// As [`read`].
pub fn read_with_bases<E>(
    input: impl Read,
    take: impl FnMut(Portable, Base) -> Result<(), E>,
) -> Result<Report, ReadError<E>> {
    let meter = Meter::default();
    let input = unmarked(input).map_err(|error| ReadError::Io { line: 1, error })?;
    let input = Lossy::new(input, Rc::clone(&meter.replaced));
    let metered = Metered {
        input,
        buffer: vec![0; BUFFER_BYTES],
        at: 0,
        filled: 0,
        meter: meter.clone(),
    };
    let mut run = Run {
        take,
        meter: meter.clone(),
        report: Report::default(),
        stop: None,
    };
    let mut document = Deserializer::from_reader(metered);
    let result = Root { run: &mut run }
        .deserialize(&mut document)
        .and_then(|()| document.end());
    match (run.stop, result) {
        (Some(Stop::Taker(error)), _) => Err(ReadError::Stopped(error)),
        (Some(Stop::Version(version)), _) => Err(ReadError::Version(version)),
        (Some(Stop::Waiting), _) => Err(ReadError::TooManyWaiting),
        (None, Err(error)) => Err(failure(error, &meter)),
        (None, Ok(())) => Ok(run.report),
    }
}

/// The same bytes without the mark that says they are UTF-8.
fn unmarked(mut input: impl Read) -> io::Result<impl Read> {
    let mut first = Vec::new();
    input
        .by_ref()
        .take(BYTE_ORDER_MARK.len() as u64)
        .read_to_end(&mut first)?;
    if first == BYTE_ORDER_MARK {
        first.clear();
    }
    Ok(io::Cursor::new(first).chain(input))
}

fn failure<E>(error: serde_json::Error, meter: &Meter) -> ReadError<E> {
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        _ if meter.exhausted.get() => ReadError::EntryTooLarge { line: meter.line() },
        Category::Io => ReadError::Io {
            line: meter.line(),
            error: error.into(),
        },
        Category::Eof => ReadError::Truncated { line },
        Category::Syntax => ReadError::Syntax { line, column },
        Category::Data => ReadError::Shape { line },
    }
}

/// One reading of a document.
pub(super) struct Run<F, E> {
    pub(super) take: F,
    pub(super) meter: Meter,
    pub(super) report: Report,
    pub(super) stop: Option<Stop<E>>,
}

/// Why a reading ended that was not the document's fault as JSON.
pub(super) enum Stop<E> {
    Taker(E),
    Version(u64),
    Waiting,
}

/// Where the reading stands. Shared with the stream, because the parser owns that.
#[derive(Clone, Default)]
pub(super) struct Meter {
    newlines: Rc<Cell<u64>>,
    entry_bytes: Rc<Cell<u64>>,
    paused: Rc<Cell<bool>>,
    exhausted: Rc<Cell<bool>>,
    replaced: Rc<Cell<bool>>,
}

impl Meter {
    /// The 1-based line of what was read last.
    pub(super) fn line(&self) -> u64 {
        self.newlines.get() + 1
    }

    /// Returns whether a text has characters that stand for bytes that were none.
    pub(super) fn is_lossy(&self, text: &str) -> bool {
        self.replaced.get() && text.contains('\u{fffd}')
    }

    /// Starts counting the bytes of the next entry.
    pub(super) fn start_entry(&self) {
        self.entry_bytes.set(0);
        self.paused.set(false);
    }

    /// Stops counting until the next entry, for what is not kept.
    pub(super) fn pause(&self) {
        self.paused.set(true);
    }
}

/// A stream that counts, and fails when one entry is too large. The parser asks for one byte at a
/// time, so that is what costs least.
struct Metered<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the next byte is.
    at: usize,
    /// How many bytes of the buffer there are.
    filled: usize,
    meter: Meter,
}

impl<R: Read> Metered<R> {
    /// The next byte, which is not in the buffer any more; `None` at the end.
    #[cold]
    fn refill(&mut self) -> io::Result<Option<u8>> {
        (self.at, self.filled) = (0, 0);
        self.filled = loop {
            match self.input.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        Ok(self.buffered())
    }

    fn buffered(&mut self) -> Option<u8> {
        let byte = self.buffer.get(..self.filled)?.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }
}

impl<R: Read> Read for Metered<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.meter.entry_bytes.get() >= ENTRY_MAX_BYTES && !self.meter.paused.get() {
            self.meter.exhausted.set(true);
            return Err(io::Error::other("an entry is too large"));
        }
        let Some(slot) = buffer.first_mut() else {
            return Ok(0);
        };
        let next = match self.buffered() {
            Some(byte) => Some(byte),
            None => self.refill()?,
        };
        let Some(byte) = next else { return Ok(0) };
        *slot = byte;
        if byte == b'\n' {
            self.meter.newlines.set(self.meter.newlines.get() + 1);
        }
        self.meter.entry_bytes.set(self.meter.entry_bytes.get() + 1);
        Ok(1)
    }
}
