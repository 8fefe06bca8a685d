//! Draws that a seed repeats.

/// Reproducible randomness: a `SplitMix64` generator (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts a sequence.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, without `end` itself.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end.max(1)
    }

    /// Ten letters.
    pub fn word(&mut self) -> String {
        let mut left = self.draw();
        let mut letters = String::new();
        for _ in 0..10 {
            letters.extend(('a'..='z').nth(usize::try_from(left % 26).unwrap_or_default()));
            left /= 26;
        }
        letters
    }
}
