//! Linux without libc: rustix where it offers a call, `raw` where it does not.

use core::ffi::CStr;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, Access, CWD, FileType, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, IoSlice, read, write, writev};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt};
use rustix::process::{self, Pid, WaitOptions};
use rustix::stdio;

use super::{Fault, OTHERS, Readiness, raw};
use crate::daemon::Path;
use crate::frame::PARTS;
use crate::invocation::Invocation;

const STDIN: i32 = 0;
const STDOUT: i32 = 1;
const STDERR: i32 = 2;

/// Lowest descriptor that is no standard stream.
const FIRST_OWN_DESCRIPTOR: i32 = 3;

/// Descriptors closed one by one where the kernel has no `close_range`: the usual limit of a process.
const DESCRIPTORS_MAX: i32 = 1024;

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::AGAIN => Self::Again,
            Errno::NOENT | Errno::CONNREFUSED => Self::Absent,
            Errno::INTR => Self::Interrupted,
            Errno::CONNRESET | Errno::PIPE => Self::Reset,
            _ => Self::Other,
        }
    }
}

/// Nanoseconds on the monotonic clock.
pub(crate) fn now_ns() -> u64 {
    raw::monotonic_ns()
}

/// Lets writing to a closed pipe fail instead of killing the process.
pub(crate) fn ignore_broken_pipes() {
    raw::on_broken_pipe(raw::Disposition::Ignore);
}

/// Waits until stdin has something or has ended; false when `timeout_ns` passed before.
pub(crate) fn stdin_ready(timeout_ns: u64) -> bool {
    ready(standard_stream(STDIN), PollFlags::IN, timeout_ns)
}

/// Reads what stdin has; 0 at its end.
pub(crate) fn read_stdin(buffer: &mut [u8]) -> Result<usize, Fault> {
    Ok(read(standard_stream(STDIN), buffer)?)
}

/// Writes a part of `bytes` to stdout and returns its length.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<usize, Fault> {
    Ok(write(standard_stream(STDOUT), bytes)?)
}

/// Writes a debug line; a reader who is gone does not matter.
pub(crate) fn write_stderr(bytes: &[u8]) {
    write(standard_stream(STDERR), bytes).ok();
}

/// Sleeps.
pub(crate) fn pause(span_ns: u64) {
    poll(&mut [], timespec(span_ns).as_ref()).ok();
}

/// A standard stream. It may be closed: its use then fails, which every caller expects.
fn standard_stream(number: i32) -> BorrowedFd<'static> {
    // SAFETY: The shim never closes descriptors 0 to 2 and refuses to open anything in their place (`LowDescriptor`), so
    // the number means the parent's stream, or nothing, for as long as the program runs.
    unsafe { BorrowedFd::borrow_raw(number) }
}

fn ready(descriptor: impl AsFd, what: PollFlags, timeout_ns: u64) -> bool {
    let mut polled = [PollFd::new(&descriptor, what)];
    loop {
        match poll(&mut polled, timespec(timeout_ns).as_ref()) {
            Err(Errno::INTR) => {}
            outcome => return outcome.is_ok_and(|count| count > 0),
        }
    }
}

/// `None`, which waits for ever, cannot come out: every span here is a fraction of a minute.
fn timespec(span_ns: u64) -> Option<Timespec> {
    Timespec::try_from(core::time::Duration::from_nanos(span_ns)).ok()
}

/// A connection to the daemon that never blocks.
pub(crate) struct Socket(OwnedFd);

impl Socket {
    /// Connects to the socket at `path`.
    pub(crate) fn connect(path: &CStr) -> Result<Self, Fault> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        if socket.as_raw_fd() < FIRST_OWN_DESCRIPTOR {
            return Err(Fault::LowDescriptor);
        }
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok(Self(socket))
    }

    /// Returns whether the process at the other end runs as the same user.
    pub(crate) fn peer_is_same_user(&self) -> bool {
        sockopt::socket_peercred(&self.0).is_ok_and(|peer| peer.uid == process::geteuid())
    }

    /// Waits until the socket is ready; false when `timeout_ns` passed before.
    pub(crate) fn ready(&self, readiness: Readiness, timeout_ns: u64) -> bool {
        let what = match readiness {
            Readiness::Read => PollFlags::IN,
            Readiness::Write => PollFlags::OUT,
        };
        ready(&self.0, what, timeout_ns)
    }

    /// Reads what there is; 0 at the end.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Fault> {
        Ok(read(&self.0, buffer)?)
    }

    /// Writes the first bytes of `parts` and returns how many.
    pub(crate) fn write(&self, parts: &[&[u8]; PARTS]) -> Result<usize, Fault> {
        Ok(writev(&self.0, &parts.map(IoSlice::new))?)
    }
}

/// The daemon's lock, held while this value or a copy of it in another process lives.
pub(crate) struct Lock(OwnedFd);

impl Lock {
    /// Takes the lock without waiting; `Again` when it is held.
    pub(crate) fn take(path: &CStr) -> Result<Self, Fault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
        fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self(file))
    }
}

/// Makes a directory for the owner alone, unless it exists.
pub(crate) fn make_directory(path: &CStr) -> Result<(), Fault> {
    match fs::mkdir(path, Mode::RWXU) {
        Err(Errno::EXIST) | Ok(()) => Ok(()),
        Err(_) if fs::access(path, Access::EXISTS).is_ok() => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Returns whether there is a file at `path`.
pub(crate) fn exists(path: &CStr) -> bool {
    fs::access(path, Access::EXISTS).is_ok()
}

/// Returns whether the group or others may do anything with the directory at `path`.
pub(crate) fn is_open_to_others(path: &CStr) -> bool {
    fs::stat(path).is_ok_and(|found| found.st_mode & 0o077 != 0)
}

/// Reads the beginning of a small file and returns its length.
pub(crate) fn read_file(path: &CStr, buffer: &mut [u8]) -> Result<usize, Fault> {
    // A FIFO that somebody put there has nothing to read, or is not ready.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = fs::open(path, flags, Mode::empty())?;
    Ok(read(&file, buffer)?)
}

/// Reads the beginning of the lock's file and whether a process holds the lock. Fails for a file that others could have written.
pub(crate) fn read_lock(path: &CStr, buffer: &mut [u8]) -> Result<(usize, bool), Fault> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = fs::open(path, flags, Mode::empty())?;
    let found = fs::fstat(&file)?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    if !is_file || found.st_uid != process::geteuid().as_raw() || found.st_mode & OTHERS != 0 {
        return Err(Fault::Other);
    }
    let length = read(&file, buffer)?;
    let is_held = fs::flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::AGAIN);
    Ok((length, is_held))
}

/// Seconds since a file was written; `None` where there is none, or it was written in the future.
pub(crate) fn age_s(path: &CStr) -> Option<u64> {
    let written_s = u64::try_from(fs::lstat(path).ok()?.st_mtime).ok()?;
    raw::wall_clock_s().checked_sub(written_s)
}

/// Writes a file anew, so that its time is now.
pub(crate) fn touch(path: &CStr) -> Result<(), Fault> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    write(&file, b"\n")?;
    Ok(())
}

/// Removes a file.
pub(crate) fn remove_file(path: &CStr) -> Result<(), Fault> {
    Ok(fs::unlink(path)?)
}

/// Gives a file another name, in place of the file that has it.
pub(crate) fn rename(from: &CStr, to: &CStr) -> Result<(), Fault> {
    Ok(fs::rename(from, to)?)
}

/// Returns whether the file at `path` may be executed.
pub(crate) fn is_executable(path: &CStr) -> bool {
    fs::access(path, Access::EXEC_OK).is_ok()
}

/// Appends the path of the running program.
pub(crate) fn own_executable(path: &mut Path) -> Result<(), Fault> {
    let mut target = [0; 1024];
    let length = fs::readlinkat_raw(CWD, c"/proc/self/exe", &mut target[..])?;
    path.push(target.get(..length).unwrap_or_default()).map_err(|_| Fault::Other)
}

/// Starts `program` in a session of its own, with nothing of this process but its variables and its user.
///
/// The lock is released just before the new process becomes `program`.
pub(crate) fn start_detached(program: &CStr, invocation: &Invocation<'_>, lock: &Lock) -> Result<(), Fault> {
    // SAFETY: The shim has one thread.
    match unsafe { raw::fork() } {
        None => Err(Fault::Other),
        Some(0) => lead_session(program, invocation, lock),
        Some(child) => {
            let child = i32::try_from(child).ok().and_then(Pid::from_raw);
            while matches!(process::waitpid(child, WaitOptions::empty()), Err(Errno::INTR)) {}
            Ok(())
        }
    }
}

/// In the child: leads a new session and leaves the daemon in it, which can then never get a terminal.
fn lead_session(program: &CStr, invocation: &Invocation<'_>, lock: &Lock) -> ! {
    // SAFETY: The child has one thread.
    if process::setsid().is_ok() && unsafe { raw::fork() } == Some(0) {
        // Nobody is left to tell of a failure: stderr is gone, and the shim reports that nothing listens.
        become_daemon(program, invocation, lock).ok();
    }
    raw::exit()
}

/// In the grandchild: lets go of everything and becomes `program`; returns only on failure.
fn become_daemon(program: &CStr, invocation: &Invocation<'_>, lock: &Lock) -> Result<(), Errno> {
    process::chdir(c"/")?;
    process::umask(Mode::RWXG | Mode::RWXO);
    let nowhere = fs::open(c"/dev/null", OFlags::RDWR, Mode::empty())?;
    stdio::dup2_stdin(&nowhere)?;
    stdio::dup2_stdout(&nowhere)?;
    stdio::dup2_stderr(&nowhere)?;
    fs::flock(&lock.0, FlockOperation::Unlock)?;
    raw::on_broken_pipe(raw::Disposition::Default);
    // SAFETY: Nothing is opened or used from here on but `program`, and the process ends when that fails. The
    // variables are the list that the kernel or `start` made.
    unsafe {
        if !raw::close_from(FIRST_OWN_DESCRIPTOR as usize) {
            (FIRST_OWN_DESCRIPTOR..DESCRIPTORS_MAX).for_each(|descriptor| rustix::io::close(descriptor));
        }
        raw::execute(program, invocation.variables.as_ptr());
    }
    Ok(())
}
