//! A strand: one knowledge base, its store and its indexes together.
//!
//! [`Strand`] answers readers from any thread. [`StrandWriter`], of which there is one, commits and
//! only then lets the indexes know, so that what was acknowledged is durable and what was
//! acknowledged is found.

mod changes;
mod compact;
mod corrections;
mod episodes;
mod fates;
mod graph;
mod meaning;
mod mentions;
mod open;
mod paraphrase;
pub mod past;
mod reference;
mod reindex;
mod restore;
mod seen;
mod statements;
mod statistics;
mod successor;
mod suggest;
mod tombstones;
mod topics;
mod verify;
mod write;

crate::error::faults!(OpenError, ReadError);

pub use compact::{DuplicatePair, Duplicates, Latest};
pub use corrections::{Correction, Corrects};
pub use episodes::Repeated;
pub use fates::Fate;
pub use graph::{CrossReference, TopicEdge, TopicGraph};
pub use meaning::{MeaningStatus, Pending, Role as SpaceRole, SpaceError};
pub use open::OpenError;
pub use reference::Resolution;
pub use restore::Restored;
pub(crate) use statistics::most_first;
pub use statistics::{Counted, Statistics};
pub use tombstones::{Returned, Tombstones};
pub use topics::Since;
pub use write::{
    Distil, Edited, MergePair, Outcome, Part, Request, Split, Step, StepChange, StrandWriter,
    TopicEdit,
};

use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::index::catalog::{Catalog, Row};
use crate::index::lexical::{Document, LexicalIndex, LexicalQuery, Prepared};
use crate::lock_order::{Lock, Ordered};
use crate::model::{Kinds, Memory, MemoryNumber, Scope, Status, Timestamp};
use crate::policy::admit::Admitted;
use crate::policy::decay::effective_confidence;
use crate::ports::Storage;
use crate::store::{Examined, Snapshot, Store, StoreError};

/// Candidates whose texts are compared when a near duplicate is looked for.
const RESEMBLE_CANDIDATES: usize = 8;

/// An open knowledge base, shared by every reader.
pub struct Strand {
    store: Store,
    kinds: Kinds,
    catalog: RwLock<Catalog>,
    lexical: Arc<LexicalIndex>,
    meaning: Arc<meaning::Meaning>,
    changes: Mutex<changes::Changes>,
    mentions: Mutex<mentions::Mentions>,
    statements: statements::Statements,
    tombstones: RwLock<Tombstones>,
    /// Of a view of another moment: in which way it differs.
    seen: Option<seen::Seen>,
}

/// An error of reading a strand.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The word index failed.
    #[error(transparent)]
    Lexical(#[from] crate::index::lexical::LexicalError),
    /// The vectors failed.
    #[error(transparent)]
    Vectors(#[from] crate::index::vectors::VectorError),
    /// The names of the topics cannot be looked for.
    #[error("looking for the names of all topics: {0}; ask in fewer scopes")]
    Names(#[from] aho_corasick::BuildError),
}

impl ReadError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> crate::error::ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Lexical(_) | Self::Vectors(_) | Self::Names(_) => {
                crate::error::ErrorKind::Internal
            }
        }
    }
}

impl Strand {
    /// Most memories whose words are found before they are in the index on disk.
    pub const TAIL_MAX_MEMORIES: usize = LexicalIndex::TAIL_MAX_DOCUMENTS;

    /// The kinds this strand knows.
    #[must_use]
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The confidence that a memory has now, after fading.
    #[must_use]
    pub fn confidence_of(&self, memory: &Memory, now: Timestamp) -> f32 {
        let centrality = self.catalog().graph().centrality(memory.number);
        effective_confidence(memory, self.kinds(), centrality, now)
    }

    /// The word index.
    #[must_use]
    pub fn lexical(&self) -> &LexicalIndex {
        &self.lexical
    }

    /// Reads the catalog. Hold it briefly: the writer waits for it.
    pub fn catalog(&self) -> Ordered<RwLockReadGuard<'_, Catalog>> {
        Ordered::take(Lock::Catalog, || {
            self.catalog
                .read()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        })
    }

    pub(crate) fn catalog_mut(&self) -> Ordered<RwLockWriteGuard<'_, Catalog>> {
        Ordered::take(Lock::Catalog, || {
            self.catalog
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        })
    }

    /// Takes a snapshot of the store.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let snapshot = self.store.snapshot()?;
        match &self.seen {
            Some(seen) => seen.snapshot(snapshot),
            None => Ok(snapshot),
        }
    }

    /// Compares the store's file with its own checksums, up to this size. Commits wait meanwhile.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn examine_file(
        &self,
        storage: &dyn Storage,
        max_bytes: u64,
    ) -> Result<Examined, StoreError> {
        self.store.examine(storage, max_bytes)
    }

    /// Reads memories by number, skipping those that do not exist.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn memories(&self, numbers: &[MemoryNumber]) -> Result<Vec<Memory>, StoreError> {
        let snapshot = self.snapshot()?;
        numbers
            .iter()
            .filter_map(|&number| snapshot.memory(number).transpose())
            .collect()
    }

    /// The active memories of a topic in these scopes, in the order they were recorded: the order
    /// of `topic:index`.
    #[must_use]
    pub fn topic_members(&self, topic: &str, scopes: &[Scope]) -> Vec<MemoryNumber> {
        self.catalog()
            .members(topic, scopes, |row| row.status == Status::Active)
    }

    /// How central each of some memories is, in their order.
    #[must_use]
    pub fn centralities(&self, numbers: impl Iterator<Item = MemoryNumber>) -> Vec<f32> {
        let catalog = self.catalog();
        numbers
            .map(|number| catalog.graph().centrality(number))
            .collect()
    }

    /// Counts an access of each memory. Written to the store with a later commit.
    pub fn catalog_touch(&self, numbers: &[MemoryNumber], at: Timestamp) {
        self.catalog_mut().touch(numbers, at);
    }

    /// Reads the words of what will be stored, on the storing thread rather than the writer's.
    #[must_use]
    pub fn read_words(admitted: &Admitted) -> Prepared {
        Prepared::new(&Document {
            number: 0,
            text: &admitted.text,
            topic: admitted.topic.as_str(),
            tags: &admitted.tags,
            source: admitted.source.as_ref().map(|source| source.path.as_str()),
        })
    }

    /// The words of a query that a memory has, for explaining a hit.
    #[must_use]
    pub fn matched_terms(&self, query: &LexicalQuery, memory: &Memory) -> Vec<String> {
        query.matched_terms(&open::document(memory))
    }

    /// Returns whether a memory has every word that a query demands.
    #[must_use]
    pub fn has_all_terms(&self, query: &LexicalQuery, memory: &Memory) -> bool {
        query.has_all(&open::document(memory))
    }

    fn similar_words(
        &self,
        query: &LexicalQuery,
        scope: &Scope,
        status: Status,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        self.similar_where(query, scope, RESEMBLE_CANDIDATES, |_, _, row| {
            row.status == status
        })
    }

    /// The memories of a scope that share words of a query, of those that are wanted.
    fn similar_where(
        &self,
        query: &LexicalQuery,
        scope: &Scope,
        limit: usize,
        is_wanted: impl Fn(&Catalog, MemoryNumber, &Row) -> bool,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        let catalog = self.catalog();
        let Some(scope) = catalog.scopes.find(&scope.to_string()) else {
            return Ok(Vec::new());
        };
        let keeps = |number| {
            let number = MemoryNumber(number);
            let row = catalog.row(number);
            row.is_some_and(|row| row.scope == scope && is_wanted(&catalog, number, row))
        };
        let restriction = crate::index::lexical::Restriction::default();
        let hits = self.lexical.search(query, limit, &restriction, keeps)?;
        Ok(hits
            .into_iter()
            .map(|hit| MemoryNumber(hit.number))
            .collect())
    }
}

/// How many of a text's rarest words to look for. Two texts of `words` words whose similarity is
/// above [`NEAR_DUPLICATE`] share more than seven in ten, so they cannot differ in all of the
/// rarest three in ten (the prefix filter of set similarity joins; Chaudhuri, Ganti and Kaushik
/// 2006). Two more make up for words that the index splits.
fn prefix_length(words: usize) -> usize {
    words * 3 / 10 + 2
}
