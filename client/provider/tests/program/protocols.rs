//! Each provider's protocol: what it is sent, and how its answer is read.

use serde_json::{Value, json};

use crate::harness::{KEY, Program, Reply, SAYS, Server, backend, openai, pairs};

/// A secret of a shape that is known.
fn canary() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn answered(api: &str, model: &str, reply: Reply) -> String {
    let server = Server::of(vec![reply]);
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
    let reply = json!({
        "candidates": [{ "content": { "parts": [{ "text": SAYS }] } }],
        "usageMetadata": { "promptTokenCount": 200, "candidatesTokenCount": 20, "thoughtsTokenCount": 10 },
    });
    let sent = answered(
        "gemini",
        "gemini-2.5-flash",
        Reply::Of(200, reply.to_string()),
    );
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
    let input: Value = serde_json::from_str(SAYS).unwrap();
    let reply = json!({
        "content": [{ "type": "text", "text": "Well." }, { "type": "tool_use", "name": "answer", "input": input }],
        "usage": { "input_tokens": 200, "output_tokens": 30 },
    });
    let sent = answered(
        "anthropic",
        "claude-haiku-4-5",
        Reply::Of(200, reply.to_string()),
    );
    assert!(sent.starts_with("POST /v1/messages "), "{sent}");
    assert!(sent.contains(&format!("x-api-key: {KEY}\r\n")), "{sent}");
    assert_eq!(body(&sent)["tool_choice"]["name"], "answer");
}

#[test]
fn ollama_is_asked_with_a_format() {
    let reply = json!({
        "message": { "role": "assistant", "content": SAYS },
        "prompt_eval_count": 200,
        "eval_count": 30,
    });
    let sent = answered("ollama", "qwen3", Reply::Of(200, reply.to_string()));
    assert!(sent.starts_with("POST /api/chat "), "{sent}");
    assert_eq!(body(&sent)["format"]["required"][0], "items");
}
