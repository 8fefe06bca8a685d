//! The layout of one record's start.

use std::num::TryFromIntError;

use super::HEADER_BYTES;

pub(super) const ENTRY: u8 = 0x01;
pub(super) const DELETE: u8 = 0x02;

/// Bytes of an entry before its topic.
pub(super) const ENTRY_HEADER_BYTES: usize = 12;

/// Bytes of a delete.
pub(super) const DELETE_BYTES: usize = 8;

/// Bytes that have to be seen to judge what starts: an entry's header and the longest topic.
pub(super) const START_MAX_BYTES: usize = ENTRY_HEADER_BYTES + 255;

/// The start of something at a place of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// An entry of these lengths.
    Entry(EntryHeader),
    /// A delete.
    Delete(DeleteRecord),
    /// The beginning of a record that the end of the file cuts off.
    Cut,
    /// The end of the file.
    End,
    /// No record; what should have stood here.
    Nothing(&'static str),
}

/// An entry's fixed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryHeader {
    pub(super) topic_bytes: u8,
    pub(super) body_bytes: u32,
    pub(super) minutes: i32,
    /// The two bytes of padding; Helix writes zeros.
    pub(super) padding: [u8; 2],
}

/// A delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeleteRecord {
    /// The offset of the entry that it deletes.
    pub(super) target: u32,
    /// The three reserved bytes; zeros mostly.
    reserved: [u8; 3],
}

impl DeleteRecord {
    /// Returns whether the bytes that say nothing are zeros.
    pub(super) fn is_plain(self) -> bool {
        self.reserved == [0; 3]
    }
}

impl EntryHeader {
    /// Reads the fixed part, padding included.
    fn read(bytes: [u8; ENTRY_HEADER_BYTES]) -> Self {
        Self {
            topic_bytes: bytes[1],
            body_bytes: u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]),
            minutes: i32::from_le_bytes([bytes[6], bytes[7], bytes[8], bytes[9]]),
            padding: [bytes[10], bytes[11]],
        }
    }

    /// Returns whether the bytes that say nothing are zeros.
    pub(super) fn is_plain(self) -> bool {
        self.padding == [0; 2]
    }

    /// Returns the fixed part as it is written.
    pub(super) fn bytes(self) -> [u8; ENTRY_HEADER_BYTES] {
        let mut bytes = [0; ENTRY_HEADER_BYTES];
        bytes[0] = ENTRY;
        bytes[1] = self.topic_bytes;
        bytes[2..6].copy_from_slice(&self.body_bytes.to_le_bytes());
        bytes[6..10].copy_from_slice(&self.minutes.to_le_bytes());
        bytes[10..].copy_from_slice(&self.padding);
        bytes
    }

    /// Bytes of the whole record.
    pub(super) fn record_bytes(self) -> Result<usize, TryFromIntError> {
        Ok(ENTRY_HEADER_BYTES + usize::from(self.topic_bytes) + usize::try_from(self.body_bytes)?)
    }

    /// Splits a whole record into topic and body.
    pub(super) fn split(self, record: &[u8]) -> (&[u8], &[u8]) {
        let rest = record.get(ENTRY_HEADER_BYTES..).unwrap_or_default();
        rest.split_at_checked(usize::from(self.topic_bytes))
            .unwrap_or((rest, &[]))
    }
}

/// Judges what starts at `bytes`, which stand at `offset` and reach to the end of the file or
/// [`START_MAX_BYTES`] far.
pub(super) fn start(bytes: &[u8], offset: u64) -> Start {
    match bytes.first() {
        None => Start::End,
        Some(&ENTRY) => start_of_entry(bytes),
        Some(&DELETE) => start_of_delete(bytes, offset),
        Some(_) => Start::Nothing("an entry (0x01) or a delete (0x02)"),
    }
}

/// The length of the entry without a topic that starts here, if one does: no record that anybody
/// can use, but a whole one.
pub(super) fn topicless_bytes(bytes: &[u8]) -> Option<usize> {
    let header = bytes
        .first_chunk::<ENTRY_HEADER_BYTES>()
        .filter(|header| header.first() == Some(&ENTRY))?;
    let header = EntryHeader::read(*header);
    header
        .record_bytes()
        .ok()
        .filter(|_| header.topic_bytes == 0 && header.is_plain())
}

fn start_of_entry(bytes: &[u8]) -> Start {
    let Some(header) = bytes.first_chunk::<ENTRY_HEADER_BYTES>() else {
        let cut = bytes.get(1) != Some(&0);
        return if cut {
            Start::Cut
        } else {
            Start::Nothing("the header of an entry")
        };
    };
    let header = EntryHeader::read(*header);
    if header.topic_bytes == 0 {
        return Start::Nothing("an entry with a topic");
    }
    let topic = bytes.get(ENTRY_HEADER_BYTES..ENTRY_HEADER_BYTES + usize::from(header.topic_bytes));
    match topic.map(|topic| std::str::from_utf8(topic)) {
        Some(Ok(topic)) if topic.contains(char::is_control) => {
            Start::Nothing("a topic without control characters")
        }
        Some(Err(_)) => Start::Nothing("a topic in UTF-8"),
        Some(Ok(_)) | None => Start::Entry(header),
    }
}

fn start_of_delete(bytes: &[u8], offset: u64) -> Start {
    match bytes.first_chunk::<DELETE_BYTES>() {
        None => Start::Cut,
        Some([_, reserved @ .., a, b, c, d]) => {
            let delete = DeleteRecord {
                target: u32::from_le_bytes([*a, *b, *c, *d]),
                reserved: *reserved,
            };
            let before = (HEADER_BYTES as u64..offset).contains(&u64::from(delete.target));
            if before {
                Start::Delete(delete)
            } else {
                Start::Nothing("a delete of an earlier entry")
            }
        }
    }
}
