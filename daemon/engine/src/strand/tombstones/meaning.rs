//! What comes by itself, compared by meaning with what was forgotten.
//!
//! What tools and imports write waits in the catalog until its vector is there, and is not shown
//! unasked before. No embedder, no comparison: then nothing waits.

use std::cell::LazyCell;
use std::sync::atomic::Ordering;

use helix_memory::{
    ATTRIBUTE_WITHHELD, Edit, Memory, MemoryId, MemoryNumber, Origin, Returning, Status, Timestamp,
    Tombstone, WordSet,
};

use super::{Arrival, Strand, Tombstones, text_of};
use crate::index::catalog::Catalog;
use crate::index::vectors::Code;
use crate::store::{Change, Snapshot, StoreError, Write, WriteError};
use crate::strand::Pending;

/// Memories that are compared before others are let in.
const COMPARED_AT_ONCE: usize = 256;

/// Memories without a vector behind which no other is looked for: vectors are made newest first.
const WAITING_PASSED: usize = 64;

/// Tombstones that get a vector at once.
const EMBEDDED_AT_ONCE: usize = 8;

/// Sentences of one memory that are compared.
const SENTENCES_MAX: usize = 64;

/// Sentences whose vectors are made before others are let in: each takes some milliseconds.
const SENTENCES_AT_ONCE: usize = 64;

/// What became of a comparison.
enum Comparison {
    /// It says what was forgotten.
    Returns(Box<Returned>),
    /// It says none of it.
    Differs,
    /// A vector is missing.
    Open,
}

/// A memory that came by itself and says what was forgotten.
#[derive(Clone, Debug)]
pub struct Returned {
    /// Which.
    pub memory: Memory,
    /// What was forgotten.
    pub tombstone: Tombstone,
}

impl Strand {
    /// Says whether vectors are being made, so that waiting for them makes sense.
    pub fn expect_vectors(&self, are_expected: bool) {
        self.meaning
            .is_expected
            .store(are_expected, Ordering::Release);
    }

    fn expects_vectors(&self) -> bool {
        self.meaning.is_expected.load(Ordering::Acquire)
    }

    /// The times of those writes of a group that nobody vouches for and that may bring something
    /// back; empty where nothing can come back.
    pub(in crate::strand) fn arrivals(&self, writes: &[Write]) -> Vec<Option<Timestamp>> {
        if !self.expects_vectors() || self.tombstones().by_scope.is_empty() {
            return Vec::new();
        }
        writes.iter().map(arrival).collect()
    }

    /// Has what came by itself compared, as soon as its vector is there.
    pub(in crate::strand) fn await_comparisons(
        &self,
        arrivals: &[Option<Timestamp>],
        changes: &[Result<Change, WriteError>],
    ) {
        for (arrival, change) in arrivals.iter().zip(changes) {
            if let (Some(at), Ok(Change::Memory(memory))) = (arrival, change) {
                self.await_comparison(memory, *at);
            }
        }
        for memory in changes.iter().filter_map(kept_away) {
            self.catalog_mut().note_compared(memory.number);
        }
    }

    /// Has a memory that nobody vouches for compared with what was forgotten.
    pub fn await_comparison(&self, memory: &Memory, at: Timestamp) {
        let is_in_use = matches!(memory.status, Status::Active | Status::Quarantined);
        let scope = memory.scope.to_string();
        let has_any = self.tombstones().has_meanings(&scope);
        if is_in_use && has_any && self.expects_vectors() {
            self.catalog_mut().await_comparison(memory.number, at);
        }
    }

    /// Has those memories from a number on compared that came by themselves: what waited for it was
    /// known to a daemon that is gone.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn await_comparisons_from(&self, first: MemoryNumber) -> Result<(), StoreError> {
        if self.tombstones().by_scope.is_empty() || !self.expects_vectors() {
            return Ok(());
        }
        let candidates = candidates(&self.catalog(), &self.tombstones(), first);
        let snapshot = self.snapshot()?;
        for number in candidates {
            if let Some(at) = came_by_itself(&snapshot, number)? {
                self.catalog_mut().await_comparison(number, at);
            }
        }
        Ok(())
    }

    /// Whether something is to be compared, or a vector of a tombstone is to be made or written.
    #[must_use]
    pub fn compares_forgotten(&self) -> bool {
        if self.catalog().uncompared().next().is_some() {
            return true;
        }
        let Some(model) = self.answering_model().filter(|_| self.expects_vectors()) else {
            return false;
        };
        let stones = self.tombstones();
        let mut all = stones.all_meanings();
        !stones.unsaved.is_empty() || all.any(|(id, stone)| stones.awaits_vector(id, stone, &model))
    }

    /// How many memories wait to be compared with what was forgotten, and how much of that waits for
    /// its vector.
    #[must_use]
    pub fn uncompared(&self) -> usize {
        if !self.expects_vectors() {
            return 0;
        }
        let memories = self.catalog().uncompared().count();
        let model = self.answering_model().unwrap_or_default();
        let stones = self.tombstones();
        let all = stones.all_meanings();
        memories
            + all
                .filter(|(id, stone)| stones.awaits_vector(id, stone, &model))
                .count()
    }

    /// Compares memories that came by themselves with what was forgotten, as far as their vectors
    /// are there: as wholes, and those of their sentences whose words leave it open, by vectors that
    /// `passage` makes. Those that say none of it wait no longer; the others are returned, and wait
    /// until they are withheld. Where `passage` makes no vector, the memory waits.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn returned(
        &self,
        passage: impl Fn(&str) -> Option<Vec<f32>>,
    ) -> Result<Vec<Returned>, StoreError> {
        let mut returned = Vec::new();
        let mut left = SENTENCES_AT_ONCE;
        for (number, at) in self.comparable() {
            match self.compare(number, at, &mut left, &passage)? {
                Comparison::Returns(found) => returned.push(*found),
                Comparison::Differs => self.catalog_mut().note_compared(number),
                Comparison::Open => {}
            }
        }
        Ok(returned)
    }

    /// The memories that can be compared now.
    fn comparable(&self) -> Vec<(MemoryNumber, Timestamp)> {
        let is_expected = self.expects_vectors();
        if is_expected && self.has_unmade_tombstone() {
            return Vec::new();
        }
        let waiting: Vec<(MemoryNumber, Timestamp)> = self.catalog().uncompared().collect();
        let (mut passed, mut found) = (0, Vec::new());
        for (number, at) in waiting {
            if is_expected && (self.answering_model().is_none() || self.awaits_vector(number)) {
                passed += 1;
            } else {
                found.push((number, at));
            }
            if passed >= WAITING_PASSED || found.len() >= COMPARED_AT_ONCE {
                break;
            }
        }
        found
    }

    fn has_unmade_tombstone(&self) -> bool {
        let Some(model) = self.answering_model() else {
            return true;
        };
        let stones = self.tombstones();
        let mut all = stones.all_meanings();
        all.any(|(id, stone)| stones.awaits_vector(id, stone, &model))
    }

    fn compare(
        &self,
        number: MemoryNumber,
        at: Timestamp,
        left: &mut usize,
        passage: impl Fn(&str) -> Option<Vec<f32>>,
    ) -> Result<Comparison, StoreError> {
        let Some(memory) = self.memories(&[number])?.into_iter().next() else {
            return Ok(Comparison::Differs);
        };
        let code = self.codes(&[number]).into_iter().next().flatten();
        let (Some(code), Some(model)) = (code, self.answering_model()) else {
            return Ok(Comparison::Differs);
        };
        let scope = memory.scope.to_string();
        let find = |said: &str, code: &Code| {
            let arrival = Arrival {
                text: &Returning::of(said),
                scope: &scope,
                code,
                model: &model,
                at,
            };
            self.tombstones().find_meaning(&arrival).cloned()
        };
        let mut found = find(&memory.text, &code);
        let sentences = Self::said_in(&memory.text).into_iter();
        let sentences = sentences.skip(1).take(SENTENCES_MAX);
        for said in sentences.filter(|said| self.may_return(said, &scope)) {
            if found.is_some() {
                break;
            }
            let vector = left.checked_sub(1).and_then(|rest| {
                *left = rest;
                passage(said)
            });
            let Some(vector) = vector else {
                return Ok(Comparison::Open);
            };
            found = Code::quantize(&vector)
                .ok()
                .and_then(|code| find(said, &code));
        }
        Ok(found.map_or(Comparison::Differs, |tombstone| {
            Comparison::Returns(Box::new(Returned { memory, tombstone }))
        }))
    }

    /// Whether a text may say in other words what was forgotten in its scope, so that its vector is
    /// worth making: there is such a tombstone with a vector, and the words leave it open.
    #[must_use]
    pub fn may_return(&self, text: &str, scope: &str) -> bool {
        let stones = self.tombstones();
        let returning = LazyCell::new(|| Returning::of(text));
        let mut all = stones.meanings(scope);
        all.any(|(id, stone)| stones.codes.contains_key(id) && returning.may_mean(stone))
    }

    /// The tombstone of what a text says in other words, by the vector that the answering model
    /// makes of it.
    #[must_use]
    pub fn forgotten_in_other_words(
        &self,
        text: &str,
        vector: &[f32],
        scope: &str,
    ) -> Option<Tombstone> {
        let code = Code::quantize(vector).ok()?;
        let model = self.answering_model()?;
        let text = Returning::of(text);
        let arrival = Arrival {
            text: &text,
            scope,
            code: &code,
            model: &model,
            at: Timestamp::from_micros(i64::MAX),
        };
        self.tombstones().find_meaning(&arrival).cloned()
    }

    /// Texts of tombstones that have no vector of the answering model yet.
    pub(in crate::strand) fn pending_tombstones(&self) -> Result<Vec<Pending>, StoreError> {
        let Some(model) = self.answering_model().filter(|_| self.expects_vectors()) else {
            return Ok(Vec::new());
        };
        let waiting: Vec<(MemoryId, Tombstone)> = {
            let stones = self.tombstones();
            let all = stones.all_meanings();
            let waiting = all.filter(|(id, stone)| stones.awaits_vector(id, stone, &model));
            waiting
                .take(EMBEDDED_AT_ONCE)
                .map(|(id, stone)| (*id, stone.clone()))
                .collect()
        };
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let snapshot = self.snapshot()?;
        let mut pending = Vec::new();
        for (id, stone) in waiting {
            let found = text_of(&snapshot, id, &stone)?;
            let mut stones = self.tombstones_mut();
            let Some((number, text)) = found else {
                stones.without_text.insert(id);
                continue;
            };
            stones.embedding.insert(number, id);
            pending.push(Pending {
                number,
                text_hash: WordSet::text_hash(&text),
                text,
            });
        }
        Ok(pending)
    }

    /// Takes the vector of a tombstone that waits for it; false where the memory's is meant.
    pub(in crate::strand) fn put_tombstone_vector(
        &self,
        number: MemoryNumber,
        code: &Code,
    ) -> bool {
        let Some(model) = self.answering_model() else {
            return false;
        };
        let mut stones = self.tombstones_mut();
        let Some(id) = stones.embedding.remove(&number) else {
            return false;
        };
        let Some(stone) = stones.by_id.get_mut(&id) else {
            return false;
        };
        stone.code = code.to_bytes();
        stone.model = model;
        stones.codes.insert(id, code.clone());
        stones.unsaved.insert(id);
        true
    }

    /// Gives up on the vector of a tombstone.
    pub(in crate::strand) fn skip_tombstone_vector(&self, number: MemoryNumber) {
        let mut stones = self.tombstones_mut();
        if let Some(id) = stones.embedding.remove(&number) {
            stones.without_text.insert(id);
        }
    }

    /// Tombstones whose vectors are to be written.
    #[must_use]
    pub fn unsaved_tombstones(&self) -> Vec<MemoryId> {
        self.tombstones().unsaved.iter().copied().collect()
    }

    /// The writes of tombstones as they are now.
    pub(in crate::strand) fn tombstone_writes(&self, ids: Vec<MemoryId>) -> Vec<Write> {
        let stones = self.tombstones();
        let write = |id| {
            let stone = stones.by_id.get(&id)?.clone();
            Some(Write::Tombstone(id, Some(Box::new(stone))))
        };
        ids.into_iter().filter_map(write).collect()
    }
}

/// When a write was made that nobody vouches for and that brings a text into use.
fn arrival(write: &Write) -> Option<Timestamp> {
    let (actor, at) = match write {
        Write::Store { actor, at, .. } => (actor, at),
        Write::Edit {
            edit: Edit::Append { .. } | Edit::Revise { .. } | Edit::Restore,
            actor,
            at,
            ..
        } => (actor, at),
        _ => return None,
    };
    vouches_for_nothing(actor.origin).then_some(*at)
}

const fn vouches_for_nothing(origin: Origin) -> bool {
    matches!(origin, Origin::Tool | Origin::Import)
}

/// The memory that a change withheld, or took out of use.
fn kept_away(change: &Result<Change, WriteError>) -> Option<&Memory> {
    let Ok(Change::Memory(memory) | Change::Same(memory)) = change else {
        return None;
    };
    let is_kept_away = match memory.status {
        Status::Active => false,
        Status::Quarantined => memory.attributes.contains_key(ATTRIBUTE_WITHHELD),
        Status::Superseded | Status::Archived | Status::Forgotten | Status::Pruned => true,
    };
    is_kept_away.then_some(memory)
}

/// Memories in use that may say what was forgotten, from a number on.
fn candidates(catalog: &Catalog, stones: &Tombstones, first: MemoryNumber) -> Vec<MemoryNumber> {
    let rows = catalog.rows().filter(|(number, row)| {
        *number >= first
            && matches!(row.status, Status::Active | Status::Quarantined)
            && stones.has_meanings(catalog.scope_of(row))
    });
    rows.map(|(number, _)| number).collect()
}

/// When a memory came, where nobody ever vouched for it; `None` for others and for those that are
/// withheld already.
fn came_by_itself(
    snapshot: &Snapshot,
    number: MemoryNumber,
) -> Result<Option<Timestamp>, StoreError> {
    let Some(memory) = snapshot.memory(number)? else {
        return Ok(None);
    };
    if memory.attributes.contains_key(ATTRIBUTE_WITHHELD) {
        return Ok(None);
    }
    let (mut next, mut came) = (Some(memory.sequence), None);
    while let Some(sequence) = next {
        let Some(operation) = snapshot.operation_of(sequence)? else {
            break;
        };
        if !vouches_for_nothing(operation.actor.origin) {
            return Ok(None);
        }
        came = Some(operation.at);
        next = operation.previous_of_memory;
    }
    Ok(came)
}
