//! The home directory: made with owner-only permissions, held by a lock that the kernel keeps.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use helix_proto::holder::Holder;
use helix_proto::notice::{Doing, Notice};
use helix_proto::own_file;
use helix_proto::paths::Paths;
use nix::sys::stat::{Mode, umask};

use crate::failure::{Failure, io_failure};
use crate::successor;

/// Owner only.
const DIRECTORY_MODE: u32 = 0o700;

/// Everything that the group and others may do.
const OTHERS: u32 = 0o077;

/// How long the lock may be somebody else's before that somebody counts as a daemon.
const LOCK_PATIENCE: Duration = Duration::from_millis(100);

/// Pause between attempts at the lock.
const LOCK_RETRY_PAUSE: Duration = Duration::from_millis(5);

/// A home directory that this process alone serves, for as long as the value lives.
#[derive(Debug)]
pub(crate) struct Home {
    lock: File,
    paths: Paths,
}

impl Home {
    /// Makes the directories and takes the lock.
    pub(crate) fn open(paths: &Paths) -> Result<Self, Failure> {
        umask(Mode::from_bits_truncate(0o077));
        check_is_private(&paths.home)?;
        make_directory(&paths.home)?;
        if let Some(run) = paths.lock().parent() {
            own_file::check_directory(run).map_err(io_failure("opening", run))?;
            make_directory(run)?;
        }
        let lock = take_lock(paths)?;
        let home = Self {
            lock,
            paths: paths.clone(),
        };
        home.says(Doing::Opening);
        Ok(home)
    }

    /// Tells callers why nobody greets them for a while.
    pub(crate) fn says(&self, doing: Doing) {
        if let Err(error) = Notice::post(&self.paths, process::id(), doing) {
            tracing::warn!(%error, "callers could not be told that the daemon is {}", doing.words());
        }
    }

    /// Tells callers that everybody is greeted from now on.
    pub(crate) fn greets(&self) {
        if let Err(error) = Notice::remove(&self.paths) {
            tracing::warn!(%error, "the notice in the run directory was not removed");
        }
    }

    /// Says whether the home is still where it was opened. May block as its file system does.
    pub(crate) fn look(&self) -> io::Result<impl Fn() -> bool + Send + 'static> {
        let (found, path) = (self.lock.metadata()?, self.paths.lock());
        let ours = (found.dev(), found.ino());
        Ok(move || match fs::metadata(&path) {
            Ok(found) => (found.dev(), found.ino()) == ours,
            // Whatever else keeps it from being looked at says nothing.
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        })
    }

    /// The home's directory.
    pub(crate) fn path(&self) -> &Path {
        &self.paths.home
    }

    /// The lock's file once more, for whoever says in it where the daemon listens.
    pub(crate) fn lock_file(&self) -> io::Result<File> {
        self.lock.try_clone()
    }

    /// The lock, for a program that takes over.
    pub(crate) fn lock(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.greets();
    }
}

/// Refuses a directory that is open to others: to close it would take it from under somebody's
/// feet.
fn check_is_private(home: &Path) -> Result<(), Failure> {
    match fs::metadata(home) {
        Ok(found) if !found.is_dir() => Err(io_failure("opening", home)(
            io::ErrorKind::NotADirectory.into(),
        )),
        Ok(found) if found.permissions().mode() & OTHERS != 0 => Err(Failure::OpenToOthers {
            path: home.to_owned(),
        }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Makes a directory for the socket. One that exists keeps its permissions, which must keep others
/// from putting a socket of theirs in its place.
pub(crate) fn make_socket_directory(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Err(_) => make_directory(path),
        Ok(found) if found.permissions().mode() & 0o022 == 0 => Ok(()),
        Ok(_) => Err(Failure::Shared {
            path: path.to_owned(),
        }),
    }
}

/// Makes a directory of ours and its parents. Tightens its own permissions when it was there: it
/// lies inside the home.
pub(crate) fn make_directory(path: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY_MODE)
        .create(path);
    made.map_err(io_failure("creating", path))?;
    let found = fs::metadata(path)
        .map_err(io_failure("reading", path))?
        .permissions()
        .mode();
    if found & OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(DIRECTORY_MODE))
            .map_err(io_failure("securing", path))?;
    }
    Ok(())
}

/// Says in the lock's file where this process listens, for programs that look elsewhere. Where it
/// cannot be written, as on a full disk, they look where their environment leads, and the lock is
/// held all the same.
pub(crate) fn says_where(lock: &File, socket: Option<&Path>) {
    let holder = Holder {
        pid: process::id(),
        socket: socket.map(Path::to_owned),
    };
    if let Err(error) = holder.write(lock) {
        tracing::warn!(%error, "the lock does not say who holds it and where the daemon listens");
    }
}

/// Locks the home and writes our process id into the lock, for those who come later.
///
/// A daemon that already answers on the socket is not waited for: it would only be replaced should
/// it end just now.
fn take_lock(paths: &Paths) -> Result<File, Failure> {
    let path = paths.lock();
    let opened = own_file::open(
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
        &path,
    );
    let file = opened.map_err(io_failure("opening", &path))?;
    match lock_patiently(&file, &paths.socket) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = Holder::read(paths).map(|holder| holder.pid);
            if successor::is_taking_over() && holder == Some(process::id()) {
                // The program before us left its lock open in this very process, where it stays to
                // the end.
                return Ok(file);
            }
            // The holder's id is only for the message.
            let holder = holder.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
            return Err(Failure::AlreadyRunning {
                holder,
                home: paths.home.clone(),
            });
        }
        Err(TryLockError::Error(error)) => return Err(io_failure("locking", path)(error)),
    }
    // The text of the holder before.
    file.set_len(0).map_err(io_failure("emptying", &path))?;
    says_where(&file, None);
    Ok(file)
}

/// Tries for a moment: a program that is about to start a daemon holds the lock while it looks for
/// one.
fn lock_patiently(file: &File, socket: &Path) -> Result<(), TryLockError> {
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock)
                if Instant::now() < deadline && UnixStream::connect(socket).is_err() =>
            {
                thread::sleep(LOCK_RETRY_PAUSE);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_home_has_one_holder_and_is_private() {
        let directory = tempfile::tempdir().unwrap();
        let paths = Paths::inside(&directory.path().join("home"));
        let home = Home::open(&paths).unwrap();
        let refusal = Home::open(&paths).unwrap_err().to_string();
        assert!(refusal.contains(&process::id().to_string()), "{refusal}");
        let mode = fs::metadata(&paths.home).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, DIRECTORY_MODE);
        drop(home);
        Home::open(&paths).unwrap();
    }

    #[test]
    fn directories_open_to_others_are_refused_and_keep_their_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, Permissions::from_mode(0o755)).unwrap();
        for held in [None, Some("thesis.tex"), Some("config.toml"), Some("run")] {
            if let Some(name) = held {
                fs::write(home.join(name), "").unwrap();
            }
            let refused = Home::open(&Paths::inside(&home)).unwrap_err();
            assert!(
                matches!(refused, Failure::OpenToOthers { .. }),
                "{held:?}: {refused}"
            );
            assert!(refused.to_string().contains("chmod 700"), "{refused}");
        }

        let shared = directory.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
        assert!(matches!(
            make_socket_directory(&shared),
            Err(Failure::Shared { .. })
        ));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(&home), mode(&shared)), (0o755, 0o1777));
        make_socket_directory(&home).unwrap();
        assert_eq!(mode(&home), 0o755);
    }
}
