//! The loops that take the time, compiled once for each instruction set and chosen at run time.
//!
//! Sums are integer sums, so their order does not matter and every version gives the same bits; the
//! only floats are computed element by element. The `*_plain` functions are the same bodies without
//! dispatch. AVX-512 is taken from Ice Lake on (`multiversion` refuses it on older chips, whose
//! clock it lowers).

#![expect(
    clippy::inline_always,
    reason = "a body must be compiled inside each version, with that version's instructions"
)]

use multiversion::multiversion;

/// Vectors that share a block of sign words, so that one word of each fills a 512-bit register.
pub(super) const BLOCK_LANES: usize = 8;

/// Sign words that the carry-save adder takes at once: 384 dimensions.
pub(super) const GROUP_WORDS: usize = 6;

/// Dimensions in a sign word.
pub(super) const WORD_BITS: usize = 64;

/// Multiplied with eight bytes of 0 or 1, brings their bits together in the top byte, the first
/// byte lowest.
const GATHER_BITS: u64 = 0x0102_0408_1020_4080;

/// Bits of a query component's magnitude. Three find what seven find (measured on clustered data).
pub(super) const MAGNITUDE_BITS: usize = 3;

/// Half of a group: what one full adder a bit plane takes in.
const HALF_WORDS: usize = GROUP_WORDS / 2;

/// Bits of a group's sum at one bit position: 6 words of at most 7 make 42.
const SUM_BITS: usize = 6;

/// One word of each vector in a block.
pub(super) type BlockWord = [u64; BLOCK_LANES];

/// One word of a query in bit planes: its signs, then its magnitudes from the lowest bit.
pub(super) type QueryWord = [u64; 1 + MAGNITUDE_BITS];

macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $plain:ident, ($($argument:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[multiversion(targets(
            "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vnni+avx512vpopcntdq",
            "x86_64+avx2+popcnt",
            "aarch64+neon"
        ))]
        pub(super) fn $name($($argument: $type),*) {
            $plain($($argument),*);
        }
    };
}

dispatched! {
    /// The dot products of `query` with rows that follow each other.
    dot_rows, dot_rows_plain, (query: &[i16], rows: &[i8], dots: &mut [i32])
}

dispatched! {
    /// The dot products of `query` with the rows at `positions`, which all exist.
    dot_at, dot_at_plain, (query: &[i16], rows: &[i8], positions: &[u32], dots: &mut [i32])
}

dispatched! {
    /// For each vector, the sum of the query's magnitudes where the signs differ. `words` holds whole blocks of
    /// `query.len()` words, which is a multiple of [`GROUP_WORDS`].
    mismatches, mismatches_plain, (query: &[QueryWord], words: &[BlockWord], sums: &mut [i32])
}

dispatched! {
    /// Turns mismatches into estimated dot products, in units of the query's step: gain × (total − 2 × mismatch) + offset ÷ step.
    estimate, estimate_plain, (query: Estimate, sums: &[i32], traits: &[Traits], scores: &mut [f32])
}

dispatched! {
    /// Adds (or with a negative weight takes away) a vector of fixed-point components to the running sums.
    accumulate, accumulate_plain, (weight: i32, levels: &[i8], sums: &mut [i64])
}

dispatched! {
    /// The moments of a vector's difference from the centre.
    residual, residual_plain, (weight: i32, levels: &[i8], centre: &[i32], moments: &mut Moments)
}

dispatched! {
    /// One bit a component, set where it lies below the centre: a word for each 64 components.
    signs, signs_plain, (weight: i32, levels: &[i8], centre: &[i32], words: &mut [u64])
}

/// The query's values that [`estimate`] needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// The sum of the query's magnitudes.
    pub(super) total: i32,
    /// One over the size of a magnitude's unit.
    pub(super) inverse_step: f32,
}

/// The part of a vector that its signs lack: how long the difference from the centre is, and where
/// it points along the centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Traits {
    /// The size that stands for every component, chosen so that the estimate is right along the
    /// difference itself.
    pub(super) gain: f32,
    /// The difference's dot product with the centre.
    pub(super) offset: f32,
}

/// Sums over the components of a difference from the centre, in fixed point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moments {
    /// Of the magnitudes.
    pub(super) absolute: i64,
    /// Of the squares.
    pub(super) square: i64,
    /// Of the products with the centre.
    pub(super) centre: i64,
}

#[inline(always)]
fn dot(query: &[i16], row: &[i8]) -> i32 {
    // This plain form becomes widening multiply-adds of pairs; hand-made lanes were slower.
    row.iter()
        .zip(query)
        .map(|(&level, &value)| i32::from(level) * i32::from(value))
        .sum()
}

#[inline(always)]
pub(super) fn dot_rows_plain(query: &[i16], rows: &[i8], dots: &mut [i32]) {
    for (row, sum) in rows.chunks_exact(query.len()).zip(dots) {
        *sum = dot(query, row);
    }
}

#[inline(always)]
pub(super) fn dot_at_plain(query: &[i16], rows: &[i8], positions: &[u32], dots: &mut [i32]) {
    let width = query.len();
    for (&position, sum) in positions.iter().zip(dots) {
        let start = position as usize * width;
        *sum = dot(query, &rows[start..start + width]);
    }
}

/// Adds three one-bit numbers at each bit position: sum and carry.
#[inline(always)]
fn add_bits(one: u64, two: u64, three: u64) -> (u64, u64) {
    let half = one ^ two;
    (half ^ three, (one & two) | (half & three))
}

/// Adds the magnitudes of three words from `first` on where the signs differ: a five-bit number at
/// each bit position. Takes whole arrays and a lane, because copies of single lanes keep the loop
/// over lanes from becoming vectors.
#[inline(always)]
fn add_half(
    words: &[BlockWord; GROUP_WORDS],
    query: &[QueryWord; GROUP_WORDS],
    first: usize,
    lane: usize,
) -> [u64; SUM_BITS - 1] {
    let mut sum = [0; MAGNITUDE_BITS];
    let mut carry = [0; MAGNITUDE_BITS];
    for bit in 0..MAGNITUDE_BITS {
        let masked = |word: usize| {
            (words[first + word][lane] ^ query[first + word][0]) & query[first + word][1 + bit]
        };
        (sum[bit], carry[bit]) = add_bits(masked(0), masked(1), masked(2));
    }
    let second = sum[1] ^ carry[0];
    let (third, over) = add_bits(sum[2], carry[1], sum[1] & carry[0]);
    [sum[0], second, third, carry[2] ^ over, carry[2] & over]
}

#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "each lane reads and writes several arrays"
)]
fn add_group(
    words: &[BlockWord; GROUP_WORDS],
    query: &[QueryWord; GROUP_WORDS],
    totals: &mut BlockWord,
) {
    let mut planes = [[0_u64; BLOCK_LANES]; SUM_BITS];
    for lane in 0..BLOCK_LANES {
        let one = add_half(words, query, 0, lane);
        let two = add_half(words, query, HALF_WORDS, lane);
        planes[0][lane] = one[0] ^ two[0];
        let mut carry = one[0] & two[0];
        for bit in 1..SUM_BITS - 1 {
            (planes[bit][lane], carry) = add_bits(one[bit], two[bit], carry);
        }
        planes[SUM_BITS - 1][lane] = carry;
    }
    for (bit, plane) in planes.iter().enumerate() {
        for lane in 0..BLOCK_LANES {
            totals[lane] += u64::from(plane[lane].count_ones()) << bit;
        }
    }
}

#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 7 × MAX_DIMENSIONS"
)]
pub(super) fn mismatches_plain(query: &[QueryWord], words: &[BlockWord], sums: &mut [i32]) {
    let (groups, _) = query.as_chunks::<GROUP_WORDS>();
    let (lanes, _) = sums.as_chunks_mut::<BLOCK_LANES>();
    for (block, out) in words.chunks_exact(query.len()).zip(lanes) {
        let mut totals = [0; BLOCK_LANES];
        for (group, part) in block.as_chunks::<GROUP_WORDS>().0.iter().zip(groups) {
            add_group(group, part, &mut totals);
        }
        *out = totals.map(|total| total as i32);
    }
}

#[inline(always)]
#[expect(
    clippy::cast_precision_loss,
    reason = "at most 7 × MAX_DIMENSIONS, which an f32 holds exactly"
)]
pub(super) fn estimate_plain(query: Estimate, sums: &[i32], traits: &[Traits], scores: &mut [f32]) {
    for ((sum, vector), score) in sums.iter().zip(traits).zip(scores) {
        *score = (query.total - 2 * sum) as f32 * vector.gain + vector.offset * query.inverse_step;
    }
}

#[inline(always)]
pub(super) fn accumulate_plain(weight: i32, levels: &[i8], sums: &mut [i64]) {
    for (&level, sum) in levels.iter().zip(sums) {
        *sum += i64::from(i32::from(level) * weight);
    }
}

#[inline(always)]
pub(super) fn residual_plain(weight: i32, levels: &[i8], centre: &[i32], moments: &mut Moments) {
    *moments = Moments::default();
    for (&level, &middle) in levels.iter().zip(centre) {
        let difference = i32::from(level) * weight - middle;
        moments.absolute += i64::from(difference.unsigned_abs());
        moments.square += i64::from(difference) * i64::from(difference);
        moments.centre += i64::from(difference) * i64::from(middle);
    }
}

#[inline(always)]
pub(super) fn signs_plain(weight: i32, levels: &[i8], centre: &[i32], words: &mut [u64]) {
    for ((levels, centre), word) in levels
        .chunks(WORD_BITS)
        .zip(centre.chunks(WORD_BITS))
        .zip(words)
    {
        let mut below = [0; WORD_BITS];
        for ((&level, &middle), below) in levels.iter().zip(centre).zip(&mut below) {
            *below = u8::from(i32::from(level) * weight < middle);
        }
        *word = 0;
        for (eight, shift) in below.as_chunks().0.iter().zip((0..).step_by(8)) {
            *word |=
                (u64::from_le_bytes(*eight).wrapping_mul(GATHER_BITS) >> (WORD_BITS - 8)) << shift;
        }
    }
}

#[cfg(test)]
mod tests;
