//! Topics, what they hold, and how they refer to each other.

use std::collections::BTreeMap;

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;
use super::provider::UsageDocument;
use super::status::IndexDocument;
use crate::time::rfc3339;

/// One topic.
#[derive(Debug, Serialize)]
pub(super) struct TopicDocument<'a> {
    name: &'a str,
    memories: u32,
    first_recorded_at: String,
    last_recorded_at: String,
}

/// The topics of some scopes.
#[derive(Debug, Serialize)]
pub(crate) struct TopicsDocument<'a> {
    topics: Vec<TopicDocument<'a>>,
}

/// The newest memories.
#[derive(Debug, Serialize)]
pub(crate) struct RecentDocument<'a> {
    total: u32,
    memories: Vec<MemoryDocument<'a>>,
}

/// Counts of everything.
#[derive(Debug, Serialize)]
pub(crate) struct StatsDocument<'a> {
    memories: u64,
    topics: u64,
    links: u64,
    first_recorded_at: Option<String>,
    last_recorded_at: Option<String>,
    tags: Vec<CountDocument<'a>>,
    kinds: BTreeMap<&'a str, u64>,
    scopes: BTreeMap<&'a str, u64>,
    statuses: BTreeMap<&'a str, u64>,
    origins: BTreeMap<&'a str, u64>,
    indexes: Vec<IndexDocument<'a>>,
    index_segments: u64,
    index_tail: u64,
    store_bytes: u64,
    sequence: u64,
    advice: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<UsageDocument>,
}

/// A name and how often it occurs; in lists whose order says something.
#[derive(Debug, Serialize)]
pub(super) struct CountDocument<'a> {
    name: &'a str,
    count: u64,
}

/// Who speaks of a topic.
#[derive(Debug, Serialize)]
pub(crate) struct CrossReferencesDocument<'a> {
    references: Vec<CrossReferenceDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct CrossReferenceDocument<'a> {
    mentions: bool,
    links: bool,
    memory: Option<MemoryDocument<'a>>,
}

/// Which topics speak of which.
#[derive(Debug, Serialize)]
pub(crate) struct GraphDocument<'a> {
    topics: Vec<TopicDocument<'a>>,
    edges: Vec<EdgeDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct EdgeDocument<'a> {
    from: &'a str,
    to: &'a str,
    mentions: u32,
    links: u32,
}

impl<'a> From<&'a v1::TopicEntry> for TopicDocument<'a> {
    fn from(topic: &'a v1::TopicEntry) -> Self {
        Self {
            name: &topic.name,
            memories: topic.memories,
            first_recorded_at: rfc3339(topic.first_recorded_at_us),
            last_recorded_at: rfc3339(topic.last_recorded_at_us),
        }
    }
}

impl<'a> From<&'a v1::ListTopicsReply> for TopicsDocument<'a> {
    fn from(reply: &'a v1::ListTopicsReply) -> Self {
        Self {
            topics: reply.topics.iter().map(TopicDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::RecentReply> for RecentDocument<'a> {
    fn from(reply: &'a v1::RecentReply) -> Self {
        Self {
            total: reply.total,
            memories: reply.memories.iter().map(MemoryDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::NamedCount> for CountDocument<'a> {
    fn from(count: &'a v1::NamedCount) -> Self {
        Self {
            name: &count.name,
            count: count.count,
        }
    }
}

impl<'a> From<&'a v1::StatsReply> for StatsDocument<'a> {
    fn from(reply: &'a v1::StatsReply) -> Self {
        // An empty strand has no times.
        let known = |at_us: i64| (reply.memories > 0).then(|| rfc3339(at_us));
        Self {
            memories: reply.memories,
            topics: reply.topics,
            links: reply.links,
            first_recorded_at: known(reply.first_recorded_at_us),
            last_recorded_at: known(reply.last_recorded_at_us),
            tags: reply.tags.iter().map(CountDocument::from).collect(),
            kinds: counts(&reply.kinds),
            scopes: counts(&reply.scopes),
            statuses: counts(&reply.statuses),
            origins: counts(&reply.origins),
            indexes: reply.indexes.iter().map(IndexDocument::from).collect(),
            index_segments: reply.index_segments,
            index_tail: reply.index_tail,
            store_bytes: reply.store_bytes,
            sequence: reply.sequence,
            advice: &reply.advice,
            models: reply.models.as_ref().map(UsageDocument::from),
        }
    }
}

impl<'a> From<&'a v1::CrossReferencesReply> for CrossReferencesDocument<'a> {
    fn from(reply: &'a v1::CrossReferencesReply) -> Self {
        let document = |reference: &'a v1::CrossReference| CrossReferenceDocument {
            mentions: reference.mentions,
            links: reference.links,
            memory: reference.memory.as_ref().map(MemoryDocument::from),
        };
        Self {
            references: reply.references.iter().map(document).collect(),
        }
    }
}

impl<'a> From<&'a v1::GraphReply> for GraphDocument<'a> {
    fn from(reply: &'a v1::GraphReply) -> Self {
        let edge = |edge: &'a v1::TopicEdge| EdgeDocument {
            from: &edge.from,
            to: &edge.to,
            mentions: edge.mentions,
            links: edge.links,
        };
        Self {
            topics: reply.topics.iter().map(TopicDocument::from).collect(),
            edges: reply.edges.iter().map(edge).collect(),
        }
    }
}

fn counts(counts: &[v1::NamedCount]) -> BTreeMap<&str, u64> {
    counts
        .iter()
        .map(|count| (count.name.as_str(), count.count))
        .collect()
}
