//! Whether a memory is worth showing to somebody who did not ask for it.
//!
//! A search always finds something; what is shown unasked must help. Signs decide, put together by
//! a logistic model for each occasion: how near the meaning is, of the whole and of single words,
//! how much of what was said the memory has and its beginning has, how telling the shared words
//! are, and how well words and meaning agree on it. In a prompt its form counts as well
//! (`request.rs`), and an identifier that both name. Behind a more relevant memory another one has
//! to be more certain: two that help are seldom both needed.
//!
//! `tests/fit-relevance.py` fits the weights (`weights.toml`); `cargo xtask bench hooks` measures
//! them. Decision 25 says which other signs were tried.

mod lists;
mod model;
mod noise;
mod orders;
mod request;

use std::collections::HashSet;

use model::Model;

use super::search::Hit;
use crate::index::lexical::{Document, LexicalQuery, Mode, Rarities};
use crate::strand::{ReadError, Strand};

pub use model::Occasion;
pub use request::Request;

/// As telling as a word can be that tells nothing here, in nats: less than one that every second
/// memory has.
const UNTELLING_RARITY_MAX: f32 = 0.5;

/// What speaks for a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Cosine of the meanings; `None` without an embedder.
    pub cosine: Option<f32>,
    /// Nearness of its tokens to those of the words, the cosine where they were not compared; `None`
    /// without an embedder.
    pub tokens: Option<f32>,
    /// Share of the words that it has, weighed by how telling they are, from 0 to 1.
    pub coverage: f32,
    /// Same share, of its beginning alone.
    pub beginning: f32,
    /// How telling the words are that it has, in nats.
    pub rarity: f32,
    /// Number of the words that it has, at most six.
    pub words: f32,
    /// Score of the word index, BM25, scaled as the rarity is.
    pub word_score: f32,
    /// Whether it names an identifier of several parts that the words name.
    pub names_identifier: bool,
    /// Fused score of the search, from 0 to 1.
    pub agreement: f32,
    /// Whether it is a procedure.
    pub is_procedure: bool,
    /// Form of the request.
    pub request: Request,
}

/// Words after which more of them say nothing more.
const WORDS_MAX: f32 = 6.0;

/// Characters of a memory's beginning: its label and what it is about.
const BEGINNING_CHARS: usize = 120;

/// Kind of the memories that say how something is done.
const PROCEDURE: &str = "procedure";

impl Signs {
    /// How likely a memory helps, from 0 to 1.
    #[must_use]
    pub fn relevance(self, occasion: Occasion) -> f32 {
        let model = occasion.model(self.cosine.is_some());
        let sum = self
            .factors(model)
            .iter()
            .fold(model.bias, |sum, (part, factor)| {
                if helix_ablation::is_off(part) {
                    sum
                } else {
                    sum + factor
                }
            });
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns whether it is likely enough to be shown behind so many that are more likely.
    #[must_use]
    pub fn suffice(self, occasion: Occasion, more_relevant: usize) -> bool {
        self.relevance(occasion) >= occasion.threshold(self.cosine.is_some(), more_relevant)
    }

    /// Returns what speaks for the memory and against it, by its weight; what says nothing is left
    /// out.
    #[must_use]
    pub fn explained(self, occasion: Occasion) -> String {
        let model = occasion.model(self.cosine.is_some());
        let mut factors = self.factors(model).to_vec();
        factors.push(("factor/start", model.bias));
        factors.retain(|(_, factor)| factor.abs() >= 0.05);
        factors.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        let named = |(part, factor): &(&str, f32)| {
            format!("{} {factor:+.1}", part.trim_start_matches("factor/"))
        };
        factors.iter().map(named).collect::<Vec<_>>().join(", ")
    }

    /// The weighed signs, by the names that a benchmark switches them off by.
    fn factors(self, model: &Model) -> [(&'static str, f32); 12] {
        let said = |sign: bool, weight: f32| if sign { weight } else { 0.0 };
        [
            (
                "factor/cosine",
                model.cosine * self.cosine.unwrap_or_default(),
            ),
            (
                "factor/tokens",
                model.tokens * self.tokens.unwrap_or_default(),
            ),
            ("factor/coverage", model.coverage * self.coverage),
            ("factor/beginning", model.beginning * self.beginning),
            ("factor/rarity", model.rarity * self.rarity.ln_1p()),
            ("factor/words", model.words * self.words),
            (
                "factor/word-score",
                model.word_score * self.word_score.ln_1p(),
            ),
            ("factor/agreement", model.agreement * self.agreement),
            (
                "factor/identifier",
                said(self.names_identifier, model.identifier),
            ),
            (
                "factor/general",
                said(self.request.is_general, model.general),
            ),
            ("factor/ours", said(self.request.is_ours, model.ours)),
            (
                "factor/procedure",
                said(self.request.is_how && self.is_procedure, model.procedure),
            ),
        ]
    }
}

/// Weighs hits of one search.
pub struct Weigher<'a> {
    strand: &'a Strand,
    query: LexicalQuery,
    rarities: Vec<f32>,
    /// What a BM25 score is multiplied by, so that it means the same in every strand.
    score_scale: f32,
    request: Request,
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
        let Rarities {
            of_terms: mut rarities,
            score_scale,
            ..
        } = strand.lexical().rarities(&query)?;
        // Everything in a project is about the project.
        let project = if helix_ablation::is_off("factor/project-name") {
            ""
        } else {
            project
        };
        let mut untelling: HashSet<String> = LexicalQuery::parse(project, Mode::Any)
            .terms()
            .iter()
            .map(|term| term.token.clone())
            .collect();
        if matches!(occasion, Occasion::Prompt | Occasion::Task) && !orders::is_question(words) {
            untelling.extend(orders::of_order(words));
        }
        for (term, rarity) in query.terms().iter().zip(&mut rarities) {
            *rarity = if untelling.contains(&term.token) {
                rarity.min(UNTELLING_RARITY_MAX)
            } else {
                *rarity
            };
        }
        Ok(Self {
            strand,
            query,
            rarities,
            score_scale,
            request: Request::of(words),
            has_meaning,
        })
    }

    /// Returns what speaks for each hit of the search.
    #[must_use]
    pub fn signs(&self, hits: &[Hit]) -> Vec<Signs> {
        hits.iter().map(|hit| self.of(hit)).collect()
    }

    fn of(&self, hit: &Hit) -> Signs {
        let found = self.strand.matched_terms(&self.query, &hit.memory);
        let beginning: String = hit.memory.text.chars().take(BEGINNING_CHARS).collect();
        let at_beginning = self.query.matched_terms(&Document {
            number: 0,
            text: &beginning,
            topic: "",
            tags: &[],
            source: None,
        });
        let (mut all, mut shared, mut early, mut words) = (0.0, 0.0, 0.0, 0.0);
        for (term, rarity) in self
            .query
            .terms()
            .iter()
            .zip(&self.rarities)
            .filter(|(term, _)| term.required)
        {
            let is_found = found.contains(&term.word);
            all += rarity;
            shared += if is_found { *rarity } else { 0.0 };
            words += if is_found { 1.0 } else { 0.0 };
            early += if at_beginning.contains(&term.word) {
                *rarity
            } else {
                0.0
            };
        }
        let share = |part: f32| if all > 0.0 { part / all } else { 0.0 };
        // Whole identifiers of several parts are the terms that a search does not require.
        let names_identifier = self
            .query
            .terms()
            .iter()
            .any(|term| !term.required && found.contains(&term.word));
        let nearness = |score| self.has_meaning.then_some(score);
        let evidence = &hit.evidence;
        let tokens = if evidence.token_score == 0.0 {
            evidence.semantic_score
        } else {
            evidence.token_score
        };
        Signs {
            cosine: nearness(evidence.semantic_score),
            tokens: nearness(tokens),
            coverage: share(shared),
            beginning: share(early),
            rarity: shared,
            words: WORDS_MAX.min(words),
            word_score: evidence.lexical_score * self.score_scale,
            names_identifier,
            agreement: evidence.fused,
            is_procedure: hit.memory.kind.as_str() == PROCEDURE,
            request: self.request,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCCASIONS: [Occasion; 4] = [
        Occasion::Prompt,
        Occasion::Failure,
        Occasion::Task,
        Occasion::File,
    ];

    #[test]
    fn every_sign_counts() {
        let weak = Signs {
            cosine: Some(0.2),
            tokens: Some(0.2),
            coverage: 0.1,
            rarity: 1.0,
            word_score: 1.0,
            words: 1.0,
            ..Signs::default()
        };
        let nearer = Signs {
            cosine: Some(0.4),
            tokens: Some(0.4),
            ..weak
        };
        let more_telling = Signs {
            rarity: 9.0,
            word_score: 9.0,
            ..weak
        };
        for occasion in OCCASIONS {
            for strong in [nearer, more_telling] {
                assert!(
                    strong.relevance(occasion) > weak.relevance(occasion),
                    "{occasion:?}"
                );
            }
            assert!(!weak.suffice(occasion, 0), "{occasion:?}");
            assert!(!by_words(weak).suffice(occasion, 0), "{occasion:?}");
            assert!(all().suffice(occasion, 2), "{occasion:?}");
        }
        for occasion in [Occasion::Prompt, Occasion::Failure, Occasion::Task] {
            assert!(by_words(all()).suffice(occasion, 0), "{occasion:?}");
        }
    }

    fn by_words(signs: Signs) -> Signs {
        Signs {
            cosine: None,
            tokens: None,
            ..signs
        }
    }

    /// A memory for which everything speaks.
    fn all() -> Signs {
        Signs {
            cosine: Some(0.8),
            tokens: Some(0.8),
            coverage: 0.9,
            beginning: 0.8,
            rarity: 25.0,
            words: WORDS_MAX,
            word_score: 25.0,
            names_identifier: false,
            agreement: 1.0,
            is_procedure: false,
            request: Request::default(),
        }
    }

    #[test]
    fn an_identifier_counts_for_prompts_and_a_general_request_against_them() {
        let some = Signs {
            cosine: Some(0.4),
            tokens: Some(0.4),
            coverage: 0.4,
            rarity: 5.0,
            words: 2.0,
            ..Signs::default()
        };
        let named = Signs {
            names_identifier: true,
            ..some
        };
        let general = Signs {
            request: Request {
                is_general: true,
                ..Request::default()
            },
            ..some
        };
        let ours = Signs {
            request: Request {
                is_ours: true,
                ..Request::default()
            },
            ..some
        };
        for (occasion, counts) in OCCASIONS.into_iter().zip([true, false, true, false]) {
            assert_eq!(
                named.relevance(occasion) > some.relevance(occasion),
                counts,
                "{occasion:?}"
            );
        }
        assert!(general.relevance(Occasion::Prompt) < some.relevance(Occasion::Prompt));
        assert!(ours.relevance(Occasion::Prompt) > some.relevance(Occasion::Prompt));
    }
}
