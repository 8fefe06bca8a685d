//! Recognising what was forgotten when it comes again, also in other words.

use crate::model::Tombstone;

/// Jaccard similarity of words, in tenths, beyond which a text counts as a forgotten one in other
/// words: as for near duplicates.
const WORDS_ALIKE_TENTHS: usize = 7;

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
pub struct Returning {
    text_hash: u64,
    word_hashes: Vec<u32>,
}

impl Returning {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self {
            text_hash: text_hash(text),
            word_hashes: word_hashes(text),
        }
    }

    /// Returns whether it is what a tombstone is for: the same text, or nearly the same words.
    #[must_use]
    pub fn is(&self, tombstone: &Tombstone) -> bool {
        self.text_hash == tombstone.text_hash || self.has_words_of(tombstone)
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

    fn has_words_of(&self, tombstone: &Tombstone) -> bool {
        let (own, theirs) = (&self.word_hashes, &tombstone.word_hashes);
        if own.len() < WORDS_MIN || theirs.len() < WORDS_MIN {
            return false;
        }
        let shared = own.iter().filter(|hash| theirs.binary_search(hash).is_ok());
        let shared = shared.count();
        shared * 10 > (own.len() + theirs.len() - shared) * WORDS_ALIKE_TENTHS
    }
}
