//! AMRL: the append-only log `data.log`, byte for byte.
//!
//! ```text
//! header   magic "AMRL" · version u32 = 1
//! entry    0x01 · topic_len u8 · body_len u32 · timestamp i32 · pad 2 · topic · body
//! delete   0x02 · reserved 3 · offset u32 of the entry that it deletes
//! ```
//!
//! Integers are little-endian, timestamps are minutes since 2024-01-01 00:00 UTC and may be
//! negative, offsets count from the start of the file. Padding and reserved bytes say nothing:
//! zeros are written, anything is read.
//!
//! **Metadata** stands in the body as whole lines before the text, in this order, each at most once
//! and only when there is something to say: `[tags: a, b]`, `[source: path:line]`, `[confidence:
//! 0.85]` (not when it is 1), `[links: t:3 o:12]`, `[modified: date]` (kept as it is in the
//! attribute [`Memory::ATTRIBUTE_MODIFIED`](helix_memory::Memory::ATTRIBUTE_MODIFIED)). The reader takes them in any order, at
//! the head or the tail of the body; a line in the middle, a key that comes a second time and an
//! unknown key stay text. A text that itself begins or ends with a line that would be taken is
//! written between two lines of its own, `[helix: text]` and `[helix: end of text]`, which other
//! readers show as text; what stands between them is text to the byte. What AMRL has no
//! place for (id, handle, kind, scope, seconds …) is not exported: JSON carries everything.
//!
//! **Reading** takes two passes, because a delete follows its entry: [`deleted_offsets`] skips over
//! the bodies, then [`Reader`] hands over the entries that are left, one at a time in constant
//! memory. [`Writer`] writes live memories only and therefore no deletes.
//!
//! **Damage**: a record counts as whole when a record or the end of the file follows it. Where none
//! stands, the next [`RESYNC_MAX_BYTES`] are searched for one that is beyond doubt (known type,
//! zero padding if there is any such, lengths that fit, a sanitised topic, a UTF-8 body, and again
//! a record or the end behind it). What lies between is reported; when nothing is found, reading
//! stops there and the rest is reported.

use helix_memory::Admitted;

mod body;
mod clock;
mod deletes;
mod own_lines;
mod read;
mod record;
mod records;
mod resync;
#[cfg(test)]
mod tests;
mod window;
mod write;

pub use deletes::{DeletedOffsets, deleted_offsets};
pub use read::{Entry, ReadError, Reader};
pub use write::{WriteError, Writer};

pub(super) use body::Body;
pub use own_lines::OwnLines;

/// How far behind a damaged record the next one is looked for: a few of the largest records.
pub const RESYNC_MAX_BYTES: usize = 512 * 1024;

/// Searches for a next record in one log; a log that needs more is not one.
const RESYNCS_MAX: u32 = 1_000;

/// Bytes of candidate bodies that the searches of one log may check, so that a forged log cannot
/// keep the reader busy.
const RESYNC_CHECKED_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Longest body that is read: a text of the longest kind and as much metadata again. Longer ones
/// are skipped.
const BODY_MAX_BYTES: usize = 2 * Admitted::TEXT_MAX_BYTES;

const MAGIC: [u8; 4] = [0x41, 0x4D, 0x52, 0x4C];
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8;
