//! Tombstones: traces of texts that somebody forgot, refused or purged.

use super::{Origin, Timestamp};

/// How a text left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Somebody forgot it; its text is kept in the history.
    Forgotten,
    /// Somebody refused it in a review.
    Rejected,
    /// Somebody had it removed everywhere.
    Purged,
}

impl Departure {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Forgotten, Self::Rejected, Self::Purged];

    /// Returns the name used on disk and in sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Rejected => "rejected",
            Self::Purged => "purged",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|departure| departure.name() == name)
    }
}

/// A text's words in hashes, from which another text is told apart that is alike in meaning and
/// says something else. See `policy::forgotten`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Hashes of the words' stems, in order; the lowest two bits of each say what the word does.
    pub words: Vec<u32>,
    /// Ways in which the text turns what its words say, one a bit.
    pub turns: u32,
}

impl Sketch {
    /// Returns whether there is nothing to compare.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Keeps everything automatic from bringing a text back, also in other words. Holds no text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tombstone {
    /// The scope that it was in, as text.
    pub scope: String,
    /// Hash of its normalised text.
    pub text_hash: u64,
    /// Hashes of its words, sorted, each once.
    pub word_hashes: Vec<u32>,
    /// Its words as they are compared with those of a text alike in meaning; empty for what was
    /// purged.
    pub sketch: Sketch,
    /// The code of its vector; empty when it had none.
    pub code: Vec<u8>,
    /// The model that made the vector.
    pub model: String,
    /// How it left.
    pub departure: Departure,
    /// Who asked for it.
    pub origin: Origin,
    /// The name of the agent that did; empty when unknown.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// The handle that it had; empty for what was purged, because a handle reads like a fact.
    pub handle: String,
}
