//! Which of the texts of a strand are worth a comparison with one of them.
//!
//! Texts of `n` and `m` words whose Jaccard similarity is above 7/10 share `s = ⌊7(n + m)/17⌋ + 1`
//! words at least, so the `k` rarest that they share are among the first `n - s + k` words of the
//! one and the first `m - s + k` of the other. For texts of one length that is half of what the
//! threshold alone would say: texts that were made from one template, and share all
//! but their rarest words with thousands, are seldom compared for nothing.

use rustc_hash::FxHashMap;

use super::Text;
use crate::policy::resemble::WordSet;

/// Cost of a comparison beside looking at an entry.
pub(super) const COMPARISON_WORK: usize = 32;

/// Most rare words that texts are asked to share: more cost more to count than they save
/// comparisons.
const SHARED_MAX: usize = 3;

/// A text that has a word among its rarest.
struct Entry {
    /// How many words it has.
    length: u32,
    /// Where among them the word is.
    at: u32,
    place: u32,
}

/// Looks for the texts that are worth a comparison.
pub(super) struct Search {
    /// By length.
    by_word: FxHashMap<u32, Vec<Entry>>,
    /// How many rare words each text shares with the one that is looked at.
    shared: Vec<u8>,
    touched: Vec<u32>,
    found: Vec<usize>,
}

impl Search {
    /// Knows texts whose words are in the order from rare to common; `frequencies` says how many
    /// texts have each.
    pub(super) fn new(texts: &[Text], frequencies: &[u32]) -> Self {
        let mut by_word: FxHashMap<u32, Vec<Entry>> = FxHashMap::default();
        let long = (0..)
            .zip(texts)
            .filter(|(_, text)| text.words.len() >= WordSet::TOKENS_MIN);
        for (place, text) in long {
            let length = text.words.len();
            // The shortest text that can be alike shares the fewest words.
            let rarest = length + SHARED_MAX - overlap(length, length * 7 / 10 + 1).min(length);
            for (at, word) in (0..).zip(text.words.iter().take(rarest)) {
                // A word of one text leads nowhere.
                if frequencies
                    .get(*word as usize)
                    .is_some_and(|&frequency| frequency > 1)
                {
                    let length = u32::try_from(length).unwrap_or(u32::MAX);
                    by_word
                        .entry(*word)
                        .or_default()
                        .push(Entry { length, at, place });
                }
            }
        }
        for entries in by_word.values_mut() {
            entries.sort_by_key(|entry| entry.length);
        }
        Self {
            by_word,
            shared: vec![0; texts.len()],
            touched: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Earlier texts than the one at `place` that share enough rare words with it, from late to
    /// early. Adds what it took.
    pub(super) fn candidates(&mut self, words: &[u32], place: usize, work: &mut usize) -> &[usize] {
        let Self {
            by_word,
            shared,
            touched,
            found,
        } = self;
        let mut best: Option<(usize, usize, Vec<&[Entry]>)> = None;
        for wanted in 1..=SHARED_MAX {
            let lists = lists(by_word, words, wanted);
            let entries: usize = lists.iter().map(|list| list.len()).sum();
            // What shares a single word is compared; few share more by chance.
            let cost = if wanted == 1 {
                entries * COMPARISON_WORK
            } else {
                entries * 2
            };
            if best.as_ref().is_none_or(|(_, lowest, _)| cost < *lowest) {
                best = Some((wanted, cost, lists));
            }
        }
        let (wanted, lists) =
            best.map_or_else(Default::default, |(wanted, _, lists)| (wanted, lists));
        found.clear();
        for entry in lists.into_iter().flatten() {
            *work += 1;
            let (length, at, other) = (
                entry.length as usize,
                entry.at as usize,
                entry.place as usize,
            );
            if other >= place || at + overlap(words.len(), length) >= length + wanted {
                continue;
            }
            let Some(shared) = shared.get_mut(other) else {
                continue;
            };
            if *shared == 0 {
                touched.push(entry.place);
            }
            *shared = shared.saturating_add(1);
            if usize::from(*shared) == wanted {
                found.push(other);
            }
        }
        for other in touched.drain(..) {
            if let Some(shared) = shared.get_mut(other as usize) {
                *shared = 0;
            }
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        found
    }
}

/// The texts that have one of the words among their rarest, by word, and are of a length at which
/// `wanted` shared ones would be there.
fn lists<'i>(
    by_word: &'i FxHashMap<u32, Vec<Entry>>,
    words: &[u32],
    wanted: usize,
) -> Vec<&'i [Entry]> {
    let length = words.len();
    let mut lists = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_rare_beside = |other: usize| at + overlap(length, other) < length + wanted;
        if !is_rare_beside(length * 7 / 10) {
            break;
        }
        let Some(entries) = by_word.get(word) else {
            continue;
        };
        let start = entries.partition_point(|entry| entry.length as usize * 10 <= length * 7);
        let end = entries.partition_point(|entry| is_rare_beside(entry.length as usize));
        lists.extend(entries.get(start..end));
    }
    lists
}

/// The fewest words that texts of these lengths share when they are alike.
fn overlap(one: usize, other: usize) -> usize {
    7 * (one + other) / 17 + 1
}
