#![allow(clippy::unwrap_used)]
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Place, Portable, Problem, Report, samples};

fn read_value(value: &Value) -> (Portable, Report) {
    let mut report = Report::default();
    let memory = read(value.as_object().unwrap(), Place::Line(1), &mut report);
    (memory, report)
}

proptest! {
    #[test]
    fn every_field_round_trips(memory in samples::portable()) {
        let written = serde_json::to_string(&Line::new(&memory, Carries::Text)).unwrap();
        let value: Value = serde_json::from_str(&written).unwrap();
        let (mut back, report) = read_value(&value);
        back.topic.clone_from(&memory.topic);
        back.text = value["text"].as_str().unwrap().to_owned();
        prop_assert!(report.is_whole(), "{:?}", report);
        prop_assert_eq!(back, memory);
    }
}

#[test]
fn what_other_tools_write_is_understood() {
    let (memory, report) = read_value(&json!({
        "type": "gotcha", "tags": "a, b,", "source": "src/a.rs:3", "links": "t:1 u:2", "confidence": "0.5",
        "importance": 1, "pinned": "true", "date": "2026-11-21", "access_count": "7", "attributes": {"n": 1, "b": true},
        "handle": "", "kind": null, "id": null, "unheard_of": {"a": []},
    }));
    assert!(report.is_whole(), "{report:?}");
    assert_eq!(memory.kind.as_deref(), Some("gotcha"));
    assert_eq!(memory.tags, ["a", "b"]);
    assert_eq!(memory.source.unwrap().line, Some(3));
    assert_eq!(memory.links, ["t:1", "u:2"]);
    assert_eq!(
        (memory.confidence, memory.importance, memory.pinned),
        (Some(0.5), Some(1.0), true)
    );
    assert_eq!(
        memory.recorded_at.unwrap().to_string(),
        "2026-11-21T00:00:00Z"
    );
    assert_eq!(memory.access_count, 7);
    assert_eq!(memory.attributes.get("n").map(String::as_str), Some("1"));
}

#[test]
fn an_item_that_is_not_understood_costs_only_itself() {
    let (memory, report) =
        read_value(&json!({"links": [1, {"a": 2}, "t:0", -1], "tags": ["a", 7, "b"]}));
    assert_eq!(
        (memory.links, memory.tags),
        (
            ["1", "t:0"].map(str::to_owned).into(),
            ["a", "b"].map(str::to_owned).into()
        )
    );
    let item = |field, index| Problem::Item { field, index };
    let problems: Vec<Problem> = report.flaws.into_iter().map(|flaw| flaw.problem).collect();
    assert_eq!(
        problems,
        [item("tags", 1), item("links", 1), item("links", 3)]
    );
}

#[test]
fn what_is_not_understood_is_left_out_and_named() {
    let (memory, report) = read_value(&json!({
        "id": "x", "tags": [1], "scope": "team:x", "source": {"line": 1}, "confidence": "high", "pinned": 3,
        "origin": "moon", "provenance": [{"at": "soon"}], "attributes": {"a": []}, "recorded_at": "soon", "status": "odd",
        "access_count": -1,
    }));
    assert_eq!(memory, Portable::default());
    let fields: Vec<String> = report.flaws.iter().map(ToString::to_string).collect();
    assert_eq!(fields.len(), 12, "{fields:?}");
    let is_of_time = |flaw: &&String| flaw.contains("the time `recorded_at` is \"soon\"");
    assert_eq!(fields.iter().filter(is_of_time).count(), 1, "{fields:?}");
    let private = ["team:x", "moon", "high", "odd"];
    assert!(
        !fields
            .iter()
            .any(|flaw| private.iter().any(|value| flaw.contains(value))),
        "values may be private: {fields:?}"
    );
}
