//! Project identity: the remote's address, else the root commit, else the real path. Worktrees and
//! clones share it.
//!
//! A project's identity changes in its ordinary life: a directory becomes a repository, gets its
//! first commit, then a remote. So what was stored under an earlier identity stays visible: the
//! weaker ones are its aliases.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use helix_app::project::{PATH_PREFIX, Project};
use helix_memory::Scope;
use helix_redact::Redacted;

use crate::git::{self, GitError, Question, Running};

/// Directories whose project is remembered; the oldest guess is dropped beyond it.
const CACHE_MAX: usize = 256;

/// Hosts whose names of owners and repositories mean the same in any case.
const CASELESS_HOSTS: &[&str] = &["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// What marks the root of a work tree.
const REPOSITORY_MARK: &str = ".git";

/// How long an identity holds that was found without an answer of git's.
const UNSURE_INTERVAL: Duration = Duration::from_mins(1);

/// Marks an id made from a root commit.
const COMMIT_PREFIX: &str = "commit:";

/// How long the answer for a directory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holds {
    /// While git's configuration is of this time.
    WhileConfigured(PathBuf, Option<SystemTime>),
    /// While no repository is there.
    WhileNoRepository,
    /// Until then: git did not answer.
    Until(Instant),
}

impl Holds {
    /// What is looked at to know.
    fn rests_on<'a>(&'a self, cwd: &'a Path) -> &'a Path {
        match self {
            Self::WhileConfigured(path, _) => path,
            Self::WhileNoRepository | Self::Until(_) => cwd,
        }
    }

    fn still(&self, cwd: &Path) -> bool {
        match self {
            Self::WhileConfigured(path, at) => modified(path) == *at,
            // A directory without git may have become a repository, or a part of one.
            Self::WhileNoRepository => repository_around(cwd).is_none(),
            Self::Until(end) => Instant::now() < *end,
        }
    }
}

/// Finds projects and remembers them until their git configuration changes.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    known: Mutex<HashMap<PathBuf, (Holds, Arc<Project>)>>,
    /// The directories whose projects are being found, each locked by who finds it.
    sought: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

impl Projects {
    /// Finds the project of a directory. Runs git the first time, so call it off the async threads.
    ///
    /// `has_commits` says whether anything was ever stored under a root commit. Only then is it
    /// looked for beside a remote: git walks the whole history for it. Those who ask at once
    /// for the same directory wait for one answer: a storm of hooks would start git hundreds of
    /// times.
    pub(crate) fn of(&self, cwd: &Path, has_commits: impl FnOnce() -> bool) -> Arc<Project> {
        if let Some(project) = self.remembered(cwd, |_| true) {
            return project;
        }
        let search = Arc::clone(locked(&self.sought).entry(cwd.to_owned()).or_default());
        let _found = locked(&search);
        if let Some(project) = self.remembered(cwd, |_| true) {
            return project;
        }
        let (project, holds) = identify(cwd, has_commits);
        let mut known = locked(&self.known);
        let project = match (&holds, known.get(cwd)) {
            // A git that does not answer takes no name away that it gave before.
            (Holds::Until(_), Some((_, before))) => Arc::clone(before),
            _ => Arc::new(project),
        };
        if known.len() >= CACHE_MAX {
            known.clear();
        }
        known.insert(cwd.to_owned(), (holds, Arc::clone(&project)));
        drop(known);
        locked(&self.sought).remove(cwd);
        project
    }

    /// The project of a directory that was found before, while that holds. It looks at git's
    /// configuration where `may_look` lets it, and else knows nothing.
    pub(crate) fn remembered(
        &self,
        cwd: &Path,
        may_look: impl Fn(&Path) -> bool,
    ) -> Option<Arc<Project>> {
        // Nothing is held while files are looked at: their file system may not answer.
        let (holds, project) = locked(&self.known).get(cwd).cloned()?;
        (may_look(holds.rests_on(cwd)) && holds.still(cwd)).then_some(project)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

/// The nearest directory above that git would take for a work tree's root.
fn repository_around(cwd: &Path) -> Option<&Path> {
    cwd.ancestors()
        .find(|directory| directory.join(REPOSITORY_MARK).exists())
}

/// Identifies a directory's project; also returns how long that holds.
fn identify(cwd: &Path, has_commits: impl FnOnce() -> bool) -> (Project, Holds) {
    if !cwd.is_absolute() || cwd.parent().is_none() {
        return (Project::outside(cwd), Holds::WhileNoRepository);
    }
    let mut asked = Asked::default();
    // Both at once: a hook may be waiting for them.
    let located = Running::start(cwd, Question::Place);
    let remotes = Running::start(cwd, Question::Remotes);
    let located = asked.note(cwd, located.and_then(Running::answer));
    let remotes = asked.note(cwd, remotes.and_then(Running::answer));
    let mut lines = located.as_deref().unwrap_or_default().lines();
    let (Some(common), Some(root)) = (lines.next(), lines.next()) else {
        // Its root is the name that it keeps as an alias once git answers.
        let root = repository_around(cwd)
            .filter(|_| asked.is_unsure)
            .unwrap_or(cwd);
        return (by_path(root), asked.holds(Holds::WhileNoRepository));
    };
    let (root, common) = (PathBuf::from(root), PathBuf::from(common));
    let config = common.join("config");
    let configured_at = modified(&config);
    let remote = remotes.as_deref().and_then(remote_of);
    let commit = if remote.is_none() || has_commits() {
        root_commit(cwd, &mut asked)
    } else {
        None
    };
    let here = by_path(&root);
    // A remote that is a directory is called as that directory's own repository is, which has the
    // same clones.
    let local = remote
        .as_deref()
        .and_then(|remote| remote.strip_prefix(PATH_PREFIX))
        .map(Path::new);
    let local = local.filter(|origin| !root.starts_with(origin));
    let origin = local.and_then(|origin| identity_of_local(origin, &mut asked));
    let holds = asked.holds(Holds::WhileConfigured(config, configured_at));
    let Scope::Project(path) = here.scope.clone() else {
        return (here, holds);
    };
    let mut ids = origin
        .into_iter()
        .chain(remote)
        .chain(commit)
        .chain([path])
        .fold(Vec::new(), |mut ids, id| {
            if !ids.contains(&id) {
                ids.push(id);
            }
            ids
        });
    let own = ids.remove(0);
    let aliases = ids.into_iter().map(named).collect();
    // A further work tree is called after what is done there.
    let main = common
        .parent()
        .filter(|_| common.ends_with(REPOSITORY_MARK))
        .unwrap_or(&root);
    (
        Project {
            name: name(&own, main),
            scope: named(own),
            root,
            aliases,
        },
        holds,
    )
}

/// What git was asked for one identity.
#[derive(Default)]
struct Asked {
    /// True if a question went without an answer that another time may bring.
    is_unsure: bool,
}

impl Asked {
    fn note(&mut self, directory: &Path, answer: Result<String, GitError>) -> Option<String> {
        if let Err(error) = &answer
            && !error.is_final()
        {
            tracing::warn!(%error, directory = %directory.display(), "the project is named without git's answer");
            self.is_unsure = true;
        }
        answer.ok()
    }

    fn holds(&self, otherwise: Holds) -> Holds {
        if self.is_unsure {
            Holds::Until(Instant::now() + UNSURE_INTERVAL)
        } else {
            otherwise
        }
    }
}

/// The identity of a repository on this machine that another one was cloned from; bare ones end in
/// `.git`.
fn identity_of_local(origin: &Path, asked: &mut Asked) -> Option<String> {
    let bare = origin.with_added_extension("git");
    let origin = if origin.is_dir() { origin } else { &bare };
    let remotes = asked.note(origin, git::ask(origin, Question::Remotes));
    let remote = remotes.as_deref().and_then(remote_of);
    remote
        .filter(|remote| !remote.starts_with(PATH_PREFIX))
        .or_else(|| root_commit(origin, asked))
}

/// The name of a project without the secrets that its path or address may have: it is kept with
/// every memory.
fn named(id: String) -> Scope {
    Redacted::from(Scope::Project(id)).into_inner()
}

/// Returns whether a scope, as text, is that of a project named by a root commit.
pub(crate) fn is_of_commit(scope: &str) -> bool {
    scope
        .strip_prefix("project:")
        .is_some_and(|id| id.starts_with(COMMIT_PREFIX))
}

fn by_path(path: &Path) -> Project {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let id = format!("{PATH_PREFIX}{}", real.display());
    Project {
        name: last_segment(&id).to_owned(),
        scope: named(id),
        root: real,
        aliases: Vec::new(),
    }
}

/// A root commit says nothing to people; the directory does.
fn name(id: &str, main: &Path) -> String {
    match (id.starts_with(COMMIT_PREFIX), main.file_name()) {
        (true, Some(directory)) => directory.to_string_lossy().into_owned(),
        _ => last_segment(id).to_owned(),
    }
}

fn last_segment(id: &str) -> &str {
    id.rsplit(['/', ':']).next().unwrap_or(id)
}

/// The id that the remote `origin` gives, or else the first one, of those that
/// [`Question::Remotes`] brings.
fn remote_of(listed: &str) -> Option<String> {
    let fetched = listed.lines().filter_map(|line| {
        let (name, rest) = line.split_once('\t')?;
        Some((name, rest.rsplit_once(" (fetch)")?.0))
    });
    let remotes: Vec<(&str, &str)> = fetched.collect();
    let (_, url) = remotes
        .iter()
        .find(|(name, _)| *name == "origin")
        .or(remotes.first())?;
    normalise_remote(url.trim())
}

fn root_commit(cwd: &Path, asked: &mut Asked) -> Option<String> {
    let roots = asked.note(cwd, git::ask(cwd, Question::Roots))?;
    // Joined histories have several; the smallest is the same in every clone.
    roots
        .lines()
        .min()
        .map(|commit| format!("{COMMIT_PREFIX}{commit}"))
}

/// Makes `git@host:a/b.git`, `ssh://git@host:22/a/b` and `https://user@host/a/b/` the same: `host/a/b`.
fn normalise_remote(url: &str) -> Option<String> {
    let without_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let is_scp =
        !url.contains("://") && url.split('/').next().is_some_and(|host| host.contains(':'));
    let (host, path) = if is_scp {
        without_scheme.split_once(':')?
    } else {
        without_scheme.split_once('/')?
    };
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?.to_lowercase();
    let path = path.trim_matches('/');
    let path = path
        .strip_suffix(".git")
        .unwrap_or(path)
        .trim_end_matches('/');
    if path.is_empty() {
        return None;
    }
    let path = if CASELESS_HOSTS.contains(&host.as_str()) {
        path.to_lowercase()
    } else {
        path.to_owned()
    };
    Some(if host.is_empty() {
        format!("{PATH_PREFIX}/{path}")
    } else {
        format!("{host}/{path}")
    })
}

/// What git keeps under a blob's id in a repository, without white space at its end; `None` for
/// what is no text.
pub(crate) fn blob(root: &Path, id: &[u8; 20]) -> Option<String> {
    git::ask(root, Question::Blob(id)).ok()
}

/// The log of a repository behind a commit, as [`helix_capture::read::git`] reads it; the latest
/// commits of a long one. `None` where git has none or does not answer.
pub(crate) fn log(root: &Path, after: Option<&str>) -> Option<Vec<u8>> {
    let is_hash = |hash: &&str| hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let after = after.filter(is_hash);
    match git::ask(root, Question::Log(after)) {
        Ok(log) => Some(log.into_bytes()),
        // Nothing is behind the newest commit.
        Err(GitError::Refused) if after.is_some() => Some(Vec::new()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests;
