//! Vectors for tests: clustered around a common direction, as embeddings are, and the same on every
//! run.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic")]

use super::{Code, VectorIndex};

/// `SplitMix64` (Steele, Lea and Flood, 2014): small, and good enough to fill vectors.
pub(super) struct Generator(pub(super) u64);

impl Generator {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn level(&mut self) -> i8 {
        self.next().to_le_bytes()[0].cast_signed().max(-127)
    }

    /// About normal, with variance 1: the sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        let sum: u16 = self
            .next()
            .to_le_bytes()
            .chunks(2)
            .map(|pair| u16::from(pair[0]))
            .sum();
        (f32::from(sum) - 510.0) / 147.8
    }

    pub(super) fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.normal()).collect()
    }
}

/// A space of clusters with a common part.
pub(super) struct Clusters {
    pub(super) generator: Generator,
    centres: Vec<Vec<f32>>,
}

impl Clusters {
    pub(super) fn new(count: usize, dimensions: usize) -> Self {
        let mut generator = Generator(7);
        let common = generator.vector(dimensions);
        let mut centre = || {
            generator
                .vector(dimensions)
                .iter()
                .zip(&common)
                .map(|(own, all)| own + 0.5 * all)
                .collect()
        };
        let centres = (0..count).map(|_| centre()).collect();
        Self { generator, centres }
    }

    /// A vector of a random cluster: a cosine of about 0.5 with the others of it.
    pub(super) fn vector(&mut self) -> Vec<f32> {
        let chosen =
            usize::try_from(self.generator.next() % self.centres.len() as u64).unwrap_or(0);
        let centre = &self.centres[chosen];
        centre
            .iter()
            .map(|value| value + self.generator.normal())
            .collect()
    }

    /// An index of `count` vectors, numbered from 0.
    pub(super) fn index(&mut self, count: u32, dimensions: usize) -> VectorIndex {
        let mut index = VectorIndex::new(dimensions);
        for number in 0..count {
            let code = Code::quantize(&self.vector()).unwrap();
            index.insert(number, &code).unwrap();
        }
        index
    }
}
