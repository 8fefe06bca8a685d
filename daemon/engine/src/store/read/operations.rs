//! The operations of the history, one after another.

use std::collections::BTreeMap;

use helix_memory::{MemoryNumber, Sequence, Timestamp};
use redb::ReadableTable;

use super::super::guard::guarded;
use super::super::history::{self, ChainError, GENESIS, Moment, Operation, Payload};
use super::super::{StoreError, tables};
use super::Snapshot;

impl Snapshot {
    /// Returns the newest sequence.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sequence(&self) -> Result<Sequence, StoreError> {
        guarded(|| {
            let newest = self.history.last()?.map_or(0, |(key, _)| key.value());
            let lost = self
                .transaction
                .open_table(tables::GAPS)?
                .last()?
                .map_or(0, |(_, last)| last.value());
            Ok(Sequence(newest.max(lost)))
        })
    }

    /// The newest operation as it is kept.
    pub(in crate::store) fn last_operation(&self) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        guarded(|| {
            Ok(self
                .history
                .last()?
                .map(|(sequence, entry)| (sequence.value(), entry.value().to_vec())))
        })
    }

    /// Says which store this is: no other one says the same, but for a copy of it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn identity(&self) -> Result<String, StoreError> {
        guarded(|| {
            let meta = self.transaction.open_table(tables::META)?;
            let identity = meta
                .get(tables::META_IDENTITY)?
                .map_or(0, |identity| identity.value());
            Ok(format!("{identity:016x}"))
        })
    }

    /// Says which store this is and what its history was up to a sequence: no other store, and no
    /// other past of this one, says the same. `None` for a sequence that it does not have.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn mark(&self, sequence: Sequence) -> Result<Option<String>, StoreError> {
        guarded(|| {
            let chain = match self.history.get(sequence.0)? {
                Some(entry) => history::decode(sequence, entry.value())?.1,
                None if sequence.0 == 0 => GENESIS,
                None => return Ok(None),
            };
            let chain = chain.first_chunk().copied().map_or(0, u64::from_be_bytes);
            Ok(Some(format!("{}-{chain:016x}", self.identity()?)))
        })
    }

    /// The change feed: every operation after `sequence`, in order. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails, or whatever `each` returns.
    pub fn for_each_operation_after<E: From<StoreError>>(
        &self,
        sequence: Sequence,
        mut each: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<(), E> {
        guarded(|| {
            for entry in self
                .history
                .range(sequence.0.saturating_add(1)..)
                .map_err(StoreError::from)?
            {
                let (key, value) = entry.map_err(StoreError::from)?;
                if let Some(operation) = self.operation(Sequence(key.value()), value.value()) {
                    each(operation)?;
                }
            }
            Ok(())
        })
    }

    /// Decodes an operation; `None` for one that is damaged, which is noted.
    pub(in crate::store) fn operation(
        &self,
        sequence: Sequence,
        entry: &[u8],
    ) -> Option<Operation> {
        let decoded = history::decode(sequence, entry);
        if decoded.is_err() {
            self.skipped.operation(sequence);
        }
        decoded.ok().map(|(operation, _)| operation)
    }

    /// Every operation, the newest first. Damaged ones are left out.
    ///
    /// # Errors
    /// When the disk fails; an item, when it fails there, and it is the last one.
    pub fn operations_backwards(
        &self,
    ) -> Result<impl Iterator<Item = Result<Operation, StoreError>>, StoreError> {
        let mut entries = guarded(|| Ok::<_, StoreError>(self.history.iter()?.rev()))?;
        let mut has_failed = false;
        let mut next = move || -> Result<Option<Operation>, StoreError> {
            for entry in entries.by_ref() {
                let (key, value) = entry?;
                if let Some(operation) = self.operation(Sequence(key.value()), value.value()) {
                    return Ok(Some(operation));
                }
            }
            Ok(None)
        };
        Ok(std::iter::from_fn(move || {
            if has_failed {
                return None;
            }
            let operation = guarded(&mut next);
            has_failed = operation.is_err();
            operation.transpose()
        }))
    }

    /// When memories were changed after they were stored: calls `each` for every such operation
    /// after `sequence`, in order. What was done in the very moment of the operation before it
    /// belongs to that, as the links of an import to its storing. Returns the newest sequence.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn for_each_change_after(
        &self,
        sequence: Sequence,
        mut each: impl FnMut(MemoryNumber, Timestamp),
    ) -> Result<Sequence, StoreError> {
        guarded(|| {
            let mut newest = sequence;
            for entry in self.history.range(sequence.0.saturating_add(1)..)? {
                let (key, value) = entry?;
                newest = Sequence(key.value());
                let Some(moment) = self.moment(newest, value.value()) else {
                    continue;
                };
                let Some(previous) = moment.previous_of_memory else {
                    continue;
                };
                let before = self.history.get(previous.0)?;
                let before = before.and_then(|value| self.moment(previous, value.value()));
                if before.is_none_or(|before| before.at != moment.at) {
                    each(moment.number, moment.at);
                }
            }
            Ok(newest)
        })
    }

    /// When an operation was; `None` for one that does not exist or is damaged.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn time_of(&self, sequence: Sequence) -> Result<Option<Timestamp>, StoreError> {
        guarded(|| {
            let entry = self.history.get(sequence.0)?;
            let moment = entry.and_then(|entry| self.moment(sequence, entry.value()));
            Ok(moment.map(|moment| moment.at))
        })
    }

    /// When the oldest operation was: since then there is a strand. `None` for one that is new.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn began_at(&self) -> Result<Option<Timestamp>, StoreError> {
        guarded(|| {
            let Some((key, entry)) = self.history.first()? else {
                return Ok(None);
            };
            let moment = self.moment(Sequence(key.value()), entry.value());
            Ok(moment.map(|moment| moment.at))
        })
    }

    /// Decodes when an operation was; `None` for one that is damaged, which is noted.
    pub(super) fn moment(&self, sequence: Sequence, entry: &[u8]) -> Option<Moment> {
        let decoded = history::decode_moment(sequence, entry);
        if decoded.is_err() {
            self.skipped.operation(sequence);
        }
        decoded.ok()
    }

    /// Walks the whole history and checks its chain. What is known to be lost is passed over.
    ///
    /// # Errors
    /// The outer error when the disk fails; the inner one names the first operation that does not
    /// fit.
    pub fn verify_history(&self) -> Result<Result<Sequence, ChainError>, StoreError> {
        guarded(|| {
            let gaps = self.transaction.open_table(tables::GAPS)?;
            let mut previous = Some(GENESIS);
            let mut expected = Sequence(1);
            for entry in self.history.iter()? {
                let (key, value) = entry?;
                let sequence = Sequence(key.value());
                if let Some(gap) = gaps.get(expected.0)? {
                    previous = None;
                    expected = Sequence(gap.value()).next();
                }
                if sequence != expected {
                    return Ok(Err(ChainError {
                        sequence: expected,
                        detail: "the operation is missing",
                    }));
                }
                match history::verify(sequence, value.value(), previous.as_ref()) {
                    Ok(hash) => previous = Some(hash),
                    Err(broken) => return Ok(Err(broken)),
                }
                expected = expected.next();
            }
            Ok(Ok(Sequence(expected.0 - 1)))
        })
    }

    /// Checks that every memory's record is the one that the last operation on it left, and that
    /// every name leads to a memory that has or had it. Returns those of which this is not so,
    /// by number.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verify_records(&self) -> Result<BTreeMap<MemoryNumber, &'static str>, StoreError> {
        let mut newest: BTreeMap<u32, u64> = BTreeMap::new();
        self.for_each_operation_after(Sequence(0), |operation| {
            match operation.kind.payload() {
                Payload::Memory => {
                    newest.insert(operation.number.0, operation.sequence.0);
                }
                // A purged memory has no record.
                Payload::Nothing => {
                    newest.remove(&operation.number.0);
                }
                Payload::Edge => {}
            }
            Ok::<_, StoreError>(())
        })?;
        let mut wrong = BTreeMap::new();
        self.for_each_memory(|memory| {
            if newest
                .get(&memory.number.0)
                .is_some_and(|newest| *newest > memory.sequence.0)
            {
                wrong.insert(memory.number, "its record is an earlier one");
            } else if self.number_of_id(&memory.id)? != Some(memory.number) {
                wrong.insert(memory.number, "its id leads elsewhere");
            }
            Ok::<_, StoreError>(())
        })?;
        let lost = self.damage()?.lost_memories;
        for number in newest
            .keys()
            .copied()
            .filter(|number| !lost.contains_key(number))
            .map(MemoryNumber)
        {
            if !self.has_record(number)? {
                wrong.insert(number, "it has no record");
            }
        }
        self.for_each_handle(|handle, number| {
            if self.had_handle(number, handle)? == Some(false) && self.has_record(number)? {
                wrong
                    .entry(number)
                    .or_insert("a handle leads to it that it never had");
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(wrong)
    }
}
