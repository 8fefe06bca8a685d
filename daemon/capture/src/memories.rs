//! Where agents keep memories and rules of their own: the files, whose they are, and which client
//! shows them by itself.
//!
//! The places are data (`memories.toml`); the machine's files are a port. Nothing is read here but
//! the names of folders' entries.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::read::places::{Home, Root, Tree, matches};

/// Longest name of a folder that Claude Code makes of a path; it cuts longer ones in a way of its
/// own, and they are not looked for.
const FOLDER_MAX_CHARS: usize = 200;

/// Whose files are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A project's.
    Project {
        /// The root of the work tree.
        root: PathBuf,
        /// The root of the main work tree, where that is another one.
        main: Option<PathBuf>,
    },
    /// The user's, for every project.
    User,
}

/// A file of an agent's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path.
    pub file: PathBuf,
    /// The folder that it may not lead out of.
    pub within: PathBuf,
    /// What is known of it.
    pub place: &'static Place,
}

/// A kind of file.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    level: Level,
    root: Option<Root>,
    path: String,
    /// The client whose it is.
    pub client: String,
    /// The topic of what it says; `None` for the file's name.
    pub topic: Option<String>,
    /// The kind of what it says; `None` where the text decides.
    pub kind: Option<String>,
    /// Clients that put it in front of their model by themselves.
    #[serde(default)]
    pub shown_by: Vec<String>,
    /// They show so many lines of it; `None` for all.
    pub shown_lines: Option<u64>,
    /// Whether files that it names as `@path` are part of it.
    #[serde(default)]
    pub imports: bool,
}

/// Where the first folder of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Project,
    Session,
    User,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    place: Vec<Place>,
}

static PLACES: LazyLock<Places> =
    LazyLock::new(|| toml::from_str(include_str!("memories.toml")).unwrap_or_default());

/// Finds the files that agents keep for somebody, each once, in the order of the places.
#[must_use]
pub fn find(whose: &Whose, home: &Home, tree: &dyn Tree) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    let mut looked_at = 0;
    for place in &PLACES.place {
        for (folder, within) in folders(place, whose, home) {
            for file in matches(tree, &folder, &place.path, &mut looked_at) {
                if all.iter().any(|found| found.file == file) {
                    continue;
                }
                let within = within.clone();
                all.push(Found {
                    file,
                    within,
                    place,
                });
            }
        }
    }
    all
}

/// The folders that a place is looked for in, each with the one that no link may lead out of.
fn folders(place: &Place, whose: &Whose, home: &Home) -> Vec<(PathBuf, PathBuf)> {
    match (place.level, whose) {
        (Level::Project, Whose::Project { root, .. }) => vec![(root.clone(), root.clone())],
        (Level::Session, Whose::Project { root, main }) => {
            let roots = [Some(root), main.as_ref()].into_iter().flatten();
            let folders = roots.filter_map(|root| session_folder(home, root));
            folders.map(|folder| (folder.clone(), folder)).collect()
        }
        // People keep these files elsewhere in their home, and put links to them.
        (Level::User, Whose::User) => {
            let root = place.root.map(|root| home.root(root));
            let with_home = |root: PathBuf| {
                let is_inside = root.starts_with(&home.directory);
                let within = if is_inside { &home.directory } else { &root };
                (root.clone(), within.clone())
            };
            root.map(with_home).into_iter().collect()
        }
        (Level::Project | Level::Session, Whose::User) | (Level::User, Whose::Project { .. }) => {
            Vec::new()
        }
    }
}

/// The folder in which Claude Code keeps what belongs to a project.
fn session_folder(home: &Home, root: &Path) -> Option<PathBuf> {
    let of = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = root.to_str()?.chars().map(of).collect();
    let folder = home.root(Root::Claude).join("projects").join(&name);
    (name.len() <= FOLDER_MAX_CHARS).then_some(folder)
}

/// The files that a file of Claude Code's names as `@path`, as they are written. What stands in
/// code is none.
#[must_use]
pub fn imports(text: &str) -> Vec<&str> {
    let mut named = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            // Every second part stands between backticks.
            let plain = line.split('`').step_by(2);
            named.extend(plain.flat_map(str::split_whitespace).filter_map(imported));
        }
    }
    named
}

fn imported(word: &str) -> Option<&str> {
    let path = word.strip_prefix('@')?;
    let path = path.trim_end_matches([',', '.', ';', ':', ')', '!', '?']);
    let is_path = path.contains('/') || path.contains('.');
    (is_path && !path.starts_with('@')).then_some(path)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::read::places::Entry;

    /// Files by their paths.
    struct Files(BTreeSet<PathBuf>);

    impl Files {
        fn of(paths: &[&str]) -> Self {
            Self(paths.iter().map(PathBuf::from).collect())
        }
    }

    impl Tree for Files {
        fn list(&self, folder: &Path) -> Vec<Entry> {
            let below = self.0.iter().filter_map(|path| {
                let rest = path.strip_prefix(folder).ok()?;
                let name = rest.components().next()?.as_os_str().to_string_lossy();
                Some((name.into_owned(), rest.components().count() > 1))
            });
            let entries: BTreeMap<String, bool> = below.collect();
            let entry = |(name, is_directory)| Entry {
                name,
                is_directory,
                bytes: 0,
                modified: None,
            };
            entries.into_iter().map(entry).collect()
        }

        fn read(&self, _: &Path, _: usize) -> Option<Vec<u8>> {
            None
        }
    }

    fn found(whose: &Whose, files: &[&str]) -> Vec<String> {
        let home = Home {
            directory: PathBuf::from("/home/mo"),
            ..Home::default()
        };
        let found = find(whose, &home, &Files::of(files)).into_iter();
        found
            .map(|found| format!("{} ({})", found.file.display(), found.place.client))
            .collect()
    }

    #[test]
    fn places_are_read() {
        let read = toml::from_str::<Places>(include_str!("memories.toml"));
        assert_eq!(read.as_ref().err(), None);
        for place in &PLACES.place {
            let is_users = place.level == Level::User;
            assert_eq!(place.root.is_some(), is_users, "{}", place.path);
            assert!(!place.client.is_empty(), "{}", place.path);
        }
    }

    #[test]
    fn a_project_has_its_own_files_and_those_kept_for_it() {
        let whose = Whose::Project {
            root: PathBuf::from("/work/my.app-2"),
            main: Some(PathBuf::from("/work/my.app")),
        };
        let files = [
            "/work/my.app-2/CLAUDE.md",
            "/work/my.app-2/AGENTS.md",
            "/work/my.app-2/src/AGENTS.md",
            "/work/my.app-2/.serena/memories/deep/core.md",
            "/work/my.app-2/README.md",
            "/work/my.app/GEMINI.md",
            "/home/mo/.claude/projects/-work-my-app/memory/MEMORY.md",
            "/home/mo/.claude/projects/-work-my-app/memory/debugging.md",
            "/home/mo/.claude/projects/-work-my-app/s.jsonl",
            "/home/mo/.claude/CLAUDE.md",
        ];
        assert_eq!(
            found(&whose, &files),
            [
                "/work/my.app-2/CLAUDE.md (claude-code)",
                "/work/my.app-2/AGENTS.md (codex)",
                "/work/my.app-2/.serena/memories/deep/core.md (serena)",
                "/home/mo/.claude/projects/-work-my-app/memory/MEMORY.md (claude-code)",
                "/home/mo/.claude/projects/-work-my-app/memory/debugging.md (claude-code)",
            ]
        );
    }

    #[test]
    fn a_user_has_the_files_of_every_client() {
        let files = [
            "/home/mo/.claude/CLAUDE.md",
            "/home/mo/.codex/AGENTS.md",
            "/home/mo/.codex/memories/MEMORY.md",
            "/home/mo/.codex/memories/raw_memories.md",
            "/home/mo/.gemini/GEMINI.md",
            "/home/mo/CLAUDE.md",
        ];
        assert_eq!(
            found(&Whose::User, &files),
            [
                "/home/mo/.claude/CLAUDE.md (claude-code)",
                "/home/mo/.codex/AGENTS.md (codex)",
                "/home/mo/.codex/memories/MEMORY.md (codex)",
                "/home/mo/.gemini/GEMINI.md (gemini-cli)",
            ]
        );
    }

    #[test]
    fn imports_are_paths_outside_of_code() {
        let text = "See @docs/style.md, and @README.md.\n\
                    Mail mo@example.com or @alice; run `npm i @scope/pkg`.\n\
                    ```\n@docs/code.md\n```\n- @~/notes.md";
        assert_eq!(imports(text), ["docs/style.md", "README.md", "~/notes.md"]);
    }
}
