//! What every request needs: the strand, the writer, the embedder, the clock, projects, sessions, counters.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helix_engine::model::{Actor, Origin, Scope, Timestamp};
use helix_engine::ports::Clock;
use helix_engine::strand::Strand;
use helix_proto::v1;
use jiff::tz::TimeZone;
use tokio::sync::Notify;

use crate::config::Config;
use crate::embedder::EmbedderHandle;
use crate::handover::Successor;
use crate::hook::{Attention, Files, Gate, Incidents, Receipts, Sessions, Twice, Watches};
use crate::project::{self, Project, Projects};
use crate::rpc::Uncompared;
use crate::sources::Sources;
use crate::system::SystemClock;
use crate::work::Work;
use crate::writer::WriterHandle;

/// Longest agent or session name that is kept, in characters.
const NAME_MAX_CHARS: usize = 128;

/// How long after a hand-over what waited for its end may still be taken up, on a busy machine.
const BACKLOG_MAX: Duration = Duration::from_secs(10);

/// Shared by all handlers.
pub(crate) struct Runtime {
    /// What the daemon was told.
    pub(crate) config: Config,
    /// The knowledge base.
    pub(crate) strand: Arc<Strand>,
    /// The only way to change it.
    pub(crate) writer: WriterHandle,
    /// Turns text into vectors.
    pub(crate) embedder: EmbedderHandle,
    /// Which directory is which project.
    pub(crate) projects: Projects,
    /// What the files hold that memories are about.
    pub(crate) sources: Sources,
    /// What each session was given and does.
    pub(crate) sessions: Sessions,
    /// Whether what hooks say is heeded.
    pub(crate) attention: Attention,
    /// Events that were told lately.
    pub(crate) twice: Twice,
    /// Whether the hooks themselves work.
    pub(crate) watches: Watches,
    /// What is known of failed builds and tests.
    pub(crate) incidents: Incidents,
    /// What hooks said.
    pub(crate) receipts: Arc<Receipts>,
    /// What the files declare that agents work on.
    pub(crate) files: Files,
    /// Bounds how much of the machine hooks take.
    pub(crate) hook_gate: Gate,
    /// Tells the time.
    pub(crate) clock: SystemClock,
    /// When the daemon was started.
    pub(crate) started_at: Timestamp,
    /// Whether it took over from another program then.
    pub(crate) is_successor: bool,
    /// Who takes over when the daemon stops.
    pub(crate) successor: Mutex<Option<Successor>>,
    /// The program file this daemon was started from.
    pub(crate) program: PathBuf,
    /// Told when somebody asks the daemon to end.
    pub(crate) stop: Notify,
    /// What goes on now.
    pub(crate) work: Arc<Work>,
    /// Held by the import that goes on: another one that began meanwhile would not know what it stores.
    pub(crate) importing: Mutex<()>,
    /// Where the next search for duplicates goes on.
    pub(crate) uncompared: Uncompared,
    /// Connections now open.
    pub(crate) connections: AtomicU32,
    /// Hooks answered since the start.
    pub(crate) hooks_answered: AtomicU64,
    /// Tokens injected since the start.
    pub(crate) injected_tokens: AtomicU64,
}

/// Who asks, as the daemon sees it.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    /// Stamped into what it writes.
    pub(crate) actor: Actor,
    /// The project it works in.
    pub(crate) project: Arc<Project>,
    /// Where in it; empty when unknown.
    pub(crate) cwd: PathBuf,
    /// By which it reads and writes days.
    pub(crate) zone: TimeZone,
}

impl Asker {
    /// The scopes it sees, its own first.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        self.project.scopes()
    }
}

impl Runtime {
    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether the daemon took over from another program just now: what came meanwhile waited in the socket's backlog.
    pub(crate) fn has_just_taken_over(&self) -> bool {
        let age_us = self.now().as_micros().saturating_sub(self.started_at.as_micros());
        self.is_successor && u128::try_from(age_us).is_ok_and(|age_us| age_us < BACKLOG_MAX.as_micros())
    }

    /// Finds the project of a directory. May run git, so call it off the async threads.
    pub(crate) fn project(&self, directory: &Path) -> Arc<Project> {
        self.projects.of(directory, || self.knows_commits())
    }

    /// Whether anything was ever saved under a root commit. What cannot be read hides nothing.
    fn knows_commits(&self) -> bool {
        let has_checkpoint = || self.strand.snapshot()?.has_checkpoint(project::is_of_commit);
        self.strand.catalog().has_scope(project::is_of_commit) || has_checkpoint().unwrap_or(true)
    }

    /// Finds out who asks. May run git, so call it off the async threads.
    pub(crate) fn asker(&self, caller: Option<&v1::Caller>) -> Asker {
        let caller = caller.cloned().unwrap_or_default();
        let origin = match caller.program() {
            v1::Program::Ctl => Origin::User,
            v1::Program::Mcp => Origin::Agent,
            v1::Program::Tool | v1::Program::Unspecified => Origin::Tool,
        };
        let cut = |name: &str| name.chars().take(NAME_MAX_CHARS).collect();
        Asker {
            actor: Actor { origin, agent: cut(&caller.agent), session: cut(&caller.session) },
            project: self.project(Path::new(&caller.cwd)),
            cwd: PathBuf::from(caller.cwd),
            zone: TimeZone::get(&caller.time_zone).unwrap_or_else(|_| TimeZone::system()),
        }
    }
}
