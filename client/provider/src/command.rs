//! A program of the user's as a backend, such as `claude -p`: the question goes to its input, the
//! answer comes from its output.
//!
//! It runs in a process group of its own, which is killed at the deadline, and ends with
//! helix-provider. Helix's hooks are silent in it, or they would ask it again.

use std::env;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use helix_proto::provider::HOOKS_VARIABLE;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::TIED;
use crate::agents;
use crate::api::Said;
use crate::backend::Backend;
use crate::parent;
use crate::prompt::Prompt;
use crate::route::Failed;

/// Longest output that is read, in bytes.
const OUTPUT_MAX_BYTES: u64 = 1024 * 1024;

/// How often the end of the program is looked for once its output ended.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// The process group that runs now.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

/// Ends the program that runs now, if any.
pub(crate) fn end() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(group) = *running {
        killpg(group, Signal::SIGKILL).ok();
    }
}

/// Becomes a command that ends with the parent of this process.
pub(crate) fn become_it(words: Vec<OsString>) -> ExitCode {
    parent::end_with_it();
    let mut words = words.into_iter();
    let Some(program) = words.next() else {
        return ExitCode::from(helix_proto::exit::USAGE);
    };
    let error = Command::new(program).args(words).exec();
    eprintln!("helix-provider: {error}");
    ExitCode::from(helix_proto::exit::UNAVAILABLE)
}

/// What the program is told.
pub(crate) fn input(prompt: &Prompt) -> String {
    format!(
        "{}\nAnswer with one JSON object of this schema and nothing else:\n{}\n\nData:\n{}\n",
        prompt.instructions, prompt.schema, prompt.input
    )
}

/// Asks a program, which is given only what it needs of the environment.
///
/// # Errors
/// [`Failed`].
pub(crate) fn ask(backend: &Backend, prompt: &Prompt, deadline: Duration) -> Result<Said, Failed> {
    let until = Instant::now() + deadline;
    let mut running = Running::start(backend)?;
    let output = running.exchange(input(prompt));
    let left = until.saturating_duration_since(Instant::now());
    let output = output.ok_or(Failed::Unreachable)?.recv_timeout(left);
    let text = output.map_err(|_| Failed::Late)?;
    let text = String::from_utf8(text).map_err(|_| Failed::nonsense(None))?;
    match running.ended(until) {
        Some(true) => Ok(Said { text, tokens: None }),
        Some(false) => Err(Failed::Unusable),
        None => Err(Failed::Late),
    }
}

/// A program that runs. Dropped, it and its group are killed.
struct Running(Child);

impl Running {
    fn start(backend: &Backend) -> Result<Self, Failed> {
        let own = env::current_exe().map_err(|_| Failed::Unusable)?;
        let mut command = Command::new(own);
        let given = env::vars_os().filter(|(name, _)| {
            name.to_str()
                .is_some_and(|name| agents::is_given(backend, name))
        });
        command
            .arg(TIED)
            .args(&backend.command)
            .env_clear()
            .envs(given)
            .env(HOOKS_VARIABLE.0, HOOKS_VARIABLE.1)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn().map_err(|_| Failed::Unusable)?;
        *running = i32::try_from(child.id()).ok().map(Pid::from_raw);
        Ok(Self(child))
    }

    /// Has threads write the input and read the output.
    fn exchange(&mut self, input: String) -> Option<Receiver<Vec<u8>>> {
        let mut to = self.0.stdin.take()?;
        let from = self.0.stdout.take()?;
        let (sender, output) = channel();
        // A program that does not read its input has answered without the question.
        thread::spawn(move || to.write_all(input.as_bytes()).ok());
        thread::spawn(move || {
            let mut read = Vec::new();
            from.take(OUTPUT_MAX_BYTES).read_to_end(&mut read).ok();
            sender.send(read).ok();
        });
        Some(output)
    }

    /// Waits for its end; whether it was a good one.
    fn ended(&mut self, until: Instant) -> Option<bool> {
        loop {
            if let Ok(Some(status)) = self.0.try_wait() {
                return Some(status.success());
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(LOOK_PAUSE);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The group outlives its first process where that left others.
        end();
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
