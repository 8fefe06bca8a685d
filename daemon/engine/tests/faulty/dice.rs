//! Reproducible randomness: the same number always throws the same sequence.

/// A `SplitMix64` generator (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, without `end` itself.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Returns whether a chance of one in `times` came true.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A word that hardly anything else has.
    pub(crate) fn word(&mut self) -> String {
        let mut left = self.next();
        let mut letters = String::new();
        for _ in 0..8 {
            letters.push(char::from(b'a' + u8::try_from(left % 26).unwrap()));
            left /= 26;
        }
        letters
    }

    pub(crate) fn entropy(&mut self) -> [u8; 10] {
        let mut bytes = [0; 10];
        for byte in &mut bytes {
            *byte = self.next().to_le_bytes()[0];
        }
        bytes
    }
}
