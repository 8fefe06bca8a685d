//! `hooks`: whether what hooks say helps, and whether they are silent where nothing does. Labelled
//! cases about the memories of four fixture corpora: notes about this repository and those of three
//! made-up teams with other languages and other matters. `tests/fit-relevance.py` says which cases
//! the weights were fitted on.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use helix_proto::v1::{self, Program};
use helix_tests::process::within;
use helix_tests::{Daemon, Home, Project, Rpc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::report::{Report, Table};

/// Module that says what it weighs.
const WEIGHING: &str = "helix_app::hook::relevant";

/// How long the corpus may take to be embedded, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(5);

/// Memories, the cases about them, and the sets that these are in.
const SUITES: [(&str, &str, &[&str]); 4] = [
    ("corpus/helix.json", "hook-cases.json", &["fit", "check"]),
    ("corpus/paylane.json", "hook-cases-paylane.json", &["other"]),
    (
        "corpus/tidewatch.json",
        "hook-cases-tidewatch.json",
        &["third"],
    ),
    (
        "corpus/parcelhub.json",
        "hook-cases-parcelhub.json",
        &["fourth-fit", "fourth-check"],
    ),
];

/// Which cases are counted together, and the events of each.
const GROUPS: [(&str, &[&str]); 5] = [
    ("prompt", &["prompt"]),
    ("ambient", &["ambient"]),
    ("errors", &["error-context", "post-build"]),
    ("subagent", &["subagent"]),
    ("all", ALL_EVENTS),
];

/// The events of all cases.
pub(crate) const ALL_EVENTS: &[&str] = &[
    "prompt",
    "ambient",
    "error-context",
    "post-build",
    "subagent",
];

/// A labelled case.
#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    set: String,
    event: String,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    command: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    tool: String,
    file: Option<String>,
    pattern: Option<String>,
    content: Option<String>,
    #[serde(default)]
    old: String,
    #[serde(default)]
    new: String,
    /// What helps; empty for a case in which nothing does.
    expect: Vec<Expected>,
}

/// A memory that helps, known by a part of its text.
#[derive(Debug, Deserialize)]
struct Expected {
    contains: String,
}

/// Counts of one group of cases.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    positives: usize,
    /// Positives that were given at least one memory that helps.
    covered: usize,
    negatives: usize,
    /// Negatives that were given anything.
    disturbed: usize,
    /// Memories given, and those of them that help.
    given: usize,
    right: usize,
}

/// Files to which more than the figures is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    /// What the cases were given.
    pub(crate) cases: Option<&'a Path>,
    /// What was weighed for them, with its signs.
    pub(crate) candidates: Option<&'a Path>,
}

/// Measures, and writes what is to be kept.
pub(crate) fn measure(kept: Kept<'_>, report: &mut Report) -> Result<()> {
    let (mut lines, mut candidates) = (String::new(), String::new());
    let title = "hooks: what is said unasked";
    let head = [
        "event, cases",
        "precision",
        "coverage",
        "silent where nothing helps",
    ];
    for with_embedder in [true, false] {
        let how = if with_embedder {
            "by words and meaning"
        } else {
            "by words alone"
        };
        let mut table = Table::new(format!("{title}, {how}"), &head);
        for suite in SUITES {
            let Some(home) = home(with_embedder)? else {
                table.note("no model is installed");
                continue;
            };
            if kept.candidates.is_some() {
                // The daemon takes no home that is open to others.
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&home.paths.home)?;
                fs::write(home.paths.config(), format!("log = \"{WEIGHING}=debug\"\n"))?;
            }
            let mut prepared = Prepared::new(home, suite, with_embedder)?;
            let given = prepared.play(None, ALL_EVENTS, &Given::new())?;
            for (name, events) in GROUPS {
                for (set, tally) in prepared.tallies(&given, events) {
                    tally.write(&format!("{name}, {set}"), &mut table);
                }
            }
            if kept.candidates.is_some() {
                prepared.write_candidates(how, &mut candidates)?;
            }
            for (case, given) in prepared.cases.iter().zip(&given) {
                case.write(how, given, &mut lines)?;
            }
        }
        table.note("precision: memories given that help; coverage: cases given one that helps");
        table.note("held out: `check`, `fourth-check`, and half of `other` and `third`; the rest chose the weights");
        report.add(table);
    }
    for (file, text) in [(kept.cases, lines), (kept.candidates, candidates)] {
        if let Some(file) = file {
            fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
        }
    }
    Ok(())
}

impl Prepared {
    /// Writes a line for each memory that the daemon weighed, which says in its log what for and by
    /// which signs.
    fn write_candidates(&self, how: &str, lines: &mut String) -> Result<()> {
        for entry in fs::read_dir(self.home.paths.logs())? {
            let log = fs::read_to_string(entry?.path())?;
            for weighed in log
                .lines()
                .filter_map(|line| line.split_once("weighed for ").map(|(_, weighed)| weighed))
            {
                let quoted = |name: &str| weighed.split_once(name)?.1.split('"').next();
                let (Some(id), Some(handle)) = (quoted("session=\""), quoted("handle=\"")) else {
                    continue;
                };
                let case = self.cases.iter().find(|case| case.id == id);
                let (Some(case), Some(text)) = (case, self.texts.get(handle)) else {
                    continue;
                };
                let verdict = if case.is_helped_by(text) {
                    "helps"
                } else {
                    "disturbs"
                };
                let kind = if case.expect.is_empty() {
                    "negative"
                } else {
                    "positive"
                };
                writeln!(
                    lines,
                    "{how}\t{}\t{kind}\t{id}\t{verdict}\t{weighed}",
                    case.set
                )?;
            }
        }
        Ok(())
    }
}

/// The cases of a suite with a home that has its memories.
pub(crate) struct Prepared {
    home: Home,
    project: Project,
    cases: Vec<Case>,
    /// Texts by their handles.
    texts: HashMap<String, String>,
    sets: &'static [&'static str],
    with_embedder: bool,
}

/// What the cases of a suite were given, each its memories' texts.
pub(crate) type Given = Vec<Vec<String>>;

impl Prepared {
    /// Prepares every suite; none by meaning where no model is installed.
    pub(crate) fn all(with_embedder: bool) -> Result<Vec<Self>> {
        let mut prepared = Vec::new();
        for suite in SUITES {
            if let Some(home) = home(with_embedder)? {
                prepared.push(Self::new(home, suite, with_embedder)?);
            }
        }
        Ok(prepared)
    }

    fn new(
        home: Home,
        (corpus, cases, sets): (&str, &str, &'static [&'static str]),
        with_embedder: bool,
    ) -> Result<Self> {
        let cases: Vec<Case> = read(cases)?;
        let daemon = Daemon::start(&home)?;
        let project = Project::new(&home, "helix")?;
        let texts = remember(&home, &project, corpus)?;
        if with_embedder {
            await_vectors(&home)?;
        }
        daemon.stop()?;
        Ok(Self {
            home,
            project,
            cases,
            texts,
            sets,
            with_embedder,
        })
    }

    /// Plays the cases of these events, without a part of what hooks decide where one is named. The
    /// others keep what they were given before.
    pub(crate) fn play(
        &mut self,
        part: Option<&str>,
        events: &[&str],
        before: &Given,
    ) -> Result<Given> {
        self.home.ablate(part);
        // Its log is whole once it is over.
        let daemon = Daemon::start(&self.home)?;
        if self.with_embedder {
            await_vectors(&self.home)?;
        }
        let mut rpc = Rpc::connect(&self.home)?;
        let mut given = Given::new();
        for (at, case) in self.cases.iter().enumerate() {
            if !events.contains(&case.event.as_str()) {
                given.push(before.get(at).cloned().unwrap_or_default());
                continue;
            }
            let context = play(&mut rpc, &self.project, case)
                .with_context(|| format!("playing {}", case.id))?;
            let named = self
                .texts
                .iter()
                .filter(|(handle, _)| names(&context, handle));
            given.push(named.map(|(_, text)| text.clone()).collect());
        }
        drop(rpc);
        daemon.stop()?;
        Ok(given)
    }

    /// Counts what the cases of some events were given, set by set.
    pub(crate) fn tallies(&self, given: &Given, events: &[&str]) -> Vec<(&'static str, Tally)> {
        let mut tallies = Vec::new();
        for set in self.sets {
            let mut tally = Tally::default();
            for (case, given) in self.cases.iter().zip(given) {
                if case.set == *set && events.contains(&case.event.as_str()) {
                    tally.count(case, given);
                }
            }
            if tally.positives + tally.negatives > 0 {
                tallies.push((*set, tally));
            }
        }
        tallies
    }
}

fn home(with_embedder: bool) -> Result<Option<Home>> {
    Ok(if with_embedder {
        Home::with_embedder()?
    } else {
        Some(Home::new()?)
    })
}

impl Case {
    fn is_helped_by(&self, text: &str) -> bool {
        self.expect
            .iter()
            .any(|expected| text.contains(&expected.contains))
    }

    /// Writes a line for each text that it was given, or one for none.
    fn write(&self, how: &str, given: &[String], lines: &mut String) -> Result<()> {
        let mut line = |verdict: &str, text: &str| {
            writeln!(
                lines,
                "{how}\t{}\t{}\t{}\t{verdict}\t{}",
                self.set,
                self.event,
                self.id,
                text.replace('\n', " ")
            )
        };
        for text in given {
            line(
                if self.is_helped_by(text) {
                    "helps"
                } else {
                    "disturbs"
                },
                text,
            )?;
        }
        if given.is_empty() {
            line(
                if self.expect.is_empty() {
                    "silent"
                } else {
                    "missed"
                },
                "",
            )?;
        }
        Ok(())
    }
}

impl Tally {
    fn count(&mut self, case: &Case, given: &[String]) {
        let right = given.iter().filter(|text| case.is_helped_by(text)).count();
        self.given += given.len();
        self.right += right;
        if case.expect.is_empty() {
            self.negatives += 1;
            self.disturbed += usize::from(!given.is_empty());
        } else {
            self.positives += 1;
            self.covered += usize::from(right > 0);
        }
    }

    /// Shares of the memories given that help, of the cases given one, and of silence where nothing
    /// helps.
    pub(crate) fn shares(&self) -> [(&'static str, f64); 3] {
        let silent = self.negatives - self.disturbed;
        [
            ("precision", share(self.right, self.given)),
            ("coverage", share(self.covered, self.positives)),
            ("silent where nothing helps", share(silent, self.negatives)),
        ]
    }

    fn write(&self, name: &str, table: &mut Table) {
        let silent = self.negatives - self.disturbed;
        let cell =
            |part: usize, whole: usize| format!("{:.2} ({part} of {whole})", share(part, whole));
        table.row([
            name.to_owned(),
            cell(self.right, self.given),
            cell(self.covered, self.positives),
            cell(silent, self.negatives),
        ]);
        for (figure, value) in self.shares() {
            table.figure(&format!("{name}: {figure}"), value, "share");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "some hundred cases")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Stores the corpus as an agent of the project would; returns the texts by their handles.
fn remember(home: &Home, project: &Project, corpus: &str) -> Result<HashMap<String, String>> {
    let memories: Vec<Value> = read(corpus)?;
    let mut rpc = Rpc::connect(home)?;
    let mut texts = HashMap::new();
    for memory in memories {
        let text = |name: &str| memory[name].as_str().unwrap_or_default().to_owned();
        let tags = memory["tags"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let draft = v1::Draft {
            topic: text("topic"),
            text: text("text"),
            source: text("source"),
            tags,
            ..v1::Draft::default()
        };
        let stored = rpc.store(Program::Mcp, &project.root, draft)?;
        texts.insert(stored.handle, stored.text);
    }
    Ok(texts)
}

fn await_vectors(home: &Home) -> Result<()> {
    let mut rpc = Rpc::connect(home)?;
    within(EMBED_DEADLINE, || {
        let embedder = rpc.status()?.embedder.unwrap_or_default();
        Ok((embedder.state() == v1::EmbedderState::Ready && embedder.pending == 0).then_some(()))
    })
}

/// What a session without a past is told in a case.
fn play(rpc: &mut Rpc, project: &Project, case: &Case) -> Result<String> {
    let (event, mut input) = input(project, case);
    input["session_id"] = case.id.clone().into();
    input["cwd"] = project.root.to_string_lossy().into();
    let written = place(project, case)?;
    let request = v1::HookRequest {
        event: event.to_owned(),
        stdin: input.to_string().into_bytes(),
        dry_run: true,
        ..v1::HookRequest::default()
    };
    let reply = rpc.call(async |client| client.hook(request.clone()).await)?;
    written.map(fs::remove_file).transpose()?;
    Ok(String::from_utf8(reply.stdout)?)
}

/// Puts what the case is about into the project. Returns the file, which is to be taken away again.
fn place(project: &Project, case: &Case) -> Result<Option<PathBuf>> {
    let Some(file) = case.file.as_ref().filter(|_| case.event == "ambient") else {
        return Ok(None);
    };
    if case.tool == "Grep" && case.content.is_none() {
        fs::create_dir_all(project.root.join(file))?;
        return Ok(None);
    }
    project
        .write(file, case.content.as_deref().unwrap_or_default())
        .map(Some)
}

fn input<'c>(project: &Project, case: &'c Case) -> (&'c str, Value) {
    let input = match case.event.as_str() {
        "prompt" => json!({"hook_event_name": "UserPromptSubmit", "prompt": case.prompt}),
        "subagent" => {
            json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": case.prompt}})
        }
        "error-context" => json!({
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": case.command},
            "error": format!("Exit code 1\n{}", case.output),
        }),
        "post-build" => json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": case.command},
            "tool_response": {"stdout": case.output, "stderr": "", "interrupted": false},
        }),
        _ => {
            let path = case.file.as_ref().map(|file| project.root.join(file));
            let place = if case.tool == "Grep" {
                "path"
            } else {
                "file_path"
            };
            let mut tool_input = json!({place: path});
            match case.tool.as_str() {
                "Grep" | "Glob" => tool_input["pattern"] = case.pattern.clone().into(),
                "Edit" => {
                    tool_input["old_string"] = case.old.clone().into();
                    tool_input["new_string"] = case.new.clone().into();
                }
                "Write" => tool_input["content"] = case.content.clone().into(),
                _ => {}
            }
            json!({"hook_event_name": "PreToolUse", "tool_name": case.tool, "tool_input": tool_input})
        }
    };
    (&case.event, input)
}

fn names(context: &str, handle: &str) -> bool {
    context.contains(&format!("[{handle}]"))
}

/// Reads a fixture of the tests.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T> {
    serde_json::from_str(&read_text(name)?).with_context(|| format!("parsing {name}"))
}

/// Reads a fixture of the tests as text.
pub(crate) fn read_text(name: &str) -> Result<String> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
}
