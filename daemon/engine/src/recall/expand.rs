//! Expansion over the graph: what active edges connect to the strongest hits comes along.
//!
//! Neighbours get at most every third place behind the hits they come from, and what room the hits
//! themselves leave. Where they stand depends on nothing behind them, so that pages put together
//! are what one large page is.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use helix_memory::{MemoryNumber, Sources};

use super::fusion::Evidence;
use super::place::Place;
use super::search::{Hit, Mode, Retriever, Scored, Search};
use crate::index::graph::{Arc, Ranked};
use crate::strand::{ReadError, Strand};

/// Hits whose neighbours are looked at, at most.
pub(super) const SEEDS_MAX: usize = 3;

/// Least score of a seed, as a share of the best hit's: neighbours of a weak hit are about
/// something else.
const SEED_SHARE_MIN: f32 = 0.5;

/// Neighbours that come along, at most.
const NEIGHBOURS_MAX: usize = 8;

/// One place in so many is a neighbour's.
const PLACES_PER_NEIGHBOUR: usize = 3;

/// Score of a near neighbour, as a share of its seed's.
const NEIGHBOUR_SHARE: f32 = 0.8;

/// Rank, as a share of the best seed's, from which a neighbour is near: one of about three.
const NEAR_RANK: f32 = 0.15;

/// Least nearness that comes along: the hundred neighbours of a hub tell nothing about it.
const NEARNESS_MIN: f32 = 0.2;

/// Edges between a seed and what comes along, at most.
const STEPS_MAX: usize = 4;

/// How a memory came along that has nothing of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expansion {
    /// The edge that led to it.
    pub by: Arc,
    /// The other end of that edge.
    pub from: MemoryNumber,
}

impl Expansion {
    /// How the edge reads from the memory that it was followed from.
    #[must_use]
    pub fn relation(&self) -> &'static str {
        if self.by.key.from == self.from {
            self.by.key.relation.name()
        } else {
            self.by.key.relation.inverse()
        }
    }
}

/// A seed as far as its neighbours depend on it.
#[derive(Clone, Copy)]
struct Seed {
    number: MemoryNumber,
    fused: f32,
    score: f32,
}

/// A neighbour before its record is read.
struct Neighbour {
    expansion: Expansion,
    seed: Seed,
    scored: Scored,
}

impl Search {
    /// Returns whether what the graph connects to the hits answers the search: not where all words
    /// or one list alone were demanded.
    fn may_expand(&self) -> bool {
        self.retriever == Retriever::Hybrid && self.mode != Mode::All && !self.is_listing()
    }
}

impl Strand {
    /// Returns whether a search is expanded.
    pub(super) fn expands(&self, search: &Search) -> bool {
        helix_ablation::is_on("search/expansion")
            && search.may_expand()
            && !self.catalog().graph().is_empty()
    }

    /// Puts what is connected to the strongest hits among them.
    pub(super) fn expand(
        &self,
        hits: Vec<Hit>,
        search: &Search,
        place: Place,
        sources: &dyn Sources,
    ) -> Result<Vec<Hit>, ReadError> {
        let seeds = seeds(&hits);
        let neighbours = self.connected(&seeds, search, place);
        if neighbours.is_empty() {
            return Ok(hits);
        }
        let mut brought: HashMap<MemoryNumber, (Expansion, Seed)> = HashMap::new();
        let mut pool = Vec::with_capacity(neighbours.len());
        for neighbour in neighbours {
            let number = neighbour.scored.number;
            brought.insert(number, (neighbour.expansion, neighbour.seed));
            pool.push(neighbour.scored);
        }
        let mut neighbours = self.read(pool, search, sources)?;
        let is_copy = |number| hits.iter().any(|hit: &Hit| hit.copies.contains(&number));
        neighbours.retain(|neighbour| !is_copy(neighbour.memory.number));
        for hit in &mut neighbours {
            if let Some((expansion, seed)) = brought.get(&hit.memory.number) {
                hit.expansion = Some(*expansion);
                keep_below(hit, seed.score);
            }
        }
        neighbours.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then(one.memory.number.cmp(&other.memory.number))
        });
        Ok(woven(hits, neighbours, seeds.len()))
    }

    /// Lists memories near to the seeds that pass the filter, best first.
    fn connected(&self, seeds: &[Seed], search: &Search, place: Place) -> Vec<Neighbour> {
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: MemoryNumber| {
            let row = catalog.row(number);
            place.knows(number.0) && row.is_some_and(|row| filter.keeps_at(number, row))
        };
        let weights: Vec<(MemoryNumber, f32)> =
            seeds.iter().map(|seed| (seed.number, seed.score)).collect();
        let ranked = catalog.graph().rank(&weights, passes);
        let best = best_seed_weight(&weights);
        let by: HashMap<MemoryNumber, Arc> = ranked
            .iter()
            .filter_map(|one| Some((one.number, one.by?)))
            .collect();
        let mut neighbours = Vec::new();
        for Ranked {
            number,
            rank,
            by: edge,
        } in ranked
        {
            let Some(edge) = edge else { continue };
            let nearness = (rank / best / NEAR_RANK).min(1.0);
            if nearness < NEARNESS_MIN || neighbours.len() == NEIGHBOURS_MAX {
                break;
            }
            let Some(seed) = seed_of(number, &by, seeds) else {
                continue;
            };
            let evidence = Evidence {
                fused: seed.fused * NEIGHBOUR_SHARE * nearness,
                ..Evidence::default()
            };
            let expansion = Expansion {
                by: edge,
                from: edge.beyond(number),
            };
            let scored = Scored::new(&catalog, number, evidence, search);
            neighbours.extend(scored.map(|scored| Neighbour {
                expansion,
                seed,
                scored,
            }));
        }
        neighbours
    }
}

/// The strongest hits.
fn seeds(hits: &[Hit]) -> Vec<Seed> {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let strongest = hits.iter().take(SEEDS_MAX);
    strongest
        .take_while(|hit| hit.score > 0.0 && hit.score >= best * SEED_SHARE_MIN)
        .map(|hit| Seed {
            number: hit.memory.number,
            fused: hit.evidence.fused,
            score: hit.score,
        })
        .collect()
}

/// The largest share of the rank that any seed starts with.
fn best_seed_weight(weights: &[(MemoryNumber, f32)]) -> f32 {
    let whole: f32 = weights.iter().map(|(_, weight)| weight).sum();
    let largest = weights
        .iter()
        .map(|(_, weight)| *weight)
        .fold(0.0, f32::max);
    if whole > 0.0 { largest / whole } else { 1.0 }
}

/// The seed that a neighbour's rank came from, for the most part.
fn seed_of(
    neighbour: MemoryNumber,
    by: &HashMap<MemoryNumber, Arc>,
    seeds: &[Seed],
) -> Option<Seed> {
    let mut number = neighbour;
    for _ in 0..STEPS_MAX {
        number = by.get(&number)?.beyond(number);
        if let Some(seed) = seeds.iter().find(|seed| seed.number == number) {
            return Some(*seed);
        }
    }
    None
}

/// Lowers a neighbour's score to its seed's.
fn keep_below(hit: &mut Hit, seed_score: f32) {
    if hit.score > seed_score {
        hit.evidence.fused *= seed_score / hit.score;
        hit.score = seed_score;
    }
}

/// Puts neighbours among the hits, behind the seeds: where none of the hits left is better, and at
/// most one place in three. Where the hits end, the rest follows.
fn woven(hits: Vec<Hit>, neighbours: Vec<Hit>, seeds: usize) -> Vec<Hit> {
    let mut woven: Vec<Hit> = Vec::with_capacity(hits.len() + neighbours.len());
    let mut shown: HashSet<MemoryNumber> = HashSet::new();
    let mut waiting = VecDeque::from(neighbours);
    let mut brought = 0;
    for hit in hits {
        waiting.retain(|neighbour| !shown.contains(&neighbour.memory.number));
        while woven.len() >= seeds
            && (brought + 1) * PLACES_PER_NEIGHBOUR <= woven.len() + 1
            && let Some(neighbour) = waiting.pop_front_if(|one| one.score >= hit.score)
        {
            brought += 1;
            shown.insert(neighbour.memory.number);
            woven.push(neighbour);
        }
        if shown.insert(hit.memory.number) {
            woven.push(hit);
        }
    }
    waiting.retain(|neighbour| !shown.contains(&neighbour.memory.number));
    woven.extend(waiting);
    woven
}
