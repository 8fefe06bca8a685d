//! A real daemon that ends with the test.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::{Binary, Home};

/// How long a daemon may take to become ready, even on a busy machine.
const READY_DEADLINE: Duration = Duration::from_mins(1);

/// A running daemon.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
}

impl Daemon {
    /// Starts a daemon on a home and waits until it says that it is ready.
    ///
    /// # Errors
    /// When it cannot be started, or is not ready in time.
    pub fn start(home: &Home) -> io::Result<Self> {
        // The service manager's protocol: a datagram says when the daemon is ready, so nothing has
        // to be polled.
        let notices = tempfile::Builder::new().prefix("hxn").tempdir_in("/tmp")?;
        let path = notices.path().join("n");
        let socket = UnixDatagram::bind(&path)?;
        socket.set_read_timeout(Some(READY_DEADLINE))?;
        let child = home
            .command(Binary::Daemon)
            .env("NOTIFY_SOCKET", &path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let daemon = Self { child };
        let mut notice = [0; 256];
        let length = socket.recv(&mut notice)?;
        let notice = notice.get(..length).unwrap_or_default();
        if notice.starts_with(b"READY=1") {
            Ok(daemon)
        } else {
            Err(io::Error::other("the daemon did not get ready"))
        }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal. After SIGSTOP all of its threads stand still: the signal alone only asks
    /// them to.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).map_err(io::Error::other)?);
        kill(pid, signal).map_err(io::Error::from)?;
        if signal != Signal::SIGSTOP {
            return Ok(());
        }
        match waitpid(pid, Some(WaitPidFlag::WUNTRACED))? {
            WaitStatus::Stopped(..) => Ok(()),
            other => Err(io::Error::other(format!(
                "the daemon did not stop: {other:?}"
            ))),
        }
    }

    /// Kills it without warning and waits until it is gone.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn kill(mut self) -> io::Result<ExitStatus> {
        self.child.kill()?;
        self.child.wait()
    }

    /// Asks it to stop and waits until it is gone.
    ///
    /// # Errors
    /// When it cannot be signalled or waited for.
    pub fn stop(mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::SIGTERM)?;
        self.child.wait()
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Gone already is what we want.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
