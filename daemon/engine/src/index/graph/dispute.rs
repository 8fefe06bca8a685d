//! Disputes: memories that contradict each other, over any number of others. Each new value of one
//! thing is noted with one of those that are there, so that a dispute of many has few edges.

use std::collections::BTreeSet;

use helix_memory::{EdgeStatus, MemoryNumber, Relation};

use super::{Arc, Graph};

/// Memories of one dispute, at most.
const DISPUTE_MAX: usize = 1_000;

impl Arc {
    /// Returns whether it is a contradiction that nobody has settled.
    #[must_use]
    pub fn is_open_conflict(&self) -> bool {
        self.key.relation == Relation::Contradicts && self.status != EdgeStatus::Rejected
    }
}

impl Graph {
    /// The memories that are in dispute with one, itself among them. Those out of use are, too: what
    /// they stood between still disagrees.
    #[must_use]
    pub fn disputed(&self, number: MemoryNumber) -> BTreeSet<MemoryNumber> {
        let mut found = BTreeSet::from([number]);
        let mut open = vec![number];
        while let Some(next) = open.pop() {
            for arc in self.edges_of(next).filter(Arc::is_open_conflict) {
                let other = arc.beyond(next);
                if found.len() < DISPUTE_MAX && found.insert(other) {
                    open.push(other);
                }
            }
        }
        found
    }
}
