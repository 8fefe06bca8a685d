//! Second pass: which memory a newer one has replaced.
//!
//! Two memories are versions of one when their words overlap by more than 0.6 (Jaccard), both say
//! it of the same things ([`Particulars::are_apart`]) and the newer became true two days or more
//! after the older. Comparing all pairs would take a second for thousands, so candidates come from
//! a prefix filter (Bayardo, Ma and Srikant, *Scaling up all pairs similarity search*, 2007; longer
//! prefixes with several shared words after Wang, Li and Feng, *Can we beat the prefix filtering?*,
//! 2012): with the words of each text ordered from rare to common, two texts over the threshold
//! share [`SHARED_MIN`] of the first words of each. How many these are follows from the threshold;
//! being rare, they are in few texts. The result is that of comparing all pairs, up to
//! [`COMPARISONS_MAX`].

use std::cell::OnceCell;

use helix_memory::{Particulars, Timestamp};

/// The Jaccard similarity above which a newer memory replaces an older one, as a fraction: 0.6.
const THRESHOLD: (usize, usize) = (3, 5);

/// How much newer it must be, in microseconds: two days.
const NEWER_BY_MICROS: i64 = 2 * 86_400 * 1_000_000;

/// Newer memories that one memory is compared with, nearest in time first: bounds the time that a
/// thousand variations of one text may take.
pub(super) const COMPARISONS_MAX: usize = 256;

/// Words that two prefixes must share. One shared word left 1,000 notes of one topic five times
/// slower.
const SHARED_MIN: usize = 4;

/// The pass's view of a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version<'a> {
    /// Distinct words, rarest first.
    pub(super) words: &'a [u32],
    /// The part of its text that has these words.
    pub(super) text: &'a str,
    /// When the fact became true.
    pub(super) valid_from: Timestamp,
}

/// For each memory the one that superseded it: of the newer versions the nearest in time, so that
/// versions form a chain.
pub(super) fn successors(versions: &[Version<'_>], vocabulary_len: usize) -> Vec<Option<usize>> {
    let mut by_time: Vec<usize> = (0..versions.len()).collect();
    by_time.sort_by_key(|&at| versions.get(at).map(|version| version.valid_from));
    let ordered: Vec<Version<'_>> = by_time
        .iter()
        .filter_map(|&at| versions.get(at).copied())
        .collect();
    let mut search = Search::of(&ordered, vocabulary_len);
    let mut successors = vec![None; versions.len()];
    for (older, version) in ordered.iter().enumerate() {
        let newer = search
            .nearest_newer(older, version)
            .and_then(|newer| by_time.get(newer).copied());
        if let Some(slot) = by_time.get(older).and_then(|&at| successors.get_mut(at)) {
            *slot = newer;
        }
    }
    successors
}

/// The fewest words that a text shares with any that it resembles.
fn shared_least(words: usize) -> usize {
    words * THRESHOLD.0 / THRESHOLD.1 + 1
}

/// How many of a text's rarest words must be looked at to miss no partner.
fn prefix_len(words: usize) -> usize {
    (words + SHARED_MIN)
        .saturating_sub(shared_least(words))
        .min(words)
}

/// Returns whether two texts of so many words, of which so many are shared, overlap by more than
/// the threshold.
fn resemble(one: usize, other: usize, shared: usize) -> bool {
    let (over, under) = THRESHOLD;
    shared * under > (one + other - shared) * over
}

/// The memories, oldest first, with the texts that have each word in their prefix, and room for one
/// search at a time.
struct Search<'v> {
    ordered: &'v [Version<'v>],
    /// The particulars of each, once somebody asked.
    particulars: Vec<OnceCell<Particulars>>,
    /// The texts of each word behind each other, oldest first.
    texts: Vec<u32>,
    /// Where in `texts` those of each word end; they begin where those of the word before end.
    ends: Vec<usize>,
    /// For each memory how many words its prefix shares with the one searched for; zero between
    /// searches.
    counts: Vec<u32>,
    /// For each word the search that had it last.
    marks: Vec<u32>,
    searches: u32,
}

impl<'v> Search<'v> {
    fn of(ordered: &'v [Version<'v>], vocabulary_len: usize) -> Self {
        let mut ends = vec![0_usize; vocabulary_len];
        for &word in ordered.iter().flat_map(|version| prefix(version.words)) {
            if let Some(count) = ends.get_mut(word as usize) {
                *count += 1;
            }
        }
        let mut all = 0;
        for end in &mut ends {
            // Where the word's texts begin, until each has moved it by one.
            all += std::mem::replace(end, all);
        }
        let mut texts = vec![0; all];
        for (at, version) in (0..).zip(ordered) {
            for &word in prefix(version.words) {
                let Some(end) = ends.get_mut(word as usize) else {
                    continue;
                };
                if let Some(slot) = texts.get_mut(*end) {
                    *slot = at;
                }
                *end += 1;
            }
        }
        let particulars = vec![OnceCell::new(); ordered.len()];
        Self {
            ordered,
            particulars,
            texts,
            ends,
            counts: vec![0; ordered.len()],
            marks: vec![0; vocabulary_len],
            searches: 0,
        }
    }

    fn nearest_newer(&mut self, place: usize, older: &Version<'_>) -> Option<usize> {
        let soonest = older.valid_from.as_micros().saturating_add(NEWER_BY_MICROS);
        let first = self
            .ordered
            .partition_point(|version| version.valid_from.as_micros() < soonest);
        if first == self.ordered.len() {
            return None;
        }
        let candidates = self.candidates(older.words, first);
        if candidates.is_empty() {
            return None;
        }
        self.mark(older.words);
        let is_version = |at: &u32| {
            self.ordered.get(*at as usize).is_some_and(|newer| {
                let shared = newer
                    .words
                    .iter()
                    .filter(|&&word| self.is_marked(word))
                    .count();
                resemble(older.words.len(), newer.words.len(), shared)
                    && !self.are_apart(place, *at as usize)
            })
        };
        candidates
            .into_iter()
            .take(COMPARISONS_MAX)
            .find(is_version)
            .map(|at| at as usize)
    }

    fn are_apart(&self, one: usize, other: usize) -> bool {
        let of = |place: usize| {
            let (cell, version) = (self.particulars.get(place)?, self.ordered.get(place)?);
            Some(cell.get_or_init(|| Particulars::of(version.text)))
        };
        of(one)
            .zip(of(other))
            .is_some_and(|(one, other)| one.are_apart(other) || one.is_turned_round(other))
    }

    /// The memories from `first` on that share enough of the prefix, oldest first.
    fn candidates(&mut self, words: &[u32], first: usize) -> Vec<u32> {
        let mut touched: Vec<u32> = Vec::new();
        for &word in prefix(words) {
            let word = word as usize;
            let start = word
                .checked_sub(1)
                .and_then(|before| self.ends.get(before))
                .copied()
                .unwrap_or_default();
            let list = self
                .ends
                .get(word)
                .and_then(|&end| self.texts.get(start..end))
                .unwrap_or_default();
            let newer = list.partition_point(|&at| (at as usize) < first);
            for &at in list.iter().skip(newer) {
                if let Some(count) = self.counts.get_mut(at as usize) {
                    if *count == 0 {
                        touched.push(at);
                    }
                    *count += 1;
                }
            }
        }
        let needed = shared_least(words.len());
        touched.retain(|&at| {
            let count = self.counts.get_mut(at as usize).map_or(0, std::mem::take) as usize;
            let length = self
                .ordered
                .get(at as usize)
                .map_or(0, |version| version.words.len());
            count >= SHARED_MIN.min(needed.max(shared_least(length)))
                && resemble(words.len(), length, words.len().min(length))
        });
        touched.sort_unstable();
        touched
    }

    fn mark(&mut self, words: &[u32]) {
        self.searches += 1;
        for &word in words {
            if let Some(mark) = self.marks.get_mut(word as usize) {
                *mark = self.searches;
            }
        }
    }

    fn is_marked(&self, word: u32) -> bool {
        self.marks.get(word as usize) == Some(&self.searches)
    }
}

fn prefix(words: &[u32]) -> &[u32] {
    words.get(..prefix_len(words.len())).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::super::samples::days_ago;
    use super::super::vocabulary::Vocabulary;
    use super::*;
    use helix_memory::WordSet;

    fn successors_of(texts: &[(&str, i64)]) -> Vec<Option<usize>> {
        let (vocabulary, words) = Vocabulary::read(texts.iter().map(|(text, _)| *text));
        let versions: Vec<Version<'_>> = texts
            .iter()
            .zip(&words)
            .map(|((text, days), words)| Version {
                words: &words.by_rarity,
                text,
                valid_from: days_ago(*days),
            })
            .collect();
        successors(&versions, vocabulary.len())
    }

    #[test]
    fn the_newer_version_supersedes_the_older() {
        let texts = [
            ("the cache is warm at noon", 9),
            ("the cache is not warm at noon", 3),
            ("unrelated words here", 1),
        ];
        assert_eq!(successors_of(&texts), [Some(1), None, None]);
    }

    #[test]
    fn facts_about_different_things_supersede_nothing() {
        let texts = [
            ("billing listens on port 8081 now", 9),
            ("search listens on port 8082 now", 3),
        ];
        assert_eq!(successors_of(&texts), [None, None]);
        let texts = [
            ("the cache of billing holds 10 entries", 9),
            ("the cache of search holds 10 entries", 3),
        ];
        assert_eq!(successors_of(&texts), [None, None]);
    }

    #[test]
    fn two_days_are_enough_and_less_is_not() {
        assert_eq!(
            successors_of(&[("a b c d e", 5), ("a b c d e f", 3)]),
            [Some(1), None]
        );
        assert_eq!(
            successors_of(&[("a b c d e", 4), ("a b c d e f", 3)]),
            [None, None]
        );
    }

    #[test]
    fn exactly_the_threshold_is_not_enough() {
        // 3 of 5 words are shared.
        assert_eq!(
            successors_of(&[("a b c", 9), ("a b c d e", 3)]),
            [None, None]
        );
        assert_eq!(
            successors_of(&[("a b c d", 9), ("a b c d e f", 3)]),
            [Some(1), None]
        );
    }

    #[test]
    fn versions_form_a_chain() {
        let texts = [("a b c d e f g", 3), ("a b c d e", 9), ("a b c d e f", 6)];
        assert_eq!(successors_of(&texts), [None, Some(2), Some(0)]);
    }

    /// Compares all pairs, as the pass is meant, by the words and the measure that the rest of
    /// Helix uses.
    fn by_all_pairs(texts: &[(String, i64)]) -> Vec<Option<usize>> {
        let sets: Vec<_> = texts
            .iter()
            .map(|(text, _)| WordSet::tokens(text))
            .collect();
        let newest_first = |older: usize| {
            let mut newer: Vec<usize> = (0..texts.len())
                .filter(|&at| texts[at].1 + 2 <= texts[older].1)
                .collect();
            newer.sort_by_key(|&at| (-texts[at].1, at));
            newer.into_iter().find(|&at| {
                let of = |place: usize| Particulars::of(&texts[place].0);
                let are_apart = of(older).are_apart(&of(at)) || of(older).is_turned_round(&of(at));
                WordSet::overlap(&sets[older], &sets[at]) > 0.6 && !are_apart
            })
        };
        (0..texts.len()).map(newest_first).collect()
    }

    proptest! {
        #[test]
        fn the_filter_misses_no_pair(texts in prop::collection::vec(("([a-j] ){0,9}", 0_i64..12), 0..30)) {
            let borrowed: Vec<(&str, i64)> = texts.iter().map(|(text, days)| (text.as_str(), *days)).collect();
            prop_assert_eq!(successors_of(&borrowed), by_all_pairs(&texts));
        }

        #[test]
        fn a_successor_is_two_days_newer(texts in prop::collection::vec(("([a-d] ){3,5}", 0_i64..9), 0..60)) {
            let borrowed: Vec<(&str, i64)> = texts.iter().map(|(text, days)| (text.as_str(), *days)).collect();
            for (older, newer) in successors_of(&borrowed).into_iter().enumerate() {
                prop_assert!(newer.is_none_or(|newer| texts[newer].1 + 2 <= texts[older].1));
            }
        }
    }
}
