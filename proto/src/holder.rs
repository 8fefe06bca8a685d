//! Who serves a home and where: what the daemon writes into the lock's file, for programs whose
//! environment leads elsewhere.
//!
//! The first line is the process id. Once the daemon listens, the rest is the socket's path, to the
//! file's last newline. The kernel's lock says that this is true; a file that nobody holds is what
//! a daemon left that died. `helixctl down` empties it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use nix::unistd::Uid;

use crate::own_file;
use crate::paths::{Paths, SOCKET_PATH_MAX_BYTES};

/// Permissions of others that would let them name a socket of theirs.
const OTHERS: u32 = 0o077;

/// Longest file that is read, in bytes: a process id, a socket's path and two newlines.
const FILE_MAX_BYTES: u64 = SOCKET_PATH_MAX_BYTES as u64 + 32;

/// The daemon that holds a home's lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// Where it listens; `None` as long as it does not.
    pub socket: Option<PathBuf>,
}

impl Holder {
    /// Reads who holds a home. `None` when nobody does, or the file is not what a daemon of this
    /// user wrote.
    #[must_use]
    pub fn read(paths: &Paths) -> Option<Self> {
        let mut file = own_file::open(OpenOptions::new().read(true), &paths.lock()).ok()?;
        let holder = Self::parse(&mut file)?;
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then_some(holder)
    }

    /// Where a running daemon of the home listens, if that is elsewhere than `paths` say.
    #[must_use]
    pub fn elsewhere(paths: &Paths) -> Option<PathBuf> {
        Self::read(paths)?
            .socket
            .filter(|socket| *socket != paths.socket)
    }

    /// Writes this into a lock's file. Readers see the old text or this one where this one only
    /// adds a socket.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write(&self, lock: &File) -> io::Result<()> {
        let mut text = format!("{}\n", self.pid).into_bytes();
        if let Some(socket) = &self.socket {
            text.extend_from_slice(socket.as_os_str().as_bytes());
            text.push(b'\n');
        }
        lock.write_all_at(&text, 0)?;
        lock.set_len(u64::try_from(text.len()).map_err(io::Error::other)?)
    }

    /// Notes that the home's daemon was stopped on purpose: hooks leave it so until a session
    /// begins.
    ///
    /// # Errors
    /// When the disk fails. A lock that somebody holds by now is left alone.
    pub fn clear(paths: &Paths) -> io::Result<()> {
        let file = match own_file::open(OpenOptions::new().read(true).write(true), &paths.lock()) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(());
            }
            opened => opened?,
        };
        match file.try_lock() {
            Ok(()) => file.set_len(0),
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn parse(file: &mut File) -> Option<Self> {
        let found = file.metadata().ok()?;
        if !found.is_file()
            || found.uid() != Uid::effective().as_raw()
            || found.mode() & OTHERS != 0
        {
            return None;
        }
        let mut text = Vec::new();
        file.take(FILE_MAX_BYTES).read_to_end(&mut text).ok()?;
        let (pid, rest) = text.split_at_checked(text.iter().position(|byte| *byte == b'\n')?)?;
        let pid = str::from_utf8(pid)
            .ok()?
            .parse()
            .ok()
            .filter(|pid| *pid > 1)?;
        let socket = rest
            .get(1..)?
            .strip_suffix(b"\n")
            .filter(|path| path.first() == Some(&b'/'));
        let socket = socket.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
        Some(Self { pid, socket })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};

    use super::*;

    /// A home's lock, open and not held.
    fn lock(paths: &Paths) -> File {
        fs::create_dir_all(paths.lock().parent().unwrap()).unwrap();
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(paths.lock())
            .unwrap()
    }

    #[test]
    fn a_held_lock_says_who_holds_it_and_where_that_one_listens() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        assert_eq!(Holder::read(&paths), None);
        let file = lock(&paths);
        let mut holder = Holder {
            pid: 4711,
            socket: None,
        };
        for socket in [
            None,
            Some("/run/user/7/helix/helixd.sock"),
            Some("/s"),
            Some("/a\nb"),
        ] {
            holder.socket = socket.map(PathBuf::from);
            holder.write(&file).unwrap();
            assert_eq!(Holder::read(&paths), None, "nobody holds it");
            file.lock().unwrap();
            assert_eq!(Holder::read(&paths), Some(holder.clone()));
            assert_eq!(Holder::elsewhere(&paths), holder.socket);
            file.unlock().unwrap();
        }
        holder.socket = Some(paths.socket.clone());
        holder.write(&file).unwrap();
        file.lock().unwrap();
        assert_eq!(Holder::elsewhere(&paths), None);
    }

    #[test]
    fn what_others_could_have_written_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        let file = lock(&paths);
        file.lock().unwrap();
        for text in ["", "4711", "x\n/s\n", "0\n/s\n", "1\n/s\n", "-4\n"] {
            fs::write(paths.lock(), text).unwrap();
            assert_eq!(Holder::read(&paths), None, "{text:?}");
        }
        for text in ["4711\nrelative\n", "4711\n/no/end", "4711\n\n"] {
            fs::write(paths.lock(), text).unwrap();
            assert_eq!(
                Holder::read(&paths),
                Some(Holder {
                    pid: 4711,
                    socket: None
                }),
                "{text:?}"
            );
        }
        fs::set_permissions(paths.lock(), Permissions::from_mode(0o620)).unwrap();
        assert_eq!(Holder::read(&paths), None, "others may write");
        fs::set_permissions(paths.lock(), Permissions::from_mode(0o600)).unwrap();
        fs::rename(paths.lock(), home.path().join("real")).unwrap();
        symlink(home.path().join("real"), paths.lock()).unwrap();
        assert_eq!(Holder::read(&paths), None, "a link");
    }

    #[test]
    fn a_lock_is_cleared_only_when_nobody_holds_it() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        Holder::clear(&paths).unwrap();
        assert!(!paths.lock().exists(), "none was made");
        let file = lock(&paths);
        let holder = Holder {
            pid: 4711,
            socket: Some("/s".into()),
        };
        holder.write(&file).unwrap();
        file.lock().unwrap();
        Holder::clear(&paths).unwrap();
        assert_eq!(Holder::read(&paths), Some(holder));
        file.unlock().unwrap();
        Holder::clear(&paths).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 0);
    }
}
