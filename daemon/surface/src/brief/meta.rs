//! The brief of a whole knowledge base, for when nobody asked about anything: top topics by
//! activity, how fast it grows, themes.
//!
//! Made from one small borrowed row a memory, so that no memory has to be read: themes come from
//! tags and the parts of topic names. Only the hottest five are named; the caller reads those to
//! have their first lines shown.

mod hottest;
mod names;
mod render;
mod themes;
mod velocity;

pub use render::render;
pub use themes::Theme;
pub use velocity::Velocity;

use helix_engine::{Catalog, Row};
use helix_memory::{MemoryNumber, Timestamp};
use hottest::{Hot, Hottest};
use names::Names;
use themes::Themes;
use velocity::Counter;

use super::Standing;

/// Days of the recent past that a topic's growth is counted over.
const RECENT_DAYS: f64 = 7.0;

/// Topics that a meta-brief lists; the others are counted.
pub const TOPICS_MAX: usize = 10;

/// Themes that a meta-brief lists.
pub const THEMES_MAX: usize = 12;

/// Length of each list when the brief is compact.
pub const COMPACT_MAX: usize = 5;

/// One active memory, as the catalog knows it.
#[derive(Clone, Debug)]
pub struct MetaRow<'a, Tags> {
    /// Its number.
    pub number: MemoryNumber,
    /// Its topic.
    pub topic: &'a str,
    /// Its tags, normalised.
    pub tags: Tags,
    /// Hash of its text, which copies share.
    pub text_hash: u64,
    /// The inputs of its heat; its time is when the memory counts as added, so that an import does
    /// not count as today.
    pub standing: Standing,
}

/// A catalog row as a meta-brief wants it. The caller filters: active, and in a scope that is
/// visible.
#[must_use]
pub fn row<'a>(
    catalog: &'a Catalog,
    number: MemoryNumber,
    row: &'a Row,
) -> MetaRow<'a, impl Iterator<Item = &'a str> + use<'a>> {
    MetaRow {
        number,
        topic: catalog.topic_of(row),
        tags: catalog.tags_of(row),
        text_hash: row.text_hash,
        standing: Standing::of_row(row, 1.0),
    }
}

/// A composed meta-brief.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Memories.
    pub memories: usize,
    /// Topics.
    pub topics: usize,
    /// The most active topics, at most [`TOPICS_MAX`].
    pub top_topics: Vec<ActiveTopic>,
    /// How fast memories are added.
    pub velocity: Velocity,
    /// Themes across topics, at most [`THEMES_MAX`].
    pub themes: Vec<Theme>,
    /// The hottest memories, at most [`super::HOT_MAX`], for the caller to read: no copies, and of
    /// many topics.
    pub hot: Vec<MemoryNumber>,
    /// Lists hold [`COMPACT_MAX`].
    pub is_compact: bool,
}

/// A topic by its activity.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveTopic {
    /// Its name.
    pub name: String,
    /// Memories.
    pub count: usize,
    /// Those of the last seven days.
    pub recent: usize,
    /// When the newest became true.
    pub newest: Timestamp,
    /// Its memories, each counted by its recency.
    pub activity: f64,
}

/// Composes a meta-brief from the rows of all visible active memories, in one pass.
#[must_use]
pub fn compose<'a, Tags>(
    rows: impl IntoIterator<Item = MetaRow<'a, Tags>>,
    is_compact: bool,
    now: Timestamp,
) -> Meta
where
    Tags: IntoIterator<Item = &'a str>,
{
    let (mut names, mut topics) = (Names::default(), Vec::<ActiveTopic>::new());
    let mut themes = Themes::default();
    let mut counter = Counter::default();
    let mut hot = Hottest::default();
    let mut memories = 0;
    for row in rows {
        memories += 1;
        let at = row.standing.valid_from;
        let age_days = at.age_days(now);
        let recency = 1.0 / (1.0 + age_days / 30.0);
        counter.add(at, age_days);
        let one = Hot {
            heat: row.standing.heat(now),
            number: row.number,
            text_hash: row.text_hash,
        };
        let Some(number) = names.number(row.topic, usize::MAX) else {
            continue;
        };
        hot.add(number, one);
        themes.add((number, row.topic), row.tags, recency);
        if number == topics.len() {
            topics.push(ActiveTopic::new(row.topic));
        }
        let Some(topic) = topics.get_mut(number) else {
            continue;
        };
        topic.count += 1;
        topic.recent += usize::from(age_days <= RECENT_DAYS);
        topic.newest = topic.newest.max(at);
        topic.activity += recency;
    }
    Meta {
        memories,
        topics: topics.len(),
        velocity: counter.finish(memories, now),
        themes: themes.finish(if is_compact { COMPACT_MAX } else { THEMES_MAX }),
        hot: hot.finish(),
        top_topics: most_active(topics, if is_compact { COMPACT_MAX } else { TOPICS_MAX }),
        is_compact,
    }
}

impl ActiveTopic {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            count: 0,
            recent: 0,
            newest: Timestamp::from_micros(i64::MIN),
            activity: 0.0,
        }
    }
}

fn most_active(mut topics: Vec<ActiveTopic>, max: usize) -> Vec<ActiveTopic> {
    topics.sort_by(|a, b| {
        b.activity
            .total_cmp(&a.activity)
            .then_with(|| a.name.cmp(&b.name))
    });
    topics.truncate(max);
    topics
}

#[cfg(test)]
mod tests;
