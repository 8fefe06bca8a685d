//! `chat/completions`, as `OpenAI` and many servers speak it.

use serde_json::{Value, json};

use super::{Request, Said, tokens};
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

pub(super) fn said(answer: &Value) -> Option<Said> {
    let text = answer.pointer("/choices/0/message/content")?.as_str()?;
    let usage = answer.get("usage").filter(|usage| usage.is_object());
    Some(Said {
        text: text.to_owned(),
        tokens: usage.map(|usage| {
            (
                tokens(usage, "prompt_tokens"),
                tokens(usage, "completion_tokens"),
            )
        }),
    })
}
