//! Finds `helixd` where the lock's file says that it listens, and starts it when a session begins
//! and nothing listens. In place of one that died, any event starts one, without waiting for it.
//!
//! The lock's file (`helix_proto::holder`) has a process id and, on the line below, a socket's
//! path. While the lock is held that is true; a text in a file that nobody holds is a daemon's that
//! died; `helixctl down` leaves the file empty.
//!
//! The shim holds the daemon's lock from before its second attempt at connecting until just before
//! the new process becomes `helixd`, so that sessions beginning together start one daemon. The
//! daemon then takes the lock itself; two that race for it settle that between themselves.

use core::ffi::CStr;

use crate::clock::{Deadline, ms};
use crate::exchange;
use crate::invocation::{Invocation, Variables};
use crate::os::{self, Fault, Lock, Socket};
use crate::place::{self, RUN_DIRECTORY, SOCKET_PATH_MAX_BYTES, SocketPath};
use crate::silence::Silence;
use crate::text::{Overflow, Text};

/// Longest path to a lock or a program, in bytes with its zero: Linux's `PATH_MAX`.
const PATH_MAX_BYTES: usize = 4096;

/// Longest wait for a daemon just started. A warm start takes some 20 ms; a session is not held up
/// for a cold one.
const LISTEN_NS: u64 = ms(100);

/// Pause between two attempts at it.
const LISTEN_PAUSE_NS: u64 = ms(2);

/// Least time between two starts by events that do not wait, in seconds: a daemon that dies at once
/// is not started all day.
const RESTART_S: u64 = 10;

/// Longest beginning of the lock's file that is read, in bytes: a process id, a socket's path and
/// two newlines.
const LOCK_MAX_BYTES: usize = SOCKET_PATH_MAX_BYTES + 32;

const LOCK_NAME: &[u8] = b"/helixd.lock";
/// Says by its time when a daemon was started last.
const STARTED_NAME: &[u8] = b"/helixd.started";
const COMPLAINT_NAME: &[u8] = b"/helixd.complaint";
const TOLD_COMPLAINT_NAME: &[u8] = b"/helixd.complaint-told";
const PROGRAM_NAME: &[u8] = b"/helixd";

/// A path on the stack.
pub(crate) type Path = Text<PATH_MAX_BYTES>;

/// The lock file's trace of the home's daemon.
enum Trace {
    /// Nothing, or nothing that a daemon of this user wrote.
    None,
    /// It died.
    Died,
    /// It lives and listens there.
    Listens(SocketPath),
    /// It lives.
    Lives,
}

/// Connects to the home's daemon when it does not answer where the environment leads, for the
/// reason `silence`: where else it listens, or, should there be none, to one that is started. Only
/// a session waits for that.
///
/// Not inlined, as [`complaint`] is not: every event would touch the pages of the stack that the
/// paths take.
#[cold]
#[inline(never)]
pub(crate) fn reach(
    invocation: &Invocation<'_>,
    variables: &Variables<'_>,
    socket_path: &SocketPath,
    silence: Silence,
    begins_session: bool,
) -> Result<Socket, Silence> {
    if !matches!(
        silence,
        Silence::Absent | Silence::Busy | Silence::NoConnection | Silence::Stranger
    ) {
        return Err(silence);
    }
    let trace = trace(variables);
    if let Trace::Listens(place) = &trace
        && place.as_bytes() != socket_path.as_bytes()
        && let Ok(socket) = exchange::connect(place)
    {
        return Ok(socket);
    }
    match (silence, trace) {
        (Silence::Absent, _) if begins_session => start(invocation, variables, socket_path),
        (Silence::Absent, Trace::Died) => Err(restart(invocation, variables, socket_path)?),
        (silence, _) => Err(silence),
    }
}

/// Connects to the home's daemon where the lock's file says that it listens.
#[cold]
#[inline(never)]
pub(crate) fn elsewhere(
    variables: &Variables<'_>,
    socket_path: &SocketPath,
) -> Result<Socket, Silence> {
    match trace(variables) {
        Trace::Listens(place) if place.as_bytes() != socket_path.as_bytes() => {
            exchange::connect(&place)
        }
        _ => Err(Silence::Absent),
    }
}

fn trace(variables: &Variables<'_>) -> Trace {
    let mut buffer = [0; LOCK_MAX_BYTES];
    let read = in_run_directory(variables, LOCK_NAME)
        .ok()
        .and_then(|lock| os::read_lock(lock.as_c_str(), &mut buffer).ok());
    let Some((length, is_held)) = read else {
        return Trace::None;
    };
    let mut lines = buffer
        .get(..length)
        .unwrap_or_default()
        .splitn(2, |&byte| byte == b'\n');
    let (pid, rest) = (lines.next().unwrap_or_default(), lines.next());
    let is_pid = !pid.is_empty() && pid.iter().all(u8::is_ascii_digit);
    let Some(rest) = rest.filter(|_| is_pid) else {
        return Trace::None;
    };
    if !is_held {
        return Trace::Died;
    }
    let socket = rest
        .strip_suffix(b"\n")
        .filter(|path| path.first() == Some(&b'/'));
    let socket = socket.and_then(|path| place::joined([path, b"", b"", b""]).ok());
    socket.map_or(Trace::Lives, Trace::Listens)
}

/// Starts a daemon in place of one that died, unless another process is at it or was lately.
/// Returns why nothing is said.
fn restart(
    invocation: &Invocation<'_>,
    variables: &Variables<'_>,
    socket_path: &SocketPath,
) -> Result<Silence, Silence> {
    let started = in_run_directory(variables, STARTED_NAME)?;
    let lately = |path: &Path| os::age_s(path.as_c_str()).is_some_and(|age_s| age_s < RESTART_S);
    if lately(&started) {
        return Err(Silence::StartedLately);
    }
    let lock = take_lock(&in_run_directory(variables, LOCK_NAME)?)?;
    // Another event may have started one between the two looks.
    if lately(&started) {
        return Err(Silence::StartedLately);
    }
    if !matches!(exchange::connect_once(socket_path), Err(Silence::Absent)) {
        return Err(Silence::LockHeld);
    }
    let mut program = Path::new();
    find(variables, &mut program)?;
    os::touch(started.as_c_str()).map_err(|_| Silence::NoLock)?;
    os::start_detached(program.as_c_str(), invocation, &lock).map_err(|_| Silence::NotStarted)?;
    Ok(Silence::Starting)
}

fn take_lock(path: &Path) -> Result<Lock, Silence> {
    Lock::take(path.as_c_str()).map_err(|fault| match fault {
        Fault::Again => Silence::LockHeld,
        _ => Silence::NoLock,
    })
}

/// Starts the daemon, unless another process is at it, and connects as soon as it listens.
fn start(
    invocation: &Invocation<'_>,
    variables: &Variables<'_>,
    socket_path: &SocketPath,
) -> Result<Socket, Silence> {
    let mut path = Path::new();
    run_directory(variables, &mut path)?;
    path.push(LOCK_NAME).map_err(|_| Silence::PathTooLong)?;
    let lock = take_lock(&path)?;
    match exchange::connect_once(socket_path) {
        Err(Silence::Absent) => {}
        outcome => return outcome,
    }
    find(variables, &mut path)?;
    let complaint = in_run_directory(variables, COMPLAINT_NAME)?;
    // One that was left to nobody says nothing about this start.
    os::remove_file(complaint.as_c_str()).ok();
    // A session is worth a start at any time; those that follow it wait.
    os::touch(in_run_directory(variables, STARTED_NAME)?.as_c_str()).ok();
    let deadline = Deadline::after(LISTEN_NS);
    os::start_detached(path.as_c_str(), invocation, &lock).map_err(|_| Silence::NotStarted)?;
    drop(lock);
    await_listener(socket_path, &complaint, deadline)
}

fn await_listener(
    socket_path: &SocketPath,
    complaint: &Path,
    deadline: Deadline,
) -> Result<Socket, Silence> {
    while deadline.left_ns().is_some() {
        match exchange::connect_once(socket_path) {
            Err(Silence::Absent | Silence::Busy) if os::exists(complaint.as_c_str()) => {
                return Err(Silence::Complains);
            }
            Err(Silence::Absent | Silence::Busy) => os::pause(LISTEN_PAUSE_NS),
            outcome => return outcome,
        }
    }
    Err(Silence::Starting)
}

/// Takes what a daemon that cannot serve left for the session, so that it is told once. It is in
/// the words of Claude Code and Codex; `None` for others.
#[cold]
#[inline(never)]
pub(crate) fn complaint<'b>(
    client: &[u8],
    variables: &Variables<'_>,
    buffer: &'b mut [u8],
) -> Result<Option<&'b [u8]>, Silence> {
    if !matches!(client, b"" | b"claude" | b"codex") || variables.cursor_version.is_some() {
        return Ok(None);
    }
    let left = in_run_directory(variables, COMPLAINT_NAME)?;
    let told = in_run_directory(variables, TOLD_COMPLAINT_NAME)?;
    let length = os::read_file(left.as_c_str(), buffer).map_err(|_| Silence::Complains)?;
    os::rename(left.as_c_str(), told.as_c_str()).map_err(|_| Silence::Complains)?;
    Ok(buffer.get(..length))
}

fn in_run_directory(variables: &Variables<'_>, name: &[u8]) -> Result<Path, Silence> {
    let (base, rest) = place::home(variables)?;
    place::joined([base, rest, RUN_DIRECTORY, name])
}

/// Makes the run directory, and what leads to it, for the owner alone.
fn run_directory(variables: &Variables<'_>, path: &mut Path) -> Result<(), Silence> {
    let (base, rest) = place::home(variables)?;
    if base.first() != Some(&b'/') {
        return Err(Silence::RelativeHome);
    }
    let home: Path = place::joined([base, rest, b"", b""])?;
    let run: Path = place::joined([base, rest, RUN_DIRECTORY, b""])?;
    // Nothing is made in a directory that is none of ours.
    if os::is_open_to_others(home.as_c_str()) && !os::exists(run.as_c_str()) {
        return Err(Silence::OpenHome);
    }
    let whole = [base, rest, RUN_DIRECTORY];
    for &byte in whole.iter().flat_map(|part| part.iter()) {
        if byte == b'/' {
            make(path)?;
        }
        path.push(&[byte]).map_err(|_| Silence::PathTooLong)?;
    }
    make(path)
}

fn make(path: &Path) -> Result<(), Silence> {
    if path.as_bytes().is_empty() {
        return Ok(());
    }
    os::make_directory(path.as_c_str()).map_err(|_| Silence::NoLock)
}

/// Finds the program: the one that `HELIX_DAEMON` names, else the one beside the shim, else the
/// first on `PATH`. Relative places are passed over, for a project's directory must not decide what
/// runs.
fn find(variables: &Variables<'_>, path: &mut Path) -> Result<(), Silence> {
    if let Some(named) = variables.helix_daemon {
        return try_program(path, named, b"").ok_or(Silence::NoDaemon);
    }
    if beside_shim(path).is_some() {
        return Ok(());
    }
    let places = variables
        .path
        .unwrap_or_default()
        .split(|&byte| byte == b':');
    for directory in places {
        if try_program(path, directory, PROGRAM_NAME).is_some() {
            return Ok(());
        }
    }
    Err(Silence::NoDaemon)
}

fn beside_shim(path: &mut Path) -> Option<()> {
    path.truncate(0);
    os::own_executable(path).ok()?;
    let slash = path.as_bytes().iter().rposition(|&byte| byte == b'/')?;
    path.truncate(slash);
    path.push(PROGRAM_NAME).ok()?;
    runnable(path.as_c_str())
}

fn try_program(path: &mut Path, directory: &[u8], name: &[u8]) -> Option<()> {
    set(path, directory, name).ok()?;
    runnable(path.as_c_str())
}

fn set(path: &mut Path, directory: &[u8], name: &[u8]) -> Result<(), Overflow> {
    path.truncate(0);
    path.push(directory)?;
    path.push(name)
}

fn runnable(path: &CStr) -> Option<()> {
    (path.to_bytes().first() == Some(&b'/') && os::is_executable(path)).then_some(())
}
