//! The events of Helix's own, and which of a client's each one answers.

use super::dialect::Dialect;
use super::event::ClientEvent;

/// The events that are known, by the names that the hook is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handler {
    Session,
    Prompt,
    Ambient,
    PostBuild,
    ErrorContext,
    PreCompact,
    Stop,
    Subagent,
    ApproveMcp,
    SessionEnd,
}

impl Handler {
    /// The handler of an event; `None` for one that is not known.
    pub(super) fn of(event: &str) -> Option<Self> {
        Some(match event {
            "session" => Self::Session,
            "prompt" => Self::Prompt,
            "ambient" => Self::Ambient,
            "post-build" => Self::PostBuild,
            "error-context" => Self::ErrorContext,
            "pre-compact" => Self::PreCompact,
            "stop" => Self::Stop,
            "subagent" => Self::Subagent,
            "approve-mcp" => Self::ApproveMcp,
            "session-end" => Self::SessionEnd,
            _ => return None,
        })
    }

    /// Returns whether this one answers the client's event. The client drops an answer that names
    /// another.
    pub(super) fn answers(self, event: ClientEvent, dialect: Dialect) -> bool {
        match self {
            Self::Session => event == ClientEvent::SessionStart,
            Self::Prompt => event == ClientEvent::UserPromptSubmit,
            Self::Ambient => event == dialect.touching(),
            Self::PostBuild => event == ClientEvent::PostToolUse,
            Self::ErrorContext => event == ClientEvent::PostToolUseFailure,
            Self::PreCompact => event == ClientEvent::PreCompact,
            Self::Stop => event == ClientEvent::Stop,
            Self::Subagent => matches!(event, ClientEvent::SubagentStart | ClientEvent::PreToolUse),
            Self::ApproveMcp => event == ClientEvent::PermissionRequest,
            Self::SessionEnd => event == ClientEvent::SessionEnd,
        }
    }
}
