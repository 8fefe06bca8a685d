//! The `approve-mcp` event: which calls of Helix's own tools need not be asked about. The list is
//! the shim's as well, which answers this event itself and does not reach the daemon; what is asked
//! for by `helixctl hook` does.

use helix_proto::harmless::{ACTION, APPLY, Harmless, NO, TOOLS};
use serde_json::{Value, json};

use super::event::Input;

/// Returns whether the client need not ask the user.
pub(super) fn is_harmless(input: &Input) -> bool {
    let named = input
        .own_tool()
        .and_then(|own| TOOLS.iter().find(|(tool, _)| *tool == own));
    match named.map(|(_, harmless)| harmless) {
        Some(Harmless::Always) => true,
        Some(Harmless::Actions(actions)) => {
            action(input).is_some_and(|action| actions.contains(&action.as_str()))
                && !applies(input)
        }
        None => false,
    }
}

/// The action that is asked for, as the bridge reads it: empty for none, and `None` for what names
/// none.
fn action(input: &Input) -> Option<String> {
    match input.tool_input.get(ACTION) {
        None | Some(Value::Null) => Some(String::new()),
        Some(named) => named.as_str().map(|action| action.trim().to_lowercase()),
    }
}

/// Returns whether a call does what others only report. What is not clearly a no counts as a yes.
fn applies(input: &Input) -> bool {
    match input.tool_input.get(APPLY) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(word)) => !NO.contains(&word.trim().to_lowercase().as_str()),
        Some(other) => *other != json!(0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_approved(tool: &str, tool_input: Value) -> bool {
        is_harmless(&Input {
            tool_name: tool.to_owned(),
            tool_input,
            ..Input::default()
        })
    }

    #[test]
    fn other_tools_and_what_is_not_known_are_not_approved() {
        for tool in [
            "mcp__helix__purge",
            "mcp__other__store",
            "mcp__helix__",
            "mcp__helixir__store",
            "store",
            "Bash",
            "",
        ] {
            assert!(
                !is_approved(tool, json!({})) && !is_approved(tool, json!({"action": "list"})),
                "{tool}"
            );
        }
        for action in [
            json!("vanish"),
            json!("list purge"),
            json!(3),
            json!(["list"]),
            json!({"a": "list"}),
            json!(true),
        ] {
            assert!(
                !is_approved("mcp__helix__topics", json!({ "action": action })),
                "{action}"
            );
            assert!(
                !is_approved("mcp__helix__edit", json!({ "action": action })),
                "{action}"
            );
        }
        assert!(
            !is_approved("mcp__helix__edit", json!({})),
            "it has no action of its own"
        );
        assert!(
            !is_approved("mcp__helix__edit", Value::Null)
                && is_approved("mcp__helix__topics", Value::Null)
        );
    }

    #[test]
    fn the_checkpoint_of_a_finished_task_may_be_cleared() {
        assert!(is_approved(
            "mcp__helix__topics",
            json!({"action": "clear_checkpoint"})
        ));
    }

    #[test]
    fn actions_are_read_as_the_bridge_reads_them() {
        for action in [
            json!(null),
            json!(""),
            json!(" "),
            json!("List"),
            json!(" RECENT\n"),
        ] {
            assert!(
                is_approved(
                    "mcp__plugin_helix_helix__topics",
                    json!({ "action": action })
                ),
                "{action}"
            );
        }
        assert!(!is_approved(
            "mcp__helix__topics",
            json!({"action": " Export "})
        ));
        assert!(!is_approved(
            "mcp__helix__edit",
            json!({"action": "DELETE"})
        ));
    }

    #[test]
    fn what_could_be_done_may_be_shown_and_not_done() {
        for action in ["prune", "compact"] {
            for no in [
                json!(null),
                json!(false),
                json!("false"),
                json!(" No "),
                json!("0"),
                json!(0),
                json!(""),
            ] {
                assert!(
                    is_approved("mcp__helix__topics", json!({"action": action, "apply": no})),
                    "{action} {no}"
                );
            }
            for yes in [
                json!(true),
                json!("true"),
                json!("yes"),
                json!(1),
                json!("maybe"),
                json!([]),
                json!({}),
            ] {
                assert!(
                    !is_approved(
                        "mcp__helix__topics",
                        json!({"action": action, "apply": yes})
                    ),
                    "{action} {yes}"
                );
            }
        }
    }
}
