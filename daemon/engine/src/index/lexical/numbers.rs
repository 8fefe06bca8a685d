//! Sets of memory numbers, which every scored document is looked up in.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A set of memory numbers.
pub(super) type NumberSet = HashSet<u32, BuildHasherDefault<NumberHasher>>;

/// A map by memory number.
pub(super) type NumberMap<V> = HashMap<u32, V, BuildHasherDefault<NumberHasher>>;

/// Spreads memory numbers by one multiplication. They are dealt out by the store, so no client can
/// make them collide.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberHasher(u64);

/// 2^64 divided by the golden ratio, odd: Fibonacci hashing (Knuth, volume 3, 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(GOLDEN);
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(GOLDEN);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
