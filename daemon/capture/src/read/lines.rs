//! Transcripts of lines: one JSON object a line, appended to.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use super::scene::Scene;
use super::{Cursor, MAX_RECORD_BYTES, MAX_STEP_BYTES, Reader, State, Step};
use crate::{Place, Slice};

/// How much more a step wants when a line does not end within what it got.
const GROWTH: usize = 4;

/// How a format reads a record.
type Read = fn(&Record<'_>, &mut Scene<'_>);

/// A record, and its `type`.
pub(super) struct Record<'a> {
    pub(super) kind: &'a str,
    bytes: &'a [u8],
}

impl Record<'_> {
    /// The whole record, if it is JSON; else it is counted. Records of a kind without interest are
    /// never read this far.
    pub(super) fn value(&self, scene: &mut Scene<'_>) -> Option<Value> {
        let value = serde_json::from_slice(self.bytes).ok();
        scene.state.counts_mut().unreadable += u64::from(value.is_none());
        value
    }
}

/// The only member that is read of every record.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
}

/// Reads the lines that end within `bytes`, up to [`MAX_STEP_BYTES`].
pub(super) fn step(
    reader: &Reader,
    read: Read,
    bytes: &[u8],
    cursor: Cursor,
    state: State,
) -> Step {
    let mut lines = Lines {
        reader,
        read,
        cursor,
        state,
        slices: Vec::new(),
    };
    let mut rest = bytes;
    let mut used = 0;
    while used < MAX_STEP_BYTES {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            break;
        };
        let (line, behind) = rest.split_at_checked(end + 1).unwrap_or((rest, &[]));
        lines.take(line);
        used += line.len();
        rest = behind;
    }
    let mut wants = MAX_STEP_BYTES;
    if used < MAX_STEP_BYTES && !rest.is_empty() {
        let is_taken = lines.take_unended(rest);
        if !is_taken && used == 0 && bytes.len() >= MAX_STEP_BYTES {
            wants = bytes.len().saturating_mul(GROWTH).min(MAX_RECORD_BYTES + 1);
        }
    }
    Step {
        slices: lines.slices,
        cursor: lines.cursor,
        state: lines.state,
        wants,
    }
}

/// Reading of lines.
struct Lines<'a> {
    reader: &'a Reader,
    read: Read,
    cursor: Cursor,
    state: State,
    slices: Vec<Slice>,
}

impl Lines<'_> {
    /// Reads a line with its end.
    fn take(&mut self, line: &[u8]) {
        let is_of_skipped = std::mem::take(&mut self.state.is_skipping);
        if !is_of_skipped && line.len() > MAX_RECORD_BYTES {
            self.count_too_long();
        } else if !is_of_skipped {
            self.records(line);
        }
        self.cursor.offset += line.len() as u64;
        self.cursor.lines += 1;
    }

    /// Reads a line without its end, when its records are complete all the same, or passes over
    /// what is there of one that is too long. Whether it was consumed.
    ///
    /// No beginning of an object is itself a complete object, so that nothing is read half.
    fn take_unended(&mut self, rest: &[u8]) -> bool {
        if !self.state.is_skipping && rest.len() > MAX_RECORD_BYTES {
            self.state.is_skipping = true;
            self.count_too_long();
        } else if !self.state.is_skipping {
            if !is_complete(rest) {
                return false;
            }
            self.records(rest);
        }
        self.cursor.offset += rest.len() as u64;
        true
    }

    fn count_too_long(&mut self) {
        let counts = self.state.counts_mut();
        counts.records += 1;
        counts.too_long += 1;
    }

    /// Reads the records of a line: one, or more where a client forgot to end the line between
    /// them. What stands behind something that is no JSON cannot be read.
    fn records(&mut self, line: &[u8]) {
        let mut at = 0;
        while let Some(rest) = line.get(at..) {
            let blanks = rest
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            at += blanks;
            let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) else {
                return;
            };
            let length = length_of_value(rest).unwrap_or(rest.len());
            self.record(rest.get(..length).unwrap_or(rest), at as u64);
            at += length;
        }
    }

    /// Reads the record that stands `at` bytes behind the cursor.
    fn record(&mut self, bytes: &[u8], at: u64) {
        self.state.counts_mut().records += 1;
        let head = serde_json::from_slice::<Head<'_>>(bytes);
        // An odd `type` is no reason to lose the record, if it is an object.
        let is_object = bytes.starts_with(b"{")
            && (head.is_ok() || serde_json::from_slice::<Value>(bytes).is_ok());
        if !is_object {
            self.state.counts_mut().unreadable += 1;
            return;
        }
        let kind = head.ok().and_then(|head| head.kind).unwrap_or_default();
        let place = Place {
            source: self.reader.source.clone(),
            offset: self.cursor.offset + at,
            line: self.cursor.lines + 1,
        };
        let agent = self.reader.format.agent();
        let mut scene = Scene::new(agent, place, &mut self.state, &mut self.slices);
        (self.read)(&Record { kind: &kind, bytes }, &mut scene);
    }
}

/// Bytes of the value that `bytes` start with; `None` where they start with no complete one.
fn length_of_value(bytes: &[u8]) -> Option<usize> {
    let mut values = Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Returns whether a line without its end holds complete objects and nothing else.
fn is_complete(rest: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
    rest.trim_ascii_end().ends_with(b"}") && values.all(|value| value.is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Format;

    /// Reads text as Cursor's lines, and compares the places of slices and what is unreadable.
    fn check(text: &str, places: &[u64], unreadable: u64, offset: usize) {
        let reader = Reader::new(Format::Cursor, "t");
        let step = reader.step(text.as_bytes(), Cursor::default(), State::default());
        let found: Vec<u64> = step.slices.iter().map(|slice| slice.place.offset).collect();
        assert_eq!(found, places, "{text}");
        assert_eq!(step.state.counts().unreadable, unreadable, "{text}");
        assert_eq!(step.cursor.offset, offset as u64, "{text}");
    }

    #[test]
    fn lines_are_told_apart() {
        let said = r#"{"role":"user","message":{"content":"a"}}"#;
        let length = said.len();
        let second = length as u64;
        check(said, &[0], 0, length);
        check(&format!("{said}\n"), &[0], 0, length + 1);
        check(&format!("\n \n{said}"), &[3], 0, length + 3);
        check(
            &format!("{said}\r\n{said}"),
            &[0, second + 2],
            0,
            2 * length + 2,
        );
        check(
            &format!("{said} {said}"),
            &[0, second + 1],
            0,
            2 * length + 1,
        );
        check(&format!("{said}x{said}\n"), &[0], 1, 2 * length + 2);
        check(&format!("[1]{said}\n"), &[3], 1, length + 4);
        check(r#"{"role":"user","#, &[], 0, 0);
        check(r#"{"role":"user"}x"#, &[], 0, 0);
    }
}
