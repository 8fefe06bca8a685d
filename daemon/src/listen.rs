//! The socket: inherited from systemd or launchd, or bound here; a stale one is replaced.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use helix_proto::paths::Paths;
use listenfd::ListenFd;

use crate::failure::{Failure, io_failure};
use crate::handover;
use crate::home::make_socket_directory;

/// Owner only.
const SOCKET_MODE: u32 = 0o600;

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
    own_path: Option<PathBuf>,
}

/// Takes the sockets of socket activation (`LISTEN_FDS`, or launchd on macOS).
pub(crate) fn inherited() -> Result<Inherited, Failure> {
    let mut descriptors = ListenFd::from_env();
    let mut listeners = Vec::new();
    for at in 0..descriptors.len() {
        let taken = descriptors.take_unix_listener(at).map_err(io_failure("taking", "the activation socket"))?;
        listeners.extend(taken);
    }
    #[cfg(target_os = "macos")]
    listeners.extend(launchd::sockets().map_err(io_failure("taking", "the launchd socket"))?);
    Ok(Inherited { listeners })
}

/// Listens on the inherited socket or binds our own. The home's lock must be held, so that a socket file found here is
/// known to be stale.
pub(crate) fn listen(paths: &Paths, inherited: Inherited) -> Result<Listening, Failure> {
    if let Some(listener) = inherited.listeners.into_iter().next() {
        listener.set_nonblocking(true).map_err(io_failure("preparing", "the activation socket"))?;
        // The program before us bound it, so it is ours to remove.
        let own_path = handover::is_taking_over().then(|| paths.socket.clone());
        return Ok(Listening { listener, own_path });
    }
    let path = &paths.socket;
    if let Some(parent) = path.parent() {
        make_socket_directory(parent)?;
    }
    remove_stale(path)?;
    let listener = UnixListener::bind(path).map_err(io_failure("listening on", path))?;
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE)).map_err(io_failure("securing", path))?;
    listener.set_nonblocking(true).map_err(io_failure("preparing", path))?;
    Ok(Listening { listener, own_path: Some(path.clone()) })
}

impl Listening {
    /// Whether nobody new finds the socket once this is dropped. The service manager's goes on.
    pub(crate) fn is_own(&self) -> bool {
        self.own_path.is_some()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(path) = &self.own_path {
            // Gone already is as good.
            drop(fs::remove_file(path));
        }
    }
}

fn remove_stale(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::FileTypeExt;
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_failure("looking at", path)(error)),
    };
    if !found.file_type().is_socket() {
        let error =
            io::Error::new(io::ErrorKind::AlreadyExists, "it is not a socket; move it away or set HELIX_SOCKET");
        return Err(io_failure("listening on", path)(error));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        let error =
            io::Error::new(io::ErrorKind::AddrInUse, "a daemon of another home listens there; set HELIX_SOCKET");
        return Err(io_failure("listening on", path)(error));
    }
    fs::remove_file(path).map_err(io_failure("removing the stale", path))
}

#[cfg(target_os = "macos")]
mod launchd;

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
        assert_eq!(fs::metadata(&paths.socket).unwrap().permissions().mode() & 0o777, SOCKET_MODE);
        assert!(listen(&paths, Inherited::default()).unwrap_err().to_string().contains("another home"));
        drop(listening);
        assert!(!paths.socket.exists());
        fs::write(&paths.socket, "precious").unwrap();
        assert!(listen(&paths, Inherited::default()).is_err());
        assert_eq!(fs::read_to_string(&paths.socket).unwrap(), "precious");
    }
}
