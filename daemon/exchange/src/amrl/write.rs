//! Writing a log of live memories.

use std::io::{self, Write};

use helix_memory::ErrorKind;

use super::record::EntryHeader;
use super::{BODY_MAX_BYTES, HEADER_BYTES, MAGIC, VERSION, body, clock};
use crate::{Place, Portable, Problem, Report};

/// Why a memory cannot be written into a log.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The log counts a topic's bytes in one byte.
    #[error(
        "could not write a memory whose topic has {bytes} bytes: the log holds 1 to 255; rename the topic"
    )]
    Topic {
        /// Its length.
        bytes: usize,
    },
    /// The body would be longer than any reader takes.
    #[error(
        "could not write a memory whose body has {bytes} bytes: the limit is {BODY_MAX_BYTES}; split it"
    )]
    Body {
        /// Its length.
        bytes: usize,
    },
    /// The stream failed.
    #[error(
        "could not write the log at byte {offset}; it is incomplete, delete it and try again: {error}"
    )]
    Io {
        /// Where.
        offset: u64,
        /// The system's error.
        error: io::Error,
    },
}

impl WriteError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Topic { .. } | Self::Body { .. } => ErrorKind::Invalid,
            Self::Io { .. } => ErrorKind::Unavailable,
        }
    }
}

/// Writes a log, one memory after the other. Give it a buffered stream.
pub struct Writer<W> {
    log: W,
    offset: u64,
    report: Report,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn new(mut log: W) -> Result<Self, WriteError> {
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&MAGIC);
        header[4..].copy_from_slice(&VERSION.to_le_bytes());
        log.write_all(&header)
            .map_err(|error| WriteError::Io { offset: 0, error })?;
        Ok(Self {
            log,
            offset: HEADER_BYTES as u64,
            report: Report::default(),
        })
    }

    /// Appends a memory and returns the offset of its record. Its time is `recorded_at`, else
    /// `valid_from`, to the minute; one that is missing or does not fit is reported.
    ///
    /// # Errors
    /// [`WriteError`]; after `Topic` and `Body` nothing was written and the next memory may follow.
    pub fn write(&mut self, memory: &Portable) -> Result<u64, WriteError> {
        let offset = self.offset;
        let topic = memory.topic.as_bytes();
        let topic_bytes = u8::try_from(topic.len()).ok().filter(|bytes| *bytes > 0);
        let topic_bytes = topic_bytes.ok_or(WriteError::Topic { bytes: topic.len() })?;
        let body = body::write(memory);
        let body_bytes = u32::try_from(body.len())
            .ok()
            .filter(|_| body.len() <= BODY_MAX_BYTES);
        let body_bytes = body_bytes.ok_or(WriteError::Body { bytes: body.len() })?;
        let header = EntryHeader {
            topic_bytes,
            body_bytes,
            minutes: self.minutes(memory),
            padding: [0; 2],
        }
        .bytes();
        for part in [&header, topic, body.as_bytes()] {
            self.log
                .write_all(part)
                .map_err(|error| WriteError::Io { offset, error })?;
            self.offset += part.len() as u64;
        }
        self.report.read += 1;
        Ok(offset)
    }

    /// Returns the report: the memories written, and the times that had to be changed.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Flushes the log and returns stream and report.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(mut self) -> Result<(W, Report), WriteError> {
        self.log.flush().map_err(|error| WriteError::Io {
            offset: self.offset,
            error,
        })?;
        Ok((self.log, self.report))
    }

    fn minutes(&mut self, memory: &Portable) -> i32 {
        let Some(at) = memory.recorded_at.or(memory.valid_from) else {
            self.report
                .note(Place::Byte(self.offset), Problem::TimeMissing);
            return clock::EPOCH;
        };
        clock::write(at).unwrap_or_else(|nearest| {
            self.report
                .note(Place::Byte(self.offset), Problem::TimeClamped);
            nearest
        })
    }
}
