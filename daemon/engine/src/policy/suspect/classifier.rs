//! Weighs what a passage says: a logistic regression over its classes of words, the reasons of
//! rules and its hashed words. `tests/fit-suspects.py` fits it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Reason;
use super::lexicon::{Classes, lexicon};
use super::passage::{Passage, WORDS};

/// The weights of classes and reasons.
const WEIGHTS: &str = include_str!("weights.toml");

/// The weights of hashed words, a byte each.
const WORD_WEIGHTS: &[u8] = include_bytes!("weights.bin");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsTable {
    /// What a passage without anything has.
    bias: f32,
    /// From which on a passage is suspected.
    threshold: f32,
    /// What one step of a word's weight is.
    word_step: f32,
    classes: BTreeMap<String, f32>,
    reasons: BTreeMap<Reason, f32>,
}

/// The fitted weights.
pub(super) struct Classifier {
    bias: f32,
    threshold: f32,
    word_step: f32,
    classes: Vec<(Classes, f32)>,
    reasons: BTreeMap<Reason, f32>,
}

/// The classifier; `None` when its tables do not fit together, which a test rules out.
pub(super) fn classifier() -> Option<&'static Classifier> {
    static CLASSIFIER: LazyLock<Option<Classifier>> =
        LazyLock::new(|| Classifier::read(WEIGHTS).ok());
    CLASSIFIER.as_ref()
}

impl Classifier {
    fn read(weights: &str) -> Result<Self, String> {
        let table: WeightsTable = toml::from_str(weights).map_err(|error| error.to_string())?;
        if WORD_WEIGHTS.len() != WORDS {
            return Err(format!("{} weights of words", WORD_WEIGHTS.len()));
        }
        let class = |(name, weight): (String, f32)| {
            let class = lexicon().class(&name);
            class.map(|class| (class, weight))
        };
        Ok(Self {
            bias: table.bias,
            threshold: table.threshold,
            word_step: table.word_step,
            classes: table
                .classes
                .into_iter()
                .map(class)
                .collect::<Result<_, _>>()?,
            reasons: table.reasons,
        })
    }

    /// Returns whether a passage reads like orders to an agent.
    pub(super) fn suspects(&self, passage: &Passage) -> bool {
        self.weight(passage) >= self.threshold
    }

    /// The log-odds that a passage is orders.
    fn weight(&self, passage: &Passage) -> f32 {
        let has = |(class, _): &&(Classes, f32)| passage.classes.has_any(*class);
        let classes: f32 = self
            .classes
            .iter()
            .filter(has)
            .map(|(_, weight)| weight)
            .sum();
        let reasons: f32 = passage
            .reasons
            .iter()
            .filter_map(|reason| self.reasons.get(reason))
            .sum();
        let words: i32 = passage.words.iter().map(|place| word_weight(*place)).sum();
        self.bias + classes + reasons + self.of_words(words, passage.words.len())
    }

    /// Long passages have more words: their weights count for less.
    #[expect(clippy::cast_precision_loss, reason = "some hundred words")]
    fn of_words(&self, sum: i32, count: usize) -> f32 {
        if count == 0 {
            return 0.0;
        }
        sum as f32 * self.word_step / (count as f32).sqrt()
    }
}

fn word_weight(place: u16) -> i32 {
    let weight = WORD_WEIGHTS.get(usize::from(place));
    weight.map_or(0, |weight| i32::from(weight.cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_fit_together() {
        assert_eq!(Classifier::read(WEIGHTS).err(), None);
    }
}
