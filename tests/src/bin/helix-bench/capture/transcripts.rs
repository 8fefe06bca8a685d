//! Transcripts as Claude Code and Codex write them: much that was read and printed, little that was
//! said.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use helix_capture::golden::Case;
use serde_json::{Value, json};

use crate::corpus::{Corpus, Numbers};

/// Memories whose texts lend what is said words that nobody said before.
const TEXTS: usize = 1_000_000;

/// Bytes of one session.
const SESSION_BYTES: usize = 2_000_000;

/// Bytes of one session that never ended.
const LONG_SESSION_BYTES: usize = 40_000_000;

/// Lines of a file that an agent reads.
const READ_LINES: [usize; 3] = [80, 300, 900];

/// Words about what was done, in the order of a turn.
const REPORTS: [&str; 4] = [
    "Let me look at how this is called before I change it.",
    "The build passes now; next I will run the tests of this package.",
    "I have read both files. The parser takes its limits from the settings and the caller passes them on.",
    "That did not compile. I will look at the error and try again.",
];

/// A client's way to write a session.
#[derive(Clone, Copy)]
enum Client {
    Claude,
    Codex,
}

/// Writes sessions of so many bytes into a home directory, of a project at `root`; returns the bytes.
pub(super) fn write(
    home: &Path,
    root: &Path,
    corpus: &Corpus,
    said: &[Case],
    bytes: usize,
) -> Result<usize> {
    let claude = home.join(".claude/projects/-project");
    let codex = home.join(".codex/sessions/2026/11/20");
    fs::create_dir_all(&claude)?;
    fs::create_dir_all(&codex)?;
    let files = READ_LINES.map(|lines| corpus.source_file(lines));
    let mut written = 0;
    let mut number = 0;
    while written < bytes {
        let is_claude = number % 3 < 2;
        let (client, file) = if is_claude {
            (Client::Claude, claude.join(format!("s-{number:04}.jsonl")))
        } else {
            let name = format!("rollout-2026-11-20T10-00-00-{number:04}.jsonl");
            (Client::Codex, codex.join(name))
        };
        let most = if number == 0 {
            LONG_SESSION_BYTES
        } else {
            SESSION_BYTES
        };
        let mut session = Session {
            client,
            name: format!("s-{number:04}"),
            root: root.to_string_lossy().into_owned(),
            corpus,
            out: BufWriter::new(File::create(file)?),
            bytes: 0,
            calls: 0,
            numbers: Numbers::new(number),
        };
        session.write(said, &files, most.min(bytes - written))?;
        written += session.bytes;
        number += 1;
    }
    Ok(written)
}

struct Session<'a> {
    client: Client,
    name: String,
    root: String,
    corpus: &'a Corpus,
    out: BufWriter<File>,
    bytes: usize,
    calls: usize,
    numbers: Numbers,
}

impl Session<'_> {
    fn write(&mut self, said: &[Case], files: &[String], bytes: usize) -> Result<()> {
        if matches!(self.client, Client::Codex) {
            let meta = json!({"id": self.name, "cwd": self.root, "cli_version": "0.169.0"});
            self.codex("session_meta", &meta)?;
        }
        while self.bytes < bytes {
            let turn = &said[self.numbers.place(said.len())];
            let more = self.unheard();
            self.user(&format!("{}\n{more}", turn.text))?;
            for _ in 0..=self.numbers.place(5) {
                let report = REPORTS[self.numbers.place(REPORTS.len())];
                let more = self.unheard();
                self.assistant(&format!("{report} {more}"))?;
                let file = self.numbers.place(files.len());
                self.work(&files[file])?;
            }
        }
        Ok(self.out.flush()?)
    }

    /// A sentence that no other session has.
    fn unheard(&mut self) -> String {
        let number = self.numbers.place(TEXTS);
        self.corpus.question(number, TEXTS)
    }

    /// A file is read, or a command run.
    fn work(&mut self, file: &str) -> Result<()> {
        if self.numbers.below(3) == 0 {
            let lines: Vec<&str> = file.lines().take(60).collect();
            let output = format!("{}\ntest result: ok. 60 passed\n", lines.join("\n"));
            self.call("Bash", &json!({"command": "cargo test -p ledger"}), &output)
        } else {
            let input = json!({"file_path": format!("{}/src/ledger.rs", self.root)});
            self.call("Read", &input, file)
        }
    }

    fn user(&mut self, text: &str) -> Result<()> {
        match self.client {
            Client::Claude => self.claude("user", &json!({"role": "user", "content": text})),
            Client::Codex => self.codex_message("user", "input_text", text),
        }
    }

    fn assistant(&mut self, text: &str) -> Result<()> {
        match self.client {
            Client::Claude => {
                let content = json!([{"type": "text", "text": text}]);
                self.claude(
                    "assistant",
                    &json!({"role": "assistant", "content": content}),
                )
            }
            Client::Codex => self.codex_message("assistant", "output_text", text),
        }
    }

    fn call(&mut self, tool: &str, input: &Value, output: &str) -> Result<()> {
        self.calls += 1;
        let id = format!("call_{:06}", self.calls);
        match self.client {
            Client::Claude => {
                let call = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
                self.claude("assistant", &json!({"role": "assistant", "content": call}))?;
                let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output}]);
                self.claude("user", &json!({"role": "user", "content": result}))
            }
            Client::Codex => {
                let name = if tool == "Bash" {
                    "exec_command"
                } else {
                    "view_file"
                };
                let arguments = json!({"cmd": input["command"]}).to_string();
                let call = json!({
                    "type": "function_call", "name": name, "arguments": arguments, "call_id": id,
                });
                self.codex("response_item", &call)?;
                let output = format!("Process exited with code 0\nOutput:\n{output}");
                let result =
                    json!({"type": "function_call_output", "call_id": id, "output": output});
                self.codex("response_item", &result)
            }
        }
    }

    fn claude(&mut self, kind: &str, message: &Value) -> Result<()> {
        let record = json!({
            "type": kind, "message": message, "sessionId": self.name, "cwd": self.root,
            "version": "2.1.330", "gitBranch": "main", "isSidechain": false,
            "userType": "external", "timestamp": "2026-11-20T10:00:00.000Z",
            "uuid": format!("{}-{}", self.name, self.bytes),
        });
        self.line(&record)
    }

    fn codex_message(&mut self, role: &str, kind: &str, text: &str) -> Result<()> {
        let content = json!([{"type": kind, "text": text}]);
        self.codex(
            "response_item",
            &json!({"type": "message", "role": role, "content": content}),
        )
    }

    fn codex(&mut self, kind: &str, payload: &Value) -> Result<()> {
        let at = "2026-11-20T10:00:00.000Z";
        self.line(&json!({"timestamp": at, "type": kind, "payload": payload}))
    }

    fn line(&mut self, record: &Value) -> Result<()> {
        let line = format!("{record}\n");
        self.bytes += line.len();
        Ok(self.out.write_all(line.as_bytes())?)
    }
}
