//! The best hits so far, and the score that a further one has to beat.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A memory that a query found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalHit {
    /// The memory's number.
    pub number: u32,
    /// Its BM25 score, summed over terms and boosted fields; comparable within one search only.
    pub score: f32,
}

impl LexicalHit {
    /// Orders by score, then by number, where the lower one is better.
    fn compare(self, other: Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.number.cmp(&self.number))
    }
}

/// A hit in the order of its worth.
#[derive(Debug, Clone, Copy)]
struct Ranked(LexicalHit);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(other.0)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// The best hits so far, at most as many as asked for.
pub(super) struct Top {
    limit: usize,
    worst_first: BinaryHeap<Reverse<Ranked>>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            worst_first: BinaryHeap::new(),
        }
    }

    /// Returns the score that a further hit has to exceed to be looked at. Of hits that tie for the
    /// last place any may stay.
    pub(super) fn threshold(&self) -> f32 {
        match self.worst_first.peek() {
            Some(Reverse(worst)) if self.worst_first.len() >= self.limit => worst.0.score,
            _ => f32::MIN,
        }
    }

    pub(super) fn push(&mut self, number: u32, score: f32) {
        let hit = Ranked(LexicalHit { number, score });
        if self.worst_first.len() < self.limit {
            self.worst_first.push(Reverse(hit));
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && hit > worst.0
        {
            *worst = Reverse(hit);
        }
    }

    /// Returns the hits, best first.
    pub(super) fn into_hits(self) -> Vec<LexicalHit> {
        self.worst_first
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(ranked)| ranked.0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Top;

    #[test]
    fn keeps_the_best_and_breaks_ties_by_number() {
        let mut top = Top::new(3);
        for (number, score) in [(5, 1.0), (4, 2.0), (9, 3.0), (3, 2.0), (1, 0.5), (2, 2.0)] {
            top.push(number, score);
        }
        assert!((top.threshold() - 2.0).abs() < f32::EPSILON);
        let numbers: Vec<u32> = top.into_hits().iter().map(|hit| hit.number).collect();
        assert_eq!(numbers, [9, 2, 3]);
    }
}
