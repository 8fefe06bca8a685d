//! `Log`: what was done, newest first.

use std::ops::ControlFlow;

use helix_engine::{Operation, Payload, Resolution, Snapshot, StoreError};
use helix_memory::{MemoryNumber, Origin, Sequence, Timestamp, Topic};
use helix_neutral::quoted;

use super::Sight;
use super::line::Line;
use super::undone::Undone;
use crate::limit::Limit;
use crate::session_id::LOOKED_AT_MAX;
use crate::{App, Asker, Refusal, find};

/// Operations listed.
const LIMIT: Limit = Limit {
    default: 50,
    max: 1_000,
};

/// Which operations somebody wants to see.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// A memory or a topic; empty for everything that is seen.
    pub reference: String,
    /// How many; 0 for the usual number.
    pub limit: u32,
    /// Committed at or after.
    pub since: Timestamp,
    /// Those before this one; `None` from the newest on.
    pub before: Option<Sequence>,
}

/// Operations, newest first.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The operations.
    pub lines: Vec<Line>,
    /// True if there are older ones.
    pub has_more: bool,
    /// Notes for whoever asks.
    pub notes: Vec<String>,
}

/// The subject of operations.
enum About {
    Everything { is_person: bool },
    Memory(MemoryNumber),
    Topic(Topic),
}

impl About {
    fn of(app: &App, asker: &Asker, reference: &str) -> Result<Self, Refusal> {
        if reference.is_empty() {
            let is_person = asker.actor.origin == Origin::User;
            return Ok(Self::Everything { is_person });
        }
        if let Ok(topic) = Topic::parse(reference) {
            let catalog = app.memory.strand.catalog();
            let members = catalog.members(topic.as_str(), &asker.scopes(), |_| true);
            if !members.is_empty() {
                return Ok(Self::Topic(topic));
            }
        }
        match find::resolve(app, reference, asker)? {
            Resolution::One(number) => Ok(Self::Memory(number)),
            Resolution::Several(numbers) => Err(find::ambiguous(app, reference, &numbers)?),
            Resolution::None => Err(Refusal::not_found(format!(
                "nothing is called {} here; give a handle, an id, `topic:index` or a topic",
                quoted(reference)
            ))),
        }
    }

    fn has(&self, operation: &Operation) -> Result<bool, StoreError> {
        match self {
            Self::Everything { is_person } => {
                Ok(*is_person || operation.kind.payload() != Payload::Nothing)
            }
            Self::Memory(number) => is_on(operation, *number),
            Self::Topic(topic) => {
                let memory = operation.memory()?;
                Ok(memory.is_some_and(|memory| memory.topic == *topic))
            }
        }
    }
}

/// Returns whether an operation changed a memory or one of its edges.
pub(super) fn is_on(operation: &Operation, number: MemoryNumber) -> Result<bool, StoreError> {
    match operation.kind.payload() {
        Payload::Memory | Payload::Nothing => Ok(operation.number == number),
        Payload::Edge => {
            let edge = operation.edge()?;
            Ok(edge.is_some_and(|edge| edge.key.from == number || edge.key.to == number))
        }
    }
}

/// Lists operations.
///
/// # Errors
/// When nothing or too much is meant, or the disk fails.
pub fn log(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Log, Refusal> {
    let limit = LIMIT.read(wanted.limit)?;
    let about = About::of(app, asker, wanted.reference.trim())?;
    let sight = Sight::of(asker);
    let snapshot = app.memory.strand.snapshot()?;
    let mut log = Log::default();
    let mut undone = Undone::default();
    let mut looked_at = 0;
    snapshot.for_each_operation_back(snapshot.sequence()?, |operation| {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            log.notes.push(cut_note(&operation));
            return Ok(ControlFlow::Break(()));
        }
        if operation.at < wanted.since {
            return Ok(ControlFlow::Break(()));
        }
        undone.meet(&snapshot, &operation)?;
        let is_late = wanted
            .before
            .is_some_and(|before| operation.sequence >= before);
        if is_late || !about.has(&operation)? {
            return Ok(ControlFlow::Continue(()));
        }
        let Some(line) = Line::of(app, &snapshot, &sight, &undone, operation)? else {
            return Ok(ControlFlow::Continue(()));
        };
        if log.lines.len() == limit {
            log.has_more = true;
            return Ok(ControlFlow::Break(()));
        }
        log.lines.push(line);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(log)
}

fn cut_note(operation: &Operation) -> String {
    format!(
        "the {LOOKED_AT_MAX} newest operations were looked at, down to {}",
        operation.sequence.0 + 1
    )
}

/// Every operation on a memory, oldest first; on its edges, those among the newest of all.
pub(super) fn of_memory(
    app: &App,
    snapshot: &Snapshot,
    sight: &Sight,
    number: MemoryNumber,
) -> Result<Vec<Line>, StoreError> {
    let mut undone = Undone::default();
    let mut operations = Vec::new();
    let mut looked_at = 0;
    let mut previous = None;
    snapshot.for_each_operation_back(snapshot.sequence()?, |operation| {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            return Ok(ControlFlow::Break(()));
        }
        undone.meet(snapshot, &operation)?;
        if is_on(&operation, number)? {
            if operation.kind.payload() == Payload::Memory {
                previous = operation.previous_of_memory;
            }
            operations.push(operation);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if !operations
        .iter()
        .any(|known| known.kind.payload() == Payload::Memory)
    {
        previous = snapshot.memory(number)?.map(|memory| memory.sequence);
    }
    while let Some(sequence) = previous {
        let Some(operation) = snapshot.operation_of(sequence)? else {
            break;
        };
        previous = operation.previous_of_memory;
        operations.push(operation);
    }
    let mut lines = Vec::with_capacity(operations.len());
    for operation in operations.into_iter().rev() {
        lines.extend(Line::of(app, snapshot, sight, &undone, operation)?);
    }
    Ok(lines)
}
