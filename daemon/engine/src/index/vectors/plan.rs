//! Which way a search goes: decided here, from counts alone.

/// Up to this many candidates an exact scan is as fast as anything and never wrong. Right after a
/// model ran, which leaves the caches cold, 10,000 take 0.75 ms exactly and 0.5 ms by their bits.
pub const EXACT_CANDIDATES: usize = 4_000;

/// Up to this many vectors the binary scan stays near a millisecond and 200 rescored ones hold the
/// true best.
pub const BINARY_VECTORS: usize = 150_000;

/// The fewest vectors scored exactly after a binary scan. Each costs some 30 ns, a lost hit costs
/// more.
const MIN_RESCORED: usize = 200;

/// The same beyond [`BINARY_VECTORS`], where more strangers score by chance as well as a true
/// neighbour.
const MIN_RESCORED_LARGE: usize = 800;

/// Vectors scored exactly for each hit asked for.
const RESCORED_PER_HIT: usize = 4;

/// Who may be found.
#[derive(Clone, Copy)]
pub enum Candidates<'a> {
    /// Those that a predicate keeps. It may be asked about any number in the index, at most twice a
    /// search, in no promised order.
    Filter {
        /// Whether a number may be found.
        keeps: &'a (dyn Fn(u32) -> bool + Sync),
        /// About how many pass. A wrong guess costs time, and precision where an exact search was
        /// possible.
        expected: usize,
    },
    /// Those named. Unknown and repeated numbers are skipped.
    List(&'a [u32]),
}

#[cfg(test)]
impl Candidates<'_> {
    /// Every vector.
    pub(super) const ALL: Self = Self::Filter {
        keeps: &|_| true,
        expected: usize::MAX,
    };
}

/// The way that a search goes.
///
/// A third is to come: beyond [`BINARY_VECTORS`] the binary scan grows linearly (6 ms at a
/// million), and a coarse quantiser, an HNSW over a few thousand centroids whose lists hold these
/// same codes, would scan a few lists only. Until then the binary scan serves every size and
/// rescores more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Score every candidate exactly.
    Exact,
    /// Estimate from the binary codes, then score this many exactly at least, and more for more
    /// hits.
    Binary {
        /// The fewest vectors to score exactly.
        min_rescored: usize,
    },
}

impl Plan {
    /// Decides for an index of `count` vectors.
    pub(super) fn choose(count: usize, candidates: &Candidates<'_>) -> Self {
        let expected = match candidates {
            Candidates::Filter { expected, .. } => *expected,
            Candidates::List(numbers) => numbers.len(),
        };
        if expected.min(count) <= EXACT_CANDIDATES {
            return Self::Exact;
        }
        Self::Binary {
            min_rescored: min_rescored(count),
        }
    }
}

/// The fewest vectors to score exactly after a binary scan of `count`.
pub(super) fn min_rescored(count: usize) -> usize {
    if count <= BINARY_VECTORS {
        MIN_RESCORED
    } else {
        MIN_RESCORED_LARGE
    }
}

/// How many vectors to score exactly for `limit` hits.
pub(super) fn rescored(min_rescored: usize, limit: usize) -> usize {
    limit.saturating_mul(RESCORED_PER_HIT).max(min_rescored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_candidates_are_scored_exactly() {
        let numbers = vec![0; EXACT_CANDIDATES];
        let filter = Candidates::Filter {
            keeps: &|_| true,
            expected: EXACT_CANDIDATES,
        };
        for (count, candidates) in [
            (0, Candidates::ALL),
            (EXACT_CANDIDATES, Candidates::ALL),
            (1_000_000, filter),
            (1_000_000, Candidates::List(&numbers)),
        ] {
            assert_eq!(Plan::choose(count, &candidates), Plan::Exact);
        }
    }

    #[test]
    fn an_estimate_above_the_count_is_the_count() {
        let filter = Candidates::Filter {
            keeps: &|_| true,
            expected: usize::MAX,
        };
        assert_eq!(Plan::choose(EXACT_CANDIDATES, &filter), Plan::Exact);
    }

    #[test]
    fn many_candidates_are_scanned_and_more_are_rescored_in_a_large_space() {
        let numbers = vec![0; EXACT_CANDIDATES + 1];
        let small = Plan::Binary {
            min_rescored: MIN_RESCORED,
        };
        assert_eq!(Plan::choose(EXACT_CANDIDATES + 1, &Candidates::ALL), small);
        assert_eq!(
            Plan::choose(BINARY_VECTORS, &Candidates::List(&numbers)),
            small
        );
        let large = Plan::Binary {
            min_rescored: MIN_RESCORED_LARGE,
        };
        assert_eq!(Plan::choose(BINARY_VECTORS + 1, &Candidates::ALL), large);
    }

    #[test]
    fn more_hits_rescore_more() {
        assert_eq!(rescored(MIN_RESCORED, 10), MIN_RESCORED);
        assert_eq!(rescored(MIN_RESCORED, 100), 400);
        assert_eq!(rescored(MIN_RESCORED, usize::MAX), usize::MAX);
    }
}
