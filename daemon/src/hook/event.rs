//! What clients write to a hook and what they accept from it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

/// Longest session or agent id that is kept, in bytes; real ones are UUIDs.
const ID_MAX_BYTES: usize = 128;

/// A client's event, by the name that its answer must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientEvent {
    SessionStart,
    PreToolUse,
}

impl ClientEvent {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::PreToolUse => "PreToolUse",
        }
    }
}

/// The fields of a hook's stdin that are used; unknown ones are ignored, absent ones empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    pub(super) session_id: String,
    pub(super) agent_id: String,
    pub(super) cwd: String,
    pub(super) hook_event_name: String,
    pub(super) source: String,
    pub(super) tool_name: String,
    pub(super) tool_input: ToolInput,
}

/// The fields of a tool's input that are used.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolInput {
    pub(super) file_path: Option<String>,
    pub(super) notebook_path: Option<String>,
    pub(super) path: Option<String>,
    pub(super) pattern: Option<String>,
}

impl Input {
    /// Reads a hook's stdin; `None` when it is not what clients send.
    pub(super) fn parse(stdin: &[u8]) -> Option<Self> {
        // serde would read an array as the fields in their order.
        let is_object = stdin.trim_ascii_start().starts_with(b"{");
        let input: Self = is_object.then(|| serde_json::from_slice(stdin).ok()).flatten()?;
        let is_plausible = input.session_id.len() <= ID_MAX_BYTES && input.agent_id.len() <= ID_MAX_BYTES;
        is_plausible.then_some(input)
    }

    /// Where the session works.
    pub(super) fn directory(&self, project_dir: &str) -> PathBuf {
        let directory = if self.cwd.is_empty() { project_dir } else { &self.cwd };
        Path::new(directory).to_owned()
    }

    /// The file that the tool is about to touch, as an absolute path.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let tool = &self.tool_input;
        let named = tool.file_path.as_ref().or(tool.notebook_path.as_ref()).or(tool.path.as_ref())?;
        Some(Path::new(&self.cwd).join(named)).filter(|path| path.is_absolute())
    }

    /// Tells sessions and, inside them, subagents apart: each has a context of its own.
    pub(super) fn session_key(&self) -> String {
        if self.agent_id.is_empty() {
            self.session_id.clone()
        } else {
            format!("{}/{}", self.session_id, self.agent_id)
        }
    }

    /// Whether the session takes a task up again.
    pub(super) fn resumes(&self) -> bool {
        matches!(self.source.as_str(), "compact" | "resume")
    }

    /// Whether what the session was given is no longer in its context.
    pub(super) fn forgets_context(&self) -> bool {
        matches!(self.source.as_str(), "startup" | "clear" | "compact")
    }
}

/// The answer that puts text in front of the model.
pub(super) fn additional_context(event: ClientEvent, text: &str) -> Vec<u8> {
    let answer = json!({ "hookSpecificOutput": { "hookEventName": event.name(), "additionalContext": text } });
    answer.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn inputs_are_read_leniently() {
        let input =
            Input::parse(br#"{"session_id":"s","agent_id":"a","extra":[1],"tool_input":{"file_path":"/x","limit":3}}"#);
        let input = input.unwrap();
        assert_eq!(input.session_key(), "s/a");
        assert_eq!(input.tool_input.file_path.as_deref(), Some("/x"));
        assert!(Input::parse(b"{\"session_id\":").is_none());
        assert!(Input::parse(b"[]").is_none());
    }

    #[test]
    fn answers_carry_the_event() {
        let answer = additional_context(ClientEvent::PreToolUse, "a \"b\"");
        assert_eq!(
            String::from_utf8(answer).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a \"b\""}}"#
        );
    }
}
