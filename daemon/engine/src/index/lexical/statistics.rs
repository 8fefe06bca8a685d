//! The numbers behind a score, counted over the committed index and the tail together, so that a
//! memory scores the same on either side of a flush. The formula is tantivy's BM25 and is repeated
//! here for the tail.

use std::collections::HashMap;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Score, Term};

use super::fields::{Fields, SCORED_FIELDS, boost};

/// How soon a repeated word stops adding to the score; tantivy's value.
const K1: f32 = 1.2;

/// How much a long field is discounted; tantivy's value.
const B: f32 = 0.75;

/// How many documents and tokens there are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    /// Documents that are found: neither replaced nor removed.
    pub(super) documents: u64,
    /// Tokens of each scored field of theirs, as coarsely as lengths are kept, so that merges and
    /// rebuilding change nothing.
    pub(super) tokens: [u64; SCORED_FIELDS],
}

impl Totals {
    pub(super) fn minus(self, other: Self) -> Self {
        let mut tokens = self.tokens;
        for (sum, less) in tokens.iter_mut().zip(other.tokens) {
            *sum = sum.saturating_sub(less);
        }
        Self {
            documents: self.documents.saturating_sub(other.documents),
            tokens,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let mut tokens = self.tokens;
        for (sum, more) in tokens.iter_mut().zip(other.tokens) {
            *sum += more;
        }
        Self {
            documents: self.documents + other.documents,
            tokens,
        }
    }
}

/// In how many documents a term occurs, for each scored field.
pub(super) type Frequencies = [u64; SCORED_FIELDS];

/// The statistics of one search.
pub(super) struct Statistics<'a> {
    fields: &'a Fields,
    totals: Totals,
    /// For each of the query's terms, in its order.
    frequencies: Vec<Frequencies>,
    by_term: HashMap<Term, u64>,
}

impl<'a> Statistics<'a> {
    /// `tokens` and `frequencies` go together.
    pub(super) fn new<'t>(
        fields: &'a Fields,
        totals: Totals,
        tokens: impl IntoIterator<Item = &'t str>,
        frequencies: Vec<Frequencies>,
    ) -> Self {
        let mut by_term = HashMap::new();
        for (token, frequencies) in tokens.into_iter().zip(&frequencies) {
            for (&field, &frequency) in fields.scored.iter().zip(frequencies) {
                by_term.insert(Term::from_field_text(field, token), frequency);
            }
        }
        Self {
            fields,
            totals,
            frequencies,
            by_term,
        }
    }

    /// Returns the weight of each term in each field, in the query's order.
    pub(super) fn weights(&self) -> Vec<[f32; SCORED_FIELDS]> {
        let weigh = |frequencies: &Frequencies| {
            let mut weights = [0.0; SCORED_FIELDS];
            for (place, (weight, &frequency)) in weights.iter_mut().zip(frequencies).enumerate() {
                *weight = idf(frequency, self.totals.documents) * (1.0 + K1) * boost(place);
            }
            weights
        };
        self.frequencies.iter().map(weigh).collect()
    }

    /// The average length of each field, in tokens.
    pub(super) fn average_lengths(&self) -> [f32; SCORED_FIELDS] {
        self.totals
            .tokens
            .map(|tokens| ratio(tokens, self.totals.documents))
    }
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self
            .fields
            .place(field)
            .and_then(|place| self.totals.tokens.get(place))
            .copied()
            .unwrap_or(0))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.totals.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(self.by_term.get(term).copied().unwrap_or(0))
    }
}

/// Returns how much of a term's weight a field earns by naming it `frequency` times.
pub(super) fn saturation(frequency: u16, length_id: u8, average_length: f32) -> Score {
    let frequency = f32::from(frequency);
    frequency / (frequency + K1 * (1.0 - B + B * length(length_id) / average_length))
}

/// Returns how many tokens a field of so many counts as having.
pub(super) fn kept_length(tokens: u32) -> u64 {
    u64::from(FieldNormReader::id_to_fieldnorm(length_id(tokens)))
}

/// Returns the byte in which a field's length is kept, as coarsely as tantivy keeps it.
pub(super) fn length_id(tokens: u32) -> u8 {
    FieldNormReader::fieldnorm_to_id(tokens)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the formula is tantivy's, in f32"
)]
fn length(id: u8) -> f32 {
    FieldNormReader::id_to_fieldnorm(id) as f32
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the formula is tantivy's, in f32"
)]
fn ratio(tokens: u64, documents: u64) -> f32 {
    tokens as f32 / documents as f32
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the formula is tantivy's, in f32"
)]
pub(super) fn idf(frequency: u64, documents: u64) -> f32 {
    (1.0 + (documents.saturating_sub(frequency) as f32 + 0.5) / (frequency as f32 + 0.5)).ln()
}
