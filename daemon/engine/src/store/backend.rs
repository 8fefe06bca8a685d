//! Byte storage under redb: a directory of files, or memory.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use redb::backends::{FileBackend, InMemoryBackend};
use redb::{BackendError, StorageBackend};

use crate::derived;
use crate::ports::{FileIdentity, Storage};

/// Files in one directory.
#[derive(Clone, Debug)]
pub struct DirectoryStorage {
    directory: PathBuf,
}

impl DirectoryStorage {
    /// Uses an existing directory.
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Opens a file, for writing and made when it is absent, or for reading. `guard` decides what
    /// may be opened.
    fn open_with(
        &self,
        path: &Path,
        writes: bool,
        guard: fn(&mut OpenOptions, &Path) -> io::Result<File>,
    ) -> io::Result<Box<dyn StorageBackend>> {
        let is_new = writes && !path.try_exists()?;
        let file = guard(
            OpenOptions::new()
                .read(true)
                .write(writes)
                .create(writes)
                .truncate(false),
            path,
        )?;
        if is_new {
            self.sync_directory()?;
        }
        let backend = FileBackend::new(file).map_err(io::Error::other)?;
        Ok(Box::new(backend))
    }

    /// redb does not make a new file's name durable; this does.
    fn sync_directory(&self) -> io::Result<()> {
        File::open(&self.directory)?.sync_all()
    }
}

impl Storage for DirectoryStorage {
    fn open(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        self.open_with(&self.directory.join(name), true, derived::without_waiting)
    }

    fn open_derived(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        self.open_with(&self.directory.join(name), true, derived::strictly)
    }

    fn read(&self, name: &str) -> io::Result<Box<dyn StorageBackend>> {
        self.open_with(&self.directory.join(name), false, derived::without_waiting)
    }

    fn identity(&self, name: &str) -> io::Result<Option<FileIdentity>> {
        let found = std::fs::metadata(self.directory.join(name))?;
        Ok(Some(FileIdentity {
            device: found.dev(),
            inode: found.ino(),
        }))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        if derived::clear_away(&self.directory, name)? {
            self.sync_directory()
        } else {
            Ok(())
        }
    }

    fn replace(&self, name: &str, by: &str) -> io::Result<()> {
        std::fs::rename(self.directory.join(by), self.directory.join(name))?;
        self.sync_directory()
    }
}

/// Bytes that are copied at once.
const PIECE_BYTES: usize = 1024 * 1024;

/// Copies a file, which nobody writes, over another; durable when it returns.
pub(super) fn copy(storage: &dyn Storage, from: &str, to: &str) -> io::Result<()> {
    let (from, to) = (storage.open(from)?, storage.open(to)?);
    let length = from.len()?;
    to.set_len(0)?;
    to.set_len(length)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    while offset < length {
        let size = usize::try_from(length - offset)
            .unwrap_or(PIECE_BYTES)
            .min(PIECE_BYTES);
        let part = piece.get_mut(..size).unwrap_or_default();
        from.read(offset, part)?;
        to.write(offset, part)?;
        offset += size as u64;
    }
    to.sync_data()
}

/// Memory that is gone when it is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryStorage;

impl Storage for MemoryStorage {
    fn open(&self, _name: &str) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(InMemoryBackend::new()))
    }

    fn remove(&self, _name: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Lets redb, which wants a concrete type, use whatever the port gave.
#[derive(Debug)]
pub(super) struct Injected(pub(super) Box<dyn StorageBackend>);

impl StorageBackend for Injected {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.query_lock_range(start, end)
    }
}
