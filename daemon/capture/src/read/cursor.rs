//! Transcripts of Cursor's agents: lines with a `role` and a `message` in the shape of Anthropic's
//! API.
//!
//! They hold no outcomes of calls, so that commands and changes stand there with an unknown end;
//! and no time but the one before the user's words, which holds for the lines behind it.

use serde_json::Value;

use super::deed::Outcome;
use super::formats::FORMATS;
use super::lines::Record;
use super::scene::Scene;
use super::time;
use super::value::{elements, joined, member, text};
use crate::Speaker;

pub(super) fn read(record: &Record<'_>, scene: &mut Scene<'_>) {
    if FORMATS.cursor.is_quiet(record.kind) {
        return;
    }
    let Some(line) = record.value(scene) else {
        return;
    };
    let content = member(member(&line, "message"), "content");
    scene.state.set_time(time::of(member(&line, "timestamp")));
    match text(&line, "role") {
        "user" => user(content, scene),
        "assistant" => assistant(content, scene),
        "" => scene.unknown(&format!("type {}", record.kind)),
        role => scene.unknown(&format!("role {role}")),
    }
}

fn user(content: &Value, scene: &mut Scene<'_>) {
    check_parts(content, scene);
    let said = said(content);
    let stamp = said.split_once("<timestamp>");
    let stamp = stamp.and_then(|(_, rest)| rest.split_once("</timestamp>"));
    scene
        .state
        .set_time(stamp.and_then(|(stamp, _)| time::of_text(stamp)));
    scene.say(Speaker::User, &said);
}

fn assistant(content: &Value, scene: &mut Scene<'_>) {
    check_parts(content, scene);
    scene.say(Speaker::Assistant, &said(content));
    for part in elements(content) {
        if text(part, "type") == "tool_use" {
            let input = member(part, "input");
            scene.called(text(part, "name"), input, Outcome::untold());
        }
    }
}

fn said(content: &Value) -> String {
    let Value::Array(parts) = content else {
        return joined(content);
    };
    let texts = parts.iter().filter(|part| text(part, "type") == "text");
    joined(&Value::Array(texts.cloned().collect()))
}

fn check_parts(content: &Value, scene: &mut Scene<'_>) {
    for part in elements(content) {
        let kind = text(part, "type");
        let is_known = ["text", "tool_use"].contains(&kind);
        if !is_known && !FORMATS.cursor.is_quiet_part(kind) {
            scene.unknown(&format!("part {kind}"));
        }
    }
}
