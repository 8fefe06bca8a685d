//! The small file layer: follow links, read, check, replace atomically.
//!
//! A replacement is a temporary file in the same directory, synced and renamed, so that a reader
//! sees the old text or the new one and never a part. Links are followed first: the link itself
//! stays.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::unistd::{AccessFlags, access};

use super::document::end_of;
use super::error::WiringError;

/// The largest file that is edited. Clients keep histories beside their settings, some megabytes at
/// most.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// How many links are followed; the system's own limit is 40.
const LINKS_MAX: usize = 40;
/// Mode of directories that a client's settings live in.
const DIR_MODE: u32 = 0o755;
/// Write bits of owner, group and others.
const WRITE_BITS: u32 = 0o222;
/// Permission bits that a replacement keeps.
const MODE_BITS: u32 = 0o7777;

/// Follows links to the file that is really meant, existing or not, and makes its directory
/// canonical.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, WiringError> {
    let mut at = std::path::absolute(path).map_err(WiringError::io("locate", path))?;
    for _ in 0..LINKS_MAX {
        match fs::read_link(&at) {
            Ok(next) => at = parent(&at).join(next),
            // Not a link, or nothing there.
            Err(_) => return canonical(&at),
        }
    }
    Err(WiringError::Links {
        path: path.to_owned(),
        limit: LINKS_MAX,
    })
}

/// Reads a file's text; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, WiringError> {
    let Some(metadata) = metadata(path)? else {
        return Ok(None);
    };
    if !metadata.is_file() {
        return Err(WiringError::NotAFile {
            path: path.to_owned(),
        });
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(WiringError::TooLarge {
            bytes: metadata.len(),
            limit_bytes: FILE_BYTES_MAX,
        }
        .within(path));
    }
    let bytes = fs::read(path).map_err(WiringError::io("read", path))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = error
            .as_bytes()
            .get(..error.utf8_error().valid_up_to())
            .unwrap_or_default();
        let (line, column) = end_of(&String::from_utf8_lossy(good));
        WiringError::NotUtf8 { line, column }.within(path)
    })
}

/// Refuses a protected file or directory, and a way to it that leads through something else than
/// directories. The mode is asked too, because a rename does not mind it and the superuser is never
/// refused.
pub(super) fn check_writable(path: &Path) -> Result<(), WiringError> {
    let nearest = path
        .ancestors()
        .skip(1)
        .find(|dir| dir.symlink_metadata().is_ok());
    if let Some(path) = nearest.filter(|dir| !dir.is_dir()) {
        return Err(WiringError::NotADirectory {
            path: path.to_owned(),
        });
    }
    for place in [Some(path).filter(|path| path.exists()), nearest]
        .into_iter()
        .flatten()
    {
        let mode = fs::metadata(place)
            .map_err(WiringError::io("inspect", place))?
            .mode();
        if mode & WRITE_BITS == 0 || access(place, AccessFlags::W_OK).is_err() {
            return Err(WiringError::ReadOnly {
                path: place.to_owned(),
            });
        }
    }
    Ok(())
}

/// Makes the file's missing directories, and answers those, deepest first.
pub(super) fn make_parents(path: &Path) -> Result<Vec<PathBuf>, WiringError> {
    let missing = missing_parents(path);
    for dir in missing.iter().rev() {
        DirBuilder::new()
            .mode(DIR_MODE)
            .create(dir)
            .map_err(WiringError::io("make the directory", dir))?;
        // Said again because the mask of this process may be tighter than these directories should
        // be.
        fs::set_permissions(dir, Permissions::from_mode(DIR_MODE))
            .map_err(WiringError::io("set the mode of", dir))?;
    }
    Ok(missing)
}

/// The file's directories that do not exist, deepest first.
pub(super) fn missing_parents(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .skip(1)
        .take_while(|dir| !dir.exists())
        .map(Path::to_owned)
        .collect()
}

/// Refuses a file that does not say `before` any more.
pub(super) fn check_unchanged(path: &Path, before: Option<&str>) -> Result<(), WiringError> {
    if read(path)?.as_deref() == before {
        Ok(())
    } else {
        Err(WiringError::Changed {
            path: path.to_owned(),
        })
    }
}

/// Replaces the file if it still says `before`. An existing file keeps its mode and owner.
pub(super) fn replace(
    path: &Path,
    before: Option<&str>,
    after: &str,
    new_mode: u32,
) -> Result<(), WiringError> {
    check_unchanged(path, before)?;
    write(path, after.as_bytes(), new_mode).map_err(WiringError::io("write", path))
}

/// Removes the file if it still says `before`.
pub(super) fn remove(path: &Path, before: &str) -> Result<(), WiringError> {
    check_unchanged(path, Some(before))?;
    fs::remove_file(path).map_err(WiringError::io("remove", path))
}

/// Writes a whole file atomically and durably.
pub(super) fn write(path: &Path, bytes: &[u8], new_mode: u32) -> io::Result<()> {
    let dir = parent(path);
    let old = fs::metadata(path).ok();
    let mut temporary = tempfile::Builder::new()
        .prefix(".helix-")
        .tempfile_in(dir)?;
    temporary.write_all(bytes)?;
    if let Some(old) = &old {
        keep_owner(temporary.as_file(), old)?;
    }
    let mode = old.map_or(new_mode, |old| old.mode() & MODE_BITS);
    temporary
        .as_file()
        .set_permissions(Permissions::from_mode(mode))?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    File::open(dir)?.sync_all()
}

fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

fn metadata(path: &Path) -> Result<Option<Metadata>, WiringError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if leads_nowhere(&error) => Ok(None),
        Err(error) => Err(WiringError::io("inspect", path)(error)),
    }
}

/// Returns whether the answer says that there can be no such file, also because its directory is
/// none.
fn leads_nowhere(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) || error.raw_os_error() == Some(Errno::ELOOP as i32)
}

/// Canonicalises the part of a path that exists and keeps the rest.
fn canonical(path: &Path) -> Result<PathBuf, WiringError> {
    let existing = path.ancestors().find(|part| part.exists()).unwrap_or(path);
    let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let real = existing
        .canonicalize()
        .map_err(WiringError::io("locate", existing))?;
    // Joining an empty rest would add a slash.
    Ok(if rest.as_os_str().is_empty() {
        real
    } else {
        real.join(rest)
    })
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
