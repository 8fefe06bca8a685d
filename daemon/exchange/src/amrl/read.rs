//! The second pass: the entries that are left.

use std::io::{self, Read};

use helix_memory::{Admitted, ErrorKind};

use super::body::Body;
use super::clock;
use super::deletes::DeletedOffsets;
use super::records::{Record, Records};
use super::{HEADER_BYTES, MAGIC, VERSION};
use crate::{Place, Portable, Problem, Report};

/// One entry of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where its record starts, in bytes from the start of the log.
    pub offset: u64,
    /// The memory; `recorded_at` is its time.
    pub memory: Portable,
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not a log.
    #[error(
        "could not read the log: it starts with the bytes {0:?} instead of \"414d524c\" (AMRL); give a data.log"
    )]
    NotALog(String),
    /// Too short to be a log.
    #[error(
        "could not read the log: it ends after {0} bytes, inside of its header; copy the file again"
    )]
    Short(usize),
    /// A later version.
    #[error(
        "could not read the log: it has version {0}, this Helix reads version {VERSION}; install the newer Helix"
    )]
    Version(u32),
    /// A version that there never was.
    #[error(
        "could not read the log: it has version 0, which no program writes, so it is damaged; copy the file again"
    )]
    NoVersion,
    /// The stream failed.
    #[error("could not read the log at byte {offset}; what was read before stands: {error}")]
    Io {
        /// Where.
        offset: u64,
        /// The system's error.
        error: io::Error,
    },
}

impl ReadError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NotALog(_) | Self::Short(_) | Self::NoVersion => ErrorKind::Invalid,
            Self::Version(_) => ErrorKind::Newer,
            Self::Io { .. } => ErrorKind::Unavailable,
        }
    }
}

/// Hands over the live entries of a log, in its order and in constant memory.
///
/// Damage never stops it early with an error: see [`Reader::report`] afterwards.
pub struct Reader<R> {
    records: Records<R>,
    deleted: DeletedOffsets,
    report: Report,
    offset: u64,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the header. `deleted` comes from [`super::deleted_offsets`]; an empty set hands over
    /// deleted entries too.
    ///
    /// # Errors
    /// [`ReadError`] when this is no log, one of a later version, or cannot be read.
    pub fn new(mut log: R, deleted: DeletedOffsets) -> Result<Self, ReadError> {
        let mut header = [0; HEADER_BYTES];
        let mut filled = 0;
        while let Some(rest) = header.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match log.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(ReadError::Io {
                        offset: filled as u64,
                        error,
                    });
                }
            }
        }
        check_header(header, filled)?;
        let records = Records::new(log);
        Ok(Self {
            records,
            deleted,
            report: Report::default(),
            offset: HEADER_BYTES as u64,
            ended: false,
        })
    }

    /// Returns the report so far; complete once the iterator has ended.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Where the last record started: what progress is measured by.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes a record; `None` when there is nothing to hand over.
    fn take(&mut self, record: Record) -> Option<Entry> {
        match record {
            Record::Flaw { offset, problem } => {
                self.offset = offset;
                self.report.note(Place::Byte(offset), problem);
                None
            }
            Record::Delete { offset, .. } => {
                self.offset = offset;
                None
            }
            Record::Entry {
                offset,
                topic,
                body,
                minutes,
            } => {
                self.offset = offset;
                if self.deleted.remove(offset) {
                    self.report.deleted += 1;
                    return None;
                }
                self.entry(offset, topic, body, minutes)
            }
        }
    }

    fn entry(&mut self, offset: u64, topic: String, body: Vec<u8>, minutes: i32) -> Option<Entry> {
        let body = String::from_utf8(body).unwrap_or_else(|error| {
            self.report.note(Place::Byte(offset), Problem::NotUtf8);
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        let mut memory = Portable {
            topic,
            recorded_at: Some(clock::read(minutes)),
            ..Portable::default()
        };
        Body::parse(&body).apply(&mut memory);
        if memory.text.len() > Admitted::TEXT_MAX_BYTES {
            self.report.note(
                Place::Byte(offset),
                Problem::Oversized {
                    bytes: memory.text.len() as u64,
                },
            );
            return None;
        }
        self.report.read += 1;
        Some(Entry { offset, memory })
    }

    /// Ends the log: deletes that are left have no entry.
    fn end(&mut self) {
        self.ended = true;
        for target in std::mem::take(&mut self.deleted).into_sorted() {
            let target = u64::from(target);
            self.report
                .note(Place::Byte(target), Problem::NoTarget { target });
        }
    }
}

fn check_header(header: [u8; HEADER_BYTES], filled: usize) -> Result<(), ReadError> {
    let [a, b, c, d, version @ ..] = header;
    let magic = [a, b, c, d];
    let seen = filled.min(MAGIC.len());
    if magic.get(..seen) != MAGIC.get(..seen) {
        return Err(ReadError::NotALog(hex::encode(
            magic.get(..seen).unwrap_or_default(),
        )));
    }
    if filled < HEADER_BYTES {
        return Err(ReadError::Short(filled));
    }
    match u32::from_le_bytes(version) {
        VERSION => Ok(()),
        0 => Err(ReadError::NoVersion),
        other => Err(ReadError::Version(other)),
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.records.next() {
                None => self.end(),
                Some(Ok(record)) => {
                    if let Some(entry) = self.take(record) {
                        return Some(Ok(entry));
                    }
                }
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(ReadError::Io {
                        offset: self.records.offset(),
                        error,
                    }));
                }
            }
        }
        None
    }
}
