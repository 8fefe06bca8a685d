//! Ollama's `api/chat`.

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
        "format": prompt.schema,
        "stream": false,
        "options": { "temperature": 0, "num_predict": prompt.answer_tokens },
    });
    Request {
        url: format!("{}/api/chat", backend.base_url),
        headers: &[],
        key_header: ("authorization", "Bearer "),
        body,
    }
}

pub(super) fn said(answer: &Value) -> Option<Said> {
    let text = answer.pointer("/message/content")?.as_str()?;
    let has_usage = answer.get("prompt_eval_count").is_some();
    Some(Said {
        text: text.to_owned(),
        tokens: has_usage.then(|| {
            (
                tokens(answer, "prompt_eval_count"),
                tokens(answer, "eval_count"),
            )
        }),
    })
}
