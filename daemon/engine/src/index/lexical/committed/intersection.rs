//! Finds the documents of one segment that meet every requirement, each of which is met by any of a
//! few posting lists.
//!
//! Tantivy can nest unions in an intersection, but fills a window of thousands of documents for
//! each before it starts; leaping from list to list took a search for all of 3 to 5 words at 100k
//! memories from 220 to 60 µs.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, InvertedIndexReader, TERMINATED, Term};

use super::Search;
use super::segment::Segment;
use crate::index::lexical::fields::SCORED_FIELDS;
use crate::index::lexical::query::Mode;
use crate::index::lexical::statistics::saturation;

/// Where a term occurs in one field, and what that is worth. Restrictions are worth nothing.
struct List {
    postings: SegmentPostings,
    place: usize,
    weight: f32,
}

impl List {
    /// Moves to the first document at `target` or after it.
    fn seek(&mut self, target: u32) -> u32 {
        if self.postings.doc() < target {
            self.postings.seek(target)
        } else {
            self.postings.doc()
        }
    }
}

/// A requirement for a document: one of these lists.
struct Requirement {
    lists: Vec<List>,
}

impl Requirement {
    fn seek(&mut self, target: u32) -> u32 {
        self.lists
            .iter_mut()
            .map(|list| list.seek(target))
            .min()
            .unwrap_or(TERMINATED)
    }

    fn documents(&self) -> u64 {
        self.lists
            .iter()
            .map(|list| u64::from(list.postings.doc_freq()))
            .sum()
    }
}

/// The documents of one segment that meet every requirement.
pub(super) struct Intersection<'a> {
    segment: &'a Segment,
    /// Rarest first.
    required: Vec<Requirement>,
    /// Words that raise the score only.
    optional: Vec<List>,
    average_lengths: [f32; SCORED_FIELDS],
}

impl<'a> Intersection<'a> {
    /// Opens the posting lists of a search, or nothing when a requirement has none. `weights` go
    /// with the query's terms.
    pub(super) fn open(
        segment: &'a Segment,
        search: &Search<'_>,
        weights: &[[f32; SCORED_FIELDS]],
        average_lengths: [f32; SCORED_FIELDS],
    ) -> tantivy::Result<Option<Self>> {
        let mut required = restrictions(segment, search)?;
        let mut optional = Vec::new();
        let mut any_term = Vec::new();
        for (term, weights) in search.query.terms().iter().zip(weights) {
            let lists = lists(segment, search, &term.token, weights)?;
            match search.query.mode() {
                Mode::Any => any_term.extend(lists),
                Mode::All if term.required => required.push(Requirement { lists }),
                Mode::All => optional.extend(lists),
            }
        }
        if search.query.mode() == Mode::Any {
            required.push(Requirement { lists: any_term });
        }
        if required
            .iter()
            .any(|requirement| requirement.lists.is_empty())
        {
            return Ok(None);
        }
        required.sort_by_key(Requirement::documents);
        Ok(Some(Self {
            segment,
            required,
            optional,
            average_lengths,
        }))
    }

    /// Calls `found` with every document and its score, in the segment's order.
    pub(super) fn each(&mut self, mut found: impl FnMut(u32, f32)) {
        let mut target = 0;
        while let Some(document) = self.next(target) {
            found(document, self.score(document));
            target = document + 1;
        }
    }

    /// Leaps to the first document at `target` or after it that meets every requirement.
    fn next(&mut self, mut target: u32) -> Option<u32> {
        let (rarest, others) = self.required.split_first_mut()?;
        loop {
            let candidate = rarest.seek(target);
            if candidate == TERMINATED {
                return None;
            }
            target = others
                .iter_mut()
                .map(|other| other.seek(candidate))
                .find(|&met| met != candidate)
                .unwrap_or(candidate);
            if target == candidate {
                return Some(candidate);
            }
        }
    }

    fn score(&mut self, document: u32) -> f32 {
        for list in &mut self.optional {
            list.seek(document);
        }
        let lists = self
            .required
            .iter()
            .flat_map(|requirement| &requirement.lists)
            .chain(&self.optional);
        let mut score = 0.0;
        for list in lists.filter(|list| list.weight > 0.0 && list.postings.doc() == document) {
            let frequency = u16::try_from(list.postings.term_freq()).unwrap_or(u16::MAX);
            let length_id = self.segment.fields[list.place]
                .lengths
                .fieldnorm_id(document);
            score +=
                list.weight * saturation(frequency, length_id, self.average_lengths[list.place]);
        }
        score
    }
}

fn lists(
    segment: &Segment,
    search: &Search<'_>,
    token: &str,
    weights: &[f32; SCORED_FIELDS],
) -> tantivy::Result<Vec<List>> {
    let mut lists = Vec::new();
    for (place, (&field, &weight)) in search.fields.scored.iter().zip(weights).enumerate() {
        let term = Term::from_field_text(field, token);
        lists.extend(list(&segment.fields[place].inverted, &term, place, weight)?);
    }
    Ok(lists)
}

fn list(
    inverted: &InvertedIndexReader,
    term: &Term,
    place: usize,
    weight: f32,
) -> tantivy::Result<Option<List>> {
    let postings = inverted.read_postings(term, IndexRecordOption::WithFreqs)?;
    Ok(postings.map(|postings| List {
        postings,
        place,
        weight,
    }))
}

/// One requirement for the topics together, and one for each tag.
fn restrictions(segment: &Segment, search: &Search<'_>) -> tantivy::Result<Vec<Requirement>> {
    let exact = |term: &Term| -> tantivy::Result<Option<List>> {
        list(
            segment.reader.inverted_index(term.field())?.as_ref(),
            term,
            0,
            0.0,
        )
    };
    let mut made = Vec::new();
    for tag in search.restriction.tags {
        let mut lists = Vec::new();
        for term in search.fields.tag_terms(tag) {
            lists.extend(exact(&term)?);
        }
        made.push(Requirement { lists });
    }
    if !search.restriction.topics.is_empty() {
        let mut lists = Vec::new();
        for topic in search.restriction.topics {
            lists.extend(exact(&search.fields.topic_term(topic))?);
        }
        made.push(Requirement { lists });
    }
    Ok(made)
}
