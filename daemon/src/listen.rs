//! The socket: inherited from systemd or launchd, or bound here; a stale one is replaced. One that
//! was bound here is kept reachable: see [`custody`].

pub(crate) mod custody;
#[cfg(target_os = "macos")]
mod launchd;

use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use helix_proto::own_file;
use helix_proto::paths::Paths;
use listenfd::ListenFd;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};

use crate::failure::{Failure, io_failure};
use crate::home::make_socket_directory;
use crate::successor;

/// Owner only.
const SOCKET_MODE: u32 = 0o600;

/// Everything that the group and others may do.
const OTHERS: u32 = 0o077;

/// Tells the new program of a hand-over the socket's path; empty where a service manager made the
/// socket.
const PATH_VARIABLE: &str = "HELIX_HANDOVER_SOCKET";

/// Sockets that the service manager opened for us.
#[derive(Debug, Default)]
pub(crate) struct Inherited {
    /// Already listening.
    pub(crate) listeners: Vec<UnixListener>,
}

/// A listening socket. Removes its file when it is dropped, if it made it.
#[derive(Debug)]
pub(crate) struct Listening {
    /// Non-blocking.
    pub(crate) listener: UnixListener,
    /// `None` where a service manager made the socket.
    own: Option<SocketFile>,
}

/// A socket's file that this process made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SocketFile {
    path: PathBuf,
    /// Device and inode, which nobody else gets while the socket lives; `None` where the file was
    /// gone when it was taken over.
    id: Option<(u64, u64)>,
}

impl SocketFile {
    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            id: fs::symlink_metadata(path).ok().as_ref().map(id),
        }
    }

    /// Returns whether the path still leads to this socket.
    fn is_there(&self) -> bool {
        let found = fs::symlink_metadata(&self.path).ok();
        self.id.is_some() && found.as_ref().map(id) == self.id
    }
}

fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Takes the sockets of socket activation (`LISTEN_FDS`, or launchd on macOS).
pub(crate) fn inherited() -> Result<Inherited, Failure> {
    let mut descriptors = ListenFd::from_env();
    let mut listeners = Vec::new();
    for at in 0..descriptors.len() {
        let taken = descriptors
            .take_unix_listener(at)
            .map_err(io_failure("taking", "the activation socket"))?;
        listeners.extend(taken);
    }
    #[cfg(target_os = "macos")]
    listeners.extend(launchd::sockets().map_err(io_failure("taking", "the launchd socket"))?);
    Ok(Inherited { listeners })
}

/// Listens on the inherited socket or binds our own. The home's lock must be held, so that a socket
/// file found here is known to be stale.
pub(crate) fn listen(paths: &Paths, inherited: Inherited) -> Result<Listening, Failure> {
    if let Some(listener) = inherited.listeners.into_iter().next() {
        listener
            .set_nonblocking(true)
            .map_err(io_failure("preparing", "the activation socket"))?;
        let own = if successor::is_taking_over() {
            taken_over(paths)
        } else {
            None
        };
        return Ok(Listening { listener, own });
    }
    if let Some(parent) = paths.socket.parent() {
        make_socket_directory(parent)?;
    }
    bind(&paths.socket, &own_run(paths))
}

/// The file of the socket that the program before this one bound, so that it is this one's now.
fn taken_over(paths: &Paths) -> Option<SocketFile> {
    // Earlier versions did not say.
    let path = env::var_os(PATH_VARIABLE).map_or_else(|| paths.socket.clone(), PathBuf::from);
    (!path.as_os_str().is_empty()).then(|| SocketFile::at(&path))
}

/// The directory of the home in which nothing but Helix puts files.
fn own_run(paths: &Paths) -> PathBuf {
    paths.home.join("run")
}

/// Binds a socket in a directory that is there.
fn bind(path: &Path, own_run: &Path) -> Result<Listening, Failure> {
    make_way(path, own_run)?;
    let listener = UnixListener::bind(path).map_err(io_failure("listening on", path))?;
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))
        .map_err(io_failure("securing", path))?;
    listener
        .set_nonblocking(true)
        .map_err(io_failure("preparing", path))?;
    Ok(Listening {
        listener,
        own: Some(SocketFile::at(path)),
    })
}

impl Listening {
    /// Returns whether nobody new finds the socket once this is dropped. The service manager's goes
    /// on.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Where clients find it, whoever made it.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let address = || {
            self.listener
                .local_addr()
                .ok()?
                .as_pathname()
                .map(Path::to_owned)
        };
        self.own
            .as_ref()
            .map(|own| own.path.clone())
            .or_else(address)
            .filter(|path| path.is_absolute())
    }

    /// The variables by which a program that takes over finds the socket, as systemd and this
    /// module have them.
    pub(crate) fn handover_variables(&self, pid: &str) -> [(&'static str, OsString); 4] {
        let path = self
            .own
            .as_ref()
            .map(|own| own.path.clone().into_os_string())
            .unwrap_or_default();
        [
            ("LISTEN_PID", pid.into()),
            ("LISTEN_FDS", "1".into()),
            (
                "LISTEN_FDS_FIRST_FD",
                self.listener.as_raw_fd().to_string().into(),
            ),
            (PATH_VARIABLE, path),
        ]
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(own) = self.own.as_ref().filter(|own| own.is_there()) {
            // Gone already is as good.
            drop(fs::remove_file(&own.path));
        }
    }
}

/// Clears a socket's place of a stale one. What is no socket is moved aside where the directory is
/// the home's own, and else left.
fn make_way(path: &Path, own_run: &Path) -> Result<(), Failure> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_failure("looking at", path)(error)),
    };
    if !found.file_type().is_socket() {
        if path.parent() == Some(own_run) && is_private(own_run) {
            let to = own_file::move_aside(path).map_err(io_failure("moving aside", path))?;
            tracing::warn!(from = %path.display(), to = %to.display(), "something else stood in the socket's place");
            return Ok(());
        }
        let error = io::Error::new(
            io::ErrorKind::AlreadyExists,
            "it is not a socket; move it away or set HELIX_SOCKET",
        );
        return Err(io_failure("listening on", path)(error));
    }
    if is_served(path) {
        let error = io::Error::new(
            io::ErrorKind::AddrInUse,
            "a daemon of another home listens there; set HELIX_SOCKET",
        );
        return Err(io_failure("listening on", path)(error));
    }
    fs::remove_file(path).map_err(io_failure("removing the stale", path))
}

/// Returns whether this is a directory of its owner alone, and no link to one.
fn is_private(directory: &Path) -> bool {
    fs::symlink_metadata(directory)
        .is_ok_and(|found| found.is_dir() && found.permissions().mode() & OTHERS == 0)
}

/// Returns whether somebody listens there. Does not wait for one whose queue is full.
fn is_served(path: &Path) -> bool {
    let client = socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::empty(),
        None,
    );
    let (Ok(client), Ok(address)) = (client, UnixAddr::new(path)) else {
        return true;
    };
    let client = std::os::unix::net::UnixStream::from(client);
    if client.set_nonblocking(true).is_err() {
        return true;
    }
    !matches!(
        connect(client.as_raw_fd(), &address),
        Err(Errno::ECONNREFUSED | Errno::ENOENT)
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stale_sockets_are_replaced_and_files_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let paths = Paths::inside(directory.path());
        fs::create_dir(directory.path().join("run")).unwrap();
        drop(UnixListener::bind(&paths.socket).unwrap());
        let listening = listen(&paths, Inherited::default()).unwrap();
        assert_eq!(
            fs::metadata(&paths.socket).unwrap().permissions().mode() & 0o777,
            SOCKET_MODE
        );
        assert!(
            listen(&paths, Inherited::default())
                .unwrap_err()
                .to_string()
                .contains("another home")
        );
        drop(listening);
        assert!(!paths.socket.exists());
        // Others may use the directory.
        fs::set_permissions(directory.path().join("run"), Permissions::from_mode(0o755)).unwrap();
        fs::write(&paths.socket, "precious").unwrap();
        assert!(listen(&paths, Inherited::default()).is_err());
        assert_eq!(fs::read_to_string(&paths.socket).unwrap(), "precious");
        fs::set_permissions(directory.path().join("run"), Permissions::from_mode(0o700)).unwrap();
        let elsewhere = Paths {
            socket: directory.path().join("helixd.sock"),
            ..paths.clone()
        };
        fs::write(&elsewhere.socket, "precious").unwrap();
        assert!(listen(&elsewhere, Inherited::default()).is_err());
        listen(&paths, Inherited::default()).unwrap();
        assert_eq!(
            fs::read_to_string(directory.path().join("run/moved-1-helixd.sock")).unwrap(),
            "precious"
        );
    }
}
