#![allow(clippy::unwrap_used)]
use serde_json::json;

use super::*;

const PARAMETERS: [Parameter; 6] = [
    Parameter::required("topic", Shape::Text, ""),
    Parameter::optional("limit", Shape::Whole, ""),
    Parameter::optional("confidence", Shape::Fraction, ""),
    Parameter::optional("force", Shape::Flag, ""),
    Parameter::optional("tags", Shape::List, ""),
    Parameter::optional("mode", Shape::Choice(&["and", "or"]), ""),
];

fn arguments(value: &Value) -> Arguments {
    Arguments::new("store", &PARAMETERS, value.as_object().cloned())
        .unwrap_or_else(|error| unreachable!("{error}"))
}

fn commas(character: char) -> bool {
    character == ','
}

#[test]
fn natural_types_and_strings_mean_the_same() {
    for value in [
        json!({"limit": 5, "confidence": 0.85, "force": true, "tags": ["a", "b"], "mode": "or"}),
        json!({"limit": "5", "confidence": "0.85", "force": "true", "tags": "a, b", "mode": "OR"}),
        json!({"limit": 5.0, "confidence": " 0.85 ", "force": "Yes", "tags": "[\"a\",\"b\"]", "mode": " or "}),
    ] {
        let given = arguments(&value);
        assert_eq!(given.whole("limit", 1..=10).unwrap(), Some(5));
        assert_eq!(given.fraction("confidence").unwrap(), Some(0.85));
        assert!(given.flag("force").unwrap());
        assert_eq!(given.list("tags", commas).unwrap(), ["a", "b"]);
        assert_eq!(
            given.choice("mode", &[("and", 1), ("or", 2)]).unwrap(),
            Some(2)
        );
    }
}

#[test]
fn numbers_in_a_list_are_taken_as_written() {
    for (tags, words) in [
        (json!([0]), vec!["0"]),
        (json!([0, "a/b", 12]), vec!["0", "a/b", "12"]),
        (json!("[0, \"a/b\"]"), vec!["0", "a/b"]),
        (json!("0,1"), vec!["0", "1"]),
        (json!(3), vec!["3"]),
    ] {
        assert_eq!(
            arguments(&json!({"tags": tags}))
                .list("tags", commas)
                .unwrap(),
            words,
            "{tags}"
        );
    }
}

#[test]
fn null_and_blank_count_as_not_given() {
    let given = arguments(
        &json!({"topic": null, "limit": "", "confidence": " ", "force": null, "tags": ""}),
    );
    assert_eq!(
        given.required_text("topic"),
        Err(ArgumentError::Missing("topic"))
    );
    assert_eq!(given.whole("limit", 1..=10).unwrap(), None);
    assert_eq!(given.fraction("confidence").unwrap(), None);
    assert!(!given.flag("force").unwrap());
    assert!(given.list("tags", commas).unwrap().is_empty());
}

#[test]
fn errors_say_what_was_expected_and_what_came() {
    let given = arguments(&json!({
        "topic": {"a": 1}, "limit": "ten", "confidence": 85, "force": "maybe", "tags": [true], "mode": "xor",
    }));
    let errors = [
        given.text("topic").unwrap_err(),
        given.whole("limit", 1..=10).unwrap_err(),
        given.fraction("confidence").unwrap_err(),
        given.flag("force").unwrap_err(),
        given.list("tags", commas).unwrap_err(),
        given.choice("mode", &[("and", 1), ("or", 2)]).unwrap_err(),
        arguments(&json!({"limit": 500}))
            .whole("limit", 1..=200)
            .unwrap_err(),
        arguments(&json!({"limit": -1}))
            .whole("limit", 1..=200)
            .unwrap_err(),
        arguments(&json!({"confidence": "NaN"}))
            .fraction("confidence")
            .unwrap_err(),
    ];
    insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"), @r#"
    topic: expected text, got {"a":1}
    limit: expected a whole number like 10, got "ten"
    confidence: expected a number from 0 to 1 like 0.85, got 85
    force: expected true or false, got "maybe"
    tags: expected words like "a,b" or ["a", "b"], got [true]
    mode: expected one of and, or, got "xor"
    limit: expected a whole number from 1 to 200, got 500
    limit: expected a whole number from 1 to 200, got -1
    confidence: expected a number from 0 to 1 like 0.85, got "NaN"
    "#);
}

#[test]
fn unknown_arguments_are_named_with_the_known_ones() {
    let given = json!({"topic": "a", "txt": "b"}).as_object().cloned();
    let error = Arguments::new("store", &PARAMETERS, given).err().unwrap();
    insta::assert_snapshot!(error, @"unknown argument txt; store takes: topic, limit, confidence, force, tags, mode");
}

#[test]
fn every_shape_is_understood_as_it_is_advertised() {
    let understand = |value: Value| {
        PARAMETERS
            .iter()
            .try_for_each(|one| arguments(&value).understand(one))
    };
    assert_eq!(
        understand(
            json!({"topic": "a", "limit": "5", "confidence": 1, "force": 0, "tags": ["a"], "mode": "or"})
        ),
        Ok(())
    );
    assert_eq!(understand(json!({})), Err(ArgumentError::Missing("topic")));
    for wrong in [
        json!({"limit": 0.5}),
        json!({"confidence": 2}),
        json!({"force": "so"}),
        json!({"tags": {"a": 1}}),
        json!({"mode": ""}),
    ] {
        let given = json!({"topic": "a"})
            .as_object()
            .cloned()
            .into_iter()
            .chain(wrong.as_object().cloned())
            .flatten()
            .collect();
        assert_eq!(
            understand(Value::Object(given)).is_ok(),
            wrong == json!({"mode": ""}),
            "{wrong}"
        );
    }
}
