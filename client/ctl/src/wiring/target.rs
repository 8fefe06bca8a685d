//! Which files a client reads, by scope. The environment is the caller's to ask.

use std::path::{Path, PathBuf};

use super::plan::Part;

/// Mode of a settings file that a project shares, when it has to be made.
const SHARED_FILE_MODE: u32 = 0o644;
/// Mode of a file in the user's own configuration, which may hold secrets.
const OWN_FILE_MODE: u32 = 0o600;

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

/// One file and what of ours it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The file as the client names it; it may be a link or missing.
    pub(crate) path: PathBuf,
    /// Which of our entries it holds.
    pub(crate) part: Part,
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
        Self { path, part: Part::Hooks, new_mode }
    }

    /// The file that holds MCP servers in Claude Code. It has no file for a user's own servers in one
    /// project, so that scope shares the user's.
    pub(crate) fn claude_server(scope: Scope, place: Place<'_>) -> Self {
        let (path, new_mode) = match scope {
            Scope::Project => (place.project.join(".mcp.json"), SHARED_FILE_MODE),
            Scope::Local | Scope::User => {
                (place.claude_config_dir.unwrap_or(place.home).join(".claude.json"), OWN_FILE_MODE)
            }
        };
        Self { path, part: Part::Server, new_mode }
    }
}

impl Place<'_> {
    fn claude_dir(&self) -> PathBuf {
        self.claude_config_dir.map_or_else(|| self.home.join(".claude"), Path::to_owned)
    }
}
