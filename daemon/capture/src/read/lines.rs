//! Transcripts of lines: one JSON object a line, appended to.

use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

use super::scene::Scene;
use super::{Cursor, MAX_RECORD_BYTES, MAX_STEP_BYTES, Reader, State, Step};
use crate::Place;

/// How much more a step wants when a line does not end within what it got.
const GROWTH: usize = 4;

/// A line that was parsed, and its `type`.
pub(super) struct Record<'a> {
    pub(super) kind: &'a str,
    line: &'a [u8],
}

impl Record<'_> {
    /// The whole line. Lines of a kind without interest are never read this far.
    pub(super) fn value(&self) -> Option<Value> {
        serde_json::from_slice(self.line).ok()
    }
}

/// The only member that is read of every line.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
}

/// Reads the lines that end within `bytes`, up to [`MAX_STEP_BYTES`].
pub(super) fn step(
    reader: &Reader,
    read: fn(&Record<'_>, &mut Scene<'_>),
    bytes: &[u8],
    mut cursor: Cursor,
    mut state: State,
) -> Step {
    let mut slices = Vec::new();
    let mut rest = bytes;
    let mut used = 0;
    while used < MAX_STEP_BYTES {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            break;
        };
        let (line, behind) = rest.split_at_checked(end + 1).unwrap_or((rest, &[]));
        let place = place(reader, cursor);
        if !std::mem::take(&mut state.is_skipping) {
            let mut scene = Scene::new(reader.format.agent(), place, &mut state, &mut slices);
            take(line, read, &mut scene);
        }
        cursor.lines += 1;
        cursor.offset += line.len() as u64;
        used += line.len();
        rest = behind;
    }
    let mut wants = MAX_STEP_BYTES;
    if used < MAX_STEP_BYTES && !rest.is_empty() {
        let place = place(reader, cursor);
        let mut scene = Scene::new(reader.format.agent(), place, &mut state, &mut slices);
        if take_unended(rest, read, &mut scene) {
            cursor.offset += rest.len() as u64;
        } else if used == 0 && bytes.len() >= MAX_STEP_BYTES {
            wants = bytes.len().saturating_mul(GROWTH).min(MAX_RECORD_BYTES + 1);
        }
    }
    Step {
        slices,
        cursor,
        state,
        wants,
    }
}

fn place(reader: &Reader, cursor: Cursor) -> Place {
    Place {
        source: reader.source.clone(),
        offset: cursor.offset,
        line: cursor.lines + 1,
    }
}

/// Reads a line without its end, when it is a complete record all the same, or passes over what is
/// there of one that is too long. Whether it was consumed.
///
/// No beginning of an object is itself a complete object, so that nothing is read half.
fn take_unended(rest: &[u8], read: fn(&Record<'_>, &mut Scene<'_>), scene: &mut Scene<'_>) -> bool {
    if scene.state.is_skipping {
        return true;
    }
    if rest.len() > MAX_RECORD_BYTES {
        scene.state.is_skipping = true;
        scene.state.counts_mut().records += 1;
        scene.state.counts_mut().too_long += 1;
        return true;
    }
    let is_complete = rest.trim_ascii_end().ends_with(b"}")
        && serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
    if is_complete {
        take(rest, read, scene);
    }
    is_complete
}

/// Reads a line. Blank ones are no records.
fn take(line: &[u8], read: fn(&Record<'_>, &mut Scene<'_>), scene: &mut Scene<'_>) {
    let line = line.trim_ascii();
    if line.is_empty() {
        return;
    }
    scene.state.counts_mut().records += 1;
    if line.len() > MAX_RECORD_BYTES {
        scene.state.counts_mut().too_long += 1;
        return;
    }
    let head = serde_json::from_slice::<Head<'_>>(line);
    // An odd `type` is no reason to lose the line, if it is an object.
    let is_object =
        line.starts_with(b"{") && (head.is_ok() || serde_json::from_slice::<Value>(line).is_ok());
    if !is_object {
        scene.state.counts_mut().unreadable += 1;
        return;
    }
    let kind = head.ok().and_then(|head| head.kind).unwrap_or_default();
    read(&Record { kind: &kind, line }, scene);
}
