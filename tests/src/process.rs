//! Processes that are not children of the test: daemons that the programs under test started.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use helix_proto::paths::Paths;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::Home;

/// How long a process may take to end, even on a busy machine.
const END_DEADLINE: Duration = Duration::from_secs(30);

/// Programs of one home that are ended; no test starts more.
const LEFT_MAX: usize = 128;

/// Names of the programs as the system knows them.
#[cfg(target_os = "linux")]
const PROGRAMS: [&[u8]; 4] = [b"helixd", b"helix-hook", b"helix-mcp", b"helixctl"];

/// Ends the programs of Helix that were started on a home, by the test or by one another. A daemon
/// would lay the home out anew once it is removed, and a bridge or a hook would start one.
pub(crate) fn end_all(home: &Home) {
    for _ in 0..LEFT_MAX {
        let Some(pid) = any_program(home) else {
            return;
        };
        signal(pid, Signal::SIGKILL).ok();
        await_end(pid).ok();
    }
}

/// Finds a program that was given a place of the home.
#[cfg(target_os = "linux")]
fn any_program(home: &Home) -> Option<u32> {
    let is_inside = |variable: &[u8]| {
        let value = variable.split(|&byte| byte == b'=').nth(1);
        value.is_some_and(|value| Path::new(OsStr::from_bytes(value)).starts_with(home.scratch()))
    };
    let is_ours = |directory: &Path| {
        let read = |name: &str| fs::read(directory.join(name)).unwrap_or_default();
        let comm = read("comm");
        PROGRAMS.contains(&comm.trim_ascii_end())
            && read("environ").split(|&byte| byte == 0).any(is_inside)
    };
    let mut processes = fs::read_dir("/proc")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()));
    let found = processes.find(|path| is_ours(path))?;
    found.file_name()?.to_str()?.parse().ok()
}

/// Finds the daemon that holds the home.
#[cfg(not(target_os = "linux"))]
fn any_program(home: &Home) -> Option<u32> {
    holder(&home.paths).ok().flatten()
}

/// The process that holds a home; `None` when nobody does.
///
/// # Errors
/// When the lock cannot be read.
pub fn holder(paths: &Paths) -> Result<Option<u32>> {
    let path = paths.lock();
    let Ok(file) = File::open(&path) else {
        return Ok(None);
    };
    match file.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error).context("looking at the lock"),
    }
    let text = fs::read_to_string(&path)?;
    let pid = text.lines().next().unwrap_or_default();
    Ok(Some(
        pid.parse()
            .with_context(|| format!("the lock names {text:?}"))?,
    ))
}

/// Sends a signal to a process.
///
/// # Errors
/// When it is gone.
pub fn signal(pid: u32, signal: Signal) -> Result<()> {
    Ok(kill(Pid::from_raw(i32::try_from(pid)?), signal)?)
}

/// Waits until a process has ended, whoever its parent is.
///
/// # Errors
/// When it lives on.
#[cfg(target_os = "linux")]
pub fn await_end(pid: u32) -> Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    let id = Pid::from_raw(i32::try_from(pid)?).context("no process has the number 0")?;
    let process = match pidfd_open(id, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(error) if error == rustix::io::Errno::SRCH => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let deadline = Timespec {
        tv_sec: i64::try_from(END_DEADLINE.as_secs())?,
        tv_nsec: 0,
    };
    let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&deadline))?;
    ensure!(ended == 1, "process {pid} lives on");
    Ok(())
}

/// Waits until a process has ended, whoever its parent is.
///
/// # Errors
/// When it lives on.
#[cfg(not(target_os = "linux"))]
pub fn await_end(pid: u32) -> Result<()> {
    within(END_DEADLINE, || Ok((!is_alive(pid)?).then_some(())))
}

/// Returns whether a process with this number exists, if only as an entry that its parent has not
/// taken yet.
///
/// # Errors
/// When the system does not say.
pub fn is_alive(pid: u32) -> Result<bool> {
    match kill(Pid::from_raw(i32::try_from(pid)?), None) {
        Ok(()) | Err(Errno::EPERM) => Ok(true),
        Err(Errno::ESRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Time that the suggester may take: it waits until nobody writes.
pub const SUGGESTED_DEADLINE: Duration = Duration::from_mins(1);

/// Asks until there is an answer. Each question has to wait for somebody else, such as a call of
/// the daemon.
///
/// # Errors
/// When a question fails, or the deadline passes.
pub fn within<T>(deadline: Duration, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let end = Instant::now() + deadline;
    loop {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        ensure!(Instant::now() < end, "nothing came within {deadline:?}");
        std::thread::yield_now();
    }
}
