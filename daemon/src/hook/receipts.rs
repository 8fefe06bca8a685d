//! Receipts: what hooks said, and whether it reached the model. A client that writes a transcript shows there what the model was
//! given; a text that stands in it whole was delivered.

mod escapes;
mod mark;
mod transcript;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_engine::model::Timestamp;
use helix_engine::strand::Request;
use prost::Message;
use tokio::runtime::Handle;

use self::mark::{Mark, fates};
use self::transcript::{Seen, of_session};
use crate::writer::WriterHandle;

/// Injections of one session that wait for their transcript.
const PENDING_MAX: usize = 64;

/// Sessions that wait for theirs.
const SESSIONS_MAX: usize = 256;

/// How long after a restart the fate of an injection is still looked for.
const PENDING_MAX_AGE: Duration = Duration::from_hours(4);

/// How often a session's transcripts are looked at for the same injection before its fate stays unknown.
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

    /// What is known of a text after another place was looked at: what is whole anywhere was delivered.
    fn or(self, other: Self) -> Self {
        if self == Self::Delivered || other == Self::Unknown { self } else { other }
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
    /// How much of its transcripts was looked at for each session.
    seen: HashMap<String, Seen>,
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

    /// Does what [`Receipts::confirm`] does, and records it, after the answer, which does not wait for it.
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
                let known = receipts.confirm(&session, &transcript);
                if !known.is_empty() {
                    writer.write_later(Request::Receipts(known));
                }
            }
        }));
    }

    /// Looks for the injections of a session in its transcripts and in its subagents', which together are one look. Returns
    /// the receipts of those whose fate is known now.
    fn confirm(&self, session: &str, transcript: &Path) -> Vec<(i64, Vec<u8>)> {
        let Some((waiting, mut seen)) = self.waiting(session) else { return Vec::new() };
        let marks: Vec<&Mark> = waiting.iter().map(|(_, mark)| mark).collect();
        let mut found = vec![Fate::Unknown; marks.len()];
        let transcripts = of_session(transcript);
        let mut has_looked = false;
        for written in transcripts.iter().filter_map(|transcript| seen.news(transcript)) {
            has_looked = true;
            for (known, fate) in found.iter_mut().zip(fates(&marks, &written)) {
                *known = known.or(fate);
            }
        }
        seen.keep(&transcripts);
        let found = waiting.iter().map(|(at_us, _)| *at_us).zip(found).collect();
        if has_looked { self.settle(session, &found, seen) } else { Vec::new() }
    }

    /// By what the injections of a session that wait are known, and what was looked at for them before. The transcripts are
    /// read without the lock: hooks are answered meanwhile.
    fn waiting(&self, session: &str) -> Option<(Vec<(i64, Mark)>, Seen)> {
        let waiting = self.lock();
        let all = waiting.sessions.get(session)?;
        let marks = all.iter().map(|pending| (pending.at_us, pending.receipt.mark.clone().unwrap_or_default()));
        Some((marks.collect(), waiting.seen.get(session).cloned().unwrap_or_default()))
    }

    /// Notes what a look found of the injections that it looked for, by their times. What came meanwhile still waits for its
    /// first one, which must see again what this one saw.
    fn settle(&self, session: &str, found: &HashMap<i64, Fate>, seen: Seen) -> Vec<(i64, Vec<u8>)> {
        let mut waiting = self.lock();
        let Some(all) = waiting.sessions.get_mut(session) else { return Vec::new() };
        let mut known = Vec::new();
        let is_whole = all.iter().all(|pending| found.contains_key(&pending.at_us));
        all.retain_mut(|pending| {
            let Some(&fate) = found.get(&pending.at_us) else { return true };
            pending.looks += 1;
            if fate != Fate::Unknown {
                pending.receipt.set_fate(fate);
                known.push((pending.at_us, pending.receipt.encode_to_vec()));
            }
            fate == Fate::Unknown && pending.looks < LOOKS_MAX
        });
        if all.is_empty() {
            waiting.forget(session);
        } else if is_whole {
            waiting.seen.insert(session.to_owned(), seen);
        }
        known
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn forget(&mut self, session: &str) {
        self.sessions.remove(session);
        self.transcripts.remove(session);
        self.seen.remove(session);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

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

    #[test]
    fn all_transcripts_of_a_session_are_one_look() {
        let home = tempfile::tempdir().unwrap();
        let transcript = home.path().join("s.jsonl");
        let subagents = home.path().join("s/subagents");
        fs::create_dir_all(&subagents).unwrap();
        let mark = Some(Mark::of("a text"));
        let receipt = Receipt { version: VERSION, session: "s".to_owned(), mark, ..Receipt::default() };
        let receipts = Receipts::restore(&[(7, receipt.encode_to_vec())]);
        let pending = || receipts.lock().sessions.get("s").map(|all| all.first().map(|pending| pending.looks));
        for look in 1..LOOKS_MAX {
            let written = "{}\n".repeat(look as usize);
            fs::write(&transcript, &written).unwrap();
            (0..9).for_each(|n| fs::write(subagents.join(format!("a{n}.jsonl")), &written).unwrap());
            assert!(receipts.confirm("s", &transcript).is_empty());
            assert_eq!(pending(), Some(Some(look)));
            assert!(receipts.confirm("s", &transcript).is_empty());
            assert_eq!(pending(), Some(Some(look)), "nothing was written, so there is nothing to look at");
        }
        fs::write(subagents.join("a3.jsonl"), "{\"content\":\"a text\"}\n").unwrap();
        let known = receipts.confirm("s", &transcript);
        let fates: Vec<_> = known.iter().map(|(at_us, state)| (*at_us, Receipt::read_fate(state))).collect();
        assert_eq!(fates, [(7, Some(Fate::Delivered))]);
        assert!(pending().is_none() && receipts.lock().seen.is_empty());
    }
}
