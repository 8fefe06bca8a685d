//! Briefs: what is known about a topic, a pattern of topics or a query, compressed to what an agent
//! reads at the start of work.
//!
//! Flow: the caller selects memories (by topic, [`helix_memory::TopicPattern`] or search) and those
//! that they link to → [`compose`] runs three passes (identical content merged, older versions
//! marked, threads in time found), classifies into eight categories and ranks by recency ×
//! relevance → [`Brief`], a value for programs → [`render`], text for agents in three tiers.
//! Without a query there is nothing to select: [`meta`] briefs the whole knowledge base from
//! catalog rows.
//!
//! Invariants: every selected memory is in a section, merged into one that is, out of focus or left
//! out, and each of these is counted; a text never exceeds the caps of its tier; what is marked
//! superseded names what superseded it; stored text is neutralised, and never stands at the margin
//! where headings do.
//!
//! Absent on purpose: reading the store, the catalog's lock, looking at sources, following links.
//! The caller does these.

mod category;
mod chains;
mod classify;
mod compose;
mod duplicates;
pub mod meta;
mod render;
#[cfg(test)]
mod samples;
mod standing;
mod supersession;
#[cfg(test)]
mod tests;
mod turns;
mod vocabulary;

pub use category::{Category, UnknownCategory};
pub use classify::{Stated, category_of, stated_in};
pub use compose::compose;
pub use render::{
    CATEGORY_LINES_MAX, CATEGORY_MAX_CHARS, Detail, SCAN_LINES_MAX, SUMMARY_LINES_MAX,
    UnknownDetail, render, whole,
};
pub use standing::{CONSIDERED_MAX, Standing, consider, consider_each};

use helix_memory::{Handle, Memory, Timestamp};

/// Memories that are hot.
pub const HOT_MAX: usize = 5;

/// A memory that the brief is about.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// 0 to 1, when a search has scored it; else the query's words decide.
    pub relevance: Option<f32>,
    /// Its source changed since it was stored.
    pub is_stale: bool,
    /// Where its source's line is by now, if it moved.
    pub moved_to: Option<u32>,
    /// What fading left of its confidence, whatever became of its source.
    pub confidence: f32,
    /// Another memory contradicts it, and nobody has settled that.
    pub is_disputed: bool,
}

impl<'a> Selected<'a> {
    /// A memory that no search has scored and whose source is as it was.
    #[must_use]
    pub fn of(memory: &'a Memory) -> Self {
        Self {
            memory,
            relevance: None,
            is_stale: false,
            moved_to: None,
            confidence: memory.confidence,
            is_disputed: false,
        }
    }
}

/// Everything that a brief is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Active memories, in any order. More than [`CONSIDERED_MAX`] are cut to the hottest.
    pub selected: &'a [Selected<'a>],
    /// Memories that selected ones link to, one level deep.
    pub linked: &'a [Memory],
    /// Memories that the caller left out itself, by [`consider`], as topic and count.
    pub left_out: &'a [(&'a str, usize)],
    /// The query's words; empty when a topic or pattern selected.
    pub query: &'a str,
    /// Categories to show; empty for all.
    pub focus: &'a [Category],
    /// Only the [`HOT_MAX`] hottest, in fewer words.
    pub is_compact: bool,
    /// Now.
    pub now: Timestamp,
}

/// A composed brief. `total` is the sum of the sections' counts, `merged`, `out_of_focus`,
/// `left_out` and `beyond`.
#[derive(Clone, Debug, Default)]
pub struct Brief<'a> {
    /// Memories that matched.
    pub total: usize,
    /// Topics of what is in focus, largest first.
    pub topics: Vec<TopicCount<'a>>,
    /// Categories that are not empty, in their order.
    pub sections: Vec<Section<'a>>,
    /// The hottest that are not superseded, at most [`HOT_MAX`], hottest first.
    pub hot: Vec<Mention<'a>>,
    /// Gaps, friction and things to do, of any category, hottest first; superseded ones are not.
    pub gaps: Vec<Mention<'a>>,
    /// How concepts evolved, longest first.
    pub chains: Vec<Chain<'a>>,
    /// Links of the shown memories that are not shown themselves.
    pub linked: Vec<Linked<'a>>,
    /// Copies that are shown once, elsewhere.
    pub merged: usize,
    /// Memories in the sections that a newer one superseded.
    pub superseded: usize,
    /// Memories in the sections whose source changed.
    pub stale: usize,
    /// Memories of other categories than those asked for.
    pub out_of_focus: usize,
    /// Memories that matched and were not considered, being less hot than those that were.
    pub left_out: usize,
    /// Memories that were considered and are not among the hottest, to which a compact brief
    /// keeps.
    pub beyond: usize,
    /// The categories asked for.
    pub focus: Vec<Category>,
    /// Only the [`HOT_MAX`] hottest, in fewer words.
    pub is_compact: bool,
    /// Where a list has no room for all, topics take turns: topics were asked for, and not words.
    pub takes_turns: bool,
}

/// A topic and how many memories of it the brief is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicCount<'a> {
    /// Its name.
    pub name: &'a str,
    /// Memories considered, copies among them.
    pub count: usize,
    /// Memories left out.
    pub left_out: usize,
    /// Memories of other categories than those asked for.
    pub out_of_focus: usize,
}

/// A category and its memories.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Which.
    pub category: Category,
    /// Those that hold first, then those superseded; hottest first in each part.
    pub items: Vec<Item<'a>>,
}

/// A memory wherever a brief names it.
#[derive(Clone, Copy, Debug)]
pub struct Mention<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Its category.
    pub category: Category,
    /// Recency × relevance, weighed by confidence and importance.
    pub heat: f32,
    /// Its source changed since it was stored.
    pub is_stale: bool,
    /// Where its source's line is by now, if it moved.
    pub moved_to: Option<u32>,
    /// A newer version is known.
    pub is_superseded: bool,
    /// What fading left of its confidence, whatever became of its source.
    pub faded: f32,
    /// Another memory contradicts it, and nobody has settled that.
    pub is_disputed: bool,
}

impl Mention<'_> {
    /// How sure the memory is by now, 0 to 1: less than fading left when its source changed.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        standing::doubted(self.faded, self.is_stale)
    }
}

/// A memory in its section.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// The memory.
    pub mention: Mention<'a>,
    /// Identical memories, merged into this one.
    pub also_in: Vec<&'a Memory>,
    /// The next version.
    pub superseded_by: Option<&'a Handle>,
    /// Every earlier version, newest first.
    pub supersedes: Vec<&'a Handle>,
}

/// How a concept evolved within a topic.
#[derive(Clone, Debug)]
pub struct Chain<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The word that its memories share.
    pub keyword: String,
    /// Three or more, oldest first.
    pub links: Vec<Mention<'a>>,
}

/// A memory that is reached by a link.
#[derive(Clone, Debug)]
pub struct Linked<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The shown memories that link to it.
    pub from: Vec<&'a Handle>,
}
