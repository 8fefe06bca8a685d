//! Briefs of a real-looking knowledge base: what three months of work on this repository left
//! behind.
#![allow(clippy::unwrap_used)]

mod corpus;

use std::collections::BTreeSet;

use corpus::{NOW, memories};
use helix_memory::{Memory, TopicPattern, WordSet};
use helix_surface::brief::{
    self, Brief, Category, Detail, Input, Selected, Standing, compose, meta, render,
};
use jiff::tz::TimeZone;

/// Files that changed since their memories were stored.
const CHANGED: [&str; 2] = [
    "daemon/src/writer.rs",
    "daemon/engine/src/index/vectors/plan.rs",
];

fn select(memories: &[Memory], keeps: impl Fn(&Memory) -> bool) -> Vec<Selected<'_>> {
    let changed = |memory: &Memory| {
        memory
            .source
            .as_ref()
            .is_some_and(|source| CHANGED.contains(&source.path.as_str()))
    };
    let kept = memories.iter().filter(|memory| keeps(memory));
    kept.map(|memory| Selected {
        is_stale: changed(memory),
        ..Selected::of(memory)
    })
    .collect()
}

fn of_topics<'a>(memories: &'a [Memory], pattern: &str) -> Vec<Selected<'a>> {
    let pattern = TopicPattern::parse(pattern).unwrap();
    select(memories, |memory| pattern.matches(memory.topic.as_str()))
}

/// Gathers the links of the selected, as a caller would.
fn linked(memories: &[Memory], selected: &[Selected<'_>]) -> Vec<Memory> {
    let targets: BTreeSet<_> = selected
        .iter()
        .flat_map(|selected| &selected.memory.links)
        .collect();
    memories
        .iter()
        .filter(|memory| targets.contains(&memory.id))
        .cloned()
        .collect()
}

/// Briefs a pattern of topics and hands the brief to `check`.
fn check<T>(
    pattern: &str,
    focus: &[Category],
    is_compact: bool,
    check: impl FnOnce(&Brief<'_>) -> T,
) -> T {
    let memories = memories();
    let selected = of_topics(&memories, pattern);
    let linked = linked(&memories, &selected);
    let input = Input {
        selected: &selected,
        linked: &linked,
        left_out: &[],
        query: "",
        focus,
        is_compact,
        now: NOW,
    };
    check(&compose(&input))
}

fn text(pattern: &str, detail: Detail) -> String {
    check(pattern, &[], false, |brief| {
        render(brief, detail, &TimeZone::UTC)
    })
}

#[test]
fn the_corpus_is_what_it_should_be() {
    let entries = corpus::entries();
    assert!(entries.len() >= 160);
    let topics: BTreeSet<&str> = entries.iter().map(|entry| entry.topic.as_str()).collect();
    assert!((25..=30).contains(&topics.len()), "{}", topics.len());
    let ages: Vec<f64> = entries
        .iter()
        .map(|entry| corpus::time(&entry.at).age_days(NOW))
        .collect();
    assert!(ages.iter().all(|age| (0.5..100.0).contains(age)));
    check("*", &[], false, |brief| {
        let found: Vec<Category> = brief
            .sections
            .iter()
            .map(|section| section.category)
            .collect();
        assert_eq!(found, Category::ALL);
        assert!(
            brief.merged >= 4
                && brief.superseded >= 1
                && brief.chains.len() >= 5
                && brief.stale >= 3
        );
    });
}

#[test]
fn every_detail_of_topics() {
    for (name, pattern, detail) in [
        ("summary_of_a_topic", "index-lexical", Detail::Summary),
        ("summary_of_everything", "*", Detail::Summary),
        ("summary_of_a_glob", "store-*", Detail::Summary),
        ("scan_of_a_topic", "index-lexical", Detail::Scan),
        ("scan_of_everything", "*", Detail::Scan),
        ("full_of_a_topic", "index-lexical", Detail::Full),
        ("full_of_a_glob", "hook-*", Detail::Full),
        ("full_of_a_topic_with_links", "recall-ranking", Detail::Full),
    ] {
        insta::assert_snapshot!(name, text(pattern, detail));
    }
}

#[test]
fn focus_on_gotchas_and_invariants() {
    let focus = Category::parse_list("gotcha, Invariants").unwrap();
    insta::assert_snapshot!(check("*", &focus, false, |brief| render(
        brief,
        Detail::Full,
        &TimeZone::UTC
    )));
}

#[test]
fn compact_summary_and_full() {
    let compact = |pattern, detail| {
        check(pattern, &[], true, |brief| {
            render(brief, detail, &TimeZone::UTC)
        })
    };
    insta::assert_snapshot!("compact_summary", compact("*", Detail::Summary));
    insta::assert_snapshot!("compact_full", compact("index-*", Detail::Full));
}

#[test]
fn a_query_ranks_by_its_words() {
    let memories = memories();
    let words = "commit fsync durable";
    let selected = select(&memories, |memory| {
        words.split(' ').any(|word| memory.text.contains(word))
    });
    let input = Input {
        selected: &selected,
        linked: &[],
        left_out: &[],
        query: words,
        focus: &[],
        is_compact: false,
        now: NOW,
    };
    insta::assert_snapshot!(render(&compose(&input), Detail::Summary, &TimeZone::UTC));
}

/// The meta-brief of the corpus, fed without a catalog.
fn meta_text(is_compact: bool) -> String {
    let memories = memories();
    let rows = memories.iter().map(|memory| meta::MetaRow {
        number: memory.number,
        topic: memory.topic.as_str(),
        tags: memory.tags.iter().map(String::as_str),
        text_hash: WordSet::text_hash(&memory.text),
        standing: Standing::of(memory, 1.0, false),
    });
    let composed = meta::compose(rows, is_compact, NOW);
    let read = |number| {
        memories
            .iter()
            .find(|memory| memory.number == number)
            .map(Selected::of)
    };
    let hot: Vec<Selected<'_>> = composed.hot.iter().copied().filter_map(read).collect();
    meta::render(&composed, &hot, &TimeZone::UTC)
}

#[test]
fn meta_brief() {
    insta::assert_snapshot!(meta_text(false));
}

#[test]
fn compact_meta_brief() {
    insta::assert_snapshot!(meta_text(true));
}

#[test]
fn meta_rows_of_a_catalog_are_those_of_the_memories() {
    let memories = memories();
    let mut catalog = helix_engine::Catalog::default();
    for memory in &memories {
        catalog.apply(memory);
    }
    let rows = catalog
        .rows()
        .map(|(number, row)| meta::row(&catalog, number, row));
    let composed = meta::compose(rows, false, NOW);
    let read = |number| {
        memories
            .iter()
            .find(|memory| memory.number == number)
            .map(Selected::of)
    };
    let hot: Vec<Selected<'_>> = composed.hot.iter().copied().filter_map(read).collect();
    assert_eq!(
        meta::render(&composed, &hot, &TimeZone::UTC),
        meta_text(false)
    );
}

#[test]
fn the_caller_can_leave_out_before_reading() {
    let memories = memories();
    let candidates = memories
        .iter()
        .map(|memory| (memory.number, Standing::of(memory, 1.0, false)));
    let (kept, left_out) = brief::consider(candidates, NOW);
    assert_eq!((kept.len(), left_out.len()), (memories.len(), 0));
}
