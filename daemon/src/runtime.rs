//! What every request needs: the strand, the writer, the embedder, the clock, projects, sessions, counters.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use helix_engine::model::{Actor, Origin, Scope, Timestamp};
use helix_engine::neutral::quoted;
use helix_engine::ports::Clock;
use helix_engine::strand::Strand;
use helix_proto::v1;
use helix_redact::Redacted;
use jiff::tz::TimeZone;
use lru::LruCache;
use tokio::sync::{Notify, Semaphore};
use tonic::Status;

use crate::config::Config;
use crate::embedder::EmbedderHandle;
use crate::handover::Successor;
use crate::hook::{self, Attention, Files, Gate, Incidents, Receipts, Sessions, Twice, Watches};
use crate::pool::Pool;
use crate::project::{self, Project, Projects};
use crate::reach::Reach;
use crate::rpc::Uncompared;
use crate::sources::Sources;
use crate::system::SystemClock;
use crate::work::{self, Work};
use crate::writer::WriterHandle;

/// Longest agent or session name that is kept, in characters.
const NAME_MAX_CHARS: usize = 128;

/// How long after a hand-over what waited for its end may still be taken up, on a busy machine.
const BACKLOG_MAX: Duration = Duration::from_secs(10);

/// How long a call waits for the project of its directory. `git` takes milliseconds, and seconds for the first commit of a large
/// history without a remote, which goes on behind the refusal and is remembered.
const IDENTIFY_PATIENCE: Duration = Duration::from_secs(3);

/// How long a call waits for files that a memory is about.
pub(crate) const FILES_PATIENCE: Duration = Duration::from_millis(500);

/// Directories whose project is known even when nothing there answers: more than anybody works in.
const IDENTITIES_MAX: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Threads for ordinary calls beside one for each core: such as wait for the disk.
const QUICK_THREADS_EXTRA: usize = 2;

/// Ordinary calls that wait for a thread; beyond it they are refused.
const QUICK_WAITING_MAX: usize = 1_024;

/// Searches that wait for the model at once. It embeds one text after the other, so a hook's waits behind this many.
const SEARCHES_EMBEDDED_MAX: usize = 3;

/// The threads that calls and hooks are worked on by, each class its own.
#[derive(Debug)]
pub(crate) struct Pools {
    /// Hooks: as many as their gate lets in, and those that hang.
    pub(crate) hooks: Pool,
    /// Searches, reads, stores and the like.
    pub(crate) quick: Pool,
    /// Minutes of work, as many as [`Work::begin_long`] lets in.
    pub(crate) long: Pool,
}

impl Default for Pools {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            // Nothing waits for long: what is let in has a thread, which may be at the end of the one before.
            hooks: Pool::new("hook", hook::THREADS_MAX, hook::THREADS_MAX),
            quick: Pool::new("call", cores + QUICK_THREADS_EXTRA, QUICK_WAITING_MAX),
            long: Pool::new("long", work::LONG_MAX, work::LONG_MAX),
        }
    }
}

/// The project that each directory belonged to when it answered last.
#[derive(Debug)]
pub(crate) struct Identities(Mutex<LruCache<PathBuf, Arc<Project>>>);

impl Default for Identities {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(IDENTITIES_MAX)))
    }
}

impl Identities {
    fn of(&self, directory: &Path) -> Option<Arc<Project>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(directory).cloned()
    }

    fn note(&self, directory: PathBuf, project: &Arc<Project>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(directory, Arc::clone(project));
    }
}

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
    pub(crate) projects: Arc<Projects>,
    /// Which it was when it answered last.
    pub(crate) identities: Identities,
    /// Asks what may never answer.
    pub(crate) reach: Reach,
    /// Who works.
    pub(crate) pools: Pools,
    /// Places of searches that wait for the model.
    pub(crate) searches_embedded: Semaphore,
    /// What the files hold that memories are about.
    pub(crate) sources: Sources,
    /// What each session was given and does.
    pub(crate) sessions: Arc<Sessions>,
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

    /// Places of searches that wait for the model, all free.
    pub(crate) fn search_places() -> Semaphore {
        Semaphore::new(SEARCHES_EMBEDDED_MAX)
    }

    /// Finds the project of a directory, which may run git; `None` when nothing there answers in time.
    pub(crate) fn project(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>> {
        let found = self.reach.ask(directory, patience, self.identify(directory))?;
        self.identities.note(directory.to_owned(), &found);
        Some(found)
    }

    /// The same without blocking.
    pub(crate) async fn project_later(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>> {
        let found = self.reach.asked(directory, patience, self.identify(directory)).await?;
        self.identities.note(directory.to_owned(), &found);
        Some(found)
    }

    fn identify(&self, directory: &Path) -> impl FnOnce() -> Arc<Project> + Send + 'static {
        let (projects, strand, directory) =
            (Arc::clone(&self.projects), Arc::clone(&self.strand), directory.to_owned());
        move || projects.of(&directory, || knows_commits(&strand))
    }

    /// Finds the project that a call comes from, before it takes a thread that others need. Where nothing answers there, it is
    /// the one that it was last.
    ///
    /// # Errors
    /// `Unavailable` when that is not known either.
    pub(crate) async fn meet(&self, caller: Option<&v1::Caller>) -> Result<(), Status> {
        let directory = Path::new(caller.map_or("", |caller| &caller.cwd));
        if self.project_later(directory, IDENTIFY_PATIENCE).await.is_some() || self.identities.of(directory).is_some() {
            return Ok(());
        }
        Err(Status::unavailable(format!(
            "finding the project of {} took longer than {} s: its file system or git does not answer; try again, or from \
             another directory",
            quoted(&directory.to_string_lossy()),
            IDENTIFY_PATIENCE.as_secs()
        )))
    }

    /// Finds out who asks, whom [`Self::meet`] has met.
    pub(crate) fn asker(&self, caller: Option<&v1::Caller>) -> Asker {
        let caller = caller.cloned().unwrap_or_default();
        let origin = match caller.program() {
            v1::Program::Ctl => Origin::User,
            v1::Program::Mcp => Origin::Agent,
            v1::Program::Tool | v1::Program::Unspecified => Origin::Tool,
        };
        let cut = |name: &str| name.chars().take(NAME_MAX_CHARS).collect();
        Asker {
            // What is looked up by it was written without secrets too.
            actor: Redacted::from(Actor { origin, agent: cut(&caller.agent), session: cut(&caller.session) })
                .into_inner(),
            project: self.project_of(Path::new(&caller.cwd)),
            cwd: PathBuf::from(caller.cwd),
            zone: TimeZone::get(&caller.time_zone).unwrap_or_else(|_| TimeZone::system()),
        }
    }

    /// The project of a directory that was met; outside of any project where it never answered.
    fn project_of(&self, directory: &Path) -> Arc<Project> {
        let known = self.identities.of(directory).or_else(|| self.project(directory, FILES_PATIENCE));
        known.unwrap_or_else(|| Arc::new(Project::outside(directory)))
    }
}

/// Whether anything was ever saved under a root commit. What cannot be read hides nothing.
fn knows_commits(strand: &Strand) -> bool {
    let has_checkpoint = || strand.snapshot()?.has_checkpoint(project::is_of_commit);
    strand.catalog().has_scope(project::is_of_commit) || has_checkpoint().unwrap_or(true)
}
