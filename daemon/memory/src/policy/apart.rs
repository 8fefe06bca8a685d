//! Tells apart texts of one form that are about different things.
//!
//! "Billing listens on 8081" and "search listens on 8082" share most of their words and none of
//! what they say. Words in common cannot tell them from two versions of one fact, so the words that
//! differ decide: a number, a name, a path, a version or an environment that only one text has
//! makes it another fact, and so does a word of substance that stands where the other text has one
//! of its own. What is left is a rewording or an elaboration: words of form that differ, or
//! words that one text has more.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use rustc_hash::{FxHashSet, FxHasher};

use super::{consolidate, stems};

/// Words that a rewording may exchange.
static FORM: LazyLock<FxHashSet<&str>> = LazyLock::new(|| listed(include_str!("apart/form.txt")));

/// Places where software runs and platforms that it runs on.
static ENVIRONMENTS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| listed(include_str!("apart/environments.txt")));

/// Characters between the parts of a path, a version, an address or an identifier.
const JOINTS: &[char] = &[
    '.', '/', '\\', '_', '-', ':', '@', '#', '+', '=', '~', '$', '%', '<', '>', '!',
];

/// Letters of other scripts than those with cases have no initial capital, and words of theirs no
/// blanks between them.
const SENTENCE_ENDS: &[char] = &['.', ':', ';', '!', '?', '-', '–', '—', '|'];

/// The words of a text by what they do in it, as sorted hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Particulars {
    /// Numbers, names, paths, versions, environments: two texts of one fact have the same ones.
    exact: Vec<u64>,
    /// Stems of all other words of substance.
    substance: Vec<u64>,
    /// Both, each once, as they follow each other in the text.
    order: Vec<u64>,
    /// True if it denies what its words say.
    is_negated: bool,
}

impl Particulars {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut particulars = Self {
            is_negated: consolidate::is_negated(text),
            ..Self::default()
        };
        let mut begins_sentence = true;
        for written in text.split_whitespace() {
            let word = bare(written);
            let is_first =
                std::mem::replace(&mut begins_sentence, written.ends_with(SENTENCE_ENDS));
            if word.is_empty() {
                continue;
            }
            let lower = word.to_lowercase();
            let telling = if is_exact(word, &lower, is_first) {
                let exact = hash(&lower);
                particulars.exact.push(exact);
                exact
            } else if FORM.contains(lower.as_str()) {
                continue;
            } else {
                let stem = hash(&stems::stem(&lower));
                particulars.substance.push(stem);
                stem
            };
            if !particulars.order.contains(&telling) {
                particulars.order.push(telling);
            }
        }
        for words in [&mut particulars.exact, &mut particulars.substance] {
            words.sort_unstable();
            words.dedup();
        }
        particulars
    }

    /// Returns whether two texts that share most of their words may say the same: of the same
    /// things, and neither denies what the other says.
    #[must_use]
    pub fn may_be_the_same(&self, other: &Self) -> bool {
        self.is_negated == other.is_negated && !self.are_apart(other)
    }

    /// Returns whether two texts that share most of their words say it of different things.
    #[must_use]
    pub fn are_apart(&self, other: &Self) -> bool {
        let has_more =
            |one: &[u64], other: &[u64]| one.iter().any(|word| other.binary_search(word).is_err());
        self.exact != other.exact
            || (has_more(&self.substance, &other.substance)
                && has_more(&other.substance, &self.substance))
    }

    /// Returns whether both have the very same words, and two of them have changed places, as in
    /// `from staging to local` and `from local to staging`. What moves as a whole, as a condition
    /// that stands first, stays the same. By words alone nobody can tell it from a sentence that
    /// was turned.
    #[must_use]
    pub fn is_turned_round(&self, other: &Self) -> bool {
        self.substance == other.substance && self.order != other.order && !self.is_moved(other)
    }

    /// Returns whether the words of another text are these with the first few behind the others.
    fn is_moved(&self, other: &Self) -> bool {
        let first = other.order.first();
        let place = self.order.iter().position(|word| Some(word) == first);
        let Some((front, rest)) = place.and_then(|place| self.order.split_at_checked(place)) else {
            return false;
        };
        rest.iter().chain(front).eq(other.order.iter())
    }
}

/// A word without the punctuation around it. A sign before a number is a part of it.
fn bare(written: &str) -> &str {
    let is_outside = |c: char| !c.is_alphanumeric();
    let end = written.trim_end_matches(is_outside);
    let start = end.trim_start_matches(is_outside);
    let before = end.len() - start.len();
    let is_signed = end.get(..before).is_some_and(|mark| mark.ends_with('-'))
        && start.starts_with(|c: char| c.is_ascii_digit());
    if is_signed {
        end.get(before - 1..).unwrap_or(start)
    } else {
        start
    }
}

/// Returns whether a word is a number, a name, a path, a version or an environment.
fn is_exact(word: &str, lower: &str, begins_sentence: bool) -> bool {
    let has_digit = word.chars().any(char::is_numeric);
    let is_joined = word.contains(JOINTS) && !is_compound(word);
    let mut letters = word.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let has_inner_capital = letters.any(char::is_uppercase);
    let is_name = has_inner_capital || (is_capital && !begins_sentence);
    // `plan A`; but not `I`.
    let is_label = word.len() == 1 && is_name && lower != "i";
    has_digit
        || is_joined
        || ENVIRONMENTS.contains(lower)
        || is_label
        || (is_name && !FORM.contains(lower))
}

/// Returns whether a word is made of plain words with dashes or slashes between: `follow-up`,
/// `read/write`.
fn is_compound(word: &str) -> bool {
    let parts = || word.split(['-', '/']);
    parts().count() <= 2
        && parts().all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic))
}

fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    hasher.finish()
}

fn listed(words: &'static str) -> FxHashSet<&'static str> {
    words
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The labelled pairs: `apart` or `alike`, then both texts.
    fn pairs() -> impl Iterator<Item = (bool, &'static str, &'static str)> {
        let lines = include_str!("apart/pairs.txt")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| {
            let mut fields = line.split(" | ");
            let label = fields.next().unwrap();
            assert!(["apart", "alike"].contains(&label), "{line}");
            (
                label == "apart",
                fields.next().unwrap(),
                fields.next().unwrap(),
            )
        })
    }

    #[test]
    fn facts_of_one_form_are_told_from_versions_of_one_fact() {
        let wrong: Vec<_> = pairs()
            .filter(|(apart, one, other)| {
                Particulars::of(one).are_apart(&Particulars::of(other)) != *apart
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn who_does_what_to_whom_is_told_from_a_condition_that_moves() {
        let is_turned =
            |one: &str, other: &str| Particulars::of(one).is_turned_round(&Particulars::of(other));
        for (one, other) in [
            (
                "Traffic flows from the gateway to the auth service",
                "Traffic flows from the auth service to the gateway",
            ),
            (
                "The client retries, the server does not",
                "The server retries, the client does not",
            ),
            (
                "reads go to the replica, writes go to the primary",
                "writes go to the replica, reads go to the primary",
            ),
            (
                "Money is moved from account A to account B",
                "Money is moved from account B to account A",
            ),
        ] {
            assert!(is_turned(one, other), "{one}");
        }
        assert!(!is_turned(
            "Before each release run the full test suite twice",
            "Run the full test suite twice before each release",
        ));
    }

    #[test]
    fn the_order_of_the_two_does_not_matter() {
        for (_, one, other) in pairs() {
            let (one, other) = (Particulars::of(one), Particulars::of(other));
            assert_eq!(one.are_apart(&other), other.are_apart(&one));
            assert!(!one.are_apart(&one));
        }
    }

    #[test]
    fn the_lists_are_lower_case_and_share_no_word() {
        assert!(FORM.is_disjoint(&ENVIRONMENTS));
        for word in FORM.iter().chain(ENVIRONMENTS.iter()) {
            assert_eq!(*word, word.to_lowercase());
        }
    }
}
