//! Recognising what was forgotten when it comes again, also in other words.

use crate::model::Tombstone;

/// Jaccard similarity of words from which a text counts as a forgotten one in other words: as for
/// near duplicates.
const WORDS_ALIKE: f32 = 0.7;

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
        self.text_hash == tombstone.text_hash || self.words_alike(tombstone) > WORDS_ALIKE
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn words_alike(&self, tombstone: &Tombstone) -> f32 {
        let (own, theirs) = (&self.word_hashes, &tombstone.word_hashes);
        if own.len() < WORDS_MIN || theirs.len() < WORDS_MIN {
            return 0.0;
        }
        let shared = own.iter().filter(|hash| theirs.binary_search(hash).is_ok());
        let shared = shared.count();
        shared as f32 / (own.len() + theirs.len() - shared) as f32
    }
}
