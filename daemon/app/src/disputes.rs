//! With which of the memories that a new one contradicts it is noted: with one of each dispute, the
//! newest. Whoever settles that settles the dispute, so all others would only be pairs more.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use helix_engine::{Correction, Strand};
use helix_memory::{EdgeKey, Memory, MemoryId, MemoryNumber, Statement, Status, Verdict, relate};

use crate::{App, find};

/// Memories that are named as contradicting another, at most.
const NAMED_MAX: usize = 2;

/// The active memories that one cannot stand beside, while nobody has settled that; the newest
/// first.
pub(crate) fn against(app: &App, number: MemoryNumber) -> Vec<MemoryNumber> {
    let catalog = app.memory.strand.catalog();
    let graph = catalog.graph();
    // Of hardly any memory there is one, and all that are shown are asked for.
    if !graph.edges_of(number).any(|arc| arc.is_open_conflict()) {
        return Vec::new();
    }
    let disputed = graph.disputed(number).into_iter().rev();
    let is_active = |other: &MemoryNumber| {
        let row = catalog.row(*other);
        row.is_some_and(|row| row.status == Status::Active)
    };
    disputed
        .filter(|other| *other != number)
        .filter(is_active)
        .collect()
}

/// The handles of the newest of them that disagree with it: who disagrees with the same may agree.
pub(crate) fn named_against(app: &App, memory: &Memory) -> Vec<String> {
    let disagrees = |other: &MemoryNumber| {
        let found = app.memory.strand.memories(&[*other]).unwrap_or_default();
        found.iter().any(|other| disagree(app, memory, other))
    };
    let others = against(app, memory.number).into_iter();
    let named: Vec<MemoryNumber> = others.filter(disagrees).take(NAMED_MAX).collect();
    if named.is_empty() {
        return Vec::new();
    }
    find::handles(app, &named).unwrap_or_default()
}

/// Returns whether two memories of one dispute contradict each other. Each is noted with one of the
/// others alone, so their texts decide where nothing is noted of the two.
pub(crate) fn disagree(app: &App, one: &Memory, other: &Memory) -> bool {
    let strand = &app.memory.strand;
    let (said, other_said) = (strand.statement(&one.text), strand.statement(&other.text));
    is_contradiction(relate(&said, &other_said))
        || is_contradiction(relate(&other_said, &said))
        || !edges_between(app, one.number, other.number).is_empty()
}

/// The contradictions between two memories that nobody has settled.
pub(crate) fn edges_between(app: &App, one: MemoryNumber, other: MemoryNumber) -> Vec<EdgeKey> {
    let catalog = app.memory.strand.catalog();
    let edges = catalog.graph().edges_of(one);
    edges
        .filter(|arc| arc.is_open_conflict() && arc.beyond(one) == other)
        .map(|arc| arc.key)
        .collect()
}

/// The remark on a memory behind its heading: ` (contradicted by [handle])`; empty where nothing
/// contradicts it.
pub(crate) fn remark(app: &App, memory: &Memory) -> String {
    let others = named_against(app, memory);
    if others.is_empty() {
        return String::new();
    }
    format!(" (contradicted by [{}])", others.join("], ["))
}

/// The number of a memory that is not stored yet.
pub(crate) const NO_NUMBER: MemoryNumber = MemoryNumber(u32::MAX);

/// Contradictions that are not in the graph yet.
#[derive(Debug, Default)]
pub(crate) struct Disputes(HashMap<MemoryId, Vec<Memory>>);

/// The memories of the disputes that a new one has part in.
#[derive(Default)]
struct Covered {
    numbers: BTreeSet<MemoryNumber>,
    ids: HashSet<MemoryId>,
    /// Those that the new one is noted with.
    noted: Vec<Arc<Statement>>,
}

impl Disputes {
    /// Leaves one contradiction of each dispute. What is replaced stays.
    pub(crate) fn one_of_each(
        &self,
        strand: &Strand,
        mut corrections: Vec<Correction>,
    ) -> Vec<Correction> {
        if corrections.len() < 2 {
            return corrections;
        }
        // Of one batch the later come last, and have no numbers yet.
        corrections.reverse();
        corrections.sort_by_key(|correction| Reverse(correction.memory.number));
        let mut covered = Covered::default();
        corrections.retain(|correction| {
            if correction.replaces() {
                return true;
            }
            let is_new = !covered.has(strand, &correction.memory);
            if is_new {
                self.cover(strand, &correction.memory, &mut covered);
                let text = &correction.memory.text;
                covered.noted.push(strand.statement(text));
            }
            is_new
        });
        corrections
    }

    /// Notes what a memory that is not stored yet contradicts.
    pub(crate) fn note(&mut self, id: MemoryId, corrections: &[Correction]) {
        let contradicted = corrections
            .iter()
            .filter(|correction| !correction.replaces());
        let memories: Vec<Memory> = contradicted
            .map(|correction| correction.memory.clone())
            .collect();
        if !memories.is_empty() {
            self.0.insert(id, memories);
        }
    }

    /// Adds all that is in dispute with a memory.
    fn cover(&self, strand: &Strand, memory: &Memory, covered: &mut Covered) {
        let mut open = vec![memory];
        while let Some(next) = open.pop() {
            if !covered.ids.insert(next.id) {
                continue;
            }
            if next.number != NO_NUMBER {
                let disputed = strand.catalog().graph().disputed(next.number);
                covered.numbers.extend(disputed);
            }
            open.extend(self.0.get(&next.id).into_iter().flatten());
        }
    }
}

impl Covered {
    /// Returns whether a memory has part in one of the disputes. What contradicts a newer one that
    /// the new memory is noted with has, too: whoever stored that notes it at this moment.
    fn has(&self, strand: &Strand, memory: &Memory) -> bool {
        if self.numbers.contains(&memory.number) || self.ids.contains(&memory.id) {
            return true;
        }
        if self.noted.is_empty() {
            return false;
        }
        let statement = strand.statement(&memory.text);
        let mut noted = self.noted.iter();
        noted.any(|noted| is_contradiction(relate(&statement, noted)))
    }
}

/// Returns whether a verdict is that two statements cannot both hold.
pub(crate) fn is_contradiction(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Supersedes(_) | Verdict::Contradicts(_))
}
