//! Files of the home: regular files of its user. Whatever else stands in the place of one is
//! neither followed out of the home nor waited for.
//!
//! What is merely a log, or can be made anew, is made in its place, after what stands there was
//! moved aside. Nothing is deleted: it may be somebody's.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// Owner only.
const FILE_MODE: u32 = 0o600;

/// Owner only.
const DIRECTORY_MODE: u32 = 0o700;

/// Names that something may be moved aside to; more of them than these are somebody's game.
const MOVED_MAX: u32 = 100;

/// Opens a regular file, private where it is made.
///
/// # Errors
/// `InvalidData` where something else stands there: a link, a FIFO, a directory; else what the
/// system says.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // The standard library sets `O_CLOEXEC`.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let opened = options
        .mode(FILE_MODE)
        .custom_flags(flags.bits())
        .open(path);
    let file = opened.map_err(|error| {
        if stands_there(&error) {
            no_file()
        } else {
            error
        }
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(no_file())
    }
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// As [`open`]; `FileTooLarge` where it has more.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(OpenOptions::new().read(true), path)?;
    let mut bytes = Vec::new();
    file.take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        Ok(bytes)
    }
}

/// Opens a file to append to it. What else stands in its place is moved aside.
///
/// # Errors
/// What the system says.
pub fn append(path: &Path) -> io::Result<File> {
    open_or_make(OpenOptions::new().append(true).create(true), path)
}

/// Opens a file to write it anew. What else stands in its place is moved aside.
///
/// # Errors
/// What the system says.
pub fn anew(path: &Path) -> io::Result<File> {
    let file = open_or_make(
        OpenOptions::new().write(true).create(true).truncate(false),
        path,
    )?;
    // Only now that it is known to be ours.
    file.set_len(0)?;
    Ok(file)
}

/// Checks that a place has a directory of its own or nothing.
///
/// # Errors
/// `InvalidData` where something else stands there, a link among others; else what the system says.
pub fn check_directory(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "what stands there is no directory; move it away and try again",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a directory inside of one that is there, unless it exists. What else stands in its place
/// is moved aside.
///
/// # Errors
/// What the system says.
pub fn directory(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => drop(move_aside(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    DirBuilder::new().mode(DIRECTORY_MODE).create(path)
}

/// Gives what stands at a place another name beside it, and returns that. Of a link the link itself
/// is moved.
///
/// # Errors
/// What the system says; `AlreadyExists` when as much was moved before as may be.
pub fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=MOVED_MAX {
        let aside = path.with_file_name(format!("moved-{number}-{name}"));
        if fs::symlink_metadata(&aside).is_err() {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "others were moved aside before it; move them away",
    ))
}

fn open_or_make(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match open(options, path) {
        // Under its other name it may be anybody's.
        Ok(file) if file.metadata()?.nlink() == 1 => return Ok(file),
        Err(error) if error.kind() != io::ErrorKind::InvalidData => return Err(error),
        Ok(_) | Err(_) => {}
    }
    move_aside(path)?;
    open(options, path)
}

/// Returns whether an error of opening means that something stands there which is no file: a link,
/// a directory, a FIFO that nobody reads, or a socket.
fn stands_there(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(
        errno,
        Some(Errno::ELOOP | Errno::EISDIR | Errno::ENXIO | Errno::EOPNOTSUPP)
    )
}

fn no_file() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "what stands there is no regular file; move it away and try again",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    /// Puts one thing after the other into the place of a file, and has each judged. Outside there
    /// is one file, which stays as it is.
    fn in_place_of_it(judge: impl Fn(&Path, &str)) {
        let outside = tempfile::tempdir().unwrap();
        let theirs = outside.path().join("theirs");
        fs::write(&theirs, "theirs").unwrap();
        for kind in [
            "FIFO",
            "link",
            "dangling link",
            "directory",
            "socket",
            "another name",
        ] {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("file");
            match kind {
                "FIFO" => mkfifo(&path, Mode::S_IRWXU).unwrap(),
                "link" => symlink(&theirs, &path).unwrap(),
                "dangling link" => symlink(outside.path().join("new"), &path).unwrap(),
                "directory" => fs::create_dir(&path).unwrap(),
                "socket" => drop(UnixListener::bind(&path).unwrap()),
                _ => fs::hard_link(&theirs, &path).unwrap(),
            }
            judge(&path, kind);
            assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs", "{kind}");
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{kind}");
        }
    }

    #[test]
    fn only_a_regular_file_is_opened() {
        in_place_of_it(|path, kind| {
            let options = || {
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .clone()
            };
            let kinds = [
                open(&mut options(), path).map(drop),
                read(path, 9).map(drop),
            ]
            .map(Result::err);
            let expected = (kind != "another name").then_some(io::ErrorKind::InvalidData);
            assert_eq!(
                kinds.map(|error| error.map(|error| error.kind())),
                [expected; 2],
                "{kind}"
            );
        });
    }

    #[test]
    fn what_stands_in_a_logs_place_is_moved_aside() {
        for open in [append, anew] {
            in_place_of_it(|path, kind| {
                let mut file = open(path).unwrap();
                file.write_all(b"ours").unwrap();
                assert_eq!(fs::read(path).unwrap(), b"ours", "{kind}");
                assert!(
                    fs::symlink_metadata(path.with_file_name("moved-1-file")).is_ok(),
                    "{kind}"
                );
            });
        }
    }

    #[test]
    fn a_file_of_our_own_is_appended_to_or_written_anew() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        for (open, left) in [
            (append as fn(&Path) -> _, "one"),
            (append, "onetwo"),
            (anew, "three"),
        ] {
            let mut file: File = open(&path).unwrap();
            let words = left
                .strip_prefix("one")
                .filter(|rest| !rest.is_empty())
                .unwrap_or(left);
            file.write_all(words.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), left);
        }
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        assert_eq!(read(&path, 5).unwrap(), b"three");
        assert_eq!(
            read(&path, 4).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn a_directory_or_nothing_may_stand_in_a_directorys_place() {
        in_place_of_it(|path, kind| {
            let refused = check_directory(path).err().map(|error| error.kind());
            let expected = (kind != "directory").then_some(io::ErrorKind::InvalidData);
            assert_eq!(refused, expected, "{kind}");
        });
        let home = tempfile::tempdir().unwrap();
        check_directory(&home.path().join("nothing")).unwrap();
    }

    #[test]
    fn a_directory_is_made_in_place_of_what_is_none() {
        in_place_of_it(|path, kind| {
            directory(path).unwrap();
            assert!(fs::symlink_metadata(path).unwrap().is_dir(), "{kind}");
            let moved = fs::symlink_metadata(path.with_file_name("moved-1-file"));
            assert_eq!(moved.is_ok(), kind != "directory", "{kind}");
        });
    }
}
