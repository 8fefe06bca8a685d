//! What the tools look like to a client, and what they cost.

use serde_json::{Value, json};

use crate::harness::Bridge;

/// What the tools may cost, in tokens of four characters: names, descriptions, schemas and hints of
/// all of them.
const TOOLS_MAX_TOKENS: usize = 3_500;

/// Clients cut descriptions here.
const DESCRIPTION_MAX_BYTES: usize = 2_000;

fn tools() -> Value {
    let mut bridge = Bridge::start();
    bridge.initialize();
    let mut answer = bridge.ask(&json!(1), "tools/list", &json!({}));
    bridge.finish_cleanly();
    answer["result"]["tools"].take()
}

#[test]
fn the_tools_are_as_agreed() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools()).unwrap());
}

#[test]
fn the_tools_are_cheap() {
    let tools = tools();
    let tokens = tools.to_string().chars().count() / 4;
    assert!(tokens < TOOLS_MAX_TOKENS, "the tools cost {tokens} tokens");
    for tool in tools.as_array().unwrap() {
        assert!(
            tool["description"].as_str().unwrap().len() < DESCRIPTION_MAX_BYTES,
            "{tool}"
        );
    }
}

#[test]
fn clients_learn_what_a_tool_may_do() {
    let hints = |tool: &Value| {
        let hints = &tool["annotations"];
        let hint = |name: &str| {
            hints[name]
                .as_bool()
                .map_or("-", |hint| if hint { "yes" } else { "no" })
        };
        format!(
            "{} reads {} destroys {} repeats {} open {}",
            tool["name"].as_str().unwrap(),
            hint("readOnlyHint"),
            hint("destructiveHint"),
            hint("idempotentHint"),
            hint("openWorldHint")
        )
    };
    let lines: Vec<String> = tools().as_array().unwrap().iter().map(hints).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    store reads no destroys no repeats yes open no
    batch reads no destroys no repeats yes open no
    search reads yes destroys - repeats - open no
    brief reads yes destroys - repeats - open no
    read reads yes destroys - repeats - open no
    edit reads no destroys yes repeats no open no
    topics reads no destroys yes repeats yes open no
    context reads yes destroys - repeats - open no
    ");
}
