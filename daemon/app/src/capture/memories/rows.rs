//! What was read, by the root that it was found from: a row of the store for each.

use std::path::{Path, PathBuf};

use helix_capture::read::places::Home;
use helix_engine::{Request, States};
use helix_memory::{Scope, Timestamp};
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use crate::capture::transcript::write;
use crate::project::Project;
use crate::{App, Refusal};

/// Begins the names of the rows. No space is in them: the store takes a number behind one for a
/// memory's.
const KEY: &str = "memories-of-";

/// The row that keeps where clients have their folders.
const HOME_KEY: &str = "memories-home";

/// Characters of the hash that names a root.
const NAME_CHARS: usize = 32;

/// What was read from one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) scope: Scope,
    pub(super) root: PathBuf,
    pub(super) name: String,
    /// Hash of all that was read; empty where it is to be compared again.
    pub(super) digest: String,
    pub(super) at: Timestamp,
    pub(super) files: Vec<File>,
    /// What could not be read.
    pub(super) notes: Vec<String>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// The path as its memories name it.
    pub(super) source: String,
    pub(super) client: String,
    /// It is part of another file, which names it.
    pub(super) is_import: bool,
}

#[derive(Clone, PartialEq, Message)]
struct RowV1 {
    #[prost(string, tag = "1")]
    scope: String,
    #[prost(string, tag = "2")]
    root: String,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(string, tag = "4")]
    digest: String,
    #[prost(sint64, tag = "5")]
    at_us: i64,
    #[prost(message, repeated, tag = "6")]
    files: Vec<FileV1>,
    #[prost(string, repeated, tag = "7")]
    notes: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct FileV1 {
    #[prost(string, tag = "1")]
    path: String,
    #[prost(string, tag = "2")]
    source: String,
    #[prost(string, tag = "3")]
    client: String,
    #[prost(bool, tag = "4")]
    is_import: bool,
}

#[derive(Clone, PartialEq, Message)]
struct HomeV1 {
    #[prost(string, tag = "1")]
    directory: String,
    #[prost(string, tag = "2")]
    claude: String,
    #[prost(string, tag = "3")]
    codex: String,
}

impl Redact for RowV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            scope,
            root,
            name,
            digest: _,
            at_us: _,
            files,
            notes,
        } = self;
        secrets.said(scope);
        secrets.said(root);
        secrets.said(name);
        for file in files {
            let FileV1 {
                path,
                source,
                client: _,
                is_import: _,
            } = file;
            secrets.said(path);
            secrets.said(source);
        }
        secrets.all_said(notes);
    }
}

impl Redact for HomeV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            directory,
            claude,
            codex,
        } = self;
        secrets.said(directory);
        secrets.said(claude);
        secrets.said(codex);
    }
}

impl Row {
    /// Of a project of which nothing was read yet.
    pub(super) fn of(project: &Project) -> Self {
        Self {
            scope: project.scope.clone(),
            root: project.root.clone(),
            name: project.name.clone(),
            digest: String::new(),
            at: Timestamp::default(),
            files: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// What was read of a project; `None` if nothing ever was.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn read(app: &App, project: &Project) -> Result<Option<Self>, Refusal> {
        Self::named(app, &key(&project.scope, &project.root))
    }

    /// The row of this name.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn named(app: &App, key: &str) -> Result<Option<Self>, Refusal> {
        let snapshot = app.memory.strand.snapshot()?;
        let row = snapshot.state(States::Observations, key)?;
        Ok(row.and_then(|row| Self::decode(&row)))
    }

    /// Its name.
    pub(super) fn key(&self) -> String {
        key(&self.scope, &self.root)
    }

    /// The project that it is of, without its former names.
    pub(super) fn project(&self) -> Project {
        Project {
            scope: self.scope.clone(),
            root: self.root.clone(),
            name: self.name.clone(),
            aliases: Vec::new(),
        }
    }

    fn decode(row: &[u8]) -> Option<Self> {
        let row = RowV1::decode(row).ok()?;
        let file = |file: FileV1| File {
            path: PathBuf::from(file.path),
            source: file.source,
            client: file.client,
            is_import: file.is_import,
        };
        Some(Self {
            scope: Scope::parse(&row.scope).ok()?,
            root: PathBuf::from(row.root),
            name: row.name,
            digest: row.digest,
            at: Timestamp::from_micros(row.at_us),
            files: row.files.into_iter().map(file).collect(),
            notes: row.notes,
        })
    }

    /// Keeps it in place of what was kept of this root.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn keep(&self, app: &App) -> Result<(), Refusal> {
        write(app, vec![self.request()])
    }

    fn request(&self) -> Request {
        let file = |file: &File| FileV1 {
            path: text(&file.path),
            source: file.source.clone(),
            client: file.client.clone(),
            is_import: file.is_import,
        };
        let row = RowV1 {
            scope: self.scope.to_string(),
            root: text(&self.root),
            name: self.name.clone(),
            digest: self.digest.clone(),
            at_us: self.at.as_micros(),
            files: self.files.iter().map(file).collect(),
            notes: self.notes.clone(),
        };
        states(self.key(), State::of_message(row))
    }

    /// Forgets that anything was read from this root.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn remove(&self, app: &App) -> Result<(), Refusal> {
        write(app, vec![states(self.key(), State::default())])
    }
}

/// What was read from every root, by the names of the rows.
///
/// # Errors
/// When the disk fails.
pub(super) fn all(app: &App) -> Result<Vec<Row>, Refusal> {
    let kept = app.memory.strand.snapshot()?.states(States::Observations)?;
    let rows = kept.iter().filter(|(key, _)| key.starts_with(KEY));
    Ok(rows.filter_map(|(_, row)| Row::decode(row)).collect())
}

/// The names of the rows that the store keeps among its observations.
pub(super) fn keys(observations: &[(String, Vec<u8>)]) -> impl Iterator<Item = String> {
    let keys = observations.iter().map(|(key, _)| key);
    keys.filter(|key| key.starts_with(KEY)).cloned()
}

/// Where clients have their folders, as the store keeps it among its observations.
pub(super) fn home(observations: &[(String, Vec<u8>)]) -> Option<Home> {
    let (_, row) = observations.iter().find(|(key, _)| key == HOME_KEY)?;
    let row = HomeV1::decode(row.as_slice()).ok()?;
    let moved = |path: String| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    Some(Home {
        directory: PathBuf::from(row.directory),
        claude: moved(row.claude),
        codex: moved(row.codex),
        ..Home::default()
    })
}

/// Keeps where clients have their folders.
///
/// # Errors
/// When the disk fails.
pub(super) fn keep_home(app: &App, home: &Home) -> Result<(), Refusal> {
    let moved = |path: &Option<PathBuf>| path.as_deref().map(text).unwrap_or_default();
    let row = HomeV1 {
        directory: text(&home.directory),
        claude: moved(&home.claude),
        codex: moved(&home.codex),
    };
    write(
        app,
        vec![states(HOME_KEY.to_owned(), State::of_message(row))],
    )
}

fn states(key: String, row: State) -> Request {
    Request::States(States::Observations, vec![(key, row)])
}

fn key(scope: &Scope, root: &Path) -> String {
    let whole = format!("{scope} {}", root.display());
    let hash = blake3::hash(whole.as_bytes()).to_hex();
    let name: String = hash.chars().take(NAME_CHARS).collect();
    format!("{KEY}{name}")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_row_comes_back() {
        let row = Row {
            scope: Scope::Project("a".to_owned()),
            root: PathBuf::from("/work/a"),
            name: "a".to_owned(),
            digest: "d".to_owned(),
            at: Timestamp::from_micros(7),
            files: vec![File {
                path: PathBuf::from("/work/a/CLAUDE.md"),
                source: "CLAUDE.md".to_owned(),
                client: "claude-code".to_owned(),
                is_import: true,
            }],
            notes: vec!["too large".to_owned()],
        };
        let Request::States(_, rows) = row.request() else {
            unreachable!("it is one row of states");
        };
        let (name, state) = rows.first().unwrap();
        assert!(!name.contains(' '), "{name}");
        assert_eq!(Row::decode(state).unwrap(), row);
    }
}
