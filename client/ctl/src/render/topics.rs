//! Topics, their memories in rows, and who speaks of whom.

use helix_client::text::memory::count_of;
use helix_client::v1::{CrossReference, GraphReply, Memory, TopicEdge, TopicEntry};

use super::memory::{handle, marked_text};
use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::one_line;
use crate::time::{day, minute};

/// Writes topics with how many memories they have, and from when.
pub(crate) fn topics(look: Look, topics: &[TopicEntry]) -> String {
    let row = |topic: &TopicEntry| {
        vec![
            Field::painted(Paint::Name, one_line(&topic.name)),
            topic.memories.to_string().into(),
            Field::painted(Paint::Faint, day(topic.first_recorded_at_us)),
            day(topic.last_recorded_at_us).into(),
        ]
    };
    rows(
        look,
        &["topic", "memories", "first", "last"],
        topics.iter().map(row).collect(),
    )
}

/// Writes memories by time.
pub(crate) fn recent(look: Look, memories: &[Memory]) -> String {
    let row = |memory: &Memory| {
        vec![
            Field::painted(Paint::Faint, minute(memory.recorded_at_us)),
            handle(memory),
            one_line(&memory.kind).into(),
            marked_text(look, memory).into(),
        ]
    };
    rows(
        look,
        &["recorded", "handle", "kind", "text"],
        memories.iter().map(row).collect(),
    )
}

/// Writes a topic's memories with the names that commands take.
pub(crate) fn entries(look: Look, memories: &[Memory]) -> String {
    let row = |memory: &Memory| {
        let name = memory.index.map_or_else(String::new, |index| {
            format!("{}:{index}", one_line(&memory.topic))
        });
        vec![
            Field::painted(Paint::Name, name),
            one_line(&memory.handle).into(),
            Field::painted(Paint::Faint, day(memory.recorded_at_us)),
            one_line(&memory.tags.join(", ")).into(),
            marked_text(look, memory).into(),
        ]
    };
    rows(
        look,
        &["entry", "handle", "recorded", "tags", "text"],
        memories.iter().map(row).collect(),
    )
}

/// Writes who speaks of a topic, and how.
pub(crate) fn cross_references(look: Look, references: &[CrossReference]) -> String {
    let row = |reference: &CrossReference| {
        let memory = reference.memory.as_ref()?;
        let how = match (reference.mentions, reference.links) {
            (true, true) => "mentions, links",
            (false, true) => "links",
            (true | false, false) => "mentions",
        };
        Some(vec![
            handle(memory),
            how.into(),
            marked_text(look, memory).into(),
        ])
    };
    rows(
        look,
        &["handle", "how", "text"],
        references.iter().filter_map(row).collect(),
    )
}

/// Writes which topics speak of which.
pub(crate) fn graph(look: Look, edges: &[TopicEdge]) -> String {
    let row = |edge: &TopicEdge| {
        vec![
            Field::painted(Paint::Name, one_line(&edge.from)),
            Field::painted(Paint::Name, one_line(&edge.to)),
            edge.mentions.to_string().into(),
            edge.links.to_string().into(),
        ]
    };
    rows(
        look,
        &["from", "to", "mentions", "links"],
        edges.iter().map(row).collect(),
    )
}

/// Writes the same in the DOT language: a node a topic, an edge labelled with mentions and links.
pub(crate) fn graph_dot(reply: &GraphReply) -> String {
    let node = |topic: &TopicEntry| {
        let memories = count_of(topic.memories, "memory", "memories");
        format!("  {} [tooltip=\"{memories}\"];\n", quoted(&topic.name))
    };
    let edge = |edge: &TopicEdge| {
        let weight = edge.mentions.saturating_add(edge.links);
        format!(
            "  {} -> {} [label=\"{weight}\"];\n",
            quoted(&edge.from),
            quoted(&edge.to)
        )
    };
    let mut dot = "digraph topics {\n".to_owned();
    dot.extend(reply.topics.iter().map(node));
    dot.extend(reply.edges.iter().map(edge));
    dot + "}\n"
}

/// A name as DOT has it: quotes and backslashes are escaped.
pub(super) fn quoted(name: &str) -> String {
    format!(
        "\"{}\"",
        one_line(name).replace('\\', "\\\\").replace('"', "\\\"")
    )
}
