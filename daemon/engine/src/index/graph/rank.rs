//! Personalised `PageRank` around a few memories, by forward push (Andersen, Chung and Lang, "Local
//! graph partitioning using `PageRank` vectors", 2006): only the neighbourhood is visited, and the
//! rank that is left unpushed bounds the error.

use hashbrown::HashMap;
use helix_memory::{EdgeStatus, MemoryNumber, Relation};

use super::{Arc, Graph};

/// Share of a memory's rank that stays with it at each push.
const TELEPORT: f32 = 0.5;

/// Rank below which nothing is pushed further.
const PUSHED_MIN: f32 = 5e-3;

/// Edges that one ranking looks at, at most: some tens of microseconds.
pub const RANK_EDGES_MAX: usize = 4_000;

/// A memory that is near to the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Which.
    pub number: MemoryNumber,
    /// Share of the seeds' rank, 0 to 1.
    pub rank: f32,
    /// The edge over which most of it came; `None` for a seed.
    pub by: Option<Arc>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    rank: f32,
    waiting: f32,
    most: f32,
    by: Option<Arc>,
}

impl Graph {
    /// Ranks what active edges connect to the seeds, which are weighted. What `is_visible` denies
    /// is not walked through. Seeds are among the result; the order is by rank.
    pub fn rank(
        &self,
        seeds: &[(MemoryNumber, f32)],
        is_visible: impl Fn(MemoryNumber) -> bool,
    ) -> Vec<Ranked> {
        let whole: f32 = seeds.iter().map(|(_, weight)| weight.max(0.0)).sum();
        if whole <= 0.0 {
            return Vec::new();
        }
        let mut nodes: HashMap<u32, Node> = HashMap::new();
        let mut queue: Vec<u32> = Vec::new();
        for (number, weight) in seeds {
            nodes.entry(number.0).or_default().waiting += weight.max(0.0) / whole;
            queue.push(number.0);
        }
        let mut edges_left = RANK_EDGES_MAX;
        let mut next = 0;
        while let Some(&number) = queue.get(next) {
            next += 1;
            let Some(node) = nodes
                .get_mut(&number)
                .filter(|node| node.waiting > PUSHED_MIN)
            else {
                continue;
            };
            let pushed = std::mem::take(&mut node.waiting);
            node.rank += pushed * TELEPORT;
            let arcs: Vec<Arc> = self
                .edges_of(MemoryNumber(number))
                .filter(|arc| is_ranked(arc) && is_visible(arc.beyond(MemoryNumber(number))))
                .take(edges_left)
                .collect();
            edges_left -= arcs.len();
            let strengths: f32 = arcs.iter().map(|arc| arc.strength).sum();
            if strengths <= 0.0 {
                continue;
            }
            for arc in arcs {
                let share = pushed * (1.0 - TELEPORT) * arc.strength / strengths;
                let beyond = arc.beyond(MemoryNumber(number)).0;
                let node = nodes.entry(beyond).or_default();
                if share > node.most {
                    (node.most, node.by) = (share, Some(arc));
                }
                node.waiting += share;
                queue.push(beyond);
            }
        }
        ranked(nodes, seeds)
    }
}

/// Returns whether rank flows over an edge: what was replaced or is contradicted is not meant along
/// with what replaces or contradicts it. What has words in common is found by words.
fn is_ranked(arc: &Arc) -> bool {
    let is_kin = !matches!(
        arc.key.relation,
        Relation::Supersedes | Relation::Contradicts
    );
    is_kin
        && !arc.is_likeness
        && arc.status == EdgeStatus::Active
        && arc.valid_to.is_none()
        && arc.strength > 0.0
}

fn ranked(nodes: HashMap<u32, Node>, seeds: &[(MemoryNumber, f32)]) -> Vec<Ranked> {
    let is_seed = |number: u32| seeds.iter().any(|(seed, _)| seed.0 == number);
    let mut ranked: Vec<Ranked> = nodes
        .into_iter()
        .map(|(number, node)| Ranked {
            number: MemoryNumber(number),
            rank: node.rank + node.waiting,
            by: node.by.filter(|_| !is_seed(number)),
        })
        .collect();
    ranked.sort_unstable_by(|one, other| {
        let by_rank = other.rank.total_cmp(&one.rank);
        by_rank.then(one.number.cmp(&other.number))
    });
    ranked
}
