//! Permission for Helix's own tools, which needs no daemon.

use serde_json::json;

use crate::harness::{Room, bare_hook, run};

const ALLOWED: &[u8] =
    br#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

fn event(tool: &str) -> Vec<u8> {
    let arguments = json!({"text": "x", "action": "list"});
    let event = json!({
        "session_id": "s", "transcript_path": "/t", "hook_event_name": "PermissionRequest", "tool_name": tool,
        "tool_input": arguments,
    });
    event.to_string().into_bytes()
}

#[test]
fn a_harmless_call_is_allowed_where_no_daemon_is() {
    for client in [None, Some("claude"), Some("codex")] {
        run(
            bare_hook("approve-mcp").args(client),
            &event("mcp__helix__store"),
        )
        .check(ALLOWED);
    }
    let room = Room::new();
    run(
        &mut room.hook("approve-mcp"),
        &event("mcp__plugin_helix_helix__topics"),
    )
    .check(ALLOWED);
}

#[test]
fn all_else_is_answered_with_nothing() {
    run(&mut bare_hook("approve-mcp"), &event("mcp__helix__purge"))
        .check_silent("the user is asked");
    run(&mut bare_hook("approve-mcp"), &event("Bash")).check_silent("the user is asked");
    run(&mut bare_hook("approve-mcp"), b"{").check_within(std::time::Duration::from_secs(4), b"");
    for client in ["cursor", "gemini"] {
        run(
            bare_hook("approve-mcp").arg(client),
            &event("mcp__helix__store"),
        )
        .check_silent("the user is asked");
    }
}
