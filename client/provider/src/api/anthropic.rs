//! Anthropic's `messages`. The answer is the input of a tool that the model has to use, which is how
//! a schema is enforced there.

use serde_json::{Value, json};

use super::{Request, tokens};
use crate::backend::Backend;
use crate::prompt::Prompt;

const TOOL: &str = "answer";

pub(super) fn request(backend: &Backend, prompt: &Prompt) -> Request {
    let body = json!({
        "model": backend.model,
        "system": prompt.instructions,
        "messages": [{ "role": "user", "content": prompt.input }],
        "tools": [{
            "name": TOOL,
            "description": "Takes the answer.",
            "input_schema": prompt.schema,
        }],
        "tool_choice": { "type": "tool", "name": TOOL },
        "max_tokens": prompt.answer_tokens,
        "temperature": 0,
    });
    Request {
        url: format!("{}/v1/messages", backend.base_url),
        headers: &[("anthropic-version", "2023-06-01")],
        key_header: ("x-api-key", ""),
        body,
    }
}

pub(super) fn text(answer: &Value) -> Option<String> {
    let content = answer.get("content")?.as_array()?;
    let used = content.iter().find_map(|part| part.get("input"))?;
    Some(used.to_string())
}

pub(super) fn usage(answer: &Value) -> Option<(u64, u64)> {
    let usage = answer.get("usage").filter(|usage| usage.is_object())?;
    Some((
        tokens(usage, "input_tokens"),
        tokens(usage, "output_tokens"),
    ))
}
