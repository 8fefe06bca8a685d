//! Which memory links to which, by number: kept beside the catalog's rows, because most memories
//! link to nothing.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::model::{MemoryId, MemoryNumber};

/// The links of every memory, and the numbers that their ids mean.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Links are ids, because an import may name a memory that comes later.
    numbers: HashMap<MemoryId, u32>,
    of: BTreeMap<u32, Box<[MemoryId]>>,
}

impl Links {
    /// Makes room for so many more memories.
    pub(super) fn reserve(&mut self, memories: usize) {
        self.numbers.reserve(memories);
    }

    /// Follows a commit: replaces a memory's links.
    pub(super) fn apply(&mut self, number: MemoryNumber, id: MemoryId, links: &[MemoryId]) {
        self.numbers.insert(id, number.0);
        if links.is_empty() {
            self.of.remove(&number.0);
        } else {
            self.of.insert(number.0, links.into());
        }
    }

    /// The memories that one links to; those that do not exist are left out.
    pub(super) fn of(&self, number: MemoryNumber) -> impl Iterator<Item = MemoryNumber> {
        let links = self.of.get(&number.0).into_iter().flatten();
        links
            .filter_map(|id| self.numbers.get(id))
            .copied()
            .map(MemoryNumber)
    }

    /// Every link, from and to.
    pub(super) fn iter(&self) -> impl Iterator<Item = (MemoryNumber, MemoryNumber)> {
        let froms = self.of.keys().copied().map(MemoryNumber);
        froms.flat_map(|from| self.of(from).map(move |to| (from, to)))
    }
}
