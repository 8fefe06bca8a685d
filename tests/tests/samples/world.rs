//! The project that the recordings are about, and what is remembered of it.

use std::time::Duration;

use helix_proto::v1::{Draft, Program, SessionLogRequest};
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, HookClient, HookRun, Project, Rpc};
use serde_json::Value;

/// Where the clients worked when they were recorded.
const RECORDED_ROOT: &str = "/home/dev/project";

/// A silent run that took this long may have come too late for its answer, which says nothing about
/// the answer.
const LATE: Duration = Duration::from_millis(100);

/// How often a recording is played until its answer is not late.
const PLAYS_MAX: usize = 50;

/// The project's files.
const FILES: &[(&str, &str)] = &[
    ("hello.txt", "line one\nline two\nline three\n"),
    ("src/load.ts", "export function loadRows() {}\n"),
];

/// Notes to remember: topic, kind, importance, source, text. There is something for every recording
/// that can be told anything.
const NOTES: &[(&str, &str, f32, &str, &str)] = &[
    (
        "greeting",
        "decision",
        0.9,
        "hello.txt:2",
        "hello.txt stays plain text: the smoke test compares it byte by byte.",
    ),
    (
        "greeting",
        "gotcha",
        0.6,
        "new.txt",
        "Whoever writes new.txt lists it in the manifest, or it is not packed.",
    ),
    (
        "toy-server",
        "procedure",
        0.7,
        "",
        "When toy does not answer: read hello.txt, edit it, run the failing command, then ask again.",
    ),
    (
        "toy-server",
        "gotcha",
        0.5,
        "",
        "TOY-FAILED means that the toy server has no token; TOY-FAILED goes with a login.",
    ),
    (
        "agents",
        "convention",
        0.8,
        "",
        "A SUBTASK ends with SUBDONE, or whoever gave the SUBTASK waits for ever.",
    ),
    (
        "shell",
        "gotcha",
        0.4,
        "",
        "`echo err >&2; exit 3` after `echo out` is how the licence check says no: log in again.",
    ),
    (
        "generated-files",
        "gotcha",
        0.3,
        "",
        "A file that does not exist in the current working directory may be generated: note where, and run make.",
    ),
    (
        "loader",
        "bug_fix",
        0.2,
        "src/load.ts",
        "error TS2304 cannot find name 'rowSet' in loadRows: import it from the cache.",
    ),
];

/// A project, and the daemon that remembers it. It finds by words alone.
pub(crate) struct World {
    _daemon: Daemon,
    home: Home,
    project: Project,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "project").unwrap();
        for (path, text) in FILES {
            project.write(path, text).unwrap();
        }
        let mut rpc = Rpc::connect(&home).unwrap();
        for &(topic, kind, importance, source, text) in NOTES {
            let note = Draft {
                kind: kind.to_owned(),
                importance: Some(importance),
                ..draft(topic, text, source)
            };
            rpc.store(Program::Mcp, &project.root, note).unwrap();
        }
        Self {
            _daemon: daemon,
            home,
            project,
        }
    }

    /// Returns the reply of an event to a client's input of this name, in a session of its own. One
    /// that came late is asked again in another session: how long hooks take is for `harm` to say.
    pub(crate) fn said(
        &self,
        client: HookClient,
        event: &str,
        name: &str,
        input: &Value,
    ) -> HookRun {
        self.said_among(&[], client, event, name, input)
    }

    /// The same where the client has these variables.
    pub(crate) fn said_among(
        &self,
        variables: &[(&str, &str)],
        client: HookClient,
        event: &str,
        name: &str,
        input: &Value,
    ) -> HookRun {
        let mut play = 0;
        loop {
            assert!(
                play < PLAYS_MAX,
                "{event} with {name} came late {play} times"
            );
            let mut input = self.moved(input);
            for key in ["session_id", "conversation_id"] {
                if let Some(id) = input.get_mut(key) {
                    *id = format!("{event} {play} {name}").into();
                }
            }
            let run = HookRun::by_among(
                &self.home,
                variables,
                client,
                event,
                input.to_string().as_bytes(),
            )
            .unwrap();
            if !run.stdout.is_empty() || run.elapsed < LATE {
                return run;
            }
            play += 1;
        }
    }

    /// Returns the reply of an event to a client's input in the session that it names.
    pub(crate) fn said_in_its_session(
        &self,
        client: HookClient,
        event: &str,
        input: &Value,
    ) -> Option<String> {
        let run = HookRun::by(
            &self.home,
            client,
            event,
            self.moved(input).to_string().as_bytes(),
        )
        .unwrap();
        run.check_taken_by(client, input["hook_event_name"].as_str().unwrap())
            .unwrap()
    }

    /// How many files a session changed, as far as its hooks say.
    pub(crate) fn edited(&self, session: &str) -> usize {
        let mut rpc = Rpc::connect(&self.home).unwrap();
        let request = SessionLogRequest {
            session: session.to_owned(),
            ..SessionLogRequest::default()
        };
        let log = rpc
            .call(async |client| client.session_log(request.clone()).await)
            .unwrap();
        log.activity.map_or(0, |activity| activity.edited.len())
    }

    /// An input as it would be in this project. Texts stay as they are, so that their words are the
    /// same in every run.
    fn moved(&self, input: &Value) -> Value {
        let mut input = input.clone();
        let root = self.project.root.to_string_lossy();
        for pointer in [
            "/cwd",
            "/workspace_roots/0",
            "/tool_input/file_path",
            "/tool_input/path",
        ] {
            if let Some(path) = input.pointer_mut(pointer) {
                *path = path.as_str().unwrap().replace(RECORDED_ROOT, &root).into();
            }
        }
        input
    }
}
