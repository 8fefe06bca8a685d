//! The file system work of an install: private folders, a lock, staging and the rename into place.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use sha2::{Digest, Sha256};

/// Names of folders of an unfinished install, and of replaced ones on their way out.
const STAGING_PREFIX: &str = ".staging-";
const REPLACED_PREFIX: &str = ".replaced-";

/// Downloads that are not verified yet, inside the cache.
pub(super) const DOWNLOAD_PREFIX: &str = ".download-";

/// Bytes hashed at a time.
const HASH_CHUNK_BYTES: usize = 64 * 1024;

/// A file operation failed.
#[derive(Debug, thiserror::Error)]
#[error("could not {action} {}: {source}{}", path.display(), advice(source))]
pub(crate) struct FileError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// Says what to do about the common causes.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free about 150 MB and run the command again"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; make the directory writable, or set HELIX_MODEL_DIR to one that is"
        }
        _ => "",
    }
}

/// Turns an I/O error into a [`FileError`], for `map_err`.
pub(super) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError {
        action,
        path,
        source,
    }
}

/// Creates a directory and its parents, readable by the owner alone; an existing one stays as it
/// is.
pub(super) fn create_dir(dir: &Path) -> Result<(), FileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(failed("create the directory", dir))
}

/// Opens a new file that only its owner can read.
pub(super) fn create_file(path: &Path) -> Result<File, FileError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(failed("create", path))
}

/// Opens a regular file for reading, without waiting for what else stands there. Models may be
/// links, to where several homes share them.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NONBLOCK.bits())
        .open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "no regular file",
        ))
    }
}

/// A lock between processes. The kernel releases it when this one ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    // Held for its lock alone.
    _file: File,
}

impl Lock {
    /// Takes the lock; calls `waiting` once when somebody else holds it.
    pub(super) fn take(path: &Path, waiting: &mut dyn FnMut()) -> Result<Self, FileError> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(failed("open the lock file", path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(failed("lock", path))?;
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock", path)(error)),
        }
        Ok(Self { _file: file })
    }
}

/// A folder under construction; removed when dropped before it was put into place.
#[derive(Debug)]
pub(super) struct Staging {
    path: PathBuf,
    target: PathBuf,
}

impl Staging {
    /// Creates an empty folder that will become `parent/name`. The caller holds the lock of
    /// `parent`.
    pub(super) fn create(parent: &Path, name: &str) -> Result<Self, FileError> {
        let path = parent.join(format!("{STAGING_PREFIX}{name}"));
        create_dir(&path)?;
        Ok(Self {
            path,
            target: parent.join(name),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the folder to its final name, moving away what was there.
    ///
    /// Processes that mapped the old files keep them: files are unlinked, never overwritten.
    pub(super) fn put_into_place(self) -> Result<(), FileError> {
        sync_dir(&self.path)?;
        let name = self
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let replaced = self
            .target
            .with_file_name(format!("{REPLACED_PREFIX}{name}"));
        match std::fs::rename(&self.target, &replaced) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("move away", &self.target)(error)),
        }
        std::fs::rename(&self.path, &self.target)
            .map_err(failed("put into place", &self.target))?;
        if let Some(parent) = self.target.parent() {
            sync_dir(parent)?;
        }
        remove(&replaced)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After a rename there is nothing here; after a failure the next install removes what
        // stays.
        drop(std::fs::remove_dir_all(&self.path));
    }
}

fn sync_dir(dir: &Path) -> Result<(), FileError> {
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(failed("flush the directory", dir))
}

/// Removes what an interrupted run left in `dir`. The caller holds the lock of `dir`.
pub(super) fn remove_leftovers(dir: &Path) -> Result<(), FileError> {
    let entries = std::fs::read_dir(dir).map_err(failed("list", dir))?;
    for entry in entries {
        let entry = entry.map_err(failed("list", dir))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if [STAGING_PREFIX, REPLACED_PREFIX, DOWNLOAD_PREFIX]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a file or a folder; one that is absent is fine.
pub(super) fn remove(path: &Path) -> Result<(), FileError> {
    let result = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Returns the sha256 of a file, in hexadecimal.
pub(super) fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = open_file(path)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; HASH_CHUNK_BYTES];
    loop {
        let read = match file.read(&mut chunk) {
            Ok(0) => return Ok(hex::encode(hasher.finalize())),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(chunk.get(..read).unwrap_or_default());
    }
}
