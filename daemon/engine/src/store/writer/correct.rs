//! Corrections: a new memory takes the place of a known one, or is noted as contradicting it, in the
//! transaction that stores it.

use helix_memory::{
    Actor, Edit, Memory, MemoryId, MemoryNumber, Sequence, Status, Timestamp, VerdictReason as Why,
    conflict,
};
use redb::ReadableTable;

use super::group::{Group, Tables, load};
use super::handles::Attempts;
use super::{Cause, Change, CommitError, WriteError};

/// A memory that the one which was stored last corrects.
pub(super) struct Correction {
    pub(super) known: MemoryId,
    /// The operation that changed it last when that was decided.
    pub(super) expected: Option<Sequence>,
    pub(super) is_replaced: bool,
    pub(super) why: Why,
}

impl Group {
    /// Replaces the known memory, or notes the contradiction. One that went out of use meanwhile
    /// is left alone; one that was changed is contradicted and not replaced, and so is each while
    /// it or the new one waits for a person.
    pub(super) fn correct(
        &mut self,
        tables: &mut Tables<'_>,
        correction: &Correction,
        attempts: &mut Attempts,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let Some(known) = tables.in_use(&correction.known)? else {
            return Ok(Ok(Change::None));
        };
        let new = match load(tables, self.last_stored())? {
            Ok(new) => new,
            Err(refused) => return Ok(Err(refused)),
        };
        let why = correction.why.sentence();
        let is_as_it_was = correction
            .expected
            .is_none_or(|expected| expected == known.sequence);
        let are_active = [&new, &known]
            .iter()
            .all(|memory| memory.status == Status::Active);
        if correction.is_replaced && is_as_it_was && are_active {
            let edit = Edit::Supersede { by: new.id };
            let cause = Cause::because(format!("the new memory {why}")).continued();
            return self.edit(tables, known.number, &edit, attempts, actor, at, cause);
        }
        let edge = conflict(new.number, known.number, correction.why, &actor, at);
        self.relate(tables, edge, actor, at, Cause::default().continued())
    }
}

impl Tables<'_> {
    /// The memory of an id that is active or waits for a person, perhaps stored by this
    /// transaction.
    fn in_use(&mut self, id: &MemoryId) -> Result<Option<Memory>, CommitError> {
        let number = match self.gathered.of_id(id.as_bytes()) {
            Some(number) => Some(number),
            None => self
                .ids
                .get(*id.as_bytes())?
                .map(|found| MemoryNumber(found.value())),
        };
        let Some(number) = number else {
            return Ok(None);
        };
        let memory = load(self, number)?.ok();
        Ok(memory.filter(|memory| matches!(memory.status, Status::Active | Status::Quarantined)))
    }
}
