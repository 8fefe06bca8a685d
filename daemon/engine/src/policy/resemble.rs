//! How alike two texts are.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Fewest distinct tokens of a text that is compared at all; shorter ones collide by chance.
pub const RESEMBLE_TOKENS_MIN: usize = 6;

/// Jaccard similarity above which a text is reported as a near duplicate.
pub const NEAR_DUPLICATE: f32 = 0.7;

/// The words of a text as they stand in it: runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The distinct lowercased words of a text.
#[must_use]
pub fn tokens(text: &str) -> BTreeSet<String> {
    words(text).map(str::to_lowercase).collect()
}

/// Jaccard similarity of two token sets, 0 to 1.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f32 {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    if all == 0 { 0.0 } else { shared as f32 / all as f32 }
}

/// Hash by which exactly equal texts are found: BLAKE3 over the text with its white space folded, cut to 64 bits.
#[must_use]
pub fn text_hash(text: &str) -> u64 {
    let hash = blake3::hash(fold_white_space(text).as_bytes());
    hash.as_bytes().first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Makes every run of white space a single space, and drops it at both ends. Most texts are like that already.
fn fold_white_space(text: &str) -> Cow<'_, str> {
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

/// Whether folding surely changes nothing. Of texts beyond ASCII it is not known.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_spread = || bytes.windows(2).any(|pair| pair == b"  ");
    let has_control = || bytes.iter().any(|byte| *byte < b' ');
    text.is_ascii() && !text.starts_with(' ') && !text.ends_with(' ') && !has_control() && !is_spread()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jaccard_counts_shared_words() {
        let one = tokens("the build needs arm64 and a clean cache");
        assert!((jaccard(&one, &one) - 1.0).abs() < f32::EPSILON);
        assert!(jaccard(&one, &tokens("something else entirely here")) < 0.01);
        assert!(jaccard(&tokens(""), &tokens("")).abs() < f32::EPSILON);
    }

    #[test]
    fn exact_means_but_for_white_space() {
        assert_eq!(text_hash("a  b\n"), text_hash("a b"));
        assert_ne!(text_hash("a b"), text_hash("ab"));
        for text in [" a b", "a b ", "a\tb", "a\u{a0}b", "a\u{3000} b", "\u{b}a b", "a\r\nb"] {
            assert_eq!(text_hash(text), text_hash("a b"), "{text:?}");
        }
    }
}
