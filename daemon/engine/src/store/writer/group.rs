//! Applying a group of writes inside one transaction.

use helix_memory::{
    Actor, Admitted, Edit, Handle, Memory, MemoryId, MemoryNumber, Provenance, Sequence, Status,
    Timestamp, Tombstone, edit,
};
use redb::{ReadableTable, ReadableTableMetadata, WriteTransaction};

use super::correct::Correction;
use super::gathered::Gathered;
use super::handles::Attempts;
use super::{Cause, Change, CommitError, Stamps, Write, WriteError};
use crate::store::bounds::{self, CHECKPOINTS_MAX, Touched};
use crate::store::history::{self, Operation, OperationKind};
use crate::store::{checkpoint, codec, seal, tables};

/// The counters while a group is applied; kept only if its commit succeeds.
pub(super) struct Group {
    pub(super) sequence: Sequence,
    pub(super) chain: [u8; 32],
    pub(super) next_number: u32,
    /// The first operation of the request that is applied.
    pub(super) request_began: Option<Sequence>,
}

/// The tables of one transaction, opened once for the whole group, and the rows that are still to
/// be written to them.
pub(super) struct Tables<'t> {
    pub(super) gathered: Gathered,
    pub(super) memories: redb::Table<'t, u32, &'static [u8]>,
    pub(super) ids: redb::Table<'t, [u8; 16], u32>,
    pub(super) handles: redb::Table<'t, &'static str, u32>,
    pub(super) history: redb::Table<'t, u64, &'static [u8]>,
    pub(super) access: redb::Table<'t, u32, (u64, i64)>,
    /// For the tables that few groups write to: opening one costs as much as a row.
    pub(super) transaction: &'t WriteTransaction,
    /// Those of them that have to be kept to their caps.
    touched: Touched,
}

/// Gives a memory what it brings along. An id that another memory has is not taken over.
fn stamp(memory: &mut Memory, stamps: Stamps, tables: &mut Tables<'_>) -> Result<(), CommitError> {
    if let Some(id) = stamps.id
        && !tables.gathered.has_id(id.as_bytes())
        && tables.ids.get(*id.as_bytes())?.is_none()
    {
        memory.id = id;
    }
    memory.valid_to = stamps.valid_to;
    memory.recorded_at = stamps.recorded_at.unwrap_or(memory.recorded_at);
    memory.last_seen_at = stamps.last_seen_at.unwrap_or(memory.recorded_at);
    memory.access_count = stamps.access_count;
    memory.status = stamps.status.unwrap_or(memory.status);
    memory.attributes.extend(stamps.attributes);
    if let Some(origin) = stamps.origin {
        memory.origin = origin;
        memory.provenance.clear();
    }
    memory.provenance.splice(0..0, stamps.provenance);
    let access = (memory.access_count, memory.last_seen_at.as_micros());
    tables
        .gathered
        .access(memory.number, seal::seal_access(memory.number.0, access));
    Ok(())
}

impl Group {
    /// Does each write in order: one change or refusal for each.
    pub(super) fn apply(
        &mut self,
        transaction: &WriteTransaction,
        writes: Vec<Write>,
    ) -> Result<Vec<Result<Change, WriteError>>, CommitError> {
        let mut tables = Tables {
            gathered: Gathered::default(),
            memories: transaction.open_table(tables::MEMORIES)?,
            ids: transaction.open_table(tables::IDS)?,
            handles: transaction.open_table(tables::HANDLES)?,
            history: transaction.open_table(tables::HISTORY)?,
            access: transaction.open_table(tables::ACCESS)?,
            transaction,
            touched: Touched::default(),
        };
        let mut attempts = Attempts::default();
        let mut changes = Vec::with_capacity(writes.len());
        for write in writes {
            changes.push(self.apply_one(&mut tables, write, &mut attempts)?);
            if tables.gathered.is_full() {
                tables.settle()?;
            }
        }
        tables.settle()?;
        let touched = std::mem::take(&mut tables.touched);
        drop(tables);
        bounds::enforce(transaction, &touched)?;
        transaction
            .open_table(tables::META)?
            .insert(tables::META_NEXT_NUMBER, u64::from(self.next_number))?;
        Ok(changes)
    }

    fn apply_one(
        &mut self,
        tables: &mut Tables<'_>,
        write: Write,
        attempts: &mut Attempts,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        match write {
            Write::Store {
                admitted,
                links,
                stamps,
                entropy,
                actor,
                at,
                cause,
            } => {
                if self.next_number == u32::MAX {
                    return Ok(Err(WriteError::Full));
                }
                let plain = plain_handle(&admitted, stamps.as_deref());
                let handle =
                    attempts.free(&tables.handles, plain, MemoryNumber(self.next_number))?;
                let mut memory = self.new_memory(*admitted, handle, links, &entropy, &actor, at);
                if let Some(stamps) = stamps {
                    stamp(&mut memory, *stamps, tables)?;
                }
                tables.gathered.id(*memory.id.as_bytes(), memory.number);
                tables
                    .handles
                    .insert(memory.handle.as_str(), memory.number.0)?;
                self.record(
                    tables,
                    OperationKind::Store,
                    &memory,
                    None,
                    actor,
                    at,
                    cause,
                )?;
                Ok(Ok(Change::Memory(Box::new(memory))))
            }
            Write::Reinforce {
                number,
                access_count,
                actor,
                at,
            } => self.reinforce(tables, number, access_count, actor, at),
            Write::Edit {
                number,
                edit,
                expected,
                actor,
                at,
                cause,
            } => {
                let refused =
                    expected.map_or(Ok(None), |expected| differs(tables, number, expected))?;
                refused.map_or_else(
                    || self.edit(tables, number, &edit, attempts, actor, at, cause),
                    |error| Ok(Err(error)),
                )
            }
            Write::Mend(number) => mend(tables, number),
            Write::Access(seen) => {
                tables.settle()?;
                for (number, count, at) in seen {
                    // A reinforcement of the same group may know more already.
                    let known = tables
                        .access
                        .get(number.0)?
                        .and_then(|row| seal::open_access(number.0, row.value()));
                    let known = known.unwrap_or((0, i64::MIN));
                    let access = (count.max(known.0), at.as_micros().max(known.1));
                    tables
                        .access
                        .insert(number.0, seal::seal_access(number.0, access))?;
                }
                Ok(Ok(Change::None))
            }
            Write::Checkpoint(scope, saved) => {
                tables.touched.checkpoints = true;
                let mut checkpoints = tables.transaction.open_table(tables::CHECKPOINTS)?;
                let is_further =
                    saved.is_some() && checkpoints.get(scope.to_string().as_str())?.is_none();
                if is_further
                    && checkpoints.len()? >= CHECKPOINTS_MAX
                    && checkpoint::count_saved(&checkpoints)? >= CHECKPOINTS_MAX
                {
                    return Ok(Err(WriteError::TooManyCheckpoints {
                        limit: CHECKPOINTS_MAX,
                    }));
                }
                checkpoint::put(&mut checkpoints, &scope, saved.as_deref())?;
                Ok(Ok(Change::None))
            }
            Write::PurgeCheckpoints(session) => {
                tables.touched.checkpoints = true;
                let mut checkpoints = tables.transaction.open_table(tables::CHECKPOINTS)?;
                checkpoint::remove_of(&mut checkpoints, &session)?;
                Ok(Ok(Change::None))
            }
            Write::Relate {
                edge,
                actor,
                at,
                cause,
            } => self.relate(tables, *edge, actor, at, cause),
            Write::Derive {
                from,
                actor,
                at,
                cause,
            } => self.derive(tables, from, actor, at, cause),
            Write::Correct {
                known,
                expected,
                is_replaced,
                why,
                actor,
                at,
            } => {
                let correction = Correction {
                    known,
                    expected,
                    is_replaced,
                    why,
                };
                self.correct(tables, &correction, attempts, actor, at)
            }
            Write::Unrelate {
                key,
                actor,
                at,
                cause,
            } => self.unrelate(tables, key, actor, at, cause),
            Write::Tombstone(id, tombstone) => {
                put_tombstone(tables, id, tombstone.as_deref())?;
                Ok(Ok(Change::Tombstone(id, tombstone)))
            }
            Write::Purge {
                number,
                tombstone,
                actor,
                at,
            } => self.purge(tables, number, tombstone, actor, at),
            Write::States(states, rows) => {
                tables.touched.states.insert(states);
                let definition = states.table();
                let mut table = tables.transaction.open_table(definition)?;
                for (key, state) in rows {
                    if state.is_empty() {
                        table.remove(key.as_str())?;
                    } else {
                        let record = seal::seal(&definition, key.as_str(), &state);
                        table.insert(key.as_str(), record.as_slice())?;
                    }
                }
                Ok(Ok(Change::None))
            }
            Write::Receipts(receipts) => {
                tables.touched.receipts = true;
                let mut table = tables.transaction.open_table(tables::RECEIPTS)?;
                for (at, state) in receipts {
                    table.insert(at, seal::seal(&tables::RECEIPTS, &at, &state).as_slice())?;
                }
                Ok(Ok(Change::None))
            }
        }
    }

    fn new_memory(
        &mut self,
        admitted: Admitted,
        handle: Handle,
        links: Vec<MemoryId>,
        entropy: &[u8; 10],
        actor: &Actor,
        at: Timestamp,
    ) -> Memory {
        let number = MemoryNumber(self.next_number);
        self.next_number += 1;
        let status = if actor.origin.awaits_review(&admitted.suspicions) {
            Status::Quarantined
        } else {
            Status::Active
        };
        let id = MemoryId::new(at, entropy);
        Memory {
            links,
            origin: actor.origin,
            provenance: vec![Provenance::stated(actor, at)],
            status,
            sequence: self.sequence.next(),
            ..admitted.into_memory(id, number, handle, at)
        }
    }

    /// The memory that was stored last.
    pub(super) fn last_stored(&self) -> MemoryNumber {
        MemoryNumber(self.next_number.saturating_sub(1))
    }

    fn reinforce(
        &mut self,
        tables: &mut Tables<'_>,
        number: MemoryNumber,
        access_count: u64,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let mut memory = match load(tables, number)? {
            Ok(memory) => memory,
            Err(refused) => return Ok(Err(refused)),
        };
        let previous = memory.sequence;
        vouch(&mut memory, &actor, at);
        memory.access_count = memory.access_count.max(access_count).saturating_add(1);
        memory.last_seen_at = memory.last_seen_at.max(at);
        memory.sequence = self.sequence.next();
        put_access(tables, &memory)?;
        self.record(
            tables,
            OperationKind::Reinforce,
            &memory,
            Some(previous),
            actor,
            at,
            Cause::default(),
        )?;
        Ok(Ok(Change::Memory(Box::new(memory))))
    }

    pub(super) fn edit(
        &mut self,
        tables: &mut Tables<'_>,
        number: MemoryNumber,
        edit: &Edit,
        attempts: &mut Attempts,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let mut memory = match load(tables, number)? {
            Ok(memory) => memory,
            Err(refused) => return Ok(Err(refused)),
        };
        let previous = memory.sequence;
        let before = memory.clone();
        let wanted_before = wanted_handle(&memory);
        match edit.apply(&mut memory, at) {
            Err(error) => return Ok(Err(error.into())),
            Ok(false) => return Ok(Ok(Change::Same(Box::new(memory)))),
            Ok(true) => {}
        }
        // It waits like a new memory that says so, and again where nobody trusted it before.
        let is_suspect = actor.origin.awaits_review(&memory.suspicions)
            && edit::gives_orders(edit, &before, &memory);
        let is_untrusted = edit::brings_back_untrusted(edit, &before, &actor);
        if memory.status == Status::Active && (is_suspect || is_untrusted) {
            memory.status = Status::Quarantined;
        }
        if matches!(edit, Edit::Revise { .. }) {
            vouch(&mut memory, &actor, at);
        }
        if memory.handle.is_in(&memory.topic) {
            let wanted = wanted_handle(&memory);
            // A handle reads like a fact: that of the old text would go on telling it. One that was
            // held back gets it once somebody vouches for it.
            let is_renamed = match edit {
                Edit::Revise { .. } => wanted != wanted_before,
                Edit::Approve { .. } => wanted != wanted_before && is_plain(&memory.handle),
                _ => false,
            };
            if is_renamed {
                memory.handle = attempts.free(&tables.handles, wanted, number)?;
                tables.handles.insert(memory.handle.as_str(), number.0)?;
            }
        } else {
            // The old handle stays in the table, as a name that old notes still use.
            memory.handle =
                attempts.free(&tables.handles, memory.handle.moved(&memory.topic), number)?;
            tables.handles.insert(memory.handle.as_str(), number.0)?;
        }
        let seen = |memory: &Memory| (memory.access_count, memory.last_seen_at);
        if seen(&before) != seen(&memory) {
            put_access(tables, &memory)?;
        }
        memory.sequence = self.sequence.next();
        self.record(
            tables,
            operation_kind(edit),
            &memory,
            Some(previous),
            actor,
            at,
            cause,
        )?;
        Ok(Ok(Change::Memory(Box::new(memory))))
    }

    /// Writes the record and the operation that made it.
    fn record(
        &mut self,
        tables: &mut Tables<'_>,
        kind: OperationKind,
        memory: &Memory,
        previous_of_memory: Option<Sequence>,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) -> Result<(), CommitError> {
        let after = codec::encode(memory);
        let record = seal::seal(&tables::MEMORIES, &memory.number.0, &after);
        if previous_of_memory.is_none() {
            tables.gathered.memory(memory.number, record);
        } else {
            tables.memories.insert(memory.number.0, record.as_slice())?;
        }
        let operation = Operation {
            sequence: self.sequence.next(),
            at,
            actor,
            kind,
            number: memory.number,
            previous_of_memory,
            reason: cause.reason,
            group: self.first_of(cause.is_continued),
            reverts: cause.reverts,
            is_purged: false,
            after,
        };
        self.append(tables, operation);
        Ok(())
    }

    /// The first operation of the request that goes on, if it does.
    pub(super) fn first_of(&mut self, is_continued: bool) -> Option<Sequence> {
        if is_continued {
            return self.request_began;
        }
        self.request_began = Some(self.sequence.next());
        None
    }

    /// Adds an operation to the history.
    #[expect(clippy::needless_pass_by_value, reason = "it is used up here")]
    pub(super) fn append(&mut self, tables: &mut Tables<'_>, operation: Operation) {
        let (bytes, chain) = history::encode(&operation, &self.chain);
        tables.gathered.operation(operation.sequence.0, bytes);
        self.sequence = operation.sequence;
        self.chain = chain;
    }
}

/// Makes a text that came from outside that of whoever says it now, if their word may be shown
/// unasked.
fn vouch(memory: &mut Memory, actor: &Actor, at: Timestamp) {
    let origin = memory.origin.confirmed_by(actor.origin);
    if origin == memory.origin {
        return;
    }
    memory.origin = origin;
    memory.provenance.push(Provenance::stated(actor, at));
}

/// Why a memory cannot be changed by somebody who saw the version of `expected`; `None` when it
/// can.
fn differs(
    tables: &mut Tables<'_>,
    number: MemoryNumber,
    expected: Sequence,
) -> Result<Option<WriteError>, CommitError> {
    let changed = |memory: Memory| WriteError::Changed {
        handle: memory.handle,
        expected,
        found: memory.sequence,
    };
    // One that cannot be changed for another reason says so when it is to be.
    Ok(load(tables, number)?
        .ok()
        .filter(|memory| memory.sequence != expected)
        .map(changed))
}

/// Keeps or removes the tombstone of a memory.
pub(super) fn put_tombstone(
    tables: &mut Tables<'_>,
    id: MemoryId,
    tombstone: Option<&Tombstone>,
) -> Result<(), CommitError> {
    let key = id.to_string();
    let mut table = tables.transaction.open_table(tables::TOMBSTONES)?;
    match tombstone {
        Some(tombstone) => {
            let body = codec::tombstone::encode(tombstone);
            let record = seal::seal(&tables::TOMBSTONES, key.as_str(), &body);
            table.insert(key.as_str(), record.as_slice())?;
            tables.touched.tombstones = true;
        }
        None => {
            table.remove(key.as_str())?;
        }
    }
    Ok(())
}

fn put_access(tables: &mut Tables<'_>, memory: &Memory) -> Result<(), CommitError> {
    let access = (memory.access_count, memory.last_seen_at.as_micros());
    tables
        .access
        .insert(memory.number.0, seal::seal_access(memory.number.0, access))?;
    Ok(())
}

/// What a memory's record is.
#[expect(clippy::large_enum_variant, reason = "almost all are sound")]
enum Stored {
    Absent,
    Damaged,
    Sound(Memory),
}

fn stored(tables: &mut Tables<'_>, number: MemoryNumber) -> Result<Stored, CommitError> {
    if tables.gathered.has(number) {
        tables.settle()?;
    }
    let Some(record) = tables
        .memories
        .get(number.0)?
        .map(|found| found.value().to_vec())
    else {
        return Ok(Stored::Absent);
    };
    let body = seal::open_any("a memory", &tables::MEMORIES, &number.0, &record);
    let Ok(memory) = body.and_then(|body| codec::decode(number, body)) else {
        return Ok(Stored::Damaged);
    };
    if seal::is_sealed(&record) {
        return Ok(Stored::Sound(memory));
    }
    let operation = tables.history.get(memory.sequence.0)?;
    let is_recorded = operation.is_some_and(|operation| {
        history::vouches(memory.sequence, operation.value(), number, &record)
    });
    Ok(if is_recorded {
        Stored::Sound(memory)
    } else {
        Stored::Damaged
    })
}

/// Reads a memory that is to be changed; one whose record is damaged comes from the history.
pub(super) fn load(
    tables: &mut Tables<'_>,
    number: MemoryNumber,
) -> Result<Result<Memory, WriteError>, CommitError> {
    let memory = match stored(tables, number)? {
        Stored::Absent => return Ok(Err(WriteError::NoSuchMemory(number.0))),
        Stored::Sound(memory) => Some(memory),
        Stored::Damaged => history::newest_of(&tables.history, number)?,
    };
    let Some(mut memory) = memory else {
        return Ok(Err(WriteError::Damaged(number.0)));
    };
    let access = tables
        .access
        .get(number.0)?
        .and_then(|row| seal::open_access(number.0, row.value()));
    if let Some((count, seen)) = access {
        memory.access_count = count;
        memory.last_seen_at = Timestamp::from_micros(seen);
    }
    Ok(Ok(memory))
}

/// Writes the record of a memory again where it is damaged and the history tells what it was.
fn mend(
    tables: &mut Tables<'_>,
    number: MemoryNumber,
) -> Result<Result<Change, WriteError>, CommitError> {
    let is_damaged = matches!(stored(tables, number)?, Stored::Damaged);
    let memory = match load(tables, number)? {
        Ok(memory) => Box::new(memory),
        Err(refused) => return Ok(Err(refused)),
    };
    if !is_damaged {
        return Ok(Ok(Change::Same(memory)));
    }
    let record = seal::seal(&tables::MEMORIES, &number.0, &codec::encode(&memory));
    tables.memories.insert(number.0, record.as_slice())?;
    tracing::warn!(
        number = number.0,
        "a damaged record was written again from the history"
    );
    Ok(Ok(Change::Memory(memory)))
}

/// What the history calls an edit.
fn operation_kind(edit: &Edit) -> OperationKind {
    match edit {
        Edit::Append { .. } => OperationKind::Append,
        Edit::Revise { .. } => OperationKind::Revise,
        Edit::Tag { .. } => OperationKind::Tag,
        Edit::Move { .. } => OperationKind::Move,
        Edit::Set(_) | Edit::Withhold { .. } => OperationKind::Set,
        Edit::Forget => OperationKind::Forget,
        Edit::Restore => OperationKind::Restore,
        Edit::Supersede { .. } => OperationKind::Supersede,
        Edit::Absorb(_) => OperationKind::Absorb,
        Edit::Repair { .. } => OperationKind::Repair,
        Edit::Archive => OperationKind::Archive,
        Edit::Prune => OperationKind::Prune,
        Edit::Approve { .. } => OperationKind::Approve,
        Edit::Reject => OperationKind::Reject,
        Edit::Revert { .. } => OperationKind::Revert,
    }
}

/// Words of the handle of a memory that waits in the review because it looks like orders: handles
/// are shown where its text is not.
const HELD_BACK: &str = "held back";

/// The handle that a new memory would like to have: the one that it was exported with, or words of
/// its text.
fn plain_handle(admitted: &Admitted, stamps: Option<&Stamps>) -> Handle {
    let status = stamps.and_then(|stamps| stamps.status);
    if status.is_some_and(|status| is_held_back(status, &admitted.suspicions)) {
        return Handle::propose(&admitted.topic, HELD_BACK);
    }
    let kept = stamps
        .and_then(|stamps| stamps.handle.as_deref())
        .and_then(|handle| Handle::kept(handle, &admitted.topic));
    kept.unwrap_or_else(|| Handle::propose(&admitted.topic, &admitted.text))
}

/// The handle that a memory would like to have by what it says now.
fn wanted_handle(memory: &Memory) -> Handle {
    let is_held_back = is_held_back(memory.status, &memory.suspicions);
    let said = if is_held_back {
        HELD_BACK
    } else {
        &memory.text
    };
    Handle::propose(&memory.topic, said)
}

/// Whether a memory waits in the review because it looks like orders.
fn is_held_back<S>(status: Status, suspicions: &[S]) -> bool {
    status == Status::Quarantined && !suspicions.is_empty()
}

/// Whether a handle is one of those that say nothing.
fn is_plain(handle: &Handle) -> bool {
    let slug = handle.as_str().rsplit('/').next().unwrap_or_default();
    slug.starts_with(&HELD_BACK.replace(' ', "-"))
}
