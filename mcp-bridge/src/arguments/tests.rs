#![allow(clippy::unwrap_used)]
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Sample {
    topic: Option<Text>,
    limit: Option<Whole<1, 200>>,
    confidence: Option<Fraction>,
    #[serde(default)]
    force: Flag,
    #[serde(default)]
    tags: Words,
    mode: Option<Choice<Mode>>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    And,
    Or,
}

fn read<T: Parameters>(given: &Value) -> Result<T, ArgumentError> {
    let given: Option<JsonObject> = given.as_object().cloned();
    Form::of::<T>("store", None).read(given)
}

fn sample(given: &Value) -> Sample {
    read(given).unwrap()
}

#[test]
fn natural_types_and_strings_mean_the_same() {
    let meant = Sample {
        topic: None,
        limit: Some(Whole(5)),
        confidence: Some(Fraction(0.85)),
        force: Flag(true),
        tags: Words(vec!["a".to_owned(), "b".to_owned()]),
        mode: Some(Choice(Mode::Or)),
    };
    for value in [
        json!({"limit": 5, "confidence": 0.85, "force": true, "tags": ["a", "b"], "mode": "or"}),
        json!({"limit": "5", "confidence": "0.85", "force": "true", "tags": "a, b", "mode": "OR"}),
        json!({"limit": 5.0, "confidence": " 0.85 ", "force": "Yes", "tags": "[\"a\",\"b\"]", "mode": " or "}),
        json!({"limit": 5, "confidence": 0.85, "force": 1, "tags": [" a", "b", ""], "mode": "or"}),
    ] {
        assert_eq!(sample(&value), meant, "{value}");
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
        assert_eq!(sample(&json!({"tags": tags})).tags.0, words, "{tags}");
    }
}

#[test]
fn null_and_blank_count_as_not_given() {
    let given = json!({
        "topic": null, "limit": "", "confidence": " ", "force": null, "tags": "", "mode": " ",
    });
    assert_eq!(sample(&given), sample(&json!({})));
}

#[test]
fn errors_say_what_was_expected_and_what_came() {
    let errors = [
        json!({"topic": {"a": 1}}),
        json!({"limit": "ten"}),
        json!({"confidence": 85}),
        json!({"force": "maybe"}),
        json!({"force": 1.5}),
        json!({"tags": [true]}),
        json!({"mode": "xor"}),
        json!({"mode": 7}),
        json!({"limit": 500}),
        json!({"limit": -1}),
        json!({"confidence": "NaN"}),
    ]
    .map(|given| read::<Sample>(&given).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    topic: expected text, got {"a":1}
    limit: expected a whole number like 10, got "ten"
    confidence: expected a number from 0 to 1 like 0.85, got 85
    force: expected true or false, got "maybe"
    force: expected true or false, got 1.5
    tags: expected words like "a,b" or ["a", "b"], got [true]
    mode: expected one of and, or, got "xor"
    mode: expected one of and, or, got 7
    limit: expected a whole number from 1 to 200, got 500
    limit: expected a whole number from 1 to 200, got -1
    confidence: expected a number from 0 to 1 like 0.85, got "NaN"
    "#);
}

#[test]
fn unknown_arguments_are_named_with_the_known_ones() {
    let error = read::<Sample>(&json!({"topic": "a", "txt": "b", "x": 1})).unwrap_err();
    insta::assert_snapshot!(error, @"unknown argument txt, x; store takes: topic, limit, confidence, force, tags, mode");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Outer {
    #[serde(flatten)]
    inner: Inner,
    #[serde(default)]
    force: Flag,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq)]
struct Inner {
    topic: Text,
    text: Text,
    limit: Option<Index>,
}

#[test]
fn a_flattened_struct_keeps_the_names_of_its_arguments() {
    let outer: Outer = read(&json!({"topic": "a", "text": "b", "force": "yes"})).unwrap();
    let inner = Inner {
        topic: Text("a".to_owned()),
        text: Text("b".to_owned()),
        limit: None,
    };
    assert_eq!(outer.inner, inner);
    assert_eq!(outer.force, Flag(true));
    let errors = [
        json!({}),
        json!({"topic": "a"}),
        json!({"topic": "a", "text": "b", "limit": "ten"}),
        json!({"topic": "a", "text": "b", "tag": "c"}),
    ]
    .map(|given| read::<Outer>(&given).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    topic and text: required; give it and call again
    text: required; give it and call again
    limit: expected a whole number like 10, got "ten"
    unknown argument tag; store takes: topic, text, limit, force
    "#);
}
