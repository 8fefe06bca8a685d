//! How much a memory matters to a brief, and which memories it has room for.

use std::hash::Hash;

use helix_engine::{LexicalQuery, Row};
use helix_memory::{Memory, SourceState, Timestamp, WordSet};
use rustc_hash::FxHashMap;

/// Memories that one brief considers: three times what a full one has room for. A thousand would
/// take the passes 8 ms, and a brief with its reading may take 5.
pub const CONSIDERED_MAX: usize = 400;

/// Days after which recency has halved: `1 / (1 + age / 30)`.
const RECENCY_DAYS: f64 = 30.0;

/// Part of its heat that a memory of no importance keeps; one of the middle has all of it, the most
/// important half as much again.
const IMPORTANCE_FLOOR: f32 = 0.5;

/// Part of its relevance that a memory keeps that has none of the query's words.
const COVERAGE_FLOOR: f32 = 0.5;

/// Words of a query that count for relevance.
const QUERY_WORDS_MAX: usize = 16;

/// The inputs of a memory's heat. Small and copied, so that it can be made from a catalog row
/// without reading the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// When the fact became true.
    pub valid_from: Timestamp,
    /// 0 to 1.
    pub importance: f32,
    /// 0 to 1, as stored.
    pub confidence: f32,
    /// 0 to 1: how well it fits the query; 1 without one.
    pub relevance: f32,
    /// Never grows old.
    pub is_pinned: bool,
    /// Its source changed.
    pub is_stale: bool,
}

impl Standing {
    /// The standing of a memory.
    #[must_use]
    pub fn of(memory: &Memory, relevance: f32, is_stale: bool) -> Self {
        Self {
            valid_from: memory.valid_from,
            importance: memory.importance,
            confidence: memory.confidence,
            relevance,
            is_pinned: memory.pinned,
            is_stale,
        }
    }

    /// The standing of a catalog row, whose staleness is not known before its source is looked at.
    #[must_use]
    pub fn of_row(row: &Row, relevance: f32) -> Self {
        Self {
            valid_from: row.valid_from,
            importance: row.importance,
            confidence: row.confidence,
            relevance,
            is_pinned: row.pinned,
            is_stale: false,
        }
    }

    /// Recency × relevance, weighed by confidence and importance: 0 to 1.5.
    ///
    /// Confidence is taken as stored: age is in the recency already.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn heat(&self, now: Timestamp) -> f32 {
        let age_days = if self.is_pinned {
            0.0
        } else {
            self.valid_from.age_days(now)
        };
        let recency = (1.0 / (1.0 + age_days / RECENCY_DAYS)) as f32;
        recency
            * unit(self.relevance)
            * doubted(self.confidence, self.is_stale)
            * (IMPORTANCE_FLOOR + unit(self.importance))
    }
}

/// The confidence, 0 to 1, that a memory keeps when its source changed.
pub(super) fn doubted(confidence: f32, is_stale: bool) -> f32 {
    let confidence = unit(confidence);
    if is_stale {
        confidence.min(SourceState::CONFIDENCE_MAX)
    } else {
        confidence
    }
}

/// Holds a number between 0 and 1; what is none counts as 0.
fn unit(value: f32) -> f32 {
    if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    }
}

/// Splits candidates into the hottest [`CONSIDERED_MAX`], hottest first, and the others. The order
/// of equals is kept, so a caller gives the newest first.
///
/// A caller with many candidates asks this of catalog rows, reads the memories of the first part
/// and passes the second on in [`super::Input::left_out`].
#[must_use]
pub fn consider<T>(
    candidates: impl IntoIterator<Item = (T, Standing)>,
    now: Timestamp,
) -> (Vec<T>, Vec<T>) {
    consider_each(
        candidates
            .into_iter()
            .map(|(item, standing)| (item, (), standing)),
        now,
    )
}

/// The same where each group gets a fair share: round by round, every group gives the hottest that
/// it has left. Those that there is room for stand hottest first, whatever their group; so do the
/// others.
#[must_use]
pub fn consider_each<T, G: Hash + Eq>(
    candidates: impl IntoIterator<Item = (T, G, Standing)>,
    now: Timestamp,
) -> (Vec<T>, Vec<T>) {
    let ranked = candidates
        .into_iter()
        .map(|(item, group, standing)| (standing.heat(now), group, item));
    let mut ranked: Vec<(f32, G, T)> = ranked.collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut next: FxHashMap<&G, usize> = FxHashMap::default();
    let mut turns: Vec<(usize, usize)> = Vec::with_capacity(ranked.len());
    for (at, (_, group, _)) in ranked.iter().enumerate() {
        let round = next.entry(group).or_default();
        turns.push((*round, at));
        *round += 1;
    }
    if CONSIDERED_MAX < turns.len() {
        turns.select_nth_unstable(CONSIDERED_MAX);
        turns.truncate(CONSIDERED_MAX);
    }
    let mut is_kept = vec![false; ranked.len()];
    for (_, at) in turns {
        if let Some(is_kept) = is_kept.get_mut(at) {
            *is_kept = true;
        }
    }
    let (kept, left_out): (Vec<_>, Vec<_>) = ranked
        .into_iter()
        .zip(is_kept)
        .partition(|(_, is_kept)| *is_kept);
    let items = |ranked: Vec<((f32, G, T), bool)>| {
        ranked.into_iter().map(|((_, _, item), _)| item).collect()
    };
    (items(kept), items(left_out))
}

/// The words of a query, for the relevance of memories that no search has scored.
pub(super) struct QueryWords(Vec<String>);

impl QueryWords {
    /// Reads a query; words that carry no meaning do not count.
    pub(super) fn of(query: &str) -> Self {
        let is_telling = |word: &String| !LexicalQuery::is_stop_word(word);
        let mut telling: Vec<String> = Vec::new();
        for word in WordSet::words(query)
            .map(str::to_lowercase)
            .filter(is_telling)
        {
            if telling.len() < QUERY_WORDS_MAX && !telling.contains(&word) {
                telling.push(word);
            }
        }
        Self(telling)
    }

    /// How many of the words a memory has, in text, topic or tags: [`COVERAGE_FLOOR`] for none, 1
    /// for all.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn relevance(&self, memory: &Memory) -> f32 {
        if self.0.is_empty() {
            return 1.0;
        }
        let mut found = vec![false; self.0.len()];
        let tags = memory.tags.iter().flat_map(|tag| WordSet::words(tag));
        for word in WordSet::words(&memory.text)
            .chain(WordSet::words(memory.topic.as_str()))
            .chain(tags)
        {
            for (query, found) in self.0.iter().zip(&mut found) {
                *found |= is_same(query, word);
            }
        }
        let share = found.iter().filter(|found| **found).count() as f32 / self.0.len() as f32;
        COVERAGE_FLOOR + (1.0 - COVERAGE_FLOOR) * share
    }
}

/// Returns whether a word of a text is a lowercased one of a query.
fn is_same(query: &str, word: &str) -> bool {
    query.eq_ignore_ascii_case(word) || (!word.is_ascii() && query == word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{NOW, days_ago, memory};
    use super::*;

    fn standing(age_days: i64) -> Standing {
        Standing {
            valid_from: days_ago(age_days),
            importance: 0.5,
            confidence: 1.0,
            relevance: 1.0,
            is_pinned: false,
            is_stale: false,
        }
    }

    #[test]
    fn heat_is_recency_times_relevance_times_confidence_and_importance() {
        let near = |one: f32, other: f32| (one - other).abs() < 1e-5;
        assert!(near(standing(0).heat(NOW), 1.0));
        assert!(near(standing(30).heat(NOW), 0.5));
        assert!(near(standing(90).heat(NOW), 0.25));
        assert!(near(
            Standing {
                is_pinned: true,
                ..standing(90)
            }
            .heat(NOW),
            1.0
        ));
        assert!(near(
            Standing {
                relevance: 0.5,
                ..standing(0)
            }
            .heat(NOW),
            0.5
        ));
        assert!(near(
            Standing {
                importance: 1.0,
                ..standing(0)
            }
            .heat(NOW),
            1.5
        ));
        assert!(near(
            Standing {
                is_stale: true,
                ..standing(0)
            }
            .heat(NOW),
            0.7
        ));
        assert!(near(
            Standing {
                is_stale: true,
                confidence: 0.4,
                ..standing(0)
            }
            .heat(NOW),
            0.4
        ));
        assert!(near(
            Standing {
                confidence: f32::NAN,
                ..standing(0)
            }
            .heat(NOW),
            0.0
        ));
    }

    #[test]
    fn relevance_counts_the_words_of_the_query() {
        let memory = memory("build", "Pass -arch ARM64 to xcodebuild");
        let near = |query: &str, expected: f32| {
            (QueryWords::of(query).relevance(&memory) - expected).abs() < 1e-5
        };
        assert!(near("", 1.0) && near("the of", 1.0));
        assert!(near("arm64 build", 1.0));
        assert!(near("arm64 linux", 0.75));
        assert!(near("windows", COVERAGE_FLOOR));
    }

    #[test]
    fn every_group_gets_its_share() {
        // The first topic has the newest, the last one few.
        let sizes = [900, 900, 900, 20];
        let topics = sizes
            .into_iter()
            .zip(0_i64..)
            .flat_map(|(size, topic)| (0..size).map(move |at| (topic, at)));
        let candidates = topics.map(|(topic, at)| ((topic, at), topic, standing(topic * 10 + at)));
        let (kept, left_out) = consider_each(candidates, NOW);
        let of = |topic| {
            kept.iter()
                .filter(|(kept, _)| *kept == topic)
                .map(|(_, at)| *at)
                .collect::<Vec<i64>>()
        };
        let shares = [0, 1, 2, 3].map(|topic| of(topic).len());
        assert_eq!(
            (shares.iter().sum::<usize>(), shares[3]),
            (CONSIDERED_MAX, 20)
        );
        assert!(
            shares[..3].iter().all(|share| (126..=127).contains(share)),
            "{shares:?}"
        );
        assert_eq!(
            of(1),
            (0..127).take(shares[1]).map(i64::from).collect::<Vec<_>>(),
            "the hottest of each"
        );
        let ages: Vec<i64> = kept.iter().map(|(topic, at)| topic * 10 + at).collect();
        assert!(ages.is_sorted() && left_out.len() == 2_720 - CONSIDERED_MAX);
    }

    proptest! {
        #[test]
        fn nothing_left_out_is_hotter_than_what_is_considered(ages in prop::collection::vec(0_i64..400, 0..600)) {
            let candidates = ages.iter().map(|&age| (age, standing(age)));
            let (kept, left_out) = consider(candidates, NOW);
            prop_assert_eq!(kept.len() + left_out.len(), ages.len());
            prop_assert!(kept.len() <= CONSIDERED_MAX && kept.is_sorted());
            prop_assert!(left_out.is_empty() || kept.last() <= left_out.first());
        }
    }
}
