//! Reading the catalog from the store, which is most of what a start waits for: threads read the
//! records and hash their texts, and the calling one takes them in the order of their numbers.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use helix_memory::{MemoryNumber, Timestamp, WordSet};

use crate::index::catalog::Catalog;
use crate::store::{Columns, Snapshot, StoreError};

/// Threads that read. Taking the rows costs half of reading them.
const READERS: u32 = 2;

/// Memories that are read at once.
const CHUNK: u32 = 512;

/// Chunks that wait to be taken from one reader.
const CHUNKS_AHEAD: usize = 2;

/// Bytes that a record is expected to have; more only cost another allocation for each chunk.
const RECORD_BYTES: usize = 1024;

/// Records behind each other.
struct Chunk {
    records: Vec<u8>,
    memories: Vec<Read>,
}

/// A memory of a chunk.
struct Read {
    number: MemoryNumber,
    /// Where in the chunk its record ends; it begins where the one before ends.
    end: usize,
    text_hash: u64,
    /// How often it was accessed, and when last.
    access: Option<(u64, i64)>,
}

/// Reads every memory and every edge into a fresh catalog. Returns it and how many memories there
/// are.
pub(super) fn read(snapshot: &Snapshot) -> Result<(Catalog, u64), StoreError> {
    let end = snapshot
        .last_number()?
        .map_or(0, |last| last.0.saturating_add(1));
    let mut catalog = Catalog::default();
    catalog.reserve(usize::try_from(snapshot.memory_count()?).unwrap_or_default());
    thread::scope(|scope| {
        let start_reader = |first: u32| {
            let (chunks, receiver) = sync_channel(CHUNKS_AHEAD);
            scope.spawn(move || read_chunks(snapshot, first * CHUNK..end, &chunks));
            receiver
        };
        let readers: Vec<_> = (0..READERS).map(start_reader).collect();
        let count = take(&mut catalog, &readers)?;
        for edge in snapshot.edges()? {
            catalog.apply_edge(&edge);
        }
        Ok((catalog, count))
    })
}

/// Reads the first chunk of a range and then each that no other reader reads, until nobody listens
/// any more.
fn read_chunks(
    snapshot: &Snapshot,
    numbers: Range<u32>,
    chunks: &SyncSender<Result<Chunk, StoreError>>,
) {
    let end = numbers.end;
    for first in numbers.step_by((READERS * CHUNK) as usize) {
        let read = read_chunk(snapshot, first..end.min(first.saturating_add(CHUNK)));
        let has_failed = read.is_err();
        if chunks.send(read).is_err() || has_failed {
            return;
        }
    }
}

fn read_chunk(snapshot: &Snapshot, numbers: Range<u32>) -> Result<Chunk, StoreError> {
    let memories = Vec::with_capacity(CHUNK as usize);
    let mut chunk = Chunk {
        records: Vec::with_capacity(CHUNK as usize * RECORD_BYTES),
        memories,
    };
    snapshot.for_each_record_in(numbers, |number, record, access| {
        // One that cannot be understood is left out, and found in the list of what is damaged.
        let Some(columns) = snapshot.understood(number, Columns::decode(record)) else {
            return Ok(());
        };
        let text_hash = WordSet::text_hash(columns.text);
        chunk.records.extend_from_slice(record);
        chunk.memories.push(Read {
            number,
            end: chunk.records.len(),
            text_hash,
            access,
        });
        Ok::<_, StoreError>(())
    })?;
    Ok(chunk)
}

/// Takes a chunk from each reader in turn. The chunks are in order, so all are taken when one
/// reader has no more.
fn take(
    catalog: &mut Catalog,
    readers: &[Receiver<Result<Chunk, StoreError>>],
) -> Result<u64, StoreError> {
    let mut count = 0;
    for reader in readers.iter().cycle() {
        let Ok(chunk) = reader.recv() else { break };
        let Chunk { records, memories } = chunk?;
        let mut start = 0;
        for Read {
            number,
            end,
            text_hash,
            access,
        } in memories
        {
            let mut columns = Columns::decode(records.get(start..end).unwrap_or_default())?;
            if let Some((access_count, seen_us)) = access {
                columns.access_count = access_count;
                columns.last_seen_at = Timestamp::from_micros(seen_us);
            }
            catalog.apply_columns(number, &columns, text_hash);
            start = end;
            count += 1;
        }
    }
    Ok(count)
}
