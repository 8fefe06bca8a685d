//! The `approve-mcp` event: which of Helix's own tools need not be asked about. Reading and storing are harmless: whatever is
//! stored can be undone. What deletes, merges, exports, imports or tidies up is the user's to permit.

use super::event::Input;

/// Tools that only read or store.
const HARMLESS_TOOLS: &[&str] = &["store", "batch", "search", "brief", "read", "context", "code"];

/// Actions of `edit` that keep everything.
const HARMLESS_EDITS: &[&str] = &["append", "revise", "tag"];

/// Actions of `topics` that only look, or keep a checkpoint.
const HARMLESS_ACTIONS: &[&str] =
    &["list", "recent", "entries", "stats", "xref", "graph", "stale", "session", "checkpoint", "resume"];

/// Whether the client need not ask the user.
pub(super) fn is_harmless(input: &Input) -> bool {
    let action = input.tool_text("action").unwrap_or_default();
    match input.own_tool() {
        Some("edit") => HARMLESS_EDITS.contains(&action),
        Some("topics") => action.is_empty() || HARMLESS_ACTIONS.contains(&action),
        Some(tool) => HARMLESS_TOOLS.contains(&tool),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asks(tool: &str, action: &str) -> bool {
        let input = Input { tool_name: tool.to_owned(), tool_input: json!({ "action": action }), ..Input::default() };
        !is_harmless(&input)
    }

    #[test]
    fn nothing_that_takes_away_is_approved() {
        for (tool, action) in [
            ("mcp__helix__edit", "delete"),
            ("mcp__helix__edit", "merge"),
            ("mcp__helix__edit", "rename"),
            ("mcp__helix__edit", ""),
            ("mcp__helix__topics", "prune"),
            ("mcp__helix__topics", "compact"),
            ("mcp__helix__topics", "export"),
            ("mcp__helix__topics", "import"),
            ("mcp__helix__topics", "clear_checkpoint"),
            ("mcp__helix__purge", ""),
            ("mcp__other__store", ""),
            ("Bash", ""),
        ] {
            assert!(asks(tool, action), "{tool} {action}");
        }
    }

    #[test]
    fn reading_and_storing_is() {
        for (tool, action) in [
            ("mcp__helix__store", ""),
            ("mcp__plugin_helix_helix__search", ""),
            ("mcp__helix__edit", "append"),
            ("mcp__helix__topics", "list"),
            ("mcp__helix__topics", "checkpoint"),
        ] {
            assert!(!asks(tool, action), "{tool} {action}");
        }
    }
}
