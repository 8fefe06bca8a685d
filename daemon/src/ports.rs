//! What the use cases need of the world, as the daemon has it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use helix_app::git_head;
use helix_app::pool::{Full, Job};
use helix_app::ports::{
    Class, Clock, Embedded, Embedder, EmbedderState, Hold, Later, Life, Projects as FindsProjects,
    Threads,
};
use helix_app::project::Project;
use helix_app::reach::Reach;
use helix_engine::{Strand, TextVectors};
use helix_memory::{GitContext, Timestamp};
use lru::LruCache;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::embedder::EmbedderHandle;
use crate::pools::Pools;
use crate::project::{self, Projects};
use crate::reach;
use crate::system::SystemClock;
use crate::work::Work;

/// How long after a hand-over what waited for its end may still be taken up, on a busy machine.
const BACKLOG_MAX: Duration = Duration::from_secs(10);

/// Searches that wait for the model at once. It embeds one text after the other, so a hook's waits
/// behind this many.
const SEARCHES_EMBEDDED_MAX: usize = 3;

/// Directories whose project is known even when nothing there answers: more than anybody works in.
const IDENTITIES_MAX: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// The embedder's thread, for those who block.
pub(crate) struct Embedding {
    handle: EmbedderHandle,
    on: Handle,
    /// Places of searches that wait for the model.
    searches: Semaphore,
}

impl Embedding {
    /// Waits on the async runtime of who calls this.
    pub(crate) fn of(handle: EmbedderHandle) -> Self {
        Self {
            handle,
            on: Handle::current(),
            searches: Semaphore::new(SEARCHES_EMBEDDED_MAX),
        }
    }
}

impl Embedder for Embedding {
    fn state(&self) -> EmbedderState {
        self.handle.state()
    }

    fn embed(&self, text: &str, patience: Duration) -> Option<TextVectors> {
        self.on.block_on(self.handle.embed(text, patience))
    }

    fn embed_passage(&self, text: &str, patience: Duration) -> Option<Vec<f32>> {
        self.on.block_on(self.handle.embed_passage(text, patience))
    }

    fn query<'e>(&'e self, text: &'e str, patience: Duration) -> Later<'e, Option<TextVectors>> {
        let embedded = async move {
            let _place = self.searches.acquire().await.ok()?;
            self.handle.embed(text, patience).await
        };
        Box::pin(async move { timeout(patience, embedded).await.ok()? })
    }

    fn passage<'e>(&'e self, text: &'e str, patience: Duration) -> Later<'e, Option<Vec<f32>>> {
        let embedded = async move {
            let _place = self.searches.acquire().await.ok()?;
            self.handle.embed_passage(text, patience).await
        };
        Box::pin(async move { timeout(patience, embedded).await.ok()? })
    }

    fn embed_later(&self, text: String, patience: Duration, then: Embedded) {
        let handle = self.handle.clone();
        self.on
            .spawn(async move { then(handle.embed(&text, patience).await) });
    }
}

/// Finds projects by way of [`Reach`], and keeps which each directory belonged to when it answered
/// last.
pub(crate) struct Places {
    projects: Arc<Projects>,
    strand: Arc<Strand>,
    reach: Reach,
    known: Mutex<LruCache<PathBuf, Arc<Project>>>,
    /// Where work trees stood when they answered last.
    heads: Mutex<LruCache<PathBuf, GitContext>>,
}

impl Places {
    pub(crate) fn new(strand: Arc<Strand>, reach: Reach) -> Self {
        Self {
            projects: Arc::default(),
            strand,
            reach,
            known: Mutex::new(LruCache::new(IDENTITIES_MAX)),
            heads: Mutex::new(LruCache::new(IDENTITIES_MAX)),
        }
    }

    /// Finds the project of a directory without blocking; `None` when nothing there answers in
    /// time.
    pub(crate) async fn project_later(
        &self,
        directory: &Path,
        patience: Duration,
    ) -> Option<Arc<Project>> {
        let found =
            reach::asked(&self.reach, directory, patience, self.identify(directory)).await?;
        self.note(directory, &found);
        Some(found)
    }

    /// Returns whether a directory, as it is written, is where nobody has to be asked.
    pub(crate) fn is_near(&self, directory: &Path) -> bool {
        self.reach.is_near(directory)
    }

    /// The project of a directory beside Helix's own files that was found before.
    fn at_once(&self, directory: &Path) -> Option<Arc<Project>> {
        let is_near = |path: &Path| self.reach.leads_near(path);
        self.projects.remembered(directory, is_near)
    }

    /// The project that a directory belonged to when it answered last.
    pub(crate) fn last_of(&self, directory: &Path) -> Option<Arc<Project>> {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(directory)
            .cloned()
    }

    /// Where a work tree stands, read from git's files; the answer before where nothing answers in
    /// time, else nothing.
    pub(crate) fn git_of(&self, root: &Path, patience: Duration) -> GitContext {
        if root.as_os_str().is_empty() {
            return GitContext::default();
        }
        let asked = root.to_owned();
        let look = move || git_head::read(&asked);
        let own = root.join(".git");
        // That of a linked work tree leads to wherever its repository is.
        let found = if self.reach.leads_near(&own) && !own.is_file() {
            self.reach.look(&own.join("HEAD"), patience, look)
        } else {
            self.reach.ask(root, patience, look)
        };
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Some(found) => {
                heads.put(root.to_owned(), found.clone());
                found
            }
            None => heads.get(root).cloned().unwrap_or_default(),
        }
    }

    fn note(&self, directory: &Path, project: &Arc<Project>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.put(directory.to_owned(), Arc::clone(project));
    }

    fn identify(&self, directory: &Path) -> impl FnOnce() -> Arc<Project> + Send + 'static {
        let (projects, strand, directory) = (
            Arc::clone(&self.projects),
            Arc::clone(&self.strand),
            directory.to_owned(),
        );
        move || projects.of(&directory, || knows_commits(&strand))
    }
}

impl FindsProjects for Places {
    fn project(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>> {
        if let Some(found) = self.at_once(directory) {
            return Some(found);
        }
        let found = self
            .reach
            .ask(directory, patience, self.identify(directory))?;
        self.note(directory, &found);
        Some(found)
    }

    fn committed(&self, root: &Path, id: &[u8; 20]) -> Option<String> {
        project::blob(root, id)
    }

    fn log(&self, root: &Path, after: Option<&str>) -> Option<Vec<u8>> {
        project::log(root, after)
    }
}

/// Whether anything was ever saved under a root commit. What cannot be read hides nothing.
fn knows_commits(strand: &Strand) -> bool {
    let has_checkpoint = || strand.snapshot()?.has_checkpoint(project::is_of_commit);
    strand.catalog().has_scope(project::is_of_commit) || has_checkpoint().unwrap_or(true)
}

/// The daemon from its start to its end.
#[derive(Debug)]
pub(crate) struct Process {
    /// When it was started.
    pub(crate) started_at: Timestamp,
    /// Whether it took over from another program then.
    pub(crate) is_successor: bool,
    /// What goes on now.
    pub(crate) work: Arc<Work>,
}

impl Life for Process {
    fn is_ending(&self) -> bool {
        self.work.is_ending()
    }

    fn has_just_taken_over(&self) -> bool {
        let age_us = SystemClock
            .now()
            .as_micros()
            .saturating_sub(self.started_at.as_micros());
        self.is_successor
            && u128::try_from(age_us).is_ok_and(|age_us| age_us < BACKLOG_MAX.as_micros())
    }
}

/// The daemon's threads, and what goes on in them.
pub(crate) struct Workers {
    pub(crate) pools: Arc<Pools>,
    pub(crate) work: Arc<Work>,
}

impl Threads for Workers {
    fn start(&self, class: Class, job: Job) -> Result<(), Full> {
        match class {
            Class::Quick => self.pools.quick.submit(job),
            Class::Long => self.pools.long.submit(job),
        }
    }

    fn begin(&self) -> Hold {
        Arc::new(self.work.begin())
    }
}
