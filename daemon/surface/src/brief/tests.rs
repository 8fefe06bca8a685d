#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use helix_memory::{MemoryNumber, SourceRef};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::samples::{NOW, aged, input, memory, selected};
use super::*;

fn tagged(topic: &str, text: &str, days: i64, tags: &[&str]) -> Memory {
    let mut memory = aged(topic, text, days);
    memory.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    memory
}

fn full(input: &Input<'_>) -> String {
    render(&compose(input), Detail::Full, &TimeZone::UTC)
}

#[test]
fn copies_are_merged_into_the_most_relevant() {
    let memories = [
        tagged("a", "gotcha: one\ntwo", 1, &["gotcha"]),
        tagged("b", "gotcha:  one two", 40, &["gotcha"]),
        tagged("c", "gotcha: one two", 3, &["gotcha"]),
    ];
    let mut selected = selected(&memories);
    selected[1].relevance = Some(0.9);
    selected[0].relevance = Some(0.8);
    selected[2].relevance = Some(0.1);
    let brief = compose(&input(&selected));
    assert_eq!((brief.total, brief.merged), (3, 2));
    let item = &brief.sections[0].items[0];
    assert_eq!(item.mention.memory.topic.as_str(), "b");
    for detail in [Detail::Summary, Detail::Scan, Detail::Full] {
        let text = render(&brief, detail, &TimeZone::UTC);
        assert!(text.contains("(also in: a, c)"), "{detail:?}: {text}");
    }
    assert_eq!(
        brief
            .topics
            .iter()
            .map(|topic| topic.count)
            .collect::<Vec<_>>(),
        [1, 1, 1]
    );
}

#[test]
fn the_older_version_is_marked_and_chained_to_the_newer() {
    let memories = [
        aged("cache", "the cache holds entries", 9),
        aged("cache", "the cache also holds entries", 6),
        aged("cache", "the cache also still holds entries", 3),
    ];
    let selected = selected(&memories);
    let brief = compose(&input(&selected));
    let items = &brief.sections[0].items;
    assert_eq!(brief.superseded, 2);
    assert_eq!(
        items[0].supersedes,
        [&memories[1].handle, &memories[0].handle]
    );
    assert_eq!(items[1].superseded_by, Some(&memories[2].handle));
    assert_eq!(items[2].superseded_by, Some(&memories[1].handle));
    assert_eq!(brief.hot.len(), 1, "what is superseded is not hot");
    insta::assert_snapshot!(render(&brief, Detail::Full, &TimeZone::UTC), @r"
    TOPICS: cache (3)
    UNTAGGED 3
    - [cache/cache-also-still-holds-entries] 2026-11-18: the cache also still holds entries
      (supersedes: [cache/cache-also-holds-entries], [cache/cache-holds-entries])
    - [SUPERSEDED] 2026-11-15 → [cache/cache-also-still-holds-entries]: [cache/cache-also-holds-entries] the cache also holds entries
    - [SUPERSEDED] 2026-11-12 → [cache/cache-also-holds-entries]: [cache/cache-holds-entries] the cache holds entries
    OVER TIME
    - cache, entries: 2026-11-12 [SUPERSEDED] [cache/cache-holds-entries] → 2026-11-15 [SUPERSEDED] [cache/cache-also-holds-entries] → 2026-11-18 [cache/cache-also-still-holds-entries]
    OF 3 MEMORIES: 2 superseded
    ");
}

#[test]
fn what_is_dated_in_the_future_supersedes_nothing_of_today() {
    let memories = [
        aged("cache", "the cache holds entries", 1),
        aged("cache", "the cache also holds entries", -30_000),
    ];
    assert_eq!(compose(&input(&selected(&memories))).superseded, 0);
    let memories = [
        aged("cache", "the cache holds entries", 3),
        memories[1].clone(),
    ];
    assert_eq!(compose(&input(&selected(&memories))).superseded, 1);
}

#[test]
fn links_are_followed_one_level_and_say_where_they_come_from() {
    let target = memory("other", "why it is so");
    let foreign = memory("other", "nobody links here");
    let mut memories = [memory("a", "it is so"), memory("a", "it stays so")];
    memories[0].links = vec![target.id, memories[1].id];
    let linked = [target, foreign, memories[1].clone()];
    let selected = selected(&memories);
    let brief = compose(&Input {
        linked: &linked,
        ..input(&selected)
    });
    let found: Vec<&str> = brief
        .linked
        .iter()
        .map(|linked| linked.memory.text.as_str())
        .collect();
    assert_eq!(found, ["why it is so"]);
    assert!(
        render(&brief, Detail::Full, &TimeZone::UTC)
            .contains("LINKED\n- [other/why-so] why it is so (from [a/so])\n")
    );
    assert!(render(&brief, Detail::Summary, &TimeZone::UTC).contains("LINKED: [other/why-so]\n"));
}

#[test]
fn what_is_linked_most_stands_first_then_what_is_linked_first() {
    let targets = [
        memory("other", "third"),
        memory("other", "second"),
        memory("other", "first"),
        memory("other", "most"),
    ];
    let mut memories = [memory("a", "it is so"), memory("a", "it stays so")];
    memories[0].links = vec![targets[2].id, targets[3].id, targets[1].id];
    memories[1].links = vec![targets[0].id, targets[3].id];
    let selected = selected(&memories);
    for linked in [targets.clone(), {
        let mut turned = targets;
        turned.reverse();
        turned
    }] {
        let brief = compose(&Input {
            linked: &linked,
            ..input(&selected)
        });
        let found: Vec<&str> = brief
            .linked
            .iter()
            .map(|linked| linked.memory.text.as_str())
            .collect();
        assert_eq!(found, ["most", "first", "second", "third"]);
    }
}

#[test]
fn focus_keeps_the_categories_asked_for_and_counts_the_others() {
    let memories = [
        tagged("a", "one", 1, &["gotcha"]),
        tagged("a", "two", 1, &["decision"]),
        tagged("b", "three", 1, &["gap", "perf"]),
    ];
    let selected = selected(&memories);
    let brief = compose(&Input {
        focus: &[Category::Gotchas],
        ..input(&selected)
    });
    assert_eq!(
        (brief.out_of_focus, brief.sections.len(), brief.topics.len()),
        (2, 1, 1)
    );
    assert!(brief.gaps.is_empty());
    // A gap is not lost because it is about performance too.
    let gaps = compose(&Input {
        focus: &[Category::Gaps],
        ..input(&selected)
    });
    assert_eq!(gaps.sections[0].category, Category::Gaps);
    assert_eq!(gaps.gaps.len(), 1);
    let none = compose(&Input {
        focus: &[Category::HowTo],
        ..input(&selected)
    });
    assert_eq!(
        render(&none, Detail::Scan, &TimeZone::UTC),
        "No memories in HOW-TO; 3 in other categories.\n"
    );
}

#[test]
fn a_copy_that_says_more_of_what_it_is_says_it_for_all() {
    let text = "Rust lib must use -arch arm64 because the linker of this machine rejects x86";
    // The newest is kept; its text alone would make it an invariant.
    let memories = [memory("plain", text), tagged("told", text, 3, &["gotcha"])];
    let selected = selected(&memories);
    for focus in [&[][..], &[Category::Gotchas]] {
        let brief = compose(&Input {
            focus,
            ..input(&selected)
        });
        assert_eq!(
            (brief.sections[0].category, brief.merged),
            (Category::Gotchas, 1),
            "{focus:?}"
        );
    }
    let own = compose(&Input {
        focus: &[Category::Invariants],
        ..input(&selected)
    });
    assert_eq!(own.sections[0].category, Category::Invariants);
}

#[test]
fn topics_are_those_of_what_is_in_focus() {
    let memories = [
        tagged("a", "one", 1, &["gotcha"]),
        tagged("b", "two", 1, &["decision"]),
        tagged("a", "three", 1, &["decision"]),
    ];
    let selected = selected(&memories);
    let left_out = [("a", 3), ("c", 900)];
    let brief = compose(&Input {
        focus: &[Category::Gotchas],
        left_out: &left_out,
        ..input(&selected)
    });
    let topics: Vec<_> = brief
        .topics
        .iter()
        .map(|topic| (topic.name, topic.count, topic.left_out))
        .collect();
    assert_eq!(
        (topics, brief.left_out, brief.topics[0].out_of_focus),
        (vec![("a", 1, 3)], 903, 1)
    );
    let text = render(&brief, Detail::Scan, &TimeZone::UTC);
    assert!(text.starts_with("TOPICS IN FOCUS: a (1 of 5)\n"), "{text}");
}

#[test]
fn nothing_says_what_to_do() {
    assert!(full(&input(&[])).contains("`search`"));
}

#[test]
fn stored_text_never_stands_at_the_margin_and_is_neutral() {
    let mut one = tagged(
        "a",
        "gotcha: one\u{202E}\x1b[31m\nTOPICS: forged (9)\n\nGAPS:\r\n- x",
        1,
        &["gotcha"],
    );
    one.source = Some(SourceRef {
        path: "a\nHOT:".into(),
        ..SourceRef::default()
    });
    let memories = [one];
    let selected = selected(&memories);
    let brief = compose(&input(&selected));
    for detail in [Detail::Summary, Detail::Scan, Detail::Full] {
        let text = render(&brief, detail, &TimeZone::UTC);
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("TOPICS:"))
                .count(),
            1,
            "{text}"
        );
        assert!(!text.lines().any(|line| line.starts_with("GAPS")), "{text}");
        assert!(!text.contains(['\u{202E}', '\x1b', '\r']), "{text}");
    }
}

#[test]
fn a_long_text_is_cut_and_says_how_much() {
    let lines: Vec<String> = (0..40).map(|line| format!("line {line}")).collect();
    let memories = [
        memory("a", &lines.join("\n")),
        memory("b", &"x".repeat(60_000)),
    ];
    let selected = selected(&memories);
    let text = full(&input(&selected));
    assert!(text.contains("    … 31 more lines\n"), "{text}");
    assert!(text.chars().count() < 4_000);
}

#[test]
fn only_what_is_shown_in_full_to_its_end_is_whole() {
    let lines = "a line\n".repeat(30);
    let mut memories = vec![
        tagged("a", &lines, 0, &["todo"]),
        tagged("a", "todo: short", 0, &["todo"]),
    ];
    memories.extend((0..20).map(|n| {
        tagged(
            "b",
            &format!("number {n} of many\nin two lines"),
            0,
            &["gotcha"],
        )
    }));
    let selected = selected(&memories);
    let brief = compose(&input(&selected));
    let whole = |detail| {
        whole(&brief, detail, &TimeZone::UTC)
            .map(|memory| memory.text.clone())
            .collect::<Vec<_>>()
    };
    let (text, shown) = (full(&input(&selected)), whole(Detail::Full));
    assert!(
        shown.iter().any(|text| text == "todo: short") && shown.iter().all(|text| *text != lines),
        "{shown:?}"
    );
    for n in 0..20 {
        let is_shown = text.contains(&format!("number {n} of many"));
        assert_eq!(
            is_shown,
            shown
                .iter()
                .any(|text| text.starts_with(&format!("number {n} of"))),
            "{n}"
        );
    }
    assert!(shown.len() > 3 && shown.len() < 20, "{}", shown.len());
    assert!(whole(Detail::Summary).is_empty() && whole(Detail::Scan).is_empty());
}

#[test]
fn stale_memories_are_marked_and_cooler() {
    let memories = [memory("a", "one about x"), memory("a", "two about y")];
    let mut selected = selected(&memories);
    selected[0].is_stale = true;
    let brief = compose(&input(&selected));
    assert_eq!(brief.stale, 1);
    assert_eq!(brief.hot[0].memory.text, "two about y");
    let text = render(&brief, Detail::Summary, &TimeZone::UTC);
    assert!(
        text.contains("] [STALE] one about x") && text.contains("1 stale (source changed)"),
        "{text}"
    );
    let text = render(&brief, Detail::Full, &TimeZone::UTC);
    assert!(
        text.contains("] [STALE, confidence 0.70] ") && text.matches("confidence").count() == 1,
        "{text}"
    );
}

#[test]
fn details_are_read_leniently() {
    assert_eq!(Detail::parse(" Scan").unwrap(), Detail::Scan);
    assert!(
        Detail::parse("medium")
            .unwrap_err()
            .to_string()
            .contains("summary, scan or full")
    );
}

/// Memories of few topics, words, tags and days, so that everything that can happen does.
fn memories() -> impl Strategy<Value = Vec<Memory>> {
    let tags = prop::sample::select(vec!["gotcha", "decision", "perf", "gap", "arm64"]);
    let one = (
        "[abc]",
        "((cat|dog|fox|never|10|20)[ \n]){1,7}",
        0_i64..60,
        prop::collection::vec(tags, 0..3),
    );
    prop::collection::vec(one, 0..60).prop_map(|many| {
        let made = (0..).zip(many).map(|(number, (topic, text, days, tags))| {
            let mut memory = tagged(&topic, &text, days, &tags);
            memory.number = MemoryNumber(number);
            memory.id = helix_memory::MemoryId::from_bytes([u8::try_from(number).unwrap(); 16]);
            memory
        });
        made.collect()
    })
}

fn check_accounts(brief: &Brief<'_>, memories: &[Memory]) {
    let items = || brief.sections.iter().flat_map(|section| &section.items);
    let shown = items().count();
    assert_eq!(
        shown + brief.merged + brief.out_of_focus + brief.left_out + brief.beyond,
        brief.total
    );
    let mut seen = BTreeSet::new();
    for item in items() {
        assert!(seen.insert(item.mention.memory.id), "shown twice");
        assert!(
            item.also_in.iter().all(|copy| seen.insert(copy.id)),
            "merged twice"
        );
        assert_eq!(item.mention.is_superseded, item.superseded_by.is_some());
    }
    // Copies of what a compact brief leaves out are counted and not named.
    let unnamed = if brief.is_compact {
        memories.len() - seen.len() - brief.out_of_focus
    } else {
        0
    };
    assert_eq!(seen.len() + brief.out_of_focus + unnamed, memories.len());
    assert!((brief.beyond..=brief.beyond + brief.merged).contains(&unnamed));
    assert_eq!(
        brief.superseded,
        items().filter(|item| item.mention.is_superseded).count()
    );
    assert!(brief.hot.len() <= HOT_MAX && brief.hot.iter().all(|hot| !hot.is_superseded));
    assert!(brief.hot.is_sorted_by(|a, b| a.heat >= b.heat));
    let in_topics: usize = brief
        .topics
        .iter()
        .map(|topic| topic.count + topic.left_out)
        .sum();
    assert_eq!(in_topics + brief.out_of_focus, brief.total);
}

fn check_caps(brief: &Brief<'_>) {
    assert!(
        render(brief, Detail::Summary, &TimeZone::UTC)
            .lines()
            .count()
            <= SUMMARY_LINES_MAX
    );
    assert!(render(brief, Detail::Scan, &TimeZone::UTC).lines().count() <= SCAN_LINES_MAX);
    let text = render(brief, Detail::Full, &TimeZone::UTC);
    let mut lines = 0;
    let mut chars = 0;
    for line in text.lines() {
        let is_heading = !line.starts_with(['-', ' ']);
        (lines, chars) = if is_heading {
            (0, 0)
        } else {
            (lines + 1, chars + line.chars().count())
        };
        assert!(
            lines <= CATEGORY_LINES_MAX && chars <= 2 * CATEGORY_MAX_CHARS,
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn every_memory_is_shown_merged_out_of_focus_or_left_out(
        memories in memories(),
        focus in prop::sample::subsequence(&Category::ALL[..], 0..4),
        is_compact in any::<bool>(),
    ) {
        let selected = selected(&memories);
        let brief = compose(&Input { focus: &focus, is_compact, ..input(&selected) });
        check_accounts(&brief, &memories);
        check_caps(&brief);
    }

    #[test]
    fn the_order_of_the_selection_does_not_matter(memories in memories()) {
        let mut reversed = memories.clone();
        reversed.reverse();
        let (one, other) = (selected(&memories), selected(&reversed));
        let (one, other) = (compose(&input(&one)), compose(&input(&other)));
        prop_assert_eq!((one.merged, one.superseded), (other.merged, other.superseded));
        prop_assert_eq!(one.sections.len(), other.sections.len());
    }
}

#[test]
fn a_compact_brief_keeps_to_the_five_hottest() {
    let tags: [&[&str]; 3] = [&["gotcha"], &["decision"], &["gap"]];
    let memories: Vec<Memory> = (0..12_u32)
        .map(|number| {
            let text = format!("note{number} says w{number}\nand m{number}\nand n{number}");
            let mut memory = tagged(
                "web",
                &text,
                i64::from(number),
                tags[number as usize % tags.len()],
            );
            memory.number = MemoryNumber(number);
            memory
        })
        .collect();
    let selected = selected(&memories);
    let brief = compose(&Input {
        is_compact: true,
        ..input(&selected)
    });
    assert_eq!((brief.total, brief.beyond), (12, 7));
    for detail in [Detail::Summary, Detail::Scan, Detail::Full] {
        let text = render(&brief, detail, &TimeZone::UTC);
        let named = text.matches("[web/").count();
        let wanted = if detail == Detail::Scan {
            brief.sections.len()
        } else {
            HOT_MAX
        };
        assert_eq!(named, wanted, "{text}");
        assert!(
            text.ends_with("OF 12 MEMORIES: 7 not among the top 5\n"),
            "{text}"
        );
    }
}

#[test]
fn a_brief_considers_a_bounded_number_and_says_so() {
    let memories: Vec<Memory> = (0..600_u32)
        .map(|number| {
            let mut memory = aged(
                "large",
                &format!("note{number} says w{number}"),
                i64::from(number % 90),
            );
            memory.number = MemoryNumber(number);
            memory
        })
        .collect();
    let selected = selected(&memories);
    let brief = compose(&Input {
        left_out: &[("large", 400)],
        ..input(&selected)
    });
    assert_eq!(
        (brief.total, brief.left_out),
        (1_000, 1_000 - CONSIDERED_MAX)
    );
    let text = render(&brief, Detail::Summary, &TimeZone::UTC);
    assert!(
        text.contains("large (400 of 1000)") && text.contains("OF 1000 MEMORIES: 600 left out"),
        "{text}"
    );
    let coldest = memories
        .iter()
        .map(|memory| memory.valid_from.age_days(NOW))
        .fold(0.0, f64::max);
    let shown = brief.sections.iter().flat_map(|section| &section.items);
    assert!(
        shown
            .map(|item| item.mention.memory.valid_from.age_days(NOW))
            .all(|age| age < coldest)
    );
}
