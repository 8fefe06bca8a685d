//! Writes tombstones of what was forgotten, refused or purged.

use helix_memory::{
    Actor, Departure, Edit, Memory, MemoryNumber, Scope, Sequence, Sketch, Status, Timestamp,
    Tombstone, forgotten,
};

use crate::store::{Write, WriteError};
use crate::strand::Strand;

/// Returns whether an edit sets up a tombstone, or takes one away.
pub(super) fn departure(edit: &Edit) -> Option<Option<Departure>> {
    match edit {
        Edit::Forget => Some(Some(Departure::Forgotten)),
        Edit::Reject => Some(Some(Departure::Rejected)),
        Edit::Restore => Some(None),
        Edit::Revert { to } => Some(departure_to(to.status)),
        Edit::Append { .. }
        | Edit::Revise { .. }
        | Edit::Tag { .. }
        | Edit::Move { .. }
        | Edit::Set(_)
        | Edit::Supersede { .. }
        | Edit::Absorb(_)
        | Edit::Archive
        | Edit::Prune
        | Edit::Approve { .. }
        | Edit::Withhold { .. }
        | Edit::Repair { .. } => None,
    }
}

/// Returns the departure that putting a memory back to a status leaves behind.
fn departure_to(status: Status) -> Option<Departure> {
    match status {
        Status::Forgotten => Some(Departure::Forgotten),
        Status::Active
        | Status::Superseded
        | Status::Archived
        | Status::Quarantined
        | Status::Pruned => None,
    }
}

impl Strand {
    /// The write of the tombstone that an edit sets up or takes away; `None` where it does neither,
    /// or will be refused.
    pub(super) fn tombstone_write(
        &self,
        number: MemoryNumber,
        edit: &Edit,
        expected: Option<Sequence>,
        actor: &Actor,
        at: Timestamp,
    ) -> Option<Write> {
        let departure = departure(edit)?;
        let memory = self.memories(&[number]).ok()?.into_iter().next()?;
        let is_seen = expected.is_none_or(|expected| expected == memory.sequence);
        let is_scratch = memory.scope.to_string() == Scope::SCRATCH;
        if !is_seen || is_scratch {
            return None;
        }
        let tombstone =
            departure.map(|departure| Box::new(self.tombstone_of(&memory, departure, actor, at)));
        Some(Write::Tombstone(memory.id, tombstone))
    }

    /// The write that purges a memory.
    pub(super) fn purge(
        &self,
        number: MemoryNumber,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Write, WriteError> {
        let found = self.memories(&[number]).unwrap_or_default();
        let Some(memory) = found.into_iter().next() else {
            return Err(WriteError::NoSuchMemory(number.0));
        };
        let tombstone = Tombstone {
            handle: String::new(),
            // A text is guessed from its vector, and from its words in order.
            sketch: Sketch::default(),
            code: Vec::new(),
            model: String::new(),
            ..self.tombstone_of(&memory, Departure::Purged, &actor, at)
        };
        Ok(Write::Purge {
            number,
            tombstone: Box::new(tombstone),
            actor,
            at,
        })
    }

    /// The tombstone of a memory that leaves now.
    pub(super) fn tombstone_of(
        &self,
        memory: &Memory,
        departure: Departure,
        actor: &Actor,
        at: Timestamp,
    ) -> Tombstone {
        let (model, code) = self.code_of(memory.number).unwrap_or_default();
        Tombstone {
            scope: memory.scope.to_string(),
            text_hash: forgotten::text_hash(&memory.text),
            word_hashes: forgotten::word_hashes(&memory.text),
            sketch: forgotten::sketch(&memory.text),
            code,
            model,
            departure,
            origin: actor.origin,
            agent: actor.agent.clone(),
            at,
            handle: memory.handle.as_str().to_owned(),
        }
    }
}
