//! Near duplicates within one batch, which the daemon compares with what is stored only.

use std::collections::BTreeSet;

use helix_client::v1::Draft;

/// Jaccard similarity above which two texts are near duplicates, as in the daemon.
const NEAR_DUPLICATE: f32 = 0.7;

/// Fewest distinct words of a text that is compared; shorter ones collide by chance.
const WORDS_MIN: usize = 6;

/// An entry that resembles an earlier one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    /// Position of the earlier one.
    pub(super) earlier: usize,
    /// How alike they are.
    pub(super) similarity: f32,
}

/// For each draft the earlier one of its scope that it resembles most. The same text twice is left to the daemon, which
/// reinforces the first; what is held back itself holds nothing back.
pub(super) fn alike(drafts: &[Draft]) -> Vec<Option<Alike>> {
    let words: Vec<BTreeSet<String>> = drafts.iter().map(|draft| words_of(&draft.text)).collect();
    let mut found: Vec<Option<Alike>> = Vec::with_capacity(drafts.len());
    for (at, (draft, own)) in drafts.iter().zip(&words).enumerate() {
        let earlier = drafts.iter().zip(&words).zip(&found).take(at).enumerate();
        let kept = earlier.filter(|(_, ((other, _), held))| held.is_none() && other.scope == draft.scope);
        let candidates: Vec<(usize, &Draft, f32)> =
            kept.map(|(at, ((other, words), _))| (at, other, jaccard(own, words))).collect();
        let is_repeated = candidates.iter().any(|(_, other, _)| is_same_text(&draft.text, &other.text));
        let best = candidates.into_iter().filter(|(_, _, similarity)| *similarity > NEAR_DUPLICATE);
        let best = best.max_by(|(_, _, one), (_, _, other)| one.total_cmp(other));
        found.push(best.filter(|_| !is_repeated).map(|(earlier, _, similarity)| Alike { earlier, similarity }));
    }
    found
}

fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// 0 for texts that are too short to compare, or too different in length to be alike.
#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f32 {
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    if fewer < WORDS_MIN || (fewer as f32) <= NEAR_DUPLICATE * more as f32 {
        return 0.0;
    }
    let shared = one.intersection(other).count();
    shared as f32 / (one.len() + other.len() - shared) as f32
}

fn is_same_text(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, &str)]) -> Vec<Option<usize>> {
        let draft = |(scope, text): &(&str, &str)| Draft {
            scope: (*scope).to_owned(),
            text: (*text).to_owned(),
            ..Draft::default()
        };
        let drafts: Vec<Draft> = texts.iter().map(draft).collect();
        alike(&drafts).into_iter().map(|alike| alike.map(|alike| alike.earlier)).collect()
    }

    #[test]
    fn later_near_duplicates_point_at_the_first() {
        let texts = [("", "a b c d e f g"), ("", "a b c d e f h"), ("", "A, b c d e f i"), ("global", "a b c d e f h")];
        assert_eq!(found(&texts), [None, Some(0), Some(0), None]);
    }

    #[test]
    fn short_different_and_equal_texts_are_let_through() {
        assert_eq!(found(&[("", "a b c"), ("", "a b c d")]), [None, None]);
        assert_eq!(found(&[("", "a b c d e f"), ("", "u v w x y z")]), [None, None]);
        assert_eq!(found(&[("", "a b c d e f"), ("", " a b  c d e f")]), [None, None]);
    }
}
