//! What a search says of itself: why a memory is missing, what made a score, what fits into a
//! budget, and that nothing of it depends on how the indexes came to be.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::time::Duration;

use helix_proto::v1::{
    self, EmbedderState, ExamineReply, ExamineRequest, Explanation, ForgetRequest, Program,
    ReindexRequest, SearchReply, SearchRequest, WhyNot,
};
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Project, Rpc};

/// How long the model may take to load and to embed a few texts, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(2);

/// How far a score may be from what its parts multiply to: the last places of a 32-bit number.
const ROUNDED: f32 = 1e-5;

/// Facts that share words.
const FACTS: [(&str, &str); 8] = [
    (
        "import",
        "The nightly import reads the ledger before the warehouse opens.",
    ),
    ("ledger", "The ledger is closed on the last day of a month."),
    (
        "warehouse",
        "Orders that reach the warehouse after five leave the next day.",
    ),
    (
        "certificates",
        "The certificate of the import expires in May; renew it with the script in ops.",
    ),
    (
        "people",
        "Svetlana answers for the ledger and for payments.",
    ),
    (
        "deploys",
        "Deploys stop on Fridays, except for security fixes.",
    ),
    (
        "tests",
        "The tests of the import take a ledger of three months.",
    ),
    ("style", "Amounts are kept in cents, as whole numbers."),
];

const QUESTIONS: [&str; 5] = [
    "ledger",
    "who is responsible for the ledger",
    "import certificate expired",
    "when does the warehouse close",
    "how are amounts of money kept",
];

struct World {
    home: Home,
    daemon: Daemon,
    rpc: Rpc,
    project: Project,
}

impl World {
    fn new() -> Self {
        Self::at(Home::new().unwrap())
    }

    fn at(home: Home) -> Self {
        let daemon = Daemon::start(&home).unwrap();
        let rpc = Rpc::connect(&home).unwrap();
        let project = Project::new(&home, "shop").unwrap();
        Self {
            home,
            daemon,
            rpc,
            project,
        }
    }

    fn store(&mut self, topic: &str, text: &str) -> String {
        let draft = draft(topic, text, "");
        let stored = self.rpc.store(Program::Ctl, &self.project.root, draft);
        stored.unwrap().handle
    }

    fn store_facts(&mut self) {
        for (topic, text) in FACTS {
            self.store(topic, text);
        }
    }

    fn caller(&self) -> v1::Caller {
        helix_client::caller(Program::Ctl, &self.project.root, "tests", "")
    }

    fn search(&mut self, request: SearchRequest) -> SearchReply {
        let request = SearchRequest {
            caller: Some(self.caller()),
            passive: true,
            ..request
        };
        let found = self.rpc.call(async |rpc| rpc.search(request.clone()).await);
        found.unwrap()
    }

    fn why_not(&mut self, query: &str, handle: &str) -> WhyNot {
        let request = SearchRequest {
            query: query.to_owned(),
            why_not: handle.to_owned(),
            ..SearchRequest::default()
        };
        self.search(request).why_not.unwrap()
    }

    fn examine(&mut self) -> ExamineReply {
        let request = ExamineRequest { below: 0 };
        self.rpc
            .call(async |rpc| rpc.examine(request).await)
            .unwrap()
    }

    fn await_vectors(&mut self) {
        let rpc = &mut self.rpc;
        let done = within(EMBED_DEADLINE, || {
            let embedder = rpc.status()?.embedder.unwrap_or_default();
            let is_done = embedder.state() == EmbedderState::Ready && embedder.pending == 0;
            Ok(is_done.then_some(()))
        });
        done.unwrap();
    }

    fn restart(self, between: impl FnOnce(&Home)) -> Self {
        let Self {
            home,
            daemon,
            rpc,
            project,
        } = self;
        drop(rpc);
        daemon.stop().unwrap();
        between(&home);
        let daemon = Daemon::start(&home).unwrap();
        let rpc = Rpc::connect(&home).unwrap();
        Self {
            home,
            daemon,
            rpc,
            project,
        }
    }

    /// The handles and scores that every question finds.
    fn answers(&mut self) -> Vec<(String, f32)> {
        let mut answers = Vec::new();
        for query in QUESTIONS {
            let request = SearchRequest {
                query: query.to_owned(),
                ..SearchRequest::default()
            };
            for hit in self.search(request).hits {
                answers.push((hit.memory.unwrap().handle, hit.score));
            }
        }
        assert!(!answers.is_empty());
        answers
    }
}

#[test]
fn each_cut_says_that_it_was_the_one() {
    let mut world = World::new();
    world.store_facts();
    let forgotten = world.store("old", "The ledger was kept in Berlin.");
    let request = ForgetRequest {
        caller: Some(world.caller()),
        reference: forgotten.clone(),
    };
    let forget = world
        .rpc
        .call(async |rpc| rpc.forget(request.clone()).await);
    assert!(forget.unwrap().forgotten.is_some());
    let ledger = world.store("books", "The ledger has twelve columns.");
    let cases = [
        ("ledger", &forgotten, "status", "it is forgotten"),
        (
            "ledger scope:global",
            &ledger,
            "scope",
            "it belongs to project:",
        ),
        (
            "ledger topic:people",
            &ledger,
            "topic",
            "its topic is books",
        ),
        (
            "ledger kind:decision",
            &ledger,
            "kind",
            "only decision is searched",
        ),
        ("ledger tag:ci", &ledger, "tag", "it lacks the tag ci"),
        ("ledger source:a.rs", &ledger, "source", "it names no file"),
        ("ledger before:2020-01-01", &ledger, "before", "it is newer"),
        (
            "ledger \"closed on\"",
            &ledger,
            "demand",
            "it lacks a phrase",
        ),
        ("kangaroo", &ledger, "far", "it has none of the words"),
        (
            "ledger columns",
            &ledger,
            "found",
            "it is found, in place 1",
        ),
    ];
    for (query, handle, reason, why) in cases {
        let told = world.why_not(query, handle);
        assert_eq!(told.reason, reason, "{query}: {told:?}");
        assert!(told.why.contains(why), "{query}: {told:?}");
        assert_eq!(told.place > 0, reason == "found", "{query}");
        assert_eq!(told.advice.is_empty(), reason == "found", "{query}");
        assert_eq!(&told.memory.unwrap().handle, handle);
    }
}

#[test]
fn what_is_behind_the_last_hit_says_how_far() {
    let mut world = World::new();
    for topic in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"] {
        world.store(topic, &format!("The walrus of {topic} rests."));
    }
    let last = world.store(
        "crowd",
        "A walrus among many other words that make it rank far behind all that say little else.",
    );
    let told = world.why_not("walrus", &last);
    assert_eq!(told.reason, "rank");
    let expected = "it comes in place 12, and 10 are shown; its score is";
    assert!(told.why.starts_with(expected), "{told:?}");
    assert_eq!(told.words.unwrap().rank, 12);
    let found = world.search(SearchRequest {
        query: "walrus".to_owned(),
        limit: 12,
        ..SearchRequest::default()
    });
    assert_eq!(
        found.hits.last().unwrap().memory.as_ref().unwrap().handle,
        last
    );
}

#[test]
fn a_repetition_names_what_it_repeats() {
    let mut world = World::new();
    world.store("one", "The walrus rests on the ice all day long.");
    world.store("two", "Walrus.");
    let again = world.store("three", "The walrus rests on the ice, all day long!");
    let request = SearchRequest {
        query: "walrus".to_owned(),
        limit: 2,
        why_not: again,
        ..SearchRequest::default()
    };
    let told = world.search(request).why_not.unwrap();
    assert_eq!(told.reason, "repeats", "{told:?}");
    assert!(told.why.contains("one/"), "{told:?}");
}

#[test]
fn a_budget_shows_each_text_once_and_the_sentences_around_the_words() {
    let mut world = World::new();
    let filler = "Nothing of this is about what was asked for. ".repeat(20);
    let long = format!("{filler}The certificate of the import expires in May. {filler}");
    world.store("long", &long);
    world.store("short", "The import certificate is kept in the vault.");
    world.store("again", "The import certificate is kept in the vault!");
    let request = SearchRequest {
        query: "import certificate".to_owned(),
        budget_tokens: 150,
        ..SearchRequest::default()
    };
    let found = world.search(request.clone());
    assert_eq!(found.hits.len(), 2, "{found:?}");
    let chars: usize = found
        .hits
        .iter()
        .map(|hit| hit.memory.as_ref().unwrap().text.chars().count())
        .sum();
    assert!(chars <= 600, "{chars}");
    let cut: Vec<&v1::Hit> = found.hits.iter().filter(|hit| hit.is_cut).collect();
    assert_eq!(cut.len(), 1);
    let text = &cut[0].memory.as_ref().unwrap().text;
    assert!(
        text.contains("The certificate of the import expires in May."),
        "{text}"
    );
    let copies: Vec<u32> = found.hits.iter().map(|hit| hit.copies).collect();
    assert_eq!(copies.iter().sum::<u32>(), 1, "{found:?}");
    let named = found.hits.iter().flat_map(|hit| &hit.also_in);
    assert_eq!(named.count(), 1, "{found:?}");
    assert!(
        !found.notes.iter().any(|said| said.contains("found:")),
        "{:?}",
        found.notes
    );
    let wide = SearchRequest {
        budget_tokens: 5_000,
        ..request
    };
    assert!(world.search(wide).hits.iter().all(|hit| !hit.is_cut));
}

/// Checks that the parts of each score multiply to it.
fn check_products(world: &mut World) {
    let mut explained = 0;
    for query in QUESTIONS {
        let request = SearchRequest {
            query: query.to_owned(),
            explain: true,
            limit: 50,
            ..SearchRequest::default()
        };
        for hit in world.search(request).hits {
            let Explanation {
                fused,
                confidence_factor,
                recency_factor,
                importance_factor,
                scope_factor,
                branch_factor,
                diversity_factor,
                ..
            } = hit.explanation.unwrap();
            let factors = confidence_factor * recency_factor * importance_factor * scope_factor;
            let product = fused * factors * branch_factor * diversity_factor;
            assert!(
                (product - hit.score).abs() < ROUNDED,
                "{product} {}",
                hit.score
            );
            explained += 1;
        }
    }
    assert!(explained > QUESTIONS.len());
}

/// Checks that answers are the same, scores up to what the time between them makes of an age.
fn check_equal(before: &[(String, f32)], after: &[(String, f32)]) {
    assert_eq!(before.len(), after.len());
    for ((handle, score), (other, again)) in before.iter().zip(after) {
        assert_eq!(handle, other);
        assert!((score - again).abs() < ROUNDED, "{handle}: {score} {again}");
    }
}

/// Checks that a restart, a reindex and lost indexes change no answer.
fn check_rebuilds(mut world: World, has_meaning: bool) {
    world.store_facts();
    if has_meaning {
        world.await_vectors();
    }
    check_products(&mut world);
    let before = world.answers();
    let mut world = world.restart(|_| {});
    if has_meaning {
        world.await_vectors();
    }
    check_equal(&before, &world.answers());
    let reindexed = world
        .rpc
        .call(async |rpc| rpc.reindex(ReindexRequest {}).await);
    assert_eq!(reindexed.unwrap().memories, FACTS.len() as u64);
    if has_meaning {
        world.await_vectors();
    }
    check_equal(&before, &world.answers());
    let mut world = world.restart(|home| {
        let strand = home.paths.home.join("strands/default");
        fs::remove_dir_all(strand.join("index")).unwrap();
        if has_meaning {
            fs::remove_file(strand.join("vectors.redb")).unwrap();
        }
    });
    if has_meaning {
        world.await_vectors();
    }
    check_equal(&before, &world.answers());
}

#[test]
fn answers_by_words_survive_restarts_and_rebuilds() {
    check_rebuilds(World::new(), false);
}

#[test]
fn answers_by_meaning_survive_restarts_and_rebuilds() {
    let Some(home) = Home::with_embedder().unwrap() else {
        eprintln!("HELIX_MODEL_DIR names no installed model: nothing was tested");
        return;
    };
    check_rebuilds(World::at(home), true);
}

#[test]
fn every_memory_is_asked_for_and_what_is_lost_is_named() {
    let mut world = World::new();
    world.store_facts();
    let short = world.store("short", "Walrus.");
    let whole = world.examine();
    assert_eq!((whole.asked, whole.without_question), (8, 1), "{short}");
    assert_eq!((whole.total, whole.next), (9, 0));
    assert!(whole.lost.is_empty(), "{whole:?}");
    assert!(!whole.by_meaning);
    for number in 0..12 {
        let topic = format!("copy-{number}");
        world.store(&topic, "Tapirs swim across the river at dusk.");
    }
    let copies = world.examine();
    assert!(copies.lost.is_empty(), "a hit stands for them: {copies:?}");
    // The same words, twelve orders.
    for number in 0..12 {
        let mut words = vec!["okapis", "graze", "behind", "tall", "ferns"];
        words.rotate_left(number % 4);
        let last = words.pop().unwrap();
        words.insert(number / 4, last);
        world.store(&format!("order-{number}"), &words.join(" "));
    }
    let lost = world.examine().lost;
    assert_eq!(lost.len(), 2, "{lost:?}");
    for memory in &lost {
        assert!(memory.handle.starts_with("order-"), "{memory:?}");
        assert!(memory.place > 10, "{memory:?}");
        assert_eq!(memory.why, format!("place {}", memory.place));
    }
}
