//! Which request is undone, and whether anything was changed after it.

use std::ops::ControlFlow;

use helix_engine::{Operation, OperationKind, Payload, Snapshot, StoreError};
use helix_memory::{EdgeKey, EdgeStatus, Memory, MemoryNumber, Scope, Sequence};

use super::line::Line;
use super::undone::Undone;
use super::{SHOWN_MAX, Sight};
use crate::session_id::LOOKED_AT_MAX;
use crate::{App, Asker, Refusal};

/// The operations of one call: of one request, or of several that were made together, as those of
/// a batch are.
pub(super) struct Target {
    pub(super) first: Sequence,
    pub(super) last: Sequence,
    operations: Vec<Operation>,
}

impl Target {
    fn of(snapshot: &Snapshot, operation: &Operation) -> Result<Self, StoreError> {
        let first = first_of_call(snapshot, operation)?;
        let mut operations: Vec<Operation> = Vec::new();
        let mut next = first;
        while let Some(later) = snapshot.operation_of(next)? {
            let goes_on = operations
                .last()
                .is_none_or(|before| is_same_call(before, &later));
            if !goes_on {
                break;
            }
            operations.push(later);
            next = next.next();
        }
        Ok(Self {
            first,
            last: Sequence(next.0 - 1),
            operations,
        })
    }

    /// Its first operation on a memory.
    pub(super) fn first_on(&self, number: MemoryNumber) -> Option<Sequence> {
        let on_memory = |operation: &&Operation| {
            operation.number == number && operation.kind.payload() == Payload::Memory
        };
        let first = self.operations.iter().find(on_memory);
        first.map(|operation| operation.sequence)
    }

    /// Its first operation on an edge.
    pub(super) fn first_on_edge(&self, key: &EdgeKey) -> Result<Option<Sequence>, StoreError> {
        for operation in &self.operations {
            if operation.edge()?.is_some_and(|edge| edge.key == *key) {
                return Ok(Some(operation.sequence));
            }
        }
        Ok(None)
    }
}

/// The first operation of the call that an operation belongs to.
fn first_of_call(snapshot: &Snapshot, operation: &Operation) -> Result<Sequence, StoreError> {
    let mut first = operation.first_of_group();
    // Each step goes to an earlier operation.
    while let Some(before) = earlier(snapshot, first)? {
        if !is_same_call(&before, operation) {
            break;
        }
        first = before.first_of_group();
    }
    Ok(first)
}

fn earlier(snapshot: &Snapshot, sequence: Sequence) -> Result<Option<Operation>, StoreError> {
    match sequence.0.checked_sub(1) {
        Some(before) => snapshot.operation_of(Sequence(before)),
        None => Ok(None),
    }
}

/// Returns whether two operations, one behind the other, were asked for in one call: such have one
/// time and one author.
fn is_same_call(one: &Operation, other: &Operation) -> bool {
    one.first_of_group() == other.first_of_group()
        || (one.at == other.at && one.actor == other.actor)
}

/// The request that an operation belongs to.
pub(super) fn request_of(snapshot: &Snapshot, sequence: Sequence) -> Result<Target, Refusal> {
    let Some(operation) = snapshot.operation_of(sequence)? else {
        return Err(Refusal::not_found(format!(
            "there is no operation {}; the log lists them",
            sequence.0
        )));
    };
    if operation.kind.payload() == Payload::Nothing || operation.is_purged {
        return Err(Refusal::invalid(format!(
            "operation {} concerns a memory that was purged, which nothing brings back",
            sequence.0
        )));
    }
    Ok(Target::of(snapshot, &operation)?)
}

/// The last request made from the asker's project that neither was undone nor undid another.
pub(super) fn last(app: &App, asker: &Asker, snapshot: &Snapshot) -> Result<Target, Refusal> {
    let mut undone = Undone::default();
    let mut found = None;
    let mut is_purge = false;
    let mut looked_at = 0;
    snapshot.for_each_operation_back(snapshot.sequence()?, |operation| {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            return Ok(ControlFlow::Break(()));
        }
        undone.meet(snapshot, &operation)?;
        if operation.kind == OperationKind::Purge && is_from(app, asker, &operation)? {
            is_purge = true;
            return Ok(ControlFlow::Break(()));
        }
        let is_over = undone.has(&operation) || operation.reverts.is_some();
        if is_over || !is_asked_for(&operation)? || !is_from(app, asker, &operation)? {
            return Ok(ControlFlow::Continue(()));
        }
        found = Some(operation);
        Ok(ControlFlow::Break(()))
    })?;
    match found {
        Some(operation) => Ok(Target::of(snapshot, &operation)?),
        // Nobody who takes back the last thing means the one before it.
        None if is_purge => Err(Refusal::invalid(
            "the last change made from here was a purge, which nothing brings back; an earlier one is undone by its sequence, \
             which the log lists",
        )),
        None if looked_at <= LOOKED_AT_MAX => Err(Refusal::not_found(
            "nothing was changed from here that is not undone by now; the log lists what was, and an undo is taken back by \
             its sequence",
        )),
        None => Err(Refusal::not_found(format!(
            "none of the {LOOKED_AT_MAX} newest operations changed anything from here that is not undone; name one by its \
             sequence"
        ))),
    }
}

/// Returns whether somebody asked for a change. Storing the same text again changes nothing that is
/// seen, nobody asks for a suggestion, and what an examination does is no change of anybody's.
fn is_asked_for(operation: &Operation) -> Result<bool, StoreError> {
    let is_unseen = matches!(
        operation.kind,
        OperationKind::Reinforce | OperationKind::Purge
    ) || operation.is_purged;
    if is_unseen || operation.actor.is_of_daemon() {
        return Ok(false);
    }
    Ok(match operation.kind.payload() {
        Payload::Edge => {
            let edge = operation.edge()?;
            edge.is_none_or(|edge| edge.status != EdgeStatus::Suggested)
        }
        Payload::Memory => {
            let memory = operation.memory()?;
            memory.is_none_or(|memory| memory.scope.to_string() != Scope::SCRATCH)
        }
        Payload::Nothing => true,
    })
}

/// Returns whether an operation was made from the asker's project; of one that does not say it,
/// whether it changed a memory of the project.
fn is_from(app: &App, asker: &Asker, operation: &Operation) -> Result<bool, StoreError> {
    let names: Vec<String> = asker.project.names().map(ToString::to_string).collect();
    if !operation.actor.project.is_empty() {
        return Ok(names.contains(&operation.actor.project));
    }
    match operation.kind.payload() {
        Payload::Memory => {
            let memory = operation.memory()?;
            Ok(memory.is_some_and(|memory| names.contains(&memory.scope.to_string())))
        }
        Payload::Edge => {
            let edge = operation.edge()?;
            let sight = Sight::of(asker);
            Ok(edge.is_some_and(|edge| sight.has_edge(app, &edge.key)))
        }
        Payload::Nothing => Ok(false),
    }
}

/// A memory that the request changed, as it is now.
pub(super) fn present(
    snapshot: &Snapshot,
    number: MemoryNumber,
    target: &Target,
) -> Result<Memory, Refusal> {
    let gone = || {
        Refusal::conflict(format!(
            "operation {} concerns a memory that is gone; nothing brings it back",
            target.first.0
        ))
    };
    snapshot.memory(number)?.ok_or_else(gone)
}

/// The operations that left the version of a memory that stands, the newest first: its last one
/// and, where that is an undo, the one whose version it put back, and so on.
pub(super) fn standing(
    snapshot: &Snapshot,
    mut sequence: Sequence,
) -> Result<Vec<Sequence>, StoreError> {
    let mut standing = vec![sequence];
    // Each step goes to an earlier operation.
    while let Some(before) = put_back_by(snapshot, sequence)?.filter(|before| *before < sequence) {
        standing.push(before);
        sequence = before;
    }
    Ok(standing)
}

/// The operation whose version an undo put back; `None` for what is no undo.
fn put_back_by(snapshot: &Snapshot, sequence: Sequence) -> Result<Option<Sequence>, StoreError> {
    let operation = snapshot.operation_of(sequence)?;
    let undo = operation.filter(|operation| operation.kind == OperationKind::Revert);
    let Some(reverts) = undo.and_then(|undo| undo.reverts) else {
        return Ok(None);
    };
    let taken_back = snapshot.operation_of(reverts)?;
    Ok(taken_back.and_then(|taken_back| taken_back.previous_of_memory))
}

/// The operations of a request, as they are listed.
pub(super) fn lines(
    app: &App,
    snapshot: &Snapshot,
    sight: &Sight,
    target: &Target,
) -> Result<Vec<Line>, StoreError> {
    let mut lines = Vec::new();
    for operation in target.operations.iter().take(SHOWN_MAX).cloned() {
        lines.extend(Line::of(
            app,
            snapshot,
            sight,
            &Undone::default(),
            operation,
        )?);
    }
    Ok(lines)
}
