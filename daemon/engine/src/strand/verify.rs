//! Comparing the indexes with the store, record by record.

use helix_memory::{Memory, MemoryNumber, WordSet};

use super::{ReadError, Strand};
use crate::index::lexical::Restriction;
use crate::store::Snapshot;

/// Disagreements after which the comparison stops: by then a rebuild is due anyway.
const DISAGREEMENTS_MAX: usize = 100;

/// Memories that are looked for by their words: in a strand of many, each search passes over all
/// that share them.
const SEARCHED_MAX: u64 = 256;

/// Words by which a memory is looked for in the word index.
const VERIFY_TERMS: usize = 8;

impl Strand {
    /// Reads every memory and checks that the catalog has it as it is, that the word index has it
    /// exactly when it should, and that searches find a sample of them, evenly spread. Returns
    /// what does not agree, by handle. Meant for a quiet strand: a write during the walk may be
    /// reported.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn verify_indexes(&self) -> Result<Vec<String>, ReadError> {
        let mut disagreements = Vec::new();
        let mut count = 0;
        let snapshot = self.snapshot()?;
        let step = snapshot.memory_count()?.div_ceil(SEARCHED_MAX).max(1);
        snapshot.for_each_memory(|memory| {
            let is_searched = u64::from(memory.number.0).is_multiple_of(step);
            count += 1;
            if disagreements.len() < DISAGREEMENTS_MAX
                && let Some(what) = self.disagreement(&snapshot, &memory, is_searched)?
            {
                disagreements.push(format!("{}: {what}", memory.handle));
            }
            Ok::<_, ReadError>(())
        })?;
        self.verify_handles(&mut disagreements)?;
        let wrong = snapshot.verify_records()?;
        disagreements.extend(
            wrong
                .into_iter()
                .map(|(number, what)| format!("memory number {}: {what}", number.0)),
        );
        disagreements.truncate(DISAGREEMENTS_MAX);
        let rows = self.catalog().rows().count();
        if rows != count {
            disagreements.push(format!(
                "the catalog has {rows} memories, the store {count}"
            ));
        }
        Ok(disagreements)
    }

    /// Checks that every handle, also one from before a move, names a memory.
    fn verify_handles(&self, disagreements: &mut Vec<String>) -> Result<(), ReadError> {
        let snapshot = self.snapshot()?;
        let damage = snapshot.damage()?;
        // What is lost is reported as such, not as a fault of the indexes.
        let is_lost = |number: MemoryNumber| {
            damage.lost_memories.contains_key(&number.0) || damage.memories.contains(&number)
        };
        snapshot.for_each_handle(|handle, number| {
            if disagreements.len() < DISAGREEMENTS_MAX
                && self.catalog().row(number).is_none()
                && !is_lost(number)
            {
                disagreements.push(format!("{handle}: it names no memory"));
            }
            Ok::<_, ReadError>(())
        })
    }

    fn disagreement(
        &self,
        snapshot: &Snapshot,
        memory: &Memory,
        is_searched: bool,
    ) -> Result<Option<&'static str>, ReadError> {
        let agrees = {
            let catalog = self.catalog();
            catalog.row(memory.number).is_some_and(|row| {
                row.status == memory.status
                    && row.sequence == memory.sequence
                    && row.text_hash == WordSet::text_hash(&memory.text)
                    && row.recorded_at == memory.recorded_at
                    && catalog.topic_of(row) == memory.topic.as_str()
                    && catalog.kind_of(row) == memory.kind.as_str()
            })
        };
        if !agrees {
            return Ok(Some("the catalog has another version"));
        }
        if !snapshot.has_handle(memory.handle.as_str(), memory.number)? {
            return Ok(Some("its handle names another memory"));
        }
        match (
            memory.status.is_indexed(),
            self.lexical.contains(memory.number.0)?,
        ) {
            (true, false) => return Ok(Some("the word index lacks it")),
            (false, true) => return Ok(Some("the word index still has it")),
            (true, true) | (false, false) => {}
        }
        let is_missed = is_searched
            && memory.status.is_indexed()
            && self.word_index_finds(memory)? == Some(false);
        Ok(is_missed.then_some("a search for its words misses it"))
    }

    /// Returns whether a search for the memory's own words, restricted to it, finds it; `None` when
    /// it has no words.
    fn word_index_finds(&self, memory: &Memory) -> Result<Option<bool>, ReadError> {
        let query = self.lexical.rarest(&memory.text, VERIFY_TERMS)?;
        if query.is_empty() {
            return Ok(None);
        }
        let hits = self
            .lexical
            .search(&query, 1, &Restriction::default(), |number| {
                number == memory.number.0
            })?;
        Ok(Some(!hits.is_empty()))
    }
}
