#![allow(clippy::unwrap_used)]
use std::sync::Arc;

use helix_memory::{
    Actor, Admitted, Draft, Edge, EdgeKey, EdgeStatus, Kinds, Memory, Origin, Provenance, Relation,
    Scope, Sequence, SourceState,
};

use super::*;
use crate::index::filter::Filter;
use crate::recall::relevance::Weigher;
use crate::recall::{Calendar, ParsedQuery, Vantage};
use crate::store::MemoryStorage;
use crate::strand::{Request, SpaceRole, Step, StepChange, StrandWriter};

/// Memories that soon have their vectors.
const FEW: usize = 10;

/// Numbers of a vector.
const DIMENSIONS: usize = 64;

/// Says that the source of the first memory changed.
struct FirstChanged;

impl Sources for FirstChanged {
    fn state(&self, memory: &Memory) -> SourceState {
        if memory.number == MemoryNumber(0) {
            SourceState::Changed
        } else {
            SourceState::Fresh
        }
    }
}

fn store(topic: &str, text: &str, entropy: u32) -> Request {
    let draft = Draft {
        topic: topic.into(),
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
        entropy: u128::from(entropy).to_le_bytes()[..10].try_into().unwrap(),
        actor: Actor {
            origin: Origin::Agent,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        },
        at: Timestamp::default(),
    }
}

/// A strand with memories of these topics and texts, each near in meaning to what is asked for, or
/// not.
fn strand_of(memories: &[(&str, &str, bool)]) -> Arc<Strand> {
    open_strand(memories).0
}

/// The same with its writer.
fn open_strand(memories: &[(&str, &str, bool)]) -> (Arc<Strand>, StrandWriter) {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    strand
        .open_space(&MemoryStorage, SpaceRole::Answering, "model", DIMENSIONS)
        .unwrap();
    let requests = (1..)
        .zip(memories)
        .map(|(entropy, (topic, text, _))| store(topic, text, entropy));
    writer.commit(requests.collect()).unwrap();
    assert!(
        memories.len() > FEW || !strand.lacks_vectors(),
        "what was just stored is not worth a word"
    );
    let vectors: Vec<_> = strand
        .pending_vectors(SpaceRole::Answering, memories.len())
        .unwrap()
        .iter()
        .map(|one| {
            let is_near = memories[one.number.0 as usize].2;
            (
                one.number,
                one.text_hash,
                vec![if is_near { 0.5 } else { -0.5 }; DIMENSIONS].into(),
            )
        })
        .collect();
    strand.put_vectors(SpaceRole::Answering, &vectors).unwrap();
    (strand, writer)
}

fn hybrid(words: &str, mode: Mode) -> Search {
    Search {
        words: words.to_owned(),
        vector: Some(vec![0.5; DIMENSIONS].into()),
        filter: Filter::default(),
        limit: 10,
        mode,
        retriever: Retriever::Hybrid,
        now: Timestamp::default(),
        vantage: Vantage::default(),
    }
}

/// What was said on a branch of a project.
fn said_on(branch: &str, text: &str, entropy: u32) -> Request {
    let mut request = store("lists", text, entropy);
    if let Request::Store {
        admitted, actor, ..
    } = &mut request
    {
        admitted.scope = Scope::Project("p".to_owned());
        actor.git.branch = branch.to_owned();
    }
    request
}

/// Looks from a branch of the project.
fn from_p(branch: &str) -> Vantage {
    Vantage::of([Scope::Project("p".to_owned())].iter(), branch.to_owned())
}

#[test]
fn the_askers_project_comes_before_others() {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    let mut elsewhere = said_on("main", "walrus lists sorted alpha", 1);
    if let Request::Store { admitted, .. } = &mut elsewhere {
        admitted.scope = Scope::Project("q".to_owned());
    }
    let everywhere = store("lists", "walrus lists sorted beta", 2);
    let own = said_on("", "walrus lists sorted gamma", 3);
    writer.commit(vec![elsewhere, everywhere, own]).unwrap();
    let search = Search {
        vantage: from_p("main"),
        vector: None,
        retriever: Retriever::Words,
        ..hybrid("walrus lists sorted", Mode::Any)
    };
    let hits = strand.search(&search).unwrap().hits;
    let order: Vec<u32> = hits.iter().map(|hit| hit.memory.number.0).collect();
    assert_eq!(order, [2, 1, 0]);
    let branches = hits.iter().map(|hit| hit.factors.branch);
    assert!(
        branches.into_iter().all(|factor| factor <= 1.0),
        "another project's branch"
    );
}

#[test]
fn a_time_in_the_question_brings_what_was_said_then() {
    const DAY: i64 = 86_400_000_000;
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    for day in [1, 6, 13, 27] {
        let mut said = store("log", &format!("walrus upgrade, part {day}"), day);
        if let Request::Store { at, .. } = &mut said {
            *at = Timestamp::from_micros(i64::from(day) * DAY);
        }
        writer.commit(vec![said]).unwrap();
    }
    let now = Timestamp::from_micros(28 * DAY);
    let calendar = Calendar::new(jiff::tz::TimeZone::UTC, now);
    for (question, first) in [
        ("walrus upgrade", 3),
        ("walrus upgrade two weeks ago", 2),
        ("walrus upgrade yesterday", 3),
        ("walrus upgrade 22 days ago", 1),
    ] {
        let parsed = ParsedQuery::parse(question, &calendar).unwrap();
        let search = Search {
            vantage: Vantage {
                period: parsed.period,
                ..Vantage::default()
            },
            vector: None,
            retriever: Retriever::Words,
            now,
            ..hybrid(question, Mode::Any)
        };
        let hits = strand.search(&search).unwrap().hits;
        assert_eq!(hits[0].memory.number, MemoryNumber(first), "{question}");
    }
}

#[test]
fn the_branch_decides_between_alike_and_hides_nothing() {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
    let requests = vec![
        said_on("main", "walrus lists are sorted one", 1),
        said_on("feature", "walrus lists are sorted two", 2),
        said_on("", "walrus lists", 3),
    ];
    writer.commit(requests).unwrap();
    let found = |branch: &str| {
        let search = Search {
            vantage: from_p(branch),
            vector: None,
            retriever: Retriever::Words,
            ..hybrid("walrus lists sorted", Mode::Any)
        };
        strand.search(&search).unwrap().hits
    };
    for (branch, first) in [("main", 0), ("feature", 1)] {
        let hits = found(branch);
        assert_eq!(hits[0].memory.number, MemoryNumber(first), "{branch}");
        assert_eq!(hits.len(), 3, "other branches are found as well");
        for hit in &hits {
            let product = hit.evidence.fused * hit.factors.product() * hit.likeness * hit.of_topic;
            assert!((hit.score - product).abs() < 1e-6);
        }
        assert!(hits[0].factors.branch > 1.0);
        assert!((hits[1].factors.branch - 1.0).abs() < f32::EPSILON);
    }
    let unknown = found("");
    assert!(
        unknown
            .iter()
            .all(|hit| (hit.factors.branch - 1.0).abs() < f32::EPSILON)
    );
    let better = Search {
        vantage: from_p("main"),
        vector: None,
        retriever: Retriever::Words,
        ..hybrid("walrus lists sorted two", Mode::Any)
    };
    let hits = strand.search(&better).unwrap().hits;
    assert_eq!(
        hits[0].memory.number,
        MemoryNumber(1),
        "what fits better comes first, whatever its branch"
    );
}

#[test]
fn a_changed_source_costs_confidence_in_this_search_alone() {
    let strand = strand_of(&[
        ("lists", "walrus lists one", true),
        ("lists", "walrus lists two", true),
    ]);
    let search = Search {
        vector: None,
        retriever: Retriever::Words,
        ..hybrid("walrus lists", Mode::Auto)
    };
    let plain = strand.search(&search).unwrap().hits;
    assert!(
        plain
            .iter()
            .all(|hit| hit.source_state == SourceState::Unknown)
    );
    let looked = strand
        .search_page(&search, Place::default(), &FirstChanged)
        .unwrap()
        .hits;
    let order: Vec<u32> = looked.iter().map(|hit| hit.memory.number.0).collect();
    assert_eq!(order, [1, 0]);
    let doubted = looked.last().unwrap();
    assert_eq!(doubted.source_state, SourceState::Changed);
    assert!((doubted.factors.confidence - Factors::confidence_factor(0.7)).abs() < f32::EPSILON);
    assert!((doubted.memory.confidence - 1.0).abs() < f32::EPSILON);
}

#[test]
fn meaning_adds_nothing_where_all_words_are_demanded_and_says_when_it_is_alone() {
    let (strand, mut writer) = open_strand(&[
        ("lists", "walrus lists one", true),
        ("lists", "seal lists two", true),
    ]);
    writer
        .commit(
            (3..20)
                .map(|entropy| store("lists", &format!("otters list {entropy}"), entropy))
                .collect(),
        )
        .unwrap();
    assert!(strand.lacks_vectors());
    let found = |words, mode| {
        let found = strand.search(&hybrid(words, mode)).unwrap();
        (
            found
                .hits
                .iter()
                .map(|hit| hit.memory.number.0)
                .collect::<Vec<_>>(),
            found.words == WordsFound::Nothing,
        )
    };
    assert_eq!(found("walrus", Mode::All), (vec![0], false));
    assert_eq!(found("walrus", Mode::Auto), (vec![0, 1], false));
    assert_eq!(found("kangaroo", Mode::All), (vec![], true));
    let (alone, lacks_words) = found("kangaroo", Mode::Auto);
    assert!(alone.len() == 2 && lacks_words);
}

#[test]
fn a_topic_that_alone_has_the_words_fills_the_answer() {
    let texts: Vec<String> = (0..5)
        .map(|at| format!("token expiry number {at}"))
        .collect();
    let mut memories: Vec<(&str, &str, bool)> = texts
        .iter()
        .map(|text| ("auth", text.as_str(), true))
        .collect();
    memories.push(("mail", "credentials run out", true));
    let strand = strand_of(&memories);
    let found = strand.search(&hybrid("token expiry", Mode::Auto)).unwrap();
    let has_words: Vec<bool> = found.hits.iter().map(|hit| hit.has_words).collect();
    assert_eq!(has_words, [true, true, true, true, true, false]);
    let fourth = &found.hits[3];
    assert!(fourth.of_topic < 1.0);
    let product =
        fourth.evidence.fused * fourth.factors.product() * fourth.likeness * fourth.of_topic;
    assert!((fourth.score - product).abs() < 1e-6);
}

#[test]
fn no_hit_of_a_topic_that_was_asked_for_steps_back() {
    let texts: Vec<String> = (0..5)
        .map(|at| format!("token expiry number {at}"))
        .collect();
    let memories: Vec<(&str, &str, bool)> = texts
        .iter()
        .map(|text| ("auth", text.as_str(), false))
        .collect();
    let mut search = Search {
        vector: None,
        ..hybrid("token expiry", Mode::Auto)
    };
    search.filter.topics = vec!["auth".to_owned()];
    let found = strand_of(&memories).search(&search).unwrap();
    assert_eq!(found.hits.len(), 5);
    let further = found
        .hits
        .iter()
        .skip(1)
        .map(|hit| hit.likeness * hit.of_topic);
    // Their vectors are all alike, and nothing else tells them apart.
    assert_eq!(further.collect::<Vec<_>>(), [0.9; 4]);
}

#[test]
fn what_says_the_same_is_shown_once_and_stands_for_all() {
    let strand = strand_of(&[
        ("a", "walrus lists need arm64", true),
        ("b", "The walrus lists need `arm64`.", true),
        ("c", "walrus lists of long ago and of much else", true),
        ("d", "walrus lists need arm64", true),
    ]);
    let found = strand
        .search(&hybrid("walrus lists need", Mode::Any))
        .unwrap();
    assert_eq!(found.hits.len(), 2);
    let first = &found.hits[0];
    let mut meant = first.copies.clone();
    meant.push(first.memory.number);
    meant.sort_unstable();
    assert_eq!(meant, [MemoryNumber(0), MemoryNumber(1), MemoryNumber(3)]);
    assert_eq!(found.hits[1].copies, []);
    assert!(!found.has_more);
}

#[test]
fn what_has_all_words_comes_first_and_the_rest_is_near() {
    let strand = strand_of(&[
        ("a", "walrus pups rest", true),
        (
            "b",
            "walrus and lists of them and of much else besides that nobody asked for",
            false,
        ),
        ("c", "lists", false),
    ]);
    let found = |mode| {
        let found = strand.search(&hybrid("walrus lists", mode)).unwrap();
        found
            .hits
            .iter()
            .map(|hit| (hit.memory.number.0, hit.has_words))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(Mode::Auto), [(1, true), (0, false)]);
    let near = strand.search(&hybrid("walrus lists", Mode::Auto)).unwrap();
    assert!(
        near.hits.iter().all(|hit| hit.has_some_words),
        "what is near has one of them as well"
    );
    let words = strand.search(&hybrid("kangaroo", Mode::Auto)).unwrap();
    assert!(
        words
            .hits
            .iter()
            .all(|hit| !hit.has_words && !hit.has_some_words)
    );
    let mut any = found(Mode::Any);
    any.sort_unstable();
    assert_eq!(
        any.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(
        strand
            .search(&hybrid("walrus kangaroo", Mode::Auto))
            .unwrap()
            .words,
        WordsFound::OnlyAny
    );
}

#[test]
fn everything_behind_the_first_hundred_is_found() {
    let mut memories: Vec<(String, String)> = (0..300)
        .map(|at| ("crowd".to_owned(), format!("walrus {at}")))
        .collect();
    let others = |at| {
        (
            format!("other-{at}"),
            format!("a walrus among many words that make it rank far behind, number {at}"),
        )
    };
    memories.extend((0..30).map(others));
    let memories: Vec<_> = memories
        .iter()
        .map(|(topic, text)| (topic.as_str(), text.as_str(), false))
        .collect();
    let strand = strand_of(&memories);
    let search = |limit| Search {
        limit,
        vector: None,
        ..hybrid("walrus", Mode::Auto)
    };
    let all = strand.search(&search(400)).unwrap();
    assert_eq!((all.hits.len(), all.has_more), (330, false));
    let numbers = |hits: &[Hit]| hits.iter().map(|hit| hit.memory.number).collect::<Vec<_>>();
    let pages: Vec<MemoryNumber> = (0..33)
        .flat_map(|page| {
            numbers(
                &strand
                    .search_page(&search(10), Place::at(10 * page), &NoSources)
                    .unwrap()
                    .hits,
            )
        })
        .collect();
    assert_eq!(pages, numbers(&all.hits));
    assert!(all.hits.iter().all(|hit| hit.has_words));
}

#[test]
fn a_turn_gains_from_the_one_beside_it() {
    let found = |texts: &[&str]| {
        let memories: Vec<(&str, &str, bool)> =
            texts.iter().map(|text| ("t", *text, true)).collect();
        let strand = strand_of(&memories);
        let hits = strand
            .search(&hybrid("walrus pups", Mode::Any))
            .unwrap()
            .hits;
        let fused = |number: u32| {
            let hit = hits.iter().find(|hit| hit.memory.number.0 == number);
            hit.unwrap().evidence.fused
        };
        (fused(1), fused(3))
    };
    let (beside, away) = found(&[
        "Maria: did the walrus have pups?",
        "Tom: yes, in the spring",
        "an ibis",
        "Tom: yes, in the summer",
    ]);
    assert!(beside > away);
    let (beside, away) = found(&[
        "walrus have pups",
        "yes, in spring",
        "ibis",
        "yes, in summer",
    ]);
    assert!((beside - away).abs() < f32::EPSILON, "no turns");
}

#[test]
fn what_is_no_nearer_than_chance_is_noise() {
    // Alternately about two matters, so that every other pair of memories is as near as can be.
    let texts: Vec<String> = (0..40).map(|at| format!("walrus number {at}")).collect();
    let memories: Vec<(&str, &str, bool)> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| ("a", text.as_str(), at % 2 == 0))
        .collect();
    let strand = strand_of(&memories);
    // Of a direction that is a third like one of the matters.
    let askew = (0..DIMENSIONS)
        .map(|at| if at < DIMENSIONS * 2 / 3 { 0.5 } else { -0.5 })
        .collect();
    let found = |strand: &Strand, vector: Vec<f32>| {
        let found = strand
            .search(&Search {
                vector: Some(vector.into()),
                ..hybrid("kangaroo", Mode::Auto)
            })
            .unwrap();
        assert!(found.words == WordsFound::Nothing && !found.hits.is_empty());
        Weigher::is_noise(strand, &found.hits)
    };
    assert!(found(&strand, askew));
    assert!(!found(&strand, vec![0.5; DIMENSIONS]));
    assert!(!Weigher::is_noise(&strand, &[]));
    let few = strand_of(&memories[..FEW - 1]);
    let askew = (0..DIMENSIONS)
        .map(|at| if at < DIMENSIONS * 2 / 3 { 0.5 } else { -0.5 })
        .collect();
    assert!(!found(&few, askew), "too few to tell");
}

/// A strand where a decision, its project, the project's convention and its owner are related, with
/// memories that only share words.
fn related_strand() -> (Arc<Strand>, StrandWriter) {
    let mut memories = vec![
        ("decisions", "walrus ledger lives in postgres", true),
        ("projects", "the payments backend", false),
        ("conventions", "migrations go in pairs", false),
        ("people", "priya answers for money", false),
    ];
    for topic in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        memories.push((topic, "walrus in a zoo", false));
    }
    let (strand, mut writer) = open_strand(&memories);
    let steps = [
        edge(1, Relation::HasDecision, 0),
        edge(1, Relation::HasConvention, 2),
        edge(3, Relation::Owns, 1),
    ];
    let request = Request::Together {
        steps: steps.map(relating).into(),
        actor: Actor::default(),
        at: Timestamp::default(),
    };
    assert!(writer.commit(vec![request]).unwrap()[0].is_ok());
    (strand, writer)
}

fn edge(from: u32, relation: Relation, to: u32) -> Edge {
    Edge {
        key: EdgeKey {
            from: MemoryNumber(from),
            relation,
            to: MemoryNumber(to),
        },
        strength: 1.0,
        is_bidirectional: false,
        status: EdgeStatus::Active,
        provenance: Provenance::stated(&Actor::default(), Timestamp::default()),
        reason: String::new(),
        valid_from: Timestamp::default(),
        valid_to: None,
        sequence: Sequence(0),
    }
}

fn relating(edge: Edge) -> Step {
    Step::new(StepChange::Relate(Box::new(edge)), "")
}

fn page(strand: &Strand, search: &Search, place: Place) -> Vec<Hit> {
    strand.search_page(search, place, &NoSources).unwrap().hits
}

#[test]
fn what_is_related_to_the_best_hit_comes_along() {
    let (strand, _) = related_strand();
    let search = hybrid("walrus ledger", Mode::Any);
    let hits = page(&strand, &search, Place::default());
    let best = hits[0].score;
    assert_eq!(hits[0].memory.number, MemoryNumber(0));
    for number in [1, 2, 3] {
        let hit = hits
            .iter()
            .find(|hit| hit.memory.number == MemoryNumber(number))
            .unwrap();
        let expansion = hit.expansion.unwrap();
        assert!(hit.score <= best, "{number}");
        let from = u32::from(number != 1);
        assert_eq!(expansion.from, MemoryNumber(from));
    }
    let by = hits.iter().filter_map(|hit| hit.expansion);
    let mut relations: Vec<&str> = by.map(|expansion| expansion.relation()).collect();
    relations.sort_unstable();
    assert_eq!(relations, ["decision_of", "has_convention", "owned_by"]);
    for (place, hit) in hits.iter().enumerate() {
        let before = hits[..=place].iter();
        let brought = before.filter(|hit| hit.expansion.is_some()).count();
        let ends = hits[place..].iter().all(|hit| hit.expansion.is_some());
        assert!(
            brought * 3 <= place + 1 || ends,
            "{place}: {:?}",
            hit.memory.text
        );
    }
}

#[test]
fn nothing_comes_along_unasked_or_where_all_words_are_demanded() {
    let (strand, _) = related_strand();
    let plain = strand.search(&hybrid("walrus ledger", Mode::Any)).unwrap();
    assert!(plain.hits.iter().all(|hit| hit.expansion.is_none()));
    let all = page(
        &strand,
        &hybrid("walrus ledger", Mode::All),
        Place::default(),
    );
    assert!(all.iter().all(|hit| hit.expansion.is_none()));
    let words = Search {
        retriever: Retriever::Words,
        ..hybrid("walrus ledger", Mode::Any)
    };
    let words = page(&strand, &words, Place::default());
    assert!(words.iter().all(|hit| hit.expansion.is_none()));
}

#[test]
fn pages_with_what_came_along_are_one_large_page() {
    let (strand, _) = related_strand();
    let search = |limit| Search {
        limit,
        ..hybrid("walrus ledger", Mode::Any)
    };
    let numbers =
        |hits: &[Hit]| -> Vec<MemoryNumber> { hits.iter().map(|hit| hit.memory.number).collect() };
    let all = numbers(&page(&strand, &search(100), Place::default()));
    for limit in [1, 2, 3, 5] {
        let mut together = Vec::new();
        loop {
            let hits = page(&strand, &search(limit), Place::at(together.len()));
            if hits.is_empty() {
                break;
            }
            together.extend(numbers(&hits));
        }
        assert_eq!(together, all, "pages of {limit}");
    }
}

#[test]
fn searches_that_compare_tokens_and_writes_go_on_beside_each_other() {
    use crate::index::vectors::{Code, TextVectors, TokenVector};

    const ROUNDS: u32 = 200;

    let (strand, mut writer) = open_strand(&[("ports", "Billing listens on port 8081.", true)]);
    let token = TokenVector {
        word: "port".to_owned(),
        state: Code::quantize(&[0.5; DIMENSIONS]).unwrap(),
    };
    let vectors = TextVectors {
        whole: vec![0.5; DIMENSIONS],
        tokens: vec![token],
    };
    let search = Search {
        vector: Some(vectors),
        ..hybrid("which port", Mode::Any)
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    assert!(!strand.search(&search).unwrap().hits.is_empty());
                }
            });
        }
        for round in 0..ROUNDS {
            writer
                .commit(vec![store(
                    "ports",
                    &format!("Port {round} is free."),
                    100 + round,
                )])
                .unwrap();
        }
    });
}
