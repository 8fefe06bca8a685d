#![allow(clippy::unwrap_used)]
use std::collections::BTreeMap;

use helix_memory::{Actor, Origin, Provenance, Sequence};
use proptest::prelude::*;

use super::walk::Direction;
use super::*;

/// Memories of a random graph.
const MEMORIES: u32 = 6;

fn id(number: u32) -> MemoryId {
    MemoryId::new(
        Timestamp::default(),
        &[u8::try_from(number).unwrap() + 1; 10],
    )
}

fn key(from: u32, relation: Relation, to: u32) -> EdgeKey {
    EdgeKey {
        from: MemoryNumber(from),
        relation,
        to: MemoryNumber(to),
    }
}

fn edge(from: u32, relation: Relation, to: u32) -> Edge {
    let actor = Actor {
        origin: Origin::User,
        agent: String::new(),
        session: String::new(),
        ..Actor::default()
    };
    Edge {
        key: key(from, relation, to),
        strength: 1.0,
        is_bidirectional: relation.is_bidirectional(),
        status: EdgeStatus::Active,
        provenance: Provenance::stated(&actor, Timestamp::default()),
        reason: String::new(),
        valid_from: Timestamp::default(),
        valid_to: None,
        sequence: Sequence(1),
    }
}

/// A graph of so many memories, and edges between them.
fn graph_of(memories: u32, edges: &[Edge]) -> Graph {
    let mut graph = Graph::default();
    for number in 0..memories {
        graph.apply_memory(MemoryNumber(number), id(number), &[], None);
    }
    for edge in edges {
        graph.apply_edge(edge);
    }
    graph
}

fn reached(graph: &Graph, start: u32, walk: &Walk) -> Vec<(u32, u32)> {
    let steps = graph.walk(MemoryNumber(start), walk, |_| true);
    steps
        .iter()
        .map(|step| (step.number.0, step.depth))
        .collect()
}

fn at_depth(depth: u32) -> Walk {
    Walk {
        depth,
        ..Walk::default()
    }
}

#[test]
fn links_and_supersessions_are_edges() {
    let mut graph = graph_of(3, &[]);
    assert!(graph.is_empty());
    graph.apply_memory(MemoryNumber(0), id(0), &[id(1)], Some(id(2)));
    let keys: Vec<EdgeKey> = graph.edges_of(MemoryNumber(0)).map(|arc| arc.key).collect();
    assert_eq!(
        keys,
        [
            key(0, Relation::RelatesTo, 1),
            key(2, Relation::Supersedes, 0)
        ]
    );
    assert_eq!(graph.successor_of(MemoryNumber(0)), Some(MemoryNumber(2)));
    assert!(!graph.is_empty());
    graph.apply_memory(MemoryNumber(0), id(0), &[], None);
    assert_eq!(graph.edges_of(MemoryNumber(0)).count(), 0);
    assert!(graph.is_empty());
}

#[test]
fn a_link_may_name_a_memory_that_comes_later() {
    let mut graph = graph_of(1, &[]);
    graph.apply_memory(MemoryNumber(0), id(0), &[id(1)], None);
    assert_eq!(graph.edges_of(MemoryNumber(0)).count(), 0);
    graph.apply_memory(MemoryNumber(1), id(1), &[], None);
    assert_eq!(graph.edges_of(MemoryNumber(1)).count(), 1);
    assert!((graph.centrality(MemoryNumber(1)) - 1.0).abs() < 1e-6);
}

#[test]
fn an_edge_beside_a_link_of_the_same_name_is_one() {
    let mut graph = graph_of(2, &[edge(0, Relation::RelatesTo, 1)]);
    graph.apply_memory(MemoryNumber(0), id(0), &[id(1)], None);
    assert_eq!(graph.edges_of(MemoryNumber(0)).count(), 1);
    assert_eq!(graph.edges_of(MemoryNumber(1)).count(), 1);
}

#[test]
fn walks_keep_to_their_depth_and_direction() {
    let chain = [
        edge(0, Relation::DependsOn, 1),
        edge(1, Relation::DependsOn, 2),
        edge(2, Relation::Owns, 0),
    ];
    let graph = graph_of(3, &chain);
    assert_eq!(reached(&graph, 0, &at_depth(0)), [(0, 0)]);
    assert_eq!(reached(&graph, 0, &at_depth(1)), [(0, 0), (1, 1), (2, 1)]);
    let outgoing = Walk {
        direction: Direction::Outgoing,
        ..at_depth(5)
    };
    assert_eq!(reached(&graph, 0, &outgoing), [(0, 0), (1, 1), (2, 2)]);
    let incoming = Walk {
        direction: Direction::Incoming,
        ..at_depth(1)
    };
    assert_eq!(reached(&graph, 0, &incoming), [(0, 0), (2, 1)]);
    let owning = Walk {
        relations: vec![Relation::Owns],
        ..at_depth(5)
    };
    assert_eq!(reached(&graph, 0, &owning), [(0, 0), (2, 1)]);
}

#[test]
fn an_edge_that_leads_both_ways_is_walked_both_ways() {
    let graph = graph_of(2, &[edge(0, Relation::RelatesTo, 1)]);
    let outgoing = Walk {
        direction: Direction::Outgoing,
        ..at_depth(1)
    };
    assert_eq!(reached(&graph, 1, &outgoing), [(1, 0), (0, 1)]);
}

#[test]
fn weak_suggested_rejected_and_ended_edges_are_left_out() {
    let weak = Edge {
        strength: 0.2,
        ..edge(0, Relation::Uses, 1)
    };
    let suggested = Edge {
        status: EdgeStatus::Suggested,
        ..edge(0, Relation::Uses, 2)
    };
    let rejected = Edge {
        status: EdgeStatus::Rejected,
        ..edge(0, Relation::Uses, 3)
    };
    let ended = Edge {
        valid_to: Some(Timestamp::from_micros(5)),
        ..edge(0, Relation::Uses, 4)
    };
    let graph = graph_of(5, &[weak, suggested, rejected, ended]);
    let strong = Walk {
        strength_min: 0.5,
        ..at_depth(1)
    };
    assert_eq!(reached(&graph, 0, &strong), [(0, 0)]);
    let guessed = Walk {
        with_suggested: true,
        ..at_depth(1)
    };
    assert_eq!(reached(&graph, 0, &guessed), [(0, 0), (1, 1), (2, 1)]);
    let then = Walk {
        valid_at: Some(Timestamp::from_micros(4)),
        ..at_depth(1)
    };
    assert_eq!(reached(&graph, 0, &then), [(0, 0), (1, 1), (4, 1)]);
    // Only the weak edge and the one that ended are active.
    assert!(graph.centrality(MemoryNumber(1)) > 0.0);
    assert!(graph.centrality(MemoryNumber(2)) < 1e-6);
}

#[test]
fn what_is_not_visible_is_not_walked_through() {
    let chain = [edge(0, Relation::Uses, 1), edge(1, Relation::Uses, 2)];
    let graph = graph_of(3, &chain);
    let steps = graph.walk(MemoryNumber(0), &at_depth(5), |number| number.0 != 1);
    assert_eq!(steps.len(), 1);
    let path = graph.path(MemoryNumber(0), MemoryNumber(2), &at_depth(5), |number| {
        number.0 != 1
    });
    assert!(path.is_none());
}

#[test]
fn a_path_is_a_shortest_one_with_both_ends() {
    let edges = [
        edge(0, Relation::Uses, 1),
        edge(1, Relation::Uses, 2),
        edge(2, Relation::Uses, 3),
        edge(3, Relation::Owns, 0),
    ];
    let graph = graph_of(5, &edges);
    let path = |walk: &Walk, end| {
        let steps = graph.path(MemoryNumber(0), MemoryNumber(end), walk, |_| true);
        steps.map(|steps| steps.iter().map(|step| step.number.0).collect::<Vec<_>>())
    };
    assert_eq!(path(&at_depth(10), 3), Some(vec![0, 3]));
    let outgoing = Walk {
        direction: Direction::Outgoing,
        ..at_depth(10)
    };
    assert_eq!(path(&outgoing, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!(path(&at_depth(10), 0), Some(vec![0]));
    assert_eq!(path(&at_depth(10), 4), None);
    let short = Walk {
        depth: 2,
        ..outgoing
    };
    assert_eq!(path(&short, 3), None);
}

#[test]
fn rank_finds_neighbours_and_not_what_was_replaced() {
    let mut graph = graph_of(
        5,
        &[
            edge(1, Relation::HasDecision, 0),
            edge(1, Relation::HasConvention, 2),
        ],
    );
    graph.apply_memory(MemoryNumber(3), id(3), &[], Some(id(0)));
    let ranked = graph.rank(&[(MemoryNumber(0), 1.0)], |_| true);
    let order: Vec<u32> = ranked.iter().map(|one| one.number.0).collect();
    assert_eq!(order, [0, 1, 2]);
    assert!(ranked[0].by.is_none());
    assert_eq!(
        ranked[2].by.unwrap().key,
        key(1, Relation::HasConvention, 2)
    );
    assert!(graph.rank(&[], |_| true).is_empty());
}

#[test]
fn a_removed_memory_takes_its_edges_along() {
    let edges = [
        edge(0, Relation::Uses, 1),
        edge(1, Relation::Uses, 2),
        edge(0, Relation::Uses, 2),
    ];
    let mut graph = graph_of(3, &edges);
    graph.remove_memory(MemoryNumber(1));
    let left: Vec<EdgeKey> = graph.stored().map(|arc| arc.key).collect();
    assert_eq!(left, [key(0, Relation::Uses, 2)]);
    assert!((graph.centrality(MemoryNumber(2)) - 1.0).abs() < 1e-6);
    assert!(graph.centrality(MemoryNumber(1)) < 1e-6);
}

/// A change of a graph.
#[derive(Clone, Debug)]
enum Change {
    Memory(u32, Vec<u32>, Option<u32>),
    Remove(u32),
    Relate(u32, u8, u32, u8),
    Unrelate(u32, u8, u32),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let number = 0..MEMORIES;
    let links = prop::collection::vec(0..MEMORIES, 0..3);
    let change = prop_oneof![
        3 => (number.clone(), links, prop::option::of(0..MEMORIES))
            .prop_map(|(number, links, successor)| Change::Memory(number, links, successor)),
        1 => number.clone().prop_map(Change::Remove),
        4 => (number.clone(), 0_u8..2, number.clone(), 0_u8..3)
            .prop_map(|(from, relation, to, status)| Change::Relate(from, relation, to, status)),
        1 => (number.clone(), 0_u8..2, number)
            .prop_map(|(from, relation, to)| Change::Unrelate(from, relation, to)),
    ];
    prop::collection::vec(change, 0..40)
}

fn relation(at: u8) -> Relation {
    [Relation::RelatesTo, Relation::Uses][usize::from(at)]
}

/// The same, looked for anew in what there is.
#[derive(Default)]
struct Model {
    /// Links and successor by number.
    memories: BTreeMap<u32, (BTreeSet<u32>, Option<u32>)>,
    edges: BTreeMap<EdgeKey, EdgeStatus>,
}

impl Model {
    fn has(&self, number: u32) -> bool {
        self.memories.contains_key(&number)
    }

    fn degree(&self, number: u32) -> u32 {
        let Some((_, successor)) = self.memories.get(&number) else {
            return 0;
        };
        let linking = self
            .memories
            .values()
            .filter(|(links, _)| links.contains(&number))
            .count();
        let has_successor = successor.is_some_and(|successor| self.has(successor));
        let active = self
            .edges
            .iter()
            .filter(|(key, status)| {
                let is_beside_link = key.relation == Relation::RelatesTo
                    && self
                        .memories
                        .get(&key.from.0)
                        .is_some_and(|(links, _)| links.contains(&key.to.0));
                key.to.0 == number && **status == EdgeStatus::Active && !is_beside_link
            })
            .count();
        u32::try_from(linking + usize::from(has_successor) + active).unwrap()
    }

    fn neighbours(&self, number: u32) -> BTreeSet<EdgeKey> {
        let mut keys: BTreeSet<EdgeKey> = self
            .edges
            .keys()
            .filter(|key| key.from.0 == number || key.to.0 == number)
            .copied()
            .collect();
        for (&from, (links, successor)) in &self.memories {
            for &to in links.iter().filter(|to| self.has(**to)) {
                if from == number || to == number {
                    keys.insert(key(from, Relation::RelatesTo, to));
                }
            }
            if let Some(new) = successor.filter(|new| self.has(*new))
                && (from == number || new == number)
            {
                keys.insert(key(new, Relation::Supersedes, from));
            }
        }
        keys
    }
}

fn apply(graph: &mut Graph, model: &mut Model, change: Change) {
    match change {
        Change::Memory(number, links, successor) => {
            let links: BTreeSet<u32> = links.into_iter().filter(|link| *link != number).collect();
            let successor = successor.filter(|successor| *successor != number);
            let ids: Vec<MemoryId> = links.iter().map(|link| id(*link)).collect();
            graph.apply_memory(MemoryNumber(number), id(number), &ids, successor.map(id));
            model.memories.insert(number, (links, successor));
        }
        Change::Remove(number) => {
            graph.remove_memory(MemoryNumber(number));
            if model.memories.remove(&number).is_some() {
                model
                    .edges
                    .retain(|key, _| key.from.0 != number && key.to.0 != number);
            }
        }
        Change::Relate(from, at, to, status) => {
            if from != to && model.has(from) && model.has(to) {
                let edge = Edge {
                    status: EdgeStatus::ALL[usize::from(status)],
                    ..edge(from, relation(at), to)
                };
                graph.apply_edge(&edge);
                model.edges.insert(edge.key, edge.status);
            }
        }
        Change::Unrelate(from, at, to) => {
            graph.remove_edge(&key(from, relation(at), to));
            model.edges.remove(&key(from, relation(at), to));
        }
    }
}

proptest! {
    #[test]
    fn the_graph_is_what_a_naive_one_is(changes in changes()) {
        let (mut graph, mut model) = (Graph::default(), Model::default());
        for change in changes {
            apply(&mut graph, &mut model, change);
            let degrees: Vec<u32> = (0..MEMORIES).map(|number| model.degree(number)).collect();
            let largest = degrees.iter().copied().max().unwrap_or_default();
            for number in 0..MEMORIES {
                let degree = degrees[number as usize];
                let expected = if largest == 0 { 0.0 } else { f64::from(degree) / f64::from(largest) };
                let found = f64::from(graph.centrality(MemoryNumber(number)));
                prop_assert!((found - expected).abs() < 1e-6, "{} {} {}", number, found, expected);
                let keys: Vec<EdgeKey> = graph.edges_of(MemoryNumber(number)).map(|arc| arc.key).collect();
                let known: BTreeSet<EdgeKey> = keys.iter().copied().collect();
                prop_assert_eq!(keys.len(), known.len(), "each edge once");
                prop_assert_eq!(known, model.neighbours(number));
            }
        }
    }

    #[test]
    fn ranks_are_shares_of_the_seeds(changes in changes(), seed in 0..MEMORIES) {
        let (mut graph, mut model) = (Graph::default(), Model::default());
        for change in changes {
            apply(&mut graph, &mut model, change);
        }
        let ranked = graph.rank(&[(MemoryNumber(seed), 2.0)], |_| true);
        let sum: f32 = ranked.iter().map(|one| one.rank).sum();
        prop_assert!(sum <= 1.0 + 1e-4, "{}", sum);
        prop_assert!(ranked.iter().all(|one| one.rank > 0.0));
    }
}
