//! Runs the real `helix-mcp` as a client would: over pipes, line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::{Binary, Home};

/// How long an answer may take before the test fails; generous, because the machine may be busy.
const ANSWER_DEADLINE: Duration = Duration::from_mins(1);

/// Where Claude Code puts its session's id.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// A running bridge.
#[derive(Debug)]
pub struct Bridge {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text for the model.
    pub text: String,
    /// True if it is an error.
    pub is_error: bool,
}

impl Bridge {
    /// Starts one in a directory.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(home: &Home, cwd: &Path) -> Result<Self> {
        Self::spawn(home.command(Binary::Mcp).env_remove(SESSION_VARIABLE), cwd)
    }

    fn spawn(command: &mut Command, cwd: &Path) -> Result<Self> {
        command.current_dir(cwd).env("TZ", "UTC");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = BufReader::new(child.stdout.take().context("no stdout")?);
        let (sender, lines) = channel();
        // Ends with the child's stdout.
        thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            lines,
        })
    }

    /// Starts one and greets it as the clients before 2026-07-28 do.
    ///
    /// # Errors
    /// When it cannot be started, or does not greet.
    pub fn greeted(home: &Home, cwd: &Path) -> Result<Self> {
        Self::start(home, cwd)?.greet()
    }

    /// Starts one that offers a set of tools and greets it.
    ///
    /// # Errors
    /// When it cannot be started, or does not greet.
    pub fn offering(home: &Home, cwd: &Path, tools: &str) -> Result<Self> {
        Self::spawn(home.command(Binary::Mcp).args(["--tools", tools]), cwd)?.greet()
    }

    /// Starts one for a session of Claude Code and greets it.
    ///
    /// # Errors
    /// When it cannot be started, or does not greet.
    pub fn of_session(home: &Home, cwd: &Path, session: &str) -> Result<Self> {
        Self::spawn(
            home.command(Binary::Mcp).env(SESSION_VARIABLE, session),
            cwd,
        )?
        .greet()
    }

    fn greet(mut self) -> Result<Self> {
        let client = json!({"name": "test-agent", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(
            &json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}),
        )?;
        ensure!(
            answer["result"]["serverInfo"]["name"] == "helix",
            "{answer}"
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(self)
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn send(&mut self, message: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stdin is closed")?;
        stdin.write_all(format!("{message}\n").as_bytes())?;
        Ok(stdin.flush()?)
    }

    /// Sends a request and waits for its answer, which has to come next.
    ///
    /// # Errors
    /// When something else comes, or nothing.
    pub fn ask(&mut self, request: &Value) -> Result<Value> {
        self.send(request)?;
        let answer = self
            .receive()
            .with_context(|| format!("no answer to {request}"))?;
        ensure!(
            answer["jsonrpc"] == "2.0" && answer["id"] == request["id"],
            "{answer} answers {request}"
        );
        Ok(answer)
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// When none comes, or it is not JSON.
    pub fn receive(&mut self) -> Result<Value> {
        let line = self.lines.recv_timeout(ANSWER_DEADLINE)?;
        serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))
    }

    /// Sends a call of a tool and waits for nothing.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn send_call(&mut self, id: u64, tool: &str, arguments: &Value) -> Result<()> {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// When there is no answer, or it is not plain text.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask(
            &json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}),
        )?;
        Answer::of(&answer)
    }

    /// Calls a tool that must not fail, and returns its text.
    ///
    /// # Errors
    /// When it fails.
    pub fn text(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer = self.call(tool, arguments)?;
        ensure!(!answer.is_error, "{tool} {arguments}: {}", answer.text);
        Ok(answer.text)
    }

    /// Sends a signal.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(kill(
            Pid::from_raw(i32::try_from(self.child.id())?),
            signal,
        )?)
    }

    /// Closes its stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end and for the end of its stdout, which nobody else may hold open.
    ///
    /// # Errors
    /// When it does not end, or says something more.
    pub fn finish(mut self) -> Result<ExitStatus> {
        match self.lines.recv_timeout(ANSWER_DEADLINE) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => bail!("somebody holds the bridge's stdout open"),
            Ok(line) => bail!("an answer to nothing: {line}"),
        }
        let status = self.child.wait()?;
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .context("no stderr")?
            .read_to_string(&mut stderr)?;
        ensure!(stderr.is_empty(), "complained: {stderr}");
        Ok(status)
    }

    /// Closes its stdin and expects a clean end.
    ///
    /// # Errors
    /// When the end is not clean.
    pub fn finish_cleanly(mut self) -> Result<()> {
        self.close_stdin();
        let status = self.finish()?;
        ensure!(status.code() == Some(0), "ended with {status}");
        Ok(())
    }
}

impl Answer {
    /// Reads the answer to a call. It has to say everything in one text, because a client shows the
    /// model nothing else.
    ///
    /// # Errors
    /// When it is something else.
    pub fn of(answer: &Value) -> Result<Self> {
        let result = &answer["result"];
        ensure!(
            result.get("structuredContent").is_none(),
            "structured content replaces the text: {answer}"
        );
        let content = result["content"]
            .as_array()
            .with_context(|| format!("no content: {answer}"))?;
        ensure!(content.len() == 1, "{answer}");
        let text = result["content"][0]["text"]
            .as_str()
            .with_context(|| format!("no text: {answer}"))?;
        Ok(Self {
            text: text.to_owned(),
            is_error: result["isError"].as_bool().unwrap_or(false),
        })
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // A failed test leaves no process behind; one that has ended cannot be killed, which is
        // fine.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
