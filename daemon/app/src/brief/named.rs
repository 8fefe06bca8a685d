//! A query that names one memory, as other calls do: by `topic:index` or by its handle.

use helix_engine::Resolution;
use helix_memory::Topic;

use super::{Chosen, Share, View, nothing};
use crate::Refusal;

impl View<'_> {
    /// The memory that a query names; `None` for any other query. What it links to comes with it,
    /// as with every brief.
    pub(super) fn named(&self, query: &str) -> Result<Option<Chosen>, Refusal> {
        let topic = topic_of_place(query);
        let is_handle = query.contains('/') && !query.contains(char::is_whitespace);
        if topic.is_none() && !is_handle {
            return Ok(None);
        }
        let found = match self.app.memory.strand.resolve(query, &self.scopes)? {
            Resolution::One(number) => self.read(&[number])?.pop(),
            Resolution::Several(_) | Resolution::None => None,
        };
        // The beginning of a handle may as well be words.
        let found = found.filter(|memory| topic.is_some() || memory.handle.as_str() == query);
        let Some(memory) = found else {
            return topic.map_or(Ok(None), |topic| self.beyond(&topic));
        };
        let chosen = self.chosen(Share::Hottest, |catalog| {
            catalog
                .row(memory.number)
                .map(|row| (memory.number, row))
                .into_iter()
                .collect()
        });
        if chosen.is_empty() {
            Err(nothing(query))
        } else {
            Ok(Some(chosen))
        }
    }

    /// Says that a topic has no memory at that place; `None` where there is no such topic.
    fn beyond(&self, topic: &Topic) -> Result<Option<Chosen>, Refusal> {
        let members = self
            .app
            .memory
            .strand
            .topic_members(topic.as_str(), &self.scopes)
            .len();
        let noun = if members == 1 { "memory" } else { "memories" };
        match members.checked_sub(1) {
            None => Ok(None),
            Some(last) => Err(Refusal::not_found(format!(
                "topic {topic} has {members} {noun}, so its last index is {last}"
            ))),
        }
    }
}

/// The topic of `topic:index`.
fn topic_of_place(query: &str) -> Option<Topic> {
    let (topic, index) = query.rsplit_once(':')?;
    let is_place = !query.contains(char::is_whitespace) && index.parse::<usize>().is_ok();
    is_place.then(|| Topic::parse(topic).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_from_words() {
        let topic = |query| topic_of_place(query).map(|topic| topic.to_string());
        assert_eq!(topic("hook-shim:0"), Some("hook-shim".to_owned()));
        for query in [
            "hook-shim",
            "hook-shim:",
            "hook-shim:x",
            "the answer is:42",
            ":0",
            "std::fs",
            "hook-shim:-1",
        ] {
            assert_eq!(topic(query), None, "{query}");
        }
    }
}
