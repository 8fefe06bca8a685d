//! Walking relations: what is around memories, and how two are connected.

use std::collections::{BTreeMap, HashMap, HashSet};

use helix_engine::{Catalog, GraphArc as Arc, Walk, WalkStep as Step};
use helix_memory::{
    Edge, EdgeKey, Memory, MemoryId, MemoryNumber, Scope, Status, Timestamp, TopicPattern,
};
use helix_neutral::quoted;

use super::told::ToldEdge;
use super::{meant, relation, strength};
use crate::limit::Limit;
use crate::told::Told;
use crate::{App, Asker, Refusal, scopes};

/// Depth of a walk that names none.
const DEPTH_DEFAULT: u32 = 2;

/// Memories that a walk begins at, at most.
const STARTS_MAX: usize = 100;

/// Edges that one answer carries, at most: more than anybody reads or draws.
const EDGES_MAX: usize = 5_000;

/// Memories that one answer carries.
const MEMORIES: Limit = Limit {
    default: 500,
    max: 1_000,
};

/// Which edges are followed.
#[derive(Clone, Debug, Default)]
pub struct WalkWanted {
    /// The memories to begin at; empty for all that are related to any.
    pub memories: Vec<String>,
    /// Without memories, the topics whose memories are shown; empty for all.
    pub topics: String,
    /// Edges between a start and the furthest memory; `None` is 2.
    pub depth: Option<u32>,
    /// The names of the relations to follow; empty for all.
    pub relations: Vec<String>,
    /// `outgoing`, `incoming` or `both`; empty is both.
    pub direction: String,
    /// The weakest edge that is followed.
    pub strength_min: Option<f32>,
    /// True if suggested edges are followed.
    pub with_suggested: bool,
    /// Follows what held then; `None` for now.
    pub valid_at: Option<Timestamp>,
    /// Where; empty for the asker's scopes.
    pub scopes: Vec<String>,
    /// Most memories; 0 is the usual number.
    pub limit: u32,
}

/// Between which two memories a path is wanted, and by which edges.
#[derive(Clone, Debug, Default)]
pub struct PathWanted {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// By which edges; its memories and topics are not read.
    pub walk: WalkWanted,
}

/// A memory that was reached.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The memory.
    pub told: Told,
    /// Edges between it and the nearest start.
    pub depth: u32,
    /// The edge by which it was reached; `None` for a start.
    pub by: Option<MemoryId>,
}

/// The surroundings of some memories.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The nearest first, the starts among them.
    pub memories: Vec<Reached>,
    /// The edges among these.
    pub edges: Vec<ToldEdge>,
    /// True if there is more than these.
    pub is_cut: bool,
}

/// How two memories are connected.
#[derive(Clone, Debug, Default)]
pub struct Connected {
    /// From one to the other; empty where they are not connected.
    pub memories: Vec<Reached>,
    /// The edges between these, in order.
    pub edges: Vec<ToldEdge>,
}

/// Walks from some memories, and tells the edges among what was reached.
///
/// # Errors
/// When a memory, a relation, a direction or a scope is unknown, the depth or a limit is out of
/// range, or the disk fails.
pub fn traverse(app: &App, asker: &Asker, wanted: &WalkWanted) -> Result<Walked, Refusal> {
    let walk = walk(wanted)?;
    let limit = MEMORIES.read(wanted.limit)?;
    let scopes = scopes::filtered(asker, &wanted.scopes)?;
    let starts = if wanted.memories.is_empty() {
        related(app, &scopes, &walk, &wanted.topics)?
    } else {
        starts(app, asker, &wanted.memories)?
    };
    let (steps, is_cut) = reached(app, &scopes, &starts, &walk, limit);
    let arcs = arcs_among(app, &steps, &walk);
    let mut walked = told(app, steps, &arcs)?;
    walked.is_cut = is_cut || arcs.len() == EDGES_MAX;
    Ok(walked)
}

/// Finds a shortest way between two memories.
///
/// # Errors
/// As [`traverse`].
pub fn path(app: &App, asker: &Asker, wanted: &PathWanted) -> Result<Connected, Refusal> {
    let depth = wanted.walk.depth.unwrap_or(Walk::DEPTH_MAX);
    let walk = walk(&WalkWanted {
        depth: Some(depth),
        ..wanted.walk.clone()
    })?;
    let scopes = scopes::filtered(asker, &wanted.walk.scopes)?;
    let from = meant(app, asker, &wanted.from)?;
    let to = meant(app, asker, &wanted.to)?;
    let steps = {
        let catalog = app.memory.strand.catalog();
        let visible = Visible::of(&catalog, &scopes);
        let is_visible = |number| number == to || visible.has(number);
        catalog.graph().path(from, to, &walk, is_visible)
    };
    let Some(steps) = steps else {
        return Ok(Connected::default());
    };
    let arcs: Vec<Arc> = steps.iter().filter_map(|step| step.by).collect();
    let Walked {
        memories, edges, ..
    } = told(app, steps, &arcs)?;
    Ok(Connected { memories, edges })
}

fn walk(wanted: &WalkWanted) -> Result<Walk, Refusal> {
    let depth = wanted.depth.unwrap_or(DEPTH_DEFAULT);
    if depth > Walk::DEPTH_MAX {
        return Err(Refusal::invalid(format!(
            "a depth of {depth} is out of range; give 0 to {depth_max}",
            depth_max = Walk::DEPTH_MAX
        )));
    }
    let direction = wanted.direction.trim();
    let direction = Walk::direction_named(direction).ok_or_else(|| {
        Refusal::invalid(format!(
            "direction {} is unknown; give outgoing, incoming or both",
            quoted(direction)
        ))
    })?;
    let relations: Result<Vec<_>, Refusal> = wanted
        .relations
        .iter()
        .map(|name| Ok(relation(name)?.0))
        .collect();
    Ok(Walk {
        depth,
        relations: relations?,
        direction,
        strength_min: strength(wanted.strength_min.or(Some(0.0)))?,
        with_suggested: wanted.with_suggested,
        valid_at: wanted.valid_at,
    })
}

/// The memories that an asker may be led to.
struct Visible<'c> {
    catalog: &'c Catalog,
    /// By their numbers; everything where the asker named all scopes.
    scopes: Option<Vec<u32>>,
}

impl<'c> Visible<'c> {
    fn of(catalog: &'c Catalog, scopes: &[Scope]) -> Self {
        let scopes = (!scopes.is_empty()).then(|| catalog.scope_numbers(scopes));
        Self { catalog, scopes }
    }

    fn has(&self, number: MemoryNumber) -> bool {
        let Some(row) = self.catalog.row(number) else {
            return false;
        };
        let is_in_scope = self.scopes.as_ref().is_none_or(|scopes| row.is_in(scopes));
        is_in_scope && matches!(row.status, Status::Active | Status::Superseded)
    }
}

fn starts(app: &App, asker: &Asker, names: &[String]) -> Result<Vec<MemoryNumber>, Refusal> {
    if names.len() > STARTS_MAX {
        return Err(Refusal::exhausted(format!(
            "{} memories are named, the limit is {STARTS_MAX}; name fewer",
            names.len()
        )));
    }
    let mut starts = Vec::with_capacity(names.len());
    for name in names {
        let number = meant(app, asker, name)?;
        if !starts.contains(&number) {
            starts.push(number);
        }
    }
    Ok(starts)
}

/// Every active memory of some topics that is related to any.
fn related(
    app: &App,
    scopes: &[Scope],
    walk: &Walk,
    topics: &str,
) -> Result<Vec<MemoryNumber>, Refusal> {
    let pattern = if topics.trim().is_empty() {
        None
    } else {
        let pattern = TopicPattern::parse(topics);
        Some(pattern.map_err(|error| Refusal::invalid(error.to_string()))?)
    };
    let catalog = app.memory.strand.catalog();
    let visible = Visible::of(&catalog, scopes);
    let mut related = Vec::new();
    for (number, row) in catalog.rows() {
        let is_meant = pattern
            .as_ref()
            .is_none_or(|pattern| pattern.matches(catalog.topic_of(row)));
        if row.status == Status::Active
            && is_meant
            && visible.has(number)
            && catalog.graph().taken(number, walk).next().is_some()
        {
            related.push(number);
        }
    }
    Ok(related)
}

/// Everything that walks from the starts reach, the nearest first; and whether there is more.
fn reached(
    app: &App,
    scopes: &[Scope],
    starts: &[MemoryNumber],
    walk: &Walk,
    limit: usize,
) -> (Vec<Step>, bool) {
    let catalog = app.memory.strand.catalog();
    let visible = Visible::of(&catalog, scopes);
    let mut nearest: HashMap<MemoryNumber, Step> = HashMap::new();
    let mut is_cut = starts.len() > limit;
    for &start in starts.iter().take(limit) {
        for step in catalog
            .graph()
            .walk(start, walk, |number| visible.has(number))
        {
            let known = nearest.entry(step.number).or_insert(step);
            if step.depth < known.depth {
                *known = step;
            }
        }
    }
    let mut steps: Vec<Step> = nearest.into_values().collect();
    steps.sort_by_key(|step| (step.depth, step.number));
    is_cut |= steps.len() > limit;
    steps.truncate(limit);
    (steps, is_cut)
}

/// The edges that the walk takes among what it reached.
fn arcs_among(app: &App, steps: &[Step], walk: &Walk) -> Vec<Arc> {
    let catalog = app.memory.strand.catalog();
    let numbers: HashSet<MemoryNumber> = steps.iter().map(|step| step.number).collect();
    let mut arcs: BTreeMap<EdgeKey, Arc> = BTreeMap::new();
    for step in steps {
        let taken = catalog.graph().taken(step.number, walk);
        for arc in taken.filter(|arc| numbers.contains(&arc.beyond(step.number))) {
            arcs.insert(arc.key, arc);
        }
    }
    arcs.into_values().take(EDGES_MAX).collect()
}

fn told(app: &App, steps: Vec<Step>, arcs: &[Arc]) -> Result<Walked, Refusal> {
    let numbers: Vec<MemoryNumber> = steps.iter().map(|step| step.number).collect();
    let memories: HashMap<MemoryNumber, Memory> = app
        .memory
        .strand
        .memories(&numbers)?
        .into_iter()
        .map(|memory| (memory.number, memory))
        .collect();
    let snapshot = app.memory.strand.snapshot()?;
    let mut edges = Vec::with_capacity(arcs.len());
    for arc in arcs {
        edges.extend(ToldEdge::of(&snapshot, &memories, arc)?);
    }
    let id = |arc: Arc| {
        let (from, to) = (memories.get(&arc.key.from)?, memories.get(&arc.key.to)?);
        Some(Edge::id_of(&from.id, arc.key.relation, &to.id))
    };
    let mut reached = Vec::with_capacity(steps.len());
    for step in steps {
        let Some(memory) = memories.get(&step.number) else {
            continue;
        };
        reached.push(Reached {
            told: Told::of(app, memory),
            depth: step.depth,
            by: step.by.and_then(id),
        });
    }
    Ok(Walked {
        memories: reached,
        edges,
        is_cut: false,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn walks_are_checked() {
        let usual = walk(&WalkWanted::default()).unwrap();
        assert_eq!(usual.depth, DEPTH_DEFAULT);
        assert_eq!(Some(usual.direction), Walk::direction_named("both"));
        let of_depth = |depth| WalkWanted {
            depth: Some(depth),
            ..WalkWanted::default()
        };
        assert!(walk(&of_depth(Walk::DEPTH_MAX)).is_ok());
        let refusal = walk(&of_depth(Walk::DEPTH_MAX + 1)).unwrap_err();
        assert!(refusal.message().contains("0 to 10"), "{refusal}");
        let sideways = WalkWanted {
            direction: "sideways".to_owned(),
            ..WalkWanted::default()
        };
        assert!(walk(&sideways).is_err());
    }
}
