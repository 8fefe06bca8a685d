//! How alike two texts are.

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
    let hash = if is_folded(text) { blake3::hash(text.as_bytes()) } else { blake3::hash(folded(text).as_bytes()) };
    hash.as_bytes().first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Whether folding the white space would change nothing, as in most texts; false for all that are not ASCII, since those
/// have other spaces.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_plain = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    is_plain && !text.starts_with(' ') && !text.ends_with(' ') && bytes.windows(2).all(|pair| pair != b"  ")
}

/// One space for any white space between words, and none around them.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
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
    }
}
