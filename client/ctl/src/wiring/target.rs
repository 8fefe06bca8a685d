//! One file of a client and what of ours it holds.

use std::iter;
use std::path::PathBuf;

use super::client::{HookForm, ServerForm};
use super::hooks::HOOKS;
use super::record::Entry;
use super::spec::SERVER_NAME;

/// The key of the user's file that holds what belongs to one project each.
const PROJECTS: &str = "projects";

/// A kind of entry, in the form that the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Hook handlers.
    Hooks(HookForm),
    /// The MCP server entry.
    Server(ServerForm),
}

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON, with comments and trailing commas where the client takes them.
    Json,
    /// TOML.
    Toml,
}

impl Syntax {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
        }
    }
}

/// Where in a file the entries stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Level {
    /// In the root object.
    Root,
    /// In the object that the user's file has for a project, named by its absolute path.
    Project(String),
}

/// One file and what of ours it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The file as the client names it; it may be a link or missing.
    pub(crate) path: PathBuf,
    /// Our parts of it, in the order in which they are written.
    pub(crate) parts: Vec<Part>,
    /// Its language.
    pub(super) syntax: Syntax,
    /// Where in the file.
    pub(super) level: Level,
    /// True if others have it too, who may have Helix elsewhere or not at all.
    pub(super) is_shared: bool,
    /// The mode it gets when it is made.
    pub(super) new_mode: u32,
}

impl Target {
    /// Returns whether it holds hooks.
    pub(crate) fn holds_hooks(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Hooks(_)))
    }

    /// Returns whether it holds the server.
    pub(crate) fn holds_server(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Server(_)))
    }

    /// The keys that lead to the object that holds every server.
    pub(super) fn servers_keys(&self, form: &ServerForm) -> Vec<&str> {
        match &self.level {
            Level::Root => vec![form.servers],
            Level::Project(path) => vec![PROJECTS, path, form.servers],
        }
    }

    /// The keys that lead to our server.
    pub(super) fn server_keys(&self, form: &ServerForm) -> Vec<&str> {
        self.servers_keys(form)
            .into_iter()
            .chain([SERVER_NAME])
            .collect()
    }

    /// The keys that lead to each thing of ours in this file.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let keys = self.parts.iter().map(|part| match part {
            Part::Hooks(_) => vec![HOOKS],
            Part::Server(form) => self.server_keys(form),
        });
        keys.map(|keys| keys.into_iter().map(str::to_owned).collect())
            .collect()
    }

    /// The same where the file holds them in its root object.
    pub(super) fn root_entries(&self) -> Vec<Entry> {
        Self {
            level: Level::Root,
            ..self.clone()
        }
        .entries()
    }

    /// The keys that lead to each object that holds something of ours or an object with it, outer
    /// ones first.
    pub(super) fn containers(&self) -> Vec<Vec<&str>> {
        let paths = self.parts.iter().flat_map(|part| match part {
            Part::Hooks(form) => {
                let events = form.rows.iter().map(|row| vec![HOOKS, row.event]);
                iter::once(vec![HOOKS]).chain(events).collect::<Vec<_>>()
            }
            Part::Server(form) => {
                let keys = self.servers_keys(form);
                (1..=keys.len())
                    .filter_map(|depth| Some(keys.get(..depth)?.to_vec()))
                    .collect()
            }
        });
        iter::once(Vec::new()).chain(paths).collect()
    }
}
