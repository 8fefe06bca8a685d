//! Texts of one batch that share rare words with a later one of it: the candidates for a comparison,
//! which the word index cannot give before they are stored.
//!
//! A word that few texts have is looked up; one that most have leads to too many. Writing without
//! blanks is read as pairs of characters.

use rustc_hash::FxHashMap;

use super::resemble::{is_unspaced, word_hash};
use crate::policy::resemble::WordSet;

/// Texts that are given for one, at most: as many as the word index gives.
const EARLIER_MAX: usize = 8;

/// Texts with a word that are looked at, the latest: a word that more have tells little.
const POSTINGS_MAX: usize = 32;

/// Words of a text that are looked up, the rarest.
const LOOKED_UP_MAX: usize = 8;

/// Share of the words that two texts must have in common.
const SHARED_MIN: f32 = 0.15;

/// The words of a text as hashes, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<u64>);

impl Keys {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut keys = Vec::new();
        for word in WordSet::words(text) {
            if word.contains(is_unspaced) {
                keys.extend(pairs(word).map(word_hash));
            } else {
                keys.push(word_hash(word));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn alike(&self, other: &Self) -> f32 {
        let is_shared = |key: &&u64| other.0.binary_search(key).is_ok();
        let shared = self.0.iter().filter(is_shared).count();
        let all = self.0.len() + other.0.len() - shared;
        if all == 0 {
            return 0.0;
        }
        shared as f32 / all as f32
    }
}

/// Each two characters of a run that follow each other; a single character is itself.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let begins: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    let count = begins.len().saturating_sub(1).max(1);
    (0..count).filter_map(move |first| {
        let begin = *begins.get(first)?;
        let end = begins.get(first + 2).copied().unwrap_or(run.len());
        run.get(begin..end)
    })
}

/// The texts of a batch that later ones are compared with.
#[derive(Debug, Default)]
pub struct Nearby {
    /// How many texts of the whole batch have each word.
    frequencies: FxHashMap<u64, u32>,
    by_word: FxHashMap<u64, Vec<usize>>,
    texts: FxHashMap<usize, Keys>,
}

impl Nearby {
    /// Learns how rare each word is among the texts of a batch.
    #[must_use]
    pub fn among<'t>(texts: impl Iterator<Item = &'t Keys>) -> Self {
        let mut frequencies = FxHashMap::default();
        for text in texts {
            for key in &text.0 {
                *frequencies.entry(*key).or_default() += 1;
            }
        }
        Self {
            frequencies,
            ..Self::default()
        }
    }

    /// Adds the text at a place of the batch, or further words of it.
    pub fn add(&mut self, place: usize, text: Keys) {
        for key in &text.0 {
            let is_shared = self.frequencies.get(key).is_none_or(|count| *count > 1);
            if is_shared {
                self.by_word.entry(*key).or_default().push(place);
            }
        }
        self.texts.insert(place, text);
    }

    /// Takes out the text at a place.
    pub fn remove(&mut self, place: usize) {
        self.texts.remove(&place);
    }

    /// The places of the texts that a text resembles most, the likest first and the later of equals.
    #[must_use]
    pub fn resembling(&self, text: &Keys) -> Vec<usize> {
        let mut rarest: Vec<(u32, u64)> = text
            .0
            .iter()
            .filter(|key| self.by_word.contains_key(key))
            .map(|key| (self.frequencies.get(key).copied().unwrap_or(1), *key))
            .collect();
        rarest.sort_unstable();
        let mut places: Vec<usize> = Vec::new();
        for (_, key) in rarest.into_iter().take(LOOKED_UP_MAX) {
            let found = self.by_word.get(&key).map(Vec::as_slice);
            places.extend(found.unwrap_or_default().iter().rev().take(POSTINGS_MAX));
        }
        places.sort_unstable();
        places.dedup();
        let mut alike: Vec<(f32, usize)> = places
            .into_iter()
            .filter_map(|place| Some((self.texts.get(&place)?.alike(text), place)))
            .filter(|(alike, _)| *alike >= SHARED_MIN)
            .collect();
        alike.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        alike.truncate(EARLIER_MAX);
        alike.into_iter().map(|(_, place)| place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resembling(earlier: &[&str], text: &str) -> Vec<usize> {
        let keys: Vec<Keys> = earlier.iter().map(|text| Keys::of(text)).collect();
        let own = Keys::of(text);
        let mut nearby = Nearby::among(keys.iter().chain([&own]));
        for (place, keys) in keys.into_iter().enumerate() {
            nearby.add(place, keys);
        }
        nearby.resembling(&own)
    }

    #[test]
    fn the_likest_come_first_and_strangers_not_at_all() {
        let earlier = [
            "billing listens on port 8081",
            "the walrus cache is filled at the start",
            "search listens on port 9200",
        ];
        assert_eq!(resembling(&earlier, "billing listens on port 8082"), [0, 2]);
        assert_eq!(
            resembling(&earlier, "ocelots are evicted"),
            [] as [usize; 0]
        );
    }

    #[test]
    fn writing_without_blanks_is_compared_by_pairs_of_characters() {
        let earlier = ["夜间批处理在凌晨一点开始。", "数据库表名必须用单数。"];
        assert_eq!(resembling(&earlier, "夜间批处理凌晨三点启动。"), [0]);
    }

    #[test]
    fn a_removed_text_is_not_found() {
        let keys = Keys::of("billing listens on port 8081");
        let mut nearby = Nearby::among([&keys, &keys].into_iter());
        nearby.add(0, keys.clone());
        nearby.remove(0);
        assert!(nearby.resembling(&keys).is_empty());
    }
}
