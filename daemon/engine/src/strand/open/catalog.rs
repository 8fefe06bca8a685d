//! Reading the catalog from the store, which is most of what a start waits for: threads read and decode the records, and
//! the calling one takes them in the order of their numbers.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::index::catalog::Catalog;
use crate::model::Memory;
use crate::policy::resemble::text_hash;
use crate::store::{Snapshot, StoreError};

/// Threads that read. Taking the rows costs a third of reading them.
const READERS: u32 = 2;

/// Memories that are read at once.
const CHUNK: u32 = 512;

/// Chunks that wait to be taken from one reader.
const CHUNKS_AHEAD: usize = 2;

/// A memory and the hash of its text.
type Hashed = (Memory, u64);

/// Reads every memory into a fresh catalog. Returns it and how many there are.
pub(super) fn read(snapshot: &Snapshot) -> Result<(Catalog, u64), StoreError> {
    let end = snapshot.last_number()?.map_or(0, |last| last.0.saturating_add(1));
    thread::scope(|scope| {
        let start_reader = |first: u32| {
            let (chunks, receiver) = sync_channel(CHUNKS_AHEAD);
            scope.spawn(move || read_chunks(snapshot, first * CHUNK..end, &chunks));
            receiver
        };
        let readers: Vec<_> = (0..READERS).map(start_reader).collect();
        take(&readers)
    })
}

/// Reads the first chunk of a range and then each that no other reader reads, until nobody listens any more.
fn read_chunks(snapshot: &Snapshot, numbers: Range<u32>, chunks: &SyncSender<Result<Vec<Hashed>, StoreError>>) {
    let end = numbers.end;
    for first in numbers.step_by((READERS * CHUNK) as usize) {
        let mut memories = Vec::with_capacity(CHUNK as usize);
        let read = snapshot.for_each_memory_in(first..end.min(first.saturating_add(CHUNK)), |memory| {
            let hash = text_hash(&memory.text);
            memories.push((memory, hash));
            Ok::<_, StoreError>(())
        });
        let has_failed = read.is_err();
        if chunks.send(read.map(|()| memories)).is_err() || has_failed {
            return;
        }
    }
}

/// Takes a chunk from each reader in turn. The chunks are in order, so all are taken when one reader has no more.
fn take(readers: &[Receiver<Result<Vec<Hashed>, StoreError>>]) -> Result<(Catalog, u64), StoreError> {
    let mut catalog = Catalog::default();
    let mut count = 0;
    for reader in readers.iter().cycle() {
        let Ok(memories) = reader.recv() else { break };
        for (memory, hash) in memories? {
            catalog.apply_hashed(&memory, hash);
            count += 1;
        }
    }
    Ok((catalog, count))
}
