use helix_client::v1::{FoundBy, Hit, Memory, NamedCount, SourceState};

use super::super::samples::{arm64, hit, hostile, long, utc};
use super::*;

fn shown(reply: &SearchReply, detail: Detail, explain: bool) -> String {
    found(
        &Found {
            reply,
            query: "arm64 linking",
            is_filtered: false,
            then: None,
            detail,
            explain,
        },
        &utc(),
    )
}

fn two_hits() -> SearchReply {
    SearchReply {
        hits: vec![hit(arm64(), 0.0325), hit(hostile(), 0.0161)],
        fell_back_to_any: true,
        notes: vec!["meaning was not searched: no model is installed".to_owned()],
        ..SearchReply::default()
    }
}

#[test]
fn medium_shows_two_lines() {
    insta::assert_snapshot!(shown(&two_hits(), Detail::Medium, false));
}

#[test]
fn full_marks_matched_lines() {
    insta::assert_snapshot!(shown(&two_hits(), Detail::Full, false));
}

#[test]
fn brief_is_one_line_a_hit() {
    insta::assert_snapshot!(shown(&two_hits(), Detail::Brief, false));
}

#[test]
fn grouped_is_by_topic() {
    insta::assert_snapshot!(shown(&two_hits(), Detail::Grouped, false));
}

#[test]
fn a_changed_source_is_marked_on_one_line() {
    let changed = Memory {
        source_state: SourceState::Changed.into(),
        ..arm64()
    };
    let deleted = Memory {
        source_state: SourceState::Deleted.into(),
        ..arm64()
    };
    let near = Hit {
        found_by: FoundBy::Meaning.into(),
        ..hit(deleted, 0.0161)
    };
    let reply = SearchReply {
        hits: vec![hit(changed, 0.0325), near],
        ..SearchReply::default()
    };
    let texts = [
        shown(&reply, Detail::Brief, false),
        shown(&reply, Detail::Grouped, false),
    ];
    insta::assert_snapshot!(texts.join("\n---\n"));
}

#[test]
fn explain_shows_the_parts_of_the_score() {
    insta::assert_snapshot!(shown(&two_hits(), Detail::Brief, true));
}

#[test]
fn counts_are_exact() {
    let count = |name: &str, count| NamedCount {
        name: name.to_owned(),
        count,
    };
    let reply = SearchReply {
        total: 1_234,
        topic_counts: vec![count("a", 1_230), count("b\nc", 4)],
        ..two_hits()
    };
    let counted = SearchReply {
        hits: Vec::new(),
        notes: Vec::new(),
        ..reply
    };
    let texts = [
        shown(&counted, Detail::Count, false),
        shown(&counted, Detail::Topics, false),
    ];
    insta::assert_snapshot!(texts.join("\n---\n"), @r"
    no memory has all terms; showing any
    1234 memories match
    ---
    no memory has all terms; showing any
    a 1230
    b c 4
    ");
    assert_eq!(
        shown(&SearchReply::default(), Detail::Count, false),
        "0 memories match"
    );
}

#[test]
fn a_cursor_leads_on() {
    let reply = SearchReply {
        next_cursor: "c2\u{200b}0".to_owned(),
        ..two_hits()
    };
    let text = shown(&reply, Detail::Medium, false);
    let hint = "more match; cursor=c20 with the same arguments shows the next, topic, tag or kind narrow them";
    assert!(text.ends_with(hint), "{text}");
}

#[test]
fn answers_are_bounded() {
    let hits = (0..50)
        .map(|at| hit(long(&format!("big/{at}"), 9_000), 0.1))
        .collect();
    let text = shown(
        &SearchReply {
            hits,
            next_cursor: "c".to_owned(),
            ..SearchReply::default()
        },
        Detail::Full,
        false,
    );
    assert!(text.chars().count() < 21_000, "{}", text.chars().count());
    assert!(
        text.ends_with("46 more found but too long to show; use detail=brief, or limit=4 to page"),
        "{text}"
    );
}

#[test]
fn nothing_found_says_what_to_do() {
    let empty = SearchReply {
        fell_back_to_any: true,
        ..SearchReply::default()
    };
    insta::assert_snapshot!(
        shown(&empty, Detail::Medium, false),
        @r#"no memory matches "arm64 linking"; try fewer or other words, or scope=all"#
    );
    let no_words = Found {
        reply: &empty,
        query: "",
        is_filtered: true,
        then: None,
        detail: Detail::Brief,
        explain: false,
    };
    insta::assert_snapshot!(found(&no_words, &utc()), @"no memory passes these filters; drop one or widen the dates");
    let earlier = Found {
        query: "arm64",
        then: Some("that held then"),
        ..no_words
    };
    insta::assert_snapshot!(
        found(&earlier, &utc()),
        @r#"there is no memory that held then and matches "arm64"; without as_of and valid_at the search is of now"#
    );
}
