//! Topics and what refers to what, as the wire has them.

use helix_app::told::Told;
use helix_engine::{CrossReference, TopicEdge, TopicEntry, TopicGraph};
use helix_proto::v1;

use super::told;

/// Writes a listing of topics.
pub(crate) fn listed(topics: Vec<TopicEntry>) -> v1::ListTopicsReply {
    v1::ListTopicsReply {
        topics: topic_entries(topics),
    }
}

/// Writes the newest memories, of so many.
pub(crate) fn recent(memories: &[Told], total: usize) -> v1::RecentReply {
    v1::RecentReply {
        memories: memories.iter().map(told).collect(),
        total: u32::try_from(total).unwrap_or(u32::MAX),
    }
}

/// Writes the topics that were left alone for so many days.
pub(crate) fn idle(topics: Vec<TopicEntry>, days: u32) -> v1::PruneReply {
    v1::PruneReply {
        topics: topic_entries(topics),
        days,
    }
}

/// Writes what refers to a topic.
pub(crate) fn cross_references(found: &[(Told, CrossReference)]) -> v1::CrossReferencesReply {
    v1::CrossReferencesReply {
        references: found.iter().map(cross_reference).collect(),
    }
}

/// Writes a topic of a listing.
fn topic_entry(entry: TopicEntry) -> v1::TopicEntry {
    v1::TopicEntry {
        name: entry.name,
        memories: u32::try_from(entry.memories).unwrap_or(u32::MAX),
        first_recorded_at_us: entry.first_recorded_at.as_micros(),
        last_recorded_at_us: entry.last_changed_at.as_micros(),
    }
}

/// Writes topics in their order.
fn topic_entries(entries: Vec<TopicEntry>) -> Vec<v1::TopicEntry> {
    entries.into_iter().map(topic_entry).collect()
}

/// Writes how the topics refer to each other.
pub(crate) fn graph(graph: TopicGraph) -> v1::GraphReply {
    let edges = graph.edges.into_iter().map(topic_edge).collect();
    v1::GraphReply {
        edges,
        topics: topic_entries(graph.topics),
    }
}

/// Writes a memory that refers to a topic.
fn cross_reference((memory, reference): &(Told, CrossReference)) -> v1::CrossReference {
    let CrossReference {
        mentions, links, ..
    } = *reference;
    v1::CrossReference {
        memory: Some(told(memory)),
        mentions,
        links,
    }
}

/// Writes how one topic refers to another.
fn topic_edge(edge: TopicEdge) -> v1::TopicEdge {
    v1::TopicEdge {
        from: edge.from,
        to: edge.to,
        mentions: edge.mentions,
        links: edge.links,
    }
}

#[cfg(test)]
mod tests {
    use helix_engine::Counted;
    use helix_memory::Timestamp;

    use super::super::counted;
    use super::*;

    #[test]
    fn listings_keep_their_order_and_times() {
        let entry = TopicEntry {
            name: "iris".to_owned(),
            memories: 3,
            first_recorded_at: Timestamp::from_micros(5),
            last_changed_at: Timestamp::from_micros(9),
        };
        let wire = topic_entry(entry);
        assert_eq!((wire.name.as_str(), wire.memories), ("iris", 3));
        assert_eq!(
            (wire.first_recorded_at_us, wire.last_recorded_at_us),
            (5, 9)
        );
        let edge = TopicEdge {
            from: "a".to_owned(),
            to: "b".to_owned(),
            mentions: 2,
            links: 1,
        };
        let wire = topic_edge(edge);
        assert_eq!(
            (
                wire.from.as_str(),
                wire.to.as_str(),
                wire.mentions,
                wire.links
            ),
            ("a", "b", 2, 1)
        );
        let named = |name: &str, count| Counted {
            name: name.to_owned(),
            count,
        };
        let wire = counted(vec![named("x", 2), named("a", 1)]);
        assert_eq!(
            wire.iter()
                .map(|count| (count.name.as_str(), count.count))
                .collect::<Vec<_>>(),
            [("x", 2), ("a", 1)]
        );
    }
}
