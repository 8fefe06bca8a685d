#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damage;
mod linked;
mod model;
mod statistics;

use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::{Document, LexicalHit, LexicalIndex, LexicalQuery, Marks, Mode, Restriction};

/// Words of the random documents, commoner ones first.
const WORDS: [&str; 24] = [
    "build",
    "cache",
    "socket",
    "HashMap",
    "index",
    "commit",
    "arm64",
    "token",
    "query",
    "parser",
    "daemon",
    "stream",
    "lock_guard",
    "thread",
    "buffer",
    "schema",
    "deploy",
    "flaky",
    "timeout",
    "migrate",
    "rollback",
    "quota",
    "zstd",
    "検索",
];

/// The marks of some store.
pub(super) fn marks() -> Marks {
    Box::new(|sequence| Some(format!("one-{sequence}")))
}

pub(super) fn random() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

/// A text of some words, where the word of rank r is about 1/r as likely as the first.
fn random_text(random: &mut TestRng, words: u32) -> String {
    let mut word = || {
        let ceiling = random.next_u32() % 24 + 1;
        WORDS[(random.next_u32() % ceiling) as usize]
    };
    (0..words).map(|_| word()).collect::<Vec<_>>().join(" ")
}

pub(super) fn document(number: u32, text: &str) -> Document<'_> {
    Document {
        number,
        text,
        topic: "notes",
        tags: &[],
        source: None,
    }
}

pub(super) fn find(index: &LexicalIndex, text: &str, mode: Mode) -> Vec<u32> {
    let query = LexicalQuery::parse(text, mode);
    numbers(
        &index
            .search(&query, 10_000, &Restriction::default(), |_| true)
            .unwrap(),
    )
}

fn numbers(hits: &[LexicalHit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.number).collect()
}

fn random_index(documents: u32, in_tail: u32) -> LexicalIndex {
    let index = LexicalIndex::in_memory().unwrap();
    let mut random = random();
    for number in 0..documents {
        let words = random.next_u32() % 30 + 3;
        index.upsert(1, &document(number, &random_text(&mut random, words)));
        if number + 1 == documents - in_tail || number == documents / 2 {
            index.flush().unwrap();
        }
    }
    index
}

fn assert_alike(left: &[LexicalHit], right: &[LexicalHit]) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(right) {
        assert!(
            (left.score - right.score).abs() <= left.score * 1e-5,
            "{left:?} {right:?}"
        );
    }
}

#[test]
fn a_store_is_found_at_once_and_after_the_flush() {
    let index = LexicalIndex::in_memory().unwrap();
    let tags = ["ci".to_owned()];
    let stored = Document {
        number: 7,
        text: "arm64 builds need the FxHashSet patch",
        topic: "build-gotchas",
        tags: &tags,
        source: Some("daemon/engine/src/index.rs"),
    };
    index.upsert(3, &stored);
    for _ in 0..2 {
        for query in [
            "fxhashset",
            "hash set",
            "gotcha",
            "CI",
            "engine index",
            "building arm64",
            "patch ci gotchas",
        ] {
            assert_eq!(find(&index, query, Mode::All), [7], "{query}");
        }
        assert_eq!(find(&index, "patch absent", Mode::All), [] as [u32; 0]);
        assert_eq!(find(&index, "patch absent", Mode::Any), [7]);
        assert_eq!(find(&index, "?", Mode::Any), [] as [u32; 0]);
        index.flush().unwrap();
    }
    assert_eq!(
        (
            index.tail_len(),
            index.watermark(),
            index.document_count().unwrap()
        ),
        (0, 3, 1)
    );
    assert!(!index.flush().unwrap());
}

#[test]
fn a_flush_changes_no_score() {
    let index = random_index(600, 250);
    let queries = [
        "hash map",
        "build socket commit",
        "arm64 timeout",
        "検索 zstd quota",
        "lock_guard",
    ];
    for mode in [Mode::Any, Mode::All] {
        let search = |query| {
            let query = LexicalQuery::parse(query, mode);
            index
                .search(&query, 10_000, &Restriction::default(), |_| true)
                .unwrap()
        };
        let before: Vec<_> = queries.iter().map(|query| search(query)).collect();
        assert!(before.iter().any(|hits| hits.len() > 20));
        index.flush().unwrap();
        for (query, before) in queries.iter().zip(before) {
            assert_alike(&before, &search(query));
        }
        index.upsert(2, &document(5_000, "unrelated"));
    }
}

#[test]
fn a_limit_keeps_the_best_that_are_wanted() {
    let index = random_index(2_000, 200);
    let keeps = |number: u32| !number.is_multiple_of(3);
    for mode in [Mode::Any, Mode::All] {
        for text in [
            "build",
            "hash map cache",
            "timeout daemon schema index",
            "検索 build",
        ] {
            let query = LexicalQuery::parse(text, mode);
            let all = index
                .search(&query, 10_000, &Restriction::default(), |_| true)
                .unwrap();
            assert!(all.is_sorted_by(|a, b| {
                a.score
                    .total_cmp(&b.score)
                    .reverse()
                    .then(a.number.cmp(&b.number))
                    .is_lt()
            }));
            let mut expected: Vec<_> = all.into_iter().filter(|hit| keeps(hit.number)).collect();
            expected.truncate(15);
            let limited = index
                .search(&query, 15, &Restriction::default(), keeps)
                .unwrap();
            assert!(limited.iter().all(|hit| keeps(hit.number)));
            assert_alike(&limited, &expected);
        }
    }
}

#[test]
fn a_restriction_narrows_without_changing_the_answer() {
    let index = LexicalIndex::in_memory().unwrap();
    let mut random = random();
    let mut made = Vec::new();
    for number in 0..1_000_u32 {
        let topic = format!(
            "topic-{}",
            if number % 50 == 0 { 1 } else { 2 + number % 2 }
        );
        let mut tags: Vec<String> = [3, 70]
            .iter()
            .filter(|&step| number % step == 0)
            .map(|step| format!("t{step}"))
            .collect();
        // One tag, as it is spelled now and as it was once.
        let spelled = ["cache", "cach"][number as usize / 40 % 2].to_owned();
        tags.extend((number % 40 == 0).then_some(spelled));
        let text = random_text(&mut random, 12);
        index.upsert(
            1,
            &Document {
                number,
                text: &text,
                topic: &topic,
                tags: &tags,
                source: None,
            },
        );
        made.push((topic, tags));
        if number == 900 {
            index.flush().unwrap();
        }
    }
    let query = LexicalQuery::parse("build cache socket", Mode::Any);
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|&name| name.to_owned())
            .collect::<Vec<String>>()
    };
    let restrictions: [(&[&str], &[&str]); 7] = [
        (&[], &["cache"]),
        (&["topic-1"], &[]),
        (&["topic-1", "topic-2"], &[]),
        (&[], &["t3"]),
        (&[], &["t3", "t70"]),
        (&["topic-2"], &["t70"]),
        (&["topic-absent"], &[]),
    ];
    for (topics, tags) in restrictions {
        let (topics, tags) = (names(topics), names(tags));
        let keeps = |number: u32| {
            let (topic, carried) = &made[number as usize];
            let is_once =
                |tag: &str| tag == "cache" && carried.iter().any(|carried| carried == "cach");
            (topics.is_empty() || topics.contains(topic))
                && tags.iter().all(|tag| carried.contains(tag) || is_once(tag))
        };
        for limit in [10, 1_000] {
            let plain = index
                .search(&query, limit, &Restriction::default(), keeps)
                .unwrap();
            let narrowed = index
                .search(
                    &query,
                    limit,
                    &Restriction {
                        topics: &topics,
                        tags: &tags,
                    },
                    keeps,
                )
                .unwrap();
            assert_alike(&plain, &narrowed);
        }
    }
}

#[test]
fn filling_replaces_what_is_committed_and_keeps_the_tail() {
    let index = random_index(50, 0);
    index.upsert(9, &document(3, "newer version"));
    let memories = ["first", "second", "third", "fourth"];
    let feed = |add: &mut dyn FnMut(&Document<'_>)| {
        for (number, text) in (0..).zip(memories) {
            add(&document(number, text));
        }
    };
    let stops_short = |add: &mut dyn FnMut(&Document<'_>)| {
        feed(add);
        false
    };
    assert!(!index.fill(8, stops_short).unwrap());
    assert_eq!(
        (index.watermark(), index.document_count().unwrap()),
        (1, 50)
    );
    for _ in 0..2 {
        let is_filled = index.fill(8, |add| {
            feed(add);
            true
        });
        assert!(is_filled.unwrap());
        assert_eq!((index.watermark(), index.document_count().unwrap()), (8, 4));
        assert_eq!(find(&index, "first second third", Mode::Any).len(), 3);
        assert_eq!(find(&index, "fourth newer", Mode::Any), [3]);
        assert_eq!(find(&index, "fourth", Mode::Any), [] as [u32; 0]);
    }
    index.flush().unwrap();
    assert_eq!((index.watermark(), index.document_count().unwrap()), (9, 4));
    assert_eq!(find(&index, "fourth newer", Mode::Any), [3]);
}

#[test]
fn many_flushes_leave_few_segments() {
    let index = LexicalIndex::in_memory().unwrap();
    let mut random = random();
    for number in 0..60_u32 {
        for copy in 0..20 {
            index.upsert(
                u64::from(number),
                &document(number * 20 + copy, &random_text(&mut random, 8)),
            );
        }
        index.flush().unwrap();
    }
    assert!(index.segment_count() <= 6, "{}", index.segment_count());
    assert_eq!(index.document_count().unwrap(), 1_200);
    for number in 0..1_200 {
        index.remove(61, number);
    }
    index.flush().unwrap();
    assert_eq!(
        (
            index.segment_count(),
            index.document_count().unwrap(),
            index.watermark()
        ),
        (0, 0, 61)
    );
}

#[test]
fn searches_during_flushes_see_every_memory_once() {
    const MEMORIES: u32 = 120;
    let index = LexicalIndex::in_memory().unwrap();
    for number in 0..MEMORIES {
        index.upsert(1, &document(number, "common words"));
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let mut found = find(&index, "common", Mode::All);
                    found.sort_unstable();
                    assert!(found.iter().copied().eq(0..MEMORIES), "{found:?}");
                }
            });
        }
        let flusher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                index.flush().unwrap();
            }
        });
        for round in 0..150_u64 {
            for number in (0..MEMORIES).step_by(7) {
                index.upsert(
                    round + 2,
                    &document(number, &format!("common round {round}")),
                );
            }
        }
        done.store(true, Ordering::Relaxed);
        flusher.join().unwrap();
    });
    index.flush().unwrap();
    assert_eq!(index.watermark(), 151);
    assert_eq!(
        find(&index, "149", Mode::All).len(),
        MEMORIES.div_ceil(7) as usize
    );
}
