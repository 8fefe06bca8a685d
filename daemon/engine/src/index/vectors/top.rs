//! The best few of many scored numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Hit;

/// The flipped sign bit of an `f32`.
const SIGN: u32 = 1 << 31;

/// Keeps the best `limit` by score, then by the lower number, whatever order they come in.
#[derive(Debug)]
pub(super) struct Top {
    limit: usize,
    heap: BinaryHeap<Reverse<u64>>,
    /// The least score that could still enter.
    floor: f32,
}

impl Top {
    /// `limit` is at least 1.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            heap: BinaryHeap::with_capacity(limit + 1),
            floor: f32::NEG_INFINITY,
        }
    }

    /// Offers a number; `keeps` is asked only if it would enter.
    #[inline]
    pub(super) fn offer(&mut self, score: f32, number: u32, keeps: impl FnOnce() -> bool) {
        if score >= self.floor {
            self.consider(key(score, number), keeps);
        }
    }

    /// The score below which nothing enters.
    pub(super) fn floor(&self) -> f32 {
        self.floor
    }

    /// The kept ones, best first.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        let sorted = self.heap.into_sorted_vec();
        sorted
            .into_iter()
            .map(|Reverse(key)| Hit {
                number: number(key),
                cosine: score(key),
            })
            .collect()
    }

    fn consider(&mut self, key: u64, keeps: impl FnOnce() -> bool) {
        let is_full = self.heap.len() == self.limit;
        let enters = !is_full || self.heap.peek().is_some_and(|Reverse(least)| key > *least);
        if !enters || !keeps() {
            return;
        }
        if is_full {
            self.heap.pop();
        }
        self.heap.push(Reverse(key));
        if self.heap.len() == self.limit {
            self.floor = self
                .heap
                .peek()
                .map_or(f32::NEG_INFINITY, |Reverse(least)| score(*least));
        }
    }
}

/// Orders as the score does, then against the number.
fn key(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    u64::from(ordered) << 32 | u64::from(!number)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn number(key: u64) -> u32 {
    !(key as u32)
}

fn score(key: u64) -> f32 {
    let ordered = (key >> 32) as u32;
    f32::from_bits(if ordered & SIGN == 0 {
        !ordered
    } else {
        ordered & !SIGN
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keeps_what_sorting_would(scores in prop::collection::vec(-4_i8..4, 1..60), limit in 1_usize..20) {
            let mut top = Top::new(limit);
            let mut expected = Vec::new();
            for (&score, number) in scores.iter().zip(0..) {
                let cosine = f32::from(score) / 4.0;
                top.offer(cosine, number, || true);
                expected.push(Hit { number, cosine });
            }
            expected.sort_by(|one, other| other.cosine.total_cmp(&one.cosine).then(one.number.cmp(&other.number)));
            expected.truncate(limit);
            prop_assert_eq!(top.into_hits(), expected);
        }
    }

    #[test]
    fn asks_only_about_those_that_would_enter() {
        let mut top = Top::new(1);
        let mut asked = Vec::new();
        for (score, number) in [(0.5, 0), (0.25, 1), (0.75, 2), (0.75, 3)] {
            top.offer(score, number, || {
                asked.push(number);
                true
            });
        }
        assert_eq!(asked, [0, 2]);
    }
}
