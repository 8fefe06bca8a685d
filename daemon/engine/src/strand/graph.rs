//! How topics refer to each other: by naming one another, and by links between their memories.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use helix_memory::{MemoryNumber, Scope, TopicPattern};
use rustc_hash::FxHashMap;

use super::topics::in_scopes;
use super::{ReadError, Strand};
use crate::index::catalog::{Catalog, TopicEntry};

/// Most edges that a graph shows, the strongest: more than anybody reads, and small beside a
/// message's limit.
pub const GRAPH_EDGES_MAX: usize = 10_000;

/// Most memories that refer to one topic and are shown, the newest.
pub const CROSS_REFERENCES_MAX: usize = 200;

/// How one topic refers to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicEdge {
    /// Whose memories refer.
    pub from: String,
    /// The topic that they refer to.
    pub to: String,
    /// Memories of `from` that name `to`.
    pub mentions: u32,
    /// Links from memories of `from` to memories of `to`.
    pub links: u32,
}

/// The topics and how they refer to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicGraph {
    /// Strongest first, at most `GRAPH_EDGES_MAX`.
    pub edges: Vec<TopicEdge>,
    /// By name: those in focus, and those that an edge leads to or comes from.
    pub topics: Vec<TopicEntry>,
}

/// A memory that refers to a topic which is not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossReference {
    /// Which.
    pub number: MemoryNumber,
    /// Its text names the topic.
    pub mentions: bool,
    /// It links to a memory of the topic.
    pub links: bool,
}

/// How often one topic refers to another.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    mentions: u32,
    links: u32,
}

/// The scopes that an asker sees, in the catalog's numbers.
struct Visible {
    /// By the number of a memory: its topic, if the memory is visible.
    topic_of: Vec<Option<u32>>,
    /// By the number of a topic: whether it has such a memory.
    topics: Vec<bool>,
}

impl Visible {
    fn of(catalog: &Catalog, scopes: &[Scope]) -> Self {
        let filter = in_scopes(scopes).compile(catalog);
        let (mut topic_of, mut topics) = (
            vec![None; catalog.extent()],
            vec![false; catalog.topics.len()],
        );
        for (number, row) in catalog.rows().filter(|(_, row)| filter.keeps(row)) {
            if let (Some(topic), Some(is_visible)) = (
                topic_of.get_mut(number.0 as usize),
                topics.get_mut(row.topic as usize),
            ) {
                (*topic, *is_visible) = (Some(row.topic), true);
            }
        }
        Self { topic_of, topics }
    }

    fn topic_of(&self, number: MemoryNumber) -> Option<u32> {
        self.topic_of.get(number.0 as usize).copied().flatten()
    }

    fn has_topic(&self, topic: u32) -> bool {
        self.topics
            .get(topic as usize)
            .is_some_and(|&is_visible| is_visible)
    }
}

impl Strand {
    /// The memories of these scopes (none: everywhere) that refer to a topic which is not their
    /// own, newest first, at most `CROSS_REFERENCES_MAX`.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn cross_references(
        &self,
        topic: &str,
        scopes: &[Scope],
    ) -> Result<Vec<CrossReference>, ReadError> {
        let mentions = self.mentions()?;
        let catalog = self.catalog();
        let Some(topic) = catalog.topics.find(topic) else {
            return Ok(Vec::new());
        };
        let visible = Visible::of(&catalog, scopes);
        if !visible.has_topic(topic) {
            return Ok(Vec::new());
        }
        let is_outside = |number| visible.topic_of(number).is_some_and(|own| own != topic);
        let mut found: BTreeMap<MemoryNumber, CrossReference> = BTreeMap::new();
        let blank = |number| CrossReference {
            number,
            mentions: false,
            links: false,
        };
        for (number, _) in mentions
            .iter()
            .filter(|(number, named)| named.contains(&topic) && is_outside(*number))
        {
            found
                .entry(number)
                .or_insert_with(|| blank(number))
                .mentions = true;
        }
        for (from, _) in catalog
            .links()
            .filter(|&(from, to)| is_outside(from) && visible.topic_of(to) == Some(topic))
        {
            found.entry(from).or_insert_with(|| blank(from)).links = true;
        }
        let mut references: Vec<CrossReference> = found.into_values().collect();
        let recorded_at = |number| catalog.row(number).map(|row| row.recorded_at);
        references
            .sort_by_key(|reference| Reverse((recorded_at(reference.number), reference.number)));
        references.truncate(CROSS_REFERENCES_MAX);
        Ok(references)
    }

    /// How the topics of these scopes (none: all) refer to each other. With a focus, only edges
    /// from or to a topic that fits it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn topic_graph(
        &self,
        scopes: &[Scope],
        focus: Option<&TopicPattern>,
    ) -> Result<TopicGraph, ReadError> {
        let mut topics = self.topics(scopes, None)?;
        let is_in_focus = |topic: &str| focus.is_none_or(|focus| focus.matches(topic));
        let edges = self.topic_edges(scopes, is_in_focus)?;
        let ends: HashSet<&str> = edges
            .iter()
            .flat_map(|edge| [edge.from.as_str(), edge.to.as_str()])
            .collect();
        topics.retain(|topic| is_in_focus(&topic.name) || ends.contains(topic.name.as_str()));
        Ok(TopicGraph { edges, topics })
    }

    fn topic_edges(
        &self,
        scopes: &[Scope],
        is_in_focus: impl Fn(&str) -> bool,
    ) -> Result<Vec<TopicEdge>, ReadError> {
        let mentions = self.mentions()?;
        let catalog = self.catalog();
        let visible = Visible::of(&catalog, scopes);
        let focus: Vec<bool> = catalog
            .topics
            .iter()
            .map(|(_, name)| is_in_focus(name))
            .collect();
        let has_focus = |topic: u32| {
            focus
                .get(topic as usize)
                .is_some_and(|&is_in_focus| is_in_focus)
        };
        let is_edge = |from: u32, to: u32| from != to && (has_focus(from) || has_focus(to));
        let mut weights: FxHashMap<(u32, u32), Weight> = FxHashMap::default();
        for (number, named) in mentions.iter() {
            let Some(from) = visible.topic_of(number) else {
                continue;
            };
            for &to in named
                .iter()
                .filter(|&&to| visible.has_topic(to) && is_edge(from, to))
            {
                weights.entry((from, to)).or_default().mentions += 1;
            }
        }
        for (from, to) in catalog.links() {
            if let (Some(from), Some(to)) = (visible.topic_of(from), visible.topic_of(to))
                && is_edge(from, to)
            {
                weights.entry((from, to)).or_default().links += 1;
            }
        }
        Ok(strongest(weights, &catalog))
    }
}

/// The strongest edges, named; of equals those whose names come first. Most edges are as weak as
/// each other, so places in the order of names are compared instead of names.
fn strongest(weights: FxHashMap<(u32, u32), Weight>, catalog: &Catalog) -> Vec<TopicEdge> {
    let mut by_name: Vec<(&str, u32)> = catalog
        .topics
        .iter()
        .map(|(topic, name)| (name, topic))
        .collect();
    by_name.sort_unstable();
    let mut places = vec![0_usize; by_name.len()];
    for (place, (_, topic)) in by_name.iter().enumerate() {
        if let Some(slot) = places.get_mut(*topic as usize) {
            *slot = place;
        }
    }
    let place = |topic: u32| places.get(topic as usize).copied();
    let strength = |weight: &Weight| Reverse(weight.mentions.saturating_add(weight.links));
    let key =
        |((from, to), weight): &((u32, u32), Weight)| (strength(weight), place(*from), place(*to));
    let mut edges: Vec<((u32, u32), Weight)> = weights.into_iter().collect();
    if edges.len() > GRAPH_EDGES_MAX {
        edges.select_nth_unstable_by_key(GRAPH_EDGES_MAX, key);
        edges.truncate(GRAPH_EDGES_MAX);
    }
    edges.sort_unstable_by_key(key);
    let name = |topic| catalog.topics.text(topic).to_owned();
    let edge = |((from, to), Weight { mentions, links })| TopicEdge {
        from: name(from),
        to: name(to),
        mentions,
        links,
    };
    edges.into_iter().map(edge).collect()
}
