//! The one writer: applies a group of writes in one transaction and commits it durably.

use std::collections::HashMap;
use std::sync::Arc;

use redb::{Database, Durability, ReadableTable, WriteTransaction};

use super::codec::{self, CodecError};
use super::history::{self, GENESIS, Operation, OperationKind};
use super::{FORMAT, StoreError, checkpoint, tables};
use crate::error::ErrorKind;
use crate::model::{
    Actor, Checkpoint, Handle, Memory, MemoryId, MemoryNumber, Provenance, Scope, Sequence, Status, Timestamp,
};
use crate::policy::admit::Admitted;

/// Attempts at finding a free handle; beyond it the id's digits are used.
const HANDLE_ATTEMPTS_MAX: u32 = 1_000;

/// One thing to write.
#[derive(Clone, Debug)]
pub enum Write {
    /// Stores a new memory.
    Store {
        /// What to store.
        admitted: Box<Admitted>,
        /// Ids of the memories it links to.
        links: Vec<MemoryId>,
        /// Random bytes for its id.
        entropy: [u8; 10],
        /// Who stores it.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Notes that a memory's exact text was stored again.
    Reinforce {
        /// Which.
        number: MemoryNumber,
        /// How often it was accessed so far, if more than the store knows.
        access_count: u64,
        /// Who confirmed it.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Marks a memory as forgotten.
    Forget {
        /// Which.
        number: MemoryNumber,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Raises access statistics.
    Access(Vec<(MemoryNumber, u64, Timestamp)>),
    /// Replaces what a session was given.
    Session {
        /// Session key.
        key: String,
        /// Opaque state; empty removes it.
        state: Vec<u8>,
    },
    /// Replaces a scope's checkpoint; `None` removes it.
    Checkpoint(Scope, Option<Box<Checkpoint>>),
}

/// What a write changed, for the indexes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A memory is new or different.
    Memory(Box<Memory>),
    /// Nothing that an index cares about.
    None,
}

/// Why one write of a group was refused; the others are not affected.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The memory does not exist.
    #[error("memory number {0} does not exist; search again for its handle")]
    NoSuchMemory(u32),
    /// All 2^32 numbers are used.
    #[error("the strand is full: every memory number is used")]
    Full,
}

impl WriteError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchMemory(_) => ErrorKind::NotFound,
            Self::Full => ErrorKind::Exhausted,
        }
    }
}

/// The group could not be committed: nothing of it is acknowledged, and nothing more may be until the store is reopened.
#[derive(Debug, thiserror::Error)]
#[error("committing to the store: {0}")]
pub struct CommitError(#[from] StoreError);

impl From<CodecError> for CommitError {
    fn from(error: CodecError) -> Self {
        Self(StoreError::Codec(error))
    }
}

macro_rules! commit_error_from {
    ($($error:ty),+) => {
        $(impl From<$error> for CommitError {
            fn from(error: $error) -> Self {
                Self(StoreError::Database(error.into()))
            }
        })+
    };
}
commit_error_from!(
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError,
    redb::SetDurabilityError
);

/// A durable group: one result for each write, in order.
#[derive(Debug)]
pub struct Committed {
    /// What each write changed, or why it was refused.
    pub changes: Vec<Result<Change, WriteError>>,
    /// The newest sequence.
    pub sequence: Sequence,
}

/// The only way to change the store.
pub struct Writer {
    database: Arc<Database>,
    sequence: Sequence,
    chain: [u8; 32],
    next_number: u32,
}

impl Writer {
    pub(super) fn new(database: Arc<Database>) -> Result<Self, StoreError> {
        let transaction = database.begin_write()?;
        let (sequence, chain, next_number) = create_tables(&transaction)?;
        transaction.commit()?;
        Ok(Self { database, sequence, chain, next_number })
    }

    /// Returns the newest sequence.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Applies a group and commits it; returns when it is durable.
    ///
    /// # Errors
    /// [`CommitError`]: the disk failed, nothing of the group counts, and the store must be reopened.
    pub fn commit(&mut self, writes: Vec<Write>) -> Result<Committed, CommitError> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        let mut group = Group { sequence: self.sequence, chain: self.chain, next_number: self.next_number };
        let changes = group.apply(&transaction, writes)?;
        transaction.commit()?;
        Group { sequence: self.sequence, chain: self.chain, next_number: self.next_number } = group;
        Ok(Committed { changes, sequence: self.sequence })
    }
}

/// Creates the tables and reads where the history stands.
fn create_tables(transaction: &WriteTransaction) -> Result<(Sequence, [u8; 32], u32), StoreError> {
    transaction.open_table(tables::MEMORIES)?;
    transaction.open_table(tables::IDS)?;
    transaction.open_table(tables::HANDLES)?;
    transaction.open_table(tables::ACCESS)?;
    transaction.open_table(tables::SESSIONS)?;
    transaction.open_table(tables::CHECKPOINTS)?;
    let mut meta = transaction.open_table(tables::META)?;
    if meta.get(tables::META_FORMAT)?.is_none() {
        meta.insert(tables::META_FORMAT, FORMAT)?;
    }
    let next_number = meta.get(tables::META_NEXT_NUMBER)?.map_or(0, |found| found.value());
    let history = transaction.open_table(tables::HISTORY)?;
    let (sequence, chain) = match history.last()? {
        None => (Sequence(0), GENESIS),
        Some((key, value)) => {
            let sequence = Sequence(key.value());
            (sequence, history::decode(sequence, value.value())?.1)
        }
    };
    Ok((sequence, chain, u32::try_from(next_number).unwrap_or(u32::MAX)))
}

/// The counters while a group is applied; kept only if its commit succeeds.
struct Group {
    sequence: Sequence,
    chain: [u8; 32],
    next_number: u32,
}

/// The tables of one transaction, opened once for the whole group.
struct Tables<'t> {
    memories: redb::Table<'t, u32, &'static [u8]>,
    ids: redb::Table<'t, [u8; 16], u32>,
    handles: redb::Table<'t, &'static str, u32>,
    history: redb::Table<'t, u64, &'static [u8]>,
    access: redb::Table<'t, u32, (u64, i64)>,
    sessions: redb::Table<'t, &'static str, &'static [u8]>,
    checkpoints: checkpoint::Table<'t>,
}

impl Group {
    fn apply(
        &mut self,
        transaction: &WriteTransaction,
        writes: Vec<Write>,
    ) -> Result<Vec<Result<Change, WriteError>>, CommitError> {
        let mut tables = Tables {
            memories: transaction.open_table(tables::MEMORIES)?,
            ids: transaction.open_table(tables::IDS)?,
            handles: transaction.open_table(tables::HANDLES)?,
            history: transaction.open_table(tables::HISTORY)?,
            access: transaction.open_table(tables::ACCESS)?,
            sessions: transaction.open_table(tables::SESSIONS)?,
            checkpoints: transaction.open_table(tables::CHECKPOINTS)?,
        };
        let mut attempts = HashMap::new();
        let mut changes = Vec::with_capacity(writes.len());
        for write in writes {
            changes.push(self.apply_one(&mut tables, write, &mut attempts)?);
        }
        drop(tables);
        transaction.open_table(tables::META)?.insert(tables::META_NEXT_NUMBER, u64::from(self.next_number))?;
        Ok(changes)
    }

    fn apply_one(
        &mut self,
        tables: &mut Tables<'_>,
        write: Write,
        attempts: &mut HashMap<Handle, u32>,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        match write {
            Write::Store { admitted, links, entropy, actor, at } => {
                if self.next_number == u32::MAX {
                    return Ok(Err(WriteError::Full));
                }
                let handle = free_handle(tables, &admitted, attempts)?;
                let memory = self.new_memory(*admitted, handle, links, &entropy, &actor, at);
                tables.ids.insert(*memory.id.as_bytes(), memory.number.0)?;
                tables.handles.insert(memory.handle.as_str(), memory.number.0)?;
                self.record(tables, OperationKind::Store, &memory, None, actor, at)?;
                Ok(Ok(Change::Memory(Box::new(memory))))
            }
            Write::Reinforce { number, access_count, actor, at } => {
                self.reinforce(tables, number, access_count, actor, at)
            }
            Write::Forget { number, actor, at } => self.forget(tables, number, actor, at),
            Write::Access(seen) => {
                for (number, count, at) in seen {
                    // A reinforcement of the same group may know more already.
                    let known = tables.access.get(number.0)?.map_or((0, i64::MIN), |known| known.value());
                    tables.access.insert(number.0, (count.max(known.0), at.as_micros().max(known.1)))?;
                }
                Ok(Ok(Change::None))
            }
            Write::Session { key, state } => {
                if state.is_empty() {
                    tables.sessions.remove(key.as_str())?;
                } else {
                    tables.sessions.insert(key.as_str(), state.as_slice())?;
                }
                Ok(Ok(Change::None))
            }
            Write::Checkpoint(scope, saved) => {
                checkpoint::put(&mut tables.checkpoints, &scope, saved.as_deref())?;
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
        Memory {
            id: MemoryId::new(at, entropy),
            number,
            handle,
            topic: admitted.topic,
            text: admitted.text,
            kind: admitted.kind,
            tags: admitted.tags,
            scope: admitted.scope,
            source: admitted.source,
            links,
            importance: admitted.importance,
            confidence: admitted.confidence,
            pinned: admitted.pinned,
            origin: actor.origin,
            provenance: vec![Provenance {
                agent: actor.agent.clone(),
                reference: actor.session.clone(),
                extractor: String::new(),
                origin: actor.origin,
                at,
            }],
            attributes: admitted.attributes,
            valid_from: admitted.valid_from.unwrap_or(at),
            valid_to: None,
            recorded_at: at,
            last_seen_at: at,
            access_count: 0,
            status: Status::Active,
            sequence: self.sequence.next(),
        }
    }

    fn reinforce(
        &mut self,
        tables: &mut Tables<'_>,
        number: MemoryNumber,
        access_count: u64,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let Some(mut memory) = load(tables, number)? else { return Ok(Err(WriteError::NoSuchMemory(number.0))) };
        let previous = memory.sequence;
        memory.access_count = memory.access_count.max(access_count).saturating_add(1);
        memory.last_seen_at = memory.last_seen_at.max(at);
        memory.sequence = self.sequence.next();
        tables.access.insert(number.0, (memory.access_count, memory.last_seen_at.as_micros()))?;
        self.record(tables, OperationKind::Reinforce, &memory, Some(previous), actor, at)?;
        Ok(Ok(Change::Memory(Box::new(memory))))
    }

    fn forget(
        &mut self,
        tables: &mut Tables<'_>,
        number: MemoryNumber,
        actor: Actor,
        at: Timestamp,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let Some(mut memory) = load(tables, number)? else { return Ok(Err(WriteError::NoSuchMemory(number.0))) };
        let previous = memory.sequence;
        memory.status = Status::Forgotten;
        memory.valid_to = memory.valid_to.or(Some(at));
        memory.sequence = self.sequence.next();
        self.record(tables, OperationKind::Forget, &memory, Some(previous), actor, at)?;
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
    ) -> Result<(), CommitError> {
        let after = codec::encode(memory);
        tables.memories.insert(memory.number.0, after.as_slice())?;
        let sequence = self.sequence.next();
        let operation = Operation { sequence, at, actor, kind, number: memory.number, previous_of_memory, after };
        let (bytes, chain) = history::encode(&operation, &self.chain);
        tables.history.insert(sequence.0, bytes.as_slice())?;
        self.sequence = sequence;
        self.chain = chain;
        Ok(())
    }
}

fn load(tables: &Tables<'_>, number: MemoryNumber) -> Result<Option<Memory>, CommitError> {
    let Some(found) = tables.memories.get(number.0)? else { return Ok(None) };
    let mut memory = codec::decode(number, found.value())?;
    if let Some(access) = tables.access.get(number.0)? {
        let (count, seen) = access.value();
        memory.access_count = count;
        memory.last_seen_at = Timestamp::from_micros(seen);
    }
    Ok(Some(memory))
}

/// Finds a free handle, remembering within the group where the search for a common one stopped.
fn free_handle(
    tables: &Tables<'_>,
    admitted: &Admitted,
    attempts: &mut HashMap<Handle, u32>,
) -> Result<Handle, CommitError> {
    let plain = Handle::propose(&admitted.topic, &admitted.text);
    let start = attempts.get(&plain).copied().unwrap_or(0);
    for attempt in start..HANDLE_ATTEMPTS_MAX {
        let handle = plain.numbered(attempt);
        if tables.handles.get(handle.as_str())?.is_none() {
            attempts.insert(plain, attempt + 1);
            return Ok(handle);
        }
    }
    let unique = blake3::hash(admitted.text.as_bytes()).to_hex();
    let serial = tables.handles.last()?.map_or(0, |(_, number)| number.value());
    Ok(Handle::from_stored(format!("{plain}-{unique:.12}-{serial}")))
}
