//! A daemon's reason for greeting nobody: it opens the strand, stops, or hands over to another
//! program.
//!
//! It stands in a file of the home, because the socket cannot tell it: callers only see that no
//! greeting comes, and have to know a daemon that is at work from one that hangs. The process that
//! is named must hold the home's lock; a file that a crash left behind says nothing.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, Read, Write};

use crate::own_file;
use crate::paths::Paths;

/// Longest text that is read, in bytes: a process id and a few words, or the path of a socket.
const TEXT_MAX_BYTES: u64 = 4096;

/// Why a daemon does not greet for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It reads its strand, which a crash may have left to repair.
    Opening,
    /// It finishes its writes and ends.
    Stopping,
    /// It finishes its writes; the next program serves those who wait.
    HandingOver,
}

impl Doing {
    const ALL: [Self; 3] = [Self::Opening, Self::Stopping, Self::HandingOver];

    /// As it is written, and said to people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Opening => "opening the memories",
            Self::Stopping => "stopping",
            Self::HandingOver => "handing over",
        }
    }
}

/// A notice that is true now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The daemon's process.
    pub pid: u32,
    /// Its present work.
    pub doing: Doing,
}

impl Notice {
    /// Puts up the notice of this process, which holds the home's lock.
    ///
    /// # Errors
    /// When the disk fails; callers then know less.
    pub fn post(paths: &Paths, pid: u32, doing: Doing) -> io::Result<()> {
        let path = paths.notice();
        let draft = path.with_extension("new");
        own_file::anew(&draft)?.write_all(format!("{pid} {}\n", doing.words()).as_bytes())?;
        fs::rename(draft, path)
    }

    /// Takes it down.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn remove(paths: &Paths) -> io::Result<()> {
        match fs::remove_file(paths.notice()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads the notice of the daemon that holds the home's lock; `None` when it has put up none,
    /// or nobody holds the lock.
    #[must_use]
    pub fn read(paths: &Paths) -> Option<Self> {
        let text = String::from_utf8(own_file::read(&paths.notice(), TEXT_MAX_BYTES).ok()?).ok()?;
        let (pid, words) = text.trim_end().split_once(' ')?;
        let doing = Doing::ALL
            .into_iter()
            .find(|doing| doing.words() == words)?;
        let notice = Self {
            pid: pid.parse().ok()?,
            doing,
        };
        let mut lock = own_file::open(OpenOptions::new().read(true), &paths.lock()).ok()?;
        let mut holder = Vec::new();
        Read::by_ref(&mut lock)
            .take(TEXT_MAX_BYTES)
            .read_to_end(&mut holder)
            .ok()?;
        let is_held = matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
        (is_held && holder.split(|byte| *byte == b'\n').next() == Some(pid.as_bytes()))
            .then_some(notice)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::File;

    use super::*;

    #[test]
    fn only_the_notice_of_the_locks_holder_counts() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        fs::create_dir(home.path().join("run")).unwrap();
        assert_eq!(Notice::read(&paths), None);
        let lock = File::create(paths.lock()).unwrap();
        fs::write(paths.lock(), "7\n").unwrap();
        for doing in Doing::ALL {
            Notice::post(&paths, 7, doing).unwrap();
            assert_eq!(Notice::read(&paths), None, "nobody holds the lock");
            lock.lock().unwrap();
            assert_eq!(Notice::read(&paths), Some(Notice { pid: 7, doing }));
            Notice::post(&paths, 8, doing).unwrap();
            assert_eq!(Notice::read(&paths), None, "somebody else holds it");
            lock.unlock().unwrap();
        }
        Notice::remove(&paths).unwrap();
        Notice::remove(&paths).unwrap();
        assert!(!paths.notice().exists());
    }
}
