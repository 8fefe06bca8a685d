//! Carries a generation into tantivy and keeps the segments few. Called by one flush at a time.

use tantivy::indexer::NoMergePolicy;
use tantivy::{Index, IndexWriter, TantivyDocument};

use super::Marks;
use super::fields::{Document, Fields};
use super::merging::{Size, plan};
use super::storage::payload;
use super::tail::Generation;

/// Memory that one flush may fill before it starts a second segment, in bytes: room for ten
/// thousand long memories.
const WRITER_HEAP_BYTES: usize = 64 * 1024 * 1024;

/// The only writer of the committed index. Tantivy's own is opened by the first flush and dropped
/// after a failure, since it does not work again after one.
#[derive(Default)]
pub(super) struct Writer {
    inner: Option<IndexWriter>,
}

impl Writer {
    /// Commits a generation, with its last sequence as the watermark. Doing it twice does no harm.
    pub(super) fn commit(
        &mut self,
        index: &Index,
        fields: &Fields,
        generation: &Generation,
        marks: &Marks,
    ) -> tantivy::Result<()> {
        self.attempt(index, |writer| write(writer, fields, generation, marks))
    }

    /// Commits the documents that `feed` hands out in place of all that is committed, unless it
    /// stops short.
    pub(super) fn replace(
        &mut self,
        index: &Index,
        fields: &Fields,
        sequence: u64,
        marks: &Marks,
        feed: impl FnOnce(&mut dyn FnMut(&Document<'_>)) -> bool,
    ) -> tantivy::Result<bool> {
        let complete = self.attempt(index, |writer| {
            writer.delete_all_documents()?;
            let mut added = Ok(0);
            let complete = feed(&mut |document| {
                if added.is_ok() {
                    added = writer.add_document(fields.to_tantivy(document));
                }
            });
            added?;
            if complete {
                commit(writer, sequence, marks)?;
            }
            Ok(complete)
        })?;
        if !complete {
            // Dropping the writer is how what was added and not committed is forgotten.
            self.inner = None;
        }
        Ok(complete)
    }

    /// Forgets tantivy's writer, for files that were made anew under it.
    pub(super) fn close(&mut self) {
        self.inner = None;
    }

    /// Merges segments if there are too many. Tantivy's own policy is off, so that no merge
    /// outlives a flush.
    pub(super) fn merge(&mut self, index: &Index) -> tantivy::Result<bool> {
        let segments = index.searchable_segment_metas()?;
        let size = |living: u32, dead: u32| Size {
            living: u64::from(living),
            dead: u64::from(dead),
        };
        let sizes: Vec<Size> = segments
            .iter()
            .map(|segment| size(segment.num_docs(), segment.num_deleted_docs()))
            .collect();
        let ids: Vec<_> = plan(&sizes)
            .into_iter()
            .filter_map(|place| segments.get(place))
            .map(tantivy::SegmentMeta::id)
            .collect();
        drop(segments);
        if ids.is_empty() {
            return Ok(false);
        }
        self.attempt(index, |writer| {
            writer.merge(&ids).wait().map(|_merged| true)
        })
    }

    /// Merges all segments into one, unless there is one without deletions.
    pub(super) fn merge_all(&mut self, index: &Index) -> tantivy::Result<bool> {
        let segments = index.searchable_segment_metas()?;
        let is_compact = segments.len() <= 1
            && segments
                .iter()
                .all(|segment| segment.num_deleted_docs() == 0);
        let ids: Vec<_> = segments.iter().map(tantivy::SegmentMeta::id).collect();
        drop(segments);
        if is_compact {
            return Ok(false);
        }
        self.attempt(index, |writer| {
            writer.merge(&ids).wait().map(|_merged| true)
        })
    }

    /// Removes files that no snapshot reads any more.
    pub(super) fn collect_garbage(&mut self, index: &Index) -> tantivy::Result<()> {
        self.attempt(index, |writer| {
            writer.garbage_collect_files().wait().map(|_removed| ())
        })
    }

    fn attempt<T>(
        &mut self,
        index: &Index,
        act: impl FnOnce(&mut IndexWriter) -> tantivy::Result<T>,
    ) -> tantivy::Result<T> {
        let mut writer = match self.inner.take() {
            Some(writer) => writer,
            None => open(index)?,
        };
        let outcome = act(&mut writer);
        if outcome.is_ok() {
            self.inner = Some(writer);
        }
        outcome
    }
}

fn open(index: &Index) -> tantivy::Result<IndexWriter> {
    let writer: IndexWriter<TantivyDocument> =
        index.writer_with_num_threads(1, WRITER_HEAP_BYTES)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    Ok(writer)
}

fn write(
    writer: &mut IndexWriter,
    fields: &Fields,
    generation: &Generation,
    marks: &Marks,
) -> tantivy::Result<()> {
    // Deletions hit what was added before them only, so they come first.
    for &number in generation.masked().iter() {
        writer.delete_term(fields.number_term(number));
    }
    for document in generation.documents() {
        writer.add_document(fields.to_tantivy(&document))?;
    }
    commit(writer, generation.last_sequence(), marks)
}

fn commit(writer: &mut IndexWriter, sequence: u64, marks: &Marks) -> tantivy::Result<()> {
    let mut commit = writer.prepare_commit()?;
    commit.set_payload(&payload(sequence, marks));
    commit.commit()?;
    Ok(())
}
