//! Which request is undone, and whether anything was changed after it.

use std::ops::ControlFlow;

use helix_engine::model::{Memory, MemoryNumber, Sequence};
use helix_engine::store::{Operation, OperationKind, Payload, Snapshot, StoreError};

use super::line::Line;
use super::undone::Undone;
use super::{SHOWN_MAX, Sight};
use crate::session_id::LOOKED_AT_MAX;
use crate::{App, Asker, Refusal};

/// The operations of one request.
pub(super) struct Target {
    pub(super) first: Sequence,
    pub(super) last: Sequence,
    operations: Vec<Operation>,
}

impl Target {
    fn of(snapshot: &Snapshot, first: Sequence) -> Result<Self, StoreError> {
        let mut operations: Vec<Operation> = Vec::new();
        let mut next = first;
        while let Some(operation) = snapshot.operation_of(next)? {
            if operation.first_of_group() != first {
                break;
            }
            operations.push(operation);
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
    Ok(Target::of(snapshot, operation.first_of_group())?)
}

/// The last request made from the asker's project that neither was undone nor undid another.
pub(super) fn last(app: &App, asker: &Asker, snapshot: &Snapshot) -> Result<Target, Refusal> {
    let mut undone = Undone::default();
    let mut found = None;
    let mut looked_at = 0;
    snapshot.for_each_operation_back(snapshot.sequence()?, |operation| {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            return Ok(ControlFlow::Break(()));
        }
        undone.meet(snapshot, &operation)?;
        let is_over = undone.has(&operation) || operation.reverts.is_some();
        if is_over || !is_change(&operation) || !is_from(app, asker, &operation)? {
            return Ok(ControlFlow::Continue(()));
        }
        found = Some(operation.first_of_group());
        Ok(ControlFlow::Break(()))
    })?;
    match found {
        Some(first) => Ok(Target::of(snapshot, first)?),
        None => Err(Refusal::not_found(format!(
            "none of the {LOOKED_AT_MAX} newest operations changed anything from here that is not undone; name one by its \
             sequence"
        ))),
    }
}

/// Whether there is something to see of an operation: storing the same text again has none.
fn is_change(operation: &Operation) -> bool {
    operation.kind != OperationKind::Reinforce
        && operation.kind != OperationKind::Purge
        && !operation.is_purged
}

/// Whether an operation was made from the asker's project; of one that does not say it, whether it
/// changed a memory of the project.
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

/// The operation whose version stands: for a memory that an undo put back, the one that left that
/// version first.
pub(super) fn standing(
    snapshot: &Snapshot,
    mut sequence: Sequence,
) -> Result<Sequence, StoreError> {
    // Each step goes to an earlier operation.
    loop {
        let Some(operation) = snapshot.operation_of(sequence)? else {
            return Ok(sequence);
        };
        let reverts = operation
            .reverts
            .filter(|_| operation.kind == OperationKind::Revert);
        let Some(taken_back) = reverts.map(|reverts| snapshot.operation_of(reverts)) else {
            return Ok(sequence);
        };
        let before = taken_back?.and_then(|taken_back| taken_back.previous_of_memory);
        match before.filter(|before| *before < sequence) {
            Some(before) => sequence = before,
            None => return Ok(sequence),
        }
    }
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
