//! Opening a strand: the store first, then every index brought up to it.

mod catalog;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};

use super::meaning::Meaning;
use super::{Strand, StrandWriter};
use crate::error::ErrorKind;
use crate::index::lexical::{Document, LexicalError, LexicalIndex};
use crate::model::{Kinds, Memory, MemoryNumber, Sequence};
use crate::ports::Storage;
use crate::store::{Snapshot, Store, StoreError};

/// Operations behind which the word index is replayed rather than rebuilt.
const REPLAY_MAX: u64 = 50_000;

/// Why a strand could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The word index, even after it was made anew.
    #[error(transparent)]
    Lexical(#[from] LexicalError),
}

impl OpenError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Lexical(_) => ErrorKind::Internal,
        }
    }
}

/// What opening found and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenReport {
    /// The newest sequence of the store.
    pub sequence: Sequence,
    /// Memories in the store, of any status.
    pub memories: u64,
    /// Whether the word index was made anew.
    pub rebuilt_words: bool,
    /// Operations that the word index had missed.
    pub replayed: u64,
}

impl Strand {
    /// Opens a strand. `lexical` is the word index's directory; `None` keeps the index in memory.
    ///
    /// # Errors
    /// When the store cannot be opened, or the disk fails. A damaged index is made anew instead.
    pub fn open(
        storage: &dyn Storage,
        lexical: Option<&Path>,
        kinds: Kinds,
    ) -> Result<(Arc<Self>, StrandWriter, OpenReport), OpenError> {
        let has_index = lexical.is_some_and(holds_words);
        let (store, writer) = if has_index { Store::reopen(storage)? } else { Store::open(storage)? };
        let (catalog, memories) = catalog::read(&store.snapshot()?)?;
        let sequence = writer.sequence();
        let (lexical, rebuilt_words) = open_words(lexical, sequence)?;
        let strand = Arc::new(Self {
            store,
            kinds,
            catalog: RwLock::new(catalog),
            lexical,
            meaning: Meaning::default(),
            changes: Mutex::default(),
            mentions: Mutex::default(),
        });
        let replayed = strand.catch_up(sequence)?;
        let report = OpenReport { sequence, memories, rebuilt_words, replayed };
        let writer = StrandWriter::new(Arc::clone(&strand), writer);
        Ok((strand, writer, report))
    }

    /// Brings the word index up to the store. Returns how many operations it had missed.
    fn catch_up(&self, newest: Sequence) -> Result<u64, OpenError> {
        let watermark = self.lexical.watermark();
        let missed = newest.0.saturating_sub(watermark);
        if missed == 0 {
            return Ok(0);
        }
        let snapshot = self.store.snapshot()?;
        if watermark == 0 || missed > REPLAY_MAX {
            self.fill_words(&snapshot, newest)?;
            return Ok(missed);
        }
        let changed = changed_after(&snapshot, Sequence(watermark))?;
        let last = changed.last().copied();
        for number in changed {
            // The watermark may move only with the last, because they do not come in the order of their sequences.
            let sequence = if Some(number) == last { newest } else { Sequence(watermark) };
            if let Some(memory) = snapshot.memory(number)? {
                self.index_words(sequence, &memory);
            }
            if self.lexical.needs_flush() {
                self.lexical.flush()?;
            }
        }
        Ok(missed)
    }

    /// Makes the word index anew from the store.
    fn fill_words(&self, snapshot: &Snapshot, newest: Sequence) -> Result<(), OpenError> {
        let mut failure = None;
        self.lexical.fill(newest.0, |add| {
            failure = Self::feed_words(snapshot, add).err();
            failure.is_none()
        })?;
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Hands out what the word index holds of every memory. Returns how many.
    pub(super) fn feed_words(snapshot: &Snapshot, add: &mut dyn FnMut(&Document<'_>)) -> Result<u64, StoreError> {
        let mut fed = 0;
        snapshot.for_each_memory(|memory| {
            if memory.status.is_indexed() {
                add(&document(&memory));
                fed += 1;
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(fed)
    }

    /// Gives one memory to the word index.
    pub(super) fn index_words(&self, sequence: Sequence, memory: &Memory) {
        let MemoryNumber(number) = memory.number;
        if memory.status.is_indexed() {
            self.lexical.upsert(sequence.0, &document(memory));
        } else {
            self.lexical.remove(sequence.0, number);
        }
    }
}

/// What the word index sees of a memory.
pub(super) fn document(memory: &Memory) -> Document<'_> {
    Document {
        number: memory.number.0,
        text: &memory.text,
        topic: memory.topic.as_str(),
        tags: &memory.tags,
        source: memory.source.as_ref().map(|source| source.path.as_str()),
    }
}

fn changed_after(snapshot: &Snapshot, watermark: Sequence) -> Result<BTreeSet<MemoryNumber>, StoreError> {
    let mut changed = BTreeSet::new();
    snapshot.for_each_operation_after(watermark, |operation| {
        changed.insert(operation.number);
        Ok::<_, StoreError>(())
    })?;
    Ok(changed)
}

/// Whether a word index has written anything, which it does of what a store holds.
fn holds_words(directory: &Path) -> bool {
    let Ok(mut files) = fs::read_dir(directory) else { return false };
    files.any(|file| file.is_ok_and(|file| file.path().extension().is_some_and(|extension| extension == "term")))
}

/// Opens the word index; one that is ahead of the store belongs to another past and is made anew.
fn open_words(directory: Option<&Path>, newest: Sequence) -> Result<(LexicalIndex, bool), LexicalError> {
    let Some(directory) = directory else { return Ok((LexicalIndex::in_memory()?, false)) };
    let index = LexicalIndex::open(directory)?;
    if index.watermark() <= newest.0 {
        let rebuilt = index.rebuilt();
        return Ok((index, rebuilt));
    }
    drop(index);
    LexicalIndex::discard(directory)?;
    Ok((LexicalIndex::open(directory)?, true))
}
