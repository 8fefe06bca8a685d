//! Novelty against a list of texts.

use std::collections::BTreeSet;

use crate::Novelty;
use crate::entities::entities;
use crate::language::is_han;

/// Texts that are known already. Compares words; the daemon's own port compares meanings too.
#[derive(Clone, Debug, Default)]
pub struct KnownTexts {
    texts: Vec<BTreeSet<String>>,
}

impl KnownTexts {
    /// Takes the texts that are known.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts = texts.into_iter().map(|text| words(text.as_ref()));
        Self {
            texts: texts.collect(),
        }
    }
}

impl Novelty for KnownTexts {
    fn novelty(&self, text: &str) -> f64 {
        let own = words(text);
        let nearest = self.texts.iter().map(|known| overlap(&own, known));
        1.0 - nearest.fold(0.0, f64::max)
    }

    fn are_apart(&self, one: &str, other: &str) -> bool {
        names(one) != names(other)
    }
}

/// What a text names, in lower case, and its numbers.
fn names(text: &str) -> BTreeSet<String> {
    let named = entities(text)
        .into_iter()
        .map(|entity| entity.text.to_lowercase());
    let has_digit = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let numbers = text.split(|c: char| !c.is_alphanumeric()).filter(has_digit);
    named.chain(numbers.map(str::to_lowercase)).collect()
}

/// The words of a text, in lower case; of Chinese its pairs of characters.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let characters: Vec<char> = run.chars().collect();
        if characters.iter().any(|c| is_han(*c)) {
            words.extend(
                characters
                    .windows(2)
                    .map(|pair| pair.iter().collect::<String>()),
            );
        } else if !run.is_empty() {
            words.insert(run.to_lowercase());
        }
    }
    words
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_form_about_other_things_are_apart() {
        let known = KnownTexts::default();
        let alpha = "Service Alpha listens on 9081.";
        assert!(known.are_apart(alpha, "Service Alpha listens on 9082."));
        assert!(!known.are_apart(alpha, "The service Alpha always listens on 9081."));
    }

    #[test]
    fn novelty_is_the_distance_to_the_nearest_text() {
        let known = KnownTexts::new(["use pnpm here", "记住测试环境"]);
        for (text, novelty) in [
            ("use pnpm here", 0.0),
            ("Use pnpm", 1.0 / 3.0),
            ("something else", 1.0),
            ("", 1.0),
        ] {
            assert!(
                (known.novelty(text) - novelty).abs() < 1e-9,
                "{text}: {}",
                known.novelty(text)
            );
        }
        assert!(known.novelty("测试环境") < 0.5);
    }
}
