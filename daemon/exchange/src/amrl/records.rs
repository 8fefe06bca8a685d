//! The records of a log, damaged or not, in constant memory.

use std::io::{self, Read};

use super::record::{
    DELETE_BYTES, DeleteRecord, ENTRY_HEADER_BYTES, EntryHeader, START_MAX_BYTES, Start, start,
    topicless_bytes,
};
use super::resync::{Resync, SEEN_BYTES, leads_on};
use super::window::Window;
use super::{BODY_MAX_BYTES, HEADER_BYTES};
use crate::Problem;

/// Explains an entry whose padding is not zero. Nothing asks for zeros there, but then the rest has
/// to fit.
const ODD_ENTRY: &str = "zero bytes of padding in an entry, or a record behind it";

/// The same of a delete.
const ODD_DELETE: &str = "zero bytes in a delete, or a record behind it";

/// The record at an offset of the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// An entry. The topic is text without control characters; the body may not be text.
    Entry {
        offset: u64,
        topic: String,
        body: Vec<u8>,
        minutes: i32,
    },
    /// A delete of the entry at `target`.
    Delete { offset: u64, target: u32 },
    /// Something that cannot be handed over.
    Flaw { offset: u64, problem: Problem },
}

/// The result of a look at the log.
enum Found {
    Entry(EntryHeader, usize),
    Delete(u32),
    /// An entry of this length that has no topic.
    Topicless(usize),
    /// No record: what was expected.
    Damage(&'static str),
    /// A body of this size, longer than any memory.
    Oversized(EntryHeader),
    Cut,
    End,
}

/// Reads the records behind the header, every byte of them: as a record or as a flaw.
pub(super) struct Records<R> {
    window: Window<R>,
    resync: Resync,
    ended: bool,
}

impl<R: Read> Records<R> {
    /// Reads from a stream that stands behind the header.
    pub(super) fn new(input: R) -> Self {
        Self {
            window: Window::new(input, HEADER_BYTES as u64),
            resync: Resync::default(),
            ended: false,
        }
    }

    /// Where the next record is looked for.
    pub(super) fn offset(&self) -> u64 {
        self.window.offset()
    }

    fn advance(&mut self) -> io::Result<Option<Record>> {
        let offset = self.window.offset();
        match self.look()? {
            Found::End => Ok(None),
            Found::Entry(header, record_bytes) => self.take(header, record_bytes).map(Some),
            Found::Delete(target) => {
                self.window.pass(DELETE_BYTES);
                Ok(Some(Record::Delete { offset, target }))
            }
            Found::Topicless(record_bytes) => {
                self.window.pass(record_bytes);
                Ok(Some(Record::Flaw {
                    offset,
                    problem: Problem::NoTopic,
                }))
            }
            Found::Damage(expected) => self.pass_damage(expected).map(Some),
            Found::Oversized(header) => self.pass_oversized(header).map(Some),
            Found::Cut => self.pass_cut().map(Some),
        }
    }

    fn look(&mut self) -> io::Result<Found> {
        let offset = self.window.offset();
        let header = match start(self.window.show(START_MAX_BYTES)?, offset) {
            Start::End => return Ok(Found::End),
            Start::Delete(delete) => return self.judge_delete(delete),
            Start::Nothing(expected) => return self.judge_topicless(expected),
            Start::Cut => return Ok(Found::Cut),
            Start::Entry(header) => header,
        };
        let bearable = header
            .record_bytes()
            .ok()
            .filter(|bytes| *bytes <= START_MAX_BYTES + BODY_MAX_BYTES);
        let Some(record_bytes) = bearable else {
            return Ok(if header.is_plain() {
                Found::Oversized(header)
            } else {
                Found::Damage(ODD_ENTRY)
            });
        };
        let bytes = self.window.show(record_bytes + START_MAX_BYTES)?;
        if bytes.len() < record_bytes {
            return Ok(Found::Cut);
        }
        if !header.is_plain() && !leads_on(bytes, record_bytes, offset) {
            return Ok(Found::Damage(ODD_ENTRY));
        }
        if !leads_on(bytes, record_bytes, offset) && self.is_length_wrong(record_bytes)? {
            return Ok(Found::Damage("an entry as long as its header says"));
        }
        Ok(Found::Entry(header, record_bytes))
    }

    /// An entry without a topic is only known by what stands behind it.
    fn judge_topicless(&mut self, expected: &'static str) -> io::Result<Found> {
        let offset = self.window.offset();
        let record_bytes = topicless_bytes(self.window.show(ENTRY_HEADER_BYTES)?);
        let Some(record_bytes) =
            record_bytes.filter(|bytes| *bytes <= ENTRY_HEADER_BYTES + BODY_MAX_BYTES)
        else {
            return Ok(Found::Damage(expected));
        };
        let bytes = self.window.show(record_bytes + START_MAX_BYTES)?;
        let is_one = bytes.len() >= record_bytes && leads_on(bytes, record_bytes, offset);
        Ok(if is_one {
            Found::Topicless(record_bytes)
        } else {
            Found::Damage(expected)
        })
    }

    /// Nothing asks for zeros in the reserved bytes, but where others stand a record has to follow.
    fn judge_delete(&mut self, delete: DeleteRecord) -> io::Result<Found> {
        let offset = self.window.offset();
        let bytes = self.window.show(DELETE_BYTES + START_MAX_BYTES)?;
        let is_one = delete.is_plain() || leads_on(bytes, DELETE_BYTES, offset);
        Ok(if is_one {
            Found::Delete(delete.target)
        } else {
            Found::Damage(ODD_DELETE)
        })
    }

    /// Returns whether a certain record starts inside of what the header claims for itself.
    fn is_length_wrong(&mut self, record_bytes: usize) -> io::Result<bool> {
        let offset = self.window.offset();
        let bytes = self.window.show(SEEN_BYTES)?;
        Ok(self
            .resync
            .find(bytes, offset)
            .is_some_and(|at| at < record_bytes))
    }

    fn take(&mut self, header: EntryHeader, record_bytes: usize) -> io::Result<Record> {
        let offset = self.window.offset();
        let record = self
            .window
            .show(record_bytes)?
            .get(..record_bytes)
            .unwrap_or_default();
        let (topic, body) = header.split(record);
        // The look at the header found text; nothing is replaced here.
        let topic = String::from_utf8_lossy(topic).into_owned();
        let entry = Record::Entry {
            offset,
            topic,
            body: body.to_vec(),
            minutes: header.minutes,
        };
        self.window.pass(record_bytes);
        Ok(entry)
    }

    fn pass_damage(&mut self, expected: &'static str) -> io::Result<Record> {
        let offset = self.window.offset();
        let skipped_bytes = match self.resync.find(self.window.show(SEEN_BYTES)?, offset) {
            Some(at) => self.window.skip(at as u64)?,
            None => self.window.skip(u64::MAX)?,
        };
        Ok(Record::Flaw {
            offset,
            problem: Problem::Damaged {
                expected,
                skipped_bytes,
            },
        })
    }

    /// A damaged length looks like a long body: it is one only when no record starts inside of it.
    fn pass_oversized(&mut self, header: EntryHeader) -> io::Result<Record> {
        let offset = self.window.offset();
        let body_bytes = u64::from(header.body_bytes);
        if let Some(at) = self.resync.find(self.window.show(SEEN_BYTES)?, offset) {
            let skipped_bytes = self.window.skip(at as u64)?;
            let expected = "an entry as long as its header says";
            return Ok(Record::Flaw {
                offset,
                problem: Problem::Damaged {
                    expected,
                    skipped_bytes,
                },
            });
        }
        let record_bytes = ENTRY_HEADER_BYTES as u64 + u64::from(header.topic_bytes) + body_bytes;
        let present_bytes = self.window.skip(record_bytes)?;
        let problem = if present_bytes < record_bytes {
            Problem::Truncated { present_bytes }
        } else {
            Problem::Oversized { bytes: body_bytes }
        };
        Ok(Record::Flaw { offset, problem })
    }

    /// A record that the end cuts off, unless a damaged length only makes it look so.
    fn pass_cut(&mut self) -> io::Result<Record> {
        let offset = self.window.offset();
        let problem = match self.resync.find(self.window.show(SEEN_BYTES)?, offset) {
            Some(at) => {
                let skipped_bytes = self.window.skip(at as u64)?;
                Problem::Damaged {
                    expected: "an entry that ends before the file does",
                    skipped_bytes,
                }
            }
            None => Problem::Truncated {
                present_bytes: self.window.skip(u64::MAX)?,
            },
        };
        Ok(Record::Flaw { offset, problem })
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let record = self.advance().transpose();
        // Behind a failed read nothing can be trusted.
        self.ended = !matches!(record, Some(Ok(_)));
        record
    }
}
