//! The catalog by its topics: what each has, of the memories that an asker sees.

use std::collections::BTreeMap;

use helix_memory::{MemoryNumber, Scope, Status, Timestamp};
use rustc_hash::FxHashMap;

use super::{Catalog, Row};

/// A topic as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSummary {
    /// Its name.
    pub name: String,
    /// Active memories in the scopes asked for.
    pub count: usize,
    /// When one was last recorded.
    pub last_recorded_at: Timestamp,
}

/// A topic with what the memories that were asked for add up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicEntry {
    /// Its name.
    pub name: String,
    /// How many memories.
    pub memories: usize,
    /// When the first was recorded.
    pub first_recorded_at: Timestamp,
    /// When one was last recorded or changed.
    pub last_changed_at: Timestamp,
}

/// The sums of a topic's memories.
#[derive(Clone, Copy, Default)]
struct TopicSum {
    memories: usize,
    first_recorded_at: Timestamp,
    last_changed_at: Timestamp,
}

impl TopicSum {
    fn add(&mut self, recorded_at: Timestamp) {
        let is_first = self.memories == 0;
        self.memories += 1;
        self.first_recorded_at = if is_first {
            recorded_at
        } else {
            self.first_recorded_at.min(recorded_at)
        };
        self.last_changed_at = if is_first {
            recorded_at
        } else {
            self.last_changed_at.max(recorded_at)
        };
    }
}

impl Catalog {
    /// How many active memories these scopes have.
    #[must_use]
    pub fn count(&self, scopes: &[Scope]) -> usize {
        let scopes = self.scope_numbers(scopes);
        self.rows()
            .filter(|(_, row)| row.status == Status::Active && row.is_in(&scopes))
            .count()
    }

    /// All memories, each with the time by which it is ordered among others. A time after `now`
    /// cannot be, so that a clock gone wrong or an import would be the newest for ever: it
    /// counts as the latest possible one that was stored before it.
    pub fn rows_by_time(
        &self,
        now: Timestamp,
        time: impl Fn(&Row) -> Timestamp,
    ) -> impl Iterator<Item = (Timestamp, MemoryNumber, &Row)> {
        let mut latest = Timestamp::from_micros(i64::MIN);
        self.rows().map(move |(number, row)| {
            let at = time(row);
            if at > now {
                return (latest, number, row);
            }
            latest = latest.max(at);
            (at, number, row)
        })
    }

    /// The memories of a topic in these scopes that are wanted, in the order they were recorded.
    pub fn members(
        &self,
        topic: &str,
        scopes: &[Scope],
        is_wanted: impl Fn(&Row) -> bool,
    ) -> Vec<MemoryNumber> {
        let scopes = self.scope_numbers(scopes);
        let is_member = |number: &MemoryNumber| {
            self.row(*number)
                .is_some_and(|row| row.is_in(&scopes) && is_wanted(row))
        };
        self.of_topic(topic).into_iter().filter(is_member).collect()
    }

    /// The numbers of those scopes that any memory has.
    #[must_use]
    pub fn scope_numbers(&self, scopes: &[Scope]) -> Vec<u32> {
        scopes
            .iter()
            .filter_map(|scope| self.scopes.find(&scope.to_string()))
            .collect()
    }

    /// The topics that have active memories in these scopes, by name.
    #[must_use]
    pub fn topic_summaries(&self, scopes: &[Scope]) -> Vec<TopicSummary> {
        let scopes = self.scope_numbers(scopes);
        let mut summaries: Vec<TopicSummary> = Vec::new();
        for (topic, numbers) in &self.by_topic {
            let rows = numbers
                .iter()
                .filter_map(|&number| self.row(MemoryNumber(number)));
            let visible =
                rows.filter(|row| row.status == Status::Active && scopes.contains(&row.scope));
            let (count, last) = visible.fold((0, Timestamp::default()), |(n, last), row| {
                (n + 1, last.max(row.recorded_at))
            });
            if count > 0 {
                summaries.push(TopicSummary {
                    name: self.topics.text(*topic).to_owned(),
                    count,
                    last_recorded_at: last,
                });
            }
        }
        summaries.sort_by(|a, b| a.name.cmp(&b.name));
        summaries
    }

    /// Adds up what each topic has of the rows that `keeps` wants. `changed` has the memories that
    /// were changed after they were stored, and when. In the order in which the topics were
    /// first used.
    pub fn topics(
        &self,
        keeps: impl Fn(&Row) -> bool,
        changed: impl Iterator<Item = (MemoryNumber, Timestamp)>,
    ) -> Vec<TopicEntry> {
        let mut sums = vec![TopicSum::default(); self.topics.len()];
        for row in self.rows.iter().flatten().filter(|row| keeps(row)) {
            if let Some(sum) = sums.get_mut(row.topic as usize) {
                sum.add(row.recorded_at);
            }
        }
        let changed = changed.filter_map(|(number, at)| {
            Some((self.row(number).filter(|row| keeps(row))?.topic, at))
        });
        for (topic, at) in changed {
            if let Some(sum) = sums.get_mut(topic as usize) {
                sum.last_changed_at = sum.last_changed_at.max(at);
            }
        }
        let entry = |(topic, sum): (u32, TopicSum)| TopicEntry {
            name: self.topics.text(topic).to_owned(),
            memories: sum.memories,
            first_recorded_at: sum.first_recorded_at,
            last_changed_at: sum.last_changed_at,
        };
        (0..)
            .zip(sums)
            .filter(|(_, sum)| sum.memories > 0)
            .map(entry)
            .collect()
    }

    /// How many of some memories each topic has.
    #[must_use]
    pub fn count_by_topic(&self, numbers: &[MemoryNumber]) -> BTreeMap<String, usize> {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for row in numbers.iter().filter_map(|number| self.row(*number)) {
            *counts.entry(row.topic).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(topic, count)| (self.topics.text(topic).to_owned(), count))
            .collect()
    }

    /// The topics that any memory ever had and for whose name `is_wanted` holds, by name.
    pub fn topic_names(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .topics
            .iter()
            .map(|(_, name)| name)
            .filter(|name| is_wanted(name))
            .collect();
        names.sort_unstable();
        names
    }

    /// Number of topics that have any memory besides those of examinations.
    #[must_use]
    pub fn topic_count(&self) -> usize {
        let is_shown = |number: &u32| !self.is_scratch(MemoryNumber(*number));
        self.by_topic
            .values()
            .filter(|numbers| numbers.iter().any(is_shown))
            .count()
    }
}
