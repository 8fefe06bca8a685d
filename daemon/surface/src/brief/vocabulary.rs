//! The words of the considered memories as numbers, so that passes compare numbers.
//!
//! A word is what [`helix_memory::WordSet`] says it is; a property test holds the two together.

mod fillers;

use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use fillers::FILLERS;
use hashbrown::HashTable;
use helix_engine::LexicalQuery;
use helix_memory::{Tags, WordSet};
use rustc_hash::{FxBuildHasher, FxHashSet, FxHasher};

use super::classify::beginning;

/// Bytes of a text whose words count. A longer one is compared by its beginning, so that no brief
/// reads megabytes.
pub(super) const COMPARED_MAX_BYTES: usize = 4 * 1024;

/// Words at the beginning of a text that are likely to say what it is about.
const HEADLINE_WORDS: usize = 12;

/// Shortest keyword, in characters.
const KEYWORD_MIN_CHARS: usize = 3;

/// Labels that say what sort of note a text is and never what it is about. The other labels, such
/// as `api`, `schema` and `test`, are subjects too. Sorted.
const LABELS: &[&str] = &[
    "architecture",
    "bug",
    "data-flow",
    "decision",
    "fix",
    "friction",
    "gap",
    "gotcha",
    "how-to",
    "hypothesis",
    "invariant",
    "missing",
    "module-map",
    "observation",
    "pattern",
    "perf",
    "performance",
    "todo",
    "untagged",
];

/// Words that name nothing: stop words, fillers, and labels. One look instead of one for each,
/// since most words are none of these.
static NAMELESS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    LexicalQuery::STOP_WORDS
        .iter()
        .chain(FILLERS)
        .chain(LABELS)
        .chain(&Tags::KIND_PREFIXES)
        .copied()
        .collect()
});

/// The words of one text.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Distinct, rarest first among all texts.
    pub(super) by_rarity: Vec<u32>,
    /// Distinct keywords, with whether they stand in the headline.
    pub(super) keywords: Vec<(u32, bool)>,
}

/// Every word of the texts it was made from, all in one text behind each other.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    numbers: HashTable<u32>,
    joined: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    /// Where it ends in `joined`; it starts where the one before ends.
    end: usize,
    /// Texts that have it.
    frequency: u32,
    /// The text that had it last.
    last_text: u32,
}

impl Vocabulary {
    /// Reads texts: their vocabulary, and each one's words.
    pub(super) fn read<'a>(texts: impl Iterator<Item = &'a str>) -> (Self, Vec<Words>) {
        let mut vocabulary = Self::default();
        let mut lowercase = String::new();
        let raw: Vec<Vec<u32>> = (1..)
            .zip(texts)
            .map(|(number, text)| vocabulary.add(text, number, &mut lowercase))
            .collect();
        let by_rarity = vocabulary.by_rarity(&raw);
        let keywords = vocabulary.keywords();
        let of_text = |(raw, by_rarity): (&Vec<u32>, _)| Words {
            by_rarity,
            keywords: keywords_of(raw, &keywords),
        };
        let words = raw.iter().zip(by_rarity).map(of_text).collect();
        (vocabulary, words)
    }

    /// How many different words there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The text of a keyword.
    pub(super) fn keyword(&self, number: u32) -> &str {
        self.word(number).unwrap_or_default()
    }

    /// The number of a word, if a text has it.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.numbers
            .find(hash_of(word), |&number| self.word(number) == Some(word))
            .copied()
    }

    fn word(&self, number: u32) -> Option<&str> {
        let at = number as usize;
        let start = at
            .checked_sub(1)
            .map_or(Some(0), |before| Some(self.entries.get(before)?.end))?;
        self.joined.get(start..self.entries.get(at)?.end)
    }

    /// The distinct words of a text in their order. `lowercase` is room to work in.
    fn add(&mut self, text: &str, text_number: u32, lowercase: &mut String) -> Vec<u32> {
        let mut distinct = Vec::new();
        for word in WordSet::words(beginning(text, COMPARED_MAX_BYTES)) {
            lowercase.clear();
            if word.is_ascii() {
                lowercase.push_str(word);
                lowercase.make_ascii_lowercase();
            } else {
                lowercase.push_str(&word.to_lowercase());
            }
            let number = self.number(lowercase);
            let Some(entry) = self.entries.get_mut(number as usize) else {
                continue;
            };
            if entry.last_text != text_number {
                entry.last_text = text_number;
                entry.frequency += 1;
                distinct.push(number);
            }
        }
        distinct
    }

    fn number(&mut self, word: &str) -> u32 {
        let hash = hash_of(word);
        if let Some(&number) = self
            .numbers
            .find(hash, |&number| self.word(number) == Some(word))
        {
            return number;
        }
        // Bounded by CONSIDERED_MAX × COMPARED_MAX_BYTES, far below the largest number.
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.joined.push_str(word);
        self.entries.push(Entry {
            hash,
            end: self.joined.len(),
            frequency: 0,
            last_text: 0,
        });
        let entries = &self.entries;
        self.numbers.insert_unique(hash, number, |&other| {
            entries.get(other as usize).map_or(0, |entry| entry.hash)
        });
        number
    }

    /// The words of each text as their places in an order from rare to common, in that order. No
    /// text is sorted: the texts are dealt out to their words, and the words, rare ones first,
    /// back to the texts.
    fn by_rarity(&self, raw: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let order = self.rare_first(raw.len());
        // Where each word's texts begin; later, where they end.
        let mut places = vec![0_usize; self.len()];
        let mut next = 0;
        for &word in &order {
            let (Some(place), Some(entry)) = (
                places.get_mut(word as usize),
                self.entries.get(word as usize),
            ) else {
                continue;
            };
            *place = next;
            next += entry.frequency as usize;
        }
        let mut texts = vec![0_u32; next];
        for (text, words) in (0_u32..).zip(raw) {
            for &word in words {
                let Some(place) = places.get_mut(word as usize) else {
                    continue;
                };
                if let Some(slot) = texts.get_mut(*place) {
                    *slot = text;
                }
                *place += 1;
            }
        }
        let mut by_rarity: Vec<Vec<u32>> = raw
            .iter()
            .map(|words| Vec::with_capacity(words.len()))
            .collect();
        let mut first = 0;
        for (rank, &word) in (0..).zip(&order) {
            let end = places.get(word as usize).copied().unwrap_or(first);
            for &text in texts.get(first..end).unwrap_or_default() {
                if let Some(ranks) = by_rarity.get_mut(text as usize) {
                    ranks.push(rank);
                }
            }
            first = end;
        }
        by_rarity
    }

    /// All words, those of one text first; of equals, in the order in which they first came.
    fn rare_first(&self, texts: usize) -> Vec<u32> {
        let mut places = vec![0_usize; texts + 2];
        for entry in &self.entries {
            // One behind, so that the sums say where each frequency begins.
            if let Some(count) = places.get_mut(entry.frequency as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        let mut order = vec![0; self.len()];
        for (word, entry) in (0..).zip(&self.entries) {
            let Some(place) = places.get_mut(entry.frequency as usize) else {
                continue;
            };
            if let Some(slot) = order.get_mut(*place) {
                *slot = word;
            }
            *place += 1;
        }
        order
    }

    /// For each word the keyword it stands for: itself, its singular when a text has that too, or
    /// none.
    fn keywords(&self) -> Vec<Option<u32>> {
        (0..)
            .take(self.len())
            .map(|number| {
                let word = self.keyword(number);
                if !is_keyword(word) {
                    return None;
                }
                let singular = word
                    .ends_with('s')
                    .then(|| Tags::normalise_one(word))
                    .flatten();
                Some(
                    singular
                        .and_then(|singular| self.find(&singular))
                        .unwrap_or(number),
                )
            })
            .collect()
    }
}

fn hash_of(word: &str) -> u64 {
    let mut hasher: FxHasher = FxBuildHasher.build_hasher();
    hasher.write(word.as_bytes());
    hasher.finish()
}

/// Returns whether a lowercased word may name what memories have in common.
pub(super) fn is_keyword(word: &str) -> bool {
    let is_named = if word.is_ascii() {
        word.len() >= KEYWORD_MIN_CHARS && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    } else {
        word.chars().nth(KEYWORD_MIN_CHARS - 1).is_some() && word.chars().any(char::is_alphabetic)
    };
    is_named && !word.starts_with(|c: char| c.is_ascii_digit()) && !NAMELESS.contains(word)
}

/// The distinct keywords of a text, in the order of their numbers.
fn keywords_of(raw: &[u32], keywords: &[Option<u32>]) -> Vec<(u32, bool)> {
    let mut of_text: Vec<(u32, bool)> = Vec::with_capacity(raw.len());
    for (position, word) in raw.iter().enumerate() {
        if let Some(Some(keyword)) = keywords.get(*word as usize) {
            of_text.push((*keyword, position >= HEADLINE_WORDS));
        }
    }
    // Of a word and its plural, the one in the headline stays.
    of_text.sort_unstable_by_key(|&(keyword, is_behind)| {
        (u64::from(keyword) << 1) | u64::from(is_behind)
    });
    of_text.dedup_by_key(|(keyword, _)| *keyword);
    for (_, in_headline) in &mut of_text {
        *in_headline = !*in_headline;
    }
    of_text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plurals_and_singulars_are_one_keyword() {
        let (vocabulary, words) =
            Vocabulary::read(["a commit is durable", "commits are the slow", "bus"].into_iter());
        let names = |at: usize| -> Vec<&str> {
            words
                .get(at)
                .unwrap()
                .keywords
                .iter()
                .map(|(word, _)| vocabulary.keyword(*word))
                .collect()
        };
        assert_eq!(names(0), ["commit", "durable"]);
        assert_eq!(names(1), ["commit", "slow"]);
        assert_eq!(names(2), ["bus"]);
    }

    #[test]
    fn rare_words_stand_first() {
        let (_, words) = Vocabulary::read(["the fox", "the dog", "the cat the"].into_iter());
        assert!(
            words
                .iter()
                .all(|words| words.by_rarity.len() == 2 && *words.by_rarity.last().unwrap() == 3)
        );
    }

    #[test]
    fn lists_are_sorted() {
        assert!(FILLERS.is_sorted() && LABELS.is_sorted());
    }

    proptest! {
        #[test]
        fn words_are_those_of_resemble(texts in prop::collection::vec("[a-dA-DéÉΣς0-2 .-]{0,40}", 1..6)) {
            let (vocabulary, words) = Vocabulary::read(texts.iter().map(String::as_str));
            let all: std::collections::BTreeSet<String> = texts.iter().flat_map(|text| WordSet::tokens(text)).collect();
            prop_assert_eq!(vocabulary.len(), all.len());
            for (text, words) in texts.iter().zip(&words) {
                prop_assert_eq!(words.by_rarity.len(), WordSet::tokens(text).len());
                prop_assert!(words.by_rarity.is_sorted_by(|a, b| a < b));
            }
        }
    }
}
