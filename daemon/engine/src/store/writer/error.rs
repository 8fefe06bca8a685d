//! Why a write is refused, and why a group is not committed.

use helix_memory::{EditError, ErrorKind, Handle, Relation, Sequence, Topic};

use crate::store::codec::CodecError;
use crate::store::{Store, StoreError};

/// Why one write of a group was refused; the others are not affected.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The memory does not exist.
    #[error("memory number {0} does not exist; search again for its handle")]
    NoSuchMemory(u32),
    /// Its record is damaged, and the history does not tell what it was.
    #[error(
        "memory number {0} is damaged and cannot be changed; run `helixctl doctor`, and put a copy of the store back"
    )]
    Damaged(u32),
    /// The store was opened for reading alone.
    #[error("nothing can be written ({0}); free some space, then run `helixctl down` and repeat")]
    ReadOnly(String),
    /// The store's file was moved away or replaced under the daemon.
    #[error(
        "the store's file is gone or another one, so what is written now would be lost; run `helixctl export` now, then \
         `helixctl down`, put the file back or import the export, and repeat"
    )]
    Gone,
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
    /// There is no such edge.
    #[error("there is no edge {relation} between these memories; list their neighbours")]
    NoSuchEdge {
        /// Of which relation.
        relation: Relation,
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
    /// No further project may have a checkpoint.
    #[error("{limit} projects have a checkpoint, the limit; clear one that is done")]
    TooManyCheckpoints {
        /// How many may.
        limit: u64,
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the macro hands over references"
)]
const fn noun(memories: &usize) -> &'static str {
    if *memories == 1 { "memory" } else { "memories" }
}

impl WriteError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchMemory(_) | Self::NoSuchTopic(_) | Self::NoSuchEdge { .. } => {
                ErrorKind::NotFound
            }
            Self::Changed { .. } => ErrorKind::Changed,
            Self::Full | Self::TooManyCheckpoints { .. } | Self::TopicTooLarge { .. } => {
                ErrorKind::Exhausted
            }
            Self::Damaged(_) | Self::ReadOnly(_) | Self::Gone => ErrorKind::Corrupt,
            Self::TopicExists { .. } => ErrorKind::Conflict,
            Self::Edit(error) => error.kind(),
        }
    }
}

/// The group could not be committed: nothing of it is acknowledged, and nothing more may be until
/// the store is reopened.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The disk failed.
    #[error("committing to {file}: {0}", file = Store::FILE)]
    Disk(#[source] redb::Error),
    /// The store did.
    #[error(transparent)]
    Store(StoreError),
}

impl CommitError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Disk(_) => ErrorKind::Internal,
            Self::Store(error) => error.kind(),
        }
    }
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Database(error) | StoreError::Commit(error) => Self::Disk(error),
            other => Self::Store(other),
        }
    }
}

impl From<CommitError> for StoreError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Disk(error) => Self::Commit(error),
            CommitError::Store(error) => error,
        }
    }
}

impl From<CodecError> for CommitError {
    fn from(error: CodecError) -> Self {
        Self::Store(StoreError::Codec(error))
    }
}

macro_rules! commit_error_from {
    ($($error:ty),+) => {
        $(impl From<$error> for CommitError {
            fn from(error: $error) -> Self {
                StoreError::from(redb::Error::from(error)).into()
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
