use super::super::samples::{arm64, hit, hostile, long, utc};
use super::*;

fn shown(reply: &SearchReply, limit: usize, detail: Detail, explain: bool) -> String {
    found(&Found { reply, query: "arm64 linking", limit, detail, explain }, &utc())
}

fn two_hits() -> SearchReply {
    SearchReply {
        hits: vec![hit(arm64(), 0.0325), hit(hostile(), 0.0161)],
        fell_back_to_any: true,
        notes: vec!["meaning was not searched: no model is installed".to_owned()],
        ..SearchReply::default()
    }
}

fn topics_of(names: &[&str]) -> SearchReply {
    let hits = names.iter().map(|name| {
        let mut memory = arm64();
        memory.topic = (*name).to_owned();
        hit(memory, 0.1)
    });
    SearchReply { hits: hits.collect(), ..SearchReply::default() }
}

#[test]
fn medium_shows_two_lines() {
    insta::assert_snapshot!(shown(&two_hits(), 10, Detail::Medium, false));
}

#[test]
fn full_marks_matched_lines() {
    insta::assert_snapshot!(shown(&two_hits(), 10, Detail::Full, false));
}

#[test]
fn brief_is_one_line_a_hit() {
    insta::assert_snapshot!(shown(&two_hits(), 10, Detail::Brief, false));
}

#[test]
fn grouped_is_by_topic() {
    insta::assert_snapshot!(shown(&two_hits(), 10, Detail::Grouped, false));
}

#[test]
fn explain_shows_the_parts_of_the_score() {
    insta::assert_snapshot!(shown(&two_hits(), 1, Detail::Brief, true));
}

#[test]
fn counts_say_when_they_are_a_floor() {
    let few = topics_of(&["a", "b", "a"]);
    assert_eq!(shown(&few, 200, Detail::Count, false), "3 memories match");
    assert_eq!(shown(&few, 200, Detail::Topics, false), "a 2\nb 1");
    let capped = topics_of(&["b", "a", "a", "a"]);
    assert_eq!(shown(&capped, 200, Detail::Count, false), "at least 4 memories match");
    assert_eq!(shown(&capped, 200, Detail::Topics, false), "a 3+\nb 1");
    let one_topic = topics_of(&["a"; 5]);
    assert_eq!(shown(&one_topic, 200, Detail::Count, false), "5 memories match");
    assert_eq!(shown(&SearchReply::default(), 200, Detail::Count, false), "0 memories match");
}

#[test]
fn a_hit_over_the_limit_becomes_a_pointer() {
    let text = shown(&two_hits(), 1, Detail::Medium, false);
    assert!(!text.contains("0.016"));
    assert!(text.ends_with("more match; limit=2 shows further ones, topic, tag or kind narrow them"), "{text}");
}

#[test]
fn answers_are_bounded() {
    let hits = (0..50).map(|at| hit(long(&format!("big/{at}"), 9_000), 0.1)).collect();
    let text = shown(&SearchReply { hits, ..SearchReply::default() }, 50, Detail::Full, false);
    assert!(text.chars().count() < 21_000, "{}", text.chars().count());
    assert!(text.ends_with("46 more found but too long to show; use detail=brief or a narrower query"), "{text}");
}

#[test]
fn nothing_found_says_what_to_do() {
    let empty = SearchReply { fell_back_to_any: true, ..SearchReply::default() };
    insta::assert_snapshot!(
        shown(&empty, 10, Detail::Medium, false),
        @r#"no memory matches "arm64 linking"; try fewer or other words, drop filters, or scope=all"#
    );
    let no_words = Found { reply: &empty, query: "", limit: 10, detail: Detail::Brief, explain: false };
    insta::assert_snapshot!(found(&no_words, &utc()), @"no memory passes these filters; drop one or widen the dates");
}
