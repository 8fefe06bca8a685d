//! The `approve-mcp` event, which needs no daemon: whether the list of harmless calls has this one.
//!
//! An agent whose daemon was killed could otherwise not call the server that starts the next one
//! without asking its user. Whatever has another shape than a client's input is answered with
//! nothing, and the client asks as ever.

use crate::harmless::{ACTION, APPLY, Harmless, NO, SERVERS, TOOLS};
use crate::json::Members;

/// The permission for a call, in the words of Claude Code and Codex.
pub(crate) const ALLOWED: &[u8] =
    br#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

/// The client's name of the event.
const CLIENT_EVENT: &[u8] = b"PermissionRequest";

/// Fields that only Cursor's events have, where it runs the hooks of Claude Code: it takes no
/// permission from them.
const CURSOR_MARKS: [&[u8]; 4] = [
    b"conversation_id",
    b"generation_id",
    b"cursor_version",
    b"workspace_roots",
];

/// The fields of an event that are looked at, each as JSON.
#[derive(Default)]
struct Event<'a> {
    name: Option<&'a [u8]>,
    tool: Option<&'a [u8]>,
    arguments: Option<&'a [u8]>,
    session: Option<&'a [u8]>,
    transcript: Option<&'a [u8]>,
}

/// Returns whether the event asks for a harmless call. `in_cursor` says that Cursor may have
/// started the hook.
pub(crate) fn is_harmless(input: &[u8], in_cursor: bool) -> bool {
    read(input).is_some_and(|event| {
        let is_whole = [event.session, event.transcript]
            .into_iter()
            .all(|field| plain(field).is_some_and(is_text));
        plain(event.name) == Some(CLIENT_EVENT)
            && (is_whole || !in_cursor)
            && is_listed(&event).unwrap_or_default()
    })
}

fn read(input: &[u8]) -> Option<Event<'_>> {
    let mut event = Event::default();
    for member in Members::of(input)? {
        let (key, value) = member?;
        let field = match key {
            b"hook_event_name" => &mut event.name,
            b"tool_name" => &mut event.tool,
            b"tool_input" => &mut event.arguments,
            b"session_id" => &mut event.session,
            b"transcript_path" => &mut event.transcript,
            key if CURSOR_MARKS.contains(&key) => return None,
            _ => continue,
        };
        once(field, value)?;
    }
    Some(event)
}

fn is_listed(event: &Event<'_>) -> Option<bool> {
    let tool = plain(event.tool)?;
    let tool = SERVERS
        .iter()
        .find_map(|server| tool.strip_prefix(server.as_bytes()))?;
    let (_, harmless) = TOOLS.iter().find(|(name, _)| name.as_bytes() == tool)?;
    let (action, apply) = arguments(event.arguments)?;
    Some(match harmless {
        Harmless::Always => true,
        Harmless::Actions(actions) => names(action, actions)? && !applies(apply),
    })
}

/// A value as JSON, where there is one.
type Raw<'v> = Option<&'v [u8]>;

/// The action and what says whether to carry it out.
fn arguments(value: Raw<'_>) -> Option<(Raw<'_>, Raw<'_>)> {
    let (mut action, mut apply) = (None, None);
    let Some(value) = value.filter(|value| *value != b"null") else {
        return Some((None, None));
    };
    for member in Members::of(value)? {
        let (key, value) = member?;
        if key == ACTION.as_bytes() {
            once(&mut action, value)?;
        } else if key == APPLY.as_bytes() {
            once(&mut apply, value)?;
        }
    }
    Some((action, apply))
}

/// Returns whether a value is one of these words, as the bridge reads it: none is the empty one.
fn names(value: Option<&[u8]>, words: &[&str]) -> Option<bool> {
    let word = match value {
        None | Some(b"null") => &[],
        value => plain(value)?.trim_ascii(),
    };
    Some(
        words
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(word)),
    )
}

/// Returns whether a call does what others only report. What is not clearly a no counts as a yes.
fn applies(value: Option<&[u8]>) -> bool {
    let is_no = matches!(value, Some(b"false" | b"0")) || names(value, &NO).unwrap_or_default();
    !is_no
}

fn is_text(text: &[u8]) -> bool {
    !text.is_empty()
}

/// Sets a field that was not set before: of two, nobody knows which one counts.
fn once<'a>(field: &mut Option<&'a [u8]>, value: &'a [u8]) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

/// The content of a JSON string of plain ASCII without escapes.
fn plain(value: Option<&[u8]>) -> Option<&[u8]> {
    let text = value?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    (text.is_ascii() && !text.contains(&b'\\')).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn event(tool: &str, arguments: &Value) -> Value {
        json!({
            "session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": "PermissionRequest",
            "tool_name": tool, "tool_input": arguments, "permission_suggestions": [{"a": ["]}", 3]}],
        })
    }

    fn allows(tool: &str, arguments: &Value) -> bool {
        is_harmless(event(tool, arguments).to_string().as_bytes(), false)
    }

    #[test]
    fn what_the_list_has_is_allowed() {
        for (tool, harmless) in TOOLS {
            for server in SERVERS {
                let name = format!("{server}{tool}");
                let Harmless::Actions(actions) = harmless else {
                    assert!(
                        allows(&name, &json!({"text": "a \"}", "action": "vanish"})),
                        "{name}"
                    );
                    continue;
                };
                for action in *actions {
                    assert!(allows(&name, &json!({"action": action})), "{name} {action}");
                    assert!(
                        allows(
                            &name,
                            &json!({"action": format!(" {}", action.to_uppercase())})
                        ),
                        "{name} {action}"
                    );
                    assert!(
                        !allows(&name, &json!({"action": action, "apply": true})),
                        "{name} {action}"
                    );
                    assert!(
                        allows(&name, &json!({"action": action, "apply": " No"})),
                        "{name} {action}"
                    );
                }
            }
        }
        assert!(
            allows("mcp__helix__topics", &Value::Null) && allows("mcp__helix__topics", &json!({}))
        );
        assert!(
            !allows("mcp__helix__edit", &json!({})),
            "it has no action of its own"
        );
    }

    #[test]
    fn all_else_is_for_the_user_to_permit() {
        for tool in [
            "mcp__helix__purge",
            "mcp__other__store",
            "mcp__helix__",
            "mcp__helixir__store",
            "store",
            "Bash",
            "",
        ] {
            assert!(!allows(tool, &json!({})), "{tool}");
        }
        for action in [
            json!("delete"),
            json!("export"),
            json!("list purge"),
            json!(3),
            json!(["list"]),
            json!(true),
        ] {
            assert!(
                !allows("mcp__helix__topics", &json!({"action": action})),
                "{action}"
            );
            assert!(
                !allows("mcp__helix__edit", &json!({"action": action})),
                "{action}"
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
            json!(0.0),
        ] {
            assert!(
                !allows(
                    "mcp__helix__topics",
                    &json!({"action": "prune", "apply": yes})
                ),
                "{yes}"
            );
        }
        for no in [
            json!(null),
            json!(false),
            json!("false"),
            json!("0"),
            json!(0),
            json!(""),
        ] {
            assert!(
                allows(
                    "mcp__helix__topics",
                    &json!({"action": "prune", "apply": no})
                ),
                "{no}"
            );
        }
    }

    #[test]
    fn another_shape_is_answered_with_nothing() {
        let sound = event("mcp__helix__store", &json!({"text": "x"})).to_string();
        assert!(is_harmless(sound.as_bytes(), false) && is_harmless(sound.as_bytes(), true));
        for end in 0..sound.len() {
            assert!(
                !is_harmless(&sound.as_bytes()[..end], false),
                "cut off at {end}"
            );
        }
        for (part, other) in [
            ("\"mcp__helix__store\"", "\"mcp__helix__stor\\u0065\""),
            ("\"mcp__helix__store\"", "[\"mcp__helix__store\"]"),
            ("\"tool_name\":", "\"tool_name\":\"Bash\",\"tool_name\":"),
            (
                "\"tool_name\":",
                "\"tool_nam\\u0065\":\"Bash\",\"tool_name\":",
            ),
            (
                "\"tool_input\":{",
                "\"tool_input\":{\"acti\\u006fn\":\"purge\",",
            ),
            ("\"tool_input\":{", "\"tool_input\":[{"),
            ("\"PermissionRequest\"", "\"PreToolUse\""),
            ("\"cwd\":", "\"conversation_id\":\"c\",\"cwd\":"),
        ] {
            let changed = sound.replacen(part, other, 1);
            assert_ne!(changed, sound);
            assert!(!is_harmless(changed.as_bytes(), false), "{changed}");
        }
        assert!(
            !is_harmless(format!("{sound}{{}}").as_bytes(), false)
                && !is_harmless(format!("[{sound}]").as_bytes(), false)
        );
        let without_transcript = sound.replacen("\"/t\"", "\"\"", 1);
        assert!(
            is_harmless(without_transcript.as_bytes(), false)
                && !is_harmless(without_transcript.as_bytes(), true)
        );
    }

    #[test]
    fn what_clients_send_is_understood() {
        let sample = include_str!(
            "../../tests/fixtures/hooks/claude-2.1.330/PermissionRequest-mcp__toy__recall.json"
        );
        let ours = sample.replace("mcp__toy__recall", "mcp__helix__search");
        assert!(is_harmless(ours.as_bytes(), false) && !is_harmless(sample.as_bytes(), false));
    }
}
