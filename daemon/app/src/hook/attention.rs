//! Whether sessions heed what hooks say: what nobody follows is said less often.
//!
//! A session follows a memory when it edits the file that the memory is about or was given for,
//! opens a file that one that it was given elsewhere is about or names, runs a command that it has,
//! mentions it, repeats it in what it writes, or has it read; and when a subagent of it does. What
//! it followed is counted when it ends.

mod heeded;
mod proven;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use helix_engine::StoreError;
use helix_memory::{Memory, MemoryNumber, SourceRef};
use helix_redact::State;
use prost::Message;

use self::heeded::{Said, is_run_by, names_file, repeated, said_by};
pub(crate) use self::proven::note_recalled;
use self::proven::{Proofs, Touched};
use super::Context;
use super::sessions::Verdict;
use crate::outbox::{Outbox, Row};
use crate::work::attention::Heed;

/// Prefix of the persisted states' keys: of what is given as sessions work, and as they
/// start.
const AT_WORK: &str = "heed ";
const AT_START: &str = "heed-start ";

/// Memories of which it is kept how they were heeded on one kind of occasion. Of more, the oldest
/// count as new.
const HEEDS_MAX: usize = 16_384;

/// Memories of a session that are looked for in what it says, opens and runs.
const MENTIONED_MAX: usize = 64;

/// How every memory that is not as new was heeded. What sessions start with is heeded otherwise
/// than what they are told as they work, so each is counted for itself.
#[derive(Debug)]
pub struct Attention {
    at_work: Heeds,
    at_start: Heeds,
    proofs: Proofs,
}

/// How memories were heeded that were given on one kind of occasion.
#[derive(Debug)]
struct Heeds {
    /// Prefix of the persisted states' keys.
    key: &'static str,
    heeds: Mutex<BTreeMap<MemoryNumber, Heed>>,
}

impl Attention {
    /// Restores what was persisted, out of all that hooks noticed.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)]) -> Self {
        Self {
            at_work: Heeds::restore(AT_WORK, observations),
            at_start: Heeds::restore(AT_START, observations),
            proofs: Proofs::restore(observations),
        }
    }

    /// Returns whether a memory is left out of the next session as it works.
    pub(super) fn is_resting(&self, number: MemoryNumber) -> bool {
        self.at_work.is_resting(number)
    }

    /// How a memory that was told to sessions as they worked was heeded lately.
    #[must_use]
    pub fn heed_of(&self, number: MemoryNumber) -> Heed {
        self.at_work
            .lock()
            .get(&number)
            .copied()
            .unwrap_or_default()
    }

    /// The memories that are left out of the next session as it works.
    pub(super) fn resting(&self) -> HashSet<MemoryNumber> {
        self.at_work.resting()
    }

    /// The memories that leave their places in what sessions start with to others.
    pub(super) fn yielding(&self) -> HashSet<MemoryNumber> {
        self.at_start.resting()
    }

    /// Notes that a session was not given a memory because it rests.
    pub(super) fn rested(&self, outbox: &Outbox, number: MemoryNumber) {
        self.at_work
            .change(outbox, [number], |heed, _| heed.rested());
    }

    /// Notes that a session started without these memories because they left their places to
    /// others.
    pub(super) fn yielded(&self, outbox: &Outbox, numbers: &[MemoryNumber]) {
        self.at_start
            .change(outbox, numbers.iter().copied(), |heed, _| heed.rested());
    }

    /// Notes what sessions followed.
    pub(super) fn judge(&self, outbox: &Outbox, verdicts: &[Verdict]) {
        let is_followed: HashMap<_, _> = verdicts
            .iter()
            .map(|verdict| (verdict.number, verdict.is_followed))
            .collect();
        for (heeds, at_start) in [(&self.at_work, false), (&self.at_start, true)] {
            let numbers = verdicts
                .iter()
                .filter(|verdict| verdict.at_start == at_start)
                .map(|verdict| verdict.number);
            heeds.change(outbox, numbers, |heed, number| {
                heed.given(is_followed.get(&number).copied().unwrap_or(false))
            });
        }
    }

    /// Notes that somebody asked for a memory.
    pub(super) fn followed(&self, outbox: &Outbox, number: MemoryNumber) {
        for heeds in [&self.at_work, &self.at_start] {
            heeds.change(outbox, [number], |heed, _| heed.given(true));
        }
    }
}

impl Heeds {
    fn restore(key: &'static str, observations: &[(String, Vec<u8>)]) -> Self {
        let read = |(found, state): &(String, Vec<u8>)| {
            let number = found.strip_prefix(key)?.parse().ok()?;
            Some((MemoryNumber(number), Heed::decode(state.as_slice()).ok()?))
        };
        Self {
            key,
            heeds: Mutex::new(observations.iter().filter_map(read).collect()),
        }
    }

    fn is_resting(&self, number: MemoryNumber) -> bool {
        self.lock()
            .get(&number)
            .is_some_and(|heed| heed.is_resting())
    }

    fn resting(&self) -> HashSet<MemoryNumber> {
        self.lock()
            .iter()
            .filter(|(_, heed)| heed.is_resting())
            .map(|(number, _)| *number)
            .collect()
    }

    fn change(
        &self,
        outbox: &Outbox,
        numbers: impl IntoIterator<Item = MemoryNumber>,
        change: impl Fn(Heed, MemoryNumber) -> Heed,
    ) {
        // Under the lock, so that the store sees the changes in their order.
        let mut heeds = self.lock();
        let put = |number: MemoryNumber, state: State| {
            outbox.put(Row::Observation(format!("{}{}", self.key, number.0)), state);
        };
        for number in numbers {
            let before = heeds.get(&number).copied().unwrap_or_default();
            let after = change(before, number);
            if after == before {
                continue;
            }
            if after == Heed::default() {
                heeds.remove(&number);
            } else {
                heeds.insert(number, after);
            }
            // As new is written as nothing, which removes it.
            put(number, State::of_message(after));
        }
        while heeds.len() > HEEDS_MAX {
            let Some((oldest, _)) = heeds.pop_first() else {
                break;
            };
            put(oldest, State::default());
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MemoryNumber, Heed>> {
        self.heeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context<'_> {
    /// Leaves out the memories that rest.
    pub(super) fn awake(&self, mut memories: Vec<Memory>) -> Vec<Memory> {
        memories.retain(|memory| self.is_awake(memory));
        memories
    }

    /// Returns whether a memory does not rest, as pinned ones never do.
    pub(super) fn is_awake(&self, memory: &Memory) -> bool {
        let is_awake = memory.pinned || !self.rests(memory.number);
        if !is_awake {
            self.trace.note("attention", || {
                format!("{} rests: agents did not heed it", memory.handle)
            });
        }
        is_awake
    }

    /// Returns whether a memory rests in this session, which is counted where it is new.
    fn rests(&self, number: MemoryNumber) -> bool {
        let app = self.app;
        if app.hooks.sessions.is_held(&self.key, number) {
            return true;
        }
        let rests = app.hooks.attention.is_resting(number);
        if rests && self.is_real() && app.hooks.sessions.hold(&self.key, number, self.now) {
            app.hooks.attention.rested(&app.memory.outbox, number);
        }
        rests
    }

    /// Counts what this session, which is over, followed.
    pub(super) fn judge(&self) {
        if self.is_real() {
            let verdicts = self.app.hooks.sessions.judge(&self.key);
            self.app
                .hooks
                .attention
                .judge(&self.app.memory.outbox, &verdicts);
            self.app.hooks.sessions.close(&self.key);
        }
    }

    /// Notes which memories a session follows by opening or changing these files, and by what it
    /// writes into them.
    pub(super) fn follow_files(
        &self,
        files: &[PathBuf],
        changes: bool,
        written: &[String],
    ) -> Result<(), StoreError> {
        if !self.is_real() {
            return Ok(());
        }
        let occasions: Vec<String> = files.iter().map(|file| self.shown(file)).collect();
        let Touched { files, mut about } = Touched::of(self, files);
        if changes {
            self.use_files(&files, &about, written)?;
        }
        let unfollowed = self.unfollowed()?;
        let naming = unfollowed
            .iter()
            .filter(|memory| files.iter().any(|file| names_file(memory, file)));
        about.extend(naming.map(|memory| memory.number));
        about.sort_unstable();
        let repeated = repeated(&unfollowed, written);
        self.follow(|number, given_for| {
            let is_occasion = occasions.iter().any(|file| file == given_for);
            let is_about = about.binary_search(&number).is_ok();
            let is_touched = if changes {
                is_occasion || is_about
            } else {
                is_about && !is_occasion
            };
            is_touched || repeated.contains(&number)
        });
        Ok(())
    }

    /// Notes which memories the session follows by what it ran in a shell, and by what it says
    /// there.
    pub(super) fn follow_command(&self) -> Result<(), StoreError> {
        let line = self
            .input
            .tool_text("command")
            .filter(|_| self.is_real() && self.input.tool_name == "Bash");
        let Some(line) = line else { return Ok(()) };
        let unfollowed = self.unfollowed()?;
        let said = said_by(line).map(SourceRef::one_spelling);
        let mentioned = said
            .as_deref()
            .map(|said| Said::of(said).mentioned(&unfollowed))
            .unwrap_or_default();
        self.follow_all(
            unfollowed
                .iter()
                .filter(|memory| is_run_by(memory, line))
                .chain(mentioned),
        );
        Ok(())
    }

    /// Notes which memories somebody mentions.
    pub(super) fn follow_mentions(&self, said: &str) -> Result<(), StoreError> {
        if !self.is_real() || said.is_empty() {
            return Ok(());
        }
        let said = SourceRef::one_spelling(said);
        self.follow_all(Said::of(&said).mentioned(&self.unfollowed()?).into_iter());
        Ok(())
    }

    /// Whose memories are followed by what is done here: a subagent acts for its session too.
    fn heeding(&self) -> impl Iterator<Item = &str> {
        let session = Some(self.input.session_id.as_str()).filter(|session| *session != self.key);
        [Some(self.key.as_str()), session].into_iter().flatten()
    }

    /// Returns what the session was given and has not followed yet, the newest of it.
    fn unfollowed(&self) -> Result<Vec<Memory>, StoreError> {
        let mut numbers: Vec<MemoryNumber> = Vec::new();
        for key in self.heeding() {
            let found = self
                .app
                .hooks
                .sessions
                .unfollowed(key)
                .into_iter()
                .take(MENTIONED_MAX);
            let new: Vec<MemoryNumber> = found.filter(|number| !numbers.contains(number)).collect();
            numbers.extend(new);
        }
        self.app.memory.strand.memories(&numbers)
    }

    fn follow(&self, does: impl Fn(MemoryNumber, &str) -> bool) {
        for key in self.heeding() {
            self.app.hooks.sessions.follow(key, &does);
        }
    }

    fn follow_all<'m>(&self, memories: impl Iterator<Item = &'m Memory>) {
        let numbers: Vec<MemoryNumber> = memories.map(|memory| memory.number).collect();
        if !numbers.is_empty() {
            self.follow(|number, _| numbers.contains(&number));
        }
    }
}
