//! A project with a daemon, and sessions in it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use helix_engine::{DirectoryStorage, Store, Writer};
use helix_proto::v1::{Draft, Program, ReceiptsRequest, SessionLogReply, SessionLogRequest};
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Project, Rpc};
use nix::sys::signal::Signal;
use serde_json::Value;
use tonic::Status;

/// A kind that a session does not start with.
const QUIET_KIND: &str = "snippet";

/// The strand that is used where none is named.
const STRAND: &str = "default";

/// A project, and the daemon that remembers it.
pub(crate) struct World {
    daemon: Option<Daemon>,
    pub(crate) home: Home,
    pub(crate) project: Project,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "billing").unwrap();
        Self {
            daemon: Some(daemon),
            home,
            project,
        }
    }

    /// One that remembers the notes about this repository.
    pub(crate) fn with_corpus() -> Self {
        let world = Self::new();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/helix.json");
        let memories: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let mut rpc = Rpc::connect(&world.home).unwrap();
        for memory in memories {
            let text = |name: &str| memory[name].as_str().unwrap_or_default().to_owned();
            // What was imported would not be shown unasked; what the project's agents stored is.
            let draft = draft(&text("topic"), &text("text"), &text("source"));
            rpc.store(Program::Mcp, &world.project.root, draft).unwrap();
        }
        world
    }

    /// One with a file and what is remembered of it, whose handle it returns.
    pub(crate) fn with_ledger() -> (Self, String) {
        let world = Self::new();
        let said = "Postings are written in one transaction.";
        let handle = world.remember_of("ledger", said, "src/ledger.rs");
        let file = world.project.write("src/ledger.rs", "fn post() {}\n");
        file.unwrap();
        (world, handle)
    }

    pub(crate) fn session<'a>(&'a self, id: &'a str) -> Session<'a> {
        Session::new(&self.home, &self.project, id)
    }

    pub(crate) fn remember(&self, topic: &str, text: &str) -> String {
        self.remember_of(topic, text, "")
    }

    /// Remembers something of a file. Returns its handle.
    pub(crate) fn remember_of(&self, topic: &str, text: &str, source: &str) -> String {
        let draft = Draft {
            kind: QUIET_KIND.to_owned(),
            ..draft(topic, text, source)
        };
        Rpc::connect(&self.home)
            .unwrap()
            .store(Program::Mcp, &self.project.root, draft)
            .unwrap()
            .handle
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.daemon.as_ref().unwrap().signal(signal).unwrap();
    }

    /// Ends the daemon, which must end well.
    pub(crate) fn stop(mut self) {
        assert!(
            self.daemon
                .take()
                .map(Daemon::stop)
                .unwrap()
                .unwrap()
                .success()
        );
    }

    pub(crate) fn restart(&mut self) {
        self.daemon.take().map(Daemon::stop).unwrap().unwrap();
        self.daemon = Some(Daemon::start(&self.home).unwrap());
    }

    /// Starts a daemon where the one before was killed.
    pub(crate) fn start_again(&mut self) {
        self.daemon.take().map(Daemon::wait).unwrap().unwrap();
        self.daemon = Some(Daemon::start(&self.home).unwrap());
    }

    /// Does something to the store while no daemon has it.
    pub(crate) fn while_down(&mut self, change: impl FnOnce(&Store, &mut Writer)) {
        self.daemon.take().map(Daemon::stop).unwrap().unwrap();
        let directory = DirectoryStorage::new(self.home.paths.strand(STRAND));
        let (store, mut writer) = Store::open(&directory).unwrap();
        change(&store, &mut writer);
        drop((store, writer));
        self.daemon = Some(Daemon::start(&self.home).unwrap());
        // Whoever is first waits for git.
        self.session("first")
            .hook("post-build", "PostToolUse-mcp__toy__recall", |_| ())
            .unwrap();
    }

    /// Returns a session's activity, as the daemon says it.
    pub(crate) fn activity(&self, session: &str) -> Vec<String> {
        self.log(session)
            .unwrap()
            .activity
            .map(|activity| activity.lines)
            .unwrap_or_default()
    }

    /// Returns the commands that fail in a session, as the daemon says it.
    pub(crate) fn failing(&self, session: &str) -> Vec<String> {
        let lines = self.activity(session).into_iter();
        lines
            .filter_map(|line| Some(line.strip_prefix("Failing: ")?.to_owned()))
            .collect()
    }

    /// Returns whether a command fails in a session whose line begins so.
    pub(crate) fn is_failing(&self, session: &str, command: &str) -> bool {
        let failing = self.failing(session);
        failing.iter().any(|line| line.starts_with(command))
    }

    /// Has a command fail in a session. Returns what that is told.
    pub(crate) fn told(&self, session: &str, line: &str, output: &str) -> Option<String> {
        self.session(session).failed(line, output).unwrap()
    }

    pub(crate) fn log(&self, session: &str) -> Result<SessionLogReply, Status> {
        let mut rpc = Rpc::connect(&self.home).unwrap();
        let request = SessionLogRequest {
            session: session.to_owned(),
            ..SessionLogRequest::default()
        };
        rpc.call(async |client| client.session_log(request.clone()).await)
    }

    /// Waits until this has become of what hooks said, newest first: receipts are written behind
    /// the answer.
    pub(crate) fn await_fates<const N: usize>(&self, expected: [&str; N]) {
        self.await_fates_after(expected, || ());
    }

    /// The same where something has to happen first, once or, on a busy machine, again.
    pub(crate) fn await_fates_after<const N: usize>(&self, expected: [&str; N], first: impl Fn()) {
        let mut rpc = Rpc::connect(&self.home).unwrap();
        // A place that took long once is left alone for some seconds.
        let known = within(Duration::from_secs(20), || {
            first();
            let reply =
                rpc.call(async |client| client.receipts(ReceiptsRequest::default()).await)?;
            let is_so = reply
                .receipts
                .iter()
                .map(|receipt| receipt.fate.as_str())
                .eq(expected);
            Ok(is_so.then_some(()))
        });
        assert!(known.is_ok(), "{expected:?} has not become of them");
    }
}
