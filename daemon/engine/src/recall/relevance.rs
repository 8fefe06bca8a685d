//! Whether a memory is worth showing to somebody who did not ask for it.
//!
//! A search always finds something; what is shown unasked must help. Four signs decide, put together by a logistic model for
//! each occasion: how near the meaning is, how far it stands out from what else was found, how much of what was said the
//! memory has, and how telling the shared words are. Whoever names an identifier means it: a memory that names the same one
//! needs less of the others. Weights and thresholds are fitted on labelled cases; `cargo xtask bench hooks` says how well they
//! do on others.

mod noise;

mod orders;

use std::collections::HashSet;

use super::run::Hit;
use crate::index::lexical::{LexicalQuery, Mode};
use crate::strand::{ReadError, Strand};

pub use noise::is_noise;

/// As telling as a word can be that tells nothing here, in nats: less than one that every second memory has.
const UNTELLING_RARITY_MAX: f32 = 0.5;

/// On what occasion a memory would be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Somebody said something to the agent.
    Prompt,
    /// A command failed.
    Failure,
    /// Another agent is given a task.
    Task,
    /// The agent opens a file; the words are the file's own.
    File,
}

/// What speaks for a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Cosine of the meanings, and by how much it exceeds the mean of all that was found; `None` without an embedder.
    pub meaning: Option<Meaning>,
    /// Share of the words that it has, weighed by how telling they are, from 0 to 1.
    pub coverage: f32,
    /// How telling the words are that it has, in nats.
    pub rarity: f32,
    /// Whether it names an identifier of several parts that the words name.
    pub names_identifier: bool,
}

/// How near a memory is in meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The cosine.
    pub cosine: f32,
    /// What it exceeds the mean cosine by.
    pub lead: f32,
}

/// A logistic model, and the relevance from which it says that a memory helps.
struct Model {
    bias: f32,
    cosine: f32,
    lead: f32,
    coverage: f32,
    /// Of the logarithm of one more than the rarity.
    rarity: f32,
    threshold: f32,
    /// The threshold for a memory that names an identifier.
    named_threshold: f32,
}

const PROMPT: Model =
    Model { bias: -7.5, cosine: 3.4, lead: 3.9, coverage: 1.7, rarity: 2.2, named_threshold: 0.2, ..WORDS };
const FAILURE: Model =
    Model { bias: -10.7, cosine: 1.3, lead: 1.7, coverage: 2.9, rarity: 3.4, threshold: 0.4, ..NAMES_MEAN_NOTHING };
const TASK: Model =
    Model { bias: -8.2, cosine: 5.4, lead: 2.4, coverage: 0.0, rarity: 2.5, named_threshold: 0.2, ..WORDS };
const FILE: Model =
    Model { bias: -8.9, cosine: 1.8, lead: 2.5, coverage: 2.1, rarity: 2.6, threshold: 0.4, ..NAMES_MEAN_NOTHING };

const PROMPT_WORDS: Model = Model { bias: -7.1, coverage: 2.7, rarity: 2.6, threshold: 0.55, ..WORDS };
const FAILURE_WORDS: Model = Model { bias: -10.5, coverage: 2.8, rarity: 3.6, threshold: 0.45, ..NAMES_MEAN_NOTHING };
const TASK_WORDS: Model = Model { bias: -7.0, coverage: 0.1, rarity: 2.8, threshold: 0.5, ..WORDS };

/// What the models have in common, those without an embedder above all.
const WORDS: Model =
    Model { bias: 0.0, cosine: 0.0, lead: 0.0, coverage: 0.0, rarity: 0.0, threshold: 0.5, named_threshold: 0.3 };

/// Where nobody chose the identifiers: an output and a file are full of them.
const NAMES_MEAN_NOTHING: Model = Model { named_threshold: 1.0, ..WORDS };

impl Occasion {
    fn model(self, has_meaning: bool) -> &'static Model {
        match (self, has_meaning) {
            (Self::Prompt, true) => &PROMPT,
            (Self::Prompt, false) => &PROMPT_WORDS,
            (Self::Failure, true) => &FAILURE,
            (Self::Failure, false) => &FAILURE_WORDS,
            (Self::Task, true) => &TASK,
            (Self::Task, false) => &TASK_WORDS,
            (Self::File, _) => &FILE,
        }
    }
}

impl Signs {
    /// How likely a memory helps, from 0 to 1.
    #[must_use]
    pub fn relevance(self, occasion: Occasion) -> f32 {
        let model = occasion.model(self.meaning.is_some());
        let Meaning { cosine, lead } = self.meaning.unwrap_or_default();
        let sum = model.bias
            + model.cosine * cosine
            + model.lead * lead
            + model.coverage * self.coverage
            + model.rarity * self.rarity.ln_1p();
        1.0 / (1.0 + (-sum).exp())
    }

    /// Whether it is likely enough to be shown.
    #[must_use]
    pub fn suffice(self, occasion: Occasion) -> bool {
        let model = occasion.model(self.meaning.is_some());
        let threshold =
            if self.names_identifier { model.threshold.min(model.named_threshold) } else { model.threshold };
        self.relevance(occasion) >= threshold
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
    /// Weighs by the words that were searched for on an occasion, in a project of this name.
    ///
    /// # Errors
    /// When an index fails.
    pub fn new(
        strand: &'a Strand,
        words: &str,
        project: &str,
        occasion: Occasion,
        has_meaning: bool,
    ) -> Result<Self, ReadError> {
        let query = LexicalQuery::parse(words, Mode::Any);
        let mut rarities = strand.lexical().rarities(&query)?;
        // Everything in a project is about the project.
        let mut untelling: HashSet<String> =
            LexicalQuery::parse(project, Mode::Any).terms().iter().map(|term| term.token.clone()).collect();
        if matches!(occasion, Occasion::Prompt | Occasion::Task) && !orders::is_question(words) {
            untelling.extend(orders::of_order(words));
        }
        for (term, rarity) in query.terms().iter().zip(&mut rarities) {
            *rarity = if untelling.contains(&term.token) { rarity.min(UNTELLING_RARITY_MAX) } else { *rarity };
        }
        Ok(Self { strand, query, rarities, has_meaning })
    }

    /// What speaks for each hit of the search.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn signs(&self, hits: &[Hit]) -> Vec<Signs> {
        let mean = hits.iter().map(|hit| hit.evidence.semantic_score).sum::<f32>() / hits.len().max(1) as f32;
        let near = |hit: &Hit| {
            let cosine = hit.evidence.semantic_score;
            self.has_meaning.then_some(Meaning { cosine, lead: cosine - mean })
        };
        hits.iter().map(|hit| Signs { meaning: near(hit), ..self.words(hit) }).collect()
    }

    fn words(&self, hit: &Hit) -> Signs {
        let found = self.strand.matched_terms(&self.query, &hit.memory);
        let (mut all, mut shared) = (0.0, 0.0);
        for (term, rarity) in self.query.terms().iter().zip(&self.rarities).filter(|(term, _)| term.required) {
            all += rarity;
            shared += if found.contains(&term.word) { *rarity } else { 0.0 };
        }
        let coverage = if all > 0.0 { shared / all } else { 0.0 };
        // Whole identifiers of several parts are the terms that a search does not require.
        let names_identifier = self.query.terms().iter().any(|term| !term.required && found.contains(&term.word));
        Signs { meaning: None, coverage, rarity: shared, names_identifier }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCCASIONS: [Occasion; 4] = [Occasion::Prompt, Occasion::Failure, Occasion::Task, Occasion::File];

    #[test]
    fn every_sign_counts() {
        let near = Meaning { cosine: 0.2, lead: 0.0 };
        let weak = Signs { meaning: Some(near), coverage: 0.1, rarity: 1.0, names_identifier: false };
        for occasion in OCCASIONS {
            for strong in [
                Signs { meaning: Some(Meaning { cosine: 0.7, ..near }), ..weak },
                Signs { meaning: Some(Meaning { lead: 0.2, ..near }), ..weak },
                Signs { rarity: 9.0, ..weak },
            ] {
                assert!(strong.relevance(occasion) > weak.relevance(occasion), "{occasion:?}");
            }
            assert!(!weak.suffice(occasion) && !Signs { meaning: None, ..weak }.suffice(occasion), "{occasion:?}");
            let near = Some(Meaning { cosine: 0.8, lead: 0.3 });
            let all = Signs { meaning: near, coverage: 0.9, rarity: 25.0, names_identifier: false };
            assert!(all.suffice(occasion), "{occasion:?}");
        }
        let words = Signs { meaning: None, coverage: 0.8, rarity: 20.0, names_identifier: false };
        assert!(words.suffice(Occasion::Prompt) && words.suffice(Occasion::Failure) && words.suffice(Occasion::Task));
    }

    #[test]
    fn an_identifier_that_somebody_wrote_counts_and_one_of_an_output_does_not() {
        let near = Some(Meaning { cosine: 0.35, lead: 0.1 });
        let some = Signs { meaning: near, coverage: 0.5, rarity: 6.0, names_identifier: false };
        let named = Signs { names_identifier: true, ..some };
        for (occasion, counts) in OCCASIONS.into_iter().zip([true, false, true, false]) {
            assert!(!some.suffice(occasion), "{occasion:?}");
            assert_eq!(named.suffice(occasion), counts, "{occasion:?}");
        }
        let unrelated = Signs { meaning: Some(Meaning::default()), rarity: 1.0, names_identifier: true, ..some };
        assert!(!unrelated.suffice(Occasion::Prompt) && !unrelated.suffice(Occasion::Task));
    }
}
