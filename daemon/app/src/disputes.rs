//! With which of the memories that a new one contradicts it is noted: with one of each dispute, the
//! newest. Whoever settles that settles the dispute, so all others would only be pairs more.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use helix_engine::{Correction, Memory, MemoryId, MemoryNumber, Strand};

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
            let is_new = !covered.has(&correction.memory);
            if is_new {
                self.cover(strand, &correction.memory, &mut covered);
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
    fn has(&self, memory: &Memory) -> bool {
        self.numbers.contains(&memory.number) || self.ids.contains(&memory.id)
    }
}
