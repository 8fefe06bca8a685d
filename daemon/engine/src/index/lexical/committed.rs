//! The committed part of the index: one immutable snapshot of tantivy's segments.
//!
//! A union goes through tantivy, which prunes it; everything that has requirements goes through our
//! own intersection.

mod hidden;
mod intersection;
mod segment;
mod union;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tantivy::query::{EnableScoring, Query};
use tantivy::{DocId, Searcher, Term};

use super::fields::{Fields, Restriction, SCORED_FIELDS};
use super::query::{LexicalQuery, Mode, Term as QueryTerm};
use super::statistics::{Frequencies, Statistics, Totals};
use super::top::Top;
pub(super) use hidden::Hidden;
use intersection::Intersection;
use segment::Segment;

/// A restriction that leaves more than this percentage of the documents costs more than dropping
/// its misses from a union afterwards, because it defeats pruning.
const RESTRICTION_MAX_PERCENT: u64 = 10;

/// A snapshot that searches read while the next one is made.
pub(super) struct Committed {
    searcher: Searcher,
    /// Largest first, so that the threshold is high when the small ones are read.
    segments: Vec<Segment>,
    /// Deleted documents of each segment.
    dead: Vec<BTreeSet<DocId>>,
    /// The largest number that any segment has.
    largest_number: u64,
    totals: Totals,
    /// Counts of terms: nothing here changes, and to look one up in every field of every segment
    /// takes longer than to compare a new memory with a known one.
    counted: Mutex<FxHashMap<String, Frequencies>>,
}

/// Terms whose counts are kept: a megabyte or two.
const COUNTED_MAX: usize = 16_384;

/// A search of the committed index.
pub(super) struct Search<'a> {
    pub(super) fields: &'a Fields,
    pub(super) query: &'a LexicalQuery,
    /// Where each term occurs in the committed index.
    pub(super) frequencies: &'a [Frequencies],
    pub(super) restriction: &'a Restriction<'a>,
}

impl Committed {
    pub(super) fn new(searcher: Searcher, fields: &Fields) -> tantivy::Result<Self> {
        let mut segments = Vec::new();
        for reader in searcher.segment_readers() {
            segments.push(Segment::open(reader, fields)?);
        }
        segments.sort_by_key(|segment| std::cmp::Reverse(segment.reader.max_doc()));
        let totals = segments
            .iter()
            .map(Segment::totals)
            .fold(Totals::default(), Totals::plus);
        let numbers = segments.iter().map(Segment::largest_number);
        Ok(Self {
            searcher,
            dead: segments.iter().map(Segment::dead).collect(),
            largest_number: numbers.max().unwrap_or_default(),
            segments,
            totals,
            counted: Mutex::default(),
        })
    }

    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// How many documents are alive, masked ones too.
    pub(super) fn len(&self) -> u64 {
        self.searcher.num_docs()
    }

    pub(super) fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// Tells whether a number is alive here.
    pub(super) fn contains(&self, number: u32, fields: &Fields) -> tantivy::Result<bool> {
        Ok(self.find(number, fields)?.is_some())
    }

    /// The segment and the document of a number that is alive here.
    fn find(&self, number: u32, fields: &Fields) -> tantivy::Result<Option<(usize, DocId)>> {
        if self.segments.is_empty() || u64::from(number) > self.largest_number {
            return Ok(None);
        }
        for (at, segment) in self.segments.iter().enumerate() {
            if let Some(document) = segment.document(fields.number_term(number))? {
                return Ok(Some((at, document)));
            }
        }
        Ok(None)
    }

    /// Counts in how many living documents each of the query's terms occurs, for each field.
    pub(super) fn frequencies(
        &self,
        query: &LexicalQuery,
        fields: &Fields,
    ) -> tantivy::Result<Vec<Frequencies>> {
        let known: Vec<Option<Frequencies>> = {
            let counted = self.counted();
            let known = |term: &QueryTerm| counted.get(&term.token).copied();
            query.terms().iter().map(known).collect()
        };
        let terms = query.terms().iter().zip(known);
        terms
            .map(|(term, known)| known.map_or_else(|| self.count(&term.token, fields), Ok))
            .collect()
    }

    /// Counts in how many living documents a token occurs, for each field.
    fn count(&self, token: &str, fields: &Fields) -> tantivy::Result<Frequencies> {
        let mut frequencies = [0; SCORED_FIELDS];
        for (place, (&field, frequency)) in fields.scored.iter().zip(&mut frequencies).enumerate() {
            let term = Term::from_field_text(field, token);
            for (segment, dead) in self.segments.iter().zip(&self.dead) {
                let all = u64::from(segment.fields[place].inverted.doc_freq(&term)?);
                *frequency += all - segment.count_among(dead, place, &term)?;
            }
        }
        let mut counted = self.counted();
        if counted.len() >= COUNTED_MAX {
            counted.clear();
        }
        counted.insert(token.to_owned(), frequencies);
        Ok(frequencies)
    }

    fn counted(&self) -> MutexGuard<'_, FxHashMap<String, Frequencies>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to `top` what the query finds here and `keeps` wants.
    pub(super) fn search(
        &self,
        search: &Search<'_>,
        statistics: &Statistics<'_>,
        top: &mut Top,
        keeps: &impl Fn(u32) -> bool,
    ) -> tantivy::Result<()> {
        if self.is_union(search)? {
            return self.search_union(search, statistics, top, keeps);
        }
        let weights = statistics.weights();
        for segment in &self.segments {
            if let Some(mut intersection) =
                Intersection::open(segment, search, &weights, statistics.average_lengths())?
            {
                intersection.each(|document, score| {
                    if let Some(number) = segment.number(document)
                        && keeps(number)
                    {
                        top.push(number, score);
                    }
                });
            }
        }
        Ok(())
    }

    fn search_union(
        &self,
        search: &Search<'_>,
        statistics: &Statistics<'_>,
        top: &mut Top,
        keeps: &impl Fn(u32) -> bool,
    ) -> tantivy::Result<()> {
        let Some(query) = union::build(search) else {
            return Ok(());
        };
        let weight = query.weight(EnableScoring::enabled_from_statistics_provider(
            statistics,
            &self.searcher,
        ))?;
        for segment in &self.segments {
            // A document that is not wanted leaves the threshold as it is, so pruning goes on with
            // it.
            weight.for_each_pruning(top.threshold(), &segment.reader, &mut |document, score| {
                if let Some(number) = segment.number(document)
                    && keeps(number)
                {
                    top.push(number, score);
                }
                top.threshold()
            })?;
        }
        Ok(())
    }

    /// Tells whether nothing has to be required: any term will do and the restriction is not worth
    /// applying.
    fn is_union(&self, search: &Search<'_>) -> tantivy::Result<bool> {
        let any_term_will_do = search.query.mode() == Mode::Any || search.query.terms().len() == 1;
        Ok(any_term_will_do && !self.is_selective(search)?)
    }

    fn is_selective(&self, search: &Search<'_>) -> tantivy::Result<bool> {
        let Restriction { topics, tags } = search.restriction;
        let mut left = u64::MAX;
        if !topics.is_empty() {
            left = 0;
            for topic in *topics {
                left += self.searcher.doc_freq(&search.fields.topic_term(topic))?;
            }
        }
        for tag in *tags {
            let mut tagged = 0;
            for term in search.fields.tag_terms(tag) {
                tagged += self.searcher.doc_freq(&term)?;
            }
            left = left.min(tagged);
        }
        Ok(left <= self.totals.documents * RESTRICTION_MAX_PERCENT / 100)
    }
}
