//! The markers around a memory, and how text lines that look like them are told apart.

use serde_json::{Map, Value};

use crate::Portable;
use crate::entry::{Carries, Line};

const OPEN: &str = "<!-- helix:";
const OPEN_END: &str = "-->";
const COMMENT: &str = "<!--";

/// The line behind a memory's text.
pub(super) const CLOSE: &str = "<!-- /helix -->";

/// The meaning of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Mark {
    /// Starts a memory; `None` when its metadata cannot be read.
    Open(Option<Map<String, Value>>),
    /// Ends a memory.
    Close,
    /// Begins as a line that starts a memory does, and does not end as one.
    Cut,
}

/// Returns the line that starts a memory.
pub(super) fn open(memory: &Portable) -> serde_json::Result<String> {
    let metadata = serde_json::to_string(&Line::new(memory, Carries::Hash))?;
    // `>` only occurs inside of strings, where the escape means the same: so nothing in there can
    // end the comment.
    Ok(format!(
        "{OPEN} {} {OPEN_END}",
        metadata.replace('>', "\\u003e")
    ))
}

/// Reads a line; `None` for any that is no marker. Spaces behind a marker do no harm.
pub(super) fn read(line: &str) -> Option<Mark> {
    let line = line.trim_end();
    if line == CLOSE {
        return Some(Mark::Close);
    }
    let Some(metadata) = line
        .strip_prefix(OPEN)?
        .strip_suffix(OPEN_END)
        .map(str::trim)
    else {
        return Some(Mark::Cut);
    };
    if metadata.is_empty() {
        return Some(Mark::Open(Some(Map::new())));
    }
    Some(Mark::Open(serde_json::from_str(metadata).ok()))
}

/// Returns whether a file that ends with this line was cut inside of a marker.
pub(super) fn is_begun(line: &str) -> bool {
    line.starts_with(COMMENT) && (OPEN.starts_with(line) || CLOSE.starts_with(line))
}

/// Returns whether a line needs a backslash (or one more) to stay text.
fn looks_like_a_marker(line: &str) -> bool {
    let line = line.trim_start_matches('\\');
    line.starts_with(OPEN) || line.starts_with(CLOSE)
}

/// Returns the text with a backslash before each line that looks like a marker.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive('\n') {
        if looks_like_a_marker(line) {
            escaped.push('\\');
        }
        escaped.push_str(line);
    }
    escaped
}

/// Takes the backslash away again.
pub(super) fn unescape(line: &str) -> &str {
    if looks_like_a_marker(line) {
        line.strip_prefix('\\').unwrap_or(line)
    } else {
        line
    }
}
