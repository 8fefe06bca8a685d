//! Whether a memory is worth showing to somebody who did not ask for it.
//!
//! A search always finds something; what is shown unasked must help. Signs decide, put together by
//! a logistic model for each occasion: how near the meaning is, how far it stands out from what
//! else was found, how much of what was said the memory has and its beginning has, how telling the
//! shared words are, and how well words and meaning agree on it. In a prompt its form
//! counts as well (`request.rs`), and an identifier that both name. What comes behind a more
//! relevant memory has to be more certain: two that help are seldom both needed.
//!
//! Weights are fitted by `tests/fit-relevance.py` on the sets `fit` and `fourth-fit` and on half of
//! `other` and `third`; `cargo xtask bench hooks` says how well they do on the rest. What each sign
//! of prompts is worth there, in points of coverage at 95 % silence, when each project's cases are
//! judged by a model of the others': a general request 7, the beginning 1.5, words, agreement and
//! identifier 1 each, a procedure for who asks how 1.3, what is ours 1.

mod noise;
mod orders;
mod request;

use std::collections::HashSet;

use super::search::Hit;
use crate::index::lexical::{Document, LexicalQuery, Mode};
use crate::strand::{ReadError, Strand};

pub use noise::is_noise;
pub use request::Request;

/// As telling as a word can be that tells nothing here, in nats: less than one that every second
/// memory has.
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
    /// Cosine of the meanings, and by how much it exceeds the mean of all that was found; `None`
    /// without an embedder.
    pub meaning: Option<Meaning>,
    /// Share of the words that it has, weighed by how telling they are, from 0 to 1.
    pub coverage: f32,
    /// Same share, of its beginning alone.
    pub beginning: f32,
    /// How telling the words are that it has, in nats.
    pub rarity: f32,
    /// Number of the words that it has, at most six.
    pub words: f32,
    /// Whether it names an identifier of several parts that the words name.
    pub names_identifier: bool,
    /// Fused score of the search, from 0 to 1.
    pub agreement: f32,
    /// Whether it is a procedure.
    pub is_procedure: bool,
    /// Form of the request.
    pub request: Request,
}

/// How near a memory is in meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The cosine.
    pub cosine: f32,
    /// What it exceeds the mean cosine by.
    pub lead: f32,
}

/// Words after which more of them say nothing more.
const WORDS_MAX: f32 = 6.0;

/// Characters of a memory's beginning: its label and what it is about.
const BEGINNING_CHARS: usize = 120;

/// Kind of the memories that say how something is done.
const PROCEDURE: &str = "procedure";

/// A logistic model, and the relevance from which it says that a memory helps.
struct Model {
    bias: f32,
    cosine: f32,
    lead: f32,
    coverage: f32,
    beginning: f32,
    /// Of the logarithm of one more than the rarity.
    rarity: f32,
    words: f32,
    identifier: f32,
    agreement: f32,
    general: f32,
    ours: f32,
    /// Of a procedure for who asks how something is done.
    procedure: f32,
    /// Thresholds of the most relevant memory, of the second and of all behind it.
    thresholds: [f32; 3],
}

const PROMPT: Model = Model {
    bias: -9.34,
    cosine: 1.41,
    lead: 6.96,
    beginning: 1.06,
    rarity: 1.06,
    words: 0.66,
    identifier: 1.45,
    agreement: 4.28,
    general: -2.33,
    ours: 0.45,
    procedure: 1.58,
    thresholds: [0.52, 0.8, 0.9],
    ..NONE
};
const TASK: Model = Model {
    bias: -8.5,
    cosine: 4.84,
    lead: 2.12,
    coverage: 7.65,
    rarity: 2.15,
    identifier: 1.14,
    thresholds: [0.48, 0.65, 0.8],
    ..NONE
};
const FAILURE: Model = Model {
    bias: -7.54,
    cosine: 5.63,
    lead: 7.17,
    coverage: 2.14,
    rarity: 1.24,
    thresholds: [0.54, 0.75, 0.9],
    ..NONE
};
const FILE: Model = Model {
    bias: -7.78,
    cosine: 0.57,
    lead: 6.55,
    coverage: 2.15,
    rarity: 2.3,
    thresholds: [0.42, 0.65, 0.75],
    ..NONE
};

const PROMPT_WORDS: Model = Model {
    bias: -10.24,
    coverage: 0.31,
    beginning: 3.08,
    rarity: 1.7,
    words: 0.87,
    identifier: 1.17,
    agreement: 3.76,
    general: -1.72,
    procedure: 1.23,
    thresholds: [0.58, 0.8, 0.9],
    ..NONE
};
const TASK_WORDS: Model = Model {
    bias: -10.8,
    coverage: 4.52,
    rarity: 3.96,
    identifier: 2.94,
    thresholds: [0.55, 0.65, 0.9],
    ..NONE
};
const FAILURE_WORDS: Model = Model {
    bias: -10.02,
    coverage: 4.39,
    rarity: 3.26,
    thresholds: [0.42, 0.75, 0.9],
    ..NONE
};

/// Signs that do not count where nothing is said of them.
const NONE: Model = Model {
    bias: 0.0,
    cosine: 0.0,
    lead: 0.0,
    coverage: 0.0,
    beginning: 0.0,
    rarity: 0.0,
    words: 0.0,
    identifier: 0.0,
    agreement: 0.0,
    general: 0.0,
    ours: 0.0,
    procedure: 0.0,
    thresholds: [0.5; 3],
};

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

    /// How relevant a memory must be to be shown behind so many that are more relevant, with
    /// meaning or by words alone.
    #[must_use]
    pub fn threshold(self, has_meaning: bool, more_relevant: usize) -> f32 {
        let [first, second, further] = self.model(has_meaning).thresholds;
        match more_relevant {
            0 => first,
            1 => second,
            _ => further,
        }
    }
}

impl Signs {
    /// How likely a memory helps, from 0 to 1.
    #[must_use]
    pub fn relevance(self, occasion: Occasion) -> f32 {
        let model = occasion.model(self.meaning.is_some());
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

    /// Whether it is likely enough to be shown behind so many that are more likely.
    #[must_use]
    pub fn suffice(self, occasion: Occasion, more_relevant: usize) -> bool {
        self.relevance(occasion) >= occasion.threshold(self.meaning.is_some(), more_relevant)
    }

    /// What speaks for the memory and against it, by its weight; what says nothing is left out.
    #[must_use]
    pub fn explained(self, occasion: Occasion) -> String {
        let model = occasion.model(self.meaning.is_some());
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
    fn factors(self, model: &Model) -> [(&'static str, f32); 11] {
        let Meaning { cosine, lead } = self.meaning.unwrap_or_default();
        let said = |sign: bool, weight: f32| if sign { weight } else { 0.0 };
        [
            ("factor/cosine", model.cosine * cosine),
            ("factor/lead", model.lead * lead),
            ("factor/coverage", model.coverage * self.coverage),
            ("factor/beginning", model.beginning * self.beginning),
            ("factor/rarity", model.rarity * self.rarity.ln_1p()),
            ("factor/words", model.words * self.words),
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
        let mut rarities = strand.lexical().rarities(&query)?;
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
            request: Request::of(words),
            has_meaning,
        })
    }

    /// What speaks for each hit of the search.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn signs(&self, hits: &[Hit]) -> Vec<Signs> {
        let mean = hits
            .iter()
            .map(|hit| hit.evidence.semantic_score)
            .sum::<f32>()
            / hits.len().max(1) as f32;
        let near = |hit: &Hit| {
            let cosine = hit.evidence.semantic_score;
            self.has_meaning.then_some(Meaning {
                cosine,
                lead: cosine - mean,
            })
        };
        hits.iter()
            .map(|hit| Signs {
                meaning: near(hit),
                ..self.words(hit)
            })
            .collect()
    }

    fn words(&self, hit: &Hit) -> Signs {
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
        Signs {
            meaning: None,
            coverage: share(shared),
            beginning: share(early),
            rarity: shared,
            words: WORDS_MAX.min(words),
            names_identifier,
            agreement: hit.evidence.fused,
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
        let near = Meaning {
            cosine: 0.2,
            lead: 0.0,
        };
        let weak = Signs {
            meaning: Some(near),
            coverage: 0.1,
            rarity: 1.0,
            words: 1.0,
            ..Signs::default()
        };
        for occasion in OCCASIONS {
            for strong in [
                Signs {
                    meaning: Some(Meaning { lead: 0.2, ..near }),
                    ..weak
                },
                Signs {
                    rarity: 9.0,
                    ..weak
                },
            ] {
                assert!(
                    strong.relevance(occasion) > weak.relevance(occasion),
                    "{occasion:?}"
                );
            }
            assert!(
                !weak.suffice(occasion, 0)
                    && !Signs {
                        meaning: None,
                        ..weak
                    }
                    .suffice(occasion, 0),
                "{occasion:?}"
            );
            assert!(all().suffice(occasion, 2), "{occasion:?}");
        }
        for occasion in [Occasion::Prompt, Occasion::Failure, Occasion::Task] {
            assert!(
                Signs {
                    meaning: None,
                    ..all()
                }
                .suffice(occasion, 0),
                "{occasion:?}"
            );
        }
    }

    /// A memory for which everything speaks.
    fn all() -> Signs {
        Signs {
            meaning: Some(Meaning {
                cosine: 0.8,
                lead: 0.3,
            }),
            coverage: 0.9,
            beginning: 0.8,
            rarity: 25.0,
            words: WORDS_MAX,
            names_identifier: false,
            agreement: 1.0,
            is_procedure: false,
            request: Request::default(),
        }
    }

    #[test]
    fn an_identifier_counts_for_prompts_and_a_general_request_against_them() {
        let meaning = Some(Meaning {
            cosine: 0.4,
            lead: 0.1,
        });
        let some = Signs {
            meaning,
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

    #[test]
    fn who_comes_behind_others_needs_as_much_or_more() {
        for model in [
            PROMPT,
            FAILURE,
            TASK,
            FILE,
            PROMPT_WORDS,
            FAILURE_WORDS,
            TASK_WORDS,
        ] {
            assert!(model.thresholds.is_sorted());
        }
    }
}
