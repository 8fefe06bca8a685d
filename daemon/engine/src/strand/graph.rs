//! How topics refer to each other: by naming one another, and by links between their memories.

use std::collections::BTreeMap;

use super::topics::in_scopes;
use super::{ReadError, Strand};
use crate::index::catalog::TopicEntry;
use crate::model::{MemoryNumber, Scope, TopicPattern};

/// Most edges that a graph shows, the strongest: more than anybody reads, and small beside a message's limit.
pub const GRAPH_EDGES_MAX: usize = 10_000;

/// Most memories that refer to one topic and are shown, the newest.
pub const CROSS_REFERENCES_MAX: usize = 200;

/// How one topic refers to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicEdge {
    /// Whose memories refer.
    pub from: String,
    /// What they refer to.
    pub to: String,
    /// Memories of `from` that name `to`.
    pub mentions: u32,
    /// Links from memories of `from` to memories of `to`.
    pub links: u32,
}

/// The topics and how they refer to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicGraph {
    /// Strongest first, at most [`GRAPH_EDGES_MAX`].
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

impl Strand {
    /// The memories of these scopes (none: everywhere) that refer to a topic which is not their own, newest first, at most
    /// [`CROSS_REFERENCES_MAX`].
    ///
    /// # Errors
    /// When the disk fails.
    pub fn cross_references(&self, topic: &str, scopes: &[Scope]) -> Result<Vec<CrossReference>, ReadError> {
        let mentions = self.mentions(scopes)?;
        let catalog = self.catalog();
        let Some(topic) = catalog.topics.find(topic) else { return Ok(Vec::new()) };
        let filter = in_scopes(scopes).compile(&catalog);
        let visible = |number| catalog.row(number).filter(|row| filter.keeps(row));
        let is_outside = |number| visible(number).is_some_and(|row| row.topic != topic);
        let is_member = |number| visible(number).is_some_and(|row| row.topic == topic);
        let mut found: BTreeMap<MemoryNumber, CrossReference> = BTreeMap::new();
        let blank = |number| CrossReference { number, mentions: false, links: false };
        for &(number, _) in mentions.found.iter().filter(|(number, named)| *named == topic && is_outside(*number)) {
            found.entry(number).or_insert_with(|| blank(number)).mentions = true;
        }
        for (from, _) in catalog.links().filter(|&(from, to)| is_outside(from) && is_member(to)) {
            found.entry(from).or_insert_with(|| blank(from)).links = true;
        }
        let mut references: Vec<CrossReference> = found.into_values().collect();
        let recorded_at = |number| catalog.row(number).map(|row| row.recorded_at);
        references.sort_by_key(|reference| std::cmp::Reverse((recorded_at(reference.number), reference.number)));
        references.truncate(CROSS_REFERENCES_MAX);
        Ok(references)
    }

    /// How the topics of these scopes (none: all) refer to each other. With a focus, only edges from or to a topic that
    /// fits it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn topic_graph(&self, scopes: &[Scope], focus: Option<&TopicPattern>) -> Result<TopicGraph, ReadError> {
        let mut topics = self.topics(scopes, None)?;
        let is_in_focus = |topic: &str| focus.is_none_or(|focus| focus.matches(topic));
        let mut edges = self.topic_edges(scopes)?;
        edges.retain(|edge| is_in_focus(&edge.from) || is_in_focus(&edge.to));
        edges.sort_unstable_by(|a, b| {
            let strength = |edge: &TopicEdge| edge.mentions.saturating_add(edge.links);
            strength(b).cmp(&strength(a)).then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
        });
        edges.truncate(GRAPH_EDGES_MAX);
        let ends: std::collections::HashSet<&str> =
            edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        topics.retain(|topic| is_in_focus(&topic.name) || ends.contains(topic.name.as_str()));
        Ok(TopicGraph { edges, topics })
    }

    fn topic_edges(&self, scopes: &[Scope]) -> Result<Vec<TopicEdge>, ReadError> {
        let mentions = self.mentions(scopes)?;
        let catalog = self.catalog();
        let filter = in_scopes(scopes).compile(&catalog);
        let topic_of = |number| catalog.row(number).filter(|row| filter.keeps(row)).map(|row| row.topic);
        let mut weights: BTreeMap<(u32, u32), Weight> = BTreeMap::new();
        for &(number, to) in &mentions.found {
            if let Some(from) = topic_of(number).filter(|&from| from != to) {
                weights.entry((from, to)).or_default().mentions += 1;
            }
        }
        for (from, to) in catalog.links() {
            if let (Some(from), Some(to)) = (topic_of(from), topic_of(to))
                && from != to
            {
                weights.entry((from, to)).or_default().links += 1;
            }
        }
        let name = |topic| catalog.topics.text(topic).to_owned();
        let edge =
            |((from, to), Weight { mentions, links })| TopicEdge { from: name(from), to: name(to), mentions, links };
        Ok(weights.into_iter().map(edge).collect())
    }
}
