//! The `approve-mcp` event: which calls of Helix's own tools need not be asked about. Those that look, store or correct are
//! harmless: every change of one memory stays in its history and can be undone. Whatever takes memories away, moves whole
//! topics, hands memories out or lets them in is the user's to permit, and so is what is not known here.

use serde_json::{Value, json};

use super::event::Input;

/// Which calls of a tool are harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harmless {
    /// All.
    Always,
    /// Those with one of these actions; a call without any is known by the empty one.
    Actions(&'static [&'static str]),
}

/// The tools that have harmless calls.
const TOOLS: &[(&str, Harmless)] = &[
    ("store", Harmless::Always),
    ("batch", Harmless::Always),
    ("search", Harmless::Always),
    ("brief", Harmless::Always),
    ("read", Harmless::Always),
    ("context", Harmless::Always),
    ("edit", Harmless::Actions(&["append", "revise", "tag", "set", "restore"])),
    (
        "topics",
        Harmless::Actions(&[
            "",
            "list",
            "recent",
            "entries",
            "stats",
            "xref",
            "graph",
            "stale",
            "prune",
            "compact",
            "session",
            "checkpoint",
            "resume",
        ]),
    ),
];

/// The argument that names an action.
const ACTION: &str = "action";

/// The argument that turns a report of what could be done into doing it.
const APPLY: &str = "apply";

/// Whether the client need not ask the user.
pub(super) fn is_harmless(input: &Input) -> bool {
    let named = input.own_tool().and_then(|own| TOOLS.iter().find(|(tool, _)| *tool == own));
    match named.map(|(_, harmless)| harmless) {
        Some(Harmless::Always) => true,
        Some(Harmless::Actions(actions)) => {
            action(input).is_some_and(|action| actions.contains(&action.as_str())) && !applies(input)
        }
        None => false,
    }
}

/// The action that is asked for, as the bridge reads it: empty for none, and `None` for what names none.
fn action(input: &Input) -> Option<String> {
    match input.tool_input.get(ACTION) {
        None | Some(Value::Null) => Some(String::new()),
        Some(named) => named.as_str().map(|action| action.trim().to_lowercase()),
    }
}

/// Whether a call does what others only report. What is not clearly a no counts as a yes.
fn applies(input: &Input) -> bool {
    match input.tool_input.get(APPLY) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(word)) => !matches!(word.trim().to_lowercase().as_str(), "" | "false" | "no" | "0"),
        Some(other) => *other != json!(0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_approved(tool: &str, tool_input: Value) -> bool {
        is_harmless(&Input { tool_name: tool.to_owned(), tool_input, ..Input::default() })
    }

    #[test]
    fn other_tools_and_what_is_not_known_are_not_approved() {
        for tool in
            ["mcp__helix__purge", "mcp__other__store", "mcp__helix__", "mcp__helixir__store", "store", "Bash", ""]
        {
            assert!(!is_approved(tool, json!({})) && !is_approved(tool, json!({"action": "list"})), "{tool}");
        }
        for action in
            [json!("vanish"), json!("list purge"), json!(3), json!(["list"]), json!({"a": "list"}), json!(true)]
        {
            assert!(!is_approved("mcp__helix__topics", json!({ "action": action })), "{action}");
            assert!(!is_approved("mcp__helix__edit", json!({ "action": action })), "{action}");
        }
        assert!(!is_approved("mcp__helix__edit", json!({})), "it has no action of its own");
        assert!(!is_approved("mcp__helix__edit", Value::Null) && is_approved("mcp__helix__topics", Value::Null));
    }

    #[test]
    fn actions_are_read_as_the_bridge_reads_them() {
        for action in [json!(null), json!(""), json!(" "), json!("List"), json!(" RECENT\n")] {
            assert!(is_approved("mcp__plugin_helix_helix__topics", json!({ "action": action })), "{action}");
        }
        assert!(!is_approved("mcp__helix__topics", json!({"action": " Export "})));
        assert!(!is_approved("mcp__helix__edit", json!({"action": "DELETE"})));
    }

    #[test]
    fn what_could_be_done_may_be_shown_and_not_done() {
        for action in ["prune", "compact"] {
            for no in [json!(null), json!(false), json!("false"), json!(" No "), json!("0"), json!(0), json!("")] {
                assert!(is_approved("mcp__helix__topics", json!({"action": action, "apply": no})), "{action} {no}");
            }
            for yes in [json!(true), json!("true"), json!("yes"), json!(1), json!("maybe"), json!([]), json!({})] {
                assert!(!is_approved("mcp__helix__topics", json!({"action": action, "apply": yes})), "{action} {yes}");
            }
        }
    }
}
