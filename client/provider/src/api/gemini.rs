//! Google's `generateContent`.

use serde_json::{Value, json};

use super::{Request, tokens};
use crate::backend::Backend;
use crate::prompt::Prompt;

/// Models that think before they answer unless told not to; thoughts cost as answers do.
const THINKING: &str = "gemini-2.5-flash";

pub(super) fn request(backend: &Backend, prompt: &Prompt) -> Request {
    let mut generation = json!({
        "responseMimeType": "application/json",
        "responseSchema": without_additions(&prompt.schema),
        "maxOutputTokens": prompt.answer_tokens,
        "temperature": 0,
    });
    if backend.model.starts_with(THINKING)
        && let Some(fields) = generation.as_object_mut()
    {
        fields.insert("thinkingConfig".to_owned(), json!({ "thinkingBudget": 0 }));
    }
    let body = json!({
        "systemInstruction": { "parts": [{ "text": prompt.instructions }] },
        "contents": [{ "role": "user", "parts": [{ "text": prompt.input }] }],
        "generationConfig": generation,
    });
    Request {
        url: format!(
            "{}/v1beta/models/{}:generateContent",
            backend.base_url, backend.model
        ),
        headers: &[],
        key_header: ("x-goog-api-key", ""),
        body,
    }
}

/// The schema without `additionalProperties`, which this API refuses.
fn without_additions(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "additionalProperties")
            .map(|(name, value)| (name.clone(), without_additions(value)))
            .collect(),
        other => other.clone(),
    }
}

pub(super) fn text(answer: &Value) -> Option<String> {
    let parts = answer.pointer("/candidates/0/content/parts")?.as_array()?;
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    Some(texts.collect())
}

pub(super) fn usage(answer: &Value) -> Option<(u64, u64)> {
    let usage = answer.get("usageMetadata");
    let usage = usage.filter(|usage| usage.is_object())?;
    let thoughts = tokens(usage, "thoughtsTokenCount");
    Some((
        tokens(usage, "promptTokenCount"),
        tokens(usage, "candidatesTokenCount") + thoughts,
    ))
}
