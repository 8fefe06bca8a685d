//! Counting what a strand holds.

use std::collections::BTreeMap;

use helix_memory::{Scope, Status, Timestamp};

use super::Strand;
use super::topics::in_scopes;
use crate::index::filter::Filter;
use crate::index::interner::Interner;

/// A name and how many memories have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The name.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// The counts of some scopes. All lists have the most frequent first; all but `statuses` count
/// active memories only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Memories.
    pub memories: u64,
    /// Topics with a memory.
    pub topics: u64,
    /// When the first was recorded; `None` without any.
    pub first_recorded_at: Option<Timestamp>,
    /// When the last was recorded.
    pub last_recorded_at: Option<Timestamp>,
    /// By tag.
    pub tags: Vec<Counted>,
    /// By kind.
    pub kinds: Vec<Counted>,
    /// By scope.
    pub scopes: Vec<Counted>,
    /// By status.
    pub statuses: Vec<Counted>,
    /// By origin.
    pub origins: Vec<Counted>,
    /// Links from these memories to any that exist.
    pub links: u64,
}

impl Strand {
    /// Counts what these scopes (none: all) hold.
    #[must_use]
    pub fn statistics(&self, scopes: &[Scope]) -> Statistics {
        let catalog = self.catalog();
        let every_status = Filter {
            statuses: Status::ALL.to_vec(),
            ..in_scopes(scopes)
        }
        .compile(&catalog);
        let mut statistics = Statistics::default();
        let [mut topics, mut tags, mut kinds, mut by_scope] = [
            &catalog.topics,
            &catalog.tags,
            &catalog.kinds,
            &catalog.scopes,
        ]
        .map(Tally::new);
        let mut statuses: BTreeMap<Status, u64> = BTreeMap::new();
        let mut origins: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (_, row) in catalog.rows().filter(|(_, row)| every_status.keeps(row)) {
            *statuses.entry(row.status).or_default() += 1;
            if row.status != Status::Active {
                continue;
            }
            statistics.memories += 1;
            let earlier = statistics
                .first_recorded_at
                .map_or(row.recorded_at, |first| first.min(row.recorded_at));
            statistics.first_recorded_at = Some(earlier);
            statistics.last_recorded_at = statistics.last_recorded_at.max(Some(row.recorded_at));
            *origins.entry(row.origin.name()).or_default() += 1;
            topics.add(row.topic);
            kinds.add(row.kind);
            by_scope.add(row.scope);
            row.tags.iter().for_each(|&tag| tags.add(tag));
        }
        let is_counted = |number| {
            catalog
                .row(number)
                .is_some_and(|row| row.status == Status::Active && every_status.keeps(row))
        };
        statistics.links = catalog
            .links()
            .filter(|(from, _)| is_counted(*from))
            .count() as u64;
        statistics.topics = topics.into_counted().len() as u64;
        statistics.tags = tags.into_counted();
        statistics.kinds = kinds.into_counted();
        statistics.scopes = by_scope.into_counted();
        statistics.statuses = most_first(
            statuses
                .into_iter()
                .map(|(status, count)| (status.name(), count)),
        );
        statistics.origins = most_first(origins.into_iter());
        statistics
    }
}

/// Counts the numbers of an interner.
struct Tally<'a> {
    names: &'a Interner,
    counts: Vec<u64>,
}

impl<'a> Tally<'a> {
    fn new(names: &'a Interner) -> Self {
        Self {
            names,
            counts: vec![0; names.len()],
        }
    }

    fn add(&mut self, number: u32) {
        if let Some(count) = self.counts.get_mut(number as usize) {
            *count += 1;
        }
    }

    fn into_counted(self) -> Vec<Counted> {
        most_first(
            (0..)
                .zip(self.counts)
                .map(|(number, count)| (self.names.text(number), count)),
        )
    }
}

/// Most frequent first, then by name; without those that nothing has.
pub(crate) fn most_first<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Vec<Counted> {
    let present = counts.filter(|&(_, count)| count > 0);
    let mut counted: Vec<Counted> = present
        .map(|(name, count)| Counted {
            name: name.to_owned(),
            count,
        })
        .collect();
    counted.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    counted
}
