//! The first pass: what the log deletes.

use std::collections::HashSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::record::{DELETE_BYTES, ENTRY_HEADER_BYTES, Start, start};
use super::records::{Record, Records};
use super::{BODY_MAX_BYTES, HEADER_BYTES};

/// The offsets of the entries that a log deletes again: four bytes for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeletedOffsets(HashSet<u32>);

impl DeletedOffsets {
    /// Returns whether the entry at an offset is deleted.
    #[must_use]
    pub fn contains(&self, offset: u64) -> bool {
        u32::try_from(offset).is_ok_and(|offset| self.0.contains(&offset))
    }

    /// How many offsets are deleted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether nothing is deleted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn remove(&mut self, offset: u64) -> bool {
        u32::try_from(offset).is_ok_and(|offset| self.0.remove(&offset))
    }

    pub(super) fn into_sorted(self) -> Vec<u32> {
        let mut offsets: Vec<u32> = self.0.into_iter().collect();
        offsets.sort_unstable();
        offsets
    }
}

/// Collects what a log deletes, skipping over the bodies, and puts the stream back to the start of
/// the log.
///
/// A damaged log is read a second time, whole, so that both passes see the same records. Whether
/// the stream is a log at all is for [`super::Reader::new`] to say.
///
/// # Errors
/// When the stream cannot be read or positioned.
pub fn deleted_offsets<R: Read + Seek>(log: &mut R) -> io::Result<DeletedOffsets> {
    let base = log.stream_position()?;
    let deleted = if let Some(deleted) = skim(log)? {
        deleted
    } else {
        log.seek(SeekFrom::Start(base + HEADER_BYTES as u64))?;
        read_all(&mut *log)?
    };
    log.seek(SeekFrom::Start(base))?;
    Ok(deleted)
}

/// Reads the headers alone; `None` as soon as anything looks damaged.
fn skim<R: Read + Seek>(log: &mut R) -> io::Result<Option<DeletedOffsets>> {
    let base = log.stream_position()?;
    let end = log.seek(SeekFrom::End(0))?.saturating_sub(base);
    log.seek(SeekFrom::Start(base + HEADER_BYTES as u64))?;
    let mut input = BufReader::new(log);
    let mut deleted = DeletedOffsets::default();
    let mut offset = HEADER_BYTES as u64;
    let mut bytes = [0; ENTRY_HEADER_BYTES];
    while offset < end {
        let seen = usize::try_from(end - offset)
            .map_or(ENTRY_HEADER_BYTES, |left| left.min(ENTRY_HEADER_BYTES));
        let Some(bytes) = bytes.get_mut(..seen) else {
            return Ok(None);
        };
        input.read_exact(bytes)?;
        let length = match start(bytes, offset) {
            Start::Entry(header) => match header.record_bytes() {
                Ok(length) if length <= BODY_MAX_BYTES => length,
                _ => return Ok(None),
            },
            Start::Delete(delete) => {
                deleted.0.insert(delete.target);
                DELETE_BYTES
            }
            Start::Cut | Start::End | Start::Nothing(_) => return Ok(None),
        };
        // Neither is larger than a record, so both fit.
        input
            .seek_relative(i64::try_from(length).unwrap_or(0) - i64::try_from(seen).unwrap_or(0))?;
        offset += length as u64;
    }
    Ok((offset == end).then_some(deleted))
}

fn read_all(log: impl Read) -> io::Result<DeletedOffsets> {
    let mut deleted = DeletedOffsets::default();
    for record in Records::new(log) {
        match record? {
            Record::Delete { target, .. } => {
                deleted.0.insert(target);
            }
            Record::Entry { .. } | Record::Flaw { .. } => {}
        }
    }
    Ok(deleted)
}
