//! Relations between memories, in rows and as drawings.

use std::collections::HashMap;

use helix_client::text::relations::only_says_that_it_replaces;
use helix_client::v1::{
    GraphReply, Memory, MemoryEdge, ReachedMemory, RelateReply, TraverseReply, UnrelateReply,
};

use super::memory::{handle, marked_text};
use super::table::{Field, rows};
use super::topics::quoted;
use crate::document::unrelated_how;
use crate::screen::{Look, Paint};
use crate::text::one_line;

/// The status of an edge that a machine suggested.
const SUGGESTED: &str = "suggested";

/// Writes a relation that was made.
pub(crate) fn related(reply: &RelateReply) -> String {
    let how = if reply.changed {
        "related"
    } else {
        "unchanged"
    };
    changed(how, reply.edge.as_ref())
}

/// The command that does what `relate A supersedes B` only says.
pub(crate) fn hint_of_supersession(reply: &RelateReply) -> Option<String> {
    let edge = reply
        .edge
        .as_ref()
        .filter(|edge| only_says_that_it_replaces(edge))?;
    let [from, to] = [&edge.from, &edge.to].map(|name| one_line(name));
    Some(format!(
        "helixctl: {to} is still in use beside it; \
         `helixctl supersede {to} --by {from}` takes it out of use"
    ))
}

/// Writes a relation that was taken back.
pub(crate) fn unrelated(reply: &UnrelateReply) -> String {
    changed(unrelated_how(reply.outcome()), reply.edge.as_ref())
}

fn changed(how: &str, edge: Option<&MemoryEdge>) -> String {
    let edge = edge.map(sentence).unwrap_or_default();
    format!("{how}\t{edge}\n")
}

fn sentence(edge: &MemoryEdge) -> String {
    let [from, relation, to] = [&edge.from, &edge.relation, &edge.to].map(|name| one_line(name));
    format!("{from}\t{relation}\t{to}")
}

/// Writes what is related to a memory, the first of those reached, and how.
pub(crate) fn neighbours(look: Look, reply: &TraverseReply) -> String {
    let Some(centre) = reply.memories.first().and_then(|one| one.memory.as_ref()) else {
        return String::new();
    };
    let memories = by_handle(&reply.memories);
    let row = |edge: &MemoryEdge| {
        let (relation, other) = if edge.from == centre.handle {
            (&edge.relation, &edge.to)
        } else if edge.to == centre.handle {
            (&edge.inverse, &edge.from)
        } else {
            return None;
        };
        let memory = memories.get(other.as_str())?;
        Some(vec![
            one_line(relation).into(),
            handle(memory),
            strength(edge).into(),
            marked_text(look, memory).into(),
        ])
    };
    rows(
        look,
        &["relation", "handle", "strength", "text"],
        reply.edges.iter().filter_map(row).collect(),
    )
}

fn strength(edge: &MemoryEdge) -> String {
    let strength = format!("{:.2}", edge.strength);
    if edge.status == SUGGESTED {
        format!("{strength} ({SUGGESTED})")
    } else {
        strength
    }
}

fn by_handle(reached: &[ReachedMemory]) -> HashMap<&str, &Memory> {
    let memories = reached.iter().filter_map(|one| one.memory.as_ref());
    memories
        .map(|memory| (memory.handle.as_str(), memory))
        .collect()
}

/// Writes what a walk reached: how far away, and by which edge.
pub(crate) fn reached(look: Look, memories: &[ReachedMemory], edges: &[MemoryEdge]) -> String {
    let by_id: HashMap<&[u8], &MemoryEdge> = edges
        .iter()
        .map(|edge| (edge.id.as_slice(), edge))
        .collect();
    let row = |one: &ReachedMemory| {
        let memory = one.memory.as_ref()?;
        let by = by_id.get(one.by.as_slice());
        let by = by.map(|edge| arrival(edge, &memory.handle));
        Some(vec![
            Field::painted(Paint::Faint, one.depth.to_string()),
            handle(memory),
            by.unwrap_or_default().into(),
            marked_text(look, memory).into(),
        ])
    };
    rows(
        look,
        &["depth", "handle", "by", "text"],
        memories.iter().filter_map(row).collect(),
    )
}

/// How the memory before it is related to the one that an edge led to.
fn arrival(edge: &MemoryEdge, handle: &str) -> String {
    if edge.to == handle {
        format!("{} {}", one_line(&edge.from), one_line(&edge.relation))
    } else {
        format!("{} {}", one_line(&edge.to), one_line(&edge.inverse))
    }
}

/// Writes edges between memories.
pub(crate) fn edges(look: Look, edges: &[MemoryEdge]) -> String {
    let row = |edge: &MemoryEdge| {
        vec![
            Field::painted(Paint::Name, one_line(&edge.from)),
            one_line(&edge.relation).into(),
            Field::painted(Paint::Name, one_line(&edge.to)),
            strength(edge).into(),
        ]
    };
    rows(
        look,
        &["from", "relation", "to", "strength"],
        edges.iter().map(row).collect(),
    )
}

/// Writes the same in the DOT language.
pub(crate) fn edges_dot(reply: &TraverseReply) -> String {
    let mut dot = "digraph memories {\n".to_owned();
    for memory in reply.memories.iter().filter_map(|one| one.memory.as_ref()) {
        let (name, kind) = (quoted(&memory.handle), quoted(&memory.kind));
        dot += &format!("  {name} [tooltip={kind}];\n");
    }
    for edge in &reply.edges {
        let style = match (edge.bidirectional, edge.status == SUGGESTED) {
            (false, false) => "",
            (true, false) => ", dir=both",
            (false, true) => ", style=dashed",
            (true, true) => ", dir=both, style=dashed",
        };
        let [from, relation, to] = [&edge.from, &edge.relation, &edge.to].map(|name| quoted(name));
        dot += &format!("  {from} -> {to} [label={relation}{style}];\n");
    }
    dot + "}\n"
}

/// Writes the same for Mermaid.
pub(crate) fn edges_mermaid(reply: &TraverseReply) -> String {
    let mut drawing = Mermaid::default();
    for memory in reply.memories.iter().filter_map(|one| one.memory.as_ref()) {
        drawing.node(&memory.handle);
    }
    for edge in &reply.edges {
        let arrow = match (edge.bidirectional, edge.status == SUGGESTED) {
            (false, false) => "-->",
            (true, false) => "<-->",
            (false, true) => "-.->",
            (true, true) => "<-.->",
        };
        drawing.edge(&edge.from, arrow, &edge.relation, &edge.to);
    }
    drawing.text()
}

/// Writes which topics speak of which, for Mermaid.
pub(crate) fn graph_mermaid(reply: &GraphReply) -> String {
    let mut drawing = Mermaid::default();
    for topic in &reply.topics {
        drawing.node(&topic.name);
    }
    for edge in &reply.edges {
        let weight = edge.mentions.saturating_add(edge.links).to_string();
        drawing.edge(&edge.from, "-->", &weight, &edge.to);
    }
    drawing.text()
}

/// A drawing in Mermaid's language, which names nodes by numbers: its own words and signs may
/// stand in a name.
#[derive(Default)]
struct Mermaid {
    numbers: HashMap<String, usize>,
    lines: String,
}

impl Mermaid {
    fn node(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.numbers.len();
        self.numbers.insert(name.to_owned(), number);
        self.lines += &format!("  n{number}[\"{}\"]\n", label(name));
        number
    }

    fn edge(&mut self, from: &str, arrow: &str, text: &str, to: &str) {
        let (from, to) = (self.node(from), self.node(to));
        self.lines += &format!("  n{from} {arrow}|{}| n{to}\n", label(text));
    }

    fn text(self) -> String {
        format!("graph LR\n{}", self.lines)
    }
}

/// A name as Mermaid has it in quotes.
fn label(name: &str) -> String {
    one_line(name).replace('"', "#quot;").replace('|', "#124;")
}
