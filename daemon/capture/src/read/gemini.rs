//! Transcripts of Gemini CLI: lines, and the document that older versions wrote.
//!
//! A message is written again whenever something is added to it. `$set` repeats what is known, so
//! that it is not read.

use serde_json::Value;

use super::deed::Outcome;
use super::document::Shape;
use super::formats::FORMATS;
use super::lines::Record;
use super::scene::Scene;
use super::time;
use super::value::{elements, joined, member, text};
use crate::Speaker;

/// The older document.
pub(super) const SHAPE: Shape = Shape { head, message };

/// States of a call that nothing follows.
const ENDED: [&str; 2] = ["success", "error"];

pub(super) fn read(record: &Record<'_>, scene: &mut Scene<'_>) {
    let Some(line) = record.value(scene) else {
        return;
    };
    let is_change = line.get("$set").is_some() || line.get("$rewindTo").is_some();
    if is_change {
        return;
    }
    if line.get("id").is_some() {
        return message(&line, scene);
    }
    if line.get("sessionId").is_none() {
        return scene.unknown("line without a message");
    }
    for name in ["sessionId", "kind"] {
        head(name, member(&line, name), scene);
    }
}

/// A member of the document beside its messages.
fn head(name: &str, value: &Value, scene: &mut Scene<'_>) {
    match name {
        "sessionId" => scene.state.set_session(value.as_str().unwrap_or_default()),
        "kind" => scene.state.is_sidechain |= value == "subagent",
        _ => {}
    }
}

fn message(message: &Value, scene: &mut Scene<'_>) {
    scene.state.set_time(time::of(member(message, "timestamp")));
    if scene.state.is_sidechain {
        return scene.leave_out();
    }
    match text(message, "type") {
        "user" => say(Speaker::User, message, scene),
        "gemini" => {
            say(Speaker::Assistant, message, scene);
            for call in elements(member(message, "toolCalls")) {
                called(call, scene);
            }
        }
        kind if FORMATS.gemini.is_quiet(kind) => {}
        kind => scene.unknown(&format!("type {kind}")),
    }
}

fn say(speaker: Speaker, message: &Value, scene: &mut Scene<'_>) {
    let said = joined(member(message, "content"));
    if !said.is_empty() && scene.state.is_new(text(message, "id")) {
        scene.say(speaker, &said);
    }
}

fn called(call: &Value, scene: &mut Scene<'_>) {
    let status = text(call, "status");
    if !ENDED.contains(&status) || !scene.state.is_new(text(call, "id")) {
        return;
    }
    scene.state.set_time(time::of(member(call, "timestamp")));
    let told = told(call);
    let exit = exit(&told).or_else(|| (status == "success").then_some(0));
    let output = member(call, "resultDisplay")
        .as_str()
        .unwrap_or(&told)
        .to_owned();
    let outcome = Outcome::Ended {
        output,
        exit,
        is_failed: status == "error" || exit.is_some_and(|exit| exit != 0),
    };
    scene.called(text(call, "name"), member(call, "args"), outcome);
}

/// Returns what the model was told of the outcome.
fn told(call: &Value) -> String {
    let result = elements(member(call, "result"))
        .first()
        .unwrap_or(&Value::Null);
    let response = member(member(result, "functionResponse"), "response");
    let told = text(response, "output");
    if told.is_empty() {
        text(response, "error")
    } else {
        told
    }
    .to_owned()
}

/// The status of a command, which is told where it is not 0.
fn exit(told: &str) -> Option<i32> {
    let status = told
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Exit Code: "))?;
    status.trim().parse().ok()
}
