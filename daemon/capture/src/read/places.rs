//! Where the transcripts of this machine are.
//!
//! The places are data (`places.toml`); the machine's files are a port, so that tests give a tree
//! of their own.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use super::Format;

/// Entries of folders that are looked at.
const ENTRIES_MAX: usize = 200_000;

/// Folders between a `**` and the files behind it.
const DEPTH_MAX: usize = 8;

/// Bytes of a file that names a directory.
const PATH_MAX_BYTES: usize = 4096;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name within the folder.
    pub name: String,
    /// Whether it is a folder itself.
    pub is_directory: bool,
    /// Its length.
    pub bytes: u64,
    /// Microseconds since 1970 in UTC, where known.
    pub modified: Option<i64>,
}

/// The files of a machine.
pub trait Tree {
    /// The entries of a folder; none where it cannot be read.
    fn list(&self, folder: &Path) -> Vec<Entry>;

    /// A file's content; `None` where it cannot be read or is longer.
    fn read(&self, file: &Path, most_bytes: usize) -> Option<Vec<u8>>;
}

/// The home directory, and the variables by which clients move away from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Home {
    /// The home directory itself.
    pub directory: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub data: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
}

impl Home {
    fn root(&self, root: Root) -> PathBuf {
        let (moved, usual) = match root {
            Root::Claude => (&self.claude, ".claude"),
            Root::Codex => (&self.codex, ".codex"),
            Root::Data => (&self.data, ".local/share"),
            Root::Config => (&self.config, ".config"),
            Root::Home => return self.directory.clone(),
        };
        moved.clone().unwrap_or_else(|| self.directory.join(usual))
    }
}

/// A transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How it is written.
    pub format: Format,
    /// Its path.
    pub file: PathBuf,
    /// The session, where the file's name tells it.
    pub session: String,
    /// The directory that the session worked in, where a file beside the transcript tells it; the
    /// transcript itself may tell another.
    pub directory: Option<String>,
    /// The client's own name of the project, which says too little to find its directory.
    pub project: String,
    /// Its length; for a spread session that of the file that names it.
    pub bytes: u64,
    /// Microseconds since 1970 in UTC, where known.
    pub modified: Option<i64>,
    /// The session is spread over files, of which [`assemble`](super::assemble) makes one document.
    pub is_spread: bool,
}

/// Something of a client's that no reader reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its path.
    pub file: PathBuf,
    /// What it is, and how its content can be read all the same.
    pub what: &'static str,
}

/// What was found on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Newest first.
    pub found: Vec<Found>,
    /// What holds sessions all the same, to be told to people.
    pub unread: Vec<Unread>,
    /// More folders than can be looked at: some transcripts may be missing.
    pub is_cut: bool,
}

/// Where the first folder of a pattern is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    Home,
    Claude,
    Codex,
    Data,
    Config,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    root: Root,
    path: String,
    format: Option<Format>,
    /// Which segment of the pattern, from 0, is the client's name of the project.
    project: Option<usize>,
    /// A file in the project's folder that names its directory.
    directory_file: Option<String>,
    /// Names of folders that are passed over.
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    is_spread: bool,
    /// A newer transcript of the same session has this at the end of its name.
    superseded_by: Option<String>,
    unread: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Patterns {
    place: Vec<Pattern>,
}

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| toml::from_str(include_str!("places.toml")).unwrap_or_default());

/// Finds the transcripts of every client.
#[must_use]
pub fn find(home: &Home, tree: &dyn Tree) -> Places {
    let mut places = Places::default();
    let mut looked_at = 0;
    for pattern in &PATTERNS.place {
        let root = home.root(pattern.root);
        let segments: Vec<&str> = pattern.path.split('/').collect();
        let mut walk = Walk {
            tree,
            except: &pattern.except,
            looked_at: &mut looked_at,
            matches: Vec::new(),
        };
        walk.along(&root, &segments, DEPTH_MAX);
        let matches = walk.matches;
        for (file, entry) in &matches {
            if let Some(what) = pattern.unread.as_deref() {
                let file = file.clone();
                places.unread.push(Unread { file, what });
            }
            let is_old = pattern.superseded_by.as_deref().is_some_and(|end| {
                let newer = file.with_extension(end);
                let name = newer
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                let listed = newer
                    .parent()
                    .map(|folder| tree.list(folder))
                    .unwrap_or_default();
                listed
                    .iter()
                    .any(|entry| Some(&entry.name) == name.as_ref())
            });
            if let Some(format) = pattern.format.filter(|_| !is_old) {
                places
                    .found
                    .push(found(pattern, format, &root, (file, entry), tree));
            }
        }
    }
    places.is_cut = looked_at >= ENTRIES_MAX;
    places
        .found
        .sort_by(|a, b| (b.modified, &a.file).cmp(&(a.modified, &b.file)));
    places
}

fn found(
    pattern: &Pattern,
    format: Format,
    root: &Path,
    (file, entry): (&Path, &Entry),
    tree: &dyn Tree,
) -> Found {
    let project = pattern.project.and_then(|at| {
        let below = file.strip_prefix(root).ok()?;
        below
            .components()
            .nth(at)
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
    });
    let named = pattern.directory_file.as_deref().and_then(|name| {
        let segments = pattern.path.split('/').count();
        let folder = file.ancestors().nth(segments - pattern.project? - 1)?;
        let bytes = tree.read(&folder.join(name), PATH_MAX_BYTES)?;
        Some(String::from_utf8(bytes).ok()?.trim().to_owned())
    });
    Found {
        format,
        file: file.to_owned(),
        session: session(format, file),
        directory: named.filter(|path| path.starts_with('/')),
        project: project.unwrap_or_default(),
        bytes: entry.bytes,
        modified: entry.modified,
        is_spread: pattern.is_spread,
    }
}

/// The session that a file is named after.
fn session(format: Format, file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    match format {
        Format::ClaudeCode | Format::OpenCode | Format::Cursor => stem.to_string_lossy().into(),
        Format::Codex | Format::Gemini | Format::GeminiDocument => String::new(),
    }
}

/// Goes through folders along a pattern, whose segments are names with at most one `*`, or `**` for
/// folders of any depth.
struct Walk<'a> {
    tree: &'a dyn Tree,
    except: &'a [String],
    looked_at: &'a mut usize,
    matches: Vec<(PathBuf, Entry)>,
}

impl Walk<'_> {
    fn along(&mut self, folder: &Path, segments: &[&str], depth: usize) {
        let Some((segment, rest)) = segments.split_first() else {
            return;
        };
        if *segment == "**" {
            self.along(folder, rest, depth);
        }
        for entry in self.tree.list(folder) {
            if *self.looked_at >= ENTRIES_MAX {
                return;
            }
            *self.looked_at += 1;
            let path = folder.join(&entry.name);
            match (entry.is_directory, *segment) {
                (true, _) if self.except.contains(&entry.name) => {}
                (true, "**") if depth > 0 => self.along(&path, segments, depth - 1),
                (_, "**") => {}
                (_, name) if !is_named(&entry.name, name) => {}
                (true, _) => self.along(&path, rest, depth),
                (false, _) if rest.is_empty() => self.matches.push((path, entry)),
                (false, _) => {}
            }
        }
    }
}

fn is_named(name: &str, segment: &str) -> bool {
    let Some((start, end)) = segment.split_once('*') else {
        return name == segment;
    };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read() {
        assert_eq!(
            toml::from_str::<Patterns>(include_str!("places.toml")).err(),
            None
        );
        for pattern in &PATTERNS.place {
            let is_told = pattern.unread.is_some();
            assert_ne!(pattern.format.is_some(), is_told, "{}", pattern.path);
        }
    }

    #[test]
    fn names_match_segments() {
        assert!(is_named("a.jsonl", "*.jsonl"));
        assert!(is_named("rollout-1.jsonl", "rollout-*.jsonl"));
        assert!(!is_named("rollout.jsonl", "rollout-*.jsonl"));
        assert!(!is_named("a.json", "*.jsonl"));
        assert!(is_named("chats", "chats"));
    }
}
