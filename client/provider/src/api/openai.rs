//! `chat/completions`, as `OpenAI` and many servers speak it.

use serde_json::{Value, json};

use super::{Request, tokens};
use crate::backend::Backend;
use crate::prompt::Prompt;

pub(super) fn request(backend: &Backend, prompt: &Prompt) -> Request {
    let body = json!({
        "model": backend.model,
        "messages": [
            { "role": "system", "content": prompt.instructions },
            { "role": "user", "content": prompt.input },
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": prompt.schema },
        },
        "max_tokens": prompt.answer_tokens,
        "temperature": 0,
    });
    Request {
        url: format!("{}/chat/completions", backend.base_url),
        headers: &[],
        key_header: ("authorization", "Bearer "),
        body,
    }
}

pub(super) fn text(answer: &Value) -> Option<String> {
    let text = answer.pointer("/choices/0/message/content")?.as_str()?;
    Some(text.to_owned())
}

pub(super) fn usage(answer: &Value) -> Option<(u64, u64)> {
    let usage = answer.get("usage").filter(|usage| usage.is_object())?;
    Some((
        tokens(usage, "prompt_tokens"),
        tokens(usage, "completion_tokens"),
    ))
}
