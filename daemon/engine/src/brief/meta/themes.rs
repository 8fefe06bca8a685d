//! What goes through many topics: the most significant tags and parts of topic names.

use rustc_hash::FxHashMap;

use crate::brief::category::Category;
use crate::brief::vocabulary::is_keyword;

/// Distinct themes that are counted; a strand with more tags than this loses its rarest, which are none.
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

/// What is known of a theme while rows pass.
#[derive(Debug, Default)]
struct Count<'a> {
    memories: usize,
    weight: f64,
    topics: Vec<&'a str>,
    last: Option<usize>,
}

/// Counts while rows pass.
#[derive(Debug, Default)]
pub(super) struct Themes<'a> {
    counts: FxHashMap<&'a str, Count<'a>>,
    rows: usize,
}

impl<'a> Themes<'a> {
    /// Counts a memory once for each theme that it has.
    pub(super) fn add(&mut self, topic: &'a str, tags: impl IntoIterator<Item = &'a str>, recency: f64) {
        self.rows += 1;
        let row = self.rows;
        for name in topic.split('-').chain(tags) {
            if self.counts.len() >= COUNTED_MAX && !self.counts.contains_key(name) {
                continue;
            }
            let count = self.counts.entry(name).or_default();
            if count.last == Some(row) {
                continue;
            }
            count.last = Some(row);
            count.memories += 1;
            count.weight += recency;
            // Rows of a topic mostly come together or repeat; the list of a theme's topics stays short or is cut off here.
            if count.topics.len() < TOPICS_COUNTED_MAX && !count.topics.contains(&topic) {
                count.topics.push(topic);
            }
        }
    }

    /// The most significant: recent memories × the logarithm of how many topics they are spread over.
    pub(super) fn finish(self, max: usize) -> Vec<Theme> {
        let mut themes: Vec<(f64, Theme)> = self
            .counts
            .into_iter()
            .filter(|(name, count)| count.topics.len() >= TOPICS_MIN && is_theme(name))
            .map(|(name, count)| {
                let theme = Theme { name: name.to_owned(), memories: count.memories, topics: count.topics.len() };
                (count.weight * spread(count.topics.len()), theme)
            })
            .collect();
        themes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
        themes.into_iter().take(max).map(|(_, theme)| theme).collect()
    }
}

/// Topics of one theme that are told apart; beyond that many a theme is everywhere.
const TOPICS_COUNTED_MAX: usize = 64;

#[allow(clippy::cast_precision_loss)]
fn spread(topics: usize) -> f64 {
    (1.0 + topics as f64).ln()
}

/// Whether a name says what memories are about; a category says only what they are.
fn is_theme(name: &str) -> bool {
    Category::of_tag(name).is_none() && is_keyword(name)
}
