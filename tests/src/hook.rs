//! Runs the real shim as a client would.

use std::io::{self, Write};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::accepts::{self, HookClient};
use crate::fixtures::claude_hook;
use crate::{Binary, Home, Project};

/// Every event that the shim may be started with.
pub const EVENTS: [&str; 10] = [
    "session",
    "prompt",
    "ambient",
    "post-build",
    "error-context",
    "pre-compact",
    "stop",
    "subagent",
    "approve-mcp",
    "session-end",
];

/// Bytes of stdin that are there before the shim starts: what a pipe holds on every system. A busy
/// machine may give its parent no turn to write for as long as a hook waits.
const WRITTEN_BEFORE_MAX_BYTES: usize = 16 * 1024;

/// Tells the events apart.
static EVENTS_SO_FAR: AtomicU64 = AtomicU64::new(0);

/// A shim at work.
#[derive(Debug)]
pub struct HookStarted {
    child: Child,
    /// Of what does not fit into a pipe.
    writer: Option<JoinHandle<io::Result<()>>>,
    begin: Instant,
}

/// A finished run of the shim.
#[derive(Debug)]
pub struct HookRun {
    /// How it ended.
    pub status: ExitStatus,
    /// Its output.
    pub stdout: Vec<u8>,
    /// Its complaints.
    pub stderr: String,
    /// How long the process took, from before its start until after its end.
    pub elapsed: Duration,
}

impl HookStarted {
    /// Starts the shim for an event and writes `stdin` to it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(home: &Home, event: Option<&str>, stdin: &[u8]) -> io::Result<Self> {
        Self::start_with(home, event.as_slice(), stdin)
    }

    /// Starts the shim with any arguments and writes `stdin` to it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start_with(home: &Home, arguments: &[&str], stdin: &[u8]) -> io::Result<Self> {
        Self::start_among(home, &[], arguments, stdin)
    }

    /// Starts the shim among variables that a client's terminal has, and writes `stdin` to it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start_among(
        home: &Home,
        variables: &[(&str, &str)],
        arguments: &[&str],
        stdin: &[u8],
    ) -> io::Result<Self> {
        let (reader, mut pipe) = io::pipe()?;
        let (before, behind) = stdin.split_at(stdin.len().min(WRITTEN_BEFORE_MAX_BYTES));
        pipe.write_all(before)?;
        let rest = (!behind.is_empty()).then(|| (pipe, behind.to_vec()));
        let begin = Instant::now();
        let mut command = home.command(Binary::Hook);
        command
            .envs(variables.iter().copied())
            .args(arguments)
            .stdin(reader)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn()?;
        // It holds the reading end as well, so that a hook that reads nothing would be waited for.
        drop(command);
        let writer = rest.map(|(mut pipe, rest)| thread::spawn(move || pipe.write_all(&rest)));
        Ok(Self {
            child,
            writer,
            begin,
        })
    }

    /// Waits for the end. A hook that does not read all of its stdin breaks its client, so that is
    /// an error.
    ///
    /// # Errors
    /// When the process cannot be waited for, or closed its stdin early.
    pub fn finish(self) -> Result<HookRun> {
        let output = self.child.wait_with_output()?;
        let elapsed = self.begin.elapsed();
        if let Some(writer) = self.writer {
            let written = writer
                .join()
                .map_err(|_| io::Error::other("the writer panicked"))?;
            written.context("the hook did not take all of its stdin")?;
        }
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(HookRun {
            status: output.status,
            stdout: output.stdout,
            stderr,
            elapsed,
        })
    }
}

impl HookRun {
    /// Runs the shim for an event to its end.
    ///
    /// # Errors
    /// When the process cannot be run, or did not take its stdin.
    pub fn of(home: &Home, event: &str, stdin: &[u8]) -> Result<Self> {
        HookStarted::start(home, Some(event), stdin)?.finish()
    }

    /// Runs the shim for an event as a client's settings have it.
    ///
    /// # Errors
    /// When the process cannot be run, or did not take its stdin.
    pub fn by(home: &Home, client: HookClient, event: &str, stdin: &[u8]) -> Result<Self> {
        Self::by_among(home, &[], client, event, stdin)
    }

    /// Runs the shim for an event as a client's settings have it, among variables of that client's.
    ///
    /// # Errors
    /// When the process cannot be run, or did not take its stdin.
    pub fn by_among(
        home: &Home,
        variables: &[(&str, &str)],
        client: HookClient,
        event: &str,
        stdin: &[u8],
    ) -> Result<Self> {
        let arguments: Vec<&str> = [event].into_iter().chain(client.argument()).collect();
        HookStarted::start_among(home, variables, &arguments, stdin)?.finish()
    }

    /// Checks what holds for every run, and that nothing was printed.
    ///
    /// # Errors
    /// When it is not so.
    pub fn check_silent(&self) -> Result<()> {
        self.check_harmless()?;
        ensure!(
            self.stdout.is_empty(),
            "printed {}",
            String::from_utf8_lossy(&self.stdout)
        );
        Ok(())
    }

    /// Checks that Claude Code would take the answer to an event of its own; see
    /// [`Self::check_taken_by`].
    ///
    /// # Errors
    /// When it would complain, or drop the answer.
    pub fn check_accepted(&self, client_event: &str) -> Result<Option<String>> {
        self.check_taken_by(HookClient::Claude, client_event)
    }

    /// Checks that a client would take the answer to an event of its own, and returns the context
    /// in it, the prompt that a tool gets instead of its own, or [`accepts::ALLOWED`].
    ///
    /// # Errors
    /// When the client would complain, or drop the answer.
    pub fn check_taken_by(&self, client: HookClient, client_event: &str) -> Result<Option<String>> {
        self.check_harmless()?;
        accepts::check(client, client_event, &self.stdout)
    }

    fn check_harmless(&self) -> Result<()> {
        ensure!(
            self.status.code() == Some(0),
            "ended with {}: {}",
            self.status,
            self.stderr
        );
        ensure!(self.stderr.is_empty(), "complained: {}", self.stderr);
        Ok(())
    }
}

/// A session of Claude Code in a project, as its hooks see it.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    home: &'a Home,
    project: &'a Project,
    id: &'a str,
    agent: Option<&'a str>,
}

impl<'a> Session<'a> {
    /// A session with an id of its own.
    #[must_use]
    pub fn new(home: &'a Home, project: &'a Project, id: &'a str) -> Self {
        Self {
            home,
            project,
            id,
            agent: None,
        }
    }

    /// A subagent inside this session.
    #[must_use]
    pub fn subagent(&self, agent: &'a str) -> Self {
        Self {
            agent: Some(agent),
            ..self.clone()
        }
    }

    /// Returns the session's digest when it starts, resumes or is compacted.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn start(&self, source: &str) -> Result<Option<String>> {
        self.hook("session", "SessionStart-startup", |input| {
            input["source"] = source.into();
        })
    }

    /// Returns the injection before `Read` opens a file of the project.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn read(&self, path: &str) -> Result<Option<String>> {
        self.tool(
            "Read",
            &serde_json::json!({"file_path": self.project.root.join(path)}),
        )
    }

    /// Returns the injection before a tool is used.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn tool(&self, name: &str, tool_input: &Value) -> Result<Option<String>> {
        self.hook("ambient", "PreToolUse-Read", |input| {
            input["tool_name"] = name.into();
            input["tool_input"] = tool_input.clone();
        })
    }

    /// Returns the injection when the user says something.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn prompt(&self, prompt: &str) -> Result<Option<String>> {
        self.hook("prompt", "UserPromptSubmit", |input| {
            input["prompt"] = prompt.into();
        })
    }

    /// Returns the injection after a command that succeeded.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn ran(&self, command: &str, stdout: &str) -> Result<Option<String>> {
        self.hook("post-build", "PostToolUse-Bash", |input| {
            input["tool_input"]["command"] = command.into();
            input["tool_response"]["stdout"] = stdout.into();
        })
    }

    /// Returns the injection after a command that failed.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn failed(&self, command: &str, output: &str) -> Result<Option<String>> {
        self.hook("error-context", "PostToolUseFailure-Bash", |input| {
            input["tool_input"]["command"] = command.into();
            input["error"] = format!("Exit code 1\n{output}").into();
        })
    }

    /// Returns the injection before `Edit` changes a file of the project.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn edit(&self, path: &str, old: &str, new: &str) -> Result<Option<String>> {
        let file = self.project.root.join(path);
        self.tool(
            "Edit",
            &serde_json::json!({"file_path": file, "old_string": old, "new_string": new}),
        )
    }

    /// Returns the reminder when it is about to stop.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn stop(&self) -> Result<Option<String>> {
        self.hook("stop", "Stop", |_| ())
    }

    /// The prompt that a subagent gets, where it is another one than this.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn spawn(&self, prompt: &str) -> Result<Option<String>> {
        self.hook("subagent", "PreToolUse-Agent", |input| {
            input["tool_input"]["prompt"] = prompt.into();
        })
    }

    /// Runs the shim for `event` with a sample, changed for this session and by `change`.
    ///
    /// # Errors
    /// When the hook does harm.
    pub fn hook(
        &self,
        event: &str,
        sample: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<Option<String>> {
        let input = self.input(sample, change)?;
        let client_event = input["hook_event_name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        HookRun::of(self.home, event, input.to_string().as_bytes())?.check_accepted(&client_event)
    }

    /// A sample as this session would give it.
    ///
    /// # Errors
    /// When there is no such sample.
    pub fn input(&self, sample: &str, change: impl FnOnce(&mut Value)) -> Result<Value> {
        let mut input = claude_hook(sample)?.input;
        input["session_id"] = self.id.into();
        input["cwd"] = self.project.root.to_string_lossy().into();
        if let Some(agent) = self.agent {
            input["agent_id"] = agent.into();
            input["agent_type"] = "general-purpose".into();
        }
        // No two events of a client are the same: what names no call belongs to a prompt of its own
        // here.
        let name = format!("{:024x}", EVENTS_SO_FAR.fetch_add(1, Ordering::Relaxed));
        let key = if input.get("tool_use_id").is_some() {
            "tool_use_id"
        } else {
            "prompt_id"
        };
        input[key] = name.into();
        change(&mut input);
        Ok(input)
    }
}
