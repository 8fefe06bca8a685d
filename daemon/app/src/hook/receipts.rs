//! Receipts: what hooks said, and whether it reached the model. A client that writes a transcript
//! shows there what the model was given; a text that stands in it whole was delivered. One that a
//! prompt got and that is not there although the model has answered since, or although the
//! transcript says that the prompt was blocked, was withheld: its memories may be given again.

mod escapes;
mod mark;
mod receipt;
mod transcript;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_memory::{MemoryNumber, Timestamp};
use helix_redact::State;

use self::mark::{Mark, fates};
pub use self::receipt::{Fate, Receipt};
pub(super) use self::transcript::failed_calls;
use self::transcript::{End, Seen, end_of_prompt, of_session};
use super::sessions::{Proof, Sessions};
use crate::outbox::{Outbox, Row};
use crate::reach::Reach;

/// Injections of one session that wait for their transcript.
const PENDING_MAX: usize = 64;

/// Sessions that wait for theirs.
const SESSIONS_MAX: usize = 256;

/// How old an injection may be whose fate is still looked for after a restart: a daemon that died
/// before a weekend is started after it, and clients keep their transcripts for weeks.
const PENDING_MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// Sessions whose transcripts are looked at when the daemon starts, those told last first: some
/// megabytes each.
const LEFT_MAX: usize = 32;

/// How long a prompt's answer waits for what became of the prompts before: reading a few megabytes
/// takes some milliseconds.
const PROMPT_PATIENCE: Duration = Duration::from_millis(30);

/// Longest path of a transcript that is kept, in bytes: the longest that a system takes.
const TRANSCRIPT_PATH_MAX_BYTES: usize = 4_096;

/// How often a session's transcripts are looked at for the same injection before its fate stays
/// unknown.
const LOOKS_MAX: u32 = 20;

/// How long a place where transcripts lie may take to answer before it is left alone.
const CONFIRM_PATIENCE: Duration = Duration::from_secs(5);

/// Version of the persisted form.
const VERSION: u32 = 1;

/// An injection whose fate is not known yet.
#[derive(Debug)]
struct Pending {
    at_us: i64,
    receipt: Receipt,
    looks: u32,
}

/// The injections that wait for their transcripts.
#[derive(Debug, Default)]
pub struct Receipts {
    pending: Mutex<Waiting>,
    /// The memories that each session was given.
    sessions: Arc<Sessions>,
}

/// The receipts whose fates a look found, by their times.
type Settled = Vec<(i64, Receipt)>;

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
    #[must_use]
    pub fn pending_since(now: Timestamp) -> Timestamp {
        let age_us = i64::try_from(PENDING_MAX_AGE.as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(now.as_micros().saturating_sub(age_us))
    }

    /// Takes up the injections of before a restart whose fate is not known yet, out of the receipts
    /// since [`Self::pending_since`].
    pub fn restore(saved: &[(i64, Vec<u8>)], sessions: Arc<Sessions>) -> Self {
        let newest_us = saved
            .iter()
            .map(|(at_us, _)| *at_us)
            .max()
            .unwrap_or_default();
        let mut waiting = Waiting {
            newest_us,
            ..Waiting::default()
        };
        // The newest come first, and are those that are kept.
        for (at_us, state) in saved {
            let Some(receipt) = Receipt::read(state) else {
                continue;
            };
            let has_room = waiting.sessions.len() < SESSIONS_MAX
                || waiting.sessions.contains_key(&receipt.session);
            if receipt.fate() != Fate::Unknown || receipt.mark.is_none() || !has_room {
                continue;
            }
            waiting.note_transcript(&receipt);
            let all = waiting.sessions.entry(receipt.session.clone()).or_default();
            if all.len() < PENDING_MAX {
                all.insert(
                    0,
                    Pending {
                        at_us: *at_us,
                        receipt,
                        looks: 0,
                    },
                );
            }
        }
        Self {
            pending: Mutex::new(waiting),
            sessions,
        }
    }

    /// Records an injection.
    pub(super) fn record(&self, outbox: &Outbox, mut receipt: Receipt, text: &str, now: Timestamp) {
        receipt.version = VERSION;
        if receipt.transcript.len() > TRANSCRIPT_PATH_MAX_BYTES {
            receipt.transcript.clear();
        }
        receipt.mark = Some(Mark::of(text));
        let mut waiting = self.lock();
        let at_us = now.as_micros().max(waiting.newest_us + 1);
        waiting.newest_us = at_us;
        outbox.put(Row::Receipt(at_us), State::of_message(receipt.clone()));
        if waiting.sessions.len() >= SESSIONS_MAX
            && !waiting.sessions.contains_key(&receipt.session)
        {
            let oldest = waiting
                .sessions
                .iter()
                .min_by_key(|(_, all)| all.last().map(|pending| pending.at_us));
            let oldest = oldest.map(|(session, _)| session.clone());
            if let Some(session) = oldest {
                waiting.forget(&session);
            }
        }
        waiting.transcripts.remove(&receipt.session);
        waiting.note_transcript(&receipt);
        let all = waiting.sessions.entry(receipt.session.clone()).or_default();
        if all.len() >= PENDING_MAX {
            all.remove(0);
        }
        all.push(Pending {
            at_us,
            receipt,
            looks: 0,
        });
    }

    /// Does what [`Receipts::confirm`] does, and records it, after the answer, which does not wait
    /// for it.
    pub(super) fn confirm_later(
        self: &Arc<Self>,
        reach: &Reach,
        outbox: &Outbox,
        session: &str,
        transcript: &Path,
    ) {
        if self.lock().sessions.contains_key(session) {
            self.confirm_all_later(
                reach,
                outbox,
                vec![(session.to_owned(), transcript.to_owned())],
            );
        }
    }

    /// Does so where an earlier prompt's injection waits, and waits for it a moment; it goes on
    /// behind the answer. Returns whether one waits.
    pub(super) fn confirm_prompts(
        self: &Arc<Self>,
        reach: &Reach,
        outbox: &Outbox,
        session: &str,
        transcript: &Path,
    ) -> bool {
        let is_prompt = |pending: &Pending| !pending.receipt.prompted.is_empty();
        if !self
            .lock()
            .sessions
            .get(session)
            .is_some_and(|all| all.iter().any(is_prompt))
        {
            return false;
        }
        let (reply, is_read) = sync_channel::<()>(1);
        self.confirm_one_later(reach, outbox, session, transcript, move || drop(reply));
        is_read.recv_timeout(PROMPT_PATIENCE).ok();
        true
    }

    /// Does so for the sessions whose fates a daemon left unknown that ended.
    pub(super) fn confirm_left(self: &Arc<Self>, reach: &Reach, outbox: &Outbox) {
        let mut left: Vec<(i64, String, PathBuf)> = {
            let waiting = self.lock();
            let newest = |session: &String| {
                waiting
                    .sessions
                    .get(session)?
                    .last()
                    .map(|pending| pending.at_us)
            };
            let known = waiting.transcripts.iter();
            known
                .filter_map(|(session, path)| {
                    Some((newest(session)?, session.clone(), path.clone()))
                })
                .collect()
        };
        left.sort_unstable_by(|a, b| b.cmp(a));
        let left = left
            .into_iter()
            .take(LEFT_MAX)
            .map(|(_, session, transcript)| (session, transcript))
            .collect();
        self.confirm_all_later(reach, outbox, left);
    }

    /// Does so for all sessions but this one whose transcript is known: one that was killed says
    /// nothing more.
    pub(super) fn confirm_others_later(
        self: &Arc<Self>,
        reach: &Reach,
        outbox: &Outbox,
        session: &str,
    ) {
        let known = &self.lock().transcripts;
        let others = known.iter().filter(|(other, _)| *other != session);
        let others: Vec<_> = others
            .map(|(other, transcript)| (other.clone(), transcript.clone()))
            .collect();
        if !others.is_empty() {
            self.confirm_all_later(reach, outbox, others);
        }
    }

    fn confirm_all_later(
        self: &Arc<Self>,
        reach: &Reach,
        outbox: &Outbox,
        sessions: Vec<(String, PathBuf)>,
    ) {
        for (session, transcript) in sessions {
            self.confirm_one_later(reach, outbox, &session, &transcript, || ());
        }
    }

    /// Looks at a session's transcripts when their place can be asked, then does what follows.
    fn confirm_one_later(
        self: &Arc<Self>,
        reach: &Reach,
        outbox: &Outbox,
        session: &str,
        transcript: &Path,
        and_then: impl FnOnce() + Send + 'static,
    ) {
        let (receipts, outbox) = (Arc::clone(self), outbox.clone());
        let (session, read) = (session.to_owned(), transcript.to_owned());
        let touched = vec![read.clone()];
        reach.later_of(place_of(transcript), touched, CONFIRM_PATIENCE, move || {
            receipts.record_settled(&outbox, receipts.confirm(&session, &read));
            and_then();
        });
    }

    /// Records what became of injections: nothing else is noted of them afterwards. What was
    /// withheld was not given.
    fn record_settled(&self, outbox: &Outbox, settled: Settled) {
        for (at_us, receipt) in settled {
            outbox.put(Row::Receipt(at_us), State::of_message(receipt.clone()));
            let numbers = || {
                receipt
                    .prompted
                    .iter()
                    .copied()
                    .map(MemoryNumber)
                    .collect::<Vec<_>>()
            };
            match receipt.fate() {
                Fate::Withheld => {
                    self.sessions
                        .take_back(&receipt.session, &numbers(), Proof::None);
                }
                Fate::Blocked => {
                    self.sessions
                        .take_back(&receipt.session, &numbers(), Proof::Written);
                }
                Fate::Unknown | Fate::Delivered | Fate::Cut => {}
            }
        }
    }

    /// Looks for the injections of a session in its transcripts and in its subagents', which
    /// together are one look. Returns the receipts of those whose fate is known now.
    fn confirm(&self, session: &str, transcript: &Path) -> Settled {
        let Some((waiting, mut seen)) = self.waiting(session) else {
            return Vec::new();
        };
        let marks: Vec<&Mark> = waiting.iter().map(|looked_for| &looked_for.mark).collect();
        let mut found = vec![Fate::Unknown; marks.len()];
        let transcripts = of_session(transcript);
        let mut has_looked = false;
        for path in &transcripts {
            let Some(written) = seen.news(path) else {
                continue;
            };
            has_looked = true;
            for (known, fate) in found.iter_mut().zip(fates(&marks, &written)) {
                *known = known.or(fate);
            }
            if path != transcript {
                continue;
            }
            for (known, looked_for) in found.iter_mut().zip(&waiting) {
                if *known != Fate::Unknown || !looked_for.is_prompt {
                    continue;
                }
                match end_of_prompt(&written, looked_for.at_us) {
                    Some(End::Answered) => *known = Fate::Withheld,
                    Some(End::Blocked) => *known = Fate::Blocked,
                    None => {}
                }
            }
        }
        seen.keep(&transcripts);
        let found = waiting
            .iter()
            .map(|looked_for| looked_for.at_us)
            .zip(found)
            .collect();
        if has_looked {
            self.settle(session, &found, seen)
        } else {
            Vec::new()
        }
    }

    /// By what the injections of a session that wait are known, and what was looked at for them
    /// before. The transcripts are read without the lock: hooks are answered meanwhile.
    fn waiting(&self, session: &str) -> Option<(Vec<LookedFor>, Seen)> {
        let waiting = self.lock();
        let all = waiting.sessions.get(session)?;
        let looked_for = all.iter().map(|Pending { at_us, receipt, .. }| LookedFor {
            at_us: *at_us,
            mark: receipt.mark.clone().unwrap_or_default(),
            is_prompt: !receipt.prompted.is_empty(),
        });
        Some((
            looked_for.collect(),
            waiting.seen.get(session).cloned().unwrap_or_default(),
        ))
    }

    /// Notes what a look found of the injections that it looked for, by their times. What came
    /// meanwhile still waits for its first one, which must see again what this one saw.
    fn settle(&self, session: &str, found: &HashMap<i64, Fate>, seen: Seen) -> Settled {
        let mut waiting = self.lock();
        let Some(all) = waiting.sessions.get_mut(session) else {
            return Vec::new();
        };
        let mut known = Vec::new();
        let is_whole = all.iter().all(|pending| found.contains_key(&pending.at_us));
        all.retain_mut(|pending| {
            let Some(&fate) = found.get(&pending.at_us) else {
                return true;
            };
            pending.looks += 1;
            if fate != Fate::Unknown {
                pending.receipt.set_fate(fate);
                known.push((pending.at_us, pending.receipt.clone()));
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

    /// Forgets the injections that wait and name a memory: its name is to be kept nowhere.
    pub fn drop_pending(&self, handle: &str) {
        let names = |pending: &Pending| pending.receipt.handles.iter().any(|named| named == handle);
        for all in self.lock().sessions.values_mut() {
            all.retain(|pending| !names(pending));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a session's transcripts lie, those of its subagents included.
fn place_of(transcript: &Path) -> &Path {
    transcript.parent().unwrap_or(transcript)
}

/// An injection that a look looks for.
struct LookedFor {
    at_us: i64,
    mark: Mark,
    /// True if a prompt got it.
    is_prompt: bool,
}

impl Waiting {
    /// Notes where a session writes its transcript, unless something newer said so.
    fn note_transcript(&mut self, receipt: &Receipt) {
        if Path::new(&receipt.transcript).is_absolute()
            && !self.transcripts.contains_key(&receipt.session)
        {
            self.transcripts
                .insert(receipt.session.clone(), PathBuf::from(&receipt.transcript));
        }
    }

    fn forget(&mut self, session: &str) {
        self.sessions.remove(session);
        self.transcripts.remove(session);
        self.seen.remove(session);
    }
}

#[cfg(test)]
mod tests;
