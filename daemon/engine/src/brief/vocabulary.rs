//! The words of the considered memories as numbers, so that passes compare numbers.
//!
//! A word is what [`crate::policy::resemble`] says it is; a property test holds the two together.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::classify::beginning;
use crate::index::lexical::stop_words::is_stop_word;
use crate::policy::resemble::words;
use crate::policy::tags::{AUTO_TAGS, KIND_PREFIXES, normalise_one};

/// Bytes of a text whose words count. A longer one is compared by its beginning, so that no brief reads megabytes.
pub(super) const COMPARED_MAX_BYTES: usize = 4 * 1024;

/// Words at the beginning of a text that are likely to say what it is about.
const HEADLINE_WORDS: usize = 12;

/// Shortest keyword, in characters.
const KEYWORD_MIN_CHARS: usize = 3;

/// Words that are common in notes about software and name nothing, beside the stop words. Sorted.
const FILLERS: &[&str] = &[
    "again",
    "alone",
    "already",
    "always",
    "another",
    "back",
    "behind",
    "both",
    "came",
    "case",
    "come",
    "costs",
    "day",
    "days",
    "different",
    "done",
    "down",
    "either",
    "else",
    "enough",
    "even",
    "ever",
    "every",
    "exactly",
    "few",
    "find",
    "first",
    "found",
    "four",
    "full",
    "get",
    "gets",
    "give",
    "given",
    "gives",
    "gone",
    "got",
    "half",
    "how",
    "instead",
    "its",
    "itself",
    "keep",
    "keeps",
    "kept",
    "last",
    "later",
    "leave",
    "less",
    "let",
    "like",
    "long",
    "made",
    "make",
    "makes",
    "many",
    "means",
    "measured",
    "more",
    "most",
    "much",
    "need",
    "needs",
    "never",
    "new",
    "next",
    "non",
    "none",
    "not",
    "nothing",
    "now",
    "off",
    "old",
    "once",
    "one",
    "ones",
    "only",
    "over",
    "own",
    "part",
    "per",
    "place",
    "put",
    "really",
    "same",
    "says",
    "second",
    "seconds",
    "see",
    "seen",
    "set",
    "since",
    "small",
    "something",
    "still",
    "take",
    "takes",
    "thing",
    "things",
    "three",
    "through",
    "time",
    "times",
    "too",
    "took",
    "twice",
    "two",
    "under",
    "until",
    "use",
    "used",
    "uses",
    "very",
    "via",
    "way",
    "well",
    "went",
    "what",
    "whatever",
    "whole",
    "without",
    "work",
    "works",
    "yet",
    "zero",
];

/// What names nothing: the fillers, and the labels that are categories already. One look instead of one for each tag, since most
/// words are neither.
static NAMELESS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| FILLERS.iter().chain(&AUTO_TAGS).chain(&KIND_PREFIXES).copied().collect());

/// The words of one text.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Distinct, rarest first among all texts.
    pub(super) by_rarity: Vec<u32>,
    /// Distinct keywords, with whether they stand in the headline.
    pub(super) keywords: Vec<(u32, bool)>,
}

/// Every word of the texts it was made from.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    numbers: FxHashMap<Rc<str>, u32>,
    texts: Vec<Rc<str>>,
    frequencies: Vec<u32>,
}

impl Vocabulary {
    /// Reads texts: their vocabulary, and each one's words.
    pub(super) fn read<'a>(texts: impl Iterator<Item = &'a str>) -> (Self, Vec<Words>) {
        let mut vocabulary = Self::default();
        let mut last_text = Vec::new();
        let raw: Vec<Vec<u32>> =
            (1..).zip(texts).map(|(number, text)| vocabulary.add(text, number, &mut last_text)).collect();
        let ranks = vocabulary.ranks();
        let keywords = vocabulary.keywords();
        let words = raw.into_iter().map(|raw| sort_words(raw, &ranks, &keywords)).collect();
        (vocabulary, words)
    }

    /// How many different words there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a keyword.
    pub(super) fn keyword(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// The number of a word, if a text has it.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The distinct words of a text in their order. `last_text` remembers for each word which text had it last.
    fn add(&mut self, text: &str, text_number: u32, last_text: &mut Vec<u32>) -> Vec<u32> {
        let mut distinct = Vec::new();
        let mut lowercase = String::new();
        for word in words(beginning(text, COMPARED_MAX_BYTES)) {
            lowercase.clear();
            if word.is_ascii() {
                lowercase.push_str(word);
                lowercase.make_ascii_lowercase();
            } else {
                lowercase.push_str(&word.to_lowercase());
            }
            let number = self.number(&lowercase);
            let at = number as usize;
            if last_text.len() <= at {
                last_text.resize(at + 1, 0);
            }
            let (Some(last), Some(frequency)) = (last_text.get_mut(at), self.frequencies.get_mut(at)) else { continue };
            if *last != text_number {
                *last = text_number;
                *frequency += 1;
                distinct.push(number);
            }
        }
        distinct
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        // Bounded by CONSIDERED_MAX × COMPARED_MAX_BYTES, far below the largest number.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let word: Rc<str> = word.into();
        self.numbers.insert(Rc::clone(&word), number);
        self.texts.push(word);
        self.frequencies.push(0);
        number
    }

    /// For each word its place in an order from rare to common.
    fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<(u32, u32)> = self.frequencies.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut ranks = vec![0; order.len()];
        for (rank, (_, word)) in (0..).zip(order) {
            if let Some(slot) = ranks.get_mut(word as usize) {
                *slot = rank;
            }
        }
        ranks
    }

    /// For each word the keyword it stands for: itself, its singular when a text has that too, or none.
    fn keywords(&self) -> Vec<Option<u32>> {
        (0..)
            .zip(&self.texts)
            .map(|(number, word)| {
                if !is_keyword(word) {
                    return None;
                }
                let singular = word.ends_with('s').then(|| normalise_one(word)).flatten();
                Some(singular.and_then(|singular| self.find(&singular)).unwrap_or(number))
            })
            .collect()
    }
}

/// Whether a lowercased word may name what memories have in common.
pub(super) fn is_keyword(word: &str) -> bool {
    word.chars().nth(KEYWORD_MIN_CHARS - 1).is_some()
        && word.chars().any(char::is_alphabetic)
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !is_stop_word(word)
        && !NAMELESS.contains(word)
}

fn sort_words(raw: Vec<u32>, ranks: &[u32], keywords: &[Option<u32>]) -> Words {
    let mut of_text: Vec<(u32, bool)> = Vec::new();
    for (position, word) in raw.iter().enumerate() {
        if let Some(Some(keyword)) = keywords.get(*word as usize) {
            of_text.push((*keyword, position < HEADLINE_WORDS));
        }
    }
    // Of a word and its plural, the one in the headline stays.
    of_text.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    of_text.dedup_by_key(|(keyword, _)| *keyword);
    let mut by_rarity: Vec<u32> = raw.into_iter().filter_map(|word| ranks.get(word as usize).copied()).collect();
    by_rarity.sort_unstable();
    Words { by_rarity, keywords: of_text }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::policy::resemble::tokens;

    #[test]
    fn plurals_and_singulars_are_one_keyword() {
        let (vocabulary, words) = Vocabulary::read(["a commit is durable", "commits are the slow", "bus"].into_iter());
        let names = |at: usize| -> Vec<&str> {
            words.get(at).unwrap().keywords.iter().map(|(word, _)| vocabulary.keyword(*word)).collect()
        };
        assert_eq!(names(0), ["commit", "durable"]);
        assert_eq!(names(1), ["commit", "slow"]);
        assert_eq!(names(2), ["bus"]);
    }

    #[test]
    fn rare_words_stand_first() {
        let (_, words) = Vocabulary::read(["the fox", "the dog", "the cat the"].into_iter());
        assert!(words.iter().all(|words| words.by_rarity.len() == 2 && *words.by_rarity.last().unwrap() == 3));
    }

    #[test]
    fn fillers_are_sorted() {
        assert!(FILLERS.is_sorted());
    }

    proptest! {
        #[test]
        fn words_are_those_of_resemble(texts in prop::collection::vec("[a-dA-DéÉΣς0-2 .-]{0,40}", 1..6)) {
            let (vocabulary, words) = Vocabulary::read(texts.iter().map(String::as_str));
            let all: std::collections::BTreeSet<String> = texts.iter().flat_map(|text| tokens(text)).collect();
            prop_assert_eq!(vocabulary.len(), all.len());
            for (text, words) in texts.iter().zip(&words) {
                prop_assert_eq!(words.by_rarity.len(), tokens(text).len());
                prop_assert!(words.by_rarity.is_sorted_by(|a, b| a < b));
            }
        }
    }
}
