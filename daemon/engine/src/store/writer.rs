//! The one writer: applies a group of writes in one transaction and commits it durably.

mod gathered;
mod group;
mod handles;

use std::collections::BTreeMap;
use std::sync::Arc;

use redb::{Database, Durability, ReadableTable, WriteTransaction};

use super::codec::CodecError;
use super::history::{self, GENESIS};
use super::{FORMAT, Shared, StoreError, tables};
use crate::error::ErrorKind;
use crate::model::{
    Actor, Checkpoint, Handle, Memory, MemoryId, MemoryNumber, Origin, Provenance, Scope, Sequence, Status, Timestamp,
    Topic,
};
use crate::policy::admit::Admitted;
use crate::policy::edit::{Edit, EditError};
use group::Group;

/// Writes from which on a group also saves which pages are free. It costs one more sync, a small part of such a group's time.
const SAVING_MIN: usize = 256;

/// Large groups of which the first saves it, so that a long import does not do so again and again.
const SAVING_EVERY: u32 = 16;

/// What a memory brings along that a new one would be given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stamps {
    /// Its id, which it keeps unless another memory has it.
    pub id: Option<MemoryId>,
    /// Its handle, which it keeps likewise, in the topic that it is stored in.
    pub handle: Option<String>,
    /// Where it came from, when whoever imports it vouches for that; its import then adds nothing to its provenance.
    pub origin: Option<Origin>,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
    /// When it was learned.
    pub recorded_at: Option<Timestamp>,
    /// When it was last stored again, recalled or confirmed.
    pub last_seen_at: Option<Timestamp>,
    /// How often.
    pub access_count: u64,
    /// Where it is in its life.
    pub status: Option<Status>,
    /// What produced it, oldest first; its import is added.
    pub provenance: Vec<Provenance>,
    /// Helix's own attributes.
    pub attributes: BTreeMap<String, String>,
}

/// One thing to write.
#[derive(Clone, Debug)]
pub enum Write {
    /// Stores a new memory.
    Store {
        /// What to store.
        admitted: Box<Admitted>,
        /// Ids of the memories it links to.
        links: Vec<MemoryId>,
        /// What it brings along, when it comes from another strand.
        stamps: Option<Box<Stamps>>,
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
    /// Changes a memory. Nothing is written when it is so already.
    Edit {
        /// Which.
        number: MemoryNumber,
        /// How.
        edit: Edit,
        /// The operation that changed it last, as far as the asker knows; any when it is not given.
        expected: Option<Sequence>,
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
    /// Replaces what is known of mistakes: keys and opaque states.
    Incidents(Vec<(String, Vec<u8>)>),
    /// Replaces what hooks noticed: keys and opaque states; an empty one removes it.
    Observations(Vec<(String, Vec<u8>)>),
    /// Keeps receipts, by their time in microseconds: opaque states. The oldest beyond [`super::RECEIPTS_MAX`] go.
    Receipts(Vec<(i64, Vec<u8>)>),
    /// Replaces a scope's checkpoint; `None` removes it.
    Checkpoint(Scope, Option<Box<Checkpoint>>),
}

/// What a write changed, for the indexes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A memory is new or different.
    Memory(Box<Memory>),
    /// A memory is already as an edit wanted it.
    Same(Box<Memory>),
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
    /// The asker saw another version.
    #[error(
        "{handle} was changed meanwhile (sequence {found}, not {expected}); nothing was changed; read it again and repeat"
    )]
    Changed {
        /// Which.
        handle: Handle,
        /// The version that was seen.
        expected: Sequence,
        /// The version there is.
        found: Sequence,
    },
    /// The edit does not fit the memory.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// No memory of the caller's scopes is in the topic.
    #[error("topic {0} has no memory here; list the topics for their names")]
    NoSuchTopic(Topic),
    /// A topic cannot be renamed to one that has memories.
    #[error("topic {topic} has {memories} {} already; merge into it instead, or choose another name", noun(.memories))]
    TopicExists {
        /// The new name.
        topic: Topic,
        /// How many it has.
        memories: usize,
    },
    /// More than one commit may hold.
    #[error(
        "topic {topic} has {memories} memories, the limit for changing all at once is {limit}; change them in parts"
    )]
    TopicTooLarge {
        /// Which.
        topic: Topic,
        /// How many it has.
        memories: usize,
        /// How many it may have.
        limit: usize,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the macro hands over references")]
const fn noun(memories: &usize) -> &'static str {
    if *memories == 1 { "memory" } else { "memories" }
}

impl WriteError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchMemory(_) | Self::NoSuchTopic(_) => ErrorKind::NotFound,
            Self::Changed { .. } => ErrorKind::Changed,
            Self::Full | Self::TopicTooLarge { .. } => ErrorKind::Exhausted,
            Self::TopicExists { .. } => ErrorKind::Conflict,
            Self::Edit(error) => error.kind(),
        }
    }
}

/// The group could not be committed: nothing of it is acknowledged, and nothing more may be until the store is reopened.
#[derive(Debug, thiserror::Error)]
#[error("committing to the store: {0}")]
pub struct CommitError(#[from] pub(super) StoreError);

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
    redb::CursorError,
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
    pub(super) database: Arc<Database>,
    pub(super) shared: Shared,
    sequence: Sequence,
    chain: [u8; 32],
    next_number: u32,
    /// Whether the newest commit says which pages are free. After a crash the file has to be walked through otherwise.
    pub(super) is_saved: bool,
    /// Large groups since one saved it.
    large_groups: u32,
}

impl Writer {
    pub(super) fn new(database: Arc<Database>, shared: Shared) -> Result<Self, StoreError> {
        let mut transaction = database.begin_write()?;
        transaction.set_quick_repair(true);
        let (sequence, chain, next_number) = create_tables(&transaction)?;
        transaction.commit()?;
        Ok(Self { database, shared, sequence, chain, next_number, is_saved: true, large_groups: 0 })
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
        let saves = self.saves_with(writes.len());
        transaction.set_quick_repair(saves);
        let mut group = Group { sequence: self.sequence, chain: self.chain, next_number: self.next_number };
        let changes = group.apply(&transaction, writes)?;
        transaction.commit()?;
        self.is_saved = saves;
        Group { sequence: self.sequence, chain: self.chain, next_number: self.next_number } = group;
        Ok(Committed { changes, sequence: self.sequence })
    }

    /// Whether the next crash would cost a walk through the whole file.
    #[must_use]
    pub fn is_restless(&self) -> bool {
        !self.is_saved
    }

    /// Saves which pages are free, so that a start after a crash does not have to find it out. Worth it once nothing is written
    /// any more: it costs two syncs, and the next commit makes it void.
    ///
    /// # Errors
    /// [`CommitError`]: as for [`Writer::commit`].
    pub fn rest(&mut self) -> Result<(), CommitError> {
        if self.is_saved {
            return Ok(());
        }
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        transaction.set_quick_repair(true);
        transaction.commit()?;
        self.is_saved = true;
        Ok(())
    }

    fn saves_with(&mut self, writes: usize) -> bool {
        if writes < SAVING_MIN {
            return false;
        }
        let saves = self.large_groups == 0;
        self.large_groups = (self.large_groups + 1) % SAVING_EVERY;
        saves
    }
}

/// Creates the tables and reads where the history stands.
fn create_tables(transaction: &WriteTransaction) -> Result<(Sequence, [u8; 32], u32), StoreError> {
    transaction.open_table(tables::MEMORIES)?;
    transaction.open_table(tables::IDS)?;
    transaction.open_table(tables::HANDLES)?;
    transaction.open_table(tables::ACCESS)?;
    transaction.open_table(tables::SESSIONS)?;
    transaction.open_table(tables::INCIDENTS)?;
    transaction.open_table(tables::RECEIPTS)?;
    transaction.open_table(tables::OBSERVATIONS)?;
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
