//! Which messages a transcript of Claude Code has. A fork's begins with its parent's: the same ids,
//! under the fork's own session; one that was made inside a session also names that in each of
//! them.
//!
//! Of a long transcript only a window is read, which ends where the fork begins: there the fork and
//! its parent say the same, and every other session says something else or nothing. Messages come in
//! the order of their times, so that this place is found by bisection.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use helix_memory::Timestamp;
use serde::Deserialize;

use crate::plain_file;

/// Bytes before the beginning of a fork that are read: thousands of messages, in some 20 ms.
pub(super) const WINDOW_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes behind it that are read, to learn whether anything was said since; and within which
/// bisection need not find the place.
const BEHIND_BYTES: u64 = 1024 * 1024;

/// One line, as far as it matters.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'l, str>,
    #[serde(borrow, default)]
    uuid: Cow<'l, str>,
    #[serde(borrow, default)]
    timestamp: Cow<'l, str>,
    #[serde(default, rename = "isSidechain")]
    is_sidechain: bool,
    #[serde(borrow, default, rename = "forkedFrom")]
    forked_from: Option<ForkedFrom<'l>>,
}

#[derive(Deserialize)]
struct ForkedFrom<'l> {
    #[serde(borrow, default, rename = "sessionId")]
    session_id: Cow<'l, str>,
}

/// What was said in a session, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Messages {
    said: Vec<Message>,
    /// The session that the last line which names one is copied from.
    named: Option<String>,
    /// Before the first message that was read, where more stand before it.
    unread_until: Option<Timestamp>,
}

#[derive(Debug, PartialEq, Eq)]
struct Message {
    id: String,
    /// `None` where the transcript does not say.
    at: Option<Timestamp>,
}

impl Messages {
    /// Reads a transcript, as far as it tells of a fork that began at a time; `None` where there is
    /// none.
    pub(super) fn read(transcript: &Path, fork_at: Timestamp) -> Option<Self> {
        let (mut file, found) = plain_file::open(transcript).ok()?;
        let (mut from, mut to) = (0, found.len());
        if to > WINDOW_BYTES {
            let place = place_of(&mut file, to, fork_at).ok()?;
            from = place.start.saturating_sub(WINDOW_BYTES);
            to = to.min(place.end + BEHIND_BYTES);
        }
        let mut messages = Self::default();
        for_each_line(&mut file, from..to, |line| {
            messages.add(line);
            true
        })
        .ok()?;
        if from > 0 {
            messages.unread_until = messages.said.iter().find_map(|message| message.at);
        }
        Some(messages)
    }

    fn add(&mut self, line: &Line<'_>) {
        if let Some(parent) = line
            .forked_from
            .as_ref()
            .filter(|parent| !parent.session_id.is_empty())
        {
            self.named = Some(parent.session_id.to_string());
        }
        let is_said = matches!(&*line.kind, "user" | "assistant") && !line.is_sidechain;
        if is_said && !line.uuid.is_empty() {
            self.said.push(Message {
                id: line.uuid.to_string(),
                at: moment(&line.timestamp),
            });
        }
    }

    /// The ids of all messages.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.said.iter().map(|message| message.id.as_str())
    }

    /// The session that these are copied from, where they name one.
    pub(super) fn named_parent(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// Whether anything was said after a time.
    pub(super) fn has_any_after(&self, at: Timestamp) -> bool {
        self.said
            .iter()
            .any(|message| message.at.is_some_and(|said_at| said_at > at))
    }

    /// How many of these messages a fork has that began at a time; `None` where it lacks one that
    /// was said before: it is the fork of another session.
    pub(super) fn shared_with(
        &self,
        fork: &Self,
        ids: &HashSet<&str>,
        fork_at: Timestamp,
    ) -> Option<usize> {
        let (shared, own): (Vec<_>, Vec<_>) = self
            .said
            .iter()
            .partition(|message| ids.contains(message.id.as_str()));
        let is_lacked = |message: &&Message| {
            message.at.is_none_or(|at| at <= fork_at) && fork.has_read_of(message.at)
        };
        (!own.iter().any(is_lacked)).then_some(shared.len())
    }

    /// Returns whether a message of a time was read, if it is there.
    fn has_read_of(&self, at: Option<Timestamp>) -> bool {
        self.unread_until
            .is_none_or(|until| at.is_some_and(|at| at > until))
    }
}

/// Where in a transcript of so many bytes the lines begin that were written after a time: somewhere
/// in the range that is returned.
fn place_of(file: &mut File, bytes: u64, at: Timestamp) -> io::Result<Range<u64>> {
    let mut place = 0..bytes;
    while place.end - place.start > BEHIND_BYTES {
        let middle = place.start + (place.end - place.start) / 2;
        let mut written_at = None;
        for_each_line(file, middle..place.end, |line| {
            written_at = moment(&line.timestamp);
            written_at.is_none()
        })?;
        if written_at.is_some_and(|written_at| written_at <= at) {
            place.start = middle;
        } else {
            place.end = middle;
        }
    }
    Ok(place)
}

/// Reads the whole lines in a range, until one is enough.
fn for_each_line(
    file: &mut File,
    range: Range<u64>,
    mut goes_on: impl FnMut(&Line<'_>) -> bool,
) -> io::Result<()> {
    // The end of a line whose beginning is elsewhere is none, unless the range begins with one.
    let skipped = range.start.min(1);
    file.seek(SeekFrom::Start(range.start - skipped))?;
    let mut reader = BufReader::new(file.take(range.end - range.start + skipped));
    let mut line = Vec::new();
    if skipped > 0 {
        reader.skip_until(b'\n')?;
    }
    while reader.read_until(b'\n', &mut line)? > 0 {
        // The last line may be cut, and others may be of a form to come.
        if let Ok(read) = serde_json::from_slice::<Line<'_>>(&line)
            && !goes_on(&read)
        {
            return Ok(());
        }
        line.clear();
    }
    Ok(())
}

fn moment(written: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = written.parse().ok()?;
    Some(Timestamp::from_micros(moment.as_microsecond()))
}
