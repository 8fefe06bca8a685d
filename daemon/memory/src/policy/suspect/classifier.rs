//! Weighs what a passage says: a logistic regression over its classes of words, the reasons of
//! rules and its hashed words. `tests/fit-suspects.py` fits it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lexicon::{Classes, lexicon};
use super::passage::{WORDS, passage_len, places, reasons_of};
use super::sentence::{Sentence, all_of, range_of};
use super::{Reason, Suspicion};

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

    /// The range of the first passage that reads like orders to an agent.
    pub(super) fn suspects(
        &self,
        text: &str,
        sentences: &[Sentence],
        found: &[Suspicion],
    ) -> Option<Range<usize>> {
        let words: Vec<Vec<u16>> = sentences
            .iter()
            .map(|sentence| places(text.get(sentence.range.clone()).unwrap_or_default()))
            .collect();
        let count = passage_len(sentences);
        let is_suspect = |passage: &[Sentence], sum, distinct| {
            let marks = self.of_marks(all_of(passage), &reasons_of(passage, found));
            marks + self.of_words(sum, distinct) >= self.threshold
        };
        if sentences.len() <= count {
            let (sum, distinct) = summed(&words);
            return is_suspect(sentences, sum, distinct).then(|| range_of(sentences));
        }
        WINDOW.with_borrow_mut(|window| {
            window.clear();
            for (at, own) in words.iter().enumerate() {
                window.add(own);
                let Some(start) = (at + 1).checked_sub(count) else {
                    continue;
                };
                let passage = sentences.get(start..=at).unwrap_or_default();
                if is_suspect(passage, window.sum, window.distinct) {
                    return Some(range_of(passage));
                }
                window.remove(words.get(start).map(Vec::as_slice).unwrap_or_default());
            }
            None
        })
    }

    /// The log-odds of a passage, apart from its words.
    fn of_marks(&self, classes: Classes, reasons: &[Reason]) -> f32 {
        let has = |(class, _): &&(Classes, f32)| classes.has_any(*class);
        let classes: f32 = self
            .classes
            .iter()
            .filter(has)
            .map(|(_, weight)| weight)
            .sum();
        let reasons: f32 = reasons
            .iter()
            .filter_map(|reason| self.reasons.get(reason))
            .sum();
        self.bias + classes + reasons
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

/// The weight of the words of a short text, and how many there are, each counted once.
fn summed(words: &[Vec<u16>]) -> (i32, usize) {
    let mut words = words.concat();
    words.sort_unstable();
    words.dedup();
    let sum = words.iter().map(|place| word_weight(*place)).sum();
    (sum, words.len())
}

thread_local! {
    /// One for each thread: to make one takes longer than all else that is done with a short text.
    static WINDOW: RefCell<Window> = RefCell::new(Window::new());
}

/// The places of the words of a few sentences, each counted once however often it is there. It
/// goes on by a sentence without counting the others again.
struct Window {
    counts: Vec<u16>,
    /// The places that were counted, each at least once.
    counted: Vec<u16>,
    distinct: usize,
    sum: i32,
}

impl Window {
    fn new() -> Self {
        Self {
            counts: vec![0; WORDS],
            counted: Vec::new(),
            distinct: 0,
            sum: 0,
        }
    }

    fn clear(&mut self) {
        for place in self.counted.drain(..) {
            if let Some(count) = self.counts.get_mut(usize::from(place)) {
                *count = 0;
            }
        }
        self.distinct = 0;
        self.sum = 0;
    }

    fn add(&mut self, places: &[u16]) {
        for place in places {
            let Some(count) = self.counts.get_mut(usize::from(*place)) else {
                continue;
            };
            if *count == 0 {
                self.counted.push(*place);
                self.distinct += 1;
                self.sum += word_weight(*place);
            }
            *count = count.saturating_add(1);
        }
    }

    fn remove(&mut self, places: &[u16]) {
        for place in places {
            let Some(count) = self.counts.get_mut(usize::from(*place)) else {
                continue;
            };
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.distinct = self.distinct.saturating_sub(1);
                self.sum -= word_weight(*place);
            }
        }
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
