//! How crowded it is around each of some vectors.

use super::kernel;
use super::{VectorIndex, code};

/// Cosines of all pairs of some vectors.
struct Pairs {
    count: usize,
    cosines: Vec<f32>,
}

impl VectorIndex {
    /// For each of some memories, the mean cosine of the `nearest` ones among the others; 0 for one
    /// without a vector and for one that is alone. A tenth of a millisecond for a hundred.
    #[must_use]
    pub fn crowding(&self, numbers: &[u32], nearest: usize) -> Vec<f32> {
        let mut crowding = vec![0.0; numbers.len()];
        let mut places = Vec::with_capacity(numbers.len());
        let mut positions = Vec::with_capacity(numbers.len());
        for (place, &number) in numbers.iter().enumerate() {
            if let Some(position) = self.rows.position(number) {
                places.push(place);
                positions.push(position);
            }
        }
        let pairs = self.pairs(&positions);
        for (at, place) in places.into_iter().enumerate() {
            if let Some(crowded) = crowding.get_mut(place) {
                *crowded = pairs.mean_of_nearest(at, nearest);
            }
        }
        crowding
    }

    fn pairs(&self, positions: &[usize]) -> Pairs {
        let (count, width) = (positions.len(), self.dimensions());
        let mut levels: Vec<i8> = Vec::with_capacity(count * width);
        for &position in positions {
            levels.extend_from_slice(self.rows.levels(position));
        }
        let mut cosines = vec![0.0; count * count];
        let mut dots = vec![0; count];
        let mut query: Vec<i16> = Vec::with_capacity(width);
        for (at, &position) in positions.iter().enumerate() {
            query.clear();
            query.extend(self.rows.levels(position).iter().map(|&it| i16::from(it)));
            let behind = at + 1;
            let dots = &mut dots[behind..];
            kernel::dot_rows(&query, &levels[behind * width..], dots);
            let scale = self.rows.scale(position);
            for (other, &dot) in (behind..).zip(dots.iter()) {
                let cosine = code::cosine(dot, scale, self.rows.scale(positions[other]));
                cosines[at * count + other] = cosine;
                cosines[other * count + at] = cosine;
            }
        }
        Pairs { count, cosines }
    }
}

impl Pairs {
    /// The mean of the largest cosines of one with the others.
    #[expect(clippy::cast_precision_loss, reason = "some dozen at most")]
    fn mean_of_nearest(&self, at: usize, nearest: usize) -> f32 {
        let row = &self.cosines[at * self.count..][..self.count];
        let mut others: Vec<f32> = row[..at].iter().chain(&row[at + 1..]).copied().collect();
        let taken = nearest.min(others.len());
        if taken == 0 {
            return 0.0;
        }
        others.select_nth_unstable_by(taken - 1, |one, other| other.total_cmp(one));
        // The order among the largest is not given; the sum should not depend on it.
        others.truncate(taken);
        others.sort_unstable_by(|one, other| other.total_cmp(one));
        others.iter().sum::<f32>() / taken as f32
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Code;
    use super::*;

    fn index(vectors: &[[f32; 2]]) -> VectorIndex {
        let mut index = VectorIndex::new(2);
        for (number, vector) in (0..).zip(vectors) {
            let code = Code::quantize(vector).unwrap();
            index.insert(number, &code).unwrap();
        }
        index
    }

    #[test]
    fn what_has_many_like_it_is_crowded() {
        let index = index(&[[1.0, 0.0], [1.0, 0.05], [1.0, -0.05], [0.0, 1.0]]);
        let crowding = index.crowding(&[3, 0, 1, 2], 2);
        assert!(crowding[1] > 0.99);
        assert!(crowding[2] > 0.98);
        assert!(crowding[0] < 0.1);
    }

    #[test]
    fn only_the_nearest_of_those_that_are_named_count() {
        let index = index(&[[1.0, 0.0], [1.0, 0.05], [0.0, 1.0]]);
        let of_first = |numbers: &[u32], nearest| index.crowding(numbers, nearest)[0];
        assert!(of_first(&[0, 1, 2], 1) > 0.99);
        assert!((of_first(&[0, 1, 2], 2) - 0.5).abs() < 0.01);
        assert!((of_first(&[0, 1, 2], 9) - 0.5).abs() < 0.01);
        assert!(of_first(&[0, 2], 1).abs() < 0.01);
    }

    #[test]
    fn nothing_crowds_one_that_is_alone_or_has_no_vector() {
        let index = index(&[[1.0, 0.0], [1.0, 0.05]]);
        assert_eq!(index.crowding(&[0], 3), [0.0]);
        assert_eq!(index.crowding(&[0, 7], 3), [0.0, 0.0]);
        assert!(index.crowding(&[], 3).is_empty());
        assert_eq!(index.crowding(&[0, 1], 0), [0.0, 0.0]);
    }
}
