//! Compacting: what says the same, what has impossible times, and files that hold what nobody reads any more.

use super::{MergePair, ReadError, Strand};
use crate::index::lexical::LexicalError;
use crate::model::{MemoryNumber, Scope, Sequence, Status, Timestamp};
use crate::policy::duplicates::Texts;
use crate::policy::edit::Edit;
use crate::policy::resemble::WordSet;
use crate::policy::times;
use crate::store::StoreError;

/// Memories whose texts one search for duplicates compares, the newest first: their words are in RAM meanwhile.
pub const COMPACT_MEMORIES_MAX: usize = 200_000;

/// Near duplicates in some scopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Duplicates {
    /// The newer and the older memory of each pair, from the newest. No duplicate is kept in another pair.
    pub pairs: Vec<DuplicatePair>,
    /// Memories looked at.
    pub compared: usize,
    /// Memories left out because there are more than one search compares.
    pub left_out: usize,
}

/// Two memories that say nearly the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicatePair {
    /// What merging them takes.
    pub merge: MergePair,
    /// Jaccard similarity.
    pub similarity: f32,
}

impl Strand {
    /// Finds active memories of these scopes, or of all when none are given, that say nearly the same as a newer one of the same scope.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn duplicates(&self, scopes: &[Scope]) -> Result<Duplicates, ReadError> {
        let mut members = self.active_in(scopes);
        let left_out = members.len().saturating_sub(COMPACT_MEMORIES_MAX);
        members.drain(..left_out);
        let snapshot = self.snapshot()?;
        let mut texts = Texts::default();
        for member in &members {
            // What is gone keeps its place, with no words.
            let memory = snapshot.memory(member.number)?;
            let words = memory.map_or_else(WordSet::default, |memory| WordSet::of(&memory.text));
            texts.push(member.scope, &words);
        }
        let found = texts.find();
        let pairs = found.pairs.iter().filter_map(|pair| {
            let (kept, duplicate) = (members.get(pair.kept)?, members.get(pair.duplicate)?);
            let merge = MergePair {
                kept: kept.number,
                kept_sequence: kept.sequence,
                duplicate: duplicate.number,
                duplicate_sequence: duplicate.sequence,
            };
            Some(DuplicatePair { merge, similarity: pair.similarity })
        });
        let left_out = left_out + found.uncompared;
        Ok(Duplicates { pairs: pairs.collect(), compared: members.len() - found.uncompared, left_out })
    }

    /// From old to new.
    fn active_in(&self, scopes: &[Scope]) -> Vec<Member> {
        let catalog = self.catalog();
        let known: Vec<u32> = scopes.iter().filter_map(|scope| catalog.scopes.find(&scope.to_string())).collect();
        let is_wanted = |scope: &u32| scopes.is_empty() || known.contains(scope);
        let rows = catalog.rows().filter(|(_, row)| row.status == Status::Active && is_wanted(&row.scope));
        let mut members: Vec<Member> = rows
            .map(|(number, row)| Member {
                recorded_at: row.recorded_at,
                number,
                scope: row.scope,
                sequence: row.sequence,
            })
            .collect();
        members.sort_unstable_by_key(|member| (member.recorded_at, member.number));
        members
    }

    /// Memories of these scopes, or of all when none are given, whose times cannot be, of any status, with the edit that puts them right.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn impossible_times(&self, scopes: &[Scope], now: Timestamp) -> Result<Vec<(MemoryNumber, Edit)>, StoreError> {
        let mut found = Vec::new();
        self.snapshot()?.for_each_memory(|memory| {
            if (scopes.is_empty() || scopes.contains(&memory.scope))
                && let Some(edit) = times::repair(&memory, now)
            {
                found.push((memory.number, edit));
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(found)
    }

    /// Commits the word index's tail and rewrites its segments as one, without what is gone.
    ///
    /// # Errors
    /// When the disk fails. Nothing is lost then.
    pub fn compact_words(&self) -> Result<(), LexicalError> {
        self.lexical.compact()
    }
}

/// What the catalog knows of a memory that is compared.
struct Member {
    recorded_at: Timestamp,
    number: MemoryNumber,
    scope: u32,
    sequence: Sequence,
}
