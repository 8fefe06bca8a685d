//! Keeps the socket reachable: its file may be deleted or replaced, and its directory may go with
//! the user's login session.
//!
//! A thread looks at the file twice a second and, when it is no longer the daemon's, binds the path
//! again. Where that is not possible, the socket in the home takes its place until it is. The
//! lock's file says which it is at any time. A socket on which another daemon answers is left
//! alone, and so is what is no socket, unless it stands in the home's own run directory:
//! there it is moved aside.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use helix_proto::paths::Paths;
use tokio::sync::mpsc;

use super::{Listening, bind, own_run};
use crate::failure::{Failure, io_failure};
use crate::home::{make_socket_directory, says_where};

/// Time between two looks: a lost socket is back within a second.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// Renewed sockets that the server has not taken yet; it takes each at once.
const RENEWED_MAX: usize = 4;

/// Owner only.
const DIRECTORY_MODE: u32 = 0o700;

/// The thread that looks. It ends when it is told to, and gives the socket back.
pub(crate) struct Custody {
    end: Sender<()>,
    thread: JoinHandle<Listening>,
}

impl Custody {
    /// Takes the socket into custody. Each socket that takes its place is sent on, to be served as
    /// well.
    pub(crate) fn start(
        listening: Listening,
        paths: &Paths,
        lock: File,
    ) -> Result<(Self, mpsc::Receiver<UnixListener>), Failure> {
        let (renew, renewed) = mpsc::channel(RENEWED_MAX);
        let (end, ended) = channel();
        let home = Paths::inside(&paths.home).socket;
        let places = [paths.socket.clone(), home];
        let keeper = Keeper {
            listening,
            places,
            own_run: own_run(paths),
            lock,
            renew,
            said: String::new(),
        };
        let named = thread::Builder::new().name("socket".to_owned());
        let thread = named
            .spawn(move || keeper.keep(&ended))
            .map_err(io_failure("starting", "the socket's thread"))?;
        Ok((Self { end, thread }, renewed))
    }

    /// Ends the thread. `None` only if it panicked.
    pub(crate) fn end(self) -> Option<Listening> {
        drop(self.end);
        self.thread.join().ok()
    }
}

struct Keeper {
    listening: Listening,
    /// Where the socket belongs, and where it is reachable when that is not possible.
    places: [PathBuf; 2],
    own_run: PathBuf,
    lock: File,
    renew: mpsc::Sender<UnixListener>,
    /// Why the socket is not where it belongs, as it was logged last.
    said: String,
}

impl Keeper {
    fn keep(mut self, ended: &Receiver<()>) -> Listening {
        while matches!(
            ended.recv_timeout(LOOK_INTERVAL),
            Err(RecvTimeoutError::Timeout)
        ) {
            self.look();
        }
        self.listening
    }

    fn look(&mut self) {
        // A service manager's socket is its own to keep.
        let Some(own) = &self.listening.own else {
            return;
        };
        let present = own.is_there().then(|| own.path.clone());
        for place in self.places.clone() {
            if present.as_ref() == Some(&place) {
                return;
            }
            match listen_again(&place, &self.own_run) {
                Ok(listening) => return self.renewed(listening),
                Err(failure) => self.say(&failure),
            }
        }
    }

    fn renewed(&mut self, listening: Listening) {
        let socket = listening.path();
        let served = listening
            .listener
            .try_clone()
            .and_then(|listener| self.renew.try_send(listener).map_err(io::Error::other));
        says_where(&self.lock, socket.as_deref());
        match served {
            Ok(()) => tracing::warn!(socket = ?socket, "the socket was gone; listening again"),
            Err(error) => {
                tracing::error!(%error, socket = ?socket, "the socket was gone; what replaces it is not served");
            }
        }
        self.said.clear();
        self.listening = listening;
    }

    fn say(&mut self, failure: &Failure) {
        let said = failure.to_string();
        if said != self.said {
            tracing::warn!(error = said, "the socket is gone");
            self.said = said;
        }
    }
}

/// Binds a path again, and makes its directory, but not what leads there: a login session's is not
/// ours to make.
fn listen_again(path: &Path, own_run: &Path) -> Result<Listening, Failure> {
    if let Some(parent) = path.parent() {
        match DirBuilder::new().mode(DIRECTORY_MODE).create(parent) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(io_failure("making", parent)(error));
            }
            _ => make_socket_directory(parent)?,
        }
    }
    bind(path, own_run)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::net::UnixStream;

    use helix_proto::holder::Holder;

    use super::super::{Inherited, listen};
    use super::*;

    /// A keeper whose socket belongs outside of the home, as in a login session's directory.
    fn keeper(root: &Path) -> (Keeper, Paths, mpsc::Receiver<UnixListener>) {
        let paths = Paths {
            socket: root.join("login/helix/helixd.sock"),
            ..Paths::inside(&root.join("home"))
        };
        fs::create_dir_all(paths.home.join("run")).unwrap();
        fs::create_dir(root.join("login")).unwrap();
        let lock = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(paths.lock())
            .unwrap();
        fs::set_permissions(
            paths.lock(),
            std::os::unix::fs::PermissionsExt::from_mode(0o600),
        )
        .unwrap();
        lock.lock().unwrap();
        let (renew, renewed) = mpsc::channel(RENEWED_MAX);
        let places = [paths.socket.clone(), Paths::inside(&paths.home).socket];
        let listening = listen(&paths, Inherited::default()).unwrap();
        let own_run = own_run(&paths);
        (
            Keeper {
                listening,
                places,
                own_run,
                lock,
                renew,
                said: String::new(),
            },
            paths,
            renewed,
        )
    }

    #[test]
    fn a_socket_that_goes_is_bound_again_or_has_a_place_in_the_home() {
        let root = tempfile::tempdir().unwrap();
        let (mut keeper, paths, mut renewed) = keeper(root.path());
        keeper.look();
        assert!(renewed.try_recv().is_err(), "it is there");
        fs::remove_file(&paths.socket).unwrap();
        keeper.look();
        assert!(renewed.try_recv().is_ok() && UnixStream::connect(&paths.socket).is_ok());

        fs::remove_dir_all(root.path().join("login")).unwrap();
        keeper.look();
        let inside = Paths::inside(&paths.home).socket;
        assert!(renewed.try_recv().is_ok() && UnixStream::connect(&inside).is_ok());
        assert_eq!(Holder::elsewhere(&paths), Some(inside.clone()));
        keeper.look();
        assert!(renewed.try_recv().is_err(), "it stays there");
        assert!(!root.path().join("login").exists());

        fs::create_dir(root.path().join("login")).unwrap();
        keeper.look();
        assert!(renewed.try_recv().is_ok() && UnixStream::connect(&paths.socket).is_ok());
        assert_eq!(Holder::elsewhere(&paths), None);
        assert!(!inside.exists(), "the other went");
    }

    #[test]
    fn what_others_put_in_its_place_stays() {
        let root = tempfile::tempdir().unwrap();
        let (mut keeper, paths, mut renewed) = keeper(root.path());
        fs::remove_file(&paths.socket).unwrap();
        let other = UnixListener::bind(&paths.socket).unwrap();
        keeper.look();
        let inside = Paths::inside(&paths.home).socket;
        assert_eq!(Holder::elsewhere(&paths), Some(inside.clone()));
        assert!(renewed.try_recv().is_ok() && paths.socket.exists());
        // It is stale once nobody listens there.
        drop(other);
        keeper.look();
        assert!(renewed.try_recv().is_ok() && UnixStream::connect(&paths.socket).is_ok());
        fs::remove_file(&paths.socket).unwrap();
        fs::write(&paths.socket, "precious").unwrap();
        keeper.look();
        drop(keeper);
        assert_eq!(fs::read_to_string(&paths.socket).unwrap(), "precious");
        assert!(!inside.exists(), "its own went with it");
    }
}
