//! What a search sees: the committed segments under one or two generations of the tail.

use std::sync::Arc;

use super::committed::{Committed, Hidden};
use super::fields::Fields;
use super::numbers::NumberSet;
use super::query::LexicalQuery;
use super::statistics::{Frequencies, Statistics, Totals};
use super::tail::Generation;
use super::top::LexicalHit;

/// What a search sees. Newer versions mask older ones: `active` over `frozen` over `committed`.
pub(super) struct State {
    pub(super) committed: Arc<Committed>,
    /// The tail that a flush is committing.
    pub(super) frozen: Option<Arc<Generation>>,
    pub(super) active: Generation,
    /// The committed documents that the tail hides.
    hidden: Hidden,
    pub(super) watermark: u64,
}

/// What newer segments hold that older ones did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Published {
    /// The frozen tail.
    Frozen,
    /// The store's memories as of a sequence.
    Filled {
        /// The sequence.
        sequence: u64,
    },
    /// Nothing new.
    Merged,
}

/// What one search takes from the state under the lock, to work on outside of it.
pub(super) struct Snapshot<'a> {
    pub(super) committed: Arc<Committed>,
    pub(super) frequencies: Vec<Frequencies>,
    pub(super) statistics: Statistics<'a>,
    pub(super) tail_hits: Vec<LexicalHit>,
    pub(super) masks: Vec<Arc<NumberSet>>,
}

impl State {
    pub(super) fn new(committed: Committed, watermark: u64) -> Self {
        Self {
            committed: Arc::new(committed),
            frozen: None,
            active: Generation::default(),
            hidden: Hidden::default(),
            watermark,
        }
    }

    /// Moves the active tail aside for committing, or finds the one that a failed flush left.
    pub(super) fn freeze(&mut self) -> Option<Arc<Generation>> {
        if self.frozen.is_none() && !self.active.is_empty() {
            self.frozen = Some(Arc::new(std::mem::take(&mut self.active)));
        }
        self.frozen.clone()
    }

    /// Puts newer segments in place and, in the same moment, drops the tail that they now hold.
    pub(super) fn replace(&mut self, committed: Committed, what: Published, fields: &Fields) {
        self.committed = Arc::new(committed);
        match what {
            Published::Frozen => {
                let frozen = self.frozen.take();
                self.watermark = frozen.map_or(self.watermark, |frozen| frozen.last_sequence());
            }
            Published::Filled { sequence } => self.watermark = sequence,
            Published::Merged => {}
        }
        self.hidden = Hidden::default();
        let masked = self.generations().map(|tail| Arc::clone(tail.masked()));
        for masked in masked.collect::<Vec<_>>() {
            for &number in masked.iter() {
                self.hide(number, fields);
            }
        }
    }

    /// Lets the committed document of a number that the tail masks count for nothing.
    pub(super) fn hide(&mut self, number: u32, fields: &Fields) {
        // A document that cannot be read counts until the flush, and the next search says why.
        if let Err(error) = self.hidden.hide(number, &self.committed, fields) {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "a replaced memory still counts for word statistics"
            );
        }
    }

    /// Counts in how many committed documents that are found each of the query's terms occurs.
    pub(super) fn committed_frequencies(
        &self,
        query: &LexicalQuery,
        fields: &Fields,
    ) -> tantivy::Result<Vec<Frequencies>> {
        let mut frequencies = self.committed.frequencies(query, fields)?;
        self.hidden
            .take_from(&mut frequencies, query, &self.committed, fields)?;
        Ok(frequencies)
    }

    /// How many memories are found in the tail.
    pub(super) fn tail_len(&self) -> usize {
        let frozen = self.frozen.iter().flat_map(|frozen| frozen.numbers());
        self.active.len()
            + frozen
                .filter(|number| !self.active.masked().contains(number))
                .count()
    }

    pub(super) fn generations(&self) -> impl Iterator<Item = &Generation> {
        self.frozen.as_deref().into_iter().chain([&self.active])
    }

    /// Searches the tail and takes what is needed to search the segments without the lock. The
    /// versions of `instead` mask all others.
    pub(super) fn look<'a>(
        &self,
        query: &LexicalQuery,
        fields: &'a Fields,
        instead: Option<&Generation>,
    ) -> tantivy::Result<Snapshot<'a>> {
        let frequencies = self.committed_frequencies(query, fields)?;
        let statistics = self.statistics(query, fields, &frequencies, instead);
        let mut tail_hits = Vec::new();
        let mut masks: Vec<Arc<NumberSet>> = Vec::new();
        let newest_first = instead
            .into_iter()
            .chain([&self.active])
            .chain(self.frozen.as_deref());
        for generation in newest_first {
            generation.search(query, &statistics, |number, score| {
                if !masks.iter().any(|mask| mask.contains(&number)) {
                    tail_hits.push(LexicalHit { number, score });
                }
            });
            masks.push(Arc::clone(generation.masked()));
        }
        Ok(Snapshot {
            committed: Arc::clone(&self.committed),
            frequencies,
            statistics,
            tail_hits,
            masks,
        })
    }

    /// The numbers of documents and tokens; while a flush runs, versions that it commits and that
    /// were replaced since are included.
    pub(super) fn totals(&self) -> Totals {
        let committed = self.committed.totals().minus(self.hidden.totals());
        self.generations()
            .map(Generation::totals)
            .fold(committed, Totals::plus)
    }

    fn statistics<'a>(
        &self,
        query: &LexicalQuery,
        fields: &'a Fields,
        committed: &[Frequencies],
        instead: Option<&Generation>,
    ) -> Statistics<'a> {
        let mut frequencies = committed.to_vec();
        for generation in self.generations().chain(instead) {
            for (sums, term) in frequencies.iter_mut().zip(query.terms()) {
                for (sum, more) in sums.iter_mut().zip(generation.frequencies(&term.token)) {
                    *sum += more;
                }
            }
        }
        let totals = instead
            .map(Generation::totals)
            .into_iter()
            .fold(self.totals(), Totals::plus);
        Statistics::new(
            fields,
            totals,
            query.terms().iter().map(|term| term.token.as_str()),
            frequencies,
        )
    }

    /// Tells whether a number has a living document.
    pub(super) fn contains(&self, number: u32, fields: &Fields) -> tantivy::Result<bool> {
        for generation in [Some(&self.active), self.frozen.as_deref()]
            .into_iter()
            .flatten()
        {
            if generation.contains(number) {
                return Ok(true);
            }
            if generation.masked().contains(&number) {
                return Ok(false);
            }
        }
        self.committed.contains(number, fields)
    }

    pub(super) fn count(&self, fields: &Fields) -> tantivy::Result<u64> {
        let mut masked = NumberSet::default();
        let mut living = NumberSet::default();
        for generation in self.generations() {
            for number in generation.masked().iter() {
                living.remove(number);
                masked.insert(*number);
            }
            living.extend(generation.numbers());
        }
        let mut count = self.committed.len() + living.len() as u64;
        for number in masked {
            count -= u64::from(self.committed.contains(number, fields)?);
        }
        Ok(count)
    }
}
