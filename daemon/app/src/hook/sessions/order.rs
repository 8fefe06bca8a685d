//! Memories in the order in which they were given, each once.

use std::collections::HashSet;

use super::session::GIVEN_MAX;

/// The numbers of memories, in the order in which they were given; of those that were given
/// together the best is the latest.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenOrder {
    earliest_first: Vec<u32>,
    known: HashSet<u32>,
}

impl GivenOrder {
    /// Reads what [`Self::earliest_first`] gave. Older states are sorted by number, which is taken
    /// for the order.
    pub(super) fn of(earliest_first: impl IntoIterator<Item = u32>) -> Self {
        let mut order = Self::default();
        earliest_first
            .into_iter()
            .for_each(|number| order.push(number));
        order.forget_earliest();
        order
    }

    /// Adds what is given together, best first.
    pub(super) fn add(&mut self, numbers: impl DoubleEndedIterator<Item = u32>) {
        numbers.rev().for_each(|number| self.push(number));
        self.forget_earliest();
    }

    /// Adds all that was given later.
    pub(super) fn append(&mut self, later: Self) {
        for number in later.earliest_first {
            self.remove(number);
            self.push(number);
        }
        self.forget_earliest();
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, number: u32) {
        if self.known.remove(&number) {
            self.earliest_first.retain(|known| *known != number);
        }
    }

    /// Returns whether one is in it.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.known.contains(&number)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.earliest_first.len()
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.earliest_first.is_empty()
    }

    /// All of them, to be persisted.
    pub(super) fn earliest_first(&self) -> &[u32] {
        &self.earliest_first
    }

    /// All of them, to be read.
    pub(super) fn latest_first(&self) -> impl Iterator<Item = u32> {
        self.earliest_first.iter().rev().copied()
    }

    fn push(&mut self, number: u32) {
        if self.known.insert(number) {
            self.earliest_first.push(number);
        }
    }

    fn forget_earliest(&mut self) {
        let beyond = self.earliest_first.len().saturating_sub(GIVEN_MAX);
        for number in self.earliest_first.drain(..beyond) {
            self.known.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(order: &GivenOrder) -> Vec<u32> {
        order.latest_first().collect()
    }

    #[test]
    fn the_best_of_the_latest_is_first() {
        let mut order = GivenOrder::of([1, 2]);
        order.add([9, 5].into_iter());
        order.add([3, 9].into_iter());
        assert_eq!(read(&order), [3, 9, 5, 2, 1]);
        order.remove(9);
        assert!(!order.contains(9) && order.contains(5));
        let mut lost = GivenOrder::of([5, 8]);
        lost.append(order);
        assert_eq!(read(&lost), [3, 5, 2, 1, 8]);
        assert_eq!(lost.earliest_first(), [8, 1, 2, 5, 3]);
    }

    #[test]
    fn the_earliest_are_forgotten() {
        let beyond = u32::try_from(GIVEN_MAX).unwrap_or(u32::MAX) + 2;
        let order = GivenOrder::of(0..beyond);
        assert!(order.len() == GIVEN_MAX && !order.contains(1) && order.contains(2));
    }
}
