//! Near duplicates among texts that are about to be stored together.

use super::alike::Search;
use super::{Texts, similarity};
use crate::policy::resemble::WordSet;

/// An earlier text that a text resembles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alike {
    /// Its place.
    pub earlier: usize,
    /// Jaccard similarity.
    pub similarity: f32,
}

impl Texts {
    /// For each text the earlier one of its group that it resembles most, the first of equals. What
    /// resembles an earlier one is nothing that a later one could resemble. A text that
    /// `is_same` says an earlier one is, is left alone: storing it reinforces the first. Alike
    /// texts that `are_apart`, by their places, do not resemble each other.
    #[must_use]
    pub fn earlier(
        mut self,
        is_same: impl Fn(usize, usize) -> bool,
        are_apart: impl Fn(usize, usize) -> bool,
    ) -> Vec<Option<Alike>> {
        self.order_words();
        let mut search = Search::new(&self.texts, &self.frequencies);
        // So few texts are stored together that no limit matters.
        let mut work = 0;
        let mut is_first = vec![false; self.texts.len()];
        let mut found = Vec::with_capacity(self.texts.len());
        for (place, text) in self.texts.iter().enumerate() {
            if text.words.len() < WordSet::TOKENS_MIN {
                found.push(None);
                continue;
            }
            let mut best: Option<Alike> = None;
            let mut is_repeated = false;
            for &earlier in search.candidates(&text.words, place, &mut work) {
                let is_kept = is_first.get(earlier).copied().unwrap_or_default();
                let Some(other) = self
                    .texts
                    .get(earlier)
                    .filter(|other| is_kept && other.group == text.group)
                else {
                    continue;
                };
                is_repeated |= is_same(place, earlier);
                let similarity = similarity(&text.words, &other.words);
                // From late to early, so that the first of equals comes last.
                let is_better = best.is_none_or(|best| similarity >= best.similarity);
                if similarity > WordSet::NEAR_DUPLICATE && is_better && !are_apart(place, earlier) {
                    best = Some(Alike {
                        earlier,
                        similarity,
                    });
                }
            }
            let best = best.filter(|_| !is_repeated);
            if let Some(is_first) = is_first.get_mut(place) {
                *is_first = best.is_none() && !is_repeated;
            }
            found.push(best);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::resemble::WordSet;

    fn earlier(texts: &[(u32, &str)]) -> Vec<Option<usize>> {
        let mut gathered = Texts::default();
        for (group, text) in texts {
            gathered.push(*group, &WordSet::of(text));
        }
        let found = gathered.earlier(
            |one, other| texts.get(one) == texts.get(other),
            |_, _| false,
        );
        found
            .into_iter()
            .map(|alike| alike.map(|alike| alike.earlier))
            .collect()
    }

    /// Compares each with each.
    fn slowly(texts: &[(u32, &str)]) -> Vec<Option<usize>> {
        let sets: Vec<WordSet> = texts.iter().map(|(_, text)| WordSet::of(text)).collect();
        let mut found: Vec<Option<usize>> = Vec::new();
        for (place, (text, set)) in texts.iter().zip(&sets).enumerate() {
            let kept = texts.iter().zip(&sets).zip(&found).take(place).enumerate();
            let kept = kept.filter(|(_, ((other, _), held))| held.is_none() && other.0 == text.0);
            let kept: Vec<_> = kept
                .map(|(at, ((other, words), _))| (at, other, set.jaccard(words)))
                .collect();
            let is_long = |at: &usize| {
                sets.get(*at)
                    .is_some_and(|set| set.len() >= WordSet::TOKENS_MIN)
            };
            let mut best: Option<(usize, f32)> = None;
            for (at, _, similarity) in &kept {
                let is_better = best.is_none_or(|(_, best)| *similarity > best);
                if is_long(at)
                    && is_long(&place)
                    && *similarity > WordSet::NEAR_DUPLICATE
                    && is_better
                {
                    best = Some((*at, *similarity));
                }
            }
            let is_repeated = kept.iter().any(|(_, other, _)| *other == text);
            found.push(best.map(|(at, _)| at).filter(|_| !is_repeated));
        }
        found
    }

    #[test]
    fn later_near_duplicates_point_at_the_first() {
        let texts = [
            (0, "a b c d e f g"),
            (0, "a b c d e f h"),
            (0, "A, b c d e f i"),
            (1, "a b c d e f h"),
        ];
        assert_eq!(earlier(&texts), [None, Some(0), Some(0), None]);
    }

    #[test]
    fn short_different_and_equal_texts_are_let_through() {
        assert_eq!(earlier(&[(0, "a b c"), (0, "a b c d")]), [None, None]);
        assert_eq!(
            earlier(&[(0, "a b c d e f"), (0, "u v w x y z")]),
            [None, None]
        );
        assert_eq!(
            earlier(&[(0, "a b c d e f"), (0, "a b c d e f")]),
            [None, None]
        );
    }

    proptest! {
        #[test]
        fn finds_what_comparing_each_with_each_finds(
            texts in prop::collection::vec(
                (0..2_u32, prop::collection::vec("[a-j]", 4..12).prop_map(|words| words.join(" "))), 0..40)
        ) {
            let texts: Vec<(u32, &str)> = texts.iter().map(|(group, text)| (*group, text.as_str())).collect();
            prop_assert_eq!(earlier(&texts), slowly(&texts));
        }
    }
}
