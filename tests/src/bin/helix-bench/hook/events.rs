//! Every event, as Claude Code would send it in a session that works on a project.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use helix_tests::fixtures::claude_hook;
use helix_tests::{Binary, Home};
use serde_json::{Value, json};

use super::output::{failing_build, succeeding_tests};
use super::variant::{Expected, Variant};
use crate::corpus::{Corpus, source_path};
use crate::fixture::project;

/// Lines of a file that is opened.
const FILE_LINES: usize = 500;

/// A file about which nothing is remembered: only what is in it brings something up.
const OTHER_FILE: &str = "src/other.rs";

/// A file that is another one in each round.
const FIRST_FILE: &str = "src/first.rs";

/// Bytes of the session's transcript, which some events look into.
const TRANSCRIPT_BYTES: usize = 1024 * 1024;

/// Cost that a hook may have over the floor, in microseconds.
const EMPTY_OVER_FLOOR_MAX_US: f64 = 150.0;
const AMBIENT_OVER_FLOOR_MAX_US: f64 = 1_000.0;

/// Number of memories that the target for `ambient` is about.
const AMBIENT_TARGET_SIZE: usize = 100_000;

/// Answers in a hundred rounds: of what has an answer in every round, and of what depends on the
/// words of the round. A busy machine loses some.
const ALWAYS: Expected = Expected::AnswersAtLeast(95);
const OFTEN: Expected = Expected::AnswersAtLeast(30);

/// Names that are searched for, one a round.
const SEARCHED: usize = 200;

/// Stride between the memories that two rounds ask about.
const ROUND_STRIDE: usize = 7_919;

/// A project that hooks are run in, and whose daemon they ask.
pub(super) struct Place<'a> {
    home: &'a Home,
    corpus: &'a Corpus,
    size: usize,
    root: PathBuf,
    transcript: PathBuf,
}

impl<'a> Place<'a> {
    pub(super) fn new(home: &'a Home, corpus: &'a Corpus, size: usize) -> Result<Self> {
        let text = corpus.source_file(FILE_LINES);
        let (root, _) = project(home, &source_path(1), &text)?;
        project(home, OTHER_FILE, &text)?;
        let transcript = home.scratch().join("transcript.jsonl");
        fs::write(&transcript, transcript_text(corpus, size))?;
        Ok(Self {
            home,
            corpus,
            size,
            root,
            transcript,
        })
    }

    /// Every event in the order of a session, and among them what an answer of nothing costs.
    pub(super) fn every_event(&self) -> Result<Vec<Variant>> {
        let ([removed, missing], searched, moved) = self.identifiers()?;
        let builds = moved
            .iter()
            .map(|name| failing_build("E0433", name))
            .collect();
        let edit = json!({
            "file_path": self.root.join(OTHER_FILE), "old_string": format!("pub fn {removed}(value: &str) -> usize {{\n"),
            "new_string": "pub fn renamed(value: &str) -> usize {\n", "replace_all": false,
        });
        Ok(vec![
            self.session()?,
            self.prompt("prompt")?,
            self.ambient_read()?,
            self.grep(searched)?,
            self.error_context(&failing_build("E0425", &missing))?,
            self.tool("ambient, Edit, a symbol goes", "Edit", edit)?,
            self.bash("post-build, a build fails", builds, OFTEN)?,
            self.bash(
                "post-build, tests pass",
                vec![succeeding_tests()],
                Expected::Silence,
            )?,
            self.event(
                "subagent, one starts",
                "subagent",
                "SubagentStart",
                ALWAYS,
                |_, _| (),
            )?,
            self.agent()?,
            self.event(
                "approve-mcp",
                "approve-mcp",
                "PermissionRequest-mcp__toy__recall",
                ALWAYS,
                |input, _| {
                    input["tool_name"] = "mcp__helix__store".into();
                },
            )?,
            self.nothing()?,
            self.event(
                "pre-compact",
                "pre-compact",
                "PreCompact-auto",
                Expected::Silence,
                |_, _| (),
            )?,
            self.event("stop", "stop", "Stop", Expected::Silence, |_, _| ())?,
            self.event(
                "session-end",
                "session-end",
                "SessionEnd-other",
                Expected::Silence,
                |_, _| (),
            )?,
        ])
    }

    /// Before a file is read about which there are memories.
    pub(super) fn ambient_read(&self) -> Result<Variant> {
        let input = json!({"file_path": self.root.join(source_path(1))});
        let mut variant = self.tool("ambient, Read", "Read", input)?;
        variant.over_floor_max_us =
            (self.size == AMBIENT_TARGET_SIZE).then_some(AMBIENT_OVER_FLOOR_MAX_US);
        Ok(variant)
    }

    /// A question that the embedder is asked about as well.
    pub(super) fn prompt_with_meaning(&self) -> Result<Variant> {
        self.prompt("prompt, with meaning")
    }

    /// First look at a file, whose meaning nobody has asked for.
    pub(super) fn first_look_with_meaning(&self) -> Result<Variant> {
        let (file, text) = (
            self.root.join(FIRST_FILE),
            self.corpus.source_file(FILE_LINES),
        );
        let name = "ambient, first Read, with meaning";
        self.event(
            name,
            "ambient",
            "PreToolUse-Read",
            OFTEN,
            move |input, round| {
                // What could not be written is looked at as it was, and answered sooner.
                fs::write(&file, format!("// Round {round}\n{text}")).ok();
                input["tool_input"] = json!({ "file_path": file });
            },
        )
    }

    /// Measures the least that any event costs: a session of which nothing is known stops, and
    /// writes no transcript. It comes after a light one: the first of a round finds the caches full
    /// of the daemon before.
    fn nothing(&self) -> Result<Variant> {
        let mut variant = self.event(
            "an empty answer",
            "stop",
            "Stop",
            Expected::Silence,
            |input, _| {
                input["session_id"] = "bench-nothing".into();
                input["transcript_path"] = Value::Null;
            },
        )?;
        variant.over_floor_max_us = Some(EMPTY_OVER_FLOOR_MAX_US);
        Ok(variant)
    }

    /// A session of its own, so that the others of a round are not given less by what it starts
    /// with.
    fn session(&self) -> Result<Variant> {
        self.event(
            "session",
            "session",
            "SessionStart-startup",
            ALWAYS,
            |input, round| {
                input["session_id"] = format!("bench-start-{round}").into();
            },
        )
    }

    pub(super) fn prompt(&self, name: &str) -> Result<Variant> {
        let questions = self.questions();
        self.event(
            name,
            "prompt",
            "UserPromptSubmit",
            OFTEN,
            move |input, round| {
                input["prompt"] = questions[round % questions.len()].clone().into();
            },
        )
    }

    fn agent(&self) -> Result<Variant> {
        let questions = self.questions();
        self.event(
            "subagent, one is spawned",
            "subagent",
            "PreToolUse-Agent",
            OFTEN,
            move |input, round| {
                input["tool_input"]["prompt"] = questions[round % questions.len()].clone().into();
            },
        )
    }

    fn grep(&self, searched: Vec<String>) -> Result<Variant> {
        self.event(
            "ambient, Grep",
            "ambient",
            "PreToolUse-Read",
            ALWAYS,
            move |input, round| {
                let name = &searched[round % searched.len()];
                input["tool_name"] = "Grep".into();
                input["tool_input"] =
                    json!({"pattern": format!("{name}\\("), "output_mode": "content", "-n": true});
            },
        )
    }

    fn tool(&self, name: &str, tool: &'static str, tool_input: Value) -> Result<Variant> {
        self.event(
            name,
            "ambient",
            "PreToolUse-Read",
            ALWAYS,
            move |input, _| {
                input["tool_name"] = tool.into();
                input["tool_input"] = tool_input.clone();
            },
        )
    }

    /// A command behind a pipe, which hides whether it failed. It says one of these.
    fn bash(&self, name: &str, outputs: Vec<String>, expected: Expected) -> Result<Variant> {
        self.event(
            name,
            "post-build",
            "PostToolUse-Bash",
            expected,
            move |input, round| {
                input["tool_input"]["command"] = "cargo test 2>&1 | tail -400".into();
                input["tool_response"]["stdout"] = outputs[round % outputs.len()].clone().into();
            },
        )
    }

    fn error_context(&self, output: &str) -> Result<Variant> {
        let error = format!("Exit code 101\n{output}");
        self.event(
            "error-context",
            "error-context",
            "PostToolUseFailure-Bash",
            OFTEN,
            move |input, _| {
                input["tool_input"]["command"] = "cargo test".into();
                input["error"] = error.clone().into();
            },
        )
    }

    /// An event with the input of a recording, changed for this project, for the session of a
    /// round, and by `change`.
    fn event(
        &self,
        name: &str,
        event: &'static str,
        sample: &str,
        expected: Expected,
        change: impl Fn(&mut Value, usize) + 'static,
    ) -> Result<Variant> {
        let mut input = claude_hook(sample)?.input;
        input["cwd"] = self.root.to_string_lossy().into();
        input["transcript_path"] = self.transcript.to_string_lossy().into();
        let mut variant = Variant::plain(name, Binary::Hook.path(), vec![event]);
        variant.size = Some(self.size);
        variant.home = Some(self.home.paths.home.clone());
        variant.expected = expected;
        variant.stdin = Box::new(move |round| {
            let mut input = input.clone();
            input["session_id"] = format!("bench-{round}").into();
            // No event of a client's is the same as another, and the same is answered once.
            input["round"] = round.into();
            change(&mut input, round);
            input.to_string().into_bytes()
        });
        Ok(variant)
    }

    /// Lists the questions, round by round.
    fn questions(&self) -> Vec<String> {
        (0..64)
            .map(|round| {
                self.corpus
                    .question(round * ROUND_STRIDE % self.size, self.size)
            })
            .collect()
    }

    /// Identifiers that memories name: two, and others that are searched for or that builds stumble
    /// over, each in so few rounds that it is not yet ignored.
    fn identifiers(&self) -> Result<([String; 2], Vec<String>, Vec<String>)> {
        let mut known = HashSet::new();
        let mentioned = (0..self.size).flat_map(|number| {
            let text = self.corpus.memory(number, self.size).text;
            text.split(' ')
                .filter(|word| word.contains('_'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        let mut names = mentioned.filter(|name| known.insert(name.clone()));
        let first: Vec<String> = names.by_ref().take(2).collect();
        let first = first
            .try_into()
            .ok()
            .context("the memories name too few identifiers")?;
        let mut searched: Vec<String> = names.take(2 * SEARCHED).collect();
        let moved = searched.split_off(searched.len() / 2);
        ensure!(
            !searched.is_empty() && !moved.is_empty(),
            "the memories name too few identifiers"
        );
        Ok((first, searched, moved))
    }
}

/// A transcript that says nothing of what hooks gave.
fn transcript_text(corpus: &Corpus, size: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= TRANSCRIPT_BYTES {
            break;
        }
        let content = corpus.question(number % size, size).repeat(20);
        let line =
            json!({"type": "assistant", "message": {"role": "assistant", "content": content}});
        // A string takes everything.
        writeln!(text, "{line}").ok();
    }
    text
}
