//! State that every request needs: the use cases, the writer, threads, counters.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use helix_app::Asker;
use helix_app::project::Project;
use helix_app::sources::FILES_PATIENCE;
use helix_app::{App, Refusal};
use helix_memory::{Actor, Origin, Scope, Timestamp};
use helix_neutral::quoted;
use helix_proto::v1;
use helix_redact::Redacted;
use jiff::tz::TimeZone;
use tokio::sync::Notify;

use crate::config::Config;
use crate::embedder::EmbedderHandle;
use crate::pools::Pools;
use crate::ports::Places;
use crate::provider::Provider;
use crate::scheduler;
use crate::successor::Successor;
use crate::turn::Gate;
use crate::work::Work;
use crate::writer::WriterHandle;

/// Longest agent or session name that is kept, in characters.
const NAME_MAX_CHARS: usize = 128;

/// How long a call waits for the project of its directory. `git` takes milliseconds, and seconds
/// for the first commit of a large history without a remote, which goes on behind the refusal and
/// is remembered.
const IDENTIFY_PATIENCE: Duration = Duration::from_secs(3);

/// How long a call waits for the branch of its work tree, which is no more than three small files.
const GIT_PATIENCE: Duration = Duration::from_millis(100);

/// Shared by all handlers.
pub(crate) struct Runtime {
    /// The daemon's configuration.
    pub(crate) config: Config,
    /// The use cases, with the knowledge base and what hooks know.
    pub(crate) app: Arc<App>,
    /// The only way to change the knowledge base.
    pub(crate) writer: WriterHandle,
    /// Turns text into vectors.
    pub(crate) embedder: EmbedderHandle,
    /// Tells the scheduler to end.
    pub(crate) scheduler: scheduler::Handle,
    /// Which directory is which project.
    pub(crate) places: Arc<Places>,
    /// Who works.
    pub(crate) pools: Arc<Pools>,
    /// Bounds how much of the machine hooks take.
    pub(crate) gate: Gate,
    /// When the daemon was started.
    pub(crate) started_at: Timestamp,
    /// Who takes over when the daemon stops.
    pub(crate) successor: Mutex<Option<Successor>>,
    /// The program file this daemon was started from.
    pub(crate) program: PathBuf,
    /// Reaches language models; `None` where none is configured.
    pub(crate) provider: Option<Arc<Provider>>,
    /// Told when somebody asks the daemon to end.
    pub(crate) stop: Notify,
    /// The work that goes on now.
    pub(crate) work: Arc<Work>,
    /// Connections now open.
    pub(crate) connections: AtomicU32,
    /// Hooks answered since the start.
    pub(crate) hooks_answered: AtomicU64,
}

impl Runtime {
    /// Ends the program that asks language models, also in the middle of a question.
    pub(crate) fn end_provider(&self) {
        if let Some(provider) = &self.provider {
            provider.end();
        }
    }

    /// Finds the project of a directory without blocking, which may run git; `None` when nothing
    /// there answers in time.
    pub(crate) async fn project_later(
        &self,
        directory: &Path,
        patience: Duration,
    ) -> Option<Arc<Project>> {
        self.places.project_later(directory, patience).await
    }

    /// Finds the project that a call comes from, before it takes a thread that others need. Where
    /// nothing answers there, it is the one that it was last.
    ///
    /// # Errors
    /// `Unavailable` when that is not known either.
    pub(crate) async fn meet(&self, caller: Option<&v1::Caller>) -> Result<(), Refusal> {
        let directory = Path::new(caller.map_or("", |caller| &caller.cwd));
        if self.is_near(directory) {
            return Ok(());
        }
        if self
            .project_later(directory, IDENTIFY_PATIENCE)
            .await
            .is_some()
            || self.places.last_of(directory).is_some()
        {
            return Ok(());
        }
        Err(Refusal::unavailable(format!(
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
        let project = self.project_of(Path::new(&caller.cwd));
        Asker {
            // What is looked up by it was written without secrets too.
            actor: Redacted::from(Actor {
                origin,
                agent: cut(&caller.agent),
                session: cut(&caller.session),
                project: place_of(&project),
                git: self.places.git_of(&project.root, GIT_PATIENCE),
            })
            .into_inner(),
            project,
            cwd: PathBuf::from(caller.cwd),
            zone: TimeZone::get(&caller.time_zone).unwrap_or_else(|_| TimeZone::system()),
        }
    }

    /// Returns whether the thread that answers a call from this directory can look there itself.
    fn is_near(&self, directory: &Path) -> bool {
        self.places.last_of(directory).is_some() && self.places.is_near(directory)
    }

    /// The project of a directory that was met; outside of any project where it never answered.
    fn project_of(&self, directory: &Path) -> Arc<Project> {
        let found = || self.app.memory.project(directory, FILES_PATIENCE);
        let last = || self.places.last_of(directory);
        let known = if self.is_near(directory) {
            found().or_else(last)
        } else {
            last().or_else(found)
        };
        known.unwrap_or_else(|| Arc::new(Project::outside(directory)))
    }
}

/// The scope of a project as text; empty outside of any.
fn place_of(project: &Project) -> String {
    match &project.scope {
        Scope::Global => String::new(),
        own => own.to_string(),
    }
}
