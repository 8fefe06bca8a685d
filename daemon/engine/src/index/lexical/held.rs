//! tantivy's files: written to a directory, and read from it once, into RAM.
//!
//! A mapped file that somebody cuts short kills the process that reads it. These take 20 MB for
//! 100,000 memories, and all of them are searched anyway. What is written is kept as it was
//! written, so that nothing is read back which somebody changed meanwhile. Links are not followed,
//! and what is no regular file is not opened.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::derived;

/// Largest file that is read, in bytes: fifty times what a segment of a hundred thousand memories
/// takes.
const FILE_MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Bytes of the hash behind a file that is replaced as a whole.
const TRAILER_BYTES: usize = 32;

/// Name of such a file while it is written.
const UNFINISHED: &str = ".tantivy-unfinished";

/// The directory. Clones share what was read.
#[derive(Clone, Debug)]
pub(super) struct HeldDirectory {
    root: PathBuf,
    held: Held,
}

/// Whole files by their names.
type Held = Arc<Mutex<HashMap<PathBuf, Arc<[u8]>>>>;

fn lock(held: &Held) -> MutexGuard<'_, HashMap<PathBuf, Arc<[u8]>>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HeldDirectory {
    /// Uses an existing directory.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            held: Held::default(),
        }
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = derived::strictly(OpenOptions::new().read(true), &self.root.join(path))?;
        let length = file.metadata()?.len();
        if length > FILE_MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        file.take(FILE_MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        // Nothing is there, so there is nothing to be followed.
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.root.join(path))
    }
}

fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> OpenReadError {
    let path = path.to_owned();
    |error| match error.kind() {
        io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path),
        _ => OpenReadError::wrap_io_error(error, path),
    }
}

/// A file that is being written, and what was written so far.
struct Written {
    file: File,
    bytes: Vec<u8>,
    path: PathBuf,
    held: Held,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes
            .extend_from_slice(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.file.sync_data()?;
        lock(&self.held).insert(
            self.path.clone(),
            Arc::from(std::mem::take(&mut self.bytes)),
        );
        Ok(())
    }
}

impl Directory for HeldDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let mut held = lock(&self.held);
        if let Some(bytes) = held.get(path) {
            return Ok(Arc::new(OwnedBytes::new(Arc::clone(bytes))));
        }
        let bytes: Arc<[u8]> = Arc::from(self.read_whole(path).map_err(cannot_read(path))?);
        held.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(Arc::new(OwnedBytes::new(bytes)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        lock(&self.held).remove(path);
        fs::remove_file(self.root.join(path)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DeleteError::FileDoesNotExist(path.to_owned()),
            _ => DeleteError::IoError {
                io_error: Arc::new(error),
                filepath: path.to_owned(),
            },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        match fs::symlink_metadata(self.root.join(path)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(cannot_read(path)(error)),
        }
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.create(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        let written = Written {
            file,
            bytes: Vec::new(),
            path: path.to_owned(),
            held: Arc::clone(&self.held),
        };
        Ok(BufWriter::new(Box::new(written)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let mut bytes = self.read_whole(path).map_err(cannot_read(path))?;
        let is_whole = bytes
            .split_last_chunk::<TRAILER_BYTES>()
            .is_some_and(|(content, trailer)| blake3::hash(content).as_bytes() == trailer);
        if !is_whole {
            let damaged = io::Error::new(io::ErrorKind::InvalidData, "it does not match its hash");
            return Err(OpenReadError::wrap_io_error(damaged, path.to_owned()));
        }
        bytes.truncate(bytes.len() - TRAILER_BYTES);
        Ok(bytes)
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        derived::clear_away(&self.root, UNFINISHED)?;
        let mut file = self.create(Path::new(UNFINISHED))?;
        file.write_all(content)?;
        file.write_all(blake3::hash(content).as_bytes())?;
        file.sync_data()?;
        let place = self.root.join(path);
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir()) {
            derived::clear_away(
                &self.root,
                &path.file_name().unwrap_or(OsStr::new("")).to_string_lossy(),
            )?;
        }
        fs::rename(self.root.join(UNFINISHED), place)
    }

    fn sync_directory(&self) -> io::Result<()> {
        File::open(&self.root)?.sync_all()
    }

    /// Whoever has the home has the index, and whoever writes or reloads has its one writer.
    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
