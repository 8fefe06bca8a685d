//! Which segments to merge after a flush, so that there are few of them and little is written
//! twice.

/// A segment that is dead to this percentage is rewritten even alone.
const DEAD_MAX_PERCENT: u64 = 30;

/// The sizes by which a segment is planned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Documents that are alive.
    pub(super) living: u64,
    /// Documents that are deleted but still in the files.
    pub(super) dead: u64,
}

/// Returns the places of the segments to merge into one, or nothing.
///
/// The smallest ones go together up to the largest that is not larger than all smaller ones
/// together. So each segment left is larger than the sum of the smaller ones: there are at most
/// log2(documents / flush) of them, and a document is rewritten about as often.
pub(super) fn plan(sizes: &[Size]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..sizes.len()).collect();
    places.sort_by_key(|&place| sizes.get(place).map_or(0, |size| size.living));
    let mut merged = 0;
    let mut sum = 0;
    for (at, &place) in places.iter().enumerate() {
        let Some(size) = sizes.get(place) else {
            continue;
        };
        let joins = at > 0 && size.living <= sum;
        if joins || is_mostly_dead(*size) {
            merged = at + 1;
        }
        sum += size.living;
    }
    places.truncate(merged);
    places
}

fn is_mostly_dead(size: Size) -> bool {
    size.dead * 100 > (size.living + size.dead) * DEAD_MAX_PERCENT
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Size, plan};

    fn living(sizes: &[u64]) -> Vec<Size> {
        sizes
            .iter()
            .map(|&living| Size { living, dead: 0 })
            .collect()
    }

    #[test]
    fn merges_the_small_ones() {
        let table: [(&[u64], &[usize]); 6] = [
            (&[], &[]),
            (&[10], &[]),
            (&[10, 10], &[0, 1]),
            (&[100, 10, 10], &[1, 2]),
            (&[100, 50, 20], &[]),
            (&[16, 8, 4, 4], &[2, 3, 1, 0]),
        ];
        for (sizes, expected) in table {
            assert_eq!(plan(&living(sizes)), expected, "{sizes:?}");
        }
    }

    #[test]
    fn rewrites_a_dead_one() {
        assert_eq!(
            plan(&[Size {
                living: 60,
                dead: 40
            }]),
            [0]
        );
        assert_eq!(
            plan(&[Size {
                living: 80,
                dead: 20
            }]),
            Vec::<usize>::new()
        );
    }

    proptest! {
        #[test]
        fn leaves_few_segments(flushes in prop::collection::vec(1_u64..4_000, 1..200)) {
            let mut segments: Vec<u64> = Vec::new();
            for flush in flushes {
                segments.push(flush);
                let places = plan(&living(&segments));
                if !places.is_empty() {
                    let sum = places.iter().map(|&place| segments[place]).sum();
                    let mut at = 0..;
                    segments.retain(|_| !places.contains(&at.next().unwrap_or_default()));
                    segments.push(sum);
                }
                let documents: u64 = segments.iter().sum();
                prop_assert!(segments.len() <= documents.ilog2() as usize + 1);
                prop_assert!(plan(&living(&segments)).is_empty());
            }
        }
    }
}
