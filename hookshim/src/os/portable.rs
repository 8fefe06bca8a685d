//! Any Unix through std: macOS, and Linux on processors that `linux` does not know.
//!
//! std already ignores SIGPIPE, and opens closed standard streams on /dev/null, before `main`.
//! A local connection never waits on macOS: a full queue refuses it at once.

use core::ffi::CStr;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, IoSlice, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path as StdPath;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Fault, OTHERS, Readiness};
use crate::daemon::Path;
use crate::frame::PARTS;
use crate::invocation::Invocation;

/// Descriptors that a daemon must not inherit: the usual limit of a process.
const DESCRIPTORS_MAX: RawFd = 1024;

/// Permissions that a daemon takes away from whatever it makes.
const DAEMON_UMASK: libc::mode_t = 0o077;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock => Self::Again,
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => Self::Absent,
            ErrorKind::Interrupted => Self::Interrupted,
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Self::Reset,
            _ => Self::Other,
        }
    }
}

/// Nanoseconds on the monotonic clock since the first call.
pub(crate) fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// std has done it before `main`.
pub(crate) fn ignore_broken_pipes() {}

/// Waits until stdin has something or has ended; false when `timeout_ns` passed before.
pub(crate) fn stdin_ready(timeout_ns: u64) -> bool {
    ready(libc::STDIN_FILENO, libc::POLLIN, timeout_ns)
}

/// Reads what stdin has; 0 at its end.
pub(crate) fn read_stdin(buffer: &mut [u8]) -> Result<usize, Fault> {
    // SAFETY: The buffer may be written for its whole length.
    let count = unsafe { libc::read(libc::STDIN_FILENO, buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(count).map_err(|_| Error::last_os_error().into())
}

/// Writes a part of `bytes` to stdout and returns its length.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<usize, Fault> {
    // SAFETY: The bytes may be read for their whole length.
    let count = unsafe { libc::write(libc::STDOUT_FILENO, bytes.as_ptr().cast(), bytes.len()) };
    usize::try_from(count).map_err(|_| Error::last_os_error().into())
}

/// Writes a debug line; a reader who is gone does not matter.
pub(crate) fn write_stderr(bytes: &[u8]) {
    std::io::stderr().write_all(bytes).ok();
}

/// Sleeps.
pub(crate) fn pause(span_ns: u64) {
    std::thread::sleep(Duration::from_nanos(span_ns));
}

fn ready(descriptor: RawFd, events: libc::c_short, timeout_ns: u64) -> bool {
    let mut polled = libc::pollfd { fd: descriptor, events, revents: 0 };
    let milliseconds = libc::c_int::try_from(timeout_ns.div_ceil(1_000_000)).unwrap_or(libc::c_int::MAX);
    loop {
        // SAFETY: One pollfd is passed, and it may be written.
        let count = unsafe { libc::poll(&raw mut polled, 1, milliseconds) };
        if count >= 0 || Error::last_os_error().kind() != ErrorKind::Interrupted {
            return count > 0;
        }
    }
}

/// A connection to the daemon that never blocks.
pub(crate) struct Socket(UnixStream);

impl Socket {
    /// Connects to the socket at `path`.
    pub(crate) fn connect(path: &CStr) -> Result<Self, Fault> {
        let stream = UnixStream::connect(as_path(path))?;
        if stream.as_raw_fd() <= libc::STDERR_FILENO {
            return Err(Fault::LowDescriptor);
        }
        stream.set_nonblocking(true)?;
        Ok(Self(stream))
    }

    /// Returns whether the process at the other end runs as the same user.
    pub(crate) fn peer_is_same_user(&self) -> bool {
        // SAFETY: The call takes no argument and cannot fail.
        let own = unsafe { libc::geteuid() };
        peer_user(&self.0) == Some(own)
    }

    /// Waits until the socket is ready; false when `timeout_ns` passed before.
    pub(crate) fn ready(&self, readiness: Readiness, timeout_ns: u64) -> bool {
        let events = match readiness {
            Readiness::Read => libc::POLLIN,
            Readiness::Write => libc::POLLOUT,
        };
        ready(self.0.as_raw_fd(), events, timeout_ns)
    }

    /// Reads what there is; 0 at the end.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Fault> {
        Ok((&self.0).read(buffer)?)
    }

    /// Writes the first bytes of `parts` and returns how many.
    pub(crate) fn write(&self, parts: &[&[u8]; PARTS]) -> Result<usize, Fault> {
        Ok((&self.0).write_vectored(&parts.map(IoSlice::new))?)
    }
}

#[cfg(not(target_os = "linux"))]
fn peer_user(stream: &UnixStream) -> Option<libc::uid_t> {
    let (mut user, mut group) = (0, 0);
    // SAFETY: Both numbers may be written.
    let outcome = unsafe { libc::getpeereid(stream.as_raw_fd(), &raw mut user, &raw mut group) };
    (outcome == 0).then_some(user)
}

#[cfg(target_os = "linux")]
fn peer_user(stream: &UnixStream) -> Option<libc::uid_t> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).ok()?;
    // SAFETY: Both values may be written, and `length` is the size of the first.
    let outcome = unsafe {
        let place = (&raw mut peer).cast();
        libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, place, &raw mut length)
    };
    (outcome == 0).then_some(peer.uid)
}

/// The daemon's lock, held while this value or a copy of it in another process lives.
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock without waiting; `Again` when it is held.
    pub(crate) fn take(path: &CStr) -> Result<Self, Fault> {
        let mut options = OpenOptions::new();
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
        let file = options.open(as_path(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Fault::Again),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

/// Makes a directory for the owner alone, unless it exists.
pub(crate) fn make_directory(path: &CStr) -> Result<(), Fault> {
    let made = std::fs::DirBuilder::new().mode(0o700).create(as_path(path));
    made.or_else(|error| if as_path(path).is_dir() { Ok(()) } else { Err(error.into()) })
}

/// Returns whether there is a file at `path`.
pub(crate) fn exists(path: &CStr) -> bool {
    as_path(path).exists()
}

/// Returns whether the group or others may do anything with the directory at `path`.
pub(crate) fn is_open_to_others(path: &CStr) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(as_path(path)).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Reads the beginning of a small file and returns its length.
pub(crate) fn read_file(path: &CStr, buffer: &mut [u8]) -> Result<usize, Fault> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(as_path(path))?;
    Ok(file.read(buffer)?)
}

/// Reads the beginning of the lock's file and whether a process holds the lock. Fails for a file that others could have written.
pub(crate) fn read_lock(path: &CStr, buffer: &mut [u8]) -> Result<(usize, bool), Fault> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(as_path(path))?;
    let found = file.metadata()?;
    // SAFETY: The call takes no argument and cannot fail.
    let own = unsafe { libc::geteuid() };
    if !found.is_file() || found.uid() != own || found.mode() & OTHERS != 0 {
        return Err(Fault::Other);
    }
    let length = file.read(buffer)?;
    Ok((length, matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))))
}

/// Seconds since a file was written; `None` where there is none, or it was written in the future.
pub(crate) fn age_s(path: &CStr) -> Option<u64> {
    let written = std::fs::symlink_metadata(as_path(path)).and_then(|found| found.modified()).ok()?;
    written.elapsed().ok().map(|age| age.as_secs())
}

/// Writes a file anew, so that its time is now.
pub(crate) fn touch(path: &CStr) -> Result<(), Fault> {
    let mut options = OpenOptions::new();
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).custom_flags(flags).open(as_path(path))?;
    Ok(file.write_all(b"\n")?)
}

/// Removes a file.
pub(crate) fn remove_file(path: &CStr) -> Result<(), Fault> {
    Ok(std::fs::remove_file(as_path(path))?)
}

/// Gives a file another name, in place of the file that has it.
pub(crate) fn rename(from: &CStr, to: &CStr) -> Result<(), Fault> {
    Ok(std::fs::rename(as_path(from), as_path(to))?)
}

/// Returns whether the file at `path` may be executed.
pub(crate) fn is_executable(path: &CStr) -> bool {
    // SAFETY: `path` is a C string.
    unsafe { libc::access(path.as_ptr(), libc::X_OK) == 0 }
}

/// Appends the path of the running program.
pub(crate) fn own_executable(path: &mut Path) -> Result<(), Fault> {
    let program = std::env::current_exe()?;
    path.push(program.as_os_str().as_bytes()).map_err(|_| Fault::Other)
}

/// Starts `program` in a session of its own, with nothing of this process but its variables and its user.
///
/// The lock is released just before the new process becomes `program`.
pub(crate) fn start_detached(program: &CStr, _: &Invocation<'_>, lock: &Lock) -> Result<(), Fault> {
    let mut command = Command::new(as_path(program));
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let lock_descriptor = lock.0.as_raw_fd();
    // SAFETY: Between fork and exec only calls are made that are allowed there; nothing is allocated.
    unsafe { command.pre_exec(move || detach(lock_descriptor)) };
    // The process that is waited for is the one between the shim and the daemon, which has ended already.
    command.spawn()?.wait()?;
    Ok(())
}

/// In the child: leads a new session, leaves the daemon in it, and marks every other descriptor to be closed.
fn detach(lock_descriptor: RawFd) -> Result<(), Error> {
    // SAFETY: No call takes a pointer; the process has one thread, and the one between ends without running any exit code.
    unsafe {
        if libc::setsid() < 0 {
            return Err(Error::last_os_error());
        }
        match libc::fork() {
            0 => {}
            -1 => return Err(Error::last_os_error()),
            _ => libc::_exit(0),
        }
        libc::umask(DAEMON_UMASK);
        for descriptor in libc::STDERR_FILENO + 1..DESCRIPTORS_MAX {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        libc::flock(lock_descriptor, libc::LOCK_UN);
    }
    Ok(())
}

fn as_path(path: &CStr) -> &StdPath {
    StdPath::new(OsStr::from_bytes(path.to_bytes()))
}
