//! Recognising what was forgotten when it comes again, also in other words.
//!
//! Words decide at once, and meaning once both vectors are there. Neither is enough: two facts of
//! one form are as alike in both as a fact and its paraphrase. So [`is_another_fact`] looks at
//! where the words differ, first.
//!
//! Measured on `tests/fixtures/forgotten-pairs.json` and `memory-pairs.json` by
//! `cargo xtask bench forgotten`.

mod reading;
mod sketch;

pub use sketch::{has_another_value, is_another_fact, is_outdated, shared_words, sketch};

use std::cell::OnceCell;

use crate::model::{Sketch, Tombstone};

/// Cosine from which a text may say what another one does in other words, where both have all words
/// of substance in common. What they do not share weighs against it.
const SAME_MEANING: f32 = 0.62;

/// Cosine that words of substance make up for where all are shared.
const SHARED_WORDS_WEIGHT: f32 = 0.3;

/// Share of their words of substance that two texts have in common at least.
const SHARED_MIN: f32 = 0.2;

/// The same in writing without blanks, where each
/// character is a word and the model knows few.
const UNSPACED_SHARED_MIN: f32 = 0.7;

/// Jaccard similarity of words, in tenths, beyond which a text counts as a forgotten one in other
/// words: as for near duplicates.
const WORDS_ALIKE_TENTHS: usize = 7;

/// Fewest words that two texts share before each may have words of its own and still be the same
/// with some words changed: in a short one the word that differs is what it is about.
const LONG_WORDS_MIN: usize = 12;

/// Fewest words of a text that is recognised by its words.
const WORDS_MIN: usize = 4;

/// Hash of a text that is the same however it is spaced, punctuated and written in upper or lower
/// case.
#[must_use]
pub fn text_hash(text: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for word in normalised(text) {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    let hash = *hasher.finalize().as_bytes();
    hash.first_chunk().copied().map_or(0, u64::from_le_bytes)
}

/// Hashes of a text's distinct words, sorted. They are the same in every version of Helix.
#[must_use]
pub fn word_hashes(text: &str) -> Vec<u32> {
    let mut hashes: Vec<u32> = normalised(text)
        .map(|word| {
            let hash = *blake3::hash(word.as_bytes()).as_bytes();
            hash.first_chunk().copied().map_or(0, u32::from_le_bytes)
        })
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn normalised(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// The first hashes of a text, of which two texts that are alike share one: so many words can be
/// missing that the first of them may all be among those, and no more.
#[must_use]
pub fn prefix(word_hashes: &[u32]) -> &[u32] {
    let alike = (word_hashes.len() * WORDS_ALIKE_TENTHS).div_ceil(10);
    let length = (word_hashes.len() + 1 - alike).min(word_hashes.len());
    word_hashes.get(..length).unwrap_or_default()
}

/// A text that may have been forgotten before.
#[derive(Clone, Debug)]
pub struct Returning<'t> {
    text: &'t str,
    text_hash: u64,
    word_hashes: Vec<u32>,
    /// Read where it is needed: that costs more than the rest.
    sketch: OnceCell<Sketch>,
}

impl<'t> Returning<'t> {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self {
            text,
            text_hash: text_hash(text),
            word_hashes: word_hashes(text),
            sketch: OnceCell::new(),
        }
    }

    /// Returns whether it is what a tombstone is for: the same text, or nearly the same words
    /// without another value, name, number or a denial among them. In a short one no word may stand
    /// in the place of another: "the cart service" is not "the stock service", and what meaning
    /// decides is not lost.
    #[must_use]
    pub fn is(&self, tombstone: &Tombstone) -> bool {
        self.is_nearly(tombstone)
            && (self.text_hash == tombstone.text_hash || !self.is_short_and_reworded(tombstone))
    }

    /// Returns whether it is what a tombstone is for, as [`Self::is`], though a word may stand in
    /// the place of another: a section of a file may get another heading.
    #[must_use]
    pub fn is_nearly(&self, tombstone: &Tombstone) -> bool {
        self.text_hash == tombstone.text_hash
            || (self.has_words_of(tombstone)
                && !has_another_value(&tombstone.sketch, self.sketch()))
    }

    /// Returns whether it says in other words what a tombstone is for, from which it is so far in
    /// meaning.
    #[must_use]
    pub fn means(&self, tombstone: &Tombstone, cosine: f32) -> bool {
        // The words cost more to read.
        cosine >= SAME_MEANING && self.may_mean(tombstone) && {
            let (shared, _) = shared_words(&tombstone.sketch, self.sketch());
            cosine >= SAME_MEANING + SHARED_WORDS_WEIGHT * (1.0 - shared)
        }
    }

    /// Returns whether its words leave open that it says in other words what a tombstone is for.
    #[must_use]
    pub fn may_mean(&self, tombstone: &Tombstone) -> bool {
        if tombstone.sketch.is_empty() || is_outdated(&tombstone.sketch) {
            return false;
        }
        let (shared, is_unspaced) = shared_words(&tombstone.sketch, self.sketch());
        let needed = if is_unspaced {
            UNSPACED_SHARED_MIN
        } else {
            SHARED_MIN
        };
        shared >= needed && !is_another_fact(&tombstone.sketch, self.sketch())
    }

    fn sketch(&self) -> &Sketch {
        self.sketch.get_or_init(|| sketch(self.text))
    }

    /// The hash of the text.
    #[must_use]
    pub fn text_hash(&self) -> u64 {
        self.text_hash
    }

    /// The hashes of its words, sorted, each once.
    #[must_use]
    pub fn word_hashes(&self) -> &[u32] {
        &self.word_hashes
    }

    /// Returns whether both have words of their own, and few in common.
    fn is_short_and_reworded(&self, tombstone: &Tombstone) -> bool {
        let (own, theirs) = (&self.word_hashes, &tombstone.word_hashes);
        let shared = shared(own, theirs);
        shared < LONG_WORDS_MIN && own.len() > shared && theirs.len() > shared
    }

    fn has_words_of(&self, tombstone: &Tombstone) -> bool {
        let (own, theirs) = (&self.word_hashes, &tombstone.word_hashes);
        if own.len() < WORDS_MIN || theirs.len() < WORDS_MIN {
            return false;
        }
        let shared = shared(own, theirs);
        shared * 10 > (own.len() + theirs.len() - shared) * WORDS_ALIKE_TENTHS
    }
}

/// How many words two texts share, by their sorted hashes.
fn shared(own: &[u32], theirs: &[u32]) -> usize {
    own.iter()
        .filter(|hash| theirs.binary_search(hash).is_ok())
        .count()
}
