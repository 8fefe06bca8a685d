//! The one writer: applies a group of writes in one transaction and commits it durably.

mod correct;
mod edges;
mod error;
mod gathered;
mod group;
mod handles;
mod purge;
mod scrub;

pub use error::{CommitError, WriteError};
pub(super) use scrub::Traces;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use group::Group;
use helix_memory::{
    Actor, Admitted, Checkpoint, Edge, EdgeKey, Edit, Memory, MemoryId, MemoryNumber, Origin,
    Provenance, Scope, Sequence, Status, Timestamp, Tombstone, VerdictReason as Why,
};
use helix_redact::{Redact, Secrets};
use redb::{Database, Durability, ReadableTable, WriteTransaction};

use super::guard::guarded;
use super::history::{self, GENESIS};
use super::states::States;
use super::{Store, StoreError, bounds, tables};

/// Writes from which on a group also saves which pages are free. It costs one more sync, a small
/// part of such a group's time.
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
    /// Where it came from, when whoever imports it vouches for that; its import then adds nothing
    /// to its provenance.
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

impl Redact for Stamps {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            id: _,
            handle,
            origin: _,
            valid_to: _,
            recorded_at: _,
            last_seen_at: _,
            access_count: _,
            status: _,
            provenance,
            attributes,
        } = self;
        handle.redact(secrets);
        provenance.redact(secrets);
        attributes.redact(secrets);
    }
}

/// Why something is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// In words for people; `#7` stands for the memory of that number. Never a memory's text.
    pub reason: String,
    /// The operation that is taken back.
    pub reverts: Option<Sequence>,
    /// It belongs to the request of the write before it.
    pub is_continued: bool,
}

impl Cause {
    /// A reason alone.
    #[must_use]
    pub fn because(reason: String) -> Self {
        Self {
            reason,
            ..Self::default()
        }
    }

    /// The same, for a write that belongs to the request of the one before it.
    #[must_use]
    pub fn continued(self) -> Self {
        Self {
            is_continued: true,
            ..self
        }
    }
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
        /// Why.
        cause: Cause,
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
        /// The operation that changed it last, as far as the asker knows; any when it is not
        /// given.
        expected: Option<Sequence>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
        /// Why.
        cause: Cause,
    },
    /// Writes a memory's record again, from the history, where it is damaged.
    Mend(MemoryNumber),
    /// Raises access statistics.
    Access(Vec<(MemoryNumber, u64, Timestamp)>),
    /// Makes an edge, or replaces the one of the same name.
    Relate {
        /// The edge; its sequence is set when it is written.
        edge: Box<Edge>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
        /// Why.
        cause: Cause,
    },
    /// Notes that the memory which was stored last was made from this one.
    Derive {
        /// What it was made from.
        from: MemoryNumber,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
        /// Why.
        cause: Cause,
    },
    /// Lets the memory which was stored last take the place of this one, or notes that they
    /// contradict each other. Nothing is written where this one is out of use.
    Correct {
        /// Its id.
        known: MemoryId,
        /// The operation that changed it last, as far as the asker knows: if another one did
        /// meanwhile, both stand and contradict each other.
        expected: Option<Sequence>,
        /// True if the new one takes its place.
        is_replaced: bool,
        /// Why.
        why: Why,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Removes an edge.
    Unrelate {
        /// Which.
        key: EdgeKey,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
        /// Why.
        cause: Cause,
    },
    /// Keeps a tombstone by the id of the memory that it is for; `None` removes it.
    Tombstone(MemoryId, Option<Box<Tombstone>>),
    /// Removes a memory and its text from every operation on it. What is left is an operation that
    /// says so, and a tombstone.
    Purge {
        /// Which.
        number: MemoryNumber,
        /// What stays.
        tombstone: Box<Tombstone>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Replaces states: keys and opaque states; an empty one removes the row.
    States(States, Vec<(String, Vec<u8>)>),
    /// Keeps receipts, by their time in microseconds: opaque states. The oldest beyond
    /// [`States::RECEIPTS_MAX`] go.
    Receipts(Vec<(i64, Vec<u8>)>),
    /// Replaces a scope's checkpoint; `None` removes it.
    Checkpoint(Scope, Option<Box<Checkpoint>>),
    /// Removes the checkpoints that this session saved.
    PurgeCheckpoints(String),
}

/// What a write changed, for the indexes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A memory is new or different.
    Memory(Box<Memory>),
    /// A memory is already as an edit wanted it.
    Same(Box<Memory>),
    /// An edge is new or different.
    Edge(Box<Edge>),
    /// An edge is gone; as it was, under the sequence of its removal.
    EdgeGone(Box<Edge>),
    /// A memory is gone.
    Purged {
        /// Which.
        number: MemoryNumber,
        /// The operation that removed it.
        sequence: Sequence,
        /// The id that it had.
        id: MemoryId,
        /// What stays of it.
        tombstone: Box<Tombstone>,
    },
    /// A tombstone was set up, or taken away.
    Tombstone(MemoryId, Option<Box<Tombstone>>),
    /// Nothing that an index cares about.
    None,
}

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
    pub(super) store: Store,
    /// Why nothing can be written, for a store that was opened for reading alone.
    pub(super) refusal: Option<String>,
    sequence: Sequence,
    chain: [u8; 32],
    next_number: u32,
    /// True if the newest commit says which pages are free. After a crash the file has to be
    /// walked through otherwise.
    pub(super) is_saved: bool,
    /// Large groups since one saved it.
    large_groups: u32,
}

impl Writer {
    pub(super) fn new(
        database: Arc<Database>,
        store: Store,
        refusal: Option<String>,
    ) -> Result<Self, StoreError> {
        let (sequence, chain, next_number) = first_commit(&database)?;
        Ok(Self {
            database,
            store,
            refusal,
            sequence,
            chain,
            next_number,
            is_saved: true,
            large_groups: 0,
        })
    }

    /// Returns the newest sequence.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Why nothing can be written, for a store that was opened for reading alone.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Applies a group and commits it; returns when it is durable. All of it is refused where the
    /// store is open for reading alone.
    ///
    /// # Errors
    /// `CommitError`: the disk failed, nothing of the group counts, and the store must be reopened.
    pub fn commit(&mut self, writes: Vec<Write>) -> Result<Committed, CommitError> {
        if let Some(refusal) = &self.refusal {
            let changes = writes
                .iter()
                .map(|_| Err(WriteError::ReadOnly(refusal.clone())))
                .collect();
            return Ok(Committed {
                changes,
                sequence: self.sequence,
            });
        }
        let store = self.store.clone();
        let _writing = store.writing.lock().unwrap_or_else(PoisonError::into_inner);
        guarded(|| self.commit_now(writes))
    }

    fn commit_now(&mut self, writes: Vec<Write>) -> Result<Committed, CommitError> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::Immediate)?;
        let saves = self.saves_with(writes.len());
        transaction.set_quick_repair(saves);
        let mut group = Group {
            sequence: self.sequence,
            chain: self.chain,
            next_number: self.next_number,
            request_began: None,
        };
        let changes = group.apply(&transaction, writes)?;
        transaction.commit()?;
        self.is_saved = saves;
        Group {
            sequence: self.sequence,
            chain: self.chain,
            next_number: self.next_number,
            ..
        } = group;
        Ok(Committed {
            changes,
            sequence: self.sequence,
        })
    }

    /// Returns whether the next crash would cost a walk through the whole file.
    #[must_use]
    pub fn is_restless(&self) -> bool {
        !self.is_saved
    }

    /// Saves which pages are free, so that a start after a crash does not have to find it out.
    /// Worth it once nothing is written any more: it costs two syncs, and the next commit makes
    /// it void.
    ///
    /// # Errors
    /// `CommitError`: as for [`Writer::commit`].
    pub fn rest(&mut self) -> Result<(), CommitError> {
        if self.is_saved {
            return Ok(());
        }
        let store = self.store.clone();
        let _writing = store.writing.lock().unwrap_or_else(PoisonError::into_inner);
        guarded(|| {
            let mut transaction = self.database.begin_write()?;
            transaction.set_durability(Durability::Immediate)?;
            transaction.set_quick_repair(true);
            Ok::<_, CommitError>(transaction.commit()?)
        })?;
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

/// Brings the tables of a store that was just opened up to what a writer needs, and reads where the
/// history stands.
fn first_commit(database: &Database) -> Result<(Sequence, [u8; 32], u32), CommitError> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let stand = create_tables(&transaction)?;
    bounds::enforce(&transaction, &bounds::Touched::all())?;
    transaction.commit()?;
    Ok(stand)
}

/// Creates the tables and reads where the history stands.
fn create_tables(transaction: &WriteTransaction) -> Result<(Sequence, [u8; 32], u32), CommitError> {
    let memories = transaction.open_table(tables::MEMORIES)?;
    transaction.open_table(tables::IDS)?;
    transaction.open_table(tables::HANDLES)?;
    transaction.open_table(tables::ACCESS)?;
    transaction.open_table(tables::RECEIPTS)?;
    for named in tables::NAMED
        .into_iter()
        .chain(States::ALL.map(States::table))
    {
        transaction.open_table(named)?;
    }
    transaction.open_table(tables::LOST)?;
    let mut meta = transaction.open_table(tables::META)?;
    if meta.get(tables::META_FORMAT)?.is_none() {
        meta.insert(tables::META_FORMAT, Store::FORMAT)?;
    }
    if meta.get(tables::META_IDENTITY)?.is_none() {
        meta.insert(tables::META_IDENTITY, uuid::Uuid::new_v4().as_u64_pair().0)?;
    }
    let next_number = meta
        .get(tables::META_NEXT_NUMBER)?
        .map_or(0, |found| found.value());
    let beyond = memories
        .last()?
        .map_or(0, |(number, _)| u64::from(number.value()) + 1);
    let lost = transaction
        .open_table(tables::GAPS)?
        .last()?
        .map_or(0, |(_, last)| last.value());
    let history = transaction.open_table(tables::HISTORY)?;
    let (sequence, chain) = match history.last()? {
        None => (Sequence(0), GENESIS),
        Some((key, value)) => {
            let sequence = Sequence(key.value());
            (sequence, history::decode(sequence, value.value())?.1)
        }
    };
    // Sequences that were lost are not given again: records that were whole may have them.
    let sequence = sequence.max(Sequence(lost));
    Ok((
        sequence,
        chain,
        u32::try_from(next_number.max(beyond)).unwrap_or(u32::MAX),
    ))
}
