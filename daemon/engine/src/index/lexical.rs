//! The lexical index: BM25 over the words of every memory, current to the last store.
//!
//! It stands in the flow behind the store's change feed and before recall's fusion. A tantivy
//! commit takes tens of milliseconds, so none happens on the store path. What was stored since the
//! last commit is kept in an inverted *tail* in RAM and searched beside the committed segments,
//! under statistics counted over both, so that a flush does not change a score. A flush freezes the
//! tail, commits it with its last sequence as payload and drops it once the new segments are
//! read; stores meanwhile go to a fresh tail.
//!
//! Invariants: of a memory at most one version is ever found, the newest; nothing is lost between
//! tail and segments; after a restart the store replays everything after
//! [`LexicalIndex::watermark`]; the index may be deleted while it is closed.

mod committed;
mod fields;
mod held;
mod instead;
mod merging;
mod numbers;
mod query;
mod rare;
mod state;
mod statistics;
pub mod stop_words;
mod storage;
mod tail;
#[cfg(test)]
mod tests;
pub mod tokenizer;
mod top;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use committed::{Committed, Search};
use fields::Fields;
use tantivy::{Index, IndexReader, ReloadPolicy};

use crate::lock_order::{Lock, Ordered};
pub use fields::{Document, Restriction};
pub use instead::Instead;
pub use query::{LexicalQuery, Mode};
pub use rare::{Rarities, Telling};
use state::{Published, State};
use storage::Opened;
pub(crate) use storage::make_directory;
pub use tail::{Linked, Prepared};
pub use top::LexicalHit;
use top::Top;
use writer::Writer;

/// Text in the tail after which a flush is due, in bytes, whatever the number of memories.
pub const TAIL_FLUSH_BYTES: usize = 8 * 1024 * 1024;

/// Text in the tail beyond which a flush is due even while more come, in bytes.
pub const TAIL_MAX_BYTES: usize = 96 * 1024 * 1024;

/// Says what a store's history was up to a sequence, so that the index of another one is known;
/// `None` for a sequence that it does not have. Without blanks.
pub type Marks = Box<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// Why the lexical index cannot do what it was asked. Its files are derived: deleting them while it
/// is closed is safe.
#[derive(Debug, thiserror::Error)]
pub enum LexicalError {
    /// The directory cannot be made, read or cleared.
    #[error(
        "preparing the lexical index in {path}; check the directory's permissions and free space"
    )]
    Directory {
        /// The index's directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// An empty index cannot be written.
    #[error("creating an empty lexical index; check the directory's permissions and free space")]
    Create(#[source] tantivy::TantivyError),
    /// The segments cannot be read.
    #[error(
        "reading the lexical index; if it happens again, delete its directory while the daemon is off"
    )]
    Read(#[source] tantivy::TantivyError),
    /// The tail cannot be committed. It stays searchable and the next flush tries again.
    #[error(
        "committing to the lexical index; it stays current in memory, check the disk's free space"
    )]
    Commit(#[source] tantivy::TantivyError),
}

/// The lexical index of one strand. All methods take `&self` and may be called from any thread.
pub struct LexicalIndex {
    fields: Fields,
    index: Index,
    /// Where its files are; `None` in RAM.
    directory: Option<PathBuf>,
    reader: IndexReader,
    is_new: bool,
    marks: Marks,
    state: RwLock<State>,
    /// Held for a whole flush, so that there is one at a time.
    writer: Mutex<Writer>,
}

impl LexicalIndex {
    /// Stores and removals after which a flush pays: the tail's search time grows with it, and a commit
    /// costs the same for few.
    pub const TAIL_FLUSH_DOCUMENTS: usize = 4_000;

    /// Stores and removals beyond which a flush is due even while more come: it bounds the tail's
    /// memory (some 150 MB), what a restart after a crash replays, and what searches pay meanwhile
    /// (some 1 ms). It is so large that an import of ordinary size does not share the machine's cores
    /// with a flush, which takes a third of its own time.
    pub const TAIL_MAX_DOCUMENTS: usize = 96_000;

    /// Opens the index of a directory for the store of these marks. One that is missing, damaged,
    /// of another format or of another store is replaced by an empty one.
    ///
    /// # Errors
    ///
    /// When the directory or an empty index in it cannot be made or read.
    pub fn open(directory: &Path, marks: Marks) -> Result<Self, LexicalError> {
        let fields = Fields::new();
        let opened = storage::open(directory, &fields, &marks)?;
        let mut index = Self::new(fields, opened, marks)?;
        index.directory = Some(directory.to_owned());
        Ok(index)
    }

    /// Makes an empty index that lives in RAM.
    ///
    /// # Errors
    ///
    /// When tantivy refuses, which means that the schema is wrong.
    pub fn in_memory() -> Result<Self, LexicalError> {
        let fields = Fields::new();
        let opened = storage::in_memory(&fields)?;
        Self::new(fields, opened, Box::new(|_| None))
    }

    fn new(fields: Fields, opened: Opened, marks: Marks) -> Result<Self, LexicalError> {
        let Opened {
            index,
            watermark,
            is_new,
        } = opened;
        let builder = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader: IndexReader = builder.try_into().map_err(LexicalError::Read)?;
        let committed = Committed::new(reader.searcher(), &fields).map_err(LexicalError::Read)?;
        Ok(Self {
            fields,
            index,
            directory: None,
            reader,
            is_new,
            marks,
            state: RwLock::new(State::new(committed, watermark)),
            writer: Mutex::default(),
        })
    }

    /// The last sequence that is committed durably. The store replays everything after it on start.
    #[must_use]
    pub fn watermark(&self) -> u64 {
        self.read().watermark
    }

    /// Tells whether opening found nothing usable and started empty, with watermark 0.
    #[must_use]
    pub fn rebuilt(&self) -> bool {
        self.is_new
    }

    /// Makes a memory findable by the next search, in place of any older version of it.
    ///
    /// Sequences may repeat but the next flush commits the highest one seen, so whoever fills an
    /// empty index out of order passes 0 until the last document.
    pub fn upsert(&self, sequence: u64, document: &Document<'_>) {
        self.upsert_prepared(sequence, document.number, Prepared::new(document));
    }

    /// Does what [`LexicalIndex::upsert`] does with a document that was read before, at a fifth of
    /// the cost.
    pub fn upsert_prepared(&self, sequence: u64, number: u32, prepared: Prepared) {
        let mut state = self.write();
        state.active.upsert(sequence, number, prepared);
        state.hide(number, &self.fields);
    }

    /// Takes in memories that were linked before. `placed` says under which sequence and number
    /// each was stored; those that were not are left out. Searches wait as long as it takes,
    /// which is a microsecond or two for each.
    pub fn upsert_linked(&self, linked: Linked, placed: &[Option<(u64, u32)>]) {
        let mut state = self.write();
        state.active.absorb(linked, placed);
        for (_, number) in placed.iter().flatten() {
            state.hide(*number, &self.fields);
        }
    }

    /// Makes a memory unfindable by the next search.
    pub fn remove(&self, sequence: u64, number: u32) {
        let mut state = self.write();
        state.active.hide(sequence, number);
        state.hide(number, &self.fields);
    }

    /// Returns the best hits that `keeps` wants, by descending score and then by number, at most
    /// `limit`.
    ///
    /// `keeps` is called for promising candidates only and without a lock held.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn search<F: Fn(u32) -> bool>(
        &self,
        query: &LexicalQuery,
        limit: usize,
        restriction: &Restriction<'_>,
        keeps: F,
    ) -> Result<Vec<LexicalHit>, LexicalError> {
        self.search_instead(None, query, limit, restriction, keeps)
    }

    /// Does so with other versions in place of those that are indexed.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn search_instead<F: Fn(u32) -> bool>(
        &self,
        instead: Option<&Instead>,
        query: &LexicalQuery,
        limit: usize,
        restriction: &Restriction<'_>,
        keeps: F,
    ) -> Result<Vec<LexicalHit>, LexicalError> {
        if query.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let snapshot = self
            .read()
            .look(query, &self.fields, instead.map(Instead::generation))
            .map_err(LexicalError::Read)?;
        let mut top = Top::new(limit);
        for hit in &snapshot.tail_hits {
            if keeps(hit.number) {
                top.push(hit.number, hit.score);
            }
        }
        let search = Search {
            fields: &self.fields,
            query,
            frequencies: &snapshot.frequencies,
            restriction,
        };
        let is_wanted =
            |number| !snapshot.masks.iter().any(|mask| mask.contains(&number)) && keeps(number);
        snapshot
            .committed
            .search(&search, &snapshot.statistics, &mut top, &is_wanted)
            .map_err(LexicalError::Read)?;
        Ok(top.into_hits())
    }

    /// Commits the tail as it is now, then merges segments if there are too many. Returns whether
    /// there was anything.
    ///
    /// Blocks for tens of milliseconds, and for seconds when large segments are merged; searches
    /// and stores go on meanwhile. After an error the tail is still searched and the next flush
    /// commits it.
    ///
    /// # Errors
    ///
    /// When the commit or reading it back fails.
    pub fn flush(&self) -> Result<bool, LexicalError> {
        let mut writer = self.writer();
        let Some(frozen) = self.write().freeze() else {
            return Ok(false);
        };
        writer
            .commit(&self.index, &self.fields, &frozen, &self.marks)
            .map_err(LexicalError::Commit)?;
        self.publish(Published::Frozen)?;
        drop(frozen);
        self.tidy(&mut writer);
        Ok(true)
    }

    /// Replaces all that is committed by the documents that `feed` hands out, read from the store
    /// as it was at `sequence`.
    ///
    /// Where files of the index are lost, they are made anew; what was read of them is searched
    /// until then.
    ///
    /// This is how an empty index is filled: it takes a third of the time of storing one by one.
    /// Stores that come meanwhile stay in the tail, over what is filled in. When `feed` returns
    /// false nothing changes, and neither does this.
    ///
    /// # Errors
    ///
    /// When the commit or reading it back fails.
    pub fn fill(
        &self,
        sequence: u64,
        feed: impl FnOnce(&mut dyn FnMut(&Document<'_>)) -> bool,
    ) -> Result<bool, LexicalError> {
        let mut writer = self.writer();
        if let Some(directory) = self.directory.as_ref().filter(|_| self.lost().is_some()) {
            writer.close();
            storage::make_anew(directory, &self.fields)?;
        }
        if !writer
            .replace(&self.index, &self.fields, sequence, &self.marks, feed)
            .map_err(LexicalError::Commit)?
        {
            return Ok(false);
        }
        self.publish(Published::Filled { sequence })?;
        self.tidy(&mut writer);
        Ok(true)
    }

    /// Commits the tail, then rewrites all segments as one without what is deleted. Searches and
    /// stores go on meanwhile.
    ///
    /// # Errors
    ///
    /// When the commit, the merge or reading it back fails; what is committed stays as it was.
    pub fn compact(&self) -> Result<(), LexicalError> {
        self.flush()?;
        let mut writer = self.writer();
        if writer
            .merge_all(&self.index)
            .map_err(LexicalError::Commit)?
        {
            self.publish(Published::Merged)?;
        }
        writer
            .collect_garbage(&self.index)
            .map_err(LexicalError::Commit)
    }

    /// Names a file or directory of it that was removed or replaced; `None` where all are there.
    /// Searches go on without it, and a restart makes the index anew.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        storage::lost(self.directory.as_deref()?, &self.index)
    }

    /// How many memories wait in RAM for a flush.
    #[must_use]
    pub fn tail_len(&self) -> usize {
        self.read().tail_len()
    }

    /// Tells whether the tail has grown so large that a flush pays.
    #[must_use]
    pub fn needs_flush(&self) -> bool {
        let state = self.read();
        state.active.weight() >= LexicalIndex::TAIL_FLUSH_DOCUMENTS
            || state.active.text_bytes() >= TAIL_FLUSH_BYTES
    }

    /// Tells whether the tail has grown so large that a flush cannot wait for a quiet moment.
    #[must_use]
    pub fn must_flush(&self) -> bool {
        let state = self.read();
        state.active.weight() >= LexicalIndex::TAIL_MAX_DOCUMENTS
            || state.active.text_bytes() >= TAIL_MAX_BYTES
    }

    /// How many memories can be found. Looks up every memory in the tail: for status, not for a hot
    /// path.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn document_count(&self) -> Result<u64, LexicalError> {
        self.read().count(&self.fields).map_err(LexicalError::Read)
    }

    /// Returns whether a memory has a document.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn contains(&self, number: u32) -> Result<bool, LexicalError> {
        self.read()
            .contains(number, &self.fields)
            .map_err(LexicalError::Read)
    }

    /// How many segments the committed index has; more of them make searches slower.
    #[must_use]
    pub fn segment_count(&self) -> usize {
        self.read().committed.segment_count()
    }

    /// Shows the segments as they are on disk, and drops the tail that they hold in the same
    /// moment.
    fn publish(&self, what: Published) -> Result<(), LexicalError> {
        self.reader.reload().map_err(LexicalError::Read)?;
        let committed =
            Committed::new(self.reader.searcher(), &self.fields).map_err(LexicalError::Read)?;
        self.write().replace(committed, what, &self.fields);
        Ok(())
    }

    /// Merges and removes what no search reads. A failure costs speed only, so it is logged and
    /// tried after the next flush.
    fn tidy(&self, writer: &mut Writer) {
        let merged = writer.merge(&self.index).map_err(LexicalError::Commit);
        let tidied = merged.and_then(|merged| {
            if merged {
                self.publish(Published::Merged)?;
                writer
                    .collect_garbage(&self.index)
                    .map_err(LexicalError::Commit)?;
            }
            Ok(())
        });
        if let Err(error) = tidied {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "merging the lexical index failed"
            );
        }
    }

    // A panic elsewhere leaves the state whole: every change to it is one call on a generation, or
    // assignments.
    fn read(&self) -> Ordered<RwLockReadGuard<'_, State>> {
        Ordered::take(Lock::Words, || {
            self.state.read().unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn write(&self) -> Ordered<RwLockWriteGuard<'_, State>> {
        Ordered::take(Lock::Words, || {
            self.state.write().unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn writer(&self) -> Ordered<MutexGuard<'_, Writer>> {
        Ordered::take(Lock::WordsWriter, || {
            self.writer.lock().unwrap_or_else(PoisonError::into_inner)
        })
    }
}
