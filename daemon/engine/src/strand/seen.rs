//! A view of the strand at another moment: what was known after an operation, or what held at a
//! time.
//!
//! A view answers readers as the strand does. Its catalog is a copy with the rows of that moment.
//! The word index and the vectors are today's: versions that have other words stand in a tail of
//! the view's own, over the indexed ones, and those with another text have no vector. Records are
//! read from the history where a memory was changed since.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, RwLock};

use super::open::document;
use super::past::Between;
use super::statements::Statements;
use super::{Strand, Tombstones};
use crate::index::catalog::{Catalog, Differs};
use crate::index::lexical::{Instead, LexicalError, LexicalHit, LexicalQuery, Restriction};
use crate::model::{MemoryNumber, Moment, Sequence};
use crate::store::{Earlier, Snapshot, StoreError};

/// In which way a view differs from the strand.
pub(super) struct Seen {
    moment: Moment,
    /// `None` where everything known is seen.
    past: Option<Past>,
}

/// What a view as of an earlier operation has in place of what was changed since.
struct Past {
    versions: Arc<Earlier>,
    /// The newest operation that the versions take back.
    up_to: Sequence,
    words: Instead,
    /// Memories with another text than they have now, or without a vector now.
    reworded: HashSet<MemoryNumber>,
}

impl Seen {
    /// Has a snapshot read as it was.
    pub(super) fn snapshot(&self, snapshot: Snapshot) -> Result<Snapshot, StoreError> {
        let Some(past) = &self.past else {
            return Ok(snapshot);
        };
        let newest = snapshot.sequence()?;
        let mut versions = Arc::clone(&past.versions);
        if newest > past.up_to {
            let later = Between::read(&snapshot, past.up_to, newest)?;
            let versions = Arc::make_mut(&mut versions);
            for (number, changed) in later.memories() {
                versions.entry(number).or_insert(changed.before);
            }
        }
        Ok(snapshot.seen_earlier(versions))
    }
}

impl Past {
    /// Takes a catalog back to what it was after an operation.
    fn take_back(
        catalog: &mut Catalog,
        snapshot: &Snapshot,
        sequence: Sequence,
    ) -> Result<Self, StoreError> {
        let up_to = snapshot.sequence()?;
        let between = Between::read(snapshot, sequence, up_to)?;
        let mut past = Self {
            versions: Arc::new(Earlier::new()),
            up_to,
            words: Instead::default(),
            reworded: HashSet::new(),
        };
        let mut versions = Earlier::new();
        for (number, changed) in between.memories() {
            past.put_back(catalog, snapshot, number, changed.before)?;
            versions.insert(number, changed.before);
        }
        past.versions = Arc::new(versions);
        for (key, edge) in between.edges() {
            match &edge.before {
                Some(edge) => catalog.apply_edge(edge),
                None => catalog.remove_edge(key),
            }
        }
        Ok(past)
    }

    fn put_back(
        &mut self,
        catalog: &mut Catalog,
        snapshot: &Snapshot,
        number: MemoryNumber,
        version: Option<Sequence>,
    ) -> Result<(), StoreError> {
        let memory = version.map_or(Ok(None), |version| snapshot.version(version))?;
        let Some(memory) = memory else {
            catalog.remove(number);
            self.words.hide(number.0);
            self.reworded.insert(number);
            return Ok(());
        };
        let Differs { words, meaning } = catalog.put_back(&memory);
        if words && memory.status.is_indexed() {
            self.words.put(&document(&memory));
        } else if words {
            self.words.hide(number.0);
        }
        if meaning {
            self.reworded.insert(number);
        }
        Ok(())
    }
}

impl Strand {
    /// Views the strand at another moment.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn seen_at(&self, moment: Moment) -> Result<Self, StoreError> {
        // Before the snapshot, so that this has no change that the snapshot has not.
        let mut catalog = self.catalog().clone();
        catalog.leave_touched();
        let past = match moment.as_of {
            Some(sequence) => {
                let snapshot = self.store.snapshot()?;
                Some(Past::take_back(&mut catalog, &snapshot, sequence)?)
            }
            None => None,
        };
        if let Some(at) = moment.valid_at {
            catalog.keep_held_at(at);
        }
        Ok(Self {
            store: self.store.clone(),
            kinds: self.kinds.clone(),
            catalog: RwLock::new(catalog),
            lexical: Arc::clone(&self.lexical),
            meaning: Arc::clone(&self.meaning),
            changes: Mutex::default(),
            mentions: Mutex::default(),
            statements: Statements::default(),
            tombstones: RwLock::new(Tombstones::default()),
            seen: Some(Seen { moment, past }),
        })
    }

    /// The moment at which it is seen.
    #[must_use]
    pub fn moment(&self) -> Moment {
        self.seen
            .as_ref()
            .map_or_else(Moment::default, |seen| seen.moment)
    }

    fn past(&self) -> Option<&Past> {
        self.seen.as_ref()?.past.as_ref()
    }

    /// Searches the words of the memories as they are seen.
    ///
    /// # Errors
    /// When the word index cannot be read.
    pub(crate) fn search_words<F: Fn(u32) -> bool>(
        &self,
        query: &LexicalQuery,
        limit: usize,
        restriction: &Restriction<'_>,
        keeps: F,
    ) -> Result<Vec<LexicalHit>, LexicalError> {
        let instead = self.past().map(|past| &past.words);
        self.lexical
            .search_instead(instead, query, limit, restriction, keeps)
    }

    /// Returns whether a memory's text is what its vector was made of, as far as the moment decides
    /// it.
    pub(crate) fn says_the_same(&self, number: MemoryNumber) -> bool {
        self.past()
            .is_none_or(|past| !past.reworded.contains(&number))
    }
}
