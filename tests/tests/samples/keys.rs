//! The check of what clients take catches what they would drop.

use helix_tests::HookClient;
use helix_tests::accepts::{ALLOWED, STRING_MAX_CHARS, check};
use serde_json::{Value, json};

/// The keys that stand around what a hook says.
const SPECIFIC: &str = "hookSpecificOutput";
const EVENT_NAME: &str = "hookEventName";

fn specific(members: &Value) -> Value {
    json!({ SPECIFIC: members })
}

fn context(event: &str) -> Value {
    specific(&json!({ EVENT_NAME: event, "additionalContext": "a" }))
}

fn takes(client: HookClient, event: &str, answer: &Value) -> bool {
    check(client, event, answer.to_string().as_bytes()).is_ok()
}

#[test]
fn what_a_client_takes_is_read() {
    let said = |client, event: &str, answer: &Value| {
        check(client, event, answer.to_string().as_bytes()).unwrap()
    };
    for client in [HookClient::Claude, HookClient::Codex, HookClient::Gemini] {
        assert_eq!(
            said(client, "SessionStart", &context("SessionStart")).as_deref(),
            Some("a")
        );
    }
    assert_eq!(
        said(
            HookClient::Cursor,
            "sessionStart",
            &json!({ "additional_context": "a" })
        )
        .as_deref(),
        Some("a")
    );
    let rewritten = specific(
        &json!({ EVENT_NAME: "PreToolUse", "updatedInput": { "prompt": "p", "model": "m" } }),
    );
    assert_eq!(
        said(HookClient::Claude, "PreToolUse", &rewritten).as_deref(),
        Some("p")
    );
    let allowed =
        specific(&json!({ EVENT_NAME: "PermissionRequest", "decision": { "behavior": "allow" } }));
    assert_eq!(
        said(HookClient::Codex, "PermissionRequest", &allowed).as_deref(),
        Some(ALLOWED)
    );
    assert_eq!(
        check(HookClient::Claude, "PreCompact", b"").unwrap(),
        None,
        "silence is always taken"
    );
}

#[test]
fn a_planted_key_is_caught() {
    let event = "SessionStart";
    for client in [HookClient::Claude, HookClient::Codex, HookClient::Gemini] {
        let mut beside = context(event);
        beside["continue"] = true.into();
        let mut inside = context(event);
        inside[SPECIFIC]["note"] = "b".into();
        assert!(
            !takes(client, event, &beside) && !takes(client, event, &inside),
            "{client:?}"
        );
    }
    let beside = json!({ "additional_context": "a", "env": {} });
    assert!(!takes(HookClient::Cursor, "sessionStart", &beside));
    let input = specific(&json!({ EVENT_NAME: "PreToolUse", "updatedInput": { "prompt": "p" } }));
    assert!(
        !takes(HookClient::Codex, "PreToolUse", &input),
        "nobody saw Codex take an input"
    );
    let goes_on = json!({ "decision": "block", "reason": "a" });
    assert!(
        takes(HookClient::Codex, "Stop", &goes_on) && !takes(HookClient::Claude, "Stop", &goes_on)
    );
    for wrong in [
        context("Stop"),
        json!({ "decision": "block" }),
        json!({ "decision": "allow", "reason": "a" }),
    ] {
        assert!(!takes(HookClient::Codex, "Stop", &wrong), "{wrong}");
    }
    let snake = json!({ "additional_context": "a" });
    assert!(
        !takes(HookClient::Claude, event, &snake),
        "another client's key"
    );
}

#[test]
fn another_events_name_is_caught() {
    for client in [HookClient::Claude, HookClient::Codex, HookClient::Gemini] {
        assert!(
            !takes(client, "SessionStart", &context("Stop")),
            "{client:?}"
        );
        assert!(
            !takes(
                client,
                "SessionStart",
                &specific(&json!({ "additionalContext": "a" }))
            ),
            "{client:?}"
        );
    }
    assert!(
        !takes(
            HookClient::Gemini,
            "BeforeAgent",
            &context("UserPromptSubmit")
        ),
        "the name that Helix has"
    );
}

#[test]
fn output_where_none_is_taken_is_caught() {
    for (client, event) in [
        (HookClient::Claude, "PreCompact"),
        (HookClient::Claude, "SessionEnd"),
        (HookClient::Claude, "Notification"),
        (HookClient::Codex, "PreCompact"),
        (HookClient::Codex, "PostToolUseFailure"),
        (HookClient::Gemini, "BeforeTool"),
        (HookClient::Gemini, "PreCompress"),
    ] {
        assert!(!takes(client, event, &context(event)), "{client:?} {event}");
    }
    assert!(!takes(
        HookClient::Cursor,
        "stop",
        &json!({ "additional_context": "a" })
    ));
    assert!(!takes(
        HookClient::Claude,
        "PermissionRequest",
        &context("PermissionRequest")
    ));
}

#[test]
fn long_empty_and_strange_texts_are_caught() {
    let of = |text: String| specific(&json!({ EVENT_NAME: "Stop", "additionalContext": text }));
    assert!(takes(
        HookClient::Claude,
        "Stop",
        &of("ä".repeat(STRING_MAX_CHARS))
    ));
    assert!(!takes(
        HookClient::Claude,
        "Stop",
        &of("ä".repeat(STRING_MAX_CHARS + 1))
    ));
    assert!(!takes(HookClient::Claude, "Stop", &of(String::new())));
    for strange in [&b"{}"[..], b"[]", b"null", b"{\"a\":", b"\xff", b"{} {}"] {
        assert!(check(HookClient::Claude, "Stop", strange).is_err());
    }
    let denied =
        specific(&json!({ EVENT_NAME: "PermissionRequest", "decision": { "behavior": "deny" } }));
    assert!(!takes(HookClient::Claude, "PermissionRequest", &denied));
}
