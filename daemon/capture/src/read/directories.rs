//! The directory that a client means by its own name of a project.
//!
//! Gemini CLI names a project by the SHA-256 of its directory's path, Cursor by the path with dashes
//! for all that is no letter or digit. Neither can be read backwards. So the directories that clients
//! list, and those that a caller names, are tried; for Cursor the disk is walked along the name as
//! well. Where two directories fit, neither is taken.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Format;
use super::places::{Found, Home, Root, Tree, matches};
use super::value::member;

/// Bytes of a file that lists directories; Claude Code keeps much else in it.
const LIST_MAX_BYTES: usize = 16 << 20;

/// Directories that are tried.
const DIRECTORIES_MAX: usize = 10_000;

/// Folders that are listed along one name.
const WALK_MAX: usize = 200;

/// Before the path in the address of a directory on this machine.
const FILE_ADDRESS: &str = "file://";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    root: Root,
    path: String,
    /// The member whose members' names are directories; empty for the whole document.
    names_of: Option<String>,
    /// The member that is the address of a directory.
    address: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    list: Vec<List>,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("directories.toml")).unwrap_or_default());

/// Directories that may be projects.
#[derive(Clone, Debug, Default)]
pub struct Directories {
    known: BTreeSet<PathBuf>,
}

impl Directories {
    /// Finds those that clients list, beside those that a caller names. A project may be used in a
    /// directory above one that is listed.
    pub fn find(home: &Home, tree: &dyn Tree, named: impl IntoIterator<Item = PathBuf>) -> Self {
        let listed = LISTS.list.iter().flat_map(|list| list.read(home, tree));
        let mut known = BTreeSet::new();
        for directory in named.into_iter().chain(listed) {
            let is_path = directory.is_absolute() && known.len() < DIRECTORIES_MAX;
            let above = directory.ancestors().filter(|_| is_path);
            known.extend(above.map(Path::to_owned));
        }
        Self { known }
    }

    /// The directory of a transcript: the one that is told, else the one that its client's name of
    /// the project stands for.
    #[must_use]
    pub fn of(&self, found: &Found, tree: &dyn Tree) -> Option<String> {
        if found.directory.is_some() {
            return found.directory.clone();
        }
        let directory = match found.format {
            Format::Gemini | Format::GeminiDocument => self.of_hash(&found.project),
            Format::Cursor => self.of_dashed(&found.project, tree),
            Format::ClaudeCode | Format::Codex | Format::OpenCode => None,
        };
        directory?.to_str().map(str::to_owned)
    }

    fn of_hash(&self, hash: &str) -> Option<PathBuf> {
        let is_meant = |directory: &&PathBuf| {
            let path = directory.to_string_lossy();
            hex::encode(Sha256::digest(path.as_bytes())) == hash
        };
        self.known.iter().find(is_meant).cloned()
    }

    fn of_dashed(&self, name: &str, tree: &dyn Tree) -> Option<PathBuf> {
        let name = dashed(name);
        let mut fitting: BTreeSet<PathBuf> = self
            .known
            .iter()
            .filter(|directory| dashed(&directory.to_string_lossy()) == name)
            .cloned()
            .collect();
        let mut walk = Walk {
            tree,
            listed: 0,
            fitting: &mut fitting,
        };
        walk.along(Path::new("/"), &name);
        let only = fitting.len() == 1;
        fitting.pop_first().filter(|_| only)
    }
}

impl List {
    fn read(&self, home: &Home, tree: &dyn Tree) -> Vec<PathBuf> {
        let files = matches(tree, &home.root(self.root), &self.path, &mut 0);
        let documents = files.iter().filter_map(|file| {
            let bytes = tree.read(file, LIST_MAX_BYTES)?;
            serde_json::from_slice::<Value>(&bytes).ok()
        });
        documents
            .flat_map(|document| self.listed(&document))
            .collect()
    }

    fn listed(&self, document: &Value) -> Vec<PathBuf> {
        let address = self.address.as_deref().map(|name| member(document, name));
        if let Some(path) = address.and_then(Value::as_str).and_then(path_of) {
            return vec![path];
        }
        let names_of = match self.names_of.as_deref() {
            None => return Vec::new(),
            Some("") => document,
            Some(name) => member(document, name),
        };
        let names = names_of
            .as_object()
            .into_iter()
            .flat_map(|names| names.keys());
        names.map(PathBuf::from).collect()
    }
}

/// The path in an address of this machine.
fn path_of(address: &str) -> Option<PathBuf> {
    let path = percent_decode_str(address.strip_prefix(FILE_ADDRESS)?);
    Some(PathBuf::from(path.decode_utf8().ok()?.into_owned()))
}

/// Letters and digits, with one dash between them for whatever stands there.
fn dashed(path: &str) -> String {
    let words = path.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Goes down the disk along a name with dashes.
struct Walk<'a> {
    tree: &'a dyn Tree,
    listed: usize,
    fitting: &'a mut BTreeSet<PathBuf>,
}

impl Walk<'_> {
    fn along(&mut self, folder: &Path, rest: &str) {
        if self.listed == WALK_MAX {
            return;
        }
        self.listed += 1;
        let entries = self.tree.list(folder);
        for entry in entries.iter().filter(|entry| entry.is_directory) {
            let Some(behind) = rest.strip_prefix(&dashed(&entry.name)) else {
                continue;
            };
            let path = folder.join(&entry.name);
            match behind.strip_prefix('-') {
                Some(behind) => self.along(&path, behind),
                None if behind.is_empty() => {
                    self.fitting.insert(path);
                }
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let read = toml::from_str::<Lists>(include_str!("directories.toml"));
        assert_eq!(read.err(), None);
        for list in &LISTS.list {
            assert_ne!(
                list.names_of.is_some(),
                list.address.is_some(),
                "{}",
                list.path
            );
        }
    }

    #[test]
    fn addresses_and_names_are_paths() {
        let path = path_of("file:///home/dev/my%20app");
        assert_eq!(path, Some(PathBuf::from("/home/dev/my app")));
        assert_eq!(path_of("vscode-remote://ssh/home/dev"), None);
        assert_eq!(dashed("/home/dev/my.app_2"), "home-dev-my-app-2");
    }
}
