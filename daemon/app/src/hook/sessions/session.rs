//! One session: what it has in its context, what it was told, and when it is over.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use helix_memory::{MemoryNumber, Timestamp};

use super::forks::Fork;
use super::order::GivenOrder;
use super::place::Place;
use super::state::Told;
use crate::outbox::{Outbox, Row};
use crate::work::activity::Activity;

/// A session without an event for this long is over.
const IDLE_MAX: Duration = Duration::from_hours(4);

/// Memories that one session remembers having been given.
pub(super) const GIVEN_MAX: usize = 4_096;

/// Memories that one session remembers knowing without having been given them.
const KNOWN_MAX: usize = GIVEN_MAX;

/// Memories that one session remembers having recalled and not used yet.
const RECALLED_MAX: usize = 256;

/// Memories that one session remembers being kept from: no more can be given.
const HELD_MAX: usize = GIVEN_MAX;

/// Memories that one session remembers not to have reached it. More prompts are not blocked in one.
const RETURNED_MAX: usize = 1_024;

/// Longest path of an occasion that is remembered, in bytes: what is given for a longer one counts
/// as given for something else.
const ABOUT_MAX_BYTES: usize = 512;

/// Warnings that one session remembers having been given.
const WARNED_MAX: usize = 1_024;

/// How a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook) enum Start {
    /// With the context it had.
    GoesOn,
    /// The same work without its context.
    LostContext,
    /// With nothing.
    Anew,
}

/// A checkpoint that a session was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook) struct GivenCheckpoint {
    /// Tells it from a later one.
    pub(in crate::hook) saved_at: Timestamp,
    /// True if it was given whole.
    pub(in crate::hook) is_whole: bool,
}

impl GivenCheckpoint {
    /// Returns whether somebody who was given `self` knows `other` as well.
    fn covers(self, other: Self) -> bool {
        self.saved_at == other.saved_at && (self.is_whole || !other.is_whole)
    }
}

/// A memory that a session was given, and whether the session followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) number: MemoryNumber,
    pub(crate) is_followed: bool,
    /// Whether it was given as the session started, and not as it worked.
    pub(crate) at_start: bool,
}

/// Why a session needs a memory that it lost, what it needs first before the rest. What is about
/// files has the latest file first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// It is about a file that was changed.
    Changed(Reverse<usize>),
    /// It is about a file that a failing build names.
    Fails,
    /// The session heeded it.
    Heeded,
    /// It is about a file that was read.
    Read(Reverse<usize>),
}

/// What a session was given before it lost its context, the latest first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::hook) struct Lost {
    /// What is about the files that it changed or that fail, what it heeded, and what is about the
    /// files that it read.
    pub(in crate::hook) needed: Vec<MemoryNumber>,
    /// Other things, as it worked: on prompts, files and failures.
    pub(in crate::hook) at_work: Vec<MemoryNumber>,
    /// As it started.
    pub(in crate::hook) at_start: Vec<MemoryNumber>,
}

impl Lost {
    /// Returns whether it was given nothing.
    pub(in crate::hook) fn is_empty(&self) -> bool {
        self.needed.is_empty() && self.at_work.is_empty() && self.at_start.is_empty()
    }
}

/// What says that something did not reach a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook) enum Proof {
    /// Nothing but that its transcript goes on without it.
    None,
    /// Its transcript says why.
    Written,
}

/// What a session is told once for as long as it has its context, by a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook) enum Said {
    /// A warning.
    Warning(u64),
    /// What it did so far: another one makes this one new again.
    Work(u64),
}

/// One session.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) given: GivenOrder,
    /// Every memory that it was ever given, by number.
    pub(super) told: BTreeMap<u32, Told>,
    /// Memories that rest and would have been given.
    pub(super) held: BTreeSet<u32>,
    /// What it was given before it lost its context.
    pub(super) lost: GivenOrder,
    /// What is in its context otherwise: it stored it, or asked for it.
    pub(super) known: BTreeSet<u32>,
    /// What it asked for and has not used yet, of what nobody stands behind.
    pub(super) recalled: BTreeSet<u32>,
    pub(super) checkpoint: Option<GivenCheckpoint>,
    pub(super) activity: Activity,
    pub(super) place: Option<Place>,
    /// Where it writes its transcript, as its hooks say.
    pub(super) transcript: Option<PathBuf>,
    /// What is known of a fork as long as it is not known whose.
    pub(super) fork: Option<Fork>,
    /// Memories that it was given and that did not reach it, once each.
    pub(super) returned: BTreeSet<u32>,
    /// Tells what it was told of its own work from what it did since.
    pub(super) work_told: Option<u64>,
    /// The warnings that it was given, by their hashes.
    pub(super) warned: BTreeSet<u64>,
    /// Whether it changed since its state was last put where the writer takes it.
    pub(super) is_dirty: bool,
    /// True if it ended. It may be taken up again.
    pub(super) is_closed: bool,
    pub(super) last_event_at: Timestamp,
}

impl Session {
    /// Returns whether it is over.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        elapsed(self.last_event_at, now) > IDLE_MAX
    }

    /// Returns what it was given before it lost its context. `sources` are the memories whose
    /// sources are files that it worked with.
    pub(super) fn lost(&self, sources: &[(MemoryNumber, String)]) -> Lost {
        let mut lost = Lost::default();
        let mut needed: Vec<(Need, MemoryNumber)> = Vec::new();
        for number in self.lost.latest_first() {
            let told = self.told.get(&number);
            let about = sources
                .iter()
                .filter(|(memory, _)| memory.0 == number)
                .map(|(_, file)| file.as_str());
            let about = about.chain(told.map(|told| told.about.as_str()));
            let heeded = told
                .is_some_and(|told| told.is_followed)
                .then_some(Need::Heeded);
            if let Some(need) = about
                .filter_map(|file| self.need_of(file))
                .chain(heeded)
                .min()
            {
                needed.push((need, MemoryNumber(number)));
            } else if told.is_some_and(|told| !told.at_start) {
                lost.at_work.push(MemoryNumber(number));
            } else {
                lost.at_start.push(MemoryNumber(number));
            }
        }
        needed.sort_by_key(|(need, _)| *need);
        lost.needed = needed.into_iter().map(|(_, number)| number).collect();
        lost
    }

    /// Why it needs what is about a file; `None` when it does not work on it.
    fn need_of(&self, file: &str) -> Option<Need> {
        let Activity {
            edited,
            failing,
            touched,
            ..
        } = &self.activity;
        let place_in = |files: &[String]| files.iter().position(|known| known == file).map(Reverse);
        let fails = || {
            failing
                .iter()
                .any(|failing| failing.files.iter().any(|named| named == file))
                .then_some(Need::Fails)
        };
        place_in(edited)
            .map(Need::Changed)
            .or_else(fails)
            .or_else(|| place_in(touched).map(Need::Read))
    }

    /// Returns whether it was told this.
    pub(super) fn was_told(&self, said: Said) -> bool {
        match said {
            Said::Warning(hash) => self.warned.contains(&hash),
            Said::Work(hash) => self.work_told == Some(hash),
        }
    }

    /// Notes that it is told this. Returns whether that is new to it.
    pub(super) fn tell(&mut self, said: Said) -> bool {
        self.is_dirty = true;
        match said {
            Said::Warning(hash) => {
                if self.warned.len() >= WARNED_MAX {
                    self.warned.clear();
                }
                self.warned.insert(hash)
            }
            Said::Work(hash) => self.work_told.replace(hash) != Some(hash),
        }
    }

    /// Marks memories, best first, as given, each on the occasion at its place.
    pub(super) fn give(&mut self, numbers: &[MemoryNumber], about: Option<&[String]>) {
        self.given.add(numbers.iter().map(|number| number.0));
        for (at, number) in numbers.iter().enumerate() {
            self.lost.remove(number.0);
            let new = || Told {
                number: number.0,
                at_start: true,
                ..Told::default()
            };
            let told = self.told.entry(number.0).or_insert_with(new);
            if let Some(about) = about.filter(|_| told.at_start) {
                let about = about.get(at).filter(|about| about.len() <= ABOUT_MAX_BYTES);
                (told.at_start, told.about) = (false, about.cloned().unwrap_or_default());
            }
        }
        while self.told.len() > GIVEN_MAX {
            self.told.pop_first();
        }
    }

    /// Notes that memories that it was given did not reach it, so that they may be given again.
    /// Without proof each only once: where its client shows nothing of what it passes on,
    /// nothing is told again and again.
    pub(super) fn take_back(&mut self, numbers: &[MemoryNumber], proof: Proof) {
        for number in numbers {
            let mut is_first =
                || self.returned.len() < RETURNED_MAX && self.returned.insert(number.0);
            if proof == Proof::Written || is_first() {
                self.given.remove(number.0);
                self.told.remove(&number.0);
                self.is_dirty = true;
            }
        }
    }

    /// Notes memories that it knows without having been given them.
    pub(super) fn know(&mut self, numbers: &[MemoryNumber]) {
        self.is_dirty = true;
        self.known.extend(numbers.iter().map(|number| number.0));
        while self.known.len() > KNOWN_MAX {
            self.known.pop_first();
        }
    }

    /// Notes memories that it asked for.
    pub(super) fn recall(&mut self, numbers: &[MemoryNumber]) {
        self.is_dirty = true;
        self.recalled.extend(numbers.iter().map(|number| number.0));
        while self.recalled.len() > RECALLED_MAX {
            self.recalled.pop_first();
        }
    }

    /// Returns whether a memory is in its context.
    pub(super) fn has(&self, number: MemoryNumber) -> bool {
        self.given.contains(number.0) || self.known.contains(&number.0)
    }

    /// Notes that what it has of a memory is not what the memory says.
    pub(super) fn unlearn(&mut self, number: MemoryNumber) {
        self.is_dirty |= self.has(number);
        self.given.remove(number.0);
        self.known.remove(&number.0);
    }

    /// Notes that a memory that rests would have been given. Returns whether that is new.
    pub(super) fn hold(&mut self, number: MemoryNumber) -> bool {
        self.is_dirty = true;
        let is_new = self.held.insert(number.0);
        while self.held.len() > HELD_MAX {
            self.held.pop_first();
        }
        is_new
    }

    /// Has its state persisted, inside of the lock on it. Returns false where there is no room: it
    /// stays marked as changed.
    pub(super) fn persist(&mut self, key: &str, outbox: &Outbox) -> bool {
        let is_put = outbox.put(Row::Session(key.to_owned()), self.write());
        self.is_dirty = !is_put;
        is_put
    }

    /// Returns what became of what it was given, once each. Of what it started with, one that did
    /// nothing says nothing.
    pub(super) fn judge(&mut self) -> Vec<Verdict> {
        let has_worked = !self.activity.touched.is_empty() || self.activity.last_run.is_some();
        let unjudged = self
            .told
            .values_mut()
            .filter(|told| !told.is_judged && (has_worked || !told.at_start));
        let verdicts: Vec<Verdict> = unjudged
            .map(|told| {
                told.is_judged = true;
                let (number, is_followed) = (MemoryNumber(told.number), told.is_followed);
                Verdict {
                    number,
                    is_followed,
                    at_start: told.at_start,
                }
            })
            .collect();
        self.is_dirty |= !verdicts.is_empty();
        verdicts
    }

    /// Notes that it starts anew with the same work.
    pub(super) fn lose_context(&mut self) {
        self.lost.append(std::mem::take(&mut self.given));
        self.known.clear();
        self.checkpoint = None;
        self.work_told = None;
        self.warned.clear();
    }

    /// Returns whether it was given a checkpoint, at least as much of it.
    pub(super) fn knows(&self, checkpoint: GivenCheckpoint) -> bool {
        self.checkpoint
            .is_some_and(|known| known.covers(checkpoint))
    }
}

/// How long it was from one time to another; nothing where the clock was set back.
pub(super) fn elapsed(from: Timestamp, to: Timestamp) -> Duration {
    Duration::from_micros(
        u64::try_from(to.as_micros().saturating_sub(from.as_micros())).unwrap_or(0),
    )
}
