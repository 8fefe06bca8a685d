//! Runs `helix-mcp` as a client would: over pipes, line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long an answer may take before the test fails; generous, because the machine may be busy.
const ANSWER_DEADLINE: Duration = Duration::from_secs(30);

/// A running bridge with a home of its own and no daemon to start.
pub(crate) struct Bridge {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    home: TempDir,
}

impl Bridge {
    pub(crate) fn start() -> Self {
        Self::start_with(TempDir::new().unwrap(), &[])
    }

    pub(crate) fn start_with(home: TempDir, variables: &[(&str, &str)]) -> Self {
        Self::start_as(home, &[], variables)
    }

    /// A bridge that offers a set of tools.
    pub(crate) fn offering(home: TempDir, tools: &str) -> Self {
        Self::start_as(home, &["--tools", tools], &[])
    }

    fn start_as(home: TempDir, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        // A home that others may read is refused.
        let owners_only = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(home.path(), owners_only).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_helix-mcp"))
            .args(arguments)
            .env_remove("HELIX_SOCKET")
            .env_remove("HELIX_LOG")
            .env("HELIX_HOME", home.path())
            .env("HELIX_DAEMON", "/nonexistent")
            .env("TZ", "UTC")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        // Ends with the child's stdout.
        thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            home,
        }
    }

    /// A bridge whose daemon accepts connections and never says a word.
    pub(crate) fn start_with_mute_daemon() -> (Self, UnixListener) {
        let home = TempDir::new().unwrap();
        std::fs::create_dir(home.path().join("run")).unwrap();
        let listener = UnixListener::bind(home.path().join("run").join("helixd.sock")).unwrap();
        (Self::start_with(home, &[]), listener)
    }

    pub(crate) fn home(&self) -> String {
        self.home.path().to_string_lossy().into_owned()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// The next message; everything on stdout has to be one.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(ANSWER_DEADLINE).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Sends a request and returns its answer, which has to come next.
    pub(crate) fn ask(&mut self, id: &Value, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], *id, "{answer}");
        answer
    }

    /// The handshake of the revisions before 2026-07-28.
    pub(crate) fn initialize(&mut self) -> Value {
        let client = json!({"name": "test-agent", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(&json!("init"), "initialize", &params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Calls a tool; returns its text and whether it is an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let answer = self.ask(
            &json!("call"),
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        );
        let result = &answer["result"];
        assert!(result.get("structuredContent").is_none(), "{answer}");
        (
            result["content"][0]["text"].as_str().unwrap().to_owned(),
            result["isError"].as_bool().unwrap_or(false),
        )
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            signal,
        )
        .unwrap();
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end; returns the exit status and everything that was still said.
    pub(crate) fn finish(mut self) -> (ExitStatus, Vec<Value>, String) {
        let rest = std::iter::from_fn(|| self.lines.recv_timeout(ANSWER_DEADLINE).ok());
        let rest = rest
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (status, rest, stderr)
    }

    /// Closes stdin and expects a clean, silent end.
    pub(crate) fn finish_cleanly(mut self) {
        self.close_stdin();
        let (status, rest, stderr) = self.finish();
        assert_eq!(
            (status.code(), rest, stderr.as_str()),
            (Some(0), Vec::new(), "")
        );
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // A failed test leaves no process behind; one that has ended cannot be killed, which is
        // fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
