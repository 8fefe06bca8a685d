//! Which files a client reads, by scope. The environment is the caller's to ask.

use std::path::{Path, PathBuf};

use super::plan::Part;

/// Mode of a settings file that a project shares, when it has to be made.
const SHARED_FILE_MODE: u32 = 0o644;
/// Mode of a file in the user's own configuration, which may hold secrets.
const OWN_FILE_MODE: u32 = 0o600;

/// The key of the user's file that holds what belongs to one project each.
const PROJECTS: &str = "projects";

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everybody's who works in the project.
    Project,
    /// The user's own within the project.
    Local,
    /// The user's own everywhere.
    User,
}

/// Where the client looks, as the caller found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The project's directory.
    pub(crate) project: &'a Path,
    /// The user's home directory.
    pub(crate) home: &'a Path,
    /// The value of `CLAUDE_CONFIG_DIR`, if it is set.
    pub(crate) claude_config_dir: Option<&'a Path>,
}

/// Where in a file the entries stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Level {
    /// In the root object.
    Root,
    /// In the object that the user's file has for a project, named by its absolute path.
    Project(String),
}

impl Level {
    /// The keys that lead there from the root.
    pub(super) fn keys(&self) -> Vec<&str> {
        match self {
            Self::Root => Vec::new(),
            Self::Project(path) => vec![PROJECTS, path],
        }
    }
}

/// One file and what of ours it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The file as the client names it; it may be a link or missing.
    pub(crate) path: PathBuf,
    /// Which of our entries it holds.
    pub(crate) part: Part,
    /// Where in the file.
    pub(super) level: Level,
    /// The mode it gets when it is made.
    pub(super) new_mode: u32,
}

impl Target {
    /// The settings file that holds hooks in Claude Code.
    pub(crate) fn claude_hooks(scope: Scope, place: Place<'_>) -> Self {
        let (path, new_mode) = match scope {
            Scope::Project => (place.project.join(".claude/settings.json"), SHARED_FILE_MODE),
            Scope::Local => (place.project.join(".claude/settings.local.json"), SHARED_FILE_MODE),
            Scope::User => (place.claude_dir().join("settings.json"), OWN_FILE_MODE),
        };
        Self { path, part: Part::Hooks, level: Level::Root, new_mode }
    }

    /// The file that holds MCP servers in Claude Code. A user's own servers in one project stand in the user's file,
    /// below that project's path.
    pub(crate) fn claude_server(scope: Scope, place: Place<'_>) -> Self {
        let own = || place.claude_config_dir.unwrap_or(place.home).join(".claude.json");
        let (path, level, new_mode) = match scope {
            Scope::Project => (place.project.join(".mcp.json"), Level::Root, SHARED_FILE_MODE),
            // The client is a JavaScript program, which reads a path that is not UTF-8 as lossily.
            Scope::Local => (own(), Level::Project(place.project.to_string_lossy().into_owned()), OWN_FILE_MODE),
            Scope::User => (own(), Level::Root, OWN_FILE_MODE),
        };
        Self { path, part: Part::Server, level, new_mode }
    }

    /// What the undo record of this target is filed under: one file may hold entries on several levels, and each is undone
    /// on its own.
    pub(super) fn record_key(&self, real: &Path) -> PathBuf {
        match &self.level {
            Level::Root => real.to_owned(),
            // No path holds the separator.
            Level::Project(project) => {
                let mut key = real.as_os_str().to_owned();
                key.push("\0");
                key.push(project);
                key.into()
            }
        }
    }
}

impl Place<'_> {
    fn claude_dir(&self) -> PathBuf {
        self.claude_config_dir.map_or_else(|| self.home.join(".claude"), Path::to_owned)
    }
}
