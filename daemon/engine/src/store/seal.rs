//! The envelope of every record: a version byte, eight bytes of a hash, the record itself.
//!
//! The hash covers the table's name and the key as well, so that a record that turns up under
//! another key does not match. What does not match is not shown to anybody. Records of memories and
//! operations from before format 3 have no envelope; an operation vouches for them by the hash of
//! its payload.

use redb::TableHandle;

use super::codec::{CodecError, RECORD_VERSION, damaged};

/// First byte of a sealed record; records without an envelope begin with [`RECORD_VERSION`].
const SEALED_VERSION: u8 = 2;

/// Bytes of the hash that are kept: one damaged record in 2^64 matches by chance.
const HASH_BYTES: usize = 8;

/// Bytes before the record itself.
const ENVELOPE_BYTES: usize = 1 + HASH_BYTES;

/// Keeps these hashes apart from all others of the same bytes.
const DOMAIN: &[u8; 32] = b"helix store: record, version 2  ";

/// A key as the hash takes it.
pub(super) trait SealedKey {
    /// Calls `each` with its bytes.
    fn feed(&self, each: impl FnOnce(&[u8]));
}

macro_rules! sealed_number {
    ($($number:ty),+) => {
        $(impl SealedKey for $number {
            fn feed(&self, each: impl FnOnce(&[u8])) {
                each(&self.to_le_bytes());
            }
        })+
    };
}
sealed_number!(u32, u64, i64);

impl SealedKey for str {
    fn feed(&self, each: impl FnOnce(&[u8])) {
        each(self.as_bytes());
    }
}

/// Puts a record into its envelope.
pub(super) fn seal<K: SealedKey + ?Sized>(
    table: &impl TableHandle,
    key: &K,
    body: &[u8],
) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(ENVELOPE_BYTES + body.len());
    sealed.push(SEALED_VERSION);
    sealed.extend_from_slice(&hash(table, key, body));
    sealed.extend_from_slice(body);
    sealed
}

/// Returns whether a record is in an envelope.
pub(super) fn is_sealed(record: &[u8]) -> bool {
    record.first() == Some(&SEALED_VERSION)
}

/// Takes a record out of its envelope.
///
/// # Errors
/// When it is not the one that was put under this key.
pub(super) fn open<'a, K: SealedKey + ?Sized>(
    what: &'static str,
    table: &impl TableHandle,
    key: &K,
    record: &'a [u8],
) -> Result<&'a [u8], CodecError> {
    let envelope = record
        .split_first_chunk::<ENVELOPE_BYTES>()
        .filter(|_| is_sealed(record));
    let (envelope, body) = envelope.ok_or_else(|| damaged(what, "it has no envelope"))?;
    if envelope.ends_with(&hash(table, key, body)) {
        Ok(body)
    } else {
        Err(damaged(what, "it does not match its hash"))
    }
}

/// As [`open`]; a record from before format 3 is taken as it is.
///
/// # Errors
/// When it is not the one that was put under this key.
pub(super) fn open_any<'a, K: SealedKey + ?Sized>(
    what: &'static str,
    table: &impl TableHandle,
    key: &K,
    record: &'a [u8],
) -> Result<&'a [u8], CodecError> {
    if record.first() == Some(&RECORD_VERSION) {
        Ok(record)
    } else {
        open(what, table, key, record)
    }
}

fn hash<K: SealedKey + ?Sized>(table: &impl TableHandle, key: &K, body: &[u8]) -> [u8; HASH_BYTES] {
    let mut hasher = blake3::Hasher::new_keyed(DOMAIN);
    hasher.update(table.name().as_bytes());
    // Names have no zero in them, and keys of one table are of one kind: nothing else hashes to the
    // same bytes.
    hasher.update(&[0]);
    key.feed(|key| {
        hasher.update(&(key.len() as u64).to_le_bytes());
        hasher.update(key);
    });
    hasher.update(body);
    let mut short = [0; HASH_BYTES];
    hasher.finalize_xof().fill(&mut short);
    short
}

/// Bits of an access row's first number that are its count; the rest are a hash, so that the row
/// keeps its size.
const COUNT_BITS: u32 = 32;

/// Puts access statistics into a row: how often, and when last in microseconds. The count ends at
/// 2^32 - 1.
pub(super) fn seal_access(number: u32, (count, seen_us): (u64, i64)) -> (u64, i64) {
    let count = u64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (
        access_hash(number, count, seen_us) << COUNT_BITS | count,
        seen_us,
    )
}

/// Takes access statistics out of a row; `None` when they are not those of this memory.
pub(super) fn open_access(number: u32, (mixed, seen_us): (u64, i64)) -> Option<(u64, i64)> {
    let count = mixed & u64::from(u32::MAX);
    (mixed >> COUNT_BITS == access_hash(number, count, seen_us)).then_some((count, seen_us))
}

fn access_hash(number: u32, count: u64, seen_us: i64) -> u64 {
    let mut body = [0; 16];
    let (first, second) = body.split_at_mut(8);
    first.copy_from_slice(&count.to_le_bytes());
    second.copy_from_slice(&seen_us.to_le_bytes());
    let hash = u64::from_le_bytes(hash(&super::tables::ACCESS, &number, &body));
    hash >> COUNT_BITS
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tables::{HISTORY, MEMORIES};
    use super::*;

    #[test]
    fn a_record_is_only_itself_and_only_under_its_key() {
        let sealed = seal(&MEMORIES, &7_u32, b"record");
        assert_eq!(open("it", &MEMORIES, &7_u32, &sealed).unwrap(), b"record");
        assert!(
            open("it", &MEMORIES, &8_u32, &sealed).is_err(),
            "another key"
        );
        assert!(
            open("it", &HISTORY, &7_u32, &sealed).is_err(),
            "another table"
        );
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            *changed.get_mut(bit / 8).unwrap() ^= 1 << (bit % 8);
            assert!(
                open("it", &MEMORIES, &7_u32, &changed).is_err(),
                "bit {bit}"
            );
        }
        for length in 0..sealed.len() {
            assert!(
                open("it", &MEMORIES, &7_u32, sealed.get(..length).unwrap()).is_err(),
                "{length} bytes"
            );
        }
    }

    #[test]
    fn an_access_row_is_only_its_memorys() {
        let row = seal_access(3, (12, 1_790_000_000_000_000));
        assert_eq!(open_access(3, row), Some((12, 1_790_000_000_000_000)));
        assert_eq!(open_access(4, row), None);
        for bit in 0..64 {
            assert_eq!(
                open_access(3, (row.0 ^ 1 << bit, row.1)),
                None,
                "bit {bit} of the count"
            );
            assert_eq!(
                open_access(3, (row.0, row.1 ^ 1 << bit)),
                None,
                "bit {bit} of the time"
            );
        }
        assert_eq!(
            open_access(0, seal_access(0, (u64::MAX, 0))),
            Some((u64::from(u32::MAX), 0))
        );
    }

    /// The bytes of the envelope, so that a change of the format cannot pass unnoticed.
    #[test]
    fn version_two_is_golden() {
        let sealed = seal(&MEMORIES, &3_u32, b"a record");
        let golden = [
            &[0x02, 0xcd, 0x5a, 0x12, 0x71, 0x72, 0x8b, 0xfd, 0x6c][..],
            b"a record",
        ]
        .concat();
        assert_eq!(sealed, golden);
    }
}
