//! Episodes that were told so often that one lasting memory should say it.

use std::collections::BTreeSet;

use helix_memory::{
    COMPARED_MAX, Episode, Group, Kind, Memory, MemoryNumber, OCCASIONS_MIN, Relation, Scope,
    Shape, Status, WordSet, episodes,
};

use super::{RESEMBLE_CANDIDATES, ReadError, Strand, prefix_length};
use crate::index::catalog::{Catalog, Row};
use crate::index::vectors::Code;
use crate::store::{OperationKind, Snapshot, StoreError};

/// Kinds of episodic shape that tell no event: the state of some work, and notes that expire.
const NO_EVENTS: [&str; 2] = ["progress", "scratch"];

/// Operations on one episode that are looked at for its occasions.
const OPERATIONS_MAX: usize = 64;

/// Episodes that tell the same event.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The one whose text stands for all.
    pub centre: Memory,
    /// All of them, the centre included, the oldest first.
    pub episodes: Vec<Memory>,
    /// The occasions on which they were told.
    pub occasions: usize,
}

impl Strand {
    /// The scopes that have episodes which no memory was made from yet.
    #[must_use]
    pub fn scopes_with_episodes(&self) -> Vec<Scope> {
        let catalog = self.catalog();
        let mut scopes: Vec<u32> = catalog
            .rows()
            .filter(|(number, row)| self.is_free_episode(&catalog, *number, row))
            .map(|(_, row)| row.scope)
            .collect();
        scopes.sort_unstable();
        scopes.dedup();
        let named = scopes.into_iter().map(|scope| catalog.scopes.text(scope));
        named.filter_map(|name| Scope::parse(name).ok()).collect()
    }

    /// The repeated episodes of a scope that are neither known as a lasting memory nor were
    /// forgotten as one.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn repeated_episodes(&self, scope: &Scope) -> Result<Vec<Repeated>, ReadError> {
        let memories = self.memories(&self.free_episodes(scope))?;
        let snapshot = self.snapshot()?;
        let mut episodes = Vec::with_capacity(memories.len());
        for memory in &memories {
            let occasions = occasions(&snapshot, memory)?;
            episodes.push(Episode::of(&memory.text, occasions));
        }
        let numbers: Vec<MemoryNumber> = memories.iter().map(|memory| memory.number).collect();
        let codes = self.codes(&numbers);
        let code = |place: usize| codes.get(place).and_then(Option::as_ref);
        let groups = episodes::repeated(&episodes, |one, other| {
            code(one)
                .zip(code(other))
                .map(|(one, other)| Code::cosine(one, other))
        });
        let mut found = Vec::new();
        for group in groups {
            let Some(repeated) = gathered(&memories, &group) else {
                continue;
            };
            if !self.is_any_lasting(&repeated.episodes)? {
                found.push(repeated);
            }
        }
        Ok(found)
    }

    /// The newest episodes of a scope that no memory was made from yet, the oldest first.
    fn free_episodes(&self, scope: &Scope) -> Vec<MemoryNumber> {
        let catalog = self.catalog();
        let Some(scope) = catalog.scopes.find(&scope.to_string()) else {
            return Vec::new();
        };
        let mut numbers: Vec<MemoryNumber> = catalog
            .rows()
            .filter(|(_, row)| row.scope == scope)
            .filter(|(number, row)| self.is_free_episode(&catalog, *number, row))
            .map(|(number, _)| number)
            .collect();
        numbers.drain(..numbers.len().saturating_sub(COMPARED_MAX));
        numbers
    }

    /// Whether a memory is an episode in use whose text is harmless, and no memory was made from
    /// it, not even one that was refused.
    pub(super) fn is_free_episode(
        &self,
        catalog: &Catalog,
        number: MemoryNumber,
        row: &Row,
    ) -> bool {
        row.status == Status::Active
            && !row.is_suspect
            && self.is_event(catalog.kind_of(row))
            && !catalog
                .graph()
                .incoming(number)
                .any(|arc| arc.key.relation == Relation::DerivedFrom)
    }

    /// Returns whether memories of a kind tell what happened once.
    #[must_use]
    pub fn is_event(&self, kind: &str) -> bool {
        let shape = self.kinds().shape(&Kind::from_stored(kind));
        shape == Shape::Episodic && !NO_EVENTS.contains(&kind)
    }

    fn is_any_lasting(&self, episodes: &[Memory]) -> Result<bool, ReadError> {
        for episode in episodes {
            if self.is_lasting(episode)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a lasting memory of the same scope says what an episode says, or was forgotten.
    fn is_lasting(&self, episode: &Memory) -> Result<bool, ReadError> {
        let scope = &episode.scope;
        if self.forgotten(&episode.text, &scope.to_string()).is_some() {
            return Ok(true);
        }
        let words = WordSet::of(&episode.text);
        let query = self
            .lexical
            .rarest(&episode.text, prefix_length(words.len()))?;
        let candidates =
            self.similar_where(&query, scope, RESEMBLE_CANDIDATES, |catalog, _, row| {
                row.status == Status::Active && !self.is_event(catalog.kind_of(row))
            })?;
        let known = self.memories(&candidates)?;
        Ok(self.near_duplicate(&episode.text, &words, &known).is_some())
    }
}

/// The memories of a group.
fn gathered(memories: &[Memory], group: &Group) -> Option<Repeated> {
    let members = group.members.iter();
    Some(Repeated {
        centre: memories.get(group.centre)?.clone(),
        episodes: members
            .filter_map(|place| memories.get(*place))
            .cloned()
            .collect(),
        occasions: group.occasions,
    })
}

/// The occasions on which an episode was told: once, and again each time its very text was stored
/// by another session.
fn occasions(snapshot: &Snapshot, memory: &Memory) -> Result<usize, StoreError> {
    // Being stored again counts as an access.
    if memory.access_count + 1 < OCCASIONS_MIN as u64 {
        return Ok(1);
    }
    let mut sessions: BTreeSet<String> = BTreeSet::new();
    let mut unnamed = 0;
    let mut next = Some(memory.sequence);
    for _ in 0..OPERATIONS_MAX {
        let Some(sequence) = next else { break };
        let Some(operation) = snapshot.operation_of(sequence)? else {
            break;
        };
        let is_told = matches!(
            operation.kind,
            OperationKind::Store | OperationKind::Reinforce
        );
        match operation.actor.session {
            session if is_told && session.is_empty() => unnamed += 1,
            session if is_told => {
                sessions.insert(session);
            }
            _ => {}
        }
        next = operation.previous_of_memory;
    }
    Ok((unnamed + sessions.len()).max(1))
}
