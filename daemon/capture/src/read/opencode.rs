//! Sessions of `OpenCode`, as `opencode export` prints them: `{"info": …, "messages": [{"info": …,
//! "parts": […]}]}`.
//!
//! `OpenCode` keeps its sessions in a database since 1.2; before, each message and each part was a
//! file, of which [`assemble`] makes the same document.

use std::path::Path;

use serde_json::{Map, Value};

use super::deed::Outcome;
use super::document::Shape;
use super::formats::FORMATS;
use super::places::Tree;
use super::scene::Scene;
use super::value::{elements, is_set, joined, member, text};
use super::{MAX_RECORD_BYTES, time};
use crate::Speaker;

/// Bytes of all files of one session.
const SESSION_MAX_BYTES: usize = super::MAX_DOCUMENT_BYTES;

pub(super) const SHAPE: Shape = Shape { head, message };

fn head(name: &str, value: &Value, scene: &mut Scene<'_>) {
    if name != "info" {
        return scene.unknown(&format!("member {name}"));
    }
    scene
        .state
        .set_version(text(value, "version"), &FORMATS.opencode.versions);
    scene.state.set_session(text(value, "id"));
    scene.state.set_directory(text(value, "directory"));
    scene.state.is_sidechain |= !text(value, "parentID").is_empty();
}

fn message(message: &Value, scene: &mut Scene<'_>) {
    let info = member(message, "info");
    scene
        .state
        .set_time(time::of(member(member(info, "time"), "created")));
    scene.state.set_directory(text(member(info, "path"), "cwd"));
    let is_summary = is_set(info, "summary");
    if scene.state.is_sidechain || is_summary {
        return scene.leave_out();
    }
    let speaker = match text(info, "role") {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        role => return scene.unknown(&format!("role {role}")),
    };
    for part in elements(member(message, "parts")) {
        match text(part, "type") {
            "text" => said(speaker, part, scene),
            "tool" => called(part, scene),
            kind if FORMATS.opencode.is_quiet_part(kind) => {}
            kind => scene.unknown(&format!("part {kind}")),
        }
    }
}

/// A text, once it is complete. Synthetic ones are of the client and of plugins.
fn said(speaker: Speaker, part: &Value, scene: &mut Scene<'_>) {
    if is_set(part, "synthetic") || is_set(part, "ignored") {
        return scene.leave_out();
    }
    let time = member(part, "time");
    let is_growing = !member(time, "start").is_null() && member(time, "end").is_null();
    let said = joined(member(part, "text"));
    if !is_growing && !said.is_empty() && scene.state.is_new(text(part, "id")) {
        scene.say(speaker, &said);
    }
}

fn called(part: &Value, scene: &mut Scene<'_>) {
    let state = member(part, "state");
    let is_failed = match text(state, "status") {
        "completed" => false,
        "error" => true,
        _ => return,
    };
    if !scene.state.is_new(text(part, "id")) {
        return;
    }
    scene
        .state
        .set_time(time::of(member(member(state, "time"), "end")));
    let outcome = ended(state, is_failed);
    scene.called(text(part, "tool"), member(state, "input"), outcome);
}

fn ended(state: &Value, is_failed: bool) -> Outcome {
    let error = text(state, "error");
    if let Some(said) = FORMATS.opencode.refusal(error) {
        return Outcome::Refused { said };
    }
    let exit = member(member(state, "metadata"), "exit").as_i64();
    let exit = exit.and_then(|exit| i32::try_from(exit).ok());
    let printed = if is_failed {
        error
    } else {
        text(state, "output")
    };
    Outcome::Ended {
        output: printed.to_owned(),
        exit,
        is_failed: is_failed || exit.is_some_and(|exit| exit != 0),
    }
}

/// Makes the document of a session that is kept in files: `storage/session/*/<session>.json`,
/// `storage/message/<session>/*.json` and `storage/part/<message>/*.json`. Ids ascend with time.
/// `None` when the file of the session cannot be read, or all of them are too many bytes.
#[must_use]
pub fn assemble(tree: &dyn Tree, session: &Path) -> Option<Vec<u8>> {
    let storage = session.ancestors().nth(3)?;
    let info = document(tree, session)?;
    let mut bytes = 0;
    let mut messages = Vec::new();
    for message in documents(tree, &storage.join("message").join(text(&info, "id"))) {
        let parts = documents(tree, &storage.join("part").join(text(&message, "id")));
        let sized = |part: &Value| part.to_string().len();
        bytes += parts.iter().map(sized).sum::<usize>();
        if bytes > SESSION_MAX_BYTES {
            return None;
        }
        messages.push(object([("info", message), ("parts", Value::Array(parts))]));
    }
    let document = object([("info", info), ("messages", Value::Array(messages))]);
    serde_json::to_vec(&document).ok()
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let named = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(named.collect::<Map<_, _>>())
}

/// The documents of a folder, in the order of their names.
fn documents(tree: &dyn Tree, folder: &Path) -> Vec<Value> {
    let mut names: Vec<String> = tree
        .list(folder)
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    names.sort_unstable();
    let read = |name: String| document(tree, &folder.join(name));
    names.into_iter().filter_map(read).collect()
}

fn document(tree: &dyn Tree, file: &Path) -> Option<Value> {
    let bytes = tree.read(file, MAX_RECORD_BYTES)?;
    serde_json::from_slice(&bytes).ok()
}
