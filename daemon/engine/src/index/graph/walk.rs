//! Walking the graph: what is around a memory, and how two are connected.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use helix_memory::{EdgeStatus, MemoryNumber, Relation, Timestamp};

use super::{Arc, Graph};

/// Memories that one walk visits, at most.
pub const WALK_MEMORIES_MAX: usize = 10_000;

/// Which edges of a memory are walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Those that begin at it.
    Outgoing,
    /// Those that end at it.
    Incoming,
    /// All.
    #[default]
    Both,
}

impl Direction {
    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "outgoing" | "out" => Some(Self::Outgoing),
            "incoming" | "in" => Some(Self::Incoming),
            "both" | "" => Some(Self::Both),
            _ => None,
        }
    }
}

/// Which edges a walk takes.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// At most [`Walk::DEPTH_MAX`]; 0 stays at the start.
    pub depth: u32,
    /// Relations to follow; empty for all.
    pub relations: Vec<Relation>,
    /// Which way. An edge that leads both ways is walked both ways.
    pub direction: Direction,
    /// Weakest edge that is followed, 0 to 1.
    pub strength_min: f32,
    /// Follows suggested edges as well.
    pub with_suggested: bool,
    /// Follows only what held then; `None` for now, whatever the edges say.
    pub valid_at: Option<Timestamp>,
}

/// A memory that a walk reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Which.
    pub number: MemoryNumber,
    /// Edges between it and the start.
    pub depth: u32,
    /// The edge by which it was reached; `None` for the start.
    pub by: Option<Arc>,
}

impl Walk {
    /// Edges between the start and the furthest memory of a walk, at most.
    pub const DEPTH_MAX: u32 = 10;

    /// Returns whether the walk takes an edge from this end.
    fn takes(&self, arc: &Arc, from: MemoryNumber) -> bool {
        let is_forward = arc.key.from == from;
        let leads = match self.direction {
            Direction::Both => true,
            Direction::Outgoing => is_forward || arc.is_bidirectional,
            Direction::Incoming => !is_forward || arc.is_bidirectional,
        };
        let is_wanted = self.relations.is_empty() || self.relations.contains(&arc.key.relation);
        let is_followed = match arc.status {
            EdgeStatus::Active => true,
            EdgeStatus::Suggested => self.with_suggested,
            EdgeStatus::Rejected => false,
        };
        leads && is_wanted && is_followed && arc.strength >= self.strength_min && self.holds(arc)
    }

    fn holds(&self, arc: &Arc) -> bool {
        let Some(at) = self.valid_at else {
            return arc.valid_to.is_none();
        };
        arc.valid_from.is_none_or(|from| from <= at) && arc.valid_to.is_none_or(|to| at < to)
    }

    /// Reads the name of a direction: outgoing, incoming or both.
    #[must_use]
    pub fn direction_named(name: &str) -> Option<Direction> {
        Direction::parse(name)
    }
}

impl Graph {
    /// The edges of a memory that a walk takes.
    pub fn taken<'a>(
        &'a self,
        number: MemoryNumber,
        walk: &'a Walk,
    ) -> impl Iterator<Item = Arc> + 'a {
        self.edges_of(number)
            .filter(move |arc| walk.takes(arc, number))
    }

    /// Walks breadth first from a memory, which is the first step. What `is_visible` denies is
    /// neither returned nor walked through. Ends after [`WALK_MEMORIES_MAX`] memories.
    pub fn walk(
        &self,
        start: MemoryNumber,
        walk: &Walk,
        is_visible: impl Fn(MemoryNumber) -> bool,
    ) -> Vec<Step> {
        let mut steps = vec![Step {
            number: start,
            depth: 0,
            by: None,
        }];
        let mut seen: HashSet<u32> = HashSet::from([start.0]);
        let mut next = 0;
        while let Some(&step) = steps.get(next) {
            next += 1;
            if step.depth >= walk.depth.min(Walk::DEPTH_MAX) {
                continue;
            }
            for arc in self.taken(step.number, walk) {
                let number = arc.beyond(step.number);
                if steps.len() < WALK_MEMORIES_MAX && is_visible(number) && seen.insert(number.0) {
                    steps.push(Step {
                        number,
                        depth: step.depth + 1,
                        by: Some(arc),
                    });
                }
            }
        }
        steps
    }

    /// A shortest way between two memories, both ends included; `None` where there is none within
    /// [`Walk::DEPTH_MAX`] edges.
    pub fn path(
        &self,
        start: MemoryNumber,
        end: MemoryNumber,
        walk: &Walk,
        is_visible: impl Fn(MemoryNumber) -> bool,
    ) -> Option<Vec<Step>> {
        let mut reached: HashMap<u32, Step> = HashMap::new();
        let first = Step {
            number: start,
            depth: 0,
            by: None,
        };
        reached.insert(start.0, first);
        let mut queue = VecDeque::from([first]);
        while let Some(step) = queue.pop_front() {
            if step.number == end {
                return Some(way_back(&reached, step));
            }
            if step.depth >= walk.depth.min(Walk::DEPTH_MAX) || reached.len() >= WALK_MEMORIES_MAX {
                continue;
            }
            for arc in self.taken(step.number, walk) {
                let number = arc.beyond(step.number);
                if is_visible(number) && !reached.contains_key(&number.0) {
                    let further = Step {
                        number,
                        depth: step.depth + 1,
                        by: Some(arc),
                    };
                    reached.insert(number.0, further);
                    queue.push_back(further);
                }
            }
        }
        None
    }
}

fn way_back(reached: &HashMap<u32, Step>, end: Step) -> Vec<Step> {
    let mut way = vec![end];
    while let Some(&Step {
        number,
        by: Some(arc),
        ..
    }) = way.last()
        && let Some(before) = reached.get(&arc.beyond(number).0)
    {
        way.push(*before);
    }
    way.reverse();
    way
}
