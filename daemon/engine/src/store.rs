//! The store: redb tables, the truth from which every index can be rebuilt.
//!
//! One [`Writer`] exists for each [`Store`]; readers work on snapshots and never block it. A commit
//! is durable when [`Writer::commit`] returns, and an index learns of it only afterwards.

mod backend;
mod backup;
pub mod bounds;
mod checkpoint;
mod codec;
mod damage;
mod examine;
mod guard;
mod history;
mod mend;
mod migrate;
mod overlay;
mod read;
mod rewrite;
mod seal;
mod shrink;
pub mod states;
mod tables;
mod vectors;
mod writer;

helix_memory::faults!(StoreError, WriteError);

pub use backend::{DirectoryStorage, MemoryStorage};
pub use backup::{BackupError, Verified};
pub use codec::CodecError;
pub(crate) use codec::Columns;
pub use damage::Damage;
pub use examine::Examined;
pub use history::{Operation, OperationKind, Payload};
pub(crate) use read::Earlier;
pub use read::Snapshot;
pub use shrink::Shrunk;
pub use states::States;
pub use vectors::{NEXT_VECTOR_FILE, VECTOR_FILE, VectorEntry, VectorFile, VectorRecord};
pub use writer::{Cause, Change, CommitError, Stamps, Write, WriteError, Writer};

use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use helix_memory::ErrorKind;
use redb::{Database, ReadableDatabase, TableHandle};

use crate::ports::Storage;

/// Page cache, in bytes: enough for the hot records of 100,000 memories; redb's own default is a
/// gigabyte.
const CACHE_BYTES: usize = 48 * 1024 * 1024;

/// First bytes of a file that redb finished making.
const MAGIC: [u8; 4] = *b"redb";

/// Largest file that may be an unfinished one, in bytes; redb makes them smaller by far.
const UNFINISHED_MAX_BYTES: usize = 16 * 1024 * 1024;

/// The database, for which a smaller file with the same in it may be taken.
type Shared = Arc<RwLock<Arc<Database>>>;

/// An open store.
#[derive(Clone)]
pub struct Store {
    database: Shared,
    /// Held while the file is written to, and while it is examined.
    writing: Arc<Mutex<()>>,
    skipped: Arc<damage::Skipped>,
}

/// Why a store could not be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The medium refused.
    #[error("opening {file}: {0}", file = Store::FILE)]
    Open(#[source] std::io::Error),
    /// The copy that is made before a migration.
    #[error(
        "copying {file} to {name} before it is brought to format {format}: {source}; free some space and start again", file = Store::FILE, format = Store::FORMAT)]
    BackUp {
        /// The copy's file.
        name: String,
        /// What the medium said.
        source: std::io::Error,
    },
    /// Another process has it.
    #[error("{file} is open in another process; stop that daemon first", file = Store::FILE)]
    Locked,
    /// It holds nothing, or what is no store, though what was made from one is there.
    #[error(
        "{file} is empty or damaged, and its indexes are there, so it held memories: put a copy of it back; to begin \
         with an empty one, move the directory away that it is in", file = Store::FILE)]
    Lost,
    /// A newer Helix wrote it.
    #[error(
        "{file} has format {found}, this Helix knows up to {format}; install the newer Helix again", file = Store::FILE, format = Store::FORMAT)]
    Newer {
        /// The format found.
        found: u64,
    },
    /// Its pages do not match their checksums, or make no sense.
    #[error(
        "{file} is damaged ({detail}); put a copy of it back, or, to begin with an empty one, move the directory away \
         that it is in", file = Store::FILE)]
    Damaged {
        /// What redb says of it; never anything that is in it.
        detail: String,
    },
    /// A damaged store that there is no room to make anew.
    #[error(
        "making {file} anew, which is damaged: {source}; free as much space as it takes and start again", file = Store::FILE)]
    Mend {
        /// What the medium said.
        source: std::io::Error,
    },
    /// The disk failed.
    #[error("reading {file}: {0}", file = Store::FILE)]
    Database(#[source] redb::Error),
    /// The disk failed while something was written.
    #[error("committing to {file}: {0}", file = Store::FILE)]
    Commit(#[source] redb::Error),
    /// A record cannot be understood.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

impl StoreError {
    /// Returns the class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Open(error)
            | Self::BackUp { source: error, .. }
            | Self::Mend { source: error }
            | Self::Database(redb::Error::Io(error))
            | Self::Commit(redb::Error::Io(error)) => kind_of(error),
            Self::Database(_) | Self::Commit(_) => ErrorKind::Internal,
            Self::Lost | Self::Damaged { .. } => ErrorKind::Corrupt,
            Self::Locked => ErrorKind::Conflict,
            Self::Newer { .. } => ErrorKind::Newer,
            Self::Codec(error) => error.kind(),
        }
    }
}

fn kind_of(error: &io::Error) -> ErrorKind {
    if error.kind() == io::ErrorKind::PermissionDenied {
        ErrorKind::Denied
    } else {
        ErrorKind::Internal
    }
}

/// Returns whether nothing can be written just now, but everything read.
fn is_read_only(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(
        error.kind(),
        StorageFull | QuotaExceeded | ReadOnlyFilesystem
    )
}

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Corrupted(detail) => Self::Damaged { detail },
            other => Self::Database(other),
        }
    }
}

/// Implements `From` for each of redb's narrow errors through its wide one.
macro_rules! from_redb {
    ($($error:ty),+) => {
        $(impl From<$error> for StoreError {
            fn from(error: $error) -> Self {
                redb::Error::from(error).into()
            }
        })+
    };
}
from_redb!(redb::TransactionError, redb::TableError, redb::StorageError);

impl From<redb::CommitError> for StoreError {
    fn from(error: redb::CommitError) -> Self {
        CommitError::from(error).into()
    }
}

impl Store {
    /// Version of the tables' layout and of what the history may hold; see `migrate` for what each was.
    /// Records carry versions of their own. A new kind of operation or a new table takes a new version,
    /// so that an older Helix says that the store is newer rather than damaged.
    pub const FORMAT: u64 = 4;

    /// File of the store inside a strand.
    pub const FILE: &str = "store.redb";

    /// Opens the store, creates it when absent, and gives out its only writer. An older one is
    /// copied, then brought up to [`Store::FORMAT`]. A damaged one is made anew from what is whole,
    /// and where nothing can be written, it can be read.
    ///
    /// # Errors
    /// [`StoreError::Newer`] and [`StoreError::Damaged`] leave the file as it was;
    /// [`StoreError::Locked`] when another process holds it.
    pub fn open(storage: &dyn Storage) -> Result<(Self, Writer), StoreError> {
        refuse_newer(storage)?;
        // Copies that stay take room and do no other harm.
        for name in [shrink::SHRUNK_FILE, mend::MENDED_FILE] {
            if let Err(error) = storage.remove(name) {
                tracing::debug!(name, %error, "what a crash left of another store was not removed");
            }
        }
        match Self::open_as_it_is(storage) {
            Err(StoreError::Damaged { detail }) => {
                guard::guarded(|| mend::mend(storage, &detail))?;
                Self::open_as_it_is(storage)
            }
            Err(
                StoreError::Open(error)
                | StoreError::Database(redb::Error::Io(error))
                | StoreError::Commit(redb::Error::Io(error)),
            ) if is_read_only(&error) => Self::open_for_reading(storage, error.to_string()),
            other => other,
        }
    }

    fn open_as_it_is(storage: &dyn Storage) -> Result<(Self, Writer), StoreError> {
        guard::guarded(|| {
            let mut database = open_or_make(storage)?;
            if let Some(found @ ..Store::FORMAT) = format_of(&database)? {
                // Closed, so that the copy is one of a file that nobody writes.
                drop(database);
                migrate::back_up(storage, found)?;
                database = open_checked(storage, Store::FILE)?.map_err(open_error)?;
                migrate::bring_up(&database, found)?;
            }
            Self::of(database, None)
        })
    }

    /// Opens a view of the file that keeps in RAM what redb wants to write to it.
    fn open_for_reading(
        storage: &dyn Storage,
        refusal: String,
    ) -> Result<(Self, Writer), StoreError> {
        tracing::error!(
            refusal,
            "nothing can be written, so the store is opened for reading alone"
        );
        guard::guarded(|| {
            let database = open_view(storage)?;
            if let Some(found @ ..Store::FORMAT) = format_of(&database)? {
                migrate::bring_up(&database, found)?;
            }
            Self::of(database, Some(refusal))
        })
    }

    fn of(database: Database, refusal: Option<String>) -> Result<(Self, Writer), StoreError> {
        let database = Arc::new(database);
        let shared = Arc::new(RwLock::new(Arc::clone(&database)));
        let store = Self {
            database: shared,
            writing: Arc::default(),
            skipped: Arc::default(),
        };
        let writer = Writer::new(database, store.clone(), refusal)?;
        Ok((store, writer))
    }

    /// As [`open`](Self::open), of a store that was whole before: what is made from one is there.
    ///
    /// # Errors
    /// [`StoreError::Lost`] leaves the file as it was.
    pub fn reopen(storage: &dyn Storage) -> Result<(Self, Writer), StoreError> {
        let backend = match storage.read(Store::FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoreError::Lost),
            backend => backend.map_err(StoreError::Open)?,
        };
        let length = backend.len().map_err(StoreError::Open)?;
        let mut start = [0; MAGIC.len()];
        if length >= MAGIC.len() as u64 {
            backend.read(0, &mut start).map_err(StoreError::Open)?;
        }
        drop(backend);
        if start == MAGIC {
            Self::open(storage)
        } else {
            Err(StoreError::Lost)
        }
    }

    /// Takes a snapshot: everything committed so far, and nothing later.
    ///
    /// # Errors
    /// Only when the disk fails.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        Snapshot::new(&database, &self.skipped)
    }
}

/// Looks at the format before anything is written, because opening for writing already changes the
/// file. A file that is new, or was not closed, cannot be read so; its format is checked again once
/// it is open. The word of a damaged file counts for nothing.
fn refuse_newer(storage: &dyn Storage) -> Result<(), StoreError> {
    let Ok(backend) = storage.read(Store::FILE) else {
        return Ok(());
    };
    let format = guard::guarded(|| {
        let opened = Database::builder()
            .set_cache_size(0)
            .open_read_only_with_backend(backend::Injected(backend));
        opened.map_or(Ok(None), |database| format_of(&database))
    });
    match format {
        Err(error @ StoreError::Newer { .. }) => {
            guard::guarded(|| open_view(storage).map(drop))?;
            Err(error)
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The format of a store; `None` of one that is new. A newer one is an error.
fn format_of(database: &impl ReadableDatabase) -> Result<Option<u64>, StoreError> {
    let transaction = database.begin_read()?;
    match transaction.open_table(tables::META) {
        Ok(meta) => match meta.get(tables::META_FORMAT)?.map(|found| found.value()) {
            Some(found) if found > Store::FORMAT => Err(StoreError::Newer { found }),
            found => Ok(found),
        },
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens the store, and makes it when it is absent or was never finished.
fn open_or_make(storage: &dyn Storage) -> Result<Database, StoreError> {
    let database = match open_checked(storage, Store::FILE)? {
        // The lock was had, so nobody else is making the file just now.
        Err(redb::DatabaseError::Storage(redb::StorageError::Io(_)))
            if clear_unfinished(storage)? =>
        {
            open_checked(storage, Store::FILE)?
        }
        // Shorter than it says, or no store at all.
        Err(redb::DatabaseError::Storage(redb::StorageError::Io(error)))
            if matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
            ) =>
        {
            return Err(StoreError::Damaged {
                detail: error.to_string(),
            });
        }
        other => other,
    };
    database.map_err(open_error)
}

/// Opens a file and compares all of its pages with their checksums, which takes some 0.7 ms for
/// each megabyte: a page that changed at rest is found before anything is read from it.
fn open_checked(
    storage: &dyn Storage,
    name: &str,
) -> Result<Result<Database, redb::DatabaseError>, StoreError> {
    let backend = storage.open(name).map_err(StoreError::Open)?;
    let mut builder = Database::builder();
    builder
        .set_cache_size(CACHE_BYTES)
        .set_check_integrity_on_open(true);
    Ok(builder.create_with_backend(backend::Injected(backend)))
}

/// Opens a view of the store that is never written to, and compares all of its pages with their
/// checksums.
fn open_view(storage: &dyn Storage) -> Result<Database, StoreError> {
    open_view_of(storage, Store::FILE)
}

/// As [`open_view`], of the file of this name.
fn open_view_of(storage: &dyn Storage, name: &str) -> Result<Database, StoreError> {
    let base = storage.read(name).map_err(StoreError::Open)?;
    let view = overlay::Overlay::new(base, false).map_err(StoreError::Open)?;
    let mut builder = Database::builder();
    builder
        .set_cache_size(CACHE_BYTES)
        .set_check_integrity_on_open(true);
    builder.create_with_backend(view).map_err(open_error)
}

fn open_database(
    storage: &dyn Storage,
    name: &str,
) -> Result<Result<Database, redb::DatabaseError>, StoreError> {
    let backend = storage.open(name).map_err(StoreError::Open)?;
    Ok(Database::builder()
        .set_cache_size(CACHE_BYTES)
        .create_with_backend(backend::Injected(backend)))
}

/// Empties a file whose making was cut short by a power loss, so that it is made again, and returns
/// whether it did. redb writes the magic number last, after the rest is durable; a file that ever
/// held a memory has the table's name in it, and is left alone.
fn clear_unfinished(storage: &dyn Storage) -> Result<bool, StoreError> {
    let backend = storage.open(Store::FILE).map_err(StoreError::Open)?;
    let length = usize::try_from(backend.len().map_err(StoreError::Open)?).unwrap_or(usize::MAX);
    if length > UNFINISHED_MAX_BYTES {
        return Ok(false);
    }
    let mut bytes = vec![0; length];
    backend.read(0, &mut bytes).map_err(StoreError::Open)?;
    let table = tables::MEMORIES.name().as_bytes();
    if bytes.starts_with(&MAGIC) || bytes.windows(table.len()).any(|window| window == table) {
        return Ok(false);
    }
    backend.set_len(0).map_err(StoreError::Open)?;
    Ok(true)
}

fn open_error(error: redb::DatabaseError) -> StoreError {
    match error {
        redb::DatabaseError::DatabaseAlreadyOpen => StoreError::Locked,
        redb::DatabaseError::Storage(redb::StorageError::Io(error)) => StoreError::Open(error),
        other => redb::Error::from(other).into(),
    }
}
