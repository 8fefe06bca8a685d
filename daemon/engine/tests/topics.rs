//! Listings, counts, pages and references between topics, as readers see them.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{at, edit, store};
use helix_engine::{
    Cursor, Filter, HitPlace as Place, MemoryStorage, Mode, Outcome, Request, Retriever, Search,
    Since, Stamps, Strand, StrandWriter, TopicEdge, Vantage,
};
use helix_memory::{Edit, Kinds, MemoryNumber, NoSources, Scope, Timestamp, TopicPattern, WordSet};
use proptest::prelude::*;

const GLOBAL: [Scope; 1] = [Scope::Global];

/// All of a test's time.
const EVER: Since = Since {
    after: Timestamp::from_micros(0),
    now: Timestamp::from_micros(i64::MAX),
};

/// A strand in memory and a clock that ticks with every request.
struct World {
    strand: Arc<Strand>,
    writer: StrandWriter,
    tick: u64,
}

impl World {
    fn new() -> Self {
        let (strand, writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
        Self {
            strand,
            writer,
            tick: 0,
        }
    }

    fn run(&mut self, request: Request) -> Outcome {
        self.writer
            .commit(vec![request])
            .unwrap()
            .remove(0)
            .unwrap()
    }

    fn request(&mut self, topic: &str, text: &str) -> Request {
        self.tick += 1;
        let mut entropy = [0; 10];
        entropy[..8].copy_from_slice(&self.tick.to_le_bytes());
        store(topic, text, false, entropy, at(self.tick))
    }

    fn store(&mut self, topic: &str, text: &str) -> MemoryNumber {
        self.store_linked(topic, text, &[])
    }

    fn store_linked(&mut self, topic: &str, text: &str, to: &[MemoryNumber]) -> MemoryNumber {
        let mut request = self.request(topic, text);
        if let Request::Store { links, .. } = &mut request {
            links.extend(
                self.strand
                    .memories(to)
                    .unwrap()
                    .iter()
                    .map(|memory| memory.id),
            );
        }
        match self.run(request) {
            Outcome::Stored(memory) | Outcome::Reinforced(memory) => memory.number,
            Outcome::Edited(_) | Outcome::Done => unreachable!("not stored"),
        }
    }

    fn forget(&mut self, number: MemoryNumber) {
        self.tick += 1;
        let request = edit(number.0, Edit::Forget, at(self.tick));
        self.run(request);
    }

    fn search(&self, words: &str, limit: usize) -> Search {
        Search {
            words: words.to_owned(),
            vector: None,
            filter: Filter {
                scopes: GLOBAL.to_vec(),
                ..Filter::default()
            },
            limit,
            mode: Mode::Auto,
            retriever: Retriever::Words,
            now: at(self.tick + 1),
            vantage: Vantage::default(),
        }
    }

    fn found(&self, search: &Search, offset: usize) -> Vec<u32> {
        let page = self
            .strand
            .search_page(search, Place::at(offset), &NoSources)
            .unwrap();
        page.hits.iter().map(|hit| hit.memory.number.0).collect()
    }

    /// Turns pages until there are no more.
    fn paged(&self, search: &Search) -> Vec<u32> {
        let (mut all, mut place) = (Vec::new(), Place::default());
        loop {
            let page = self.strand.search_page(search, place, &NoSources).unwrap();
            all.extend(page.hits.iter().map(|hit| hit.memory.number.0));
            assert!(
                !page.has_more || page.hits.len() == search.limit,
                "a page with more behind it is full"
            );
            assert!(!page.has_moved, "nothing has changed");
            if !page.has_more {
                return all;
            }
            place = page.next;
        }
    }
}

/// Memories of one form, each about a service of its own.
const ALIKE: u64 = 60;

#[test]
fn a_statement_about_the_same_service_is_found_among_many_of_its_form() {
    let mut world = World::new();
    let known = world.store("tools", "The billing web app is built with npm.");
    for service in 0..ALIKE {
        let text = format!("We switched the service{service} web app from npm to pnpm.");
        world.store("tools", &text);
    }
    let new = "We switched the billing web app from npm to pnpm.";
    let words = WordSet::of(new);
    let neighbours = world.strand.neighbours(new, &Scope::Global, &words);
    let mut numbers = neighbours.unwrap().into_iter();
    assert!(numbers.any(|number| number == known));
}

#[test]
fn topics_are_listed_with_their_dates() {
    let mut world = World::new();
    let first = world.store("build-gotchas", "link with arch arm64");
    world.store("iris-engine", "the engine keeps frames");
    world.store("build-gotchas", "clear the cache twice");
    let listed =
        |world: &World, pattern: Option<&str>| -> Vec<(String, usize, Timestamp, Timestamp)> {
            let pattern = pattern.map(|pattern| TopicPattern::parse(pattern).unwrap());
            let topics = world
                .strand
                .topics(&GLOBAL, pattern.as_ref())
                .unwrap()
                .into_iter();
            topics
                .map(|topic| {
                    (
                        topic.name,
                        topic.memories,
                        topic.first_recorded_at,
                        topic.last_changed_at,
                    )
                })
                .collect()
        };
    let (build, iris) = ("build-gotchas".to_owned(), "iris-engine".to_owned());
    assert_eq!(
        listed(&world, None),
        [
            (build.clone(), 2, at(1), at(3)),
            (iris.clone(), 1, at(2), at(2))
        ]
    );
    assert_eq!(
        listed(&world, Some("iris-*")),
        [(iris.clone(), 1, at(2), at(2))]
    );
    // What is stored again has changed, but was recorded when it was.
    world.store("iris-engine", "the engine keeps frames");
    assert_eq!(listed(&world, Some("iris-*")), [(iris, 1, at(2), at(4))]);
    world.forget(first);
    assert_eq!(listed(&world, Some("build*")), [(build, 1, at(3), at(3))]);
    assert!(
        world
            .strand
            .topics(&[Scope::Project("x".to_owned())], None)
            .unwrap()
            .is_empty()
    );
    assert_eq!(world.strand.topics(&[], None).unwrap().len(), 2);
}

#[test]
fn idle_topics_come_oldest_first() {
    let mut world = World::new();
    for topic in ["a", "b", "c"] {
        world.store(topic, &format!("about {topic}"));
    }
    world.store("a", "about a");
    let idle = |since| -> Vec<String> {
        world
            .strand
            .idle_topics(&GLOBAL, since)
            .unwrap()
            .into_iter()
            .map(|topic| topic.name)
            .collect()
    };
    assert_eq!(idle(at(4)), ["b", "c"]);
    assert_eq!(idle(at(3)), ["b"]);
    assert_eq!(idle(at(9)), ["b", "c", "a"]);
}

#[test]
fn topics_refer_by_name_and_by_link() {
    let mut world = World::new();
    let target = world.store("build-gotchas", "link with arch arm64; see build-gotchas");
    let named = world.store("ci", "Build Gotchas: clear the cache");
    let linked = world.store_linked("ci", "the runner is slow", &[target]);
    world.store_linked(
        "build-gotchas",
        "another of the same topic",
        &[target, linked],
    );
    let references = |world: &World, topic: &str| -> Vec<(u32, bool, bool)> {
        let found = world.strand.cross_references(topic, &GLOBAL).unwrap();
        found
            .iter()
            .map(|reference| (reference.number.0, reference.mentions, reference.links))
            .collect()
    };
    assert_eq!(
        references(&world, "build-gotchas"),
        [(linked.0, false, true), (named.0, true, false)]
    );
    assert_eq!(references(&world, "ci"), [(3, false, true)]);
    assert_eq!(references(&world, "no-such"), []);
    let edge = |from: &str, to: &str, mentions, links| TopicEdge {
        from: from.into(),
        to: to.into(),
        mentions,
        links,
    };
    let graph = world.strand.topic_graph(&GLOBAL, None).unwrap();
    assert_eq!(
        graph.edges,
        [
            edge("ci", "build-gotchas", 1, 1),
            edge("build-gotchas", "ci", 0, 1)
        ]
    );
    // What changes is seen at once, also what was kept.
    let both = world.store_linked("iris", "build gotchas, and ci", &[target]);
    assert_eq!(
        references(&world, "build-gotchas").first(),
        Some(&(both.0, true, true))
    );
    let focus = TopicPattern::parse("iri*").unwrap();
    let graph = world.strand.topic_graph(&GLOBAL, Some(&focus)).unwrap();
    assert_eq!(
        graph.edges,
        [
            edge("iris", "build-gotchas", 1, 1),
            edge("iris", "ci", 1, 0)
        ]
    );
    assert_eq!(graph.topics.len(), 3);
    world.forget(target);
    assert_eq!(
        references(&world, "build-gotchas"),
        [(both.0, true, false), (named.0, true, false)]
    );
}

#[test]
fn statistics_count_what_is_active() {
    let mut world = World::new();
    let first = world.store("a", "gotcha: one thing");
    world.store_linked("b", "gotcha: another thing", &[first]);
    let gone = world.store("b", "a third");
    world.forget(gone);
    let statistics = world.strand.statistics(&GLOBAL);
    assert_eq!(
        (statistics.memories, statistics.topics, statistics.links),
        (2, 2, 1)
    );
    assert_eq!(
        (statistics.first_recorded_at, statistics.last_recorded_at),
        (Some(at(1)), Some(at(2)))
    );
    let named = |counted: &[helix_engine::Counted]| -> Vec<String> {
        counted
            .iter()
            .map(|counted| format!("{} {}", counted.name, counted.count))
            .collect()
    };
    assert_eq!(named(&statistics.tags), ["gotcha 2"]);
    assert_eq!(named(&statistics.statuses), ["active 2", "forgotten 1"]);
    assert_eq!(named(&statistics.scopes), ["global 2"]);
    assert_eq!(named(&statistics.origins), ["agent 2"]);
}

#[test]
fn what_is_dated_in_the_future_is_not_the_newest_for_ever() {
    let mut world = World::new();
    let first = world.store("alpha", "a walrus");
    let far = Timestamp::from_micros(4_070_908_800_000_000);
    let mut request = world.request("alpha", "of another century");
    if let Request::Store {
        stamps, admitted, ..
    } = &mut request
    {
        admitted.valid_from = Some(far);
        *stamps = Some(Box::new(Stamps {
            recorded_at: Some(far),
            ..Stamps::default()
        }));
    }
    let Outcome::Stored(dated) = world.run(request) else {
        unreachable!("not stored")
    };
    assert_eq!(
        (dated.valid_from, dated.recorded_at),
        (far, far),
        "what is stored stays as it is"
    );
    let last = world.store("alpha", "a kestrel");
    let newest_first = [last, dated.number, first];
    let since = |after| Since {
        after,
        now: at(world.tick + 1),
    };
    assert_eq!(
        world.strand.recent(&GLOBAL, since(at(0)), 9).numbers,
        newest_first
    );
    assert_eq!(
        world.found(&world.search("", 9), 0),
        newest_first.map(|number| number.0)
    );
    // It counts as of now, however short the time that is asked for.
    assert_eq!(
        world
            .strand
            .recent(&GLOBAL, since(at(world.tick + 1)), 9)
            .numbers,
        [dated.number]
    );
}

#[test]
fn a_reindexed_strand_finds_the_same() {
    let mut world = World::new();
    let numbers: Vec<MemoryNumber> = (0..40)
        .map(|n| world.store(&format!("topic-{}", n % 5), &format!("walrus number {n}")))
        .collect();
    world.strand.lexical().flush().unwrap();
    world.forget(numbers[3]);
    world.store("topic-0", "a late walrus");
    // A topic that is asked for is not capped.
    let everything = |world: &World| -> BTreeSet<u32> {
        let topics = (0..5).map(|n| format!("topic-{n}")).collect();
        let search = world.search("walrus", 50);
        let search = Search {
            filter: Filter {
                topics,
                ..search.filter.clone()
            },
            ..search
        };
        world.found(&search, 0).into_iter().collect()
    };
    let before = everything(&world);
    assert_eq!(before.len(), 40);
    assert_eq!(
        world.strand.reindex(|| false).unwrap(),
        None,
        "nobody wants it"
    );
    let report = world.strand.reindex(|| true).unwrap().unwrap();
    assert_eq!(
        (report.memories, report.sequence),
        (40, world.writer.sequence())
    );
    assert_eq!(everything(&world), before);
    assert!(world.strand.verify_indexes().unwrap().is_empty());
    world.store("topic-0", "the last walrus");
    world.strand.lexical().flush().unwrap();
    assert!(world.strand.verify_indexes().unwrap().is_empty());
}

const TOPICS: [&str; 4] = ["alpha", "beta", "gamma", "beta-two"];
const WORDS: [&str; 5] = ["walrus", "kestrel", "tamarin", "ocelot", "axolotl"];

/// A memory to store: a topic, and which of the words it has.
fn drafts() -> impl Strategy<Value = Vec<(usize, BTreeSet<usize>)>> {
    let draft = (
        0..TOPICS.len(),
        prop::collection::btree_set(0..WORDS.len(), 1..WORDS.len()),
    );
    prop::collection::vec(draft, 1..60)
}

fn filled(drafts: &[(usize, BTreeSet<usize>)], flush_at: usize) -> World {
    let mut world = World::new();
    for (place, (topic, words)) in drafts.iter().enumerate() {
        let words: Vec<&str> = words.iter().map(|&word| WORDS[word]).collect();
        // Texts of different lengths, so that scores differ.
        world.store(
            TOPICS[*topic],
            &format!(
                "{} {}",
                words.join(" "),
                format!("n{place} ").repeat(place % 7 + 1)
            ),
        );
        if place == flush_at {
            world.strand.lexical().flush().unwrap();
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn all_counts_agree(drafts in drafts(), flush_at in 0_usize..60, wanted in prop::collection::btree_set(0..WORDS.len(), 1..3)) {
        let world = filled(&drafts, flush_at);
        let topics = world.strand.topics(&GLOBAL, None).unwrap();
        let statistics = world.strand.statistics(&GLOBAL);
        let everything = world.strand.count(&world.search("", 1)).unwrap();
        prop_assert_eq!(topics.iter().map(|topic| topic.memories).sum::<usize>(), drafts.len());
        prop_assert_eq!(statistics.memories, drafts.len() as u64);
        prop_assert_eq!(statistics.topics, topics.len() as u64);
        prop_assert_eq!(everything.total, drafts.len() as u64);
        prop_assert_eq!(world.strand.recent(&GLOBAL, EVER, 3).total, drafts.len());
        let listed: BTreeMap<&str, u64> = topics.iter().map(|topic| (topic.name.as_str(), topic.memories as u64)).collect();
        let counted: BTreeMap<&str, u64> =
            everything.topics.iter().map(|counted| (counted.name.as_str(), counted.count)).collect();
        prop_assert_eq!(counted, listed);

        let query: Vec<&str> = wanted.iter().map(|&word| WORDS[word]).collect();
        let counts = world.strand.count(&world.search(&query.join(" "), 1)).unwrap();
        let all = drafts.iter().filter(|(_, words)| wanted.is_subset(words)).count();
        let any = drafts.iter().filter(|(_, words)| !wanted.is_disjoint(words)).count();
        prop_assert_eq!(counts.fell_back_to_any, all == 0);
        let expected = if all > 0 { all } else { any };
        prop_assert_eq!(counts.total, expected as u64);
        prop_assert_eq!(counts.topics.iter().map(|counted| counted.count).sum::<u64>(), counts.total);
        prop_assert!(counts.topics.is_sorted_by(|a, b| a.count >= b.count));
    }

    #[test]
    fn pages_together_are_one_large_page(drafts in drafts(), flush_at in 0_usize..60, word in 0..WORDS.len(), limit in 1_usize..9) {
        let world = filled(&drafts, flush_at);
        for words in [WORDS[word], "walrus kestrel", ""] {
            for mode in [Mode::Auto, Mode::Any] {
                let large = Search { mode, ..world.search(words, 200) };
                let small = Search { limit, ..large.clone() };
                prop_assert_eq!(world.paged(&small), world.found(&large, 0), "{}", words);
            }
        }
        // Without words everything is listed, the newest first, however much one topic has.
        let newest: Vec<u32> = (0..u32::try_from(drafts.len()).unwrap()).rev().collect();
        prop_assert_eq!(world.paged(&world.search("", limit)), newest.clone());
        let recent = world.strand.recent(&GLOBAL, EVER, limit).numbers;
        prop_assert_eq!(recent.iter().map(|number| number.0).collect::<Vec<_>>(), &newest[..limit.min(newest.len())]);
    }

    #[test]
    fn what_is_kept_of_earlier_questions_changes_no_answer(
        steps in prop::collection::vec((0..TOPICS.len(), 0..TOPICS.len(), 0_usize..4, any::<bool>()), 1..30)
    ) {
        let (mut often, mut once) = (World::new(), World::new());
        let mut living: Vec<MemoryNumber> = Vec::new();
        for (place, (topic, named, action, is_asked)) in steps.into_iter().enumerate() {
            let text = format!("number n{place}, see {}", TOPICS[named]);
            let chosen = living.get(place % living.len().max(1)).copied();
            for world in [&mut often, &mut once] {
                match (action, chosen) {
                    (0, Some(number)) => world.forget(number),
                    (1, Some(number)) => {
                        world.tick += 1;
                        let request = edit(number.0, Edit::Revise { text: text.clone(), seen: None }, at(world.tick));
                        world.run(request);
                    }
                    _ => {
                        let number = world.store(TOPICS[topic], &text);
                        living.retain(|known| *known != number);
                        living.push(number);
                    }
                }
            }
            living.retain(|number| action != 0 || Some(*number) != chosen);
            if is_asked {
                often.strand.topic_graph(&GLOBAL, None).unwrap();
            }
        }
        prop_assert_eq!(often.strand.topic_graph(&GLOBAL, None).unwrap(), once.strand.topic_graph(&GLOBAL, None).unwrap());
        for topic in TOPICS {
            let [often, once] = [&often, &once].map(|world| world.strand.cross_references(topic, &GLOBAL).unwrap());
            prop_assert_eq!(often, once);
        }
    }

    #[test]
    fn positions_are_what_references_mean(drafts in drafts()) {
        let world = filled(&drafts, 0);
        let numbers: Vec<MemoryNumber> = (0..u32::try_from(drafts.len()).unwrap()).map(MemoryNumber).collect();
        let positions = world.strand.positions(&numbers, &GLOBAL);
        prop_assert_eq!(positions.len(), numbers.len());
        let few = world.strand.catalog().positions(&numbers, &GLOBAL, 2);
        prop_assert!(few.iter().all(|(number, index)| positions.get(number) == Some(index) && *index < 2));
        for (number, index) in positions {
            let topic = TOPICS[drafts[number.0 as usize].0];
            prop_assert_eq!(world.strand.topic_members(topic, &GLOBAL)[index as usize], number);
        }
    }
}

#[test]
fn many_candidates_page_as_one() {
    let mut world = World::new();
    // More than a list holds, in so many topics that the cap leaves plenty.
    for n in 0..150 {
        let filler = "word ".repeat(n % 11 + 1);
        world.store(
            &format!("topic-{}", n % 60),
            &format!("walrus {filler} number n{n}"),
        );
    }
    let large = world.search("walrus number", 200);
    let paged = world.paged(&Search {
        limit: 7,
        ..large.clone()
    });
    assert_eq!(paged, world.found(&large, 0));
    assert_eq!(paged.len(), 150);
    assert!(
        world
            .strand
            .search_page(&large, Place::default(), &NoSources)
            .unwrap()
            .is_cut
    );
    assert_eq!(Cursor::new(&large, Place::at(7)).place.offset, 7);
}
