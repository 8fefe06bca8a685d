//! Listings: the topics, the newest memories, and where a memory stands in its topic.

use std::collections::{BTreeMap, HashMap};

use helix_memory::{MemoryNumber, Scope, Timestamp, Topic, TopicPattern};

use super::Strand;
use crate::index::catalog::TopicEntry;
use crate::index::filter::Filter;
use crate::store::StoreError;

/// Handles of a topic that are looked at to find where its memories went: some ten milliseconds.
const FORMER_HANDLES_MAX: usize = 50_000;

/// The newest memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// Newest first.
    pub numbers: Vec<MemoryNumber>,
    /// How many there are, with those beyond the limit.
    pub total: usize,
}

/// Since when memories are recent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first moment.
    pub after: Timestamp,
    /// Now; what was recorded later counts as recorded now, but is not newer than what was stored
    /// after it.
    pub now: Timestamp,
}

impl Strand {
    /// The topics that have active memories in these scopes (none: everywhere) and fit a pattern,
    /// by name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn topics(
        &self,
        scopes: &[Scope],
        pattern: Option<&TopicPattern>,
    ) -> Result<Vec<TopicEntry>, StoreError> {
        let changes = self.changes()?;
        let catalog = self.catalog();
        let filter = in_scopes(scopes).compile(&catalog);
        let mut entries = catalog.topics(|row| filter.keeps(row), changes.iter());
        entries.retain(|entry| pattern.is_none_or(|pattern| pattern.matches(&entry.name)));
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// The topics in which nothing was recorded or changed at `since` or later, the one that was
    /// left alone longest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn idle_topics(
        &self,
        scopes: &[Scope],
        since: Timestamp,
    ) -> Result<Vec<TopicEntry>, StoreError> {
        let mut entries = self.topics(scopes, None)?;
        entries.retain(|entry| entry.last_changed_at < since);
        entries.sort_by_key(|entry| entry.last_changed_at);
        Ok(entries)
    }

    /// The topics that active memories of these scopes (none: everywhere) have gone to which were
    /// of this one: where most are first. Memories keep their former handles, which tell it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn went_to(&self, topic: &Topic, scopes: &[Scope]) -> Result<Vec<String>, StoreError> {
        let snapshot = self.snapshot()?;
        let catalog = self.catalog();
        let filter = in_scopes(scopes).compile(&catalog);
        let (mut counts, mut looked_at) = (BTreeMap::<&str, usize>::new(), 0);
        snapshot.for_each_handle_from(&format!("{topic}/"), |number| {
            looked_at += 1;
            if let Some(row) = catalog.row(number).filter(|row| filter.keeps(row)) {
                *counts.entry(catalog.topic_of(row)).or_default() += 1;
            }
            looked_at < FORMER_HANDLES_MAX
        })?;
        counts.remove(topic.as_str());
        let mut topics: Vec<(&str, usize)> = counts.into_iter().collect();
        topics.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(topics
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect())
    }

    /// The active memories of these scopes (none: everywhere) that were recorded since then, newest
    /// first.
    #[must_use]
    pub fn recent(&self, scopes: &[Scope], since: Since, limit: usize) -> Recent {
        let catalog = self.catalog();
        let filter = in_scopes(scopes).compile(&catalog);
        let mut found: Vec<(Timestamp, MemoryNumber)> = catalog
            .rows_by_time(since.now, |row| row.recorded_at)
            .filter(|(_, _, row)| row.recorded_at >= since.after && filter.keeps(row))
            .map(|(at, number, _)| (at, number))
            .collect();
        let total = found.len();
        newest_first(&mut found, limit);
        Recent {
            numbers: found.into_iter().map(|(_, number)| number).collect(),
            total,
        }
    }

    /// Where memories stand among the active ones of their topics in these scopes: the index of
    /// `topic:index`. Those that are not active there have none.
    #[must_use]
    pub fn positions(
        &self,
        numbers: &[MemoryNumber],
        scopes: &[Scope],
    ) -> HashMap<MemoryNumber, u32> {
        self.catalog().positions(numbers, scopes, usize::MAX)
    }
}

/// Filters for the active memories in these scopes.
pub(super) fn in_scopes(scopes: &[Scope]) -> Filter {
    Filter {
        scopes: scopes.to_vec(),
        ..Filter::default()
    }
}

/// Keeps the newest, and of those of one moment the ones stored last.
fn newest_first(found: &mut Vec<(Timestamp, MemoryNumber)>, limit: usize) {
    if limit == 0 {
        found.clear();
    } else if limit < found.len() {
        found.select_nth_unstable_by(limit - 1, |a, b| b.cmp(a));
        found.truncate(limit);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
}
