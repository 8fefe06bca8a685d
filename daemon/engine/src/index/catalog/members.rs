//! The memories of a topic in their order, which is what `topic:index` counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use helix_memory::{MemoryNumber, Scope, Status, Timestamp};

use super::{Catalog, Row};

/// When a memory was recorded, then which: the order of a topic.
type Place = (Timestamp, MemoryNumber);

impl Catalog {
    /// The memories of a topic in the order they were recorded, of any status.
    #[must_use]
    pub fn of_topic(&self, topic: &str) -> Vec<MemoryNumber> {
        let topic = self.topics.find(topic);
        let places = topic
            .map(|topic| self.in_order(topic, |_| true))
            .unwrap_or_default();
        places.into_iter().map(|(_, number)| number).collect()
    }

    /// How many memories of any status a topic has.
    #[must_use]
    pub fn topic_size(&self, topic: &str) -> usize {
        let members = self
            .topics
            .find(topic)
            .and_then(|topic| self.by_topic.get(&topic));
        members.map_or(0, BTreeSet::len)
    }

    /// Where memories stand among the active ones of their topics in these scopes. Those that are
    /// not active there have no place, nor do those of a topic that ever had more than
    /// `members_max` memories.
    #[must_use]
    pub fn positions(
        &self,
        numbers: &[MemoryNumber],
        scopes: &[Scope],
        members_max: usize,
    ) -> HashMap<MemoryNumber, u32> {
        let scopes: Vec<u32> = scopes
            .iter()
            .filter_map(|scope| self.scopes.find(&scope.to_string()))
            .collect();
        let is_counted = |row: &Row| row.status == Status::Active && scopes.contains(&row.scope);
        let mut wanted: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for &number in numbers {
            if let Some(row) = self.row(number).filter(|row| is_counted(row)) {
                wanted
                    .entry(row.topic)
                    .or_default()
                    .push((row.recorded_at, number));
            }
        }
        wanted.retain(|topic, _| {
            self.by_topic
                .get(topic)
                .is_some_and(|members| members.len() <= members_max)
        });
        let mut positions = HashMap::with_capacity(numbers.len());
        for (topic, places) in wanted {
            let members = self.in_order(topic, is_counted);
            let index = |place| {
                members
                    .binary_search(&place)
                    .ok()
                    .and_then(|index| u32::try_from(index).ok())
            };
            positions.extend(
                places
                    .into_iter()
                    .filter_map(|place| Some((place.1, index(place)?))),
            );
        }
        positions
    }

    fn in_order(&self, topic: u32, keeps: impl Fn(&Row) -> bool) -> Vec<Place> {
        let numbers = self
            .by_topic
            .get(&topic)
            .into_iter()
            .flatten()
            .map(|&number| MemoryNumber(number));
        let rows =
            numbers.filter_map(|number| Some((number, self.row(number).filter(|row| keeps(row))?)));
        let mut places: Vec<Place> = rows
            .map(|(number, row)| (row.recorded_at, number))
            .collect();
        places.sort_unstable();
        places
    }
}
