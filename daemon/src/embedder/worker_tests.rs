#![allow(clippy::unwrap_used)]
use std::sync::atomic::AtomicUsize;

use helix_engine::{DirectoryStorage, MemoryStorage, Request};
use helix_memory::{Actor, Admitted, Draft, Kinds, Origin, Scope, Timestamp};

use super::super::load::Described;
use super::super::work::Work;
use super::*;

const MODEL: &str = "stand-in";

fn store(text: &str) -> Request {
    let draft = Draft {
        topic: "log".into(),
        text: text.into(),
        ..Draft::default()
    };
    let admitted = Box::new(Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap());
    Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted,
        links: Vec::new(),
        stamps: None,
        force: true,
        corrects: Vec::new(),
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
fn worker(waiting: usize) -> (Worker<Shelf>, EmbedderHandle) {
    let choice = Choice::of(std::path::Path::new("/nowhere"));
    let (worker, handle) = worker_on(Box::new(MemoryStorage), choice, waiting);
    worker
        .strand
        .open_space(&MemoryStorage, SpaceRole::Answering, MODEL, 2)
        .unwrap();
    (worker, handle)
}

/// The same on some storage, before anything is loaded; its texts are stored once.
fn worker_on(
    storage: Box<dyn Storage>,
    choice: Choice,
    waiting: usize,
) -> (Worker<Shelf>, EmbedderHandle) {
    let (strand, mut writer, _) = Strand::open(storage.as_ref(), None, Kinds::default()).unwrap();
    let known = strand.catalog().extent();
    for at in known..waiting {
        writer
            .commit(vec![store(&format!(
                "memory {at}: {}",
                "word ".repeat(at * 7)
            ))])
            .unwrap();
    }
    let (sender, messages) = sync_channel(QUERIES_MAX);
    let shared = Arc::new(Shared::new(State::Ready(MODEL.to_owned())));
    let handle = EmbedderHandle {
        messages: Some(sender),
        shared: Arc::clone(&shared),
    };
    let worker = Worker {
        strand,
        storage,
        loader: Shelf,
        choice,
        shared,
        messages,
    };
    (worker, handle)
}

/// Two models, and one that cannot be loaded.
struct Shelf;

impl Load for Shelf {
    type Model = StandIn;

    fn all(&self) -> Vec<Described> {
        ["one", "other"].map(described).to_vec()
    }

    fn describe(&self, folder: &str) -> Result<Described, State> {
        match folder {
            "one" | "other" | "broken" => Ok(described(folder)),
            _ => Err(State::Failed(format!("{folder} is not there"))),
        }
    }

    fn load(&self, described: &Described) -> Result<StandIn, State> {
        if described.folder == "broken" {
            return Err(State::Failed(
                "the self-test gave no sound vector".to_owned(),
            ));
        }
        Ok(StandIn::default())
    }
}

fn described(folder: &str) -> Described {
    Described {
        folder: folder.to_owned(),
        id: format!("{folder}@1"),
        dimensions: 2,
    }
}

fn answering(model: StandIn) -> Models<StandIn> {
    Models {
        answering: Some(Loaded {
            model,
            id: MODEL.to_owned(),
            work: Work::default(),
        }),
        next: None,
    }
}

/// Answers at once, and writes down what it was asked.
#[derive(Default)]
struct StandIn {
    /// Asks while this run is under way, counted from 1.
    asks_at: usize,
    handle: Option<EmbedderHandle>,
    asking: Option<Box<dyn std::any::Any>>,
    was_interrupted: Arc<AtomicBool>,
    runs: usize,
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
    fn embed_query(&mut self, _: &str) -> Result<TextVectors, ModelError> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.note("query".to_owned());
        Ok(vec![1.0, 0.0].into())
    }

    fn embed(&mut self, text: &str) -> Result<TextVectors, ModelError> {
        self.note(format!("whole {text}"));
        Ok(vec![1.0, 0.0].into())
    }

    fn embed_unless_interrupted(&mut self, text: &str) -> Result<Option<TextVectors>, ModelError> {
        self.runs += 1;
        if self.runs == self.asks_at {
            self.ask();
        }
        if self.was_interrupted.swap(false, Ordering::Relaxed) {
            self.note(format!("interrupted {text}"));
            return Ok(None);
        }
        self.note(format!("bulk {text}"));
        Ok(Some(vec![0.0, 1.0].into()))
    }

    fn rest(&mut self) -> Result<(), ModelError> {
        // Nothing waits any more: lets go of the queue, which ends the thread.
        (self.handle, self.asking) = (None, None);
        Ok(())
    }

    fn interrupt(&self) -> Interrupt {
        let flag = Arc::clone(&self.was_interrupted);
        Arc::new(move || flag.store(true, Ordering::Relaxed))
    }
}

#[test]
fn a_query_interrupts_what_waits_and_goes_first() {
    let (worker, handle) = worker(40);
    let was_interrupted = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&was_interrupted);
    let interrupt: Interrupt = Arc::new(move || flag.store(true, Ordering::Relaxed));
    handle.shared.interrupts.lock().unwrap().push(interrupt);
    let log = Arc::<Mutex<Vec<String>>>::default();
    let model = StandIn {
        asks_at: 3,
        handle: Some(handle),
        was_interrupted,
        log: Arc::clone(&log),
        ..StandIn::default()
    };
    worker.serve(&mut answering(model));
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
        worker
            .strand
            .pending_vectors(SpaceRole::Answering, 1)
            .unwrap()
            .is_empty(),
        "all were made"
    );
}

#[tokio::test]
async fn a_query_that_was_asked_before_costs_nothing() {
    let (worker, handle) = worker(0);
    let queries = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&queries);
    let thread = thread::spawn(move || {
        worker.serve(&mut answering(StandIn {
            queries: counted,
            ..StandIn::default()
        }));
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

/// A home with a strand, for daemons that come one after the other.
struct House {
    directory: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn choice(&self) -> Choice {
        Choice::of(self.directory.path())
    }

    /// A daemon's embedder as it starts, with so many texts in its strand.
    fn daemon(&self, texts: usize) -> (Worker<Shelf>, Models<StandIn>) {
        let storage = DirectoryStorage::new(self.directory.path().to_owned());
        let (worker, _) = worker_on(Box::new(storage), self.choice(), texts);
        let models = start(&worker);
        (worker, models)
    }
}

/// The models that answer and are to answer.
fn names(models: &Models<StandIn>) -> (Option<&str>, Option<&str>) {
    (name(models.answering.as_ref()), name(models.next.as_ref()))
}

fn name(loaded: Option<&Loaded<StandIn>>) -> Option<&str> {
    loaded?.id.strip_suffix("@1")
}

fn vectors(worker: &Worker<Shelf>, role: SpaceRole) -> (usize, usize) {
    let status = worker
        .strand
        .meaning_status(role, helix_memory::Sequence::default());
    (status.vectors, status.pending)
}

fn work_off_all(worker: &Worker<Shelf>, models: &mut Models<StandIn>) {
    while worker.work_off_one(models) {}
}

#[test]
fn the_model_before_answers_until_the_next_one_has_its_vectors() {
    let house = House::new();
    house.choice().write("one").unwrap();
    let (worker, mut models) = house.daemon(9);
    assert_eq!(names(&models), (Some("one"), None));
    work_off_all(&worker, &mut models);
    assert_eq!(vectors(&worker, SpaceRole::Answering), (9, 0));

    choose(&worker, &mut models, "other").unwrap();
    assert_eq!(names(&models), (Some("one"), Some("other")));
    assert_eq!(vectors(&worker, SpaceRole::Answering), (9, 0));
    assert_eq!(vectors(&worker, SpaceRole::Next), (0, 9));
    work_off_all(&worker, &mut models);
    assert_eq!(names(&models), (Some("other"), None));
    assert_eq!(vectors(&worker, SpaceRole::Answering), (9, 0));
    assert_eq!(vectors(&worker, SpaceRole::Next), (0, 0));
    drop((worker, models));

    let (worker, models) = house.daemon(9);
    assert_eq!(names(&models), (Some("other"), None));
    assert_eq!(vectors(&worker, SpaceRole::Answering), (9, 0));
}

#[test]
fn a_daemon_that_ended_in_the_middle_goes_on_where_it_was() {
    let house = House::new();
    house.choice().write("one").unwrap();
    let (worker, mut models) = house.daemon(60);
    work_off_all(&worker, &mut models);
    choose(&worker, &mut models, "other").unwrap();
    while vectors(&worker, SpaceRole::Next).0 == 0 {
        assert!(worker.work_off_one(&mut models));
    }
    let (made, pending) = vectors(&worker, SpaceRole::Next);
    assert!(pending > 0, "{made} were made at once");
    drop((worker, models));

    let (worker, mut models) = house.daemon(60);
    assert_eq!(names(&models), (Some("one"), Some("other")));
    assert_eq!(vectors(&worker, SpaceRole::Answering), (60, 0));
    assert_eq!(vectors(&worker, SpaceRole::Next), (made, pending));
    work_off_all(&worker, &mut models);
    assert_eq!(names(&models), (Some("other"), None));
    assert_eq!(vectors(&worker, SpaceRole::Answering), (60, 0));
}

#[test]
fn a_model_that_cannot_be_used_changes_nothing() {
    let house = House::new();
    house.choice().write("one").unwrap();
    let (worker, mut models) = house.daemon(3);
    work_off_all(&worker, &mut models);
    for (folder, said) in [("broken", "self-test"), ("absent", "is not there")] {
        let refused = choose(&worker, &mut models, folder).unwrap_err();
        assert!(refused.contains(said), "{refused}");
        assert_eq!(house.choice().read().as_deref(), Some("one"));
        assert_eq!(names(&models), (Some("one"), None));
    }
}

#[test]
fn a_chosen_model_that_is_gone_leaves_the_one_before() {
    let house = House::new();
    house.choice().write("one").unwrap();
    let (worker, mut models) = house.daemon(3);
    work_off_all(&worker, &mut models);
    drop((worker, models));
    for folder in ["absent", "broken"] {
        house.choice().write(folder).unwrap();
        let (worker, models) = house.daemon(3);
        assert_eq!(names(&models), (Some("one"), None));
        assert_eq!(vectors(&worker, SpaceRole::Answering), (3, 0));
    }
}

#[test]
fn choosing_the_model_that_answers_ends_the_other_ones_work() {
    let house = House::new();
    house.choice().write("one").unwrap();
    let (worker, mut models) = house.daemon(3);
    work_off_all(&worker, &mut models);
    choose(&worker, &mut models, "other").unwrap();
    choose(&worker, &mut models, "one").unwrap();
    assert_eq!(names(&models), (Some("one"), None));
    assert_eq!(vectors(&worker, SpaceRole::Next), (0, 0));
    assert_eq!(house.choice().read().as_deref(), Some("one"));
}

#[test]
fn what_waits_rests_between_queries_but_not_for_ever() {
    let start = Instant::now();
    let mut lull = Lull::new(start);
    assert_eq!(lull.left(start), Duration::ZERO, "nobody asked");
    lull.asked(start);
    assert_eq!(lull.left(start + LULL / 2), LULL / 2);
    assert_eq!(lull.left(start + LULL), Duration::ZERO);
    // Queries without end.
    lull.asked(start + LULL_MAX);
    assert_eq!(lull.left(start + LULL_MAX), Duration::ZERO);
    lull.worked(start + LULL_MAX);
    assert_eq!(lull.left(start + LULL_MAX), LULL);
}
