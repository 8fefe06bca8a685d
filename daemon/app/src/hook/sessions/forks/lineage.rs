//! Which messages a transcript of Claude Code has. A fork's begins with its parent's: the same ids,
//! under the fork's own session; one that was made inside a session also names that in each of
//! them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use helix_memory::Timestamp;
use serde::Deserialize;

use crate::plain_file;

/// Bytes of a transcript that are read. Of a longer one nothing is known: what it says of its
/// parent may be in the rest.
const TRANSCRIPT_MAX_BYTES: u64 = 32 * 1024 * 1024;

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
}

#[derive(Debug, PartialEq, Eq)]
struct Message {
    id: String,
    /// `None` where the transcript does not say.
    at: Option<Timestamp>,
}

impl Messages {
    /// Reads a transcript; `None` where there is none that can be read whole.
    pub(super) fn read(transcript: &Path) -> Option<Self> {
        let (file, found) = plain_file::open(transcript).ok()?;
        (found.len() <= TRANSCRIPT_MAX_BYTES).then_some(())?;
        let mut messages = Self::default();
        let mut reader = BufReader::new(file.take(TRANSCRIPT_MAX_BYTES));
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).ok()? > 0 {
            // The last line may be cut, and others may be of a form to come.
            if let Ok(read) = serde_json::from_slice::<Line<'_>>(&line) {
                messages.add(&read);
            }
            line.clear();
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
    pub(super) fn shared_with(&self, fork: &HashSet<&str>, fork_at: Timestamp) -> Option<usize> {
        let (shared, own): (Vec<_>, Vec<_>) = self
            .said
            .iter()
            .partition(|message| fork.contains(message.id.as_str()));
        let is_earlier = |message: &&Message| message.at.is_none_or(|at| at <= fork_at);
        (!own.iter().any(is_earlier)).then_some(shared.len())
    }
}

fn moment(written: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = written.parse().ok()?;
    Some(Timestamp::from_micros(moment.as_microsecond()))
}
