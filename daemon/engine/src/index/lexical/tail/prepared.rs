//! A memory read into its tokens by whoever stores it, so that the one writer only has to link them
//! in.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::fields::{Document, SCORED_FIELDS};
use super::super::tokenizer::visit;

/// Distinct tokens that a memory is expected to have; more only cost another allocation.
const TOKENS_EXPECTED: usize = 64;

/// The one hasher of tokens: what a reader prepared is looked up by the writer under the same hash.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// Returns the hash by which a token is found in the tail.
pub(super) fn hash_of(token: &str) -> u64 {
    HASHER.hash_one(token)
}

/// The part of a memory that is kept until it is committed.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) text: String,
    pub(super) topic: String,
    pub(super) tags: Vec<String>,
    pub(super) source: Option<String>,
    /// Tokens of each scored field.
    pub(super) tokens: [u32; SCORED_FIELDS],
}

/// A memory made ready for the tail, before it has a number and outside of every lock.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) kept: Kept,
    pub(super) occurrences: Occurrences,
}

impl Prepared {
    /// Reads a document. Its number does not matter.
    #[must_use]
    pub fn new(document: &Document<'_>) -> Self {
        let mut occurrences = Occurrences {
            names: String::with_capacity(document.text.len()),
            tokens: Vec::with_capacity(TOKENS_EXPECTED),
        };
        let mut index = HashTable::with_capacity(TOKENS_EXPECTED);
        let mut tokens = [0; SCORED_FIELDS];
        for (place, text) in document.scored_texts().iter().enumerate() {
            let mut length = 0;
            visit(text, |token| {
                length += 1;
                occurrences.count(&mut index, token.text, place);
            });
            tokens[place] = length;
        }
        let kept = Kept {
            text: document.text.to_owned(),
            topic: document.topic.to_owned(),
            tags: document.tags.to_vec(),
            source: document.source.map(str::to_owned),
            tokens,
        };
        Self { kept, occurrences }
    }
}

/// How often each distinct token occurs in each field, all in two allocations.
#[derive(Clone, Debug)]
pub(super) struct Occurrences {
    names: String,
    tokens: Vec<Occurrence>,
}

#[derive(Clone, Debug)]
struct Occurrence {
    hash: u64,
    /// Where its name ends; it starts where the one before ends.
    end: usize,
    frequencies: [u16; SCORED_FIELDS],
}

impl Occurrences {
    fn count(&mut self, index: &mut HashTable<usize>, token: &str, place: usize) {
        let hash = hash_of(token);
        let known = index
            .find(hash, |&at| self.name(at) == Some(token))
            .copied();
        let at = known.unwrap_or_else(|| {
            let at = self.tokens.len();
            self.names.push_str(token);
            self.tokens.push(Occurrence {
                hash,
                end: self.names.len(),
                frequencies: [0; SCORED_FIELDS],
            });
            index.insert_unique(hash, at, |&other| {
                self.tokens.get(other).map_or(0, |token| token.hash)
            });
            at
        });
        if let Some(count) = self
            .tokens
            .get_mut(at)
            .and_then(|token| token.frequencies.get_mut(place))
        {
            *count = count.saturating_add(1);
        }
    }

    fn name(&self, at: usize) -> Option<&str> {
        let start = at
            .checked_sub(1)
            .map_or(Some(0), |before| Some(self.tokens.get(before)?.end))?;
        self.names.get(start..self.tokens.get(at)?.end)
    }

    /// Each distinct token with its hash and its frequency in each field.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u64, &[u16; SCORED_FIELDS])> {
        let with_names = self.tokens.iter().enumerate();
        with_names.filter_map(|(at, token)| Some((self.name(at)?, token.hash, &token.frequencies)))
    }
}
