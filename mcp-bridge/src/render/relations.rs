//! Relations between memories: made, taken back, and walked.

use std::collections::HashMap;

use helix_client::text::relations;
use helix_client::v1::{
    Memory, MemoryEdge, PathReply, ReachedMemory, RelateReply, TraverseReply, UnrelateOutcome,
    UnrelateReply,
};

use super::memory::{count_of, header, one_line, short, summary};
use super::pack::packed;
use super::{LINE_MAX_CHARS, View};
use crate::clean;
use crate::render::memory::cut;

/// The status of an edge that a machine made and nobody confirmed.
const SUGGESTED: &str = "suggested";

/// How suggestions are seen, which a walk leaves out unless told.
const MORE: &str = "suggested=true also follows what a machine suggested";

/// Text of a reply to `relate`.
pub(crate) fn related(reply: &RelateReply) -> String {
    let edge = reply.edge.as_ref().map(sentence).unwrap_or_default();
    let outcome = if reply.changed {
        format!("related: {edge}")
    } else {
        format!("nothing changed: {edge} is there already")
    };
    let notes = reply
        .notes
        .iter()
        .map(|note| format!("\nnote: {}", clean::line(note)));
    let hint = reply.edge.as_ref().and_then(hint_of_supersession);
    std::iter::once(outcome).chain(notes).chain(hint).collect()
}

/// The call that does what a relation `supersedes` only says.
fn hint_of_supersession(edge: &MemoryEdge) -> Option<String> {
    let [from, to] = [&edge.from, &edge.to].map(|name| clean::line(name));
    relations::only_says_that_it_replaces(edge).then(|| {
        format!(
            "\nnote: {to} is still in use beside it; \
             edit action=supersede topic={to} by={from} takes it out of use"
        )
    })
}

/// Text of a reply to `unrelate`.
pub(crate) fn unrelated(reply: &UnrelateReply) -> String {
    let edge = reply.edge.as_ref().map(sentence).unwrap_or_default();
    match reply.outcome() {
        UnrelateOutcome::Removed => format!("unrelated: {edge} is gone"),
        UnrelateOutcome::Rejected => {
            format!("unrelated: {edge} was suggested by a machine, and is not suggested again")
        }
        UnrelateOutcome::Unlinked => format!("unrelated: {edge} was a link, which is gone"),
    }
}

/// `a/b depends_on c/d (0.80, suggested)`.
fn sentence(edge: &MemoryEdge) -> String {
    let [from, relation, to] = [&edge.from, &edge.relation, &edge.to].map(|name| clean::line(name));
    format!("{from} {relation} {to}{}", marks(edge))
}

/// How strong an edge is unless fully, and that nobody confirmed it.
fn marks(edge: &MemoryEdge) -> String {
    let strength = (edge.strength < 1.0).then(|| short(edge.strength));
    let suggested = (edge.status == SUGGESTED).then(|| SUGGESTED.to_owned());
    let marks: Vec<String> = strength.into_iter().chain(suggested).collect();
    if marks.is_empty() {
        String::new()
    } else {
        format!(" ({})", marks.join(", "))
    }
}

/// Text of a reply to `neighbours`: each relation as the memory tells it.
pub(crate) fn neighbours(reply: &TraverseReply, with_suggested: bool, view: &View) -> String {
    let Some(centre) = reply.memories.first().and_then(|one| one.memory.as_ref()) else {
        return "nothing is related to it".to_owned();
    };
    let memories = by_handle(&reply.memories);
    let lines: Vec<String> = reply
        .edges
        .iter()
        .filter_map(|edge| neighbour(edge, centre, &memories))
        .collect();
    let name = one_line(centre, view);
    if lines.is_empty() {
        return format!("{name}\nnothing is related to it{}", hint(with_suggested));
    }
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more; relations=… narrows them")
    });
    let more = if reply.cut {
        "\nthere are more; relations=… narrows them"
    } else {
        ""
    };
    format!("{name}\n{list}{more}")
}

/// `depends_on c/d (0.80)  text`, seen from the memory in the middle.
fn neighbour(
    edge: &MemoryEdge,
    centre: &Memory,
    memories: &HashMap<&str, &Memory>,
) -> Option<String> {
    let (relation, other) = if edge.from == centre.handle {
        (&edge.relation, &edge.to)
    } else if edge.to == centre.handle {
        (&edge.inverse, &edge.from)
    } else {
        return None;
    };
    let memory = memories.get(other.as_str())?;
    let [relation, other] = [relation, other].map(|name| clean::line(name));
    let reason = cut(&clean::line(&edge.reason), LINE_MAX_CHARS);
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    Some(header([
        format!("{relation} {other}{}", marks(edge)),
        summary(memory),
        reason
            .map(|reason| format!("[why: {reason}]"))
            .unwrap_or_default(),
    ]))
}

fn by_handle(reached: &[ReachedMemory]) -> HashMap<&str, &Memory> {
    let memories = reached.iter().filter_map(|one| one.memory.as_ref());
    memories
        .map(|memory| (memory.handle.as_str(), memory))
        .collect()
}

fn hint(with_suggested: bool) -> String {
    if with_suggested {
        String::new()
    } else {
        format!("; {MORE}")
    }
}

/// Text of a reply to `traverse`: what was reached, the nearest first, then the relations that no
/// way used.
pub(crate) fn traversed(reply: &TraverseReply, with_suggested: bool, view: &View) -> String {
    let starts = reply.memories.iter().filter(|one| one.depth == 0).count();
    if reply.edges.is_empty() && starts == reply.memories.len() {
        return format!("nothing is related to it{}", hint(with_suggested));
    }
    let by_id = by_id(&reply.edges);
    let mut lines: Vec<String> = reply
        .memories
        .iter()
        .filter_map(|one| reached(one, &by_id, view))
        .collect();
    lines.extend(unused(reply));
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more lines; a smaller depth or relations=… narrows them")
    });
    let more = if reply.cut {
        "\nthere are more; a higher limit shows them"
    } else {
        ""
    };
    format!(
        "{}, steps first\n{list}{more}",
        count_of(reply.memories.len(), "memory", "memories")
    )
}

fn by_id(edges: &[MemoryEdge]) -> HashMap<&[u8], &MemoryEdge> {
    edges
        .iter()
        .map(|edge| (edge.id.as_slice(), edge))
        .collect()
}

/// `2  c/d  2026-11-21  (a/b depends_on it)  text`.
fn reached(
    one: &ReachedMemory,
    by_id: &HashMap<&[u8], &MemoryEdge>,
    view: &View,
) -> Option<String> {
    let memory = one.memory.as_ref()?;
    let by = by_id.get(one.by.as_slice());
    let by = by.map(|edge| format!("({})", arrival(edge, &memory.handle)));
    Some(header([
        one.depth.to_string(),
        clean::line(&memory.handle),
        super::memory::day(memory, view),
        by.unwrap_or_default(),
        summary(memory),
    ]))
}

/// The memory before, and how it is related to the one that the edge led to.
fn arrival(edge: &MemoryEdge, handle: &str) -> String {
    let (before, relation) = if edge.to == handle {
        (&edge.from, &edge.relation)
    } else {
        (&edge.to, &edge.inverse)
    };
    format!(
        "{} {} it{}",
        clean::line(before),
        clean::line(relation),
        marks(edge)
    )
}

/// Relations among what was reached that led to nothing new.
fn unused(reply: &TraverseReply) -> Vec<String> {
    let is_used = |edge: &&MemoryEdge| reply.memories.iter().any(|one| one.by == edge.id);
    let edges = reply.edges.iter().filter(|edge| !is_used(edge));
    edges
        .map(|edge| format!("also {}", sentence(edge)))
        .collect()
}

/// Text of a reply to `path` between two memories as they were named.
pub(crate) fn path(
    reply: &PathReply,
    ends: [&str; 2],
    with_suggested: bool,
    view: &View,
) -> String {
    if reply.memories.is_empty() {
        let [from, to] = ends.map(|end| cut(&clean::line(end), LINE_MAX_CHARS));
        return format!(
            "{from} and {to} are not connected within this depth{}",
            hint(with_suggested)
        );
    }
    let by_id = by_id(&reply.edges);
    let lines: Vec<String> = reply
        .memories
        .iter()
        .filter_map(|one| reached(one, &by_id, view))
        .collect();
    format!(
        "{}\n{}",
        count_of(reply.edges.len(), "step", "steps"),
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{arm64, hostile, utc};
    use super::*;

    fn edge(id: u8, from: &Memory, relation: [&str; 2], to: &Memory) -> MemoryEdge {
        MemoryEdge {
            id: vec![id],
            from: from.handle.clone(),
            to: to.handle.clone(),
            relation: relation[0].to_owned(),
            inverse: relation[1].to_owned(),
            strength: 1.0,
            status: "active".to_owned(),
            ..MemoryEdge::default()
        }
    }

    fn reached(memory: Memory, depth: u32, by: &[u8]) -> ReachedMemory {
        ReachedMemory {
            memory: Some(memory),
            depth,
            by: by.to_vec(),
        }
    }

    fn walk() -> TraverseReply {
        let team = Memory {
            handle: "team/priya".to_owned(),
            text: "@priya owns builds.".to_owned(),
            ..arm64()
        };
        let uses = MemoryEdge {
            strength: 0.4,
            status: SUGGESTED.to_owned(),
            reason: "both\nname xcodebuild".to_owned(),
            ..edge(1, &arm64(), ["uses", "used_by"], &hostile())
        };
        let owns = edge(2, &team, ["owns", "owned_by"], &arm64());
        let also = edge(3, &team, ["works_on", "worked_on_by"], &hostile());
        TraverseReply {
            memories: vec![
                reached(arm64(), 0, &[]),
                reached(hostile(), 1, &[1]),
                reached(team, 1, &[2]),
            ],
            edges: vec![uses, owns, also],
            cut: false,
        }
    }

    #[test]
    fn neighbours_read_from_the_memory() {
        insta::assert_snapshot!(neighbours(&walk(), true, &utc()));
        let alone = TraverseReply {
            memories: vec![reached(arm64(), 0, &[])],
            ..TraverseReply::default()
        };
        let said = neighbours(&alone, false, &utc());
        assert!(
            said.ends_with(
                "nothing is related to it; suggested=true also follows what a machine suggested"
            ),
            "{said}"
        );
    }

    #[test]
    fn a_walk_says_by_which_relation_each_was_reached() {
        insta::assert_snapshot!(traversed(&walk(), true, &utc()));
    }

    #[test]
    fn a_path_is_in_order() {
        let TraverseReply {
            mut memories,
            edges,
            ..
        } = walk();
        memories.truncate(2);
        let reply = PathReply {
            memories,
            edges: edges.into_iter().take(1).collect(),
        };
        let texts = [
            path(&reply, ["a", "b"], true, &utc()),
            path(&PathReply::default(), ["a/b", "c\u{200b}/d"], false, &utc()),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn what_became_of_a_relation_is_said() {
        let edge = walk().edges.into_iter().next();
        let made = |changed| RelateReply {
            edge: edge.clone(),
            changed,
            notes: vec!["a secret was\nremoved".to_owned()],
        };
        let gone = |outcome: UnrelateOutcome| UnrelateReply {
            edge: edge.clone(),
            outcome: outcome.into(),
        };
        let texts = [
            related(&made(true)),
            related(&made(false)),
            unrelated(&gone(UnrelateOutcome::Removed)),
            unrelated(&gone(UnrelateOutcome::Rejected)),
            unrelated(&gone(UnrelateOutcome::Unlinked)),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }
}
