//! Carrying out a search: gather candidates, score them, keep the best.

use super::code::{self, Code};
use super::kernel::{self, BLOCK_LANES};
use super::plan::{self, Candidates, EXACT_CANDIDATES, Plan};
use super::rows::narrow;
use super::top::Top;
use super::{VectorError, VectorIndex};

/// Vectors scored between two looks at the scores; their sums and scores stay in the first cache (8
/// KiB).
const CHUNK_VECTORS: usize = 1_024;

/// How far a filter may pass its estimate's limit before an exact search is given up for a scan.
const MAX_GATHERED: usize = 2 * EXACT_CANDIDATES;

const _: () = assert!(CHUNK_VECTORS.is_multiple_of(BLOCK_LANES));

/// A memory that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The memory's number.
    pub number: u32,
    /// The cosine with the query, −1 to 1.
    pub cosine: f32,
}

impl VectorIndex {
    /// Finds the best `limit` candidates by cosine, descending; equal ones by number. Cosines are
    /// those of [`Code::cosine`]. Which vectors are found is exact or, after a binary scan,
    /// nearly so: see [`VectorIndex::plan`].
    ///
    /// # Errors
    ///
    /// Refuses a query that [`Code::quantize`] refuses or that is of another dimension.
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        candidates: Candidates<'_>,
    ) -> Result<Vec<Hit>, VectorError> {
        self.check_dimension(query.len())?;
        let query = Code::quantize(query)?;
        let limit = limit.min(self.len());
        if limit == 0 {
            return Ok(Vec::new());
        }
        Ok(match self.plan(candidates) {
            Plan::Exact => self.search_exactly(&query, limit, candidates),
            Plan::Binary { min_rescored } => {
                self.search_binary(&query, limit, candidates, min_rescored)
            }
        })
    }

    /// Which way a search over these candidates goes. Pure; costs nothing.
    #[must_use]
    pub fn plan(&self, candidates: Candidates<'_>) -> Plan {
        Plan::choose(self.len(), &candidates)
    }

    fn search_exactly(&self, query: &Code, limit: usize, candidates: Candidates<'_>) -> Vec<Hit> {
        match candidates {
            Candidates::List(numbers) => {
                self.score_at(query, limit, &self.named(numbers).positions())
            }
            Candidates::Filter { keeps, .. } => match self.gather(keeps) {
                Some(positions) => self.score_at(query, limit, &positions),
                None => {
                    self.search_binary(query, limit, candidates, plan::min_rescored(self.len()))
                }
            },
        }
    }

    fn search_binary(
        &self,
        query: &Code,
        limit: usize,
        candidates: Candidates<'_>,
        min_rescored: usize,
    ) -> Vec<Hit> {
        let kept = plan::rescored(min_rescored, limit).min(self.len());
        let positions = match candidates {
            Candidates::Filter { keeps, .. } => {
                self.scan(query, kept, |position| keeps(self.rows.number(position)))
            }
            Candidates::List(numbers) => {
                let named = self.named(numbers);
                self.scan(query, kept, |position| named.contains(position))
            }
        };
        self.score_at(query, limit, &positions)
    }

    /// The positions that a predicate keeps, unless there are too many for an exact search.
    fn gather(&self, keeps: &(dyn Fn(u32) -> bool + Sync)) -> Option<Vec<u32>> {
        let mut positions = Vec::new();
        for (&number, position) in self.rows.numbers().iter().zip(0..) {
            if keeps(number) {
                positions.push(position);
                if positions.len() > MAX_GATHERED {
                    return None;
                }
            }
        }
        Some(positions)
    }

    fn named(&self, numbers: &[u32]) -> Positions {
        let mut named = Positions::new(self.len());
        for position in numbers
            .iter()
            .filter_map(|&number| self.rows.position(number))
        {
            named.insert(position);
        }
        named
    }

    fn score_at(&self, query: &Code, limit: usize, positions: &[u32]) -> Vec<Hit> {
        if positions.is_empty() {
            return Vec::new();
        }
        let (mut top, mut dots) = (Top::new(limit.min(positions.len())), vec![0; CHUNK_VECTORS]);
        let widened = query.widened();
        for positions in positions.chunks(CHUNK_VECTORS) {
            kernel::dot_at(&widened, self.rows.all_levels(), positions, &mut dots);
            for (&dot, &position) in dots.iter().zip(positions) {
                self.offer(&mut top, query, position as usize, dot);
            }
        }
        top.into_hits()
    }

    #[inline]
    fn offer(&self, top: &mut Top, query: &Code, position: usize, dot: i32) {
        let cosine = code::cosine(dot, query.scale(), self.rows.scale(position));
        top.offer(cosine, self.rows.number(position), || true);
    }

    /// The positions of the best `kept` by the binary codes' estimate.
    fn scan(&self, query: &Code, kept: usize, keeps: impl Fn(usize) -> bool) -> Vec<u32> {
        let query = self.binary.query(query);
        let mut top = Top::new(kept);
        let (mut sums, mut scores) = (vec![0; CHUNK_VECTORS], vec![0.0; CHUNK_VECTORS]);
        for start in (0..self.len()).step_by(CHUNK_VECTORS) {
            let filled = self.binary.scores(&query, start, &mut sums, &mut scores);
            for (&score, position) in scores[..filled].iter().zip(start..) {
                if score >= top.floor() {
                    top.offer(score, self.rows.number(position), || keeps(position));
                }
            }
        }
        let mut positions: Vec<u32> = top
            .into_hits()
            .iter()
            .filter_map(|hit| self.rows.position(hit.number))
            .map(narrow)
            .collect();
        positions.sort_unstable();
        positions
    }
}

/// A set of positions, read back in order so that rows are visited in a line.
struct Positions {
    words: Vec<u64>,
}

impl Positions {
    fn new(count: usize) -> Self {
        Self {
            words: vec![0; count.div_ceil(64)],
        }
    }

    fn insert(&mut self, position: usize) {
        self.words[position / 64] |= 1 << (position % 64);
    }

    fn contains(&self, position: usize) -> bool {
        self.words[position / 64] >> (position % 64) & 1 == 1
    }

    fn positions(&self) -> Vec<u32> {
        let mut positions = Vec::new();
        for (&word, first) in self.words.iter().zip((0..).step_by(64)) {
            let mut rest = word;
            while rest != 0 {
                positions.push(first + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        positions
    }
}
