//! Ollama's `api/chat`.

use serde_json::{Value, json};

use super::{Request, tokens};
use crate::backend::Backend;
use crate::prompt::Prompt;

/// The context grows in steps: another size has the model loaded anew.
const CONTEXT_STEP_TOKENS: u64 = 4_096;

pub(super) fn request(backend: &Backend, prompt: &Prompt) -> Request {
    let body = json!({
        "model": backend.model,
        "messages": [
            { "role": "system", "content": prompt.instructions },
            { "role": "user", "content": prompt.input },
        ],
        "format": prompt.schema,
        "stream": false,
        "options": {
            "temperature": 0,
            "num_predict": prompt.answer_tokens,
            "num_ctx": context_tokens(prompt),
        },
    });
    Request {
        url: format!("{}/api/chat", backend.base_url),
        headers: &[],
        key_header: ("authorization", "Bearer "),
        body,
    }
}

/// Tokens that question and answer take together. Unless told, Ollama cuts off the beginning of what is
/// longer than a few thousand, and says nothing of it.
fn context_tokens(prompt: &Prompt) -> u64 {
    prompt.tokens_max().next_multiple_of(CONTEXT_STEP_TOKENS)
}

pub(super) fn text(answer: &Value) -> Option<String> {
    let text = answer.pointer("/message/content")?.as_str()?;
    Some(text.to_owned())
}

pub(super) fn usage(answer: &Value) -> Option<(u64, u64)> {
    answer.get("prompt_eval_count")?;
    Some((
        tokens(answer, "prompt_eval_count"),
        tokens(answer, "eval_count"),
    ))
}
