//! Merging what is read with what is known, a batch at a time.

mod linking;
mod meet;
mod new;

use std::collections::VecDeque;

use helix_engine::{Outcome, Request, WriteError};
use helix_exchange::Portable;
use helix_memory::{Edit, MemoryNumber, Scope, Status, Timestamp};
use helix_neutral::quoted;
use helix_proto::limits::BATCH_MAX;

use super::conflicts::{self, Undecided};
use super::incoming::Incoming;
use super::known::{Known, Match};
use super::links::Links;
use super::problems::Problems;
use super::repeats::{self, Stored};
use super::seen::Seen;
use super::spool::Reading;
use super::words::{Reader, Waiting};
use crate::exchange::Progress;
use crate::ports::{Reports, SubmitError};
use crate::{App, Asker, Refusal};

/// What a written memory was called in the file.
struct Named {
    topic: String,
    place: usize,
    handle: Option<String>,
    /// When it was written; its links are then, too, being part of it.
    at: Timestamp,
    /// What it is to link to; `None` leaves its links as they are.
    links: Option<Vec<String>>,
    is_revision: bool,
    /// Whether its text becomes another.
    rewords: bool,
    /// Whether it was decided where it was exported.
    is_decided: bool,
}

/// Memories between two reports, whether they are written or not.
const REPORT_MEMORIES: u64 = 1_000;

/// Bytes of entries that are kept until the whole file was seen.
const PUT_OFF_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Batches that were sent and are not settled: one whose words are read, one that waits for the
/// writer and one that it has.
const BATCHES_MAX: usize = 3;

/// Takes memories and writes them.
pub(super) struct Importer<'r> {
    app: &'r App,
    /// The time of everything that it writes: to who takes it back, an import is one change.
    began: Timestamp,
    asker: Asker,
    home: Scope,
    dry_run: bool,
    trust: bool,
    takes_edits: bool,
    reports: &'r dyn Reports,
    progress: Progress,
    problems: Problems,
    reading: Reading,
    links: Links,
    waiting: Vec<Waiting>,
    names: Vec<Named>,
    reader: Reader,
    /// The names of each batch that was sent and is not settled.
    sent: VecDeque<Vec<Named>>,
    known: Known<'r>,
    /// What is perhaps known, with its place in the file: settled when the whole file was seen.
    put_off: VecDeque<(usize, Incoming)>,
    put_off_bytes: usize,
    seen: Seen<'r>,
    stored: Stored,
    undecided: Undecided,
}

impl<'r> Importer<'r> {
    pub(super) fn new(
        app: &'r App,
        asker: Asker,
        home: Scope,
        wanted: &super::Wanted,
        reports: &'r dyn Reports,
        seen: Seen<'r>,
        reader: Reader,
    ) -> Self {
        let progress = Progress::default();
        let (links, waiting, names) = (Links::default(), Vec::new(), Vec::new());
        let (dry_run, trust, known) = (
            wanted.dry_run,
            wanted.trust,
            Known::new(&app.memory.strand, home.clone()),
        );
        Self {
            app,
            began: app.memory.now(),
            asker,
            home,
            dry_run,
            trust,
            takes_edits: wanted.takes_edits,
            reports,
            progress,
            problems: Problems::default(),
            reading: Reading::default(),
            links,
            waiting,
            names,
            reader,
            sent: VecDeque::new(),
            known,
            put_off: VecDeque::new(),
            put_off_bytes: 0,
            seen,
            stored: Stored::default(),
            undecided: Undecided::default(),
        }
    }

    /// Says in its reports how far the files are read.
    pub(super) fn follow(&mut self, reading: Reading) {
        self.reading = reading;
    }

    /// Takes one memory. An error ends the import, as the daemon's own end does; what was written
    /// stays, and importing again finds it known.
    pub(super) fn take(&mut self, incoming: Incoming) -> Result<(), Refusal> {
        if self.app.life.is_ending() {
            return Err(super::ending());
        }
        if self.reports.is_gone() {
            return Err(Refusal::unavailable(
                "the import was ended because whoever asked for it is gone",
            ));
        }
        self.progress.read += 1;
        self.problems.redacted(&incoming);
        let place = self
            .links
            .place(&incoming.memory.topic, incoming.memory.index);
        match self.known.find(&incoming)? {
            Match::Known(known) => self.meet(&known, incoming, place),
            Match::New { is_repeat } => self.store(incoming.memory, place, !is_repeat),
            Match::Perhaps => self.put_off(incoming, place)?,
        }
        // What is known or only looked at fills no batch.
        if self.progress.read.is_multiple_of(REPORT_MEMORIES) {
            self.report();
        }
        self.send_full()
    }

    /// Sends the batch when it is full.
    fn send_full(&mut self) -> Result<(), Refusal> {
        if self.waiting.len() >= BATCH_MAX {
            self.send()
        } else {
            Ok(())
        }
    }

    /// Keeps an entry until the others are seen; when there are too many, the first of them is
    /// settled now.
    fn put_off(&mut self, incoming: Incoming, place: usize) -> Result<(), Refusal> {
        self.put_off_bytes += weight(&incoming);
        self.put_off.push_back((place, incoming));
        while self.put_off_bytes > PUT_OFF_MAX_BYTES {
            self.settle_first()?;
        }
        Ok(())
    }

    /// Settles those that a memory of their own topic says, before others are given what is left.
    fn settle_own_topics(&mut self) -> Result<(), Refusal> {
        for (place, incoming) in std::mem::take(&mut self.put_off) {
            match self.known.settle(&incoming, false)? {
                Match::Known(known) => self.meet(&known, incoming, place),
                Match::New { .. } | Match::Perhaps => self.put_off.push_back((place, incoming)),
            }
            self.send_full()?;
        }
        Ok(())
    }

    fn settle_first(&mut self) -> Result<(), Refusal> {
        let Some((place, incoming)) = self.put_off.pop_front() else {
            return Ok(());
        };
        self.put_off_bytes = self.put_off_bytes.saturating_sub(weight(&incoming));
        match self.known.settle(&incoming, true)? {
            Match::Known(known) => self.meet(&known, incoming, place),
            Match::New { .. } | Match::Perhaps => self.store(incoming.memory, place, true),
        }
        self.send_full()
    }

    /// Notes that what comes next is of another file.
    pub(super) fn end_file(&mut self) {
        self.links.end_file();
    }

    /// The problems so far, to add to.
    pub(super) fn problems(&mut self) -> &mut Problems {
        &mut self.problems
    }

    /// Writes what is left, then the links.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        self.settle_own_topics()?;
        while !self.put_off.is_empty() {
            self.settle_first()?;
        }
        self.send()?;
        while !self.sent.is_empty() {
            self.settle()?;
        }
        self.write_links()?;
        let (actor, undecided) = (&self.asker.actor, &self.undecided);
        let noted = conflicts::decide(self.app, actor, undecided, &mut self.problems)?;
        self.progress.conflicts += noted;
        repeats::find(self.app, &self.stored, &mut self.progress)
    }

    /// Says what was done.
    pub(super) fn into_progress(mut self) -> Progress {
        self.problems.report(&mut self.progress);
        self.progress
    }

    /// Says what was done when the rest is not: what was sent is settled, and linked with what is
    /// there.
    pub(super) fn give_up(mut self) -> Progress {
        while !self.sent.is_empty() {
            // A failed disk has acknowledged nothing of it.
            if let Err(error) = self.settle() {
                tracing::warn!(%error, "a batch of an import that ended early was not acknowledged");
            }
        }
        if let Err(error) = self.write_links() {
            tracing::warn!(%error, "the links of an import that ended early were not written");
        }
        let (bytes_read, bytes_whole) = self.reading.so_far();
        Progress {
            bytes_read,
            bytes_whole,
            ..self.progress
        }
    }

    fn edit(&self, number: MemoryNumber, edit: Edit, at: Timestamp) -> Request {
        Request::Edit {
            number,
            edit,
            expected: None,
            actor: self.asker.actor.clone(),
            at,
        }
    }

    fn refuse(&mut self, memory: &Portable, error: &dyn std::fmt::Display) {
        self.progress.refused += 1;
        let read = self.progress.read;
        self.problems.add(|| {
            let topic: String = memory.topic.chars().take(80).collect();
            format!("memory {read} (topic {}): {error}", quoted(&topic))
        });
    }

    /// Sends the batch on its way to the writer, once not too many are.
    fn send(&mut self) -> Result<(), Refusal> {
        self.known.refresh();
        if self.waiting.is_empty() {
            return Ok(());
        }
        while self.sent.len() >= BATCHES_MAX {
            self.settle()?;
        }
        let batch = std::mem::replace(&mut self.waiting, Vec::with_capacity(BATCH_MAX));
        self.reader.take(batch)?;
        self.sent.push_back(std::mem::take(&mut self.names));
        Ok(())
    }

    /// Counts what became of the oldest batch that was sent.
    fn settle(&mut self) -> Result<(), Refusal> {
        let Some(names) = self.sent.pop_front() else {
            return Ok(());
        };
        let outcomes = self.reader.settled().map_err(settle_refusal)?;
        for (name, outcome) in names.into_iter().zip(outcomes) {
            self.count(name, outcome);
        }
        self.report();
        Ok(())
    }

    /// Says how far it is.
    fn report(&self) {
        let (bytes_read, bytes_whole) = self.reading.so_far();
        let progress = Progress {
            bytes_read,
            bytes_whole,
            ..self.progress.clone()
        };
        self.reports.progress(progress);
    }

    fn count(&mut self, name: Named, outcome: Result<Outcome, WriteError>) {
        let memory = match outcome {
            Ok(Outcome::Stored(memory)) => {
                self.progress.stored += 1;
                let waits = memory.status == Status::Quarantined;
                self.progress.quarantined += u64::from(waits);
                self.stored.add(&memory);
                if !name.is_decided {
                    self.undecided.add(&memory);
                }
                Some(*memory)
            }
            Ok(Outcome::Reinforced(memory)) => {
                self.progress.known += 1;
                Some(*memory)
            }
            Ok(Outcome::Edited(edited)) => {
                self.progress.revised += u64::from(name.is_revision);
                let memory = edited.memories.into_iter().next();
                if let Some(memory) = memory.as_ref().filter(|_| name.rewords) {
                    self.app.hooks.sessions.reworded(memory.number, "");
                }
                memory
            }
            Ok(Outcome::Done) => None,
            Err(error) => {
                self.progress.refused += 1;
                self.problems
                    .add(|| format!("a memory of topic {}: {error}", quoted(&name.topic)));
                None
            }
        };
        if let Some(memory) = memory {
            self.links.note(name.place, name.handle, memory.id);
            if let Some(links) = name.links {
                self.links.want(memory.number, name.at, name.place, links);
            }
        }
    }
}

/// What an entry that is put off takes, roughly.
fn weight(incoming: &Incoming) -> usize {
    incoming.memory.text.len() + size_of::<Incoming>()
}

/// Why a batch was not acknowledged.
fn settle_refusal(error: SubmitError) -> Refusal {
    match error {
        SubmitError::Busy | SubmitError::Disk(_) => error.into(),
        SubmitError::Stopping => Refusal::unavailable(
            "the daemon is stopping; import again, what was written is found known",
        ),
    }
}
