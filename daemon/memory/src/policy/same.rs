//! Judges whether two texts say the same thing, so that one of them may go. Being alike is not
//! enough: two facts of one form differ in a single word, and that word is what they are about.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Jaccard similarity from which two memories of one topic say the same, when only small words
/// differ.
pub const SAME_FROM: f32 = 0.95;

/// Words without which a text says what it says with them.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Words that a long text may gain or lose and still say the same. No negation, number, place or
/// time is among them.
const SMALL_WORDS: [&str; 16] = [
    "a", "an", "the", "that", "which", "also", "just", "very", "really", "please", "so", "then",
    "too", "quite", "simply", "actually",
];

/// Characters at a word's beginning that do not belong to it: quotes, brackets, marks of emphasis.
const OPENING: &[char] = &['"', '\'', '(', '[', '{', '<', '`', '*', '_', '“', '‘', '«'];

/// Characters at a word's end that do not belong to it.
const CLOSING: &[char] = &[
    '"', '\'', ')', ']', '}', '>', '`', '*', '_', '”', '’', '»', '.', ',', ';', ':', '!', '?', '…',
];

/// Marks that stand alone and are no words: bullets, dashes, marks of headings.
const MARKS: &[char] = &['-', '–', '—', '*', '•', '·', '#', '…', '.'];

/// A text's statement, in two hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saying {
    /// Equal for texts of the same words in the same order, apart from case, punctuation, white
    /// space and articles.
    pub exactly: u64,
    /// The same, apart from all small words too.
    pub roughly: u64,
}

impl Saying {
    /// Reads a text; `None` when it has no words.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).collect();
        if words
            .iter()
            .all(|word| SMALL_WORDS.contains(&word.as_str()))
        {
            return None;
        }
        Some(Self {
            exactly: hash(&words, &ARTICLES),
            roughly: hash(&words, &SMALL_WORDS),
        })
    }
}

/// Lower-cased words as they are written, without the punctuation around them: `C++`, `-5`, `!=`
/// and `a.rs:3` stay what they are.
fn words(text: &str) -> impl Iterator<Item = String> {
    let bare = |word: &str| {
        word.trim_start_matches(OPENING)
            .trim_end_matches(CLOSING)
            .to_lowercase()
    };
    text.split_whitespace()
        .filter(|word| !word.chars().all(|c| MARKS.contains(&c)))
        .map(move |word| {
            // What is punctuation only says something.
            Some(bare(word))
                .filter(|bare| !bare.is_empty())
                .unwrap_or_else(|| word.to_owned())
        })
}

fn hash(words: &[String], without: &[&str]) -> u64 {
    let mut hasher = FxHasher::default();
    words
        .iter()
        .filter(|word| !without.contains(&word.as_str()))
        .for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, other: &str) -> bool {
        Saying::of(one).map(|saying| saying.exactly)
            == Saying::of(other).map(|saying| saying.exactly)
    }

    #[test]
    fn dress_does_not_matter() {
        let said = "The build needs arm64, and a clean cache.";
        for other in [
            "the build needs **arm64** and a clean cache",
            "Build needs\n  \"arm64\" and clean cache!",
            "- the build needs (arm64), and the clean cache …",
        ] {
            assert!(is_same(said, other), "{other}");
        }
        assert_eq!(Saying::of("the a"), None);
        assert_eq!(Saying::of(" - "), None);
    }

    #[test]
    fn what_tells_two_facts_apart_matters() {
        for (one, other) in [
            (
                "okapi enclosure needs checking on Mondays",
                "gharial enclosure needs checking on Mondays",
            ),
            ("wait 5 seconds", "wait -5 seconds"),
            ("written in C", "written in C++"),
            ("a == b", "a != b"),
            ("see a.rs:3", "see a.rs:4"),
            ("the cache is warm", "the cache is not warm"),
            ("tokio replaced mio", "mio replaced tokio"),
            ("copy it from left to right", "copy it to left from right"),
        ] {
            assert!(!is_same(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn small_words_may_differ_roughly() {
        let rough = |text: &str| Saying::of(text).map(|saying| saying.roughly);
        assert_eq!(
            rough("the cache that is very warm"),
            rough("cache is also warm")
        );
        assert_ne!(rough("the cache is warm"), rough("the cache is never warm"));
    }
}
