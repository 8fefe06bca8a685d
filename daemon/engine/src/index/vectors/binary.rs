//! One bit a dimension: which side of the centre each component lies on.
//!
//! A scan over these reads an eighth of what an exact scan reads and finds nearly the same vectors;
//! the best are scored exactly afterwards. Subtracting the centre first matters: embeddings share a
//! large common part that would spend the bits on nothing. The query keeps its sign and three bits
//! of magnitude. Two floats a vector correct for how long its difference from the centre is and
//! where it points (the unbiased estimator of `RaBitQ`, without its rotation, which gained nothing
//! here).
//!
//! Everything is held in fixed point, so that neither order nor machine changes a bit.

use super::code::Code;
use super::kernel::{
    self, BLOCK_LANES, BlockWord, Estimate, GROUP_WORDS, MAGNITUDE_BITS, Moments, QueryWord,
    Traits, WORD_BITS,
};

/// One in fixed point, 2^24: a unit vector's component and its difference from the centre fit an
/// `i32`.
const FIXED_ONE: f32 = 16_777_216.0;

/// The largest magnitude that a query component keeps.
const MAX_MAGNITUDE: i64 = (1 << MAGNITUDE_BITS) - 1;

/// Below this many vectors the centre says little and nothing scans the bits yet.
const MIN_RECODE_COUNT: usize = 256;

/// The binary codes of a space, by position, with the centre that they are relative to.
#[derive(Debug, Default)]
pub(super) struct Binary {
    /// Running sums of all vectors, in fixed point.
    sums: Vec<i64>,
    /// The centre that the codes were made with; it lags behind the sums until the next recoding.
    centre: Vec<i32>,
    /// Blocks of [`BLOCK_LANES`] vectors, each word by word.
    words: Vec<BlockWord>,
    traits: Vec<Traits>,
    /// One vector's words while it is encoded; those past its dimensions stay zero.
    signs: Vec<u64>,
    words_per_vector: usize,
    recoded_count: usize,
}

/// A query in bit planes, relative to a centre.
#[derive(Debug)]
pub(super) struct Query {
    words: Vec<QueryWord>,
    estimate: Estimate,
}

impl Binary {
    pub(super) fn new(dimensions: usize) -> Self {
        let words_per_vector = dimensions.div_ceil(WORD_BITS).next_multiple_of(GROUP_WORDS);
        Self {
            sums: vec![0; dimensions],
            centre: vec![0; dimensions],
            signs: vec![0; words_per_vector],
            words_per_vector,
            ..Self::default()
        }
    }

    /// Puts a vector at `position`, which is at most the count; whoever was there has been taken
    /// away before.
    pub(super) fn put(&mut self, position: usize, scale: f32, levels: &[i8]) {
        let weight = fixed(scale);
        kernel::accumulate(weight, levels, &mut self.sums);
        if position == self.traits.len() {
            self.traits.push(Traits::default());
            if position.is_multiple_of(BLOCK_LANES) {
                self.words
                    .resize(self.words.len() + self.words_per_vector, [0; BLOCK_LANES]);
            }
        }
        self.encode(position, weight, levels);
    }

    /// Takes a vector's part out of the centre; its place is overwritten or dropped next.
    pub(super) fn take(&mut self, scale: f32, levels: &[i8]) {
        kernel::accumulate(-fixed(scale), levels, &mut self.sums);
    }

    /// Moves the last vector to `position` and drops the last place.
    pub(super) fn swap_remove(&mut self, position: usize) {
        let last = self.traits.len() - 1;
        let (from, to) = (self.first_word(last), self.first_word(position));
        for word in 0..self.words_per_vector {
            self.words[to + word][position % BLOCK_LANES] =
                self.words[from + word][last % BLOCK_LANES];
        }
        self.traits.swap_remove(position);
        self.words
            .truncate(self.traits.len().div_ceil(BLOCK_LANES) * self.words_per_vector);
    }

    /// Returns whether the count has doubled since the codes were made.
    pub(super) fn is_stale(&self) -> bool {
        self.traits.len() >= (2 * self.recoded_count).max(MIN_RECODE_COUNT)
    }

    /// Makes all codes anew around the present centre. `vectors` yields every vector in order of
    /// position.
    pub(super) fn recode<'a>(&mut self, vectors: impl Iterator<Item = (f32, &'a [i8])>) {
        let count = self.traits.len();
        self.recoded_count = count;
        for (middle, &sum) in self.centre.iter_mut().zip(&self.sums) {
            *middle = mean(sum, count);
        }
        for (position, (scale, levels)) in vectors.enumerate() {
            self.encode(position, fixed(scale), levels);
        }
    }

    /// Turns a query into bit planes.
    pub(super) fn query(&self, code: &Code) -> Query {
        let weight = fixed(code.scale());
        let differences: Vec<i32> = code
            .levels()
            .iter()
            .zip(&self.centre)
            .map(|(&level, middle)| i32::from(level) * weight - middle)
            .collect();
        let largest = differences
            .iter()
            .map(|value| value.unsigned_abs())
            .max()
            .unwrap_or(0)
            .max(1);
        let mut words = vec![[0; 1 + MAGNITUDE_BITS]; self.words_per_vector];
        let mut total = 0;
        for (dimension, &difference) in differences.iter().enumerate() {
            let magnitude = magnitude(difference, largest);
            total += magnitude;
            set_planes(
                &mut words[dimension / WORD_BITS],
                dimension % WORD_BITS,
                difference < 0,
                magnitude,
            );
        }
        let inverse_step = to_float(MAX_MAGNITUDE) * FIXED_ONE / to_float(i64::from(largest));
        Query {
            words,
            estimate: Estimate {
                total,
                inverse_step,
            },
        }
    }

    /// Estimates the dot products of the vectors from `start`, a multiple of [`BLOCK_LANES`], on.
    /// Both buffers have one length, also a multiple; returns how many of `scores` were filled.
    pub(super) fn scores(
        &self,
        query: &Query,
        start: usize,
        sums: &mut [i32],
        scores: &mut [f32],
    ) -> usize {
        let end = (start + sums.len()).min(self.traits.len());
        let blocks = self.first_word(start)..end.div_ceil(BLOCK_LANES) * self.words_per_vector;
        kernel::mismatches(&query.words, &self.words[blocks], sums);
        kernel::estimate(query.estimate, sums, &self.traits[start..end], scores);
        end - start
    }

    #[cfg(test)]
    pub(super) fn resident_bytes(&self) -> usize {
        self.sums.capacity() * size_of::<i64>()
            + self.centre.capacity() * size_of::<i32>()
            + self.words.capacity() * size_of::<BlockWord>()
            + self.traits.capacity() * size_of::<Traits>()
    }

    fn first_word(&self, position: usize) -> usize {
        position / BLOCK_LANES * self.words_per_vector
    }

    fn encode(&mut self, position: usize, weight: i32, levels: &[i8]) {
        let first = self.first_word(position);
        kernel::signs(weight, levels, &self.centre, &mut self.signs);
        for (&signs, block) in self.signs.iter().zip(&mut self.words[first..]) {
            block[position % BLOCK_LANES] = signs;
        }
        let mut moments = Moments::default();
        kernel::residual(weight, levels, &self.centre, &mut moments);
        self.traits[position] = traits(moments);
    }
}

fn traits(moments: Moments) -> Traits {
    let gain = to_float(moments.square) / to_float(moments.absolute.max(1)) / FIXED_ONE;
    Traits {
        gain,
        offset: to_float(moments.centre) / FIXED_ONE / FIXED_ONE,
    }
}

fn set_planes(word: &mut QueryWord, bit: usize, negative: bool, magnitude: i32) {
    word[0] |= u64::from(negative) << bit;
    for (plane, bits) in word[1..].iter_mut().enumerate() {
        *bits |= u64::from(magnitude >> plane & 1 == 1) << bit;
    }
}

/// A component's magnitude, 0 to [`MAX_MAGNITUDE`], to the nearest.
#[expect(
    clippy::cast_possible_truncation,
    reason = "at most MAX_MAGNITUDE, as no component exceeds the largest"
)]
fn magnitude(difference: i32, largest: u32) -> i32 {
    let (value, largest) = (i64::from(difference.unsigned_abs()), i64::from(largest));
    ((2 * MAX_MAGNITUDE * value + largest) / (2 * largest)) as i32
}

#[expect(clippy::cast_possible_truncation, reason = "a scale is at most 1")]
fn fixed(scale: f32) -> i32 {
    (scale * FIXED_ONE).round() as i32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a mean of components is at most 1; counts are under 2^32"
)]
fn mean(sum: i64, count: usize) -> i32 {
    (sum / (count.max(1) as i64)) as i32
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no more")]
fn to_float(value: i64) -> f32 {
    value as f32
}
