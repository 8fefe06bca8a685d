//! Whether a memory is worth showing to somebody who did not ask for it.
//!
//! A search always finds something; what is shown unasked must help. Three signs decide, put together by a logistic model:
//! how near the meaning is, how much of what was said the memory has, and how telling the shared words are. Weights and
//! thresholds are fitted on labelled cases; `cargo xtask bench hooks` says how well they do.

use super::run::Hit;
use crate::index::lexical::{LexicalQuery, Mode};
use crate::strand::{ReadError, Strand};

/// What speaks for a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Cosine of the meanings; `None` without an embedder.
    pub meaning: Option<f32>,
    /// Share of the words that it has, weighed by how telling they are, from 0 to 1.
    pub coverage: f32,
    /// How telling the words are that it has, in nats.
    pub rarity: f32,
}

/// Weights of the signs.
struct Weights {
    bias: f32,
    meaning: f32,
    coverage: f32,
    rarity: f32,
}

/// With an embedder.
const WITH_MEANING: Weights = Weights { bias: -6.0, meaning: 4.5, coverage: 0.7, rarity: 0.41 };

/// Without one.
const WORDS_ALONE: Weights = Weights { bias: -5.0, meaning: 0.0, coverage: 1.6, rarity: 0.46 };

/// Beyond this the words tell nothing more: it is a long text, not a telling one.
const RARITY_MAX: f32 = 30.0;

impl Signs {
    /// How likely a memory helps, from 0 to 1.
    #[must_use]
    pub fn relevance(self) -> f32 {
        let weights = if self.meaning.is_some() { WITH_MEANING } else { WORDS_ALONE };
        let sum = weights.bias
            + weights.meaning * self.meaning.unwrap_or(0.0)
            + weights.coverage * self.coverage
            + weights.rarity * self.rarity.min(RARITY_MAX);
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Weighs hits of one search.
pub struct Weigher<'a> {
    strand: &'a Strand,
    query: LexicalQuery,
    rarities: Vec<f32>,
    has_meaning: bool,
}

impl<'a> Weigher<'a> {
    /// Weighs by the words that were searched for.
    ///
    /// # Errors
    /// When an index fails.
    pub fn new(strand: &'a Strand, words: &str, has_meaning: bool) -> Result<Self, ReadError> {
        let query = LexicalQuery::parse(words, Mode::Any);
        let rarities = strand.lexical().rarities(&query)?;
        Ok(Self { strand, query, rarities, has_meaning })
    }

    /// What speaks for a hit.
    #[must_use]
    pub fn signs(&self, hit: &Hit) -> Signs {
        let found = self.strand.matched_terms(&self.query, &hit.memory);
        let (mut all, mut shared) = (0.0, 0.0);
        for (term, rarity) in self.query.terms().iter().zip(&self.rarities).filter(|(term, _)| term.required) {
            all += rarity;
            shared += if found.contains(&term.word) { *rarity } else { 0.0 };
        }
        let coverage = if all > 0.0 { shared / all } else { 0.0 };
        let meaning = self.has_meaning.then_some(hit.evidence.semantic_score);
        Signs { meaning, coverage, rarity: shared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_counts() {
        let weak = Signs { meaning: Some(0.2), coverage: 0.1, rarity: 1.0 };
        for strong in
            [Signs { meaning: Some(0.7), ..weak }, Signs { coverage: 0.9, ..weak }, Signs { rarity: 9.0, ..weak }]
        {
            assert!(strong.relevance() > weak.relevance());
        }
        let words = Signs { meaning: None, ..weak };
        assert!(words.relevance() < 0.5 && Signs { coverage: 1.0, rarity: 9.0, ..words }.relevance() > 0.5);
    }
}
