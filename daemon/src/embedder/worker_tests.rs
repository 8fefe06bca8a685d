#![allow(clippy::unwrap_used)]
use std::sync::atomic::AtomicUsize;

use helix_engine::model::{Actor, Draft, Kinds, Origin, Scope, Timestamp};
use helix_engine::policy::admit::admit;
use helix_engine::store::MemoryStorage;
use helix_engine::strand::Request;

use super::*;

const MODEL: &str = "stand-in";

fn store(text: &str) -> Request {
    let draft = Draft {
        topic: "log".into(),
        text: text.into(),
        ..Draft::default()
    };
    let admitted = Box::new(admit(draft, &Scope::Global, &Kinds::default()).unwrap());
    Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted,
        links: Vec::new(),
        stamps: None,
        force: true,
        replaces: Vec::new(),
        entropy: [7; 10],
        actor: Actor {
            origin: Origin::Agent,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        },
        at: Timestamp::from_micros(1),
    }
}

/// A daemon's embedder whose model is a stand-in, with so many texts that wait.
fn worker(waiting: usize) -> (Worker, EmbedderHandle) {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    for at in 0..waiting {
        writer
            .commit(vec![store(&format!(
                "memory {at}: {}",
                "word ".repeat(at * 7)
            ))])
            .unwrap();
    }
    strand.open_space(&MemoryStorage, MODEL, 2).unwrap();
    let (sender, messages) = sync_channel(QUERIES_MAX);
    let shared = Arc::new(Shared::new(State::Ready(MODEL.to_owned())));
    let handle = EmbedderHandle {
        messages: Some(sender),
        shared: Arc::clone(&shared),
    };
    let worker = Worker {
        strand,
        storage: Box::new(MemoryStorage),
        models: PathBuf::new(),
        threads: 1,
        shared,
        messages,
    };
    (worker, handle)
}

/// Answers at once, and writes down what it was asked.
#[derive(Default)]
struct StandIn {
    /// Asks while this batch is at work, counted from 1.
    asks_at: usize,
    handle: Option<EmbedderHandle>,
    asking: Option<Box<dyn std::any::Any>>,
    was_interrupted: Arc<AtomicBool>,
    batches: usize,
    queries: Arc<AtomicUsize>,
    log: Arc<Mutex<Vec<String>>>,
}

impl StandIn {
    fn note(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    /// Asks as a search would, and does not wait.
    fn ask(&mut self) {
        let handle = self.handle.clone().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let _entered = runtime.enter();
        // The first poll sends it.
        let asking = async move { handle.embed("a question", Duration::from_mins(1)).await };
        let mut asking = tokio_test::task::spawn(asking);
        assert!(asking.poll().is_pending());
        // Who gave up would not be answered.
        self.asking = Some(Box::new(asking));
    }
}

impl Embed for StandIn {
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        if texts == ["a question"] {
            self.queries.fetch_add(1, Ordering::Relaxed);
            self.note("query".to_owned());
        } else {
            self.note(format!("whole batch of {}", texts.len()));
        }
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }

    fn embed_unless_interrupted(
        &mut self,
        texts: &[&str],
    ) -> Result<Option<Vec<Vec<f32>>>, ModelError> {
        self.batches += 1;
        let widest = texts.iter().map(|text| text.len()).max().unwrap();
        assert!(
            texts.len() == 1 || texts.len() * (widest / TOKEN_BYTES) <= BATCH_TOKENS_MAX,
            "{} texts",
            texts.len()
        );
        if self.batches == self.asks_at {
            self.ask();
        }
        if self.was_interrupted.swap(false, Ordering::Relaxed) {
            self.note(format!("interrupted batch of {}", texts.len()));
            return Ok(None);
        }
        self.note(format!("batch of {}", texts.len()));
        Ok(Some(texts.iter().map(|_| vec![0.0, 1.0]).collect()))
    }

    fn rest(&mut self) -> Result<(), ModelError> {
        // Nothing waits any more: lets go of the queue, which ends the thread.
        (self.handle, self.asking) = (None, None);
        Ok(())
    }
}

#[test]
fn a_query_interrupts_what_waits_and_goes_first() {
    let (worker, handle) = worker(40);
    let was_interrupted = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&was_interrupted);
    assert!(
        handle
            .shared
            .interrupt
            .set(Arc::new(move || flag.store(true, Ordering::Relaxed)))
            .is_ok()
    );
    let log = Arc::<Mutex<Vec<String>>>::default();
    let mut model = StandIn {
        asks_at: 3,
        handle: Some(handle),
        was_interrupted,
        log: Arc::clone(&log),
        ..StandIn::default()
    };
    worker.serve(&mut model);
    let log = log.lock().unwrap();
    let at = log
        .iter()
        .position(|line| line.starts_with("interrupted"))
        .unwrap();
    assert_eq!(log.get(at + 1).unwrap(), "query", "{log:?}");
    // What was interrupted is done next, whatever comes.
    assert_eq!(
        log.get(at + 2).unwrap(),
        &log.get(at).unwrap().replace("interrupted", "whole"),
        "{log:?}"
    );
    assert!(
        worker.strand.pending_vectors(1).unwrap().is_empty(),
        "all were made"
    );
}

#[tokio::test]
async fn a_query_that_was_asked_before_costs_nothing() {
    let (worker, handle) = worker(0);
    let queries = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&queries);
    let thread = thread::spawn(move || {
        worker.serve(&mut StandIn {
            queries: counted,
            ..StandIn::default()
        });
    });
    let deadline = Duration::from_mins(1);
    let first = handle.embed("a question", deadline).await.unwrap();
    assert_eq!(handle.embed("a question", deadline).await.unwrap(), first);
    assert_eq!(queries.load(Ordering::Relaxed), 1);
    // Another model's vector of it is another one.
    assert_ne!(query_key("one", "text"), query_key("onet", "ext"));
    drop(handle);
    thread.join().unwrap();
}

#[test]
fn batches_are_small() {
    let pending = |bytes: usize| Pending {
        number: MemoryNumber(0),
        text_hash: 0,
        text: "x".repeat(bytes),
    };
    let mut work = Work::default();
    work.take_on(
        [10_000, 60, 60, 300, 60, 300, 900, 400]
            .map(pending)
            .to_vec(),
    );
    let mut sizes = Vec::new();
    while !work.waiting.is_empty() {
        sizes.push(
            work.next_batch()
                .iter()
                .map(|waiting| waiting.text.len())
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(
        sizes,
        [
            vec![60, 60, 60],
            vec![300, 300],
            vec![400],
            vec![900],
            vec![10_000]
        ]
    );
}
