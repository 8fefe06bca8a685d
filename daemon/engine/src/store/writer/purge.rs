//! Removing a memory for good.

use helix_memory::{Actor, MemoryNumber, Sequence, Timestamp, Tombstone};
use redb::ReadableTable;

use super::group::{Group, Tables, load, put_tombstone};
use super::scrub::Traces;
use super::{Change, CommitError, WriteError};
use crate::store::history::{self, Operation, OperationKind, Payload};
use crate::store::{codec, seal, tables};

impl Group {
    /// Removes a memory's record, names, edges and accesses, and its text from every operation on
    /// it. The chain goes on over what is left of those.
    pub(super) fn purge(
        &mut self,
        tables: &mut Tables<'_>,
        number: MemoryNumber,
        tombstone: Box<Tombstone>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let memory = match load(tables, number)? {
            Ok(memory) => memory,
            Err(refused) => return Ok(Err(refused)),
        };
        tables.settle()?;
        let traces = tables.blank_operations(number)?;
        tables.scrub(&traces)?;
        tables.memories.remove(number.0)?;
        tables.ids.remove(*memory.id.as_bytes())?;
        tables.access.remove(number.0)?;
        tables.remove_handles(number)?;
        tables.remove_edges(number)?;
        put_tombstone(tables, memory.id, Some(&tombstone))?;
        let operation = Operation {
            sequence: self.sequence.next(),
            at,
            actor,
            kind: OperationKind::Purge,
            number,
            previous_of_memory: None,
            reason: String::new(),
            group: self.first_of(false),
            reverts: None,
            is_purged: false,
            after: Vec::new(),
        };
        let sequence = operation.sequence;
        self.append(tables, operation);
        Ok(Ok(Change::Purged {
            number,
            sequence,
            id: memory.id,
            tombstone,
        }))
    }
}

impl Tables<'_> {
    /// Takes the payload out of every operation on a memory and on its edges. Returns what the
    /// memory was known by.
    fn blank_operations(&mut self, number: MemoryNumber) -> Result<Traces, CommitError> {
        let mut traces = Traces::default();
        for handle in self.handles_of(number)? {
            traces.add_handle(&handle);
        }
        let mut blanked = Vec::new();
        for entry in self.history.iter()? {
            let (key, record) = entry?;
            let sequence = Sequence(key.value());
            let Ok((operation, _)) = history::decode(sequence, record.value()) else {
                continue;
            };
            if concerns(&operation, number)
                && let Ok(without_payload) = history::purged(sequence, record.value())
            {
                if let Ok(Some(memory)) = operation.memory() {
                    traces.add_text(&memory.text);
                    traces.add_text(&memory.summary);
                }
                blanked.push((sequence.0, without_payload));
            }
        }
        for (sequence, record) in blanked {
            self.history.insert(sequence, record.as_slice())?;
        }
        Ok(traces)
    }

    fn remove_handles(&mut self, number: MemoryNumber) -> Result<(), CommitError> {
        self.handles.retain(|_, holder| holder != number.0)?;
        Ok(())
    }

    fn remove_edges(&mut self, number: MemoryNumber) -> Result<(), CommitError> {
        let mut edges = self.transaction.open_table(tables::EDGES)?;
        edges.retain(|key, record| {
            let body = seal::open("an edge", &tables::EDGES, key, record);
            let edge = body.and_then(codec::edge::decode);
            edge.is_ok_and(|edge| edge.key.from != number && edge.key.to != number)
        })?;
        Ok(())
    }
}

/// Returns whether an operation's payload is the memory's, or an edge's that has it as an end.
fn concerns(operation: &Operation, number: MemoryNumber) -> bool {
    match operation.kind.payload() {
        Payload::Memory => operation.number == number,
        Payload::Edge => operation
            .edge()
            .ok()
            .flatten()
            .is_some_and(|edge| edge.key.from == number || edge.key.to == number),
        Payload::Nothing => false,
    }
}
