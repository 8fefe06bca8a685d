//! Receipts: what hooks said, and whether it reached the model. A client that writes a transcript shows there what the model was
//! given; a text that stands in it whole was delivered.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_engine::model::Timestamp;
use helix_engine::strand::Request;
use memchr::memmem;
use prost::Message;
use tokio::runtime::Handle;

use crate::writer::WriterHandle;

/// Injections of one session that wait for their transcript.
const PENDING_MAX: usize = 64;

/// Sessions that wait for theirs.
const SESSIONS_MAX: usize = 256;

/// Bytes of a transcript that are read at once, from its end.
const TRANSCRIPT_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Subagents of one session whose transcripts are looked at, the latest first.
const SUBAGENTS_MAX: usize = 16;

/// Characters of an injection by whose presence it is known that the rest was cut. The frame that all begin with has 70.
const START_CHARS: usize = 200;

/// Bytes by which an injection is looked for.
const MARK_MAX_BYTES: usize = 64;

/// How long after a restart the fate of an injection is still looked for.
const PENDING_MAX_AGE: Duration = Duration::from_hours(4);

/// How often a transcript is looked at for the same injection before its fate stays unknown.
const LOOKS_MAX: u32 = 20;

/// Version of the persisted form.
const VERSION: u32 = 1;

/// What became of an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum Fate {
    /// Nobody said.
    Unknown = 0,
    /// The transcript has all of it.
    Delivered = 1,
    /// The transcript has its beginning only.
    Cut = 2,
}

impl Fate {
    /// Its name for readers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Delivered => "delivered",
            Self::Cut => "cut",
        }
    }
}

/// One injection, as it is persisted.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Receipt {
    #[prost(uint32, tag = "1")]
    pub(super) version: u32,
    #[prost(string, tag = "2")]
    pub(crate) session: String,
    #[prost(string, tag = "3")]
    pub(crate) event: String,
    #[prost(string, repeated, tag = "4")]
    pub(crate) handles: Vec<String>,
    #[prost(uint32, tag = "5")]
    pub(crate) tokens: u32,
    #[prost(uint64, tag = "6")]
    pub(crate) latency_us: u64,
    #[prost(enumeration = "Fate", tag = "7")]
    pub(super) fate: i32,
    /// By which its text is known; none in older receipts.
    #[prost(message, optional, tag = "8")]
    pub(super) mark: Option<Mark>,
}

/// Knows a text again where it stands inside a JSON string, without keeping it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Mark {
    /// How it begins.
    #[prost(string, tag = "1")]
    begins: String,
    /// All of it: its length in bytes, and a hash.
    #[prost(uint32, tag = "2")]
    bytes: u32,
    #[prost(fixed64, tag = "3")]
    hash: u64,
    /// Its first characters, by whose presence it is known that the rest was cut; 0 bytes for a text that has no more.
    #[prost(uint32, tag = "4")]
    start_bytes: u32,
    #[prost(fixed64, tag = "5")]
    start_hash: u64,
}

impl Mark {
    fn of(text: &str) -> Self {
        let all = in_json(text);
        let start = text.char_indices().nth(START_CHARS).and_then(|(at, _)| text.get(..at)).map(in_json);
        let start = start.unwrap_or_default();
        Self {
            begins: all.get(..all.floor_char_boundary(MARK_MAX_BYTES)).unwrap_or_default().to_owned(),
            bytes: u32::try_from(all.len()).unwrap_or(u32::MAX),
            hash: hash(all.as_bytes()),
            start_bytes: u32::try_from(start.len()).unwrap_or(u32::MAX),
            start_hash: hash(start.as_bytes()),
        }
    }

    /// What became of a text that may begin at this place.
    fn fate_at(&self, at: usize, written: &str) -> Fate {
        let is_there = |bytes: u32, wanted: u64| {
            let found = written.as_bytes().get(at..at.saturating_add(bytes as usize));
            bytes > 0 && found.is_some_and(|found| hash(found) == wanted)
        };
        if is_there(self.bytes, self.hash) {
            Fate::Delivered
        } else if is_there(self.start_bytes, self.start_hash) {
            Fate::Cut
        } else {
            Fate::Unknown
        }
    }
}

/// Looks for texts in what was written, once for all that begin alike. Returns what became of each.
fn fates(marks: &[&Mark], written: &str) -> Vec<Fate> {
    let mut fates = vec![Fate::Unknown; marks.len()];
    let mut by_beginning: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, mark) in marks.iter().enumerate().filter(|(_, mark)| !mark.begins.is_empty()) {
        by_beginning.entry(&mark.begins).or_default().push(place);
    }
    for (begins, places) in by_beginning {
        for at in memmem::find_iter(written.as_bytes(), begins) {
            for &place in &places {
                let fate = marks[place].fate_at(at, written);
                if fates[place] != Fate::Delivered && fate != Fate::Unknown {
                    fates[place] = fate;
                }
            }
        }
    }
    fates
}

fn hash(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(*blake3::hash(bytes).as_bytes().first_chunk().unwrap_or(&[0; 8]))
}

impl Receipt {
    /// Reads what was persisted; `None` when it is of another version or damaged.
    pub(crate) fn read(state: &[u8]) -> Option<Self> {
        Self::decode(state).ok().filter(|receipt| receipt.version == VERSION)
    }

    /// Reads nothing but what became of it, which takes no memory: for counting thousands.
    pub(crate) fn read_fate(state: &[u8]) -> Option<Fate> {
        Outcome::decode(state).ok().filter(|outcome| outcome.version == VERSION).map(|outcome| outcome.fate())
    }
}

/// The part of a [`Receipt`] that is counted.
#[derive(Clone, PartialEq, Message)]
struct Outcome {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(enumeration = "Fate", tag = "7")]
    fate: i32,
}

/// An injection whose fate is not known yet.
#[derive(Debug)]
struct Pending {
    at_us: i64,
    receipt: Receipt,
    looks: u32,
}

/// The injections that wait for their transcripts.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    pending: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    sessions: HashMap<String, Vec<Pending>>,
    /// Where sessions write their transcripts, as far as this daemon was told.
    transcripts: HashMap<String, PathBuf>,
    /// The newest time that a receipt has: no two have the same.
    newest_us: i64,
}

impl Receipts {
    /// From when on injections of before a restart are taken up.
    pub(crate) fn pending_since(now: Timestamp) -> Timestamp {
        let age_us = i64::try_from(PENDING_MAX_AGE.as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(now.as_micros().saturating_sub(age_us))
    }

    /// Takes up the injections of before a restart whose fate is not known yet, out of the receipts since
    /// [`Self::pending_since`].
    pub(crate) fn restore(saved: &[(i64, Vec<u8>)]) -> Self {
        let newest_us = saved.iter().map(|(at_us, _)| *at_us).max().unwrap_or_default();
        let mut sessions: HashMap<String, Vec<Pending>> = HashMap::new();
        for (at_us, state) in saved {
            let Some(receipt) = Receipt::read(state) else { continue };
            if receipt.fate() == Fate::Unknown && receipt.mark.is_some() && sessions.len() < SESSIONS_MAX {
                let all = sessions.entry(receipt.session.clone()).or_default();
                all.push(Pending { at_us: *at_us, receipt, looks: 0 });
            }
        }
        Self { pending: Mutex::new(Waiting { sessions, newest_us, ..Waiting::default() }) }
    }

    /// Records an injection.
    pub(super) fn record(&self, writer: &WriterHandle, mut receipt: Receipt, text: &str, now: Timestamp) {
        receipt.version = VERSION;
        receipt.mark = Some(Mark::of(text));
        let mut waiting = self.lock();
        let at_us = now.as_micros().max(waiting.newest_us + 1);
        waiting.newest_us = at_us;
        writer.write_later(Request::Receipts(vec![(at_us, receipt.encode_to_vec())]));
        if waiting.sessions.len() >= SESSIONS_MAX && !waiting.sessions.contains_key(&receipt.session) {
            let oldest = waiting.sessions.iter().min_by_key(|(_, all)| all.last().map(|pending| pending.at_us));
            let oldest = oldest.map(|(session, _)| session.clone());
            if let Some(session) = oldest {
                waiting.forget(&session);
            }
        }
        let all = waiting.sessions.entry(receipt.session.clone()).or_default();
        if all.len() >= PENDING_MAX {
            all.remove(0);
        }
        all.push(Pending { at_us, receipt, looks: 0 });
    }

    /// Notes where a session writes its transcript.
    pub(super) fn transcript(&self, session: &str, transcript: &Path) {
        let mut waiting = self.lock();
        if waiting.sessions.contains_key(session)
            && waiting.transcripts.get(session).is_none_or(|known| known != transcript)
        {
            waiting.transcripts.insert(session.to_owned(), transcript.to_owned());
        }
    }

    /// Does what [`Receipts::confirm`] does after the answer, which does not wait for it.
    pub(super) fn confirm_later(self: &Arc<Self>, writer: &WriterHandle, session: &str, transcript: &Path) {
        if self.lock().sessions.contains_key(session) {
            self.confirm_all_later(writer, vec![(session.to_owned(), transcript.to_owned())]);
        }
    }

    /// Does so for all sessions but this one whose transcript is known: one that was killed says nothing more.
    pub(super) fn confirm_others_later(self: &Arc<Self>, writer: &WriterHandle, session: &str) {
        let known = &self.lock().transcripts;
        let others = known.iter().filter(|(other, _)| *other != session);
        let others: Vec<_> = others.map(|(other, transcript)| (other.clone(), transcript.clone())).collect();
        if !others.is_empty() {
            self.confirm_all_later(writer, others);
        }
    }

    fn confirm_all_later(self: &Arc<Self>, writer: &WriterHandle, sessions: Vec<(String, PathBuf)>) {
        let (receipts, writer) = (Arc::clone(self), writer.clone());
        drop(Handle::current().spawn_blocking(move || {
            for (session, transcript) in sessions {
                receipts.confirm(&writer, &session, &transcript);
                for transcript in of_subagents(&transcript) {
                    receipts.confirm(&writer, &session, &transcript);
                }
            }
        }));
    }

    /// Looks for the injections of a session in its transcript, and records what is known now.
    fn confirm(&self, writer: &WriterHandle, session: &str, transcript: &Path) {
        if !self.lock().sessions.contains_key(session) {
            return;
        }
        let Some(written) = tail(transcript) else { return };
        let mut waiting = self.lock();
        let Some(all) = waiting.sessions.get_mut(session) else { return };
        let unmarked = Mark::default();
        let marks: Vec<&Mark> = all.iter().map(|pending| pending.receipt.mark.as_ref().unwrap_or(&unmarked)).collect();
        let mut fates = fates(&marks, &written).into_iter();
        let mut known = Vec::new();
        all.retain_mut(|pending| {
            pending.looks += 1;
            let fate = fates.next().unwrap_or(Fate::Unknown);
            if fate != Fate::Unknown {
                pending.receipt.set_fate(fate);
                known.push((pending.at_us, pending.receipt.encode_to_vec()));
            }
            fate == Fate::Unknown && pending.looks < LOOKS_MAX
        });
        if all.is_empty() {
            waiting.forget(session);
        }
        if !known.is_empty() {
            writer.write_later(Request::Receipts(known));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn forget(&mut self, session: &str) {
        self.sessions.remove(session);
        self.transcripts.remove(session);
    }
}

/// The transcripts of a session's subagents, which Claude Code writes into a directory named as the session's own, the latest first.
fn of_subagents(transcript: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(transcript.with_extension("").join("subagents")).into_iter().flatten().flatten();
    let is_transcript = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let written = |path: PathBuf| Some((path.metadata().ok()?.modified().ok()?, path));
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(is_transcript).filter_map(written).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.into_iter().take(SUBAGENTS_MAX).map(|(_, path)| path).collect()
}

/// A text as it stands inside a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
}

/// The end of a transcript; `None` where there is no such file.
fn tail(transcript: &Path) -> Option<String> {
    let mut file = File::open(transcript).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(TRANSCRIPT_MAX_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(TRANSCRIPT_MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_tells_what_became_of_a_text() {
        let text = format!("<helix-memory>\n- \"{}\" ä</helix-memory>", "word ".repeat(60));
        let transcript = |content: &str| serde_json::json!({"content": [content]}).to_string();
        let cut: String = text.chars().take(250).collect();
        for (content, fate) in [
            (format!("Hook said: {text}"), Fate::Delivered),
            (cut, Fate::Cut),
            ("<helix-memory> something else".to_owned(), Fate::Unknown),
        ] {
            assert_eq!(fates(&[&Mark::of(&text)], &transcript(&content)), [fate], "{content}");
        }
    }

    #[test]
    fn short_texts_are_whole_or_unknown() {
        assert_eq!(fates(&[&Mark::of("short")], "sho"), [Fate::Unknown]);
        assert_eq!(fates(&[&Mark::of("short")], "a short text"), [Fate::Delivered]);
    }

    #[test]
    fn a_fate_is_read_without_the_rest() {
        for fate in [Fate::Unknown, Fate::Delivered, Fate::Cut] {
            let (handles, mark) = (vec!["a/b".to_owned()], Some(Mark::of("a text")));
            let receipt =
                Receipt { version: VERSION, fate: fate as i32, handles, mark, tokens: 3, ..Receipt::default() };
            assert_eq!(Receipt::read_fate(&receipt.encode_to_vec()), Some(fate));
            let newer = Receipt { version: VERSION + 1, ..receipt };
            assert_eq!(Receipt::read_fate(&newer.encode_to_vec()), None);
        }
        assert_eq!(Receipt::read_fate(b"\xff\xff"), None);
    }

    #[test]
    fn a_restart_forgets_no_pending_receipt() {
        let saved = |at_us: i64, fate: Fate| {
            let mark = Some(Mark::of("a text"));
            let receipt =
                Receipt { version: VERSION, session: "s".to_owned(), fate: fate as i32, mark, ..Receipt::default() };
            (at_us, receipt.encode_to_vec())
        };
        let recent = 86_400_000_000;
        let all = [saved(recent, Fate::Unknown), saved(recent - 1, Fate::Delivered)];
        let receipts = Receipts::restore(&all);
        let waiting = receipts.lock();
        let pending: Vec<i64> = waiting.sessions.values().flatten().map(|pending| pending.at_us).collect();
        assert_eq!((pending, waiting.newest_us), (vec![recent], recent));
        let hours_ago = |hours: i64| Timestamp::from_micros(recent - hours * 3_600_000_000);
        let since = Receipts::pending_since(Timestamp::from_micros(recent));
        assert!(since <= hours_ago(4) && since > hours_ago(24));
    }
}
