//! Opening a strand: the store first, then every index brought up to it.

mod catalog;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};

use super::meaning::Meaning;
use super::statements::Statements;
use super::tombstones::Tombstones;
use super::{Strand, StrandWriter};
use crate::derived;
use crate::error::ErrorKind;
use crate::index::lexical::{Document, LexicalError, LexicalIndex, Marks, make_directory};
use crate::model::{Kinds, Memory, MemoryNumber, Sequence};
use crate::ports::Storage;
use crate::store::{CommitError, Snapshot, Store, StoreError, Write, Writer};

/// Operations behind which the word index is replayed rather than rebuilt.
const REPLAY_MAX: u64 = 50_000;

/// Why a strand could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Damaged records could not be written again.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The word index, even in memory.
    #[error(transparent)]
    Lexical(#[from] LexicalError),
}

impl OpenError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Commit(error) => error.kind(),
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
    /// True if the word index was made anew.
    pub rebuilt_words: bool,
    /// Operations that the word index had missed.
    pub replayed: u64,
    /// True if nothing can be written, so that the strand can only be read.
    pub is_read_only: bool,
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
        let (store, mut writer) = if has_index {
            Store::reopen(storage)?
        } else {
            Store::open(storage)?
        };
        let (mut catalog, mut memories) = catalog::read(&store.snapshot()?)?;
        if mend_records(&store, &mut writer)? {
            (catalog, memories) = catalog::read(&store.snapshot()?)?;
        }
        let tombstones = Tombstones::read(&store.snapshot()?)?;
        let sequence = writer.sequence();
        let (lexical, mut rebuilt_words) = open_words(lexical, &store)?;
        let mut strand = Self {
            store,
            kinds,
            catalog: RwLock::new(catalog),
            lexical: Arc::new(lexical),
            meaning: Arc::new(Meaning::default()),
            changes: Mutex::default(),
            mentions: Mutex::default(),
            statements: Statements::default(),
            tombstones: RwLock::new(tombstones),
            seen: None,
        };
        let replayed = match strand.catch_up(sequence) {
            // No room, as on the disk of a store that can only be read.
            Err(OpenError::Lexical(error)) => {
                strand.lexical = Arc::new(words_in_memory(&error)?);
                rebuilt_words = true;
                strand.catch_up(sequence)?
            }
            replayed => replayed?,
        };
        let strand = Arc::new(strand);
        let is_read_only = writer.refusal().is_some();
        let report = OpenReport {
            sequence,
            memories,
            rebuilt_words,
            replayed,
            is_read_only,
        };
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
            // The watermark may move only with the last, because they do not come in the order of
            // their sequences.
            let sequence = if Some(number) == last {
                newest
            } else {
                Sequence(watermark)
            };
            match snapshot.memory(number)? {
                Some(memory) => self.index_words(sequence, &memory),
                None => self.lexical.remove(sequence.0, number.0),
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
    pub(super) fn feed_words(
        snapshot: &Snapshot,
        add: &mut dyn FnMut(&Document<'_>),
    ) -> Result<u64, StoreError> {
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

/// Writes the records again that could not be read, from the history. Returns whether any was.
fn mend_records(store: &Store, writer: &mut Writer) -> Result<bool, OpenError> {
    let damaged = store.snapshot()?.damage()?.memories;
    if damaged.is_empty() {
        return Ok(false);
    }
    let committed = writer.commit(damaged.into_iter().map(Write::Mend).collect())?;
    Ok(committed.changes.iter().any(Result::is_ok))
}

/// Returns what the word index sees of a memory.
pub(super) fn document(memory: &Memory) -> Document<'_> {
    Document {
        number: memory.number.0,
        text: &memory.text,
        topic: memory.topic.as_str(),
        tags: &memory.tags,
        source: memory.source.as_ref().map(|source| source.path.as_str()),
    }
}

fn changed_after(
    snapshot: &Snapshot,
    watermark: Sequence,
) -> Result<BTreeSet<MemoryNumber>, StoreError> {
    let mut changed = BTreeSet::new();
    snapshot.for_each_operation_after(watermark, |operation| {
        changed.insert(operation.number);
        Ok::<_, StoreError>(())
    })?;
    Ok(changed)
}

/// Returns whether a word index has written anything, which it does of what a store holds.
fn holds_words(directory: &Path) -> bool {
    let Ok(mut files) = fs::read_dir(directory) else {
        return false;
    };
    files.any(|file| {
        file.is_ok_and(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "term")
        })
    })
}

/// Opens the word index; one of another store, or of another past of this one, is made anew. Where
/// none can be kept, it is in RAM.
fn open_words(
    directory: Option<&Path>,
    store: &Store,
) -> Result<(LexicalIndex, bool), LexicalError> {
    let Some(directory) = directory else {
        return Ok((LexicalIndex::in_memory()?, false));
    };
    let open = || {
        let store = store.clone();
        let marks: Marks = Box::new(move |sequence| {
            store
                .snapshot()
                .and_then(|now| now.mark(Sequence(sequence)))
                .ok()?
        });
        make_directory(directory).and_then(|()| LexicalIndex::open(directory, marks))
    };
    let opened = open().or_else(|error| {
        // One that may not be read, or not be cleared, is left to somebody else.
        let is_moved = matches!(error, LexicalError::Directory { .. }) && move_aside(directory);
        if is_moved { open() } else { Err(error) }
    });
    match opened {
        Ok(index) => {
            let rebuilt = index.rebuilt();
            Ok((index, rebuilt))
        }
        Err(error) => Ok((words_in_memory(&error)?, true)),
    }
}

fn words_in_memory(cause: &LexicalError) -> Result<LexicalIndex, LexicalError> {
    tracing::error!(
        error = cause as &dyn std::error::Error,
        "the word index is kept in memory alone"
    );
    LexicalIndex::in_memory()
}

fn move_aside(directory: &Path) -> bool {
    let Some((above, name)) = directory.parent().zip(directory.file_name()) else {
        return false;
    };
    derived::clear_away(above, &name.to_string_lossy()).unwrap_or(false)
}
