#![allow(clippy::unwrap_used)]
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use helix_memory::{Actor, Admitted, Draft, Kinds, Origin, Scope, Timestamp};
use redb::{BackendError, StorageBackend};

use super::*;
use crate::index::filter::Filter;
use crate::recall::{Mode, Retriever, Search, Vantage};
use crate::store::DirectoryStorage;
use crate::strand::{Request, StrandWriter};

/// Enough that reading them takes longer than anything else.
const VECTORS: u32 = 12_000;

const DIMENSIONS: usize = 384;

/// Stores a text of its own for each number.
fn store(number: u32) -> Request {
    let draft = Draft {
        topic: "t".to_owned(),
        text: format!("text {number}"),
        ..Draft::default()
    };
    let admitted = Box::new(Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap());
    let actor = Actor {
        origin: Origin::Agent,
        agent: String::new(),
        session: String::new(),
        ..Actor::default()
    };
    let (words, entropy) = (Box::new(Strand::read_words(&admitted)), [0; 10]);
    let at = Timestamp::from_micros(i64::from(number));
    Request::Store {
        admitted,
        words,
        links: Vec::new(),
        stamps: None,
        force: true,
        corrects: Vec::new(),
        entropy,
        actor,
        at,
    }
}

fn stored(strand: &Strand, writer: &mut StrandWriter, dimensions: usize) {
    writer.commit((0..VECTORS).map(store).collect()).unwrap();
    let pending = strand
        .pending_vectors(Role::Answering, VECTORS as usize)
        .unwrap();
    let vectors: Vec<_> = pending
        .iter()
        .map(|one| (one.number, one.text_hash, vec![0.5; dimensions].into()))
        .collect();
    strand.put_vectors(Role::Answering, &vectors).unwrap();
}

fn open(strand: &Strand, storage: &dyn Storage, dimensions: usize) {
    strand
        .open_space(storage, Role::Answering, "model", dimensions)
        .unwrap();
}

/// Opens the space, and says how long that took and how long somebody waited for the catalog
/// meanwhile.
fn opened(strand: &Strand, storage: &DirectoryStorage) -> (Duration, Duration) {
    let is_open = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !is_open.load(Ordering::Acquire) {
                let asked = Instant::now();
                drop(strand.catalog_mut());
                longest = longest.max(asked.elapsed());
            }
            longest
        });
        let begun = Instant::now();
        open(strand, storage, DIMENSIONS);
        let took = begun.elapsed();
        is_open.store(true, Ordering::Release);
        (took, waiting.join().unwrap())
    })
}

#[test]
fn the_catalog_is_free_while_vectors_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (strand, mut writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    open(&strand, &storage, DIMENSIONS);
    stored(&strand, &mut writer, DIMENSIONS);
    strand.meaning.spaces.write().unwrap().answering = None;
    // The best of some: another process may have had the processor.
    let shares = (0..5).map(|_| {
        strand.meaning.spaces.write().unwrap().answering = None;
        let (took, waited) = opened(&strand, &storage);
        waited.as_secs_f64() / took.as_secs_f64()
    });
    let least = shares.fold(f64::INFINITY, f64::min);
    assert_eq!(
        strand.spaces().answering.as_ref().unwrap().index.len(),
        VECTORS as usize
    );
    assert!(
        least < 0.3,
        "the catalog is held for {least:.2} of the time"
    );
}

/// Components of vectors that no cache holds all of, so that they are read from the disk.
const MANY_DIMENSIONS: usize = 1_024;

/// How long a search or a write may take that waits for nobody.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where reads of the vectors are counted, and one of them stands still.
struct Gate {
    /// Reads so far.
    reads: AtomicU64,
    /// The read that stands still.
    last: AtomicU64,
    reached: Sender<()>,
    go_on: Mutex<Receiver<()>>,
    /// True if nobody told it to go on in time.
    was_late: AtomicBool,
}

/// A directory with a gate before the file of the vectors.
struct Gated {
    directory: DirectoryStorage,
    gate: Arc<Gate>,
}

struct GatedFile {
    file: Box<dyn StorageBackend>,
    gate: Arc<Gate>,
}

impl std::fmt::Debug for GatedFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.file.fmt(formatter)
    }
}

impl Storage for Gated {
    fn open(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(GatedFile {
            file: self.directory.open(name)?,
            gate: Arc::clone(&self.gate),
        }))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.directory.remove(name)
    }
}

impl StorageBackend for GatedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let read = self.gate.reads.fetch_add(1, Ordering::SeqCst) + 1;
        if read == self.gate.last.load(Ordering::SeqCst) {
            self.gate.reached.send(()).unwrap();
            let told = self.gate.go_on.lock().unwrap().recv_timeout(PATIENCE);
            self.gate.was_late.store(told.is_err(), Ordering::SeqCst);
        }
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}

/// How many memories have all words of a text.
fn found(strand: &Strand, words: &str) -> usize {
    let search = Search {
        words: words.to_owned(),
        vector: None,
        filter: Filter::default(),
        limit: 5,
        mode: Mode::All,
        retriever: Retriever::Hybrid,
        now: Timestamp::from_micros(i64::from(VECTORS)),
        vantage: Vantage::default(),
    };
    strand.search(&search).unwrap().hits.len()
}

#[test]
fn searches_by_words_and_writes_go_on_while_vectors_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let storage = DirectoryStorage::new(directory.path().to_owned());
    let (strand, mut writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
    open(&strand, &storage, MANY_DIMENSIONS);
    stored(&strand, &mut writer, MANY_DIMENSIONS);
    let close = || strand.meaning.spaces.write().unwrap().answering = None;
    close();
    let ((reached, reach), (tell, go_on)) = (channel(), channel());
    let gate = Arc::new(Gate {
        reads: AtomicU64::new(0),
        last: AtomicU64::new(u64::MAX),
        reached,
        go_on: Mutex::new(go_on),
        was_late: AtomicBool::new(false),
    });
    let gated = Gated {
        directory: storage,
        gate: Arc::clone(&gate),
    };
    // The last read of an opening is one of the vectors.
    open(&strand, &gated, MANY_DIMENSIONS);
    let last = gate.reads.load(Ordering::SeqCst);
    close();
    gate.reads.store(0, Ordering::SeqCst);
    gate.last.store(last, Ordering::SeqCst);
    std::thread::scope(|scope| {
        scope.spawn(|| open(&strand, &gated, MANY_DIMENSIONS));
        reach.recv_timeout(PATIENCE).unwrap();
        assert_eq!(found(&strand, "text 7"), 1);
        writer.commit(vec![store(VECTORS)]).unwrap();
        assert_eq!(found(&strand, &format!("text {VECTORS}")), 1);
        tell.send(()).unwrap();
    });
    assert!(
        !gate.was_late.load(Ordering::SeqCst),
        "the search or the write waited for the vectors"
    );
    let spaces = strand.spaces();
    let space = spaces.answering.as_ref().unwrap();
    assert_eq!(space.index.len(), VECTORS as usize);
    let waiting = space.pending.iter().copied().collect::<Vec<_>>();
    assert_eq!(waiting, [VECTORS], "what was stored meanwhile");
}
