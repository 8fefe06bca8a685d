//! Transcripts that are one JSON document, written anew as a whole: an object with a list of
//! messages, of which the last may still grow.

use serde_json::Value;

use super::scene::Scene;
use super::{Cursor, MAX_DOCUMENT_BYTES, MAX_RECORD_BYTES, MAX_STEP_BYTES, Reader, State, Step};
use crate::Place;

/// How a client lays out its document.
pub(super) struct Shape {
    /// Reads the other members of the document, one at a time, before the messages.
    pub(super) head: fn(&str, &Value, &mut Scene<'_>),
    /// Reads a message. It says what is new of it only.
    pub(super) message: fn(&Value, &mut Scene<'_>),
}

/// The member that holds the messages.
const MESSAGES: &str = "messages";

/// Steps in which the longest document is read: each reads all of it, so that their number is
/// bounded and their size is not.
const STEPS_MAX: usize = 64;

/// Reads messages from `cursor.messages` on, about [`MAX_STEP_BYTES`] of them or the share of a long
/// document that keeps it within [`STEPS_MAX`]. The last message is
/// read, but the cursor stays before it, because its client may add to it.
pub(super) fn step(
    reader: &Reader,
    shape: &Shape,
    bytes: &[u8],
    mut cursor: Cursor,
    mut state: State,
) -> Step {
    let mut slices = Vec::new();
    if bytes.len() > MAX_DOCUMENT_BYTES {
        state.counts_mut().too_long = 1;
        return done(slices, cursor, state);
    }
    let Some(members) = members(bytes) else {
        state.counts_mut().unreadable = 1;
        return done(slices, cursor, state);
    };
    let mut messages = Elements::of(bytes, 0, b'[');
    for (name, at) in members {
        if name == MESSAGES {
            messages = Elements::of(bytes, at, b'[');
            continue;
        }
        let end = end_of_value(bytes, at).unwrap_or(bytes.len());
        if let Some(value) = parsed(bytes, at, end) {
            let place = Place::default();
            let mut scene = Scene::new(reader.format.agent(), place, &mut state, &mut slices);
            (shape.head)(&name, &value, &mut scene);
        }
    }
    let most = MAX_STEP_BYTES.max(bytes.len() / STEPS_MAX);
    let mut used = 0;
    let mut messages = messages.skip(skipped(cursor)).peekable();
    while let Some((start, end)) = messages.next() {
        let place = Place {
            source: reader.source.clone(),
            offset: start as u64,
            line: 0,
        };
        let mut scene = Scene::new(reader.format.agent(), place, &mut state, &mut slices);
        take(shape, bytes, (start, end), cursor.messages + 1, &mut scene);
        used += end - start;
        if messages.peek().is_none() {
            break;
        }
        cursor.messages += 1;
        if used >= most {
            break;
        }
    }
    done(slices, cursor, state)
}

fn skipped(cursor: Cursor) -> usize {
    usize::try_from(cursor.messages).unwrap_or(usize::MAX)
}

fn done(slices: Vec<crate::Slice>, cursor: Cursor, state: State) -> Step {
    Step {
        slices,
        cursor,
        state,
        wants: MAX_DOCUMENT_BYTES + 1,
    }
}

/// Reads the message with a number, counted from 1.
fn take(
    shape: &Shape,
    bytes: &[u8],
    (start, end): (usize, usize),
    number: u64,
    scene: &mut Scene<'_>,
) {
    let is_too_long = end - start > MAX_RECORD_BYTES;
    let value = if is_too_long {
        None
    } else {
        parsed(bytes, start, end)
    };
    let value = value.filter(Value::is_object);
    // The last message is read again with every step, and counted once.
    let counts = scene.state.counts_mut();
    if number > counts.records {
        counts.records = number;
        counts.too_long += u64::from(is_too_long);
        counts.unreadable += u64::from(!is_too_long && value.is_none());
    }
    if let Some(value) = value {
        (shape.message)(&value, scene);
    }
}

fn parsed(bytes: &[u8], start: usize, end: usize) -> Option<Value> {
    serde_json::from_slice(bytes.get(start..end)?).ok()
}

/// The names of an object's members and where their values start; `None` for anything else. An
/// object that breaks off has those that are there.
fn members(bytes: &[u8]) -> Option<Vec<(String, usize)>> {
    let keys = Elements::of(bytes, 0, b'{');
    if !keys.is_open {
        return None;
    }
    let mut members = Vec::new();
    let mut keys = keys;
    while let Some((start, end)) = keys.next_key() {
        let Some(name) = parsed(bytes, start, end) else {
            continue;
        };
        let Value::String(name) = name else { continue };
        members.push((name, skip_blanks(bytes, keys.at)));
        let Some(end) = end_of_value(bytes, skip_blanks(bytes, keys.at)) else {
            break;
        };
        keys.at = end;
    }
    Some(members)
}

/// The elements of a list, as the places where they start and end. A list that breaks off has those
/// that are complete.
struct Elements<'a> {
    bytes: &'a [u8],
    at: usize,
    is_open: bool,
}

impl<'a> Elements<'a> {
    /// The elements of what opens with `bracket` at or behind blanks from `at`.
    fn of(bytes: &'a [u8], at: usize, bracket: u8) -> Self {
        let at = skip_blanks(bytes, at);
        let is_open = bytes.get(at) == Some(&bracket);
        let at = at + 1;
        Self { bytes, at, is_open }
    }

    /// The place of the next key of an object; behind it stands its value.
    fn next_key(&mut self) -> Option<(usize, usize)> {
        let (start, end) = self.next()?;
        let colon = skip_blanks(self.bytes, end);
        if self.bytes.get(colon) != Some(&b':') {
            return None;
        }
        self.at = colon + 1;
        Some((start, end))
    }
}

impl Iterator for Elements<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.is_open {
            return None;
        }
        let mut start = skip_blanks(self.bytes, self.at);
        if self.bytes.get(start) == Some(&b',') {
            start = skip_blanks(self.bytes, start + 1);
        }
        let end = end_of_value(self.bytes, start)?;
        self.at = end;
        Some((start, end))
    }
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    at + blanks.count()
}

/// Where the value that starts at `at` ends; `None` when it breaks off or is none.
fn end_of_value(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let mut at = at;
    loop {
        match bytes.get(at)? {
            b'"' => at = end_of_text(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            byte if b",:".contains(byte) || byte.is_ascii_whitespace() => {
                if depth == 0 {
                    return None;
                }
                at += 1;
                continue;
            }
            _ => at = end_of_word(bytes, at)?,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Where a text that opens at `at` ends.
fn end_of_text(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Where a number, `true`, `false` or `null` ends; `None` when nothing stands behind it, because
/// there may be more of it.
fn end_of_word(bytes: &[u8], at: usize) -> Option<usize> {
    let is_end = |byte: &u8| b",:{}[]\"".contains(byte) || byte.is_ascii_whitespace();
    let length = bytes.get(at..)?.iter().position(is_end)?;
    Some(at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: &str, expected: &[&str]) {
        let members = members(document.as_bytes()).unwrap_or_default();
        let at = members
            .iter()
            .find(|(name, _)| name == MESSAGES)
            .map(|(_, at)| *at);
        let elements = Elements::of(document.as_bytes(), at.unwrap_or(document.len()), b'[');
        let elements: Vec<&str> = elements
            .filter_map(|(start, end)| document.get(start..end))
            .collect();
        assert_eq!(elements, expected, "{document}");
    }

    #[test]
    fn messages_are_found() {
        check(
            r#"{"a":1,"messages":[{"b":"]"},{"c":[1,"\"}"]}],"d":2}"#,
            &[r#"{"b":"]"}"#, r#"{"c":[1,"\"}"]}"#],
        );
        check(
            r#" { "a" : {"messages":[9]} , "messages" : [ 1 , null ] } "#,
            &["1", "null"],
        );
    }

    #[test]
    fn complete_messages_of_a_broken_document_are_found() {
        check(r#"{"messages":[{"a":1},{"b":2"#, &[r#"{"a":1}"#]);
        check(r#"{"messages":[{"a":1}"#, &[r#"{"a":1}"#]);
        check(r#"{"messages":[12"#, &[]);
        check(r#"{"messages":"#, &[]);
        check(r#"{"messages":{"a":1}}"#, &[]);
        check("[1,2]", &[]);
        check("", &[]);
    }
}
