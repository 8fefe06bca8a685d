//! Transcripts of Claude Code.
//!
//! A line has a `type`. `user` and `assistant` lines hold a `message` in the shape of Anthropic's
//! API; outcomes of calls stand in later `user` lines. What a user typed while the assistant worked
//! is an `attachment`. Everything that hooks gave is an `attachment` too, which is not read.

use serde_json::Value;

use super::deed::Outcome;
use super::formats::FORMATS;
use super::lines::Record;
use super::scene::Scene;
use super::time;
use super::value::{elements, is_set, joined, member, text};
use crate::Speaker;

/// Before the status in the outcome of a command that failed.
const EXIT: &str = "Exit code ";

/// How much older than the first line of its transcript a message is when it was copied from the
/// session that this one was forked from. Lines of one session are milliseconds out of order.
const COPIED_MICROS: i64 = 60 * 1_000_000;

pub(super) fn read(record: &Record<'_>, scene: &mut Scene<'_>) {
    let known = &FORMATS.claude_code;
    match record.kind {
        "user" | "assistant" | "attachment" | "queue-operation" => {}
        kind if known.is_quiet(kind) => return,
        kind => return scene.unknown(&format!("type {kind}")),
    }
    let Some(line) = record.value(scene) else {
        return;
    };
    let at = time::of(member(&line, "timestamp"));
    scene.state.set_time(at);
    if record.kind == "queue-operation" {
        return;
    }
    if is_copy(at, scene.state.started) || is_left_out(&line) {
        return scene.leave_out();
    }
    scene
        .state
        .set_version(text(&line, "version"), &known.versions);
    scene.state.set_session(text(&line, "sessionId"));
    scene.state.set_directory(text(&line, "cwd"));
    scene.state.set_branch(text(&line, "gitBranch"));
    match record.kind {
        "attachment" => queued(member(&line, "attachment"), scene),
        "assistant" => assistant(member(&line, "message"), scene),
        _ => user(&line, scene),
    }
}

fn is_copy(at: Option<i64>, started: Option<i64>) -> bool {
    let (Some(at), Some(started)) = (at, started) else {
        return false;
    };
    at < started.saturating_sub(COPIED_MICROS)
}

fn is_left_out(line: &Value) -> bool {
    const MARKS: [&str; 5] = [
        "isSidechain",
        "isMeta",
        "isCompactSummary",
        "isVisibleInTranscriptOnly",
        "isApiErrorMessage",
    ];
    let is_marked = MARKS.iter().any(|mark| is_set(line, mark));
    is_marked
        || FORMATS
            .claude_code
            .is_machine_prompt(text(line, "promptSource"))
        || is_of_program(line)
}

/// Returns whether the message or attachment says that its origin is not a human.
fn is_of_program(value: &Value) -> bool {
    let origin = text(member(value, "origin"), "kind");
    !origin.is_empty() && origin != "human"
}

/// What the user typed while the assistant worked.
fn queued(attachment: &Value, scene: &mut Scene<'_>) {
    let is_prompt = text(attachment, "commandMode") == "prompt" && !is_of_program(attachment);
    if text(attachment, "type") == "queued_command" && is_prompt {
        scene.say(Speaker::User, &joined(member(attachment, "prompt")));
    }
}

fn assistant(message: &Value, scene: &mut Scene<'_>) {
    let content = member(message, "content");
    scene.say(Speaker::Assistant, &said(content));
    for part in elements(content) {
        match text(part, "type") {
            "tool_use" => scene.call(text(part, "id"), text(part, "name"), member(part, "input")),
            "text" => {}
            kind => check_part(kind, scene),
        }
    }
}

fn user(line: &Value, scene: &mut Scene<'_>) {
    let content = member(member(line, "message"), "content");
    for part in elements(content) {
        match text(part, "type") {
            "tool_result" => result(part, member(line, "toolUseResult"), scene),
            "text" => {}
            kind => check_part(kind, scene),
        }
    }
    scene.say(Speaker::User, &said(content));
}

/// Returns what a message says: its texts, without what its other parts hold.
fn said(content: &Value) -> String {
    let Value::Array(parts) = content else {
        return joined(content);
    };
    let texts = parts.iter().filter(|part| text(part, "type") == "text");
    joined(&Value::Array(texts.cloned().collect()))
}

fn check_part(kind: &str, scene: &mut Scene<'_>) {
    if !FORMATS.claude_code.is_quiet_part(kind) {
        scene.unknown(&format!("part {kind}"));
    }
}

fn result(part: &Value, detail: &Value, scene: &mut Scene<'_>) {
    let printed = joined(member(part, "content"));
    let is_failed = is_set(part, "is_error");
    scene.outcome(text(part, "tool_use_id"), |_| {
        match FORMATS.claude_code.refusal(&printed) {
            Some(said) => Outcome::Refused { said },
            None => ended(printed, is_failed, detail),
        }
    });
}

fn ended(printed: String, is_failed: bool, detail: &Value) -> Outcome {
    let status = printed.strip_prefix(EXIT).filter(|_| is_failed);
    let status = status.map(|rest| rest.split_once('\n').unwrap_or((rest, "")));
    if let Some((Ok(exit), output)) = status.map(|(exit, output)| (exit.trim().parse(), output)) {
        let output = output.to_owned();
        return Outcome::Ended {
            output,
            exit: Some(exit),
            is_failed,
        };
    }
    Outcome::Ended {
        output: printed,
        exit: (!is_failed && ended_well(detail)).then_some(0),
        is_failed,
    }
}

/// Returns whether a command ran to its end with status 0: it was neither interrupted nor put into
/// the background, and its status needed no interpretation.
fn ended_well(detail: &Value) -> bool {
    let is_there = |name| !member(detail, name).is_null();
    let is_open = is_set(detail, "interrupted") || is_there("backgroundTaskId");
    detail.is_object() && !is_open && !is_there("returnCodeInterpretation")
}
