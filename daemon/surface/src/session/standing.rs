//! The rank of a memory where nobody asked for it, and how many of its kind come first.

use std::cmp::Ordering;

use helix_engine::Row;
use helix_memory::{Kind, KindSpec, Kinds, MemoryNumber, Timestamp};

/// Weights of the surface's rank: confidence, importance, how often recalled lately, freshness.
const WEIGHTS: (f32, f32, f32, f32) = (0.50, 0.20, 0.15, 0.15);

/// Days after which freshness has halved.
const FRESH_DAYS: f64 = 30.0;

/// Gain of a memory of the project itself over a global one that is not about the user.
const PROJECT_BONUS: f32 = 0.1;

/// Gain of a kind that says what to do or to avoid, over one that tells what is or was: as much as
/// being of today.
const GUIDANCE_BONUS: f32 = 0.15;

/// Kinds that guide. Knowing of them before the work starts is what saves it.
const GUIDANCE: [&str; 7] = [
    "identity",
    "preference",
    "convention",
    "decision",
    "gotcha",
    "architecture",
    "procedure",
];

/// Lines of a kind's budget for each of its memories that come before any kind has more: a surface
/// holds a dozen lines, the budgets together some three hundred.
const LINES_PER_SHARE: u32 = 5;

/// Gain of a pinned memory: it comes first.
const PINNED_BONUS: f32 = 1.0;

/// A memory and its rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) number: MemoryNumber,
    pub(super) rank: f32,
    /// True if it leaves its place to those that do not.
    pub(super) rests: bool,
}

/// The order of memories by their rank, what rests behind all others; of two that are alike the
/// newer one comes first.
pub(super) fn best_first(a: Ranked, b: Ranked) -> Ordering {
    a.rests
        .cmp(&b.rests)
        .then(b.rank.total_cmp(&a.rank))
        .then(b.number.cmp(&a.number))
}

/// How the memories of one kind stand.
pub(super) struct Standing<'a> {
    spec: &'a KindSpec,
    /// The kind's gain.
    bonus: f32,
    /// How many of them come before any kind has more.
    share: usize,
    /// As many of the best so far, best first.
    pub(super) best: Vec<Ranked>,
}

impl<'a> Standing<'a> {
    /// `None` for a kind that is not shown, or not known anymore.
    pub(super) fn of(kind: &str, kinds: &'a Kinds) -> Option<Self> {
        let spec = kinds
            .spec(&Kind::from_stored(kind))
            .filter(|spec| spec.surface_lines > 0)?;
        let bonus = if GUIDANCE.contains(&spec.name.as_str()) {
            GUIDANCE_BONUS
        } else {
            0.0
        };
        let share =
            usize::try_from(spec.surface_lines.div_ceil(LINES_PER_SHARE)).unwrap_or(usize::MAX);
        Some(Self {
            spec,
            bonus,
            share,
            best: Vec::new(),
        })
    }

    /// Takes one in where it is among the best.
    pub(super) fn keep_best(&mut self, one: Ranked) {
        let place = self
            .best
            .partition_point(|other| best_first(*other, one) == Ordering::Less);
        if place < self.share {
            self.best.insert(place, one);
            self.best.truncate(self.share);
        }
    }

    /// Returns whether the kind says what to do or to avoid.
    fn guides(&self) -> bool {
        self.bonus > 0.0
    }

    /// Ranks a memory where nobody asked for it.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn rank(&self, row: &Row, centrality: f32, is_global: bool, now: Timestamp) -> f32 {
        let fresh = (1.0 / (1.0 + row.valid_from.age_days(now) / FRESH_DAYS)) as f32;
        let recalled = (row.recalls_at(now).ln_1p() / 5.0).min(1.0) as f32;
        let (confidence, importance, access, freshness) = WEIGHTS;
        row.faded_at(now, self.spec.half_life_days, centrality) * confidence
            + row.importance * importance
            + recalled * access
            + fresh * freshness
            + if is_global && !self.spec.about_user {
                0.0
            } else {
                PROJECT_BONUS
            }
            + self.bonus
            + if row.pinned { PINNED_BONUS } else { 0.0 }
    }
}

/// The best of all kinds by turns, by rank in each: one memory of every kind that guides, and one
/// of all others together. What is pinned comes in the first. By rank alone the kinds that fade
/// would come behind all of those that do not.
pub(super) fn by_turns<'a>(
    standings: impl Iterator<Item = Standing<'a>>,
    is_pinned: impl Fn(MemoryNumber) -> bool,
) -> Vec<MemoryNumber> {
    let (guiding, others): (Vec<Standing<'_>>, Vec<Standing<'_>>) =
        standings.partition(Standing::guides);
    let mut other: Vec<Ranked> = others
        .into_iter()
        .flat_map(|standing| standing.best)
        .collect();
    other.sort_by(|a, b| best_first(*a, *b));
    let rows = guiding
        .into_iter()
        .map(|standing| standing.best)
        .chain([other]);
    let turn_of =
        |(place, one): (usize, Ranked)| (if is_pinned(one.number) { 0 } else { place }, one);
    let mut turns: Vec<(usize, Ranked)> = rows
        .flat_map(|row| row.into_iter().enumerate().map(turn_of))
        .collect();
    turns.sort_by(|a, b| a.0.cmp(&b.0).then(best_first(a.1, b.1)));
    turns.into_iter().map(|(_, one)| one.number).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::Catalog;
    use helix_memory::{Memory, Scope};

    use super::super::super::inject::tests::memory;
    use super::super::{Reader, choose};
    use super::*;

    #[test]
    fn what_rests_leaves_its_turn_to_the_next_of_its_kind_and_comes_last() {
        let mut catalog = Catalog::default();
        let project = Scope::Project("p".to_owned());
        for (number, kind) in (0..36).zip(["gotcha", "decision", "convention"].iter().cycle()) {
            let mut memory = memory(number, &format!("statement {number}"));
            (memory.kind, memory.scope) = (Kind::from_stored(kind), project.clone());
            catalog.apply(&memory);
        }
        // Ninety days later gotchas have faded, so that by rank alone they stand last.
        let now =
            Timestamp::from_micros(memory(0, "").valid_from.as_micros() + 90 * 86_400_000_000);
        let chosen = |rests: fn(u32) -> bool, limit| {
            let rests = |number: MemoryNumber| rests(number.0);
            let scopes = [project.clone()];
            choose(
                &catalog,
                &Kinds::default(),
                &scopes,
                Reader::Unasked,
                now,
                limit,
                rests,
            )
            .numbers
        };
        let kinds = |numbers: &[MemoryNumber]| {
            let count = |kind| {
                let is_of = |number: &&MemoryNumber| {
                    catalog.kind_of(catalog.row(**number).unwrap()) == kind
                };
                numbers.iter().filter(is_of).count()
            };
            ["gotcha", "decision", "convention"].map(count)
        };
        // The best eight gotchas rest: the next ones have their turns.
        let rests = |number: u32| number.is_multiple_of(3) && number >= 12;
        let some = chosen(rests, 60);
        assert_eq!((kinds(&some[..9]), some.len()), ([3, 3, 3], 36));
        assert!(some[..28].iter().all(|number| !rests(number.0)), "{some:?}");
        assert_eq!(kinds(&some[28..]), [8, 0, 0]);
        // So do they where what rests has no room at all, and where everything rests.
        assert_eq!(chosen(rests, 20), some[..20]);
        let all = chosen(|_| true, 60);
        assert_eq!(
            (kinds(&all[..9]), &all),
            ([3, 3, 3], &chosen(|_| false, 60))
        );
    }

    #[test]
    fn often_recalled_memories_fade_half_as_fast() {
        let mut catalog = Catalog::default();
        let mut often = memory(1, "recalled often");
        often.access_count = 11;
        let mut seldom = memory(2, "recalled seldom");
        seldom.access_count = 10;
        catalog.apply(&often);
        catalog.apply(&seldom);
        let kinds = Kinds::default();
        // One half-life of a gotcha later.
        let now = Timestamp::from_micros(often.valid_from.as_micros() + 45 * 86_400_000_000);
        let standing = Standing::of(often.kind.as_str(), &kinds).unwrap();
        let rank_of =
            |memory: &Memory| standing.rank(catalog.row(memory.number).unwrap(), 0.0, false, now);
        let recalled = |memory: &Memory| {
            let row = catalog.row(memory.number).unwrap();
            row.recalls_at(now).ln_1p() / 5.0
        };
        let by_recalls = (recalled(&often) - recalled(&seldom)) * f64::from(WEIGHTS.2);
        let by_fading = (0.5_f64.sqrt() - 0.5) * f64::from(WEIGHTS.0);
        assert!(
            (f64::from(rank_of(&often) - rank_of(&seldom)) - by_recalls - by_fading).abs() < 1e-4
        );
    }

    #[test]
    fn a_search_alone_weighs_less_than_a_change_and_a_store() {
        let mut catalog = Catalog::default();
        let stored_at = memory(1, "old").valid_from;
        let after =
            |days: i64| Timestamp::from_micros(stored_at.as_micros() + days * 86_400_000_000);
        let now = after(60);
        let old = memory(1, "old");
        let found = Memory {
            access_count: 1,
            last_seen_at: now,
            ..memory(2, "found by a search")
        };
        let revised = Memory {
            last_seen_at: now,
            ..memory(3, "revised")
        };
        let stored = Memory {
            valid_from: now,
            recorded_at: now,
            last_seen_at: now,
            ..memory(4, "stored")
        };
        for memory in [&old, &found, &revised, &stored] {
            catalog.apply(memory);
        }
        let kinds = Kinds::default();
        let standing = Standing::of(old.kind.as_str(), &kinds).unwrap();
        let gain = |memory: &Memory, now| {
            let rank = |number| standing.rank(catalog.row(number).unwrap(), 0.0, false, now);
            rank(memory.number) - rank(old.number)
        };
        let [by_search, by_change, by_store] =
            [&found, &revised, &stored].map(|memory| gain(memory, now));
        assert!(
            0.0 < by_search && 3.0 * by_search < by_change && by_change < by_store,
            "{by_search} {by_change}"
        );
        assert!(gain(&found, after(74)) < by_search);
    }
}
