//! Every dispatched kernel against its plain body, and the bit arithmetic against the definition.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic")]

use super::super::fixture::Generator;
use super::*;
use crate::index::vectors::VectorIndex;

const WIDTHS: [usize; 6] = [1, 7, 64, 100, 384, 1_024];
const ROWS: u32 = 37;

fn levels(generator: &mut Generator, count: usize) -> Vec<i8> {
    (0..count).map(|_| generator.level()).collect()
}

#[test]
fn dot_products_are_those_of_the_plain_version() {
    let mut generator = Generator(1);
    for width in WIDTHS {
        let rows = levels(&mut generator, width * ROWS as usize);
        let query: Vec<i16> = levels(&mut generator, width)
            .into_iter()
            .map(i16::from)
            .collect();
        let (mut dispatched, mut plain) = (vec![0; ROWS as usize], vec![0; ROWS as usize]);
        dot_rows(&query, &rows, &mut dispatched);
        dot_rows_plain(&query, &rows, &mut plain);
        assert_eq!(dispatched, plain);

        let backwards: Vec<u32> = (0..ROWS).rev().collect();
        let mut at = vec![0; ROWS as usize];
        dot_at(&query, &rows, &backwards, &mut at);
        at.reverse();
        assert_eq!(at, plain);
        dot_at_plain(&query, &rows, &backwards, &mut at);
        at.reverse();
        assert_eq!(at, plain);
    }
}

#[test]
fn the_largest_dot_product_fits() {
    let width = VectorIndex::DIMENSIONS_MAX;
    let mut dots = [0];
    dot_rows(&vec![127; width], &vec![-127; width], &mut dots);
    assert_eq!(dots, [-127 * 127 * i32::try_from(width).unwrap()]);
}

/// The definition: the sum of the magnitudes of the bits where signs differ.
fn mismatch(query: &[QueryWord], words: &[BlockWord], lane: usize) -> i32 {
    let mut sum = 0;
    for (query, word) in query.iter().zip(words) {
        for bit in 0..64 {
            let magnitude = (0..MAGNITUDE_BITS)
                .map(|plane| (query[1 + plane] >> bit & 1) << plane)
                .sum::<u64>();
            if (query[0] ^ word[lane]) >> bit & 1 == 1 {
                sum += i32::try_from(magnitude).unwrap();
            }
        }
    }
    sum
}

#[test]
fn mismatches_are_those_of_the_plain_version_and_of_the_definition() {
    let mut generator = Generator(2);
    for groups in [1, 2, 5] {
        let width = groups * GROUP_WORDS;
        let query: Vec<QueryWord> = (0..width)
            .map(|_| std::array::from_fn(|_| generator.next()))
            .collect();
        let words: Vec<BlockWord> = (0..3 * width)
            .map(|_| std::array::from_fn(|_| generator.next()))
            .collect();
        let (mut dispatched, mut plain) = (vec![0; 3 * BLOCK_LANES], vec![0; 3 * BLOCK_LANES]);
        mismatches(&query, &words, &mut dispatched);
        mismatches_plain(&query, &words, &mut plain);
        assert_eq!(dispatched, plain);
        for (position, &sum) in plain.iter().enumerate() {
            let block = &words[position / BLOCK_LANES * width..][..width];
            assert_eq!(sum, mismatch(&query, block, position % BLOCK_LANES));
        }
    }
}

#[test]
fn the_largest_mismatch_is_counted() {
    let query = [[0, u64::MAX, u64::MAX, u64::MAX]; GROUP_WORDS];
    let mut sums = [0; BLOCK_LANES];
    mismatches(&query, &[[u64::MAX; BLOCK_LANES]; GROUP_WORDS], &mut sums);
    assert_eq!(sums, [7 * 64 * 6; BLOCK_LANES]);
}

#[test]
fn estimates_are_those_of_the_plain_version() {
    let mut generator = Generator(3);
    let query = Estimate {
        total: 701,
        inverse_step: 12.3,
    };
    let mut random = || f32::from(generator.level()) / 100.0;
    let traits: Vec<Traits> = (0..53)
        .map(|_| Traits {
            gain: random(),
            offset: random(),
        })
        .collect();
    let sums: Vec<i32> = (0..53).map(|_| i32::from(generator.level())).collect();
    let (mut dispatched, mut plain) = (vec![0.0; 53], vec![0.0; 53]);
    estimate(query, &sums, &traits, &mut dispatched);
    estimate_plain(query, &sums, &traits, &mut plain);
    let bits = |scores: Vec<f32>| scores.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(dispatched), bits(plain));
}

#[test]
fn sums_moments_and_signs_are_those_of_the_plain_version() {
    let mut generator = Generator(4);
    for width in WIDTHS {
        let levels = levels(&mut generator, width);
        let centre: Vec<i32> = (0..width)
            .map(|_| i32::from(generator.level()) * 1_000)
            .collect();
        let (mut dispatched, mut plain) = (vec![5; width], vec![5; width]);
        accumulate(20_011, &levels, &mut dispatched);
        accumulate_plain(20_011, &levels, &mut plain);
        assert_eq!(dispatched, plain);

        let (mut dispatched, mut plain) = (
            vec![0; width.div_ceil(WORD_BITS)],
            vec![0; width.div_ceil(WORD_BITS)],
        );
        signs(20_011, &levels, &centre, &mut dispatched);
        signs_plain(20_011, &levels, &centre, &mut plain);
        assert_eq!(dispatched, plain);
        for (dimension, (&level, &middle)) in levels.iter().zip(&centre).enumerate() {
            let below = plain[dimension / WORD_BITS] >> (dimension % WORD_BITS) & 1 == 1;
            assert_eq!(below, i32::from(level) * 20_011 < middle);
        }

        let (mut dispatched, mut plain) = (Moments::default(), Moments::default());
        residual(20_011, &levels, &centre, &mut dispatched);
        residual_plain(20_011, &levels, &centre, &mut plain);
        assert_eq!(dispatched, plain);
    }
}
