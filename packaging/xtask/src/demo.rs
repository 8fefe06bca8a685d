//! The demonstration that ends `up`: stores three memories about this repository, finds one by
//! meaning, and shows what an agent would be told when it opens a file. Every claim it prints was
//! checked; a repeated run stores nothing twice.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::binaries::SHIM;
use crate::run::{capture, run, say};
use crate::up::Environment;
use crate::workspace::Workspace;

/// How long the model may take to load and to embed three sentences on a busy machine.
const EMBEDDING_DEADLINE: Duration = Duration::from_secs(30);

/// How often the search is repeated meanwhile.
const POLL: Duration = Duration::from_millis(250);

/// Hooks that are tried: each answers in time or says nothing, and a busy machine may need a second
/// one.
const HOOK_TRIES: u32 = 5;

/// A memory about this repository.
struct Memory {
    topic: &'static str,
    kind: &'static str,
    source: &'static str,
    tags: &'static str,
    text: &'static str,
}

/// Memories to store. The first is what a hook shows, the second what the question finds.
const MEMORIES: [Memory; 3] = [
    Memory {
        topic: "wire-format",
        kind: "decision",
        source: "proto/src/frame.rs:1",
        tags: "protocol,hooks",
        text: "The hook shim and helixd exchange one length-prefixed HLX1 frame per connection; everything else on that \
               socket is gRPC, recognised by its first four bytes.",
    },
    Memory {
        topic: "build-gotchas",
        kind: "gotcha",
        source: "Cargo.toml",
        tags: "build",
        text: "Link-time optimisation is on in the dist profile alone; switched on for release it makes every build \
               a minute slower.",
    },
    Memory {
        topic: "build-conventions",
        kind: "convention",
        source: ".cargo/config.toml",
        tags: "build",
        text: "cargo xtask is the one entry point here: up, test and bench share the release profile, so heavy \
               dependencies are built once; dist alone has a profile of its own.",
    },
];

/// A question about the second memory that shares no word with any of them.
const QUESTION: &str = "why does compiling take so long";

/// The query where there is no model.
const WORDS: &str = "link time optimisation";

/// Says whether texts can be compared by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Available,
    Absent,
}

/// Everything the demonstration runs with.
pub(crate) struct Demonstration<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) environment: &'a Environment,
    pub(crate) meaning: Meaning,
}

impl Demonstration<'_> {
    pub(crate) fn give(&self) -> Result<()> {
        let handles = MEMORIES
            .iter()
            .map(|memory| self.store(memory))
            .collect::<Result<Vec<_>>>()?;
        self.find(&MEMORIES[1])?;
        self.show_injection(&MEMORIES[0])?;
        say(
            "  These three memories stay in your store, in the scope of this repository alone. To forget them:",
        );
        say(&format!("    {}", self.removal(&handles)));
        Ok(())
    }

    /// The one line that takes the memories out again.
    fn removal(&self, handles: &[String]) -> String {
        let helixctl = self.environment.spelled(&self.workspace.bin("helixctl"));
        format!(
            "for memory in {}; do {helixctl} forget $memory; done",
            handles.join(" ")
        )
    }

    fn helixctl(&self, arguments: &[&str]) -> Command {
        let mut command = self
            .environment
            .command(&self.workspace.bin("helixctl"), &self.workspace.root);
        command.args(arguments);
        command
    }

    /// Stores a memory and returns its handle; one that is already there is reinforced, and
    /// helixctl says so.
    fn store(&self, memory: &Memory) -> Result<String> {
        say(&format!(
            "  $ helixctl add --topic {} --kind {} --source {} …",
            memory.topic, memory.kind, memory.source
        ));
        let mut add = self.helixctl(&["add", "--topic", memory.topic, "--kind", memory.kind]);
        add.args([
            "--source",
            memory.source,
            "--tags",
            memory.tags,
            memory.text,
        ]);
        let said = capture(&mut add)
            .with_context(|| format!("the memory about {} could not be stored", memory.topic))?;
        say(&format!("  {}", said.trim_end()));
        // What became of it, a tab, its handle.
        let handle = said
            .trim_end()
            .split_once('\t')
            .map(|(_, handle)| handle.to_owned());
        handle.with_context(|| {
            format!(
                "`helixctl add` did not say the handle of the memory about {}",
                memory.topic
            )
        })
    }

    /// Searches until the memory's vector is there, then shows the search as a user sees it.
    fn find(&self, memory: &Memory) -> Result<()> {
        let question = match self.meaning {
            Meaning::Available => QUESTION,
            Meaning::Absent => {
                say("  There is no embedding model, so this search is by words, not by meaning.");
                WORDS
            }
        };
        let deadline = Instant::now() + EMBEDDING_DEADLINE;
        while !mentions(
            &capture(&mut self.helixctl(&["search", "--json", question]))?,
            memory.text,
        ) {
            ensure!(
                Instant::now() < deadline,
                "searching for \"{question}\" did not find what was just stored; `helixctl doctor` says what is wrong"
            );
            std::thread::sleep(POLL);
        }
        if self.meaning == Meaning::Available {
            say("  Found by meaning: the question below shares no word with what it finds.");
        }
        say(&format!("  $ helixctl search \"{question}\""));
        run(&mut self.helixctl(&["search", question]))
    }

    /// Opens a file the way an agent does, through the real hook.
    fn show_injection(&self, memory: &Memory) -> Result<()> {
        let (file, _) = memory.source.split_once(':').unwrap_or((memory.source, ""));
        let path = self.workspace.root.join(file);
        say(&format!("  When an agent opens {file}, the hook tells it:"));
        for attempt in 0..HOOK_TRIES {
            let session = format!("helix-up-{}-{attempt}", std::process::id());
            if let Some(text) = injected(&self.ambient(&session, &path)?)? {
                text.lines().for_each(|line| say(&format!("    | {line}")));
                return Ok(());
            }
        }
        bail!(
            "the hook said nothing about {file}, {HOOK_TRIES} times; `helixctl doctor` says what is wrong"
        )
    }

    /// Feeds the hook what Claude Code sends before it reads a file; returns what the hook prints.
    fn ambient(&self, session: &str, file: &Path) -> Result<String> {
        let event = json!({
            "session_id": session,
            "transcript_path": "",
            "cwd": self.workspace.root,
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": { "file_path": file },
            "tool_use_id": session,
        });
        let mut hook = self
            .environment
            .command(&self.workspace.bin(SHIM), &self.workspace.root);
        let mut child = hook
            .arg("ambient")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("could not start helix-hook")?;
        let mut stdin = child.stdin.take().context("helix-hook has no stdin")?;
        stdin
            .write_all(event.to_string().as_bytes())
            .context("helix-hook did not read its stdin")?;
        drop(stdin);
        let output = child
            .wait_with_output()
            .context("could not read what helix-hook says")?;
        ensure!(
            output.status.success(),
            "helix-hook ended with {}",
            output.status
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Returns the text that a hook's answer gives to the agent, or nothing for an empty answer.
fn injected(answer: &str) -> Result<Option<String>> {
    if answer.trim().is_empty() {
        return Ok(None);
    }
    let answer: Value = serde_json::from_str(answer).context("the hook's answer is not JSON")?;
    let text = answer
        .pointer("/hookSpecificOutput/additionalContext")
        .and_then(Value::as_str);
    Ok(text.map(str::to_owned))
}

/// Returns whether any string in a JSON document holds the text.
fn mentions(document: &str, text: &str) -> bool {
    fn any(value: &Value, text: &str) -> bool {
        match value {
            Value::String(string) => string.contains(text),
            Value::Array(values) => values.iter().any(|value| any(value, text)),
            Value::Object(values) => values.values().any(|value| any(value, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    serde_json::from_str(document).is_ok_and(|value| any(&value, text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::*;

    /// Words as a search sees them, cut to their first five letters in place of a stemmer.
    fn stems(text: &str) -> BTreeSet<String> {
        let words = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| word.len() > 2);
        words
            .map(|word| word.to_lowercase().chars().take(5).collect())
            .collect()
    }

    #[test]
    fn the_question_shares_no_word_with_any_answer() {
        for memory in &MEMORIES {
            let (question, answer) = (stems(QUESTION), stems(memory.text));
            assert!(question.is_disjoint(&answer), "{question:?} {answer:?}");
        }
        assert!(stems(WORDS).is_subset(&stems(MEMORIES[1].text)));
    }

    #[test]
    fn every_source_is_a_file_of_this_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for memory in &MEMORIES {
            let file = memory.source.split(':').next().unwrap();
            assert!(root.join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn a_text_is_found_anywhere_in_an_answer() {
        let document = r#"{"hits": [{"memory": {"text": "a \"b\" c"}}], "count": 1}"#;
        assert!(mentions(document, "a \"b\" c"));
        assert!(!mentions(document, "count"));
        assert!(!mentions("not json", "not"));
    }

    #[test]
    fn what_a_hook_tells_the_agent_is_unpacked() {
        let answer = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "one\ntwo"}}"#;
        assert_eq!(injected(answer).unwrap().as_deref(), Some("one\ntwo"));
        assert_eq!(injected("").unwrap(), None);
        assert!(injected("oops").is_err());
    }

    /// A set of programs whose `helixctl` finds what it stored and whose hook prints `answer`.
    fn programs(answer: &str) -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace {
            root: dir.path().to_owned(),
            target: dir.path().join("target"),
        };
        std::fs::create_dir_all(workspace.bin_dir()).unwrap();
        let log = dir.path().join("log").display().to_string();
        let helixctl = format!(
            "for last; do :; done\necho \"$*\" >> {log}\ncase $1-$2 in add-*) echo \"$last\" > {log}.$3; printf 'stored\\t%s/x\\n' $3;; \
             search---json) echo \"{{\\\"text\\\": \\\"$(cat {log}.build-gotchas)\\\"}}\";; esac"
        );
        let hook = format!("cat > {log}.event\ncat <<'END'\n{answer}\nEND");
        for (name, script) in [("helixctl", helixctl), (SHIM, hook)] {
            // A child writes it: a descriptor open for writing, inherited by another test's child,
            // would make it "busy".
            let write = [
                "-c",
                "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 700 \"$2\"",
                "sh",
            ];
            let status = Command::new("sh")
                .args(write)
                .arg(script)
                .arg(workspace.bin(name))
                .status();
            assert!(status.unwrap().success());
        }
        (dir, workspace)
    }

    #[test]
    fn the_demonstration_stores_searches_and_opens_a_file() {
        let answer = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "known"}}"#;
        let (dir, workspace) = programs(answer);
        for (meaning, asked) in [(Meaning::Available, QUESTION), (Meaning::Absent, WORDS)] {
            Demonstration {
                workspace: &workspace,
                environment: &Environment::default(),
                meaning,
            }
            .give()
            .unwrap();
            let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
            assert!(
                log.ends_with(&format!("search --json {asked}\nsearch {asked}\n")),
                "{log}"
            );
        }
        let event = std::fs::read_to_string(dir.path().join("log.event")).unwrap();
        let event: Value = serde_json::from_str(&event).unwrap();
        let file = event
            .pointer("/tool_input/file_path")
            .and_then(Value::as_str)
            .unwrap();
        assert_eq!(Path::new(file), dir.path().join("proto/src/frame.rs"));
    }

    #[test]
    fn what_was_stored_can_be_forgotten_by_the_line_that_is_shown() {
        let (dir, workspace) = programs("");
        let environment = Environment::default();
        let demonstration = Demonstration {
            workspace: &workspace,
            environment: &environment,
            meaning: Meaning::Absent,
        };
        let handles: Vec<String> = MEMORIES
            .iter()
            .map(|memory| demonstration.store(memory).unwrap())
            .collect();
        let line = demonstration.removal(&handles);
        assert!(
            Command::new("sh")
                .args(["-c", &line])
                .status()
                .unwrap()
                .success(),
            "{line}"
        );
        let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
        let forgotten = log
            .lines()
            .filter_map(|line| line.strip_prefix("forget "))
            .collect::<Vec<_>>();
        assert_eq!(
            forgotten,
            ["wire-format/x", "build-gotchas/x", "build-conventions/x"]
        );
    }

    #[test]
    fn a_silent_hook_fails_the_demonstration() {
        let (_dir, workspace) = programs("");
        let demonstration = Demonstration {
            workspace: &workspace,
            environment: &Environment::default(),
            meaning: Meaning::Absent,
        };
        let error = demonstration.give().unwrap_err();
        assert!(error.to_string().contains("said nothing"), "{error}");
    }
}
