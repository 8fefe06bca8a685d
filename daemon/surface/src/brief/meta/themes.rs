//! Themes across topics: the most significant tags and parts of topic names.

use super::names::Names;
use crate::brief::vocabulary::is_keyword;

/// Distinct themes that are counted; a strand with more tags than this loses its rarest, which are
/// none.
const COUNTED_MAX: usize = 20_000;

/// Fewest topics of a theme: what one topic has alone is that topic.
const TOPICS_MIN: usize = 2;

/// A word that many topics share.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// The tag or part of a topic name.
    pub name: String,
    /// Memories that have it.
    pub memories: usize,
    /// Topics that have such memories.
    pub topics: usize,
}

/// The counts of a theme while rows pass.
#[derive(Debug)]
struct Count<'a> {
    name: &'a str,
    memories: usize,
    weight: f64,
    topics: Vec<usize>,
    last: usize,
}

/// Counts while rows pass.
#[derive(Debug, Default)]
pub(super) struct Themes<'a> {
    names: Names<'a>,
    counts: Vec<Count<'a>>,
    /// For each topic the themes that are parts of its name.
    parts: Vec<Vec<usize>>,
    rows: usize,
}

impl<'a> Themes<'a> {
    /// Counts a memory once for each theme that it has. Topics are numbered from 0, in the order in
    /// which they first come.
    pub(super) fn add(
        &mut self,
        topic: (usize, &'a str),
        tags: impl IntoIterator<Item = &'a str>,
        recency: f64,
    ) {
        self.rows += 1;
        let (topic, name) = topic;
        if self.parts.len() <= topic {
            let parts = name
                .split('-')
                .filter_map(|part| self.theme(part))
                .collect();
            self.parts.push(parts);
        }
        for at in 0..self.parts.get(topic).map_or(0, Vec::len) {
            if let Some(&theme) = self.parts.get(topic).and_then(|parts| parts.get(at)) {
                self.count(theme, topic, recency);
            }
        }
        for tag in tags {
            if let Some(theme) = self.theme(tag) {
                self.count(theme, topic, recency);
            }
        }
    }

    /// The place of a theme's count; none once there are [`COUNTED_MAX`] others.
    fn theme(&mut self, name: &'a str) -> Option<usize> {
        let theme = self.names.number(name, COUNTED_MAX)?;
        if theme == self.counts.len() {
            self.counts.push(Count {
                name,
                memories: 0,
                weight: 0.0,
                topics: Vec::new(),
                last: 0,
            });
        }
        Some(theme)
    }

    fn count(&mut self, theme: usize, topic: usize, recency: f64) {
        let row = self.rows;
        let Some(count) = self.counts.get_mut(theme).filter(|count| count.last != row) else {
            return;
        };
        count.last = row;
        count.memories += 1;
        count.weight += recency;
        // Rows of a topic mostly come together or repeat; the list of a theme's topics stays short
        // or is cut off here.
        if count.topics.len() < TOPICS_COUNTED_MAX && !count.topics.contains(&topic) {
            count.topics.push(topic);
        }
    }

    /// The most significant: recent memories × the logarithm of how many topics they are spread
    /// over.
    pub(super) fn finish(self, max: usize) -> Vec<Theme> {
        let mut themes: Vec<(f64, Theme)> = self
            .counts
            .into_iter()
            .filter(|count| count.topics.len() >= TOPICS_MIN && is_keyword(count.name))
            .map(|count| {
                let theme = Theme {
                    name: count.name.to_owned(),
                    memories: count.memories,
                    topics: count.topics.len(),
                };
                (count.weight * spread(count.topics.len()), theme)
            })
            .collect();
        themes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
        themes
            .into_iter()
            .take(max)
            .map(|(_, theme)| theme)
            .collect()
    }
}

/// Topics of one theme that are told apart; beyond that many a theme is everywhere.
const TOPICS_COUNTED_MAX: usize = 64;

#[allow(clippy::cast_precision_loss)]
fn spread(topics: usize) -> f64 {
    (1.0 + topics as f64).ln()
}
