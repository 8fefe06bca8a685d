//! How alike two texts are.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Bytes by which two short texts may differ in their marks.
const FORM_MAX_BYTES: usize = 8;

/// The distinct lowercased words of a text as 64-bit hashes, sorted: to be compared, not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordSet(Vec<u64>);

impl WordSet {
    /// Fewest distinct tokens of a text that is compared at all; shorter ones collide by chance.
    pub const TOKENS_MIN: usize = 6;

    /// Jaccard similarity above which a text is reported as a near duplicate.
    pub const NEAR_DUPLICATE: f32 = 0.7;

    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut hashes: Vec<u64> = WordSet::words(text).map(word_hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// How many words it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Jaccard similarity with another, 0 to 1.
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> f32 {
        share(shared(&self.0, &other.0), self.0.len(), other.0.len())
    }

    /// The hashes, from small to large.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.0
    }

    /// Hash by which exactly equal texts are found: BLAKE3 over the text with its white space folded,
    /// cut to 64 bits.
    #[must_use]
    pub fn text_hash(text: &str) -> u64 {
        let hash = blake3::hash(WordSet::fold_white_space(text).as_bytes());
        hash.as_bytes()
            .first_chunk::<8>()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Returns whether two texts are the same but for capitals, white space and marks at the ends of
    /// their words. A question is no statement.
    #[must_use]
    pub fn is_same_but_for_form(one: &str, other: &str) -> bool {
        if one.len().abs_diff(other.len()) > one.len().min(other.len()) / 2 + FORM_MAX_BYTES {
            return false;
        }
        plain_words(one).eq(plain_words(other))
    }

    /// The words of a text as they stand in it: runs of letters and digits.
    pub fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    }

    /// The distinct lowercased words of a text.
    #[must_use]
    pub fn tokens(text: &str) -> BTreeSet<String> {
        WordSet::words(text).map(str::to_lowercase).collect()
    }

    /// Jaccard similarity of two token sets, 0 to 1.
    #[must_use]
    pub fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f32 {
        share(one.intersection(other).count(), one.len(), other.len())
    }

    /// Makes every run of white space a single space, and drops it at both ends. Most texts are like
    /// that already.
    #[must_use]
    pub fn fold_white_space(text: &str) -> Cow<'_, str> {
        if is_folded(text) {
            return Cow::Borrowed(text);
        }
        let mut folded = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !folded.is_empty() {
                folded.push(' ');
            }
            folded.push_str(word);
        }
        Cow::Owned(folded)
    }
}

/// The words of a text in lower case, without the marks around them.
fn plain_words(text: &str) -> impl Iterator<Item = String> {
    let is_end = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '。' | '，' | '；' | '！');
    let is_around = |c: char| matches!(c, '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '(' | ')');
    text.split_whitespace()
        .map(move |word| word.trim_matches(is_around).trim_end_matches(is_end))
        .map(move |word| word.trim_matches(is_around).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// Returns whether a character belongs to a script that is written without blanks between words.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

pub(super) fn word_hash(word: &str) -> u64 {
    if word.is_ascii() {
        bytes_hash(word.bytes().map(|byte| byte.to_ascii_lowercase()))
    } else {
        bytes_hash(word.to_lowercase().bytes())
    }
}

fn bytes_hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}

/// How many values two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut one_rest, mut other_rest, mut shared) = (one, other, 0);
    while let ([first, one_next @ ..], [second, other_next @ ..]) = (one_rest, other_rest) {
        let order = first.cmp(second);
        shared += usize::from(order.is_eq());
        one_rest = if order.is_le() { one_next } else { one_rest };
        other_rest = if order.is_ge() {
            other_next
        } else {
            other_rest
        };
    }
    shared
}

/// Returns the shared part of two sets.
#[allow(clippy::cast_precision_loss)]
pub(super) fn share(shared: usize, one: usize, other: usize) -> f32 {
    let all = one + other - shared;
    if all == 0 {
        0.0
    } else {
        shared as f32 / all as f32
    }
}

/// Returns whether folding surely changes nothing. Of texts beyond ASCII it is not known.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_spread = || bytes.windows(2).any(|pair| pair == b"  ");
    let has_control = || bytes.iter().any(|byte| *byte < b' ');
    text.is_ascii()
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !has_control()
        && !is_spread()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn jaccard_counts_shared_words() {
        let one = WordSet::tokens("the build needs arm64 and a clean cache");
        assert!((WordSet::overlap(&one, &one) - 1.0).abs() < f32::EPSILON);
        assert!(WordSet::overlap(&one, &WordSet::tokens("something else entirely here")) < 0.01);
        assert!(WordSet::overlap(&WordSet::tokens(""), &WordSet::tokens("")).abs() < f32::EPSILON);
    }

    proptest! {
        #[test]
        fn hashed_words_resemble_as_the_words_do(one in "(\\PC|[ab ]){0,40}", other in "(\\PC|[ab ]){0,40}") {
            let (words, hashed) = ((WordSet::tokens(&one), WordSet::tokens(&other)), (WordSet::of(&one), WordSet::of(&other)));
            prop_assert_eq!((words.0.len(), words.1.len()), (hashed.0.len(), hashed.1.len()));
            prop_assert!((WordSet::overlap(&words.0, &words.1) - hashed.0.jaccard(&hashed.1)).abs() < f32::EPSILON);
        }
    }

    #[test]
    fn exact_means_but_for_white_space() {
        assert_eq!(WordSet::text_hash("a  b\n"), WordSet::text_hash("a b"));
        assert_ne!(WordSet::text_hash("a b"), WordSet::text_hash("ab"));
        for text in [
            " a b",
            "a b ",
            "a\tb",
            "a\u{a0}b",
            "a\u{3000} b",
            "\u{b}a b",
            "a\r\nb",
        ] {
            assert_eq!(
                WordSet::text_hash(text),
                WordSet::text_hash("a b"),
                "{text:?}"
            );
        }
    }
}
