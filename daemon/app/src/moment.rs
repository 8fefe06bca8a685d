//! The knowledge base as it is looked at from another moment: what was known then, or what held then.
//!
//! A use case that is asked about another moment runs on an [`App`] whose strand is a view and, for
//! what was known earlier, whose clock stands still. It changes nothing: what it shows is not
//! counted as recalled, and no session is told of it.

use std::sync::{Arc, Mutex};

use helix_engine::Snapshot;
use helix_memory::{Memory as Stored, MemoryNumber, Moment, Sequence, Timestamp};
use helix_neutral::quoted;

use crate::history::point::Point;
use crate::ports::Clock;
use crate::uncompared::Uncompared;
use crate::{App, Memory, Refusal};

/// The moment that somebody asks about; now where neither is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// What was known then.
    pub as_of: Option<Point>,
    /// What held then.
    pub valid_at: Option<Timestamp>,
}

impl At {
    /// Returns whether it is now on both axes.
    #[must_use]
    pub fn is_now(&self) -> bool {
        matches!(self.as_of, None | Some(Point::Now)) && self.valid_at.is_none()
    }
}

/// Looks at the knowledge base from a moment; `None` for now. Reads what was changed since.
///
/// # Errors
/// When the moment is in the future, or the disk fails.
pub(crate) fn seen(app: &App, at: At) -> Result<Option<App>, Refusal> {
    if at.is_now() {
        return Ok(None);
    }
    let now = app.memory.now();
    if let Some(Point::Time(time)) = at.as_of {
        check_past("as_of", time, now)?;
    }
    if let Some(time) = at.valid_at {
        check_past("valid_at", time, now)?;
    }
    let snapshot = app.memory.strand.snapshot()?;
    let as_of = sequence(&snapshot, at.as_of)?;
    let clock = match (at.as_of, as_of) {
        (Some(Point::Time(time)), _) => stopped(time),
        (_, Some(sequence)) => stopped(time_of(&snapshot, sequence)?.unwrap_or(now)),
        (_, None) => Arc::clone(&app.memory.clock),
    };
    let valid_at = at.valid_at;
    let strand = app.memory.strand.seen_at(Moment { as_of, valid_at })?;
    let memory = Memory {
        strand: Arc::new(strand),
        outbox: app.memory.outbox.clone(),
        embedder: Arc::clone(&app.memory.embedder),
        projects: Arc::clone(&app.memory.projects),
        reach: app.memory.reach.clone(),
        sources: app.memory.sources.clone(),
        importing: Mutex::default(),
        uncompared: Uncompared::default(),
        clock,
        randomness: Arc::clone(&app.memory.randomness),
    };
    Ok(Some(App {
        memory,
        hooks: Arc::clone(&app.hooks),
        metrics: Arc::clone(&app.metrics),
        settings: app.settings,
        language: app.language.clone(),
        layout: app.layout.clone(),
        writer: Arc::clone(&app.writer),
        threads: Arc::clone(&app.threads),
        life: Arc::clone(&app.life),
    }))
}

fn check_past(name: &str, time: Timestamp, now: Timestamp) -> Result<(), Refusal> {
    if time <= now {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "{name} is {time}, which is in the future; give a moment up to now"
    )))
}

fn sequence(snapshot: &Snapshot, as_of: Option<Point>) -> Result<Option<Sequence>, Refusal> {
    match as_of {
        None | Some(Point::Now) => Ok(None),
        Some(point) => point.sequence(snapshot).map(Some),
    }
}

fn time_of(snapshot: &Snapshot, sequence: Sequence) -> Result<Option<Timestamp>, Refusal> {
    let operation = snapshot.operation_of(sequence)?;
    Ok(operation.map(|operation| operation.at))
}

/// A clock that stands still.
struct Stopped(Timestamp);

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        self.0
    }
}

fn stopped(at: Timestamp) -> Arc<dyn Clock> {
    Arc::new(Stopped(at))
}

/// Returns whether the knowledge base is looked at from another moment.
pub(crate) fn is_other(app: &App) -> bool {
    !app.memory.strand.moment().is_now()
}

/// Refuses a memory that is not there at the moment that is looked at.
pub(crate) fn check_there(app: &App, reference: &str, number: MemoryNumber) -> Result<(), Refusal> {
    if !is_other(app) || app.memory.strand.catalog().row(number).is_some() {
        return Ok(());
    }
    let known = app.memory.strand.memories(&[number])?.pop();
    Err(Refusal::not_found(match known {
        Some(memory) => did_not_hold(&memory),
        None => format!(
            "{} was not stored yet at that moment, or was purged since",
            quoted(reference)
        ),
    }))
}

fn did_not_hold(memory: &Stored) -> String {
    let until = memory
        .valid_to
        .map(|until| format!(" until {until}"))
        .unwrap_or_default();
    format!(
        "{} did not hold at that time: it holds from {}{until}",
        memory.handle.as_str(),
        memory.valid_from
    )
}

/// Says that a memory was changed after the moment at which it was read.
pub(crate) fn note_change(now: &App, shown: &Stored) -> Result<Option<String>, Refusal> {
    let present = now.memory.strand.memories(&[shown.number])?.pop();
    let is_same = present.is_some_and(|present| present.sequence == shown.sequence);
    Ok((!is_same).then(|| {
        format!(
            "{} was changed since; the log of it says how, and without as_of it is read as it is now",
            shown.handle.as_str()
        )
    }))
}
