//! What the tools look like to a client, and what they cost.

use serde_json::{Value, json};

use crate::harness::Bridge;

/// What the tools may cost, in tokens of four characters: a third of what the whole product may.
const TOOLS_MAX_TOKENS: usize = 1_200;

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
        assert!(tool["description"].as_str().unwrap().len() < DESCRIPTION_MAX_BYTES, "{tool}");
    }
}
