//! The graph of memories in RAM: a projection of the edges, of the links that memories carry and of
//! what superseded what. It follows every commit.
//!
//! A link is an active `relates_to` edge by the memory's author, and a memory that was superseded
//! is led to by an active `supersedes` edge. Links are ids, because an import may name a memory
//! that comes later.

mod dispute;
mod rank;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

pub use rank::Ranked;
pub use walk::{Step, Walk};

use helix_memory::{
    Edge, EdgeKey, EdgeStatus, MemoryId, MemoryNumber, Origin, Relation, SIMILARITY, Timestamp,
};

/// An edge as far as walking it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Its name.
    pub key: EdgeKey,
    /// 0 to 1.
    pub strength: f32,
    /// Leads both ways.
    pub is_bidirectional: bool,
    /// Where it is in its life.
    pub status: EdgeStatus,
    /// Says only that the two have words in common, as the word index does by itself.
    pub is_likeness: bool,
    /// When it became true; `None` for a link, which has been there since its memory.
    pub valid_from: Option<Timestamp>,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
}

impl Arc {
    /// The edge that a link is, or a supersession.
    const fn implied(from: u32, relation: Relation, to: u32) -> Self {
        Self {
            key: EdgeKey {
                from: MemoryNumber(from),
                relation,
                to: MemoryNumber(to),
            },
            strength: 1.0,
            is_bidirectional: matches!(relation, Relation::RelatesTo),
            status: EdgeStatus::Active,
            is_likeness: false,
            valid_from: None,
            valid_to: None,
        }
    }

    /// The other end.
    #[must_use]
    pub fn beyond(&self, number: MemoryNumber) -> MemoryNumber {
        if self.key.from == number {
            self.key.to
        } else {
            self.key.from
        }
    }
}

impl From<&Edge> for Arc {
    fn from(edge: &Edge) -> Self {
        Self {
            key: edge.key,
            strength: edge.strength,
            is_bidirectional: edge.is_bidirectional,
            status: edge.status,
            is_likeness: edge.provenance.extractor == SIMILARITY
                && edge.provenance.origin == Origin::Tool,
            valid_from: Some(edge.valid_from),
            valid_to: edge.valid_to,
        }
    }
}

/// Which memory leads to which.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    numbers: HashMap<MemoryId, u32>,
    /// By number.
    ids: Vec<Option<MemoryId>>,
    links: BTreeMap<u32, Box<[MemoryId]>>,
    /// By what is linked to: who links to it.
    linked_from: HashMap<MemoryId, BTreeSet<u32>>,
    /// By a memory that was superseded: what took its place.
    successors: BTreeMap<u32, MemoryId>,
    /// By what took their place: those that were superseded.
    predecessors: HashMap<MemoryId, BTreeSet<u32>>,
    edges: BTreeMap<EdgeKey, Arc>,
    /// The same edges by the memory that they lead to: a second copy, so that a walk against them
    /// finds them side by side.
    into: HashMap<u32, BTreeMap<(Relation, u32), Arc>>,
    degrees: Degrees,
}

/// How many active edges lead to each memory.
#[derive(Clone, Debug, Default)]
struct Degrees {
    of: HashMap<u32, u32>,
    /// How many memories have each in-degree.
    histogram: BTreeMap<u32, u32>,
}

impl Degrees {
    fn set(&mut self, number: u32, degree: u32) {
        let before = if degree == 0 {
            self.of.remove(&number)
        } else {
            self.of.insert(number, degree)
        };
        if let Some(before) = before
            && let Some(count) = self.histogram.get_mut(&before)
        {
            *count -= 1;
            if *count == 0 {
                self.histogram.remove(&before);
            }
        }
        if degree > 0 {
            *self.histogram.entry(degree).or_default() += 1;
        }
    }

    fn get(&self, number: u32) -> u32 {
        self.of.get(&number).copied().unwrap_or_default()
    }

    fn largest(&self) -> u32 {
        self.histogram
            .last_key_value()
            .map_or(0, |(degree, _)| *degree)
    }
}

impl Graph {
    /// Makes room for so many more memories.
    pub(super) fn reserve(&mut self, memories: usize) {
        self.numbers.reserve(memories);
    }

    /// Follows a commit: replaces what a memory links to and what took its place.
    pub(super) fn apply_memory(
        &mut self,
        number: MemoryNumber,
        id: MemoryId,
        links: &[MemoryId],
        successor: Option<MemoryId>,
    ) {
        let is_new = self.numbers.insert(id, number.0).is_none();
        self.name(number.0, Some(id));
        let changed = self.replace_links(number.0, links);
        let was_replaced = self.replace_successor(number.0, successor);
        for target in changed {
            self.count_again(target);
        }
        if was_replaced || is_new {
            self.count_again(id);
        }
        if is_new {
            self.count_replaced_by(id);
        }
    }

    /// Follows a commit: a memory is gone, and all its edges with it.
    pub(super) fn remove_memory(&mut self, number: MemoryNumber) {
        let Some(id) = self.id_of(number.0).copied() else {
            return;
        };
        let changed = self.replace_links(number.0, &[]);
        self.replace_successor(number.0, None);
        let keys: Vec<EdgeKey> = self.edges_of(number).map(|arc| arc.key).collect();
        for key in keys {
            self.remove_edge(&key);
        }
        self.numbers.remove(&id);
        self.name(number.0, None);
        self.degrees.set(number.0, 0);
        for target in changed {
            self.count_again(target);
        }
        self.count_replaced_by(id);
    }

    /// Follows a commit: an edge is new or different.
    pub(super) fn apply_edge(&mut self, edge: &Edge) {
        let (key, arc) = (edge.key, Arc::from(edge));
        let before = self.edges.insert(key, arc);
        self.into
            .entry(key.to.0)
            .or_default()
            .insert((key.relation, key.from.0), arc);
        let was_active = before.is_some_and(|arc| arc.status == EdgeStatus::Active);
        self.count_edge(&key, was_active, edge.status == EdgeStatus::Active);
    }

    /// Follows a commit: an edge is gone.
    pub(super) fn remove_edge(&mut self, key: &EdgeKey) {
        let before = self.edges.remove(key);
        if let Some(sources) = self.into.get_mut(&key.to.0) {
            sources.remove(&(key.relation, key.from.0));
        }
        let was_active = before.is_some_and(|arc| arc.status == EdgeStatus::Active);
        self.count_edge(key, was_active, false);
    }

    fn name(&mut self, number: u32, id: Option<MemoryId>) {
        let at = number as usize;
        if self.ids.len() <= at {
            self.ids.resize(at + 1, None);
        }
        if let Some(slot) = self.ids.get_mut(at) {
            *slot = id;
        }
    }

    /// Replaces a memory's links; returns the ids that it linked to or links to now.
    fn replace_links(&mut self, number: u32, links: &[MemoryId]) -> Vec<MemoryId> {
        let before = if links.is_empty() {
            self.links.remove(&number)
        } else if self
            .links
            .get(&number)
            .is_some_and(|known| **known == *links)
        {
            return Vec::new();
        } else {
            self.links.insert(number, links.into())
        };
        let before = before.map(<[MemoryId]>::into_vec).unwrap_or_default();
        for id in &before {
            if let Some(sources) = self.linked_from.get_mut(id) {
                sources.remove(&number);
            }
        }
        for id in links {
            self.linked_from.entry(*id).or_default().insert(number);
        }
        before.into_iter().chain(links.iter().copied()).collect()
    }

    /// Replaces what took a memory's place; returns whether it is something else.
    fn replace_successor(&mut self, number: u32, successor: Option<MemoryId>) -> bool {
        let before = match successor {
            Some(id) => self.successors.insert(number, id),
            None => self.successors.remove(&number),
        };
        if before == successor {
            return false;
        }
        if let Some(id) = before
            && let Some(sources) = self.predecessors.get_mut(&id)
        {
            sources.remove(&number);
        }
        if let Some(id) = successor {
            self.predecessors.entry(id).or_default().insert(number);
        }
        true
    }

    /// Counts one edge in or out, without looking at the others that lead to the same memory.
    fn count_edge(&mut self, key: &EdgeKey, was_active: bool, is_active: bool) {
        if was_active == is_active || self.is_implied(key) || self.id_of(key.to.0).is_none() {
            return;
        }
        let degree = self.degrees.get(key.to.0);
        let degree = if is_active {
            degree.saturating_add(1)
        } else {
            degree.saturating_sub(1)
        };
        self.degrees.set(key.to.0, degree);
    }

    fn count_again(&mut self, id: MemoryId) {
        let Some(&number) = self.numbers.get(&id) else {
            return;
        };
        let linked = self.linked_from.get(&id).map_or(0, BTreeSet::len);
        let replaced = usize::from(self.successor_of(MemoryNumber(number)).is_some());
        let active = self
            .stored_into(number)
            .filter(|arc| arc.status == EdgeStatus::Active && !self.is_implied(&arc.key))
            .count();
        let degree = u32::try_from(linked + replaced + active).unwrap_or(u32::MAX);
        self.degrees.set(number, degree);
    }

    /// Counts what leads to those whose place a memory took, when it comes or goes.
    fn count_replaced_by(&mut self, id: MemoryId) {
        let replaced = self.predecessors.get(&id).cloned().unwrap_or_default();
        for number in replaced {
            if let Some(id) = self.id_of(number).copied() {
                self.count_again(id);
            }
        }
    }
}

impl Graph {
    /// The memories that one links to; those that do not exist are left out.
    pub fn links_of(&self, number: MemoryNumber) -> impl Iterator<Item = MemoryNumber> {
        let links = self.links.get(&number.0).into_iter().flatten();
        links
            .filter_map(|id| self.numbers.get(id))
            .copied()
            .map(MemoryNumber)
    }

    /// Every link, from and to.
    pub fn links(&self) -> impl Iterator<Item = (MemoryNumber, MemoryNumber)> {
        let froms = self.links.keys().copied().map(MemoryNumber);
        froms.flat_map(|from| self.links_of(from).map(move |to| (from, to)))
    }

    /// Returns whether nothing leads anywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.links.is_empty() && self.successors.is_empty()
    }

    /// Every edge that is stored as such; links and supersessions are not among them.
    pub fn stored(&self) -> impl Iterator<Item = &Arc> {
        self.edges.values()
    }

    /// An edge that is stored as such.
    #[must_use]
    pub fn edge(&self, key: &EdgeKey) -> Option<&Arc> {
        self.edges.get(key)
    }

    /// How many active edges lead to a memory, beside the largest such number: 0 to 1, and 0
    /// everywhere where there are no edges.
    #[must_use]
    pub fn centrality(&self, number: MemoryNumber) -> f32 {
        let (degree, largest) = (self.degrees.get(number.0), self.degrees.largest());
        if largest == 0 {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^24")]
        let centrality = degree as f32 / largest as f32;
        centrality
    }

    /// Every edge that begins or ends at a memory, whatever its status, links and supersessions
    /// included. An edge that is stored beside a link of the same name is left out.
    pub fn edges_of(&self, number: MemoryNumber) -> impl Iterator<Item = Arc> {
        self.outgoing(number).chain(self.incoming(number))
    }

    /// Returns those that begin at a memory.
    pub fn outgoing(&self, number: MemoryNumber) -> impl Iterator<Item = Arc> {
        let links = self
            .links_of(number)
            .map(move |to| Arc::implied(number.0, Relation::RelatesTo, to.0));
        let replaced = self
            .replaced_by(number)
            .map(move |old| Arc::implied(number.0, Relation::Supersedes, old));
        let first = EdgeKey {
            from: number,
            relation: Relation::ALL[0],
            to: MemoryNumber(0),
        };
        let stored = self
            .edges
            .range(first..)
            .map(|(_, arc)| *arc)
            .take_while(move |arc| arc.key.from == number);
        let stored = stored.filter(move |arc| !self.is_implied(&arc.key));
        links.chain(replaced).chain(stored)
    }

    /// Returns those that end at a memory.
    pub fn incoming(&self, number: MemoryNumber) -> impl Iterator<Item = Arc> {
        let links = self
            .links_into(number.0)
            .map(move |from| Arc::implied(from, Relation::RelatesTo, number.0));
        let replaced = self
            .successor_of(number)
            .map(move |new| Arc::implied(new.0, Relation::Supersedes, number.0));
        let stored = self.stored_into(number.0);
        let stored = stored.filter(|arc| !self.is_implied(&arc.key));
        links.chain(replaced).chain(stored)
    }

    /// Returns what took a memory's place.
    #[must_use]
    pub fn successor_of(&self, number: MemoryNumber) -> Option<MemoryNumber> {
        let id = self.successors.get(&number.0)?;
        self.numbers.get(id).copied().map(MemoryNumber)
    }

    fn id_of(&self, number: u32) -> Option<&MemoryId> {
        self.ids.get(number as usize)?.as_ref()
    }

    fn replaced_by(&self, number: MemoryNumber) -> impl Iterator<Item = u32> {
        let id = self.id_of(number.0);
        let old = id.and_then(|id| self.predecessors.get(id));
        old.into_iter().flatten().copied()
    }

    fn links_into(&self, number: u32) -> impl Iterator<Item = u32> {
        let id = self.id_of(number);
        let linking = id.and_then(|id| self.linked_from.get(id));
        linking.into_iter().flatten().copied()
    }

    fn stored_into(&self, number: u32) -> impl Iterator<Item = Arc> {
        let sources = self.into.get(&number).into_iter().flatten();
        sources.map(|(_, arc)| *arc)
    }

    /// Returns whether a link or a supersession is this very edge.
    fn is_implied(&self, key: &EdgeKey) -> bool {
        match key.relation {
            Relation::RelatesTo => self.links_of(key.from).any(|to| to == key.to),
            Relation::Supersedes => self.successor_of(key.to) == Some(key.from),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
