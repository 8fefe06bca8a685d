//! Which topic mentions or links to which.

use helix_client::v1::{GraphReply, TopicEdge};

use super::super::LINE_MAX_CHARS;
use super::super::memory::{count_of, cut};
use super::super::pack::pack;
use crate::clean;

/// Text of a reply to `graph`: a line for each topic that mentions or links to others, the most
/// connected first.
pub(crate) fn graph(reply: &GraphReply, focus: &str) -> String {
    let focus = cut(&clean::line(focus), LINE_MAX_CHARS);
    if reply.edges.is_empty() {
        return if focus.is_empty() {
            "no topic mentions another or links to it".to_owned()
        } else {
            format!("no topic matching \"{focus}\" has an edge; leave out focus to see all")
        };
    }
    let groups = by_origin(&reply.edges);
    let blocks: Vec<String> = groups.iter().map(|edges| block(edges)).collect();
    let (text, shown) = pack(&blocks, "\n");
    let edges = count_of(reply.edges.len(), "edge", "edges");
    let answer = format!(
        "{}, {edges}\n{text}",
        count_of(reply.topics.len(), "topic", "topics")
    );
    match groups.iter().skip(shown).map(Vec::len).sum::<usize>() {
        0 => answer,
        missing => format!("{answer}\n{missing} more edges; focus=\"name*\" narrows them"),
    }
}

fn weight(edge: &TopicEdge) -> u32 {
    edge.mentions.saturating_add(edge.links)
}

fn by_origin(edges: &[TopicEdge]) -> Vec<Vec<&TopicEdge>> {
    let mut groups: Vec<Vec<&TopicEdge>> = Vec::new();
    for edge in edges {
        match groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| first.from == edge.from))
        {
            Some(group) => group.push(edge),
            None => groups.push(vec![edge]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|edge| std::cmp::Reverse(weight(edge)));
    }
    let total = |group: &[&TopicEdge]| {
        group
            .iter()
            .map(|edge| u64::from(weight(edge)))
            .sum::<u64>()
    };
    groups.sort_by_key(|group| std::cmp::Reverse(total(group)));
    groups
}

/// `from -> to (2 mentions, 1 link), other (1 link)`.
fn block(edges: &[&TopicEdge]) -> String {
    let from = edges
        .first()
        .map(|edge| clean::line(&edge.from))
        .unwrap_or_default();
    let targets = edges
        .iter()
        .map(|edge| format!("{} ({})", clean::line(&edge.to), reasons(edge)));
    format!("{from} -> {}", targets.collect::<Vec<_>>().join(", "))
}

fn reasons(edge: &TopicEdge) -> String {
    let counts = [
        (edge.mentions, "mention", "mentions"),
        (edge.links, "link", "links"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts
        .map(|(count, one, several)| count_of(count as usize, one, several))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::topic;
    use super::*;

    fn edge(from: &str, to: &str, mentions: u32, links: u32) -> TopicEdge {
        TopicEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            mentions,
            links,
        }
    }

    #[test]
    fn edges_are_grouped_by_where_they_start() {
        let reply = GraphReply {
            edges: vec![
                edge("ci", "build", 1, 0),
                edge("build", "ci", 1, 1),
                edge("build", "linker", 5, 2),
            ],
            topics: vec![topic("build", 4), topic("ci", 2), topic("linker", 9)],
        };
        insta::assert_snapshot!(graph(&reply, ""), @r"
        3 topics, 3 edges
        build -> linker (5 mentions, 2 links), ci (1 mention, 1 link)
        ci -> build (1 mention)
        ");
    }

    #[test]
    fn a_large_graph_is_cut() {
        let edges = (0..2_000)
            .map(|at| edge(&format!("topic-{at}"), "hub", 1, 0))
            .collect();
        let text = graph(
            &GraphReply {
                edges,
                topics: Vec::new(),
            },
            "",
        );
        assert!(text.chars().count() < 20_200);
        assert!(text.ends_with(" more edges; focus=\"name*\" narrows them"));
    }

    #[test]
    fn no_edges_say_so() {
        assert_eq!(
            graph(&GraphReply::default(), ""),
            "no topic mentions another or links to it"
        );
        insta::assert_snapshot!(
            graph(&GraphReply::default(), "iris-*"),
            @r#"no topic matching "iris-*" has an edge; leave out focus to see all"#
        );
    }
}
