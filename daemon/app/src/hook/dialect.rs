//! The words of the clients: which of their events is which, what their tools are called, and in
//! which keys an answer stands. A client drops an answer with a key that it does not know.

use helix_memory::Memory;
use serde_json::{Value, json};

use super::event::{ClientEvent, Input, Writer};
use crate::capture::memories;

/// Whose words a hook speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Claude Code's.
    Claude,
    /// Codex's: the same, but for the end of a turn.
    Codex,
    /// Cursor's.
    Cursor,
    /// Gemini CLI's.
    Gemini,
}

/// Gemini CLI's events, and what they are called here.
const GEMINI_EVENTS: &[(&str, ClientEvent)] = &[
    ("SessionStart", ClientEvent::SessionStart),
    ("BeforeAgent", ClientEvent::UserPromptSubmit),
    ("BeforeTool", ClientEvent::PreToolUse),
    ("AfterTool", ClientEvent::PostToolUse),
    ("PreCompress", ClientEvent::PreCompact),
    ("SessionEnd", ClientEvent::SessionEnd),
];

/// Cursor's events.
const CURSOR_EVENTS: &[(&str, ClientEvent)] = &[("sessionStart", ClientEvent::SessionStart)];

/// Gemini CLI's tools, and what Claude Code calls those that do the same.
const GEMINI_TOOLS: &[(&str, &str)] = &[
    ("read_file", "Read"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("run_shell_command", "Bash"),
    ("search_file_content", "Grep"),
    ("grep_search", "Grep"),
    ("glob", "Glob"),
];

impl Dialect {
    /// Returns whether the client puts a memory in front of its model by itself: it was read from a
    /// file that the client shows.
    pub(super) fn shows_itself(self, memory: &Memory) -> bool {
        let client = match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini-cli",
        };
        memories::is_shown_by(memory, client)
    }

    /// The dialect of an event. `None` where the hook must stay silent: Cursor runs Claude Code's
    /// hooks as well, and its own come anyway. Claude Code in a terminal of Cursor's has its
    /// variables too, but writes events of its own.
    pub(super) fn of(client: &str, cursor_version: &str, input: &Input) -> Option<Self> {
        match client {
            "cursor" => Some(Self::Cursor),
            "gemini" => Some(Self::Gemini),
            _ if input.writer == Some(Writer::Cursor) => None,
            // Whoever inside Cursor does not say what it is may be Cursor.
            _ if !cursor_version.is_empty() && !input.has_transcript() => None,
            _ if input.writer == Some(Writer::Codex) => Some(Self::Codex),
            _ => Some(Self::Claude),
        }
    }

    /// Reads the name that the client gives an event.
    pub(super) fn event(self, name: &str) -> Option<ClientEvent> {
        let of = |events: &[(&str, ClientEvent)]| {
            events
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, event)| *event)
        };
        match self {
            Self::Claude | Self::Codex => ClientEvent::parse(name),
            Self::Cursor => of(CURSOR_EVENTS),
            Self::Gemini => of(GEMINI_EVENTS),
        }
    }

    /// The event at which the client takes a text about what a tool touches. What Gemini CLI's
    /// answers before a tool is used decides whether it is, and does not reach the model.
    pub(super) fn touching(self) -> ClientEvent {
        match self {
            Self::Claude | Self::Codex | Self::Cursor => ClientEvent::PreToolUse,
            Self::Gemini => ClientEvent::PostToolUse,
        }
    }

    /// Returns whether an event says where a shell line left its shell, in place of where it began.
    pub(super) fn tells_after_line(self, event: ClientEvent) -> bool {
        self == Self::Claude && event == ClientEvent::PostToolUse
    }

    /// Returns whether the client tells of a session's start after it compacted its context. Gemini
    /// CLI merely goes on.
    pub(super) fn starts_after_compaction(self) -> bool {
        self != Self::Gemini
    }

    /// Returns what the tool is called here.
    pub(super) fn tool(self, name: String) -> String {
        match self {
            Self::Gemini => {
                let known = GEMINI_TOOLS.iter().find(|(theirs, _)| *theirs == name);
                known.map_or(name, |(_, ours)| (*ours).to_owned())
            }
            Self::Claude | Self::Codex | Self::Cursor => name,
        }
    }

    /// The answer that puts text in front of the model; `None` where the client takes none at this
    /// event.
    pub(super) fn additional_context(self, event: ClientEvent, text: &str) -> Option<Value> {
        match self {
            // Codex knows no context there, and goes on for a reason as Claude Code does for a
            // context.
            Self::Codex if event == ClientEvent::Stop => {
                Some(json!({ "decision": "block", "reason": text }))
            }
            Self::Claude | Self::Codex => Some(specific(event.name(), "additionalContext", text)),
            Self::Cursor => Some(json!({ "additional_context": text })),
            // Before a tool is used it takes a decision only.
            Self::Gemini if event == ClientEvent::PreToolUse => None,
            Self::Gemini => {
                let (name, _) = GEMINI_EVENTS.iter().find(|(_, known)| *known == event)?;
                Some(specific(name, "additionalContext", text))
            }
        }
    }

    /// The answer that replaces the tool's input.
    pub(super) fn updated_input(self, event: ClientEvent, input: &Value) -> Option<Value> {
        (self == Self::Claude).then(|| specific(event.name(), "updatedInput", input.clone()))
    }

    /// The answer that permits what the client would ask the user about.
    pub(super) fn allowed(self, event: ClientEvent) -> Option<Value> {
        matches!(self, Self::Claude | Self::Codex)
            .then(|| specific(event.name(), "decision", json!({ "behavior": "allow" })))
    }
}

fn specific(event: &str, key: &str, value: impl Into<Value>) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": event, key: value.into() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: Option<Value>) -> String {
        answer.map(|answer| answer.to_string()).unwrap_or_default()
    }

    #[test]
    fn answers_stand_in_the_clients_keys() {
        let event = ClientEvent::UserPromptSubmit;
        assert_eq!(
            text(Dialect::Claude.additional_context(event, "a \"b\"")),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a \"b\""}}"#
        );
        assert_eq!(
            text(Dialect::Gemini.additional_context(event, "a")),
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"a"}}"#
        );
        assert_eq!(
            text(Dialect::Cursor.additional_context(ClientEvent::SessionStart, "a")),
            r#"{"additional_context":"a"}"#
        );
        assert_eq!(
            text(Dialect::Codex.additional_context(ClientEvent::Stop, "a")),
            r#"{"decision":"block","reason":"a"}"#
        );
        assert_eq!(
            text(Dialect::Claude.allowed(ClientEvent::PermissionRequest)),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#
        );
        assert_eq!(
            text(Dialect::Claude.updated_input(ClientEvent::PreToolUse, &json!({"prompt": "p"}))),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"prompt":"p"}}}"#
        );
    }

    #[test]
    fn where_a_client_takes_nothing_it_is_told_nothing() {
        assert_eq!(
            Dialect::Gemini.additional_context(ClientEvent::PreToolUse, "a"),
            None
        );
        assert_eq!(
            Dialect::Gemini.allowed(ClientEvent::PermissionRequest),
            None
        );
        assert_eq!(
            Dialect::Cursor.updated_input(ClientEvent::PreToolUse, &Value::Null),
            None
        );
    }

    #[test]
    fn every_client_is_told_of_a_file_where_it_takes_a_text() {
        for dialect in [Dialect::Claude, Dialect::Codex, Dialect::Gemini] {
            assert!(
                dialect
                    .additional_context(dialect.touching(), "a")
                    .is_some(),
                "{dialect:?}"
            );
        }
        for (tool, ours) in [
            ("replace", "Edit"),
            ("grep_search", "Grep"),
            ("search_file_content", "Grep"),
        ] {
            assert_eq!(Dialect::Gemini.tool(tool.to_owned()), ours);
        }
    }

    #[test]
    fn claudes_hooks_are_silent_where_cursor_runs_them() {
        let claudes = Input {
            session_id: "s".to_owned(),
            transcript_path: "/t".to_owned(),
            cwd: "/w".to_owned(),
            ..Input::default()
        };
        let codexs = Input {
            writer: Some(Writer::Codex),
            session_id: "s".to_owned(),
            transcript_path: "/t".to_owned(),
            ..Input::default()
        };
        let cursors = Input {
            writer: Some(Writer::Cursor),
            session_id: "c".to_owned(),
            ..Input::default()
        };
        for version in ["", "1.2"] {
            assert_eq!(
                Dialect::of("", version, &claudes),
                Some(Dialect::Claude),
                "in a terminal of Cursor's as well"
            );
            assert_eq!(Dialect::of("", version, &codexs), Some(Dialect::Codex));
            assert_eq!(Dialect::of("", version, &cursors), None);
            assert_eq!(
                Dialect::of("cursor", version, &cursors),
                Some(Dialect::Cursor)
            );
            assert_eq!(
                Dialect::of("gemini", version, &claudes),
                Some(Dialect::Gemini)
            );
        }
        let unknown = Input::default();
        assert_eq!(
            (
                Dialect::of("", "", &unknown),
                Dialect::of("", "1.2", &unknown)
            ),
            (Some(Dialect::Claude), None)
        );
    }

    #[test]
    fn words_of_other_clients_are_understood() {
        assert_eq!(
            Dialect::Gemini.event("BeforeAgent"),
            Some(ClientEvent::UserPromptSubmit)
        );
        assert_eq!(Dialect::Claude.event("BeforeAgent"), None);
        assert_eq!(Dialect::Gemini.tool("run_shell_command".to_owned()), "Bash");
    }
}
