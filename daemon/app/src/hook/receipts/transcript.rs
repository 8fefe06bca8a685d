//! The transcripts of a session: its own and those of its subagents, each read again only when it
//! has grown.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;

use crate::plain_file;

/// Bytes of a transcript that are read at once, from its end.
const TRANSCRIPT_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Subagents of one session whose transcripts are looked at, the latest first.
const SUBAGENTS_MAX: usize = 16;

/// How long each transcript of a session was when it was looked at last.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    lengths: HashMap<PathBuf, u64>,
}

impl Seen {
    /// The end of a transcript; `None` where there is no such file, and where it is as long as it
    /// was.
    pub(super) fn news(&mut self, transcript: &Path) -> Option<String> {
        let (file, found) = plain_file::open(transcript).ok()?;
        let length = found.len();
        if self.lengths.insert(transcript.to_owned(), length) == Some(length) {
            return None;
        }
        end(file, length)
    }

    /// Forgets all but these, which are those that will be looked at again.
    pub(super) fn keep(&mut self, transcripts: &[PathBuf]) {
        self.lengths.retain(|known, _| transcripts.contains(known));
    }
}

/// A session's transcript and those of its subagents, which Claude Code writes into a directory
/// named as the session's own, the latest first.
pub(super) fn of_session(transcript: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(transcript.with_extension("").join("subagents"))
        .into_iter()
        .flatten()
        .flatten();
    let is_transcript = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    };
    let written = |path: PathBuf| Some((path.metadata().ok()?.modified().ok()?, path));
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(is_transcript)
        .filter_map(written)
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    let subagents = found.into_iter().take(SUBAGENTS_MAX).map(|(_, path)| path);
    std::iter::once(transcript.to_owned())
        .chain(subagents)
        .collect()
}

/// A line of Claude Code's, as far as it tells what became of a prompt.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'l, str>,
    #[serde(borrow, default)]
    timestamp: Cow<'l, str>,
    #[serde(default, rename = "isSidechain")]
    is_sidechain: bool,
}

/// Part of a line that says that a hook blocked a prompt.
const BLOCKED: &str = "blocked_by_hook";

/// How it was over with a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The model has answered.
    Answered,
    /// Another hook blocked the prompt.
    Blocked,
}

/// How a transcript says that it was over with the prompt that came at a time, in microseconds;
/// `None` where it is not yet, and where it does not reach back to that time.
pub(super) fn end_of_prompt(written: &str, at_us: i64) -> Option<End> {
    let moment = |line: &Line<'_>| {
        line.timestamp
            .parse()
            .ok()
            .map(jiff::Timestamp::as_microsecond)
    };
    let mut nearest = None;
    // From the end: what matters is in the last few lines.
    for text in written.lines().rev() {
        if memmem::find(text.as_bytes(), b"\"timestamp\"").is_none() {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line<'_>>(text) else {
            continue;
        };
        let Some(line_at_us) = moment(&line) else {
            continue;
        };
        if line_at_us <= at_us {
            return nearest;
        }
        if line.kind == "assistant" && !line.is_sidechain {
            nearest = Some(End::Answered);
        } else if line.kind == "system" && text.contains(BLOCKED) {
            nearest = Some(End::Blocked);
        }
    }
    nearest.filter(|_| (written.len() as u64) < TRANSCRIPT_MAX_BYTES)
}

/// Bytes of a transcript that are looked through for calls that were refused: those of a long turn.
const TURN_MAX_BYTES: u64 = 1024 * 1024;

/// Part of a line of Claude Code's that says that a call of a tool was refused or failed.
const FAILED_CALL: &[u8] = b"\"is_error\":true";

/// The ids of the calls of tools that were refused or failed, as the end of a transcript tells.
pub(in crate::hook) fn failed_calls(transcript: &Path) -> HashSet<String> {
    let written = plain_file::open(transcript)
        .ok()
        .and_then(|(file, found)| tail(file, found.len(), TURN_MAX_BYTES));
    let written = written.unwrap_or_default();
    let lines = written
        .lines()
        .filter(|line| memmem::find(line.as_bytes(), FAILED_CALL).is_some());
    lines
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .flat_map(|line| failed_in(&line))
        .collect()
}

fn failed_in(line: &Value) -> Vec<String> {
    let results = line
        .pointer("/message/content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let failed = results.filter(|result| result.get("is_error") == Some(&Value::Bool(true)));
    failed
        .filter_map(|result| result.get("tool_use_id")?.as_str().map(str::to_owned))
        .collect()
}

/// The last bytes of a file of this length.
fn end(file: File, length: u64) -> Option<String> {
    tail(file, length, TRANSCRIPT_MAX_BYTES)
}

fn tail(mut file: File, length: u64, most_bytes: u64) -> Option<String> {
    file.seek(SeekFrom::Start(length.saturating_sub(most_bytes)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(most_bytes).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn calls_that_were_refused_are_told_by_the_transcript() {
        let directory = tempfile::tempdir().unwrap();
        let transcript = directory.path().join("s.jsonl");
        let refused = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"you haven't granted it yet","is_error":true,"tool_use_id":"toolu_1"}]}}"#;
        let made = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"ok","tool_use_id":"toolu_2"}]}}"#;
        fs::write(&transcript, [refused, made, "no line of it", ""].join("\n")).unwrap();
        assert_eq!(
            failed_calls(&transcript),
            HashSet::from(["toolu_1".to_owned()])
        );
        assert!(failed_calls(Path::new("/nowhere/s.jsonl")).is_empty());
    }

    #[test]
    fn only_what_has_grown_is_read_again() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("s.jsonl");
        let mut seen = Seen::default();
        assert_eq!(seen.news(&transcript), None, "it is not there");
        fs::write(&transcript, "a\n").unwrap();
        assert_eq!(seen.news(&transcript).as_deref(), Some("a\n"));
        assert_eq!(seen.news(&transcript), None);
        fs::write(&transcript, "a\nb\n").unwrap();
        assert_eq!(seen.news(&transcript).as_deref(), Some("a\nb\n"));
        seen.keep(&[]);
        assert!(seen.news(&transcript).is_some());
    }

    #[test]
    fn subagents_transcripts_are_a_sessions_too() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("s.jsonl");
        assert_eq!(of_session(&transcript), [transcript.as_path()]);
        let subagents = home.path().join("s/subagents");
        fs::create_dir_all(&subagents).unwrap();
        (0..SUBAGENTS_MAX + 3)
            .for_each(|n| fs::write(subagents.join(format!("a{n}.jsonl")), "").unwrap());
        fs::write(subagents.join("a.meta.json"), "").unwrap();
        let found = of_session(&transcript);
        assert_eq!(
            (found.len(), found.first()),
            (SUBAGENTS_MAX + 1, Some(&transcript))
        );
    }
}
