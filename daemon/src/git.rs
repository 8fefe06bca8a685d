//! The only way to run git. A repository may be hostile: its configuration names programs to run
//! and servers to ask.
//!
//! Callers choose one of a few [`Question`]s, each answered by a command that neither touches the
//! index nor converts content. Settings and variables that outrank the repository's own switch off
//! everything that would run a program or reach the network, lazy fetches of partial clones
//! included. Every run ends at its deadline, and with the daemon: its process group is killed and
//! reaped.

use std::env;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How long git may take to read configuration, references or one object.
const READ_DEADLINE: Duration = Duration::from_secs(3);

/// How long git may take to walk a whole history: the largest take some seconds when nothing is
/// cached.
const WALK_DEADLINE: Duration = Duration::from_secs(10);

/// How long a killed git may take to end. One whose file system does not answer takes longer, and
/// is reaped later.
const KILL_DEADLINE: Duration = Duration::from_millis(100);

/// Pause between two looks at whether git has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// Killed runs of git that may wait for their file systems before no further one is started.
const UNREAPED_MAX: usize = 8;

/// Longest answer about a repository, in bytes: thousands of remotes.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;

/// Largest blob, in bytes: larger than any file of source code that people read.
const BLOB_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Commits of one log: some years of a busy repository.
const COMMITS_MAX: usize = 10_000;

/// Longest log, in bytes: messages of three kilobytes each.
const LOG_MAX_BYTES: usize = 32 * 1024 * 1024;

/// Bytes read at once.
const PIECE_BYTES: usize = 16 * 1024;

/// Settings of the command line outrank those of every file. No program that a repository names is
/// run.
const SETTINGS: &[&str] = &[
    "core.alternateRefsCommand=true",
    "core.askPass=false",
    "core.editor=false",
    "core.fsmonitor=false",
    "core.gitProxy=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "gpg.program=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
];

/// Variables that say the same, some of them also where a setting of a file would win. An empty
/// list of protocols permits none, whatever `protocol.<name>.allow` says.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ASKPASS", "/bin/false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Git's own variables that are passed on: where the user's configuration is, and where a
/// repository is looked for. All others go.
const KEPT_VARIABLES: &[&str] = &[
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
];

/// Process groups of the runs that are not reaped.
static GROUPS: Mutex<Groups> = Mutex::new(Groups {
    running: Vec::new(),
    is_over: false,
});

/// Runs of git that were killed and have not ended yet. The next run reaps those that have.
static UNREAPED: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// What git is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question<'a> {
    /// Lines of the common directory and of the work tree's root, both absolute.
    Place,
    /// The addresses of all remotes, as git would use them: `origin\t<url> (fetch)`.
    Remotes,
    /// The commits without parents that lead to `HEAD`.
    Roots,
    /// The content that has this id.
    Blob(&'a [u8; 20]),
    /// The latest commits, behind this one, as the reader of captured histories wants them.
    Log(Option<&'a str>),
}

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// It cannot be run, usually because it is not installed.
    #[error("running git: {0}")]
    NotRun(#[from] io::Error),
    /// It has no answer: no repository, no such object, a configuration that it refuses.
    #[error("git has no answer")]
    Refused,
    /// It was killed at its deadline.
    #[error("git did not end within {} s and was killed", .0.as_secs())]
    Late(Duration),
    /// It was killed because it wrote more than is read.
    #[error("git wrote more than {0} bytes and was killed")]
    TooLong(usize),
    /// Earlier runs hang and cannot be killed.
    #[error("git was not started: {UNREAPED_MAX} runs of it hang")]
    Hangs,
    /// The daemon ends.
    #[error("git was not started: the daemon is stopping")]
    Ending,
}

impl GitError {
    /// Returns whether git itself said so, and would again.
    pub(crate) const fn is_final(&self) -> bool {
        match self {
            Self::Refused => true,
            Self::NotRun(_) | Self::Late(_) | Self::TooLong(_) | Self::Hangs | Self::Ending => {
                false
            }
        }
    }
}

impl Question<'_> {
    fn arguments(self) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Place => &[
                "rev-parse",
                "--path-format=absolute",
                "--git-common-dir",
                "--show-toplevel",
            ],
            Self::Remotes => &["remote", "-v"],
            Self::Roots => &["rev-list", "--max-parents=0", "HEAD"],
            Self::Blob(_) => &["cat-file", "blob"],
            Self::Log(_) => &helix_capture::read::git::ARGUMENTS,
        };
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Self::Blob(id) = self {
            words.push(hex::encode(id));
        }
        if let Self::Log(after) = self {
            words.push(format!("--max-count={COMMITS_MAX}"));
            words.extend(after.map(|hash| format!("{hash}..HEAD")));
        }
        words
    }

    const fn deadline(self) -> Duration {
        match self {
            Self::Place | Self::Remotes | Self::Blob(_) => READ_DEADLINE,
            Self::Roots | Self::Log(_) => WALK_DEADLINE,
        }
    }

    const fn max_bytes(self) -> usize {
        match self {
            Self::Place | Self::Remotes | Self::Roots => ANSWER_MAX_BYTES,
            Self::Blob(_) => BLOB_MAX_BYTES,
            Self::Log(_) => LOG_MAX_BYTES,
        }
    }
}

/// See [`GROUPS`].
struct Groups {
    running: Vec<u32>,
    /// True if the daemon ends, so that no further run is started.
    is_over: bool,
}

fn groups() -> MutexGuard<'static, Groups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all runs, and starts no further one: for a daemon that is about to end, or to become
/// another program.
pub(crate) fn end() {
    let mut groups = groups();
    groups.is_over = true;
    groups.running.iter().copied().for_each(kill_group);
}

/// Kills a run that is not reaped yet, so that its number is still its own.
fn kill_group(id: u32) {
    if let Ok(group) = i32::try_from(id) {
        killpg(Pid::from_raw(group), Signal::SIGKILL).ok();
    }
}

/// Starts a run, which [`end`] knows from the beginning.
fn spawn(mut command: Command) -> Result<Child, GitError> {
    let mut groups = groups();
    if groups.is_over {
        return Err(GitError::Ending);
    }
    let child = command.spawn()?;
    groups.running.push(child.id());
    Ok(child)
}

/// Takes note of the end of a run; `None` when it lives on.
fn reap(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut groups = groups();
    let status = child.try_wait()?;
    if status.is_some() {
        groups.running.retain(|id| *id != child.id());
    }
    Ok(status)
}

/// Asks git and waits for its answer, without white space at its end. Blocks up to the question's
/// deadline.
///
/// # Errors
/// See [`GitError`]. An empty answer is none.
pub(crate) fn ask(directory: &Path, question: Question<'_>) -> Result<String, GitError> {
    Running::start(directory, question)?.answer()
}

/// A run of git in a process group of its own. Dropped, it is killed and reaped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Option<Child>,
    allowed: Duration,
    deadline: Instant,
    max_bytes: usize,
}

impl Running {
    /// Starts git, so that several may run at once.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(directory: &Path, question: Question<'_>) -> Result<Self, GitError> {
        if unreaped() >= UNREAPED_MAX {
            return Err(GitError::Hangs);
        }
        let child = spawn(command(directory, &question.arguments()))?;
        let allowed = question.deadline();
        let deadline = Instant::now() + allowed;
        Ok(Self {
            child: Some(child),
            allowed,
            deadline,
            max_bytes: question.max_bytes(),
        })
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// As [`ask`].
    pub(crate) fn answer(mut self) -> Result<String, GitError> {
        let written = self.read()?;
        let status = self.end()?;
        let text = String::from_utf8(written).map_err(|_| GitError::Refused)?;
        let is_answer = status.success() && !text.trim().is_empty();
        if is_answer {
            Ok(text.trim_end().to_owned())
        } else {
            Err(GitError::Refused)
        }
    }

    fn read(&mut self) -> Result<Vec<u8>, GitError> {
        let late = GitError::Late(self.allowed);
        let Some(mut output) = self.child.as_mut().and_then(|child| child.stdout.take()) else {
            return Err(late);
        };
        let mut written = Vec::new();
        let mut piece = [0; PIECE_BYTES];
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            match poll(
                &mut [PollFd::new(output.as_fd(), PollFlags::POLLIN)],
                timeout,
            ) {
                Ok(0) => return Err(late),
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(errno) => return Err(GitError::NotRun(errno.into())),
            }
            let count = output.read(&mut piece)?;
            if count == 0 {
                return Ok(written);
            }
            written.extend_from_slice(piece.get(..count).unwrap_or_default());
            if written.len() > self.max_bytes {
                return Err(GitError::TooLong(self.max_bytes));
            }
        }
    }

    /// Waits for the process, which has closed its output.
    fn end(&mut self) -> Result<ExitStatus, GitError> {
        let status = self
            .child
            .as_mut()
            .map(|child| await_end(child, self.deadline));
        let status = status
            .transpose()?
            .flatten()
            .ok_or(GitError::Late(self.allowed))?;
        self.child = None;
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        kill_group(child.id());
        if !matches!(
            await_end(&mut child, Instant::now() + KILL_DEADLINE),
            Ok(Some(_))
        ) {
            UNREAPED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(child);
        }
    }
}

/// Waits for a process until a moment; `None` when it lives on.
fn await_end(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        let status = reap(child)?;
        if status.is_some() || Instant::now() >= until {
            return Ok(status);
        }
        thread::sleep(LOOK_PAUSE);
    }
}

/// Reaps killed runs that have ended meanwhile. Returns how many have not.
fn unreaped() -> usize {
    let mut unreaped = UNREAPED.lock().unwrap_or_else(PoisonError::into_inner);
    unreaped.retain_mut(|child| matches!(reap(child), Ok(None)));
    unreaped.len()
}

fn command(directory: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "--no-optional-locks"]);
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", *setting]));
    command.arg("-C").arg(directory).args(arguments);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_foreign)) {
        command.env_remove(name);
    }
    command
        .env_remove("SSH_ASKPASS")
        .envs(VARIABLES.iter().copied());
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Returns whether a variable could make git do something else than it is asked.
fn is_foreign(name: &str) -> bool {
    name.starts_with("GIT_") && !KEPT_VARIABLES.contains(&name)
}

#[cfg(test)]
mod tests;
