//! Files that can be made anew from the store: what stands in their place is opened without
//! following links and without waiting, and is cleared away when it is anything else than a file of
//! our own.
//!
//! A link in their place may lead anywhere: it is removed, never what it leads to. A directory may
//! hold somebody's files: it is moved aside.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

/// Owner only.
const DIRECTORY_MODE: u32 = 0o700;

/// Names that a directory in a file's place may be moved to; more of them than these are somebody's
/// game.
const MOVED_MAX: u32 = 100;

/// Opens a regular file. A FIFO or a device is an error rather than something to wait for.
///
/// # Errors
/// When it is no regular file, or cannot be opened.
pub fn without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(not_ours("is no regular file"))
    }
}

/// Opens a regular file that has this one name, also without following a link.
///
/// # Errors
/// When it is a link or no regular file, or cannot be opened.
pub fn strictly(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options
        .custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW).bits())
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(not_ours("is no regular file"));
    }
    // Under its other name it may be anybody's.
    if found.nlink() > 1 {
        Err(not_ours("has another name"))
    } else {
        Ok(file)
    }
}

fn not_ours(detail: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, detail)
}

/// Looks at the file at a place itself, also when it is a link; nothing when there is nothing.
fn found(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes directories below one another, and returns the last. What stands in the place of one and
/// is none is cleared away.
///
/// # Errors
/// When one cannot be made.
pub fn directories(root: &Path, names: &[&str]) -> io::Result<PathBuf> {
    let mut path = root.to_owned();
    for name in names {
        let place = path.join(name);
        if !found(&place)?.is_some_and(|found| found.is_dir()) {
            clear_away(&path, name)?;
            DirBuilder::new().mode(DIRECTORY_MODE).create(&place)?;
        }
        path = place;
    }
    Ok(path)
}

/// Clears away what stands at a place: removes a file, a link or the like, and moves a directory
/// aside. Returns whether there was anything.
///
/// # Errors
/// When it cannot be removed or moved.
pub fn clear_away(directory: &Path, name: &str) -> io::Result<bool> {
    let path = directory.join(name);
    let Some(found) = found(&path)? else {
        return Ok(false);
    };
    if !found.is_dir() {
        fs::remove_file(&path)?;
        return Ok(true);
    }
    for number in 1..=MOVED_MAX {
        let aside = directory.join(format!("moved-{number}-{name}"));
        if fs::symlink_metadata(&aside).is_err() {
            tracing::warn!(from = %path.display(), to = %aside.display(), "a directory stood in a file's place");
            fs::rename(&path, aside)?;
            return Ok(true);
        }
    }
    Err(not_ours(
        "is a directory, and others were moved aside before",
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    fn opened(path: &Path) -> io::Result<File> {
        strictly(
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false),
            path,
        )
    }

    #[test]
    fn only_a_file_of_our_own_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let theirs = outside.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        let path = home.path().join("file");
        opened(&path).unwrap();
        fs::remove_file(&path).unwrap();

        mkfifo(&path, Mode::S_IRWXU).unwrap();
        assert!(opened(&path).is_err(), "a FIFO");
        assert!(
            without_waiting(OpenOptions::new().read(true), &path).is_err(),
            "a FIFO for reading"
        );
        assert!(clear_away(home.path(), "file").unwrap());
        symlink(&theirs, &path).unwrap();
        assert!(opened(&path).is_err(), "a link");
        assert!(clear_away(home.path(), "file").unwrap());
        fs::hard_link(&theirs, &path).unwrap();
        assert!(opened(&path).is_err(), "another name");
        assert!(clear_away(home.path(), "file").unwrap());
        fs::create_dir(&path).unwrap();
        fs::write(path.join("somebody's"), "").unwrap();
        assert!(opened(&path).is_err(), "a directory");
        assert!(clear_away(home.path(), "file").unwrap());
        opened(&path).unwrap();
        assert_eq!(fs::read_to_string(theirs).unwrap(), "theirs");
        assert!(home.path().join("moved-1-file/somebody's").exists());
    }

    #[test]
    fn directories_are_our_own() {
        let home = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        symlink(outside.path(), home.path().join("index")).unwrap();
        let made = directories(home.path(), &["index", "lexical"]).unwrap();
        fs::write(made.join("x"), "").unwrap();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        fs::remove_dir_all(&made).unwrap();
        fs::write(&made, "a file").unwrap();
        assert_eq!(
            directories(home.path(), &["index", "lexical"]).unwrap(),
            made
        );
        assert!(made.is_dir());
    }
}
