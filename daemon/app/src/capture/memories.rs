//! The memories and rules that agents keep in files of their own, read as sources: `CLAUDE.md`,
//! `AGENTS.md`, Claude Code's memory folder, Serena's and Codex's memories.
//!
//! Somebody has to switch it on ([`switch`]). Each section of a file becomes one memory, which names
//! the file and the line. Files are looked at every few seconds ([`look`]) and read where they changed;
//! all are read as a session starts, once an hour, and when somebody asks. A section that changed
//! revises its memory, and one that is gone takes its memory out of the indexes, and out of the review.
//!
//! Always true:
//! - No file is written.
//! - What is read has the origin `import`, so nobody is shown it unasked before a person vouches for
//!   it, and then not by a client that shows the file itself.
//! - What somebody forgot stays forgotten, though the file goes on saying it.
//! - A place that does not answer changes nothing.

mod files;
mod follow;
mod rows;
mod sections;
mod watch;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use helix_capture::memories::Whose;
use helix_capture::read::places::Home;
use helix_memory::{Memory, MemoryNumber, Origin, Scope, Timestamp};

use self::rows::Row;
use self::watch::Watched;
use super::switches::{self, Standing, Switch, Switches, Which};
use crate::project::Project;
use crate::{App, Asker, Refusal};

/// The scheduler's name for reading them again.
pub const JOB: &str = "memories";

/// Names the setting in the configuration.
const SETTING: &str = "agents_memories";

/// The row that keeps what somebody switched.
const SWITCHES_KEY: &str = "memories-switches";

/// Things that are told of what could not be read.
const NOTES_MAX: usize = 20;

/// Names the file that a memory was read from, by its whole path.
const FILE: &str = "helix.read-file";

/// Whether a memory is a section of an agent's own file.
pub(crate) fn is_from_file(memory: &Memory) -> bool {
    memory.attributes.contains_key(FILE)
}

/// Names the section of that file.
const SECTION: &str = "helix.read-section";

/// Hash of the section as it was read.
const HASH: &str = "helix.read-hash";

/// Clients that show the section to their model by themselves, with spaces between them.
const SHOWN_BY: &str = "helix.read-shown-by";

/// What is known of the files while the daemon runs.
#[derive(Debug)]
pub struct Memories {
    /// Whose files are read.
    pub switches: Switches,
    /// The home directory, and where clients were moved to.
    home: RwLock<Home>,
    /// Held by who reads: two would store a section twice.
    reading: Mutex<()>,
    /// How the files looked when they were read.
    watched: Watched,
}

impl Default for Memories {
    fn default() -> Self {
        Self {
            switches: Switches::named(SWITCHES_KEY, SETTING),
            home: RwLock::default(),
            reading: Mutex::default(),
            watched: Watched::default(),
        }
    }
}

impl Memories {
    /// With what the store keeps among its observations. `user` is the home directory, where nobody
    /// named another.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)], user: Option<PathBuf>) -> Self {
        let switches = Switches::named(SWITCHES_KEY, SETTING);
        switches.take(observations);
        let usual = || Home {
            directory: user.unwrap_or_default(),
            ..Home::default()
        };
        let home = rows::home(observations).unwrap_or_else(usual);
        Self {
            switches,
            home: RwLock::new(home),
            reading: Mutex::default(),
            watched: Watched::of(rows::keys(observations)),
        }
    }

    /// When the files are to be looked at next; `None` where none are followed.
    pub(super) fn next_look(&self, last: Option<Instant>, now: Instant) -> Option<Instant> {
        if self.watched.is_empty() {
            return None;
        }
        Some(last.map_or(now, |last| last + watch::LOOK_EVERY))
    }

    fn home(&self) -> Home {
        let home = self.home.read().unwrap_or_else(PoisonError::into_inner);
        home.clone()
    }
}

/// What reading came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Sections that are new.
    pub stored: usize,
    /// Sections that changed.
    pub revised: usize,
    /// Sections that are there again.
    pub restored: usize,
    /// Sections that are gone.
    pub removed: usize,
    /// Sections that say what is known.
    pub known: usize,
    /// Sections that somebody forgot.
    pub forgotten: usize,
    /// What could not be read.
    pub notes: Vec<String>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.stored += other.stored;
        self.revised += other.revised;
        self.restored += other.restored;
        self.removed += other.removed;
        self.known += other.known;
        self.forgotten += other.forgotten;
        for note in other.notes {
            self.note(note);
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < NOTES_MAX && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Says it in a few words: `3 new, 1 changed`.
    #[must_use]
    pub fn words(&self) -> String {
        let counts = [
            (self.stored, "new"),
            (self.revised, "changed"),
            (self.restored, "back"),
            (self.removed, "gone"),
            (self.known, "known already"),
            (self.forgotten, "forgotten before"),
        ];
        let said = counts.into_iter().filter(|(count, _)| *count > 0);
        let said: Vec<String> = said
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if said.is_empty() {
            "nothing new".to_owned()
        } else {
            said.join(", ")
        }
    }
}

/// What is read, and why.
#[derive(Clone, Debug)]
pub struct Status {
    /// Whether the asker's project's files are read.
    pub standing: Standing,
    /// Whether the user's own files are.
    pub user: Standing,
    /// What somebody switched.
    pub switches: Vec<Switch>,
    /// The files that were read, of the asker's project and of the user.
    pub files: Vec<FileRead>,
    /// What could not be read of them.
    pub notes: Vec<String>,
    /// What reading them just now came to; `None` where nobody asked for that.
    pub report: Option<Report>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// Its path.
    pub path: PathBuf,
    /// The client whose it is.
    pub client: String,
    /// The scope of its memories, as text.
    pub scope: String,
    /// Memories of it that are in use.
    pub memories: usize,
    /// When it was read last.
    pub at: Timestamp,
}

/// Whether a client of this name shows a memory to its model by itself.
#[must_use]
pub(crate) fn is_shown_by(memory: &Memory, client: &str) -> bool {
    let shown_by = memory.attributes.get(SHOWN_BY);
    shown_by.is_some_and(|names| names.split(' ').any(|name| name == client))
}

/// Those of some memories that were read from files and that nobody vouched for since: whoever has
/// the files reads them again.
///
/// # Errors
/// When the disk fails.
pub(crate) fn derived(
    app: &App,
    members: &[MemoryNumber],
) -> Result<HashSet<MemoryNumber>, Refusal> {
    let strand = &app.memory.strand;
    let imported: Vec<MemoryNumber> = {
        let catalog = strand.catalog();
        let is_imported = |number: &MemoryNumber| {
            let row = catalog.row(*number);
            row.is_some_and(|row| row.origin == Origin::Import)
        };
        members.iter().copied().filter(is_imported).collect()
    };
    let memories = strand.memories(&imported)?.into_iter();
    let derived = memories.filter(|memory| memory.attributes.contains_key(FILE));
    Ok(derived.map(|memory| memory.number).collect())
}

/// What is read of all projects, in a few words, and whether something could not be; `None` where
/// nothing is read.
///
/// # Errors
/// When the disk fails.
pub(crate) fn overview(app: &App) -> Result<Option<(String, bool)>, Refusal> {
    let rows = rows::all(app)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let files: usize = rows.iter().map(|row| row.files.len()).sum();
    let unread: usize = rows.iter().map(|row| row.notes.len()).sum();
    let said = format!("{files} read, {unread} not; `helixctl capture memories` names them");
    Ok(Some((said, unread > 0)))
}

/// Whether the files of a project are read, and why.
#[must_use]
pub fn standing(app: &App, project: &Project) -> Standing {
    let setting = app.settings.capture.agents_memories;
    let switches = &app.hooks.captures.memories.switches;
    switches.standing(setting, project, &project.root, "")
}

/// Switches the reading on or off. What is off is taken out of the indexes.
///
/// # Errors
/// When the configuration forbids it, a session is named, or the disk fails.
pub fn switch(app: &App, which: Which, is_on: bool, home: Option<Home>) -> Result<(), Refusal> {
    if is_on && app.settings.capture.agents_memories == Some(false) {
        return Err(Refusal::denied(format!(
            "`{SETTING} = false` in config.toml forbids it; take that line out first"
        )));
    }
    if matches!(which, Which::Session(_)) {
        return Err(Refusal::invalid(
            "files belong to no session; name a project, a path, or everything",
        ));
    }
    let memories = &app.hooks.captures.memories;
    if let Some(home) = home.filter(|home| *home != memories.home()) {
        rows::keep_home(app, &home)?;
        *memories
            .home
            .write()
            .unwrap_or_else(PoisonError::into_inner) = home;
    }
    switches::set(app, &memories.switches, which, is_on)?;
    drop_what_is_off(app).map(drop)
}

/// Reads the files of a project, and the user's, as far as that is switched on.
///
/// # Errors
/// When the store fails.
pub fn read(app: &App, project: &Project) -> Result<Report, Refusal> {
    let reading = app.hooks.captures.memories.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    let mut report = Report::default();
    let user = user(app);
    for project in [project, &user] {
        if !is_read(app, project) {
            continue;
        }
        let row = Row::read(app, project)?.unwrap_or_else(|| Row::of(project));
        report.add(follow::follow(app, row)?);
    }
    app.hooks.captures.look_again();
    Ok(report)
}

/// Reads the files again that changed since they were read.
///
/// # Errors
/// When the store fails.
pub fn look(app: &App) -> Result<Report, Refusal> {
    let reading = app.hooks.captures.memories.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    watch::look(app)
}

/// Reads everything again that was ever read, and drops what was switched off since. `goes_on` is
/// asked between two projects.
///
/// # Errors
/// When the store fails.
pub fn read_again(app: &App, goes_on: &dyn Fn() -> bool) -> Result<Report, Refusal> {
    let mut report = drop_what_is_off(app)?;
    let reading = app.hooks.captures.memories.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    for row in rows::all(app)? {
        if !goes_on() {
            break;
        }
        report.add(follow::follow(app, row)?);
    }
    Ok(report)
}

/// Whether anything was ever read.
///
/// # Errors
/// When the disk fails.
pub fn is_in_use(app: &App) -> Result<bool, Refusal> {
    Ok(!rows::all(app)?.is_empty())
}

/// Says what is read for an asker.
///
/// # Errors
/// When the disk fails.
pub fn status(app: &App, asker: &Asker) -> Result<Status, Refusal> {
    let own = |row: &Row| {
        row.scope == Scope::Global || asker.project.names().any(|own| *own == row.scope)
    };
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    for row in rows::all(app)?.into_iter().filter(own) {
        for file in &row.files {
            let known = follow::known(app, &file.source, &file.path)?;
            let in_use = known.iter().filter(|memory| memory.status.is_indexed());
            files.push(FileRead {
                path: file.path.clone(),
                client: file.client.clone(),
                scope: row.scope.to_string(),
                memories: in_use.count(),
                at: row.at,
            });
        }
        notes.extend(row.notes);
    }
    Ok(Status {
        standing: standing(app, &asker.project),
        user: standing(app, &user(app)),
        switches: app.hooks.captures.memories.switches.all(),
        files,
        notes,
        report: None,
    })
}

/// The user as a project: what belongs to all of them, below the home directory.
fn user(app: &App) -> Project {
    let home = app.hooks.captures.memories.home();
    Project {
        name: "user".to_owned(),
        ..Project::outside(&home.directory)
    }
}

/// Whether the files of a project, or the user's, are read. A directory outside of any project has
/// none of its own.
fn is_read(app: &App, project: &Project) -> bool {
    let home = app.hooks.captures.memories.home().directory;
    let has_files = project.scope != Scope::Global || project.root == home;
    has_files && !project.root.as_os_str().is_empty() && standing(app, project).is_on
}

/// Takes out of the indexes what was read and is switched off.
fn drop_what_is_off(app: &App) -> Result<Report, Refusal> {
    let reading = app.hooks.captures.memories.reading.lock();
    let _reading = reading.unwrap_or_else(PoisonError::into_inner);
    let mut report = Report::default();
    for row in rows::all(app)? {
        if !is_read(app, &row.project()) {
            report.add(follow::drop_all(app, &row)?);
        }
    }
    Ok(report)
}

/// Whose files a row is about. The main work tree is looked for on the disk.
fn whose(app: &App, row: &Row) -> Whose {
    if row.scope == Scope::Global {
        return Whose::User;
    }
    let root = row.root.clone();
    let main = app.memory.reach.ask(&row.root, files::PATIENCE, {
        let root = root.clone();
        move || crate::git_head::main_root(&root)
    });
    Whose::Project {
        main: main.flatten().filter(|main| *main != root),
        root,
    }
}

/// A project whose files are to be read.
pub(crate) type Waiting = Arc<Project>;

/// Puts a project into the queue of what is read behind the answers of hooks.
pub(crate) fn queue(app: &App, project: &Arc<Project>) {
    if is_read(app, project) || is_read(app, &user(app)) {
        app.hooks.captures.read_files(Arc::clone(project));
    }
}

/// A path as people read it, in a note.
fn shown(path: &Path) -> String {
    helix_neutral::quoted(&path.to_string_lossy())
}
