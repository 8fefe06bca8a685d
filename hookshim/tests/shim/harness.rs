//! Runs the shim and plays the daemon.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use helix_proto::frame;
use helix_proto::v1::HookRequest;
use prost::Message as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tempfile::TempDir;

/// Bound on a whole run: the shim's own deadlines, and room for a busy machine to start a process.
pub(crate) const RUN_MAX: Duration = Duration::from_millis(400);

/// Bound on waiting for something that must happen.
const PATIENCE: Timespec = Timespec {
    tv_sec: 20,
    tv_nsec: 0,
};

/// The shim under test.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("HELIX_HOOK_BIN")
        .map_or_else(|| env!("CARGO_BIN_EXE_helix-hook").into(), PathBuf::from)
}

/// A directory of its own with a socket's path in it.
pub(crate) struct Room(TempDir);

impl Room {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path().join("helixd.sock")
    }

    /// The shim with nothing in its environment but this room's socket, and reasons on stderr.
    pub(crate) fn hook(&self, event: &str) -> Command {
        let mut command = bare_hook(event);
        command.env("HELIX_SOCKET", self.socket());
        command
    }

    /// A shell that becomes the shim after `redirections`.
    pub(crate) fn redirected_hook(&self, event: &str, redirections: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(format!("exec \"$0\" {event} {redirections}"))
            .arg(program());
        isolate(&mut command);
        command.env("HELIX_SOCKET", self.socket());
        command
    }

    /// A daemon that takes one request and then does as `conduct` says.
    pub(crate) fn daemon(&self, conduct: impl FnOnce(&mut UnixStream) + Send + 'static) -> Daemon {
        Daemon::at(&self.socket(), conduct)
    }

    /// A daemon that answers one request with `body`.
    pub(crate) fn answering_daemon(&self, body: &[u8]) -> Daemon {
        let reply = reply(body);
        self.daemon(move |stream| stream.write_all(&reply).unwrap())
    }
}

/// The shim with nothing in its environment, and reasons on stderr.
pub(crate) fn bare_hook(event: &str) -> Command {
    copied_hook(&program(), event)
}

/// The same for a copy of the shim.
pub(crate) fn copied_hook(copy: &Path, event: &str) -> Command {
    let mut command = Command::new(copy);
    command.arg(event);
    isolate(&mut command);
    command
}

fn isolate(command: &mut Command) {
    command.env_clear().env("HELIX_HOOK_DEBUG", "1");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// A reply frame.
pub(crate) fn reply(body: &[u8]) -> Vec<u8> {
    [&frame::header(u32::try_from(body.len()).unwrap())[..], body].concat()
}

/// A finished run.
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// How the parent fared in writing to the shim's stdin.
    pub(crate) written: io::Result<()>,
    pub(crate) elapsed: Duration,
}

impl Run {
    /// Asserts what holds for every run, and that `reason` was why nothing was printed.
    pub(crate) fn check_silent(&self, reason: &str) {
        self.check(b"");
        assert!(
            self.stderr.contains(reason),
            "{reason:?} expected, said {:?}",
            self.stderr
        );
    }

    /// Asserts what holds for every run, and that exactly `expected` was printed.
    pub(crate) fn check(&self, expected: &[u8]) {
        self.check_within(RUN_MAX, expected);
    }

    /// Does so for a run that may take longer.
    pub(crate) fn check_within(&self, most: Duration, expected: &[u8]) {
        assert_eq!(self.status.code(), Some(0), "{}", self.stderr);
        assert_eq!(
            String::from_utf8_lossy(&self.stdout),
            String::from_utf8_lossy(expected),
            "{}",
            self.stderr
        );
        assert!(self.elapsed < most, "took {:?}", self.elapsed);
        assert!(
            self.written.is_ok(),
            "the parent's write failed: {:?}",
            self.written
        );
    }
}

/// Runs the shim with `stdin` to its end.
pub(crate) fn run(command: &mut Command, stdin: &[u8]) -> Run {
    let begin = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&stdin));
    finish(child, begin, writer)
}

/// Waits for the end of the shim's output, and of the shim.
pub(crate) fn finish(child: Child, begin: Instant, writer: JoinHandle<io::Result<()>>) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status,
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        elapsed: begin.elapsed(),
        written: writer.join().unwrap(),
    }
}

/// A thread in the daemon's place.
pub(crate) struct Daemon(JoinHandle<io::Result<HookRequest>>);

impl Daemon {
    pub(crate) fn at(path: &Path, conduct: impl FnOnce(&mut UnixStream) + Send + 'static) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        Self(std::thread::spawn(move || {
            await_readable(&listener);
            let (mut stream, _) = listener.accept()?;
            let request = receive(&mut stream);
            conduct(&mut stream);
            request
        }))
    }

    /// The request that came.
    pub(crate) fn request(self) -> HookRequest {
        self.0.join().unwrap().unwrap()
    }
}

fn receive(stream: &mut UnixStream) -> io::Result<HookRequest> {
    let mut header = [0; frame::HEADER_BYTES];
    stream.read_exact(&mut header)?;
    let length = frame::body_length(header).ok_or(io::ErrorKind::InvalidData)?;
    let mut body = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut body)?;
    HookRequest::decode(body.as_slice()).map_err(io::Error::other)
}

/// Waits until there is something to read or to accept.
pub(crate) fn await_readable(descriptor: impl AsFd) {
    let descriptor = descriptor.as_fd();
    let ready = poll(
        &mut [PollFd::new(&descriptor, PollFlags::IN)],
        Some(&PATIENCE),
    )
    .unwrap();
    assert_eq!(ready, 1, "nothing happened");
}

/// Makes a named pipe and opens it without waiting for its other end.
pub(crate) fn named_pipe(path: &Path) -> std::fs::File {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap()
}

/// An event's smallest input.
pub(crate) const INPUT: &[u8] =
    br#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}"#;
