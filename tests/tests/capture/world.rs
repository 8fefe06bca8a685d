//! A home with a daemon, a project, and the transcripts that a client wrote of it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use helix_proto::v1::EmbedderState;
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::{Binary, Home, Project, Served};
use serde_json::{Value, json};

/// How long the thread of captures may take, on a busy machine.
pub(crate) const CAPTURE_DEADLINE: Duration = Duration::from_mins(1);

/// How long the model may take to load and to embed a few texts, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(2);

/// A message of a session: who says it, and what.
pub(crate) type Said<'s> = (&'s str, &'s str);

pub(crate) struct World {
    pub(crate) served: Served,
    pub(crate) project: Project,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// A world whose daemon has the real model; `None` without an installed one, which is said.
    pub(crate) fn with_embedder() -> Option<Self> {
        let Some(home) = Home::with_embedder().unwrap() else {
            eprintln!("HELIX_MODEL_DIR names no installed model: nothing was tested");
            return None;
        };
        let served = Served::on(home).unwrap();
        let project = Project::new(&served.home, "billing").unwrap();
        let mut world = Self { served, project };
        world.settle();
        Some(world)
    }

    /// Waits until all vectors are made and nothing waits to be compared with what was forgotten.
    pub(crate) fn settle(&mut self) {
        let rpc = &mut self.served.rpc;
        let settled = within(EMBED_DEADLINE, || {
            let embedder = rpc.status()?.embedder.unwrap_or_default();
            let is_ready = embedder.state() == EmbedderState::Ready;
            let is_done = embedder.pending == 0 && embedder.uncompared == 0;
            Ok((is_ready && is_done).then_some(()))
        });
        settled.unwrap();
    }

    /// The same with a daemon that has the model, or has none.
    pub(crate) fn restarted(self, with_embedder: bool) -> Self {
        let Self {
            mut served,
            project,
        } = self;
        if with_embedder {
            assert!(served.home.use_embedder(), "a model is installed");
        } else {
            served.home.leave_out_embedder();
        }
        let served = served.restarted().unwrap();
        Self { served, project }
    }

    /// A world whose daemon reads this configuration.
    pub(crate) fn with(config: &str) -> Self {
        let mut served = Served::new().unwrap();
        if !config.is_empty() {
            fs::write(served.home.paths.config(), config).unwrap();
            served = served.restarted().unwrap();
        }
        let project = Project::new(&served.home, "billing").unwrap();
        Self { served, project }
    }

    pub(crate) fn home(&self) -> &Home {
        &self.served.home
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.served.home.run(&self.project.root, arguments)
    }

    /// Starts a command and does not wait for it.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.home().command(Binary::Ctl);
        command
            .args(arguments)
            .current_dir(&self.project.root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        self.served.home.done(&self.project.root, arguments)
    }

    /// What a command says, whether it is content or not.
    pub(crate) fn done_or_not(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        self.served.home.refused(&self.project.root, arguments)
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.served.home.json(&self.project.root, arguments)
    }

    /// Imports all there is, and returns what came of it.
    pub(crate) fn import(&self) -> Value {
        self.json(&["capture", "import", "--yes"])
    }

    /// The texts that wait in the review, sorted.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let listed = self.json(&["review", "--limit", "1000"]);
        let items = listed["items"].as_array().unwrap();
        let quarantined = items.iter().filter(|item| item["kind"] == "quarantined");
        let text = |item: &Value| item["memory"]["text"].as_str().unwrap().to_owned();
        let mut texts: Vec<String> = quarantined.map(text).collect();
        texts.sort();
        texts
    }

    /// How many wait, without asking for their texts.
    pub(crate) fn waiting_count(&self) -> u64 {
        let status = self.json(&["status"]);
        status["memories_by_status"]["quarantined"]
            .as_u64()
            .unwrap_or_default()
    }

    /// The handle of the one that waits.
    pub(crate) fn only_handle(&self) -> String {
        let listed = self.json(&["review"]);
        let handle = listed["items"][0]["memory"]["handle"].as_str();
        handle.unwrap().to_owned()
    }

    /// Where Claude Code writes a session of the project.
    pub(crate) fn transcript(&self, session: &str) -> PathBuf {
        let folder = self.home().scratch().join(".claude/projects/-billing");
        fs::create_dir_all(&folder).unwrap();
        folder.join(format!("{session}.jsonl"))
    }

    /// Writes a session as Claude Code does; one that is there goes on.
    pub(crate) fn write(&self, session: &str, said: &[Said<'_>]) -> PathBuf {
        let path = self.transcript(session);
        let before = fs::read_to_string(&path).unwrap_or_default();
        let line = |(speaker, text): &Said<'_>| self.line(session, speaker, text) + "\n";
        let lines: String = said.iter().map(line).collect();
        fs::write(&path, before + &lines).unwrap();
        path
    }

    fn line(&self, session: &str, speaker: &str, text: &str) -> String {
        let content = if speaker == "user" {
            json!(text)
        } else {
            json!([{"type": "text", "text": text}])
        };
        json!({
            "type": speaker,
            "message": {"role": speaker, "content": content},
            "sessionId": session,
            "cwd": self.project.root,
            "version": "2.1.37",
            "gitBranch": "main",
            "isSidechain": false,
            "userType": "external",
            "timestamp": "2026-11-20T10:00:00.000Z",
            "uuid": format!("{session}-{}", text.len()),
        })
        .to_string()
    }

    /// Ends a session, as its client tells it.
    pub(crate) fn end(&self, session: &str) {
        let transcript = self.transcript(session);
        let told = Session::new(self.home(), &self.project, session)
            .hook("session-end", "SessionEnd-other", |input| {
                input["transcript_path"] = transcript.to_string_lossy().into();
            })
            .unwrap();
        assert_eq!(told, None);
    }

    /// What a session is told as it starts.
    pub(crate) fn begin(&self, session: &str) -> String {
        let session = Session::new(self.home(), &self.project, session);
        session.start("startup").unwrap().unwrap_or_default()
    }

    /// Waits until so many facts of a kind are counted as kept, which is done last.
    pub(crate) fn await_counted(&self, kind: &str, count: u64) {
        let counted = within(CAPTURE_DEADLINE, || {
            let status = self.json(&["capture", "status"]);
            let kept = status["kept"][0]["kept"][kind].as_u64();
            Ok((kept.unwrap_or_default() >= count).then_some(()))
        });
        counted.unwrap();
    }

    /// Waits until so many memories wait in the review.
    pub(crate) fn await_waiting(&self, count: u64) {
        let counted = within(CAPTURE_DEADLINE, || {
            Ok((self.waiting_count() >= count).then_some(()))
        });
        counted.unwrap();
    }
}
