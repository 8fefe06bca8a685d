#![allow(clippy::unwrap_used)]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use helix_memory::{Actor, Admitted, Draft, Kinds, Origin, Scope, Timestamp};

use super::*;
use crate::store::DirectoryStorage;
use crate::strand::{Request, StrandWriter};

/// Enough that reading them takes longer than anything else.
const VECTORS: u32 = 12_000;

const DIMENSIONS: usize = 384;

fn stored(strand: &Strand, writer: &mut StrandWriter) {
    let one = |number: u32| {
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
    };
    writer.commit((0..VECTORS).map(one).collect()).unwrap();
    let pending = strand
        .pending_vectors(Role::Answering, VECTORS as usize)
        .unwrap();
    let vectors: Vec<_> = pending
        .iter()
        .map(|one| (one.number, one.text_hash, vec![0.5; DIMENSIONS].into()))
        .collect();
    strand.put_vectors(Role::Answering, &vectors).unwrap();
}

fn open(strand: &Strand, storage: &DirectoryStorage) {
    strand
        .open_space(storage, Role::Answering, "model", DIMENSIONS)
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
        open(strand, storage);
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
    open(&strand, &storage);
    stored(&strand, &mut writer);
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
