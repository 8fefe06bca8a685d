//! Opening files that clients name or memories are about. Whatever stands at the path, opening it
//! neither blocks nor does anything: a pipe waits for nobody, a terminal is not taken over, and
//! only a regular file is read.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// Opens a regular file for reading.
///
/// # Errors
/// What the system says; `InvalidInput` for anything but a regular file.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // The standard library sets `O_CLOEXEC`.
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits())
        .open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        Ok((file, found))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no regular file",
        ))
    }
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// As [`open`]; `FileTooLarge` where it has more.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let (file, found) = open(path)?;
    let mut bytes =
        Vec::with_capacity(usize::try_from(found.len().min(most_bytes)).unwrap_or_default());
    file.take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_of_bearable_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "four").unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink(path("pipe"), path("link")).unwrap();
        assert_eq!(read(&path("file"), 4).unwrap(), b"four");
        assert_eq!(
            read(&path("file"), 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        for other in [
            path("pipe"),
            path("link"),
            path(""),
            Path::new("/dev/tty").to_owned(),
        ] {
            assert!(read(&other, 4).is_err(), "{}", other.display());
        }
    }
}
