//! Finding the next record behind damage.

use helix_memory::Topic;

use super::record::{DELETE, DELETE_BYTES, ENTRY, START_MAX_BYTES, Start, start};
use super::{BODY_MAX_BYTES, RESYNC_CHECKED_MAX_BYTES, RESYNC_MAX_BYTES, RESYNCS_MAX};

/// Bytes that have to be seen to search: the stretch itself, the largest record at its end, and
/// what follows that.
pub(super) const SEEN_BYTES: usize = RESYNC_MAX_BYTES + BODY_MAX_BYTES + 2 * START_MAX_BYTES;

/// Searches for records, as long as its budget lasts.
pub(super) struct Resync {
    searches_left: u32,
    bytes_left: u64,
}

impl Default for Resync {
    fn default() -> Self {
        Self {
            searches_left: RESYNCS_MAX,
            bytes_left: RESYNC_CHECKED_MAX_BYTES,
        }
    }
}

impl Resync {
    /// Returns how far behind the start of `bytes`, which stand at `offset`, the next certain
    /// record starts.
    pub(super) fn find(&mut self, bytes: &[u8], offset: u64) -> Option<usize> {
        self.searches_left = self.searches_left.checked_sub(1)?;
        let stretch = bytes.get(..RESYNC_MAX_BYTES).unwrap_or(bytes);
        let candidates =
            || (1..stretch.len()).filter(|at| matches!(stretch.get(*at), Some(&ENTRY | &DELETE)));
        let mut first = |is_plain: bool| {
            let seen = |at: usize| bytes.get(at..).unwrap_or_default();
            candidates().find(|at| self.is_certain(seen(*at), offset + *at as u64, is_plain))
        };
        // Another tool may have left something in the bytes that say nothing.
        first(true).or_else(|| first(false))
    }

    /// Returns whether a record starts here beyond doubt, with zeros in the bytes that say nothing
    /// or not. The cheap questions come first.
    fn is_certain(&mut self, bytes: &[u8], offset: u64, is_plain: bool) -> bool {
        match start(bytes, offset) {
            Start::Delete(delete) => {
                delete.is_plain() && is_plain && leads_on(bytes, DELETE_BYTES, offset)
            }
            Start::Entry(header) if header.is_plain() != is_plain => false,
            Start::Entry(header) => {
                let Ok(record_bytes) = header.record_bytes() else {
                    return false;
                };
                let Some(record) = bytes.get(..record_bytes) else {
                    return false;
                };
                let (topic, body) = header.split(record);
                body.len() <= BODY_MAX_BYTES
                    && leads_on(bytes, record_bytes, offset)
                    && is_sanitised(topic)
                    && self.is_text(body)
            }
            Start::Cut | Start::End | Start::Nothing(_) => false,
        }
    }

    fn is_text(&mut self, body: &[u8]) -> bool {
        match self.bytes_left.checked_sub(body.len() as u64) {
            Some(left) => {
                self.bytes_left = left;
                std::str::from_utf8(body).is_ok()
            }
            None => false,
        }
    }
}

/// Returns whether a record or the end of the file stands `distance` behind the start of `bytes`.
pub(super) fn leads_on(bytes: &[u8], distance: usize, offset: u64) -> bool {
    let rest = bytes.get(distance..).unwrap_or_default();
    !matches!(start(rest, offset + distance as u64), Start::Nothing(_))
}

fn is_sanitised(topic: &[u8]) -> bool {
    let name = std::str::from_utf8(topic).ok();
    name.is_some_and(|name| Topic::parse(name).is_ok_and(|topic| topic.as_str() == name))
}
