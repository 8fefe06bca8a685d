//! Each provider's protocol: what it is sent, and how its answer is read.

use helix_tests::played::says;
use serde_json::Value;

use crate::harness::{KEY, Program, Reply, SAYS, backend, openai, pairs, server};

/// A secret of a shape that is known.
fn canary() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn answered(api: &str, model: &str, reply: Reply) -> String {
    let server = server(vec![reply]);
    let mut program = Program::start(vec![backend(api, model, &server)]);
    let secret = canary();
    let earlier = format!("CI pushes with {secret}.\n```rust\nfn private_code() {{}}\n```");
    let answer = program.ask(pairs(&[(&earlier, "CI pushes with a deploy key.")]));
    assert_eq!(answer.error, "");
    assert_eq!(answer.by, format!("{api}/{model}"));
    assert_eq!(answer.judged.len(), 1);
    assert_eq!(answer.judged[0].verdict, "replaces");
    let attempt = &answer.attempts[0];
    assert_eq!((attempt.tokens_in, attempt.tokens_out), (200, 30));
    let sent = server.seen().pop().unwrap();
    assert!(!sent.contains(&secret), "{sent}");
    assert!(!sent.contains("private_code"), "{sent}");
    assert!(sent.contains("deploy key"), "{sent}");
    sent
}

fn body(sent: &str) -> Value {
    serde_json::from_str(sent.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn openai_is_asked_with_a_schema() {
    let sent = answered("openai", "gpt-4o-mini", openai(SAYS));
    assert!(sent.starts_with("POST /chat/completions "), "{sent}");
    assert!(
        sent.contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{sent}"
    );
    let body = body(&sent);
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!(body["model"], "gpt-4o-mini");
}

#[test]
fn gemini_is_asked_with_its_key_in_a_header() {
    let sent = answered("gemini", "gemini-2.5-flash", says("gemini", SAYS));
    let begins = sent.starts_with("POST /v1beta/models/gemini-2.5-flash:generateContent ");
    assert!(begins, "{sent}");
    assert!(
        sent.contains(&format!("x-goog-api-key: {KEY}\r\n")),
        "{sent}"
    );
    let generation = &body(&sent)["generationConfig"];
    assert_eq!(generation["thinkingConfig"]["thinkingBudget"], 0);
    assert!(!generation.to_string().contains("additionalProperties"));
}

#[test]
fn anthropic_answers_by_a_tool() {
    let sent = answered("anthropic", "claude-haiku-4-5", says("anthropic", SAYS));
    assert!(sent.starts_with("POST /v1/messages "), "{sent}");
    assert!(sent.contains(&format!("x-api-key: {KEY}\r\n")), "{sent}");
    assert_eq!(body(&sent)["tool_choice"]["name"], "answer");
}

#[test]
fn ollama_is_asked_with_a_format_and_room_for_the_question() {
    let sent = answered("ollama", "qwen3", says("ollama", SAYS));
    assert!(sent.starts_with("POST /api/chat "), "{sent}");
    let body = body(&sent);
    assert_eq!(body["format"]["required"][0], "items");
    assert_eq!(body["options"]["num_ctx"], 4_096);
}
