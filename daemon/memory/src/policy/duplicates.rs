//! Finding near duplicates among many texts without comparing each with each.
//!
//! The prefix filter of set similarity joins (Chaudhuri, Ganti and Kaushik 2006), with prefixes
//! long enough to share several words (Wang, Li and Feng 2012): when the words of every text are
//! ordered from rare to common, two texts that are alike share some of the first words of each. So
//! only texts that share so many rare words are compared, and none that is alike is missed; `alike`
//! says how many words that are.

mod alike;
mod earlier;

pub use earlier::Alike;

use alike::{COMPARISON_WORK, Search};
use rustc_hash::FxHashMap;

use super::resemble::{WordSet, share};

/// Texts gathered so far.
#[derive(Debug, Default)]
pub struct Texts {
    words: FxHashMap<u64, u32>,
    /// How many texts have each word.
    frequencies: Vec<u32>,
    texts: Vec<Text>,
}

#[derive(Debug)]
struct Text {
    /// Only texts of one group are alike.
    group: u32,
    /// Distinct words; from rare to common once all are known.
    words: Vec<u32>,
}

/// Two texts that say nearly the same, by their places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The one given later.
    pub kept: usize,
    /// The one given earlier. It is in no other pair, and nothing's `kept`.
    pub duplicate: usize,
    /// Jaccard similarity.
    pub similarity: f32,
}

/// The hits of a search.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// By `kept` from late to early.
    pub pairs: Vec<Pair>,
    /// The place of the latest text that was not compared with the earlier ones, as all before it
    /// were not, because the budget was spent.
    pub stopped_at: Option<usize>,
}

impl Texts {
    /// Work of one search, in entries of an index that are looked at: some five seconds. Ordinary notes
    /// need a few hundred for each text, so that two hundred thousand of them are compared whole.
    pub const WORK_MAX: usize = 2_000_000_000;

    /// Adds the words of a group's text; texts are given from old to new.
    pub fn push(&mut self, group: u32, text: &WordSet) {
        let mut words = Vec::with_capacity(text.len());
        for &word in text.hashes() {
            let next = u32::try_from(self.frequencies.len()).unwrap_or(u32::MAX);
            let word = *self.words.entry(word).or_insert(next);
            if word == next {
                self.frequencies.push(0);
            }
            words.push(word);
            if let Some(frequency) = self.frequencies.get_mut(word as usize) {
                *frequency += 1;
            }
        }
        self.texts.push(Text { group, words });
    }

    /// Finds near duplicates: each later text is kept beside all earlier ones of its group that are
    /// alike, say so of the same things, and are not a duplicate of a still later one.
    /// `are_apart` is asked of alike texts, by their places.
    #[must_use]
    pub fn find(self, are_apart: impl Fn(usize, usize) -> bool) -> Found {
        self.find_within(Texts::WORK_MAX, are_apart)
    }

    /// The same with another bound on the work. However small it is, one text is compared.
    #[must_use]
    pub fn find_within(
        mut self,
        work_max: usize,
        are_apart: impl Fn(usize, usize) -> bool,
    ) -> Found {
        self.order_words();
        let mut search = Search::new(&self.texts, &self.frequencies);
        let mut is_duplicate = vec![false; self.texts.len()];
        let mut found = Found::default();
        let mut work = 0;
        for (kept, text) in self.texts.iter().enumerate().rev() {
            if is_duplicate.get(kept).copied().unwrap_or(true)
                || text.words.len() < WordSet::TOKENS_MIN
            {
                continue;
            }
            if work >= work_max {
                found.stopped_at = Some(kept);
                break;
            }
            for &duplicate in search.candidates(&text.words, kept, &mut work) {
                let (Some(other), Some(flag)) =
                    (self.texts.get(duplicate), is_duplicate.get_mut(duplicate))
                else {
                    continue;
                };
                if *flag || other.group != text.group {
                    continue;
                }
                work += COMPARISON_WORK;
                let similarity = similarity(&text.words, &other.words);
                if similarity > WordSet::NEAR_DUPLICATE && !are_apart(kept, duplicate) {
                    *flag = true;
                    found.pairs.push(Pair {
                        kept,
                        duplicate,
                        similarity,
                    });
                }
            }
        }
        found
    }

    /// Gives words new numbers, from rare to common with ties broken the same way everywhere, and
    /// every text its words in that order, so that comparing texts compares numbers.
    fn order_words(&mut self) {
        let mut order: Vec<(u32, u32)> = self.frequencies.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut ranks = vec![0; order.len()];
        for (rank, (_, word)) in (0..).zip(&order) {
            if let Some(slot) = ranks.get_mut(*word as usize) {
                *slot = rank;
            }
        }
        for text in &mut self.texts {
            for word in &mut text.words {
                *word = ranks.get(*word as usize).copied().unwrap_or(*word);
            }
            text.words.sort_unstable();
        }
        self.frequencies = order.into_iter().map(|(frequency, _)| frequency).collect();
        self.words.clear();
    }
}

/// Jaccard similarity of two ascending lists; 0 as soon as it is clear that it cannot exceed
/// [`WordSet::NEAR_DUPLICATE`].
fn similarity(one: &[u32], other: &[u32]) -> f32 {
    // The similarity exceeds 7/10 where what is shared exceeds 7/17 of both lengths.
    let is_too_little = |shared: usize| shared * 17 <= (one.len() + other.len()) * 7;
    let (mut one_rest, mut other_rest, mut shared) = (one, other, 0);
    while let ([first, one_next @ ..], [second, other_next @ ..]) = (one_rest, other_rest) {
        match first.cmp(second) {
            std::cmp::Ordering::Equal => {
                shared += 1;
                (one_rest, other_rest) = (one_next, other_next);
                continue;
            }
            std::cmp::Ordering::Less => one_rest = one_next,
            std::cmp::Ordering::Greater => other_rest = other_next,
        }
        if is_too_little(shared + one_rest.len().min(other_rest.len())) {
            return 0.0;
        }
    }
    share(shared, one.len(), other.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(texts: &[(u32, String)]) -> Found {
        gathered(texts).find(|_, _| false)
    }

    fn gathered(texts: &[(u32, String)]) -> Texts {
        let mut gathered = Texts::default();
        for (group, text) in texts {
            gathered.push(*group, &WordSet::of(text));
        }
        gathered
    }

    /// Compares each with each.
    fn slowly(texts: &[(u32, String)]) -> Vec<(usize, usize)> {
        let sets: Vec<_> = texts.iter().map(|(_, text)| WordSet::of(text)).collect();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for kept in (0..texts.len()).rev() {
            for duplicate in (0..kept).rev() {
                let taken = pairs
                    .iter()
                    .any(|pair| pair.1 == duplicate || pair.1 == kept);
                let long = sets[kept].len().min(sets[duplicate].len()) >= WordSet::TOKENS_MIN;
                let alike = sets[kept].jaccard(&sets[duplicate]) > WordSet::NEAR_DUPLICATE;
                if !taken && long && alike && texts[kept].0 == texts[duplicate].0 {
                    pairs.push((kept, duplicate));
                }
            }
        }
        pairs
    }

    #[test]
    fn the_newer_stays_and_shorter_texts_are_left_alone() {
        let texts = [
            "the build needs arm64 and a clean cache",
            "too short",
            "The build needs arm64, and a clean cache!",
            "too short",
        ];
        let found = find(&texts.map(|text| (0, text.to_owned())));
        assert_eq!(
            found.pairs,
            [Pair {
                kept: 2,
                duplicate: 0,
                similarity: 1.0
            }]
        );
    }

    #[test]
    fn texts_about_different_things_are_no_duplicates() {
        let texts = [
            "one two three four five six",
            "one two three four five six",
            "one two three four five six",
        ];
        let found = gathered(&texts.map(|text| (0, text.to_owned()))).find(|kept, _| kept == 2);
        assert_eq!(
            found.pairs,
            [Pair {
                kept: 1,
                duplicate: 0,
                similarity: 1.0
            }]
        );
    }

    #[test]
    fn a_search_that_is_cut_says_so() {
        let texts: Vec<(u32, String)> = (0..20)
            .map(|n| {
                (
                    0,
                    format!(
                        "one two three four five {}",
                        if n % 2 == 0 {
                            "six"
                        } else {
                            "seven eight nine"
                        }
                    ),
                )
            })
            .collect();
        let found = gathered(&texts).find_within(1, |_, _| false);
        // The latest takes those that are as it is; the next one is what a later search goes on
        // with.
        assert_eq!((found.pairs.len(), found.stopped_at), (9, Some(18)));
        let rest = gathered(texts.get(..19).unwrap_or_default()).find(|_, _| false);
        assert_eq!(
            (rest.pairs.len(), rest.stopped_at, find(&texts).stopped_at),
            (9 + 8, None, None)
        );
    }

    proptest! {
        #[test]
        fn finds_what_comparing_each_with_each_finds(
            texts in prop::collection::vec((0..2_u32, prop::collection::vec("[a-l]", 4..14).prop_map(|words| words.join(" "))), 0..40)
        ) {
            let found: Vec<(usize, usize)> = find(&texts).pairs.iter().map(|pair| (pair.kept, pair.duplicate)).collect();
            prop_assert_eq!(found, slowly(&texts));
        }
    }
}
