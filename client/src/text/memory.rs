//! The parts of one memory: handle line, body, metadata line.

use std::fmt::Display;

use helix_proto::v1::{Memory, SourceState};
use jiff::Timestamp;

use super::{BODY_MAX_CHARS, LINE_MAX_CHARS, View, clean, dates};

/// Importance of a memory that states none.
const IMPORTANCE_DEFAULT: f32 = 0.5;

/// How far from it a kind and a few words move it, which is not worth telling.
const IMPORTANCE_USUAL: f32 = 0.275;

/// From here on a confidence is as good as whole: two decimals show no difference.
const CONFIDENCE_WHOLE: f32 = 0.995;

/// Below this, a confidence is said on every line: a twentieth of it is gone.
const CONFIDENCE_TOLD: f32 = 0.95;

/// Attribute that says when a text was last revised, in RFC 3339.
const MODIFIED_ATTRIBUTE: &str = "helix.modified";

/// Attribute that says where a captured fact stands.
const CAPTURED_ATTRIBUTE: &str = "captured-from";

/// Attribute that says from which file of an agent's own a memory was read.
const READ_FILE_ATTRIBUTE: &str = "helix.read-file";

/// Indents stored text.
pub const INDENT: &str = "  ";

/// Indents and marks a line: one that holds a matched term, one that a source names.
pub const MARK: &str = "> ";

/// The day on which the memory became true.
#[must_use]
pub fn day(memory: &Memory, view: &View) -> String {
    let at = if memory.valid_from_us == 0 {
        memory.recorded_at_us
    } else {
        memory.valid_from_us
    };
    dates::day_of(at, &view.zone)
}

/// The time at which the memory became true.
#[must_use]
pub fn time(memory: &Memory, view: &View) -> String {
    let at = if memory.valid_from_us == 0 {
        memory.recorded_at_us
    } else {
        memory.valid_from_us
    };
    dates::time_of(at, &view.zone)
}

/// Describes the memory's kind and scope: `gotcha, project`; and says when its source is no longer
/// what it was.
#[must_use]
pub fn nature(memory: &Memory) -> String {
    let changed = changed(memory)
        .map(|changed| format!(", {changed}"))
        .unwrap_or_default();
    let scope = match memory.scope.split_once(':') {
        Some((level, _)) => level,
        None => &memory.scope,
    };
    let flagged = flagged(memory).map(|flagged| format!(", {flagged}"));
    let flagged = flagged.unwrap_or_default();
    clean::line(&format!("{}, {scope}{changed}{flagged}", memory.kind))
}

/// Says that its text looks like orders to an agent.
fn flagged(memory: &Memory) -> Option<&'static str> {
    (!memory.suspicions.is_empty()).then_some("looks like orders to an agent")
}

/// Says that its source is no longer what it was, that another memory took its place or that little
/// confidence is left, for a line that has no room for more: `(source changed)`,
/// `(confidence 0.42)`.
#[must_use]
pub fn stale_mark(memory: &Memory) -> String {
    let by = Some(clean::line(&memory.superseded_by)).filter(|by| !by.is_empty());
    let superseded = by.map(|by| format!("superseded by {by}"));
    let faded = is_doubtful(memory).then(|| confidence(memory));
    let marks: Vec<String> = changed(memory)
        .map(str::to_owned)
        .into_iter()
        .chain(superseded)
        .chain(contradiction(memory))
        .chain(faded)
        .chain(flagged(memory).map(str::to_owned))
        .collect();
    if marks.is_empty() {
        String::new()
    } else {
        format!("({})", marks.join(", "))
    }
}

/// Names what contradicts it.
pub(super) fn contradiction(memory: &Memory) -> Option<String> {
    let by = clean::line(&memory.contradicted_by.join(", "));
    (!by.is_empty()).then(|| format!("contradicted by {by}"))
}

fn changed(memory: &Memory) -> Option<&'static str> {
    match memory.source_state() {
        SourceState::Unknown | SourceState::Fresh => None,
        SourceState::Changed => Some("source changed"),
        SourceState::Deleted => Some("source deleted"),
    }
}

/// `#tag #tag`, empty without tags.
#[must_use]
pub fn hashtags(memory: &Memory) -> String {
    clean::line(
        &memory
            .tags
            .iter()
            .map(|tag| format!("#{tag}"))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// A memory on one line: handle, day, whether its source changed, summary, tags.
#[must_use]
pub fn one_line(memory: &Memory, view: &View) -> String {
    marked_line(memory, view, stale_mark(memory))
}

/// The same with a mark of one's own before the summary; none when it is empty.
#[must_use]
pub fn marked_line(memory: &Memory, view: &View, mark: String) -> String {
    header([
        clean::line(&memory.handle),
        day(memory, view),
        mark,
        summary(memory),
        hashtags(memory),
    ])
}

/// Says how far a memory is trusted by now: `confidence 0.42`.
#[must_use]
pub fn confidence(memory: &Memory) -> String {
    format!("confidence {}", short(confidence_left(memory)))
}

/// Whether so much of its confidence is missing that a reader should know it before the details. A
/// source that changed is told by itself.
fn is_doubtful(memory: &Memory) -> bool {
    let left = confidence_left(memory);
    memory.doubted_confidence.is_none() && left > 0.0 && left < CONFIDENCE_TOLD
}

/// `, confidence 0.42` behind what is told of a memory; empty while little of it is missing.
#[must_use]
pub fn doubt(memory: &Memory) -> String {
    if is_doubtful(memory) {
        format!(", {}", confidence(memory))
    } else {
        String::new()
    }
}

/// Returns its confidence after fading; as stored where the daemon does not say.
fn confidence_left(memory: &Memory) -> f32 {
    if memory.effective_confidence > 0.0 {
        memory.effective_confidence
    } else {
        memory.confidence
    }
}

/// `path:line` of its source, and where the line is by now if it moved: `src/a.rs:3, now line 9`;
/// empty without one.
#[must_use]
pub fn source(memory: &Memory) -> String {
    let Some(source) = memory
        .source
        .as_ref()
        .filter(|source| !source.path.is_empty())
    else {
        return String::new();
    };
    let line = if source.line == 0 {
        String::new()
    } else {
        format!(":{}", source.line)
    };
    clean::line(&format!("{}{line}{}", source.path, moved(memory)))
}

/// `path:line` of the transcript, document or commit that a fact was captured from; empty for what
/// somebody stored.
#[must_use]
pub fn captured_from(memory: &Memory) -> String {
    let place = memory.attributes.get(CAPTURED_ATTRIBUTE);
    place.map(|place| clean::line(place)).unwrap_or_default()
}

/// The same without the folders: `s-1.jsonl:12`.
#[must_use]
pub fn captured_from_name(memory: &Memory) -> String {
    let place = captured_from(memory);
    let name = place.rsplit('/').next().unwrap_or_default();
    name.to_owned()
}

/// Where a memory was said, for a list: the transcript without its folders that it was captured from,
/// or the file of an agent's own that it was read from. Empty for what somebody stored.
#[must_use]
pub fn said_in(memory: &Memory) -> String {
    let captured = captured_from_name(memory);
    if captured.is_empty() && memory.attributes.contains_key(READ_FILE_ATTRIBUTE) {
        return source(memory);
    }
    captured
}

/// Returns the note behind a source whose line moved: `, now line 9`; else empty.
#[must_use]
pub fn moved(memory: &Memory) -> String {
    memory
        .moved_to_line
        .map(|line| format!(", now line {line}"))
        .unwrap_or_default()
}

/// Joins the parts of a header that are not empty.
#[must_use]
pub fn header<const N: usize>(parts: [String; N]) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

/// Its summary, or the first line with text where it has none.
#[must_use]
pub fn summary(memory: &Memory) -> String {
    if !memory.summary.is_empty() {
        return cut(&clean::line(&memory.summary), LINE_MAX_CHARS);
    }
    let text = clean::block(&memory.text);
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    cut(first.trim(), LINE_MAX_CHARS)
}

/// The first `count` lines with text, indented, and how many lines follow.
#[must_use]
pub fn opening(memory: &Memory, count: usize) -> String {
    let text = clean::block(&memory.text);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut shown: Vec<String> = lines
        .by_ref()
        .take(count)
        .map(|line| format!("{INDENT}{}", cut(line.trim_end(), LINE_MAX_CHARS)))
        .collect();
    let rest = lines.count();
    if rest > 0 {
        shown.push(format!(
            "{INDENT}… {rest} more {}",
            if rest == 1 { "line" } else { "lines" }
        ));
    }
    shown.join("\n")
}

/// The body of one memory among several: cut with a pointer to the rest. Lines with a matched word
/// are marked, and where only the rest has one, so is what stands around it.
#[must_use]
pub fn body(memory: &Memory, matched: &[String]) -> String {
    let text = clean::block(&memory.text);
    let text = text.trim_end();
    let kept = first_chars(text, BODY_MAX_CHARS);
    let shown = indent(kept, matched);
    if kept.len() == text.len() {
        return shown;
    }
    let handle = clean::line(&memory.handle);
    let rest = text.get(kept.len()..).unwrap_or_default();
    let has_match = shown.lines().any(|line| line.starts_with(MARK));
    let passage = passage(rest, matched).filter(|_| !has_match);
    let passage = passage
        .map(|passage| format!("\n{INDENT}…\n{MARK}{passage}"))
        .unwrap_or_default();
    format!(
        "{shown}{passage}\n{INDENT}… cut at {BODY_MAX_CHARS} characters; read {handle} shows the rest"
    )
}

/// The line of a text with the first matched word; of a long one what stands around the word.
fn passage(text: &str, matched: &[String]) -> Option<String> {
    let line = text.lines().find(|line| holds_any(line, matched))?;
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= LINE_MAX_CHARS {
        return Some(line.trim().to_owned());
    }
    // Single characters have the same places in both, where lower case is not longer.
    let lower: String = line
        .chars()
        .map(|one| one.to_lowercase().next().unwrap_or(one))
        .collect();
    let at = matched
        .iter()
        .filter_map(|word| lower.find(word.as_str()))
        .min()
        .unwrap_or_default();
    let at = lower.get(..at).unwrap_or_default().chars().count();
    let around: String = chars
        .iter()
        .skip(at.saturating_sub(LINE_MAX_CHARS / 2))
        .take(LINE_MAX_CHARS)
        .collect();
    Some(format!("…{}…", around.trim()))
}

fn holds_any(line: &str, matched: &[String]) -> bool {
    let lower = line.to_lowercase();
    matched.iter().any(|word| lower.contains(word.as_str()))
}

/// The whole body, indented and else as it is stored, but for what [`clean::block`] takes out.
#[must_use]
pub fn whole_body(memory: &Memory) -> String {
    let text = clean::block(&memory.text);
    let line = |line: &str| {
        if line.is_empty() {
            String::new()
        } else {
            format!("{INDENT}{line}")
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `[tags: …] [source: …] [confidence: …] [links: …]` and what else is out of the ordinary; empty
/// when nothing is.
#[must_use]
pub fn metadata(memory: &Memory, view: &View) -> String {
    let mut fields: Vec<String> = Vec::new();
    let mut field = |name: &str, value: &str| {
        fields.push(format!(
            "[{name}: {}]",
            clean::line(value).replace(']', ")")
        ));
    };
    if !memory.tags.is_empty() {
        field("tags", &memory.tags.join(", "));
    }
    let source = source(memory);
    if !source.is_empty() {
        field("source", &source);
    }
    let captured = captured_from(memory);
    if !captured.is_empty() {
        field("captured from", &captured);
    }
    if let Some(doubted) = memory.doubted_confidence {
        field("confidence", &format!("{}, stale", short(doubted)));
    } else {
        let left = confidence_left(memory);
        if left < CONFIDENCE_WHOLE {
            field("confidence", &short(left));
        }
    }
    if (memory.importance - IMPORTANCE_DEFAULT).abs() > IMPORTANCE_USUAL {
        field("importance", &short(memory.importance));
    }
    if !memory.links.is_empty() {
        field("links", &memory.links.join(" "));
    }
    if let Some(at) = modified_us(memory) {
        field("modified", &dates::time_of(at, &view.zone));
    }
    if !memory.status.is_empty() && memory.status != "active" {
        field("status", &memory.status);
    }
    if !memory.superseded_by.is_empty() {
        field("superseded by", &memory.superseded_by);
    }
    if !memory.contradicted_by.is_empty() {
        field("contradicted by", &memory.contradicted_by.join(" "));
    }
    if !matches!(memory.origin.as_str(), "" | "user" | "agent") {
        field("origin", &memory.origin);
    }
    if memory.pinned {
        fields.push("[pinned]".to_owned());
    }
    fields.join(" ")
}

/// `1 memory`, `2 memories`.
#[must_use]
pub fn count_of<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    several: &str,
) -> String {
    let noun = if count == N::from(1) { one } else { several };
    format!("{count} {noun}")
}

/// Bytes in the largest unit that leaves a whole number before the point.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNIT: f64 = 1024.0;
    let mut size = bytes as f64;
    for unit in ["bytes", "KiB", "MiB"] {
        if size < UNIT {
            return if unit == "bytes" {
                format!("{bytes} bytes")
            } else {
                format!("{size:.1} {unit}")
            };
        }
        size /= UNIT;
    }
    format!("{size:.1} GiB")
}

/// At most two decimals, none for nothing.
#[must_use]
pub fn short(number: f32) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// At most `most` characters, with an ellipsis where something is missing: behind a word, unless
/// one takes half of the room.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    let kept = first_chars(text, most);
    if kept.len() == text.len() {
        return text.to_owned();
    }
    let ends_word = text
        .get(kept.len()..)
        .is_some_and(|rest| rest.starts_with(' '));
    match kept.rfind(' ') {
        Some(blank) if !ends_word && blank > kept.len() / 2 => {
            format!("{}…", kept.get(..blank).unwrap_or(kept).trim_end())
        }
        _ => format!("{kept}…"),
    }
}

fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .and_then(|(at, _)| text.get(..at))
        .unwrap_or(text)
}

fn indent(text: &str, matched: &[String]) -> String {
    let matched: Vec<String> = matched
        .iter()
        .map(|term| term.to_lowercase())
        .filter(|term| !term.is_empty())
        .collect();
    let marked = |line: &str| {
        let margin = if holds_any(line, &matched) {
            MARK
        } else {
            INDENT
        };
        format!("{margin}{line}").trim_end().to_owned()
    };
    text.lines().map(marked).collect::<Vec<_>>().join("\n")
}

/// When a memory's text was last revised, in microseconds since the epoch.
#[must_use]
pub fn modified_us(memory: &Memory) -> Option<i64> {
    memory
        .attributes
        .get(MODIFIED_ATTRIBUTE)?
        .parse()
        .ok()
        .map(Timestamp::as_microsecond)
}
