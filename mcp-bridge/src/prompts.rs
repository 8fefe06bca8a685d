//! Prompts that a person asks for by name, in clients that show them: "remember this".

use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};

use crate::clean;
use crate::tools::ToolSet;

/// The prompt's name, which clients show as a command.
const REMEMBER: &str = "remember";

/// The prompt's one argument.
const TEXT: &str = "text";

/// Longest name that an error repeats, in characters.
const NAME_MAX_CHARS: usize = 64;

/// Longest text that is put into the prompt, in bytes: as much as one memory may have.
const TEXT_MAX_BYTES: usize = helix_client::limits::MEMORY_TEXT_MAX_BYTES;

/// The prompts, in the order in which they are listed.
pub(crate) fn listed() -> Vec<Prompt> {
    let text = PromptArgument::new(TEXT)
        .with_description("What to remember; left out: what was said last.")
        .with_required(false);
    let about = "Keeps a sentence for later sessions; where it belongs is inferred.";
    vec![Prompt::new(REMEMBER, Some(about), Some(vec![text])).with_title("Remember this")]
}

/// Makes a prompt.
///
/// # Errors
/// Invalid parameters when there is none of this name, or the text is too long.
pub(crate) fn get(
    name: &str,
    arguments: Option<JsonObject>,
    tools: ToolSet,
) -> Result<GetPromptResult, ErrorData> {
    if name != REMEMBER {
        let name: String = name.chars().take(NAME_MAX_CHARS).collect();
        let message = format!("unknown prompt {name}; there is {REMEMBER}");
        return Err(ErrorData::invalid_params(message, None));
    }
    let arguments = arguments.unwrap_or_default();
    let text = arguments.get(TEXT).and_then(|text| text.as_str());
    let text = clean::block(text.unwrap_or_default().trim());
    if text.len() > TEXT_MAX_BYTES {
        let message = format!(
            "the text has {} bytes, the limit is {TEXT_MAX_BYTES}; shorten it",
            text.len()
        );
        return Err(ErrorData::invalid_params(message, None));
    }
    let said = PromptMessage::new_text(Role::User, message(&text, tools));
    Ok(GetPromptResult::new(vec![said]))
}

fn message(text: &str, tools: ToolSet) -> String {
    let call = match tools {
        ToolSet::Helix => "`store` (text alone, without a topic)",
        ToolSet::Memory => "`memory.note`",
        ToolSet::Context => "`context.store`",
    };
    if text.is_empty() {
        format!(
            "Remember what I said last for later sessions. Put it into one or two sentences that a stranger \
             understands, store them with {call}, and tell me where they went."
        )
    } else {
        format!(
            "Remember this for later sessions. Store it with {call}, word for word unless it needs a name to be \
             understood, and tell me where it went:\n\n{text}"
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn said(given: &serde_json::Value, tools: ToolSet) -> String {
        let result = get(REMEMBER, given.as_object().cloned(), tools).unwrap();
        serde_json::to_string(&result.messages).unwrap()
    }

    #[test]
    fn a_text_is_stored_by_the_tool_that_the_server_has() {
        let text = said(&json!({"text": "Linking needs arm64."}), ToolSet::Helix);
        assert!(text.contains("`store`"), "{text}");
        assert!(text.contains("Linking needs arm64."), "{text}");
        let text = said(&json!({}), ToolSet::Memory);
        assert!(text.contains("what I said last"), "{text}");
        assert!(text.contains("`memory.note`"), "{text}");
    }

    #[test]
    fn other_names_and_long_texts_are_refused() {
        let unknown = get("recall", None, ToolSet::Helix).unwrap_err();
        assert_eq!(unknown.message, "unknown prompt recall; there is remember");
        let long = json!({"text": "x".repeat(TEXT_MAX_BYTES + 1)});
        let refused = get(REMEMBER, long.as_object().cloned(), ToolSet::Helix).unwrap_err();
        assert!(
            refused.message.contains("shorten it"),
            "{}",
            refused.message
        );
    }
}
