//! Novelty against a list of texts.

use std::collections::BTreeSet;

use crate::Novelty;

/// Texts that are known already. Compares words; the daemon's own port compares meanings too.
#[derive(Clone, Debug, Default)]
pub struct KnownTexts {
    texts: Vec<BTreeSet<String>>,
}

impl KnownTexts {
    /// Takes the texts that are known.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts = texts.into_iter().map(|text| words(text.as_ref())).collect();
        Self { texts }
    }
}

impl Novelty for KnownTexts {
    fn novelty(&self, text: &str) -> f64 {
        let own = words(text);
        let nearest = self.texts.iter().map(|known| overlap(&own, known));
        1.0 - nearest.fold(0.0, f64::max)
    }
}

/// The words of a text, in lower case.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Jaccard similarity of two sets of words: 0 to 1, and 0 for two empty ones.
#[expect(clippy::cast_precision_loss, reason = "some hundred words")]
pub(crate) fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 {
        return 0.0;
    }
    shared as f64 / all as f64
}
