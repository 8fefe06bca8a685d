//! The committed part of the index: one immutable snapshot of tantivy's segments.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, EnableScoring, Occur, Query, TermQuery,
    Weight,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{InvertedIndexReader, Searcher, SegmentReader, Term};

use super::fields::{Fields, NUMBER_FIELD, Restriction, SCORED_FIELDS, boost};
use super::query::{LexicalQuery, Mode};
use super::statistics::{Frequencies, Statistics, Totals};
use super::top::Top;

/// A restriction that leaves more than this percentage of the documents costs more inside the query than dropping its
/// misses afterwards, because it defeats pruning.
const RESTRICTION_MAX_PERCENT: u64 = 10;

/// A snapshot that searches read while the next one is made.
pub(super) struct Committed {
    searcher: Searcher,
    /// Largest first, so that the threshold is high when the small ones are read.
    segments: Vec<Segment>,
    totals: Totals,
}

struct Segment {
    reader: SegmentReader,
    fields: [Arc<InvertedIndexReader>; SCORED_FIELDS],
    /// The memory's number of each tantivy document.
    numbers: Arc<dyn ColumnValues<u64>>,
}

impl Segment {
    fn open(reader: &SegmentReader, fields: &Fields) -> tantivy::Result<Self> {
        let [text, topic, tags, source] = fields.scored;
        Ok(Self {
            reader: reader.clone(),
            fields: [
                reader.inverted_index(text)?,
                reader.inverted_index(topic)?,
                reader.inverted_index(tags)?,
                reader.inverted_index(source)?,
            ],
            numbers: reader
                .fast_fields()
                .u64(NUMBER_FIELD)?
                .first_or_default_col(u64::MAX),
        })
    }

    fn totals(&self) -> Totals {
        let tokens = self.fields.each_ref().map(|field| field.total_num_tokens());
        Totals {
            documents: u64::from(self.reader.max_doc()),
            tokens,
        }
    }

    /// The memory of a tantivy document that is alive.
    fn number(&self, document: u32) -> Option<u32> {
        let is_dead = self
            .reader
            .alive_bitset()
            .is_some_and(|alive| alive.is_deleted(document));
        if is_dead {
            None
        } else {
            u32::try_from(self.numbers.get_val(document)).ok()
        }
    }

    fn search(
        &self,
        weight: &dyn Weight,
        top: &mut Top,
        keeps: &impl Fn(u32) -> bool,
    ) -> tantivy::Result<()> {
        // A document that is not wanted leaves the threshold as it is, so pruning goes on with it.
        weight.for_each_pruning(top.threshold(), &self.reader, &mut |document, score| {
            if let Some(number) = self.number(document)
                && keeps(number)
            {
                top.push(number, score);
            }
            top.threshold()
        })
    }
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
        Ok(Self {
            searcher,
            segments,
            totals,
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
        let query = TermQuery::new(fields.number_term(number), IndexRecordOption::Basic);
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        for segment in &self.segments {
            if weight.count(&segment.reader)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts in how many documents each of the query's terms occurs, for each field.
    pub(super) fn frequencies(
        &self,
        query: &LexicalQuery,
        fields: &Fields,
    ) -> tantivy::Result<Vec<Frequencies>> {
        let mut counted = Vec::with_capacity(query.terms().len());
        for term in query.terms() {
            let mut frequencies = [0; SCORED_FIELDS];
            for (place, (&field, frequency)) in
                fields.scored.iter().zip(&mut frequencies).enumerate()
            {
                let term = Term::from_field_text(field, &term.token);
                for segment in &self.segments {
                    *frequency += u64::from(segment.fields[place].doc_freq(&term)?);
                }
            }
            counted.push(frequencies);
        }
        Ok(counted)
    }

    /// Adds to `top` what the query finds here and `keeps` wants.
    pub(super) fn search(
        &self,
        search: &Search<'_>,
        statistics: &Statistics<'_>,
        top: &mut Top,
        keeps: &impl Fn(u32) -> bool,
    ) -> tantivy::Result<()> {
        let Some(query) = search.build(self)? else {
            return Ok(());
        };
        let weight = query.weight(EnableScoring::enabled_from_statistics_provider(
            statistics,
            &self.searcher,
        ))?;
        for segment in &self.segments {
            segment.search(weight.as_ref(), top, keeps)?;
        }
        Ok(())
    }

    fn document_frequency(&self, terms: &[Term]) -> tantivy::Result<Vec<u64>> {
        terms
            .iter()
            .map(|term| self.searcher.doc_freq(term))
            .collect()
    }
}

/// What to look for in the committed index.
pub(super) struct Search<'a> {
    pub(super) fields: &'a Fields,
    pub(super) query: &'a LexicalQuery,
    /// Where each term occurs in the committed index.
    pub(super) frequencies: &'a [Frequencies],
    pub(super) restriction: &'a Restriction<'a>,
}

type Clause = (Occur, Box<dyn Query>);

impl Search<'_> {
    /// Returns the query, or nothing when the terms or the restriction show that nothing can be found.
    fn build(&self, committed: &Committed) -> tantivy::Result<Option<Box<dyn Query>>> {
        let Some(mut terms) = self.terms() else {
            return Ok(None);
        };
        let Some(restriction) = self.restriction(committed)? else {
            return Ok(None);
        };
        if restriction.is_empty() {
            return Ok(Some(Box::new(BooleanQuery::new(prunable(terms)))));
        }
        if !terms.iter().any(|(occur, _)| *occur == Occur::Must) {
            terms = vec![(Occur::Must, Box::new(BooleanQuery::new(terms)))];
        }
        terms.extend(restriction);
        Ok(Some(Box::new(BooleanQuery::new(terms))))
    }

    /// Returns a clause for each field that has the term. A union of plain terms is what tantivy prunes.
    fn terms(&self) -> Option<Vec<Clause>> {
        let mut clauses = Vec::new();
        let required = self
            .query
            .terms()
            .iter()
            .filter(|term| term.required)
            .count();
        let is_union = self.query.mode() == Mode::Any || self.query.terms().len() == 1;
        debug_assert!(required > 0 || self.query.is_empty());
        for (term, frequencies) in self.query.terms().iter().zip(self.frequencies) {
            let found = self.in_fields(&term.token, frequencies);
            if is_union || !term.required {
                clauses.extend(found);
            } else if found.is_empty() {
                return None;
            } else {
                clauses.push((Occur::Must, Box::new(BooleanQuery::new(found))));
            }
        }
        (!clauses.is_empty()).then_some(clauses)
    }

    fn in_fields(&self, token: &str, frequencies: &Frequencies) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        for (place, (&field, &frequency)) in self.fields.scored.iter().zip(frequencies).enumerate()
        {
            if frequency > 0 {
                let term = Term::from_field_text(field, token);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                clauses.push((
                    Occur::Should,
                    Box::new(BoostQuery::new(Box::new(query), boost(place))),
                ));
            }
        }
        clauses
    }

    /// Returns the clauses of a selective restriction, none for any other, or nothing when it leaves no document.
    fn restriction(&self, committed: &Committed) -> tantivy::Result<Option<Vec<Clause>>> {
        let topics: Vec<Term> = self
            .restriction
            .topics
            .iter()
            .map(|topic| self.fields.topic_term(topic))
            .collect();
        let tags: Vec<Term> = self
            .restriction
            .tags
            .iter()
            .map(|tag| self.fields.tag_term(tag))
            .collect();
        let mut left = committed
            .document_frequency(&tags)?
            .into_iter()
            .min()
            .unwrap_or(u64::MAX);
        if !topics.is_empty() {
            left = left.min(committed.document_frequency(&topics)?.iter().sum());
        }
        if left == 0 {
            return Ok(None);
        }
        if left > committed.totals.documents * RESTRICTION_MAX_PERCENT / 100 {
            return Ok(Some(Vec::new()));
        }
        let mut clauses: Vec<Clause> = tags.into_iter().map(|tag| unscored(exact(tag))).collect();
        if !topics.is_empty() {
            let topics = topics
                .into_iter()
                .map(|topic| (Occur::Should, exact(topic)))
                .collect();
            clauses.push(unscored(Box::new(BooleanQuery::new(topics))));
        }
        Ok(Some(clauses))
    }
}

fn exact(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

fn unscored(query: Box<dyn Query>) -> Clause {
    (Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0)))
}

/// Tantivy makes a lone clause a requirement, which it does not prune; beside an empty one it stays a union.
fn prunable(mut clauses: Vec<Clause>) -> Vec<Clause> {
    if clauses.len() == 1 && clauses.iter().all(|(occur, _)| *occur == Occur::Should) {
        clauses.push((Occur::Should, Box::new(EmptyQuery)));
    }
    clauses
}
