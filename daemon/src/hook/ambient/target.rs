//! What a tool is about to touch, and by which names memories may know it.

use std::path::{Path, PathBuf};

use helix_engine::code::{self, SYMBOLS_MAX};
use helix_engine::policy::tags::AUTO_TAGS;

use crate::hook::event::Input;
use crate::hook::files::head;
use crate::project::Project;

/// Shortest stem that says anything.
const STEM_MIN_CHARS: usize = 4;

/// Stems that every project has.
const COMMON_STEMS: &[&str] = &[
    "main",
    "lib",
    "mod",
    "index",
    "init",
    "__init__",
    "test",
    "tests",
    "util",
    "utils",
    "helper",
    "helpers",
    "types",
    "readme",
    "config",
    "package",
    "cargo",
    "makefile",
    "dockerfile",
    "setup",
    "conftest",
    "constants",
    "common",
    "base",
    "error",
    "errors",
    "model",
    "models",
    "view",
    "views",
    "settings",
    "license",
    "changelog",
    "build",
    "default",
];

/// What the tool is about to touch.
pub(super) struct Target {
    pub(super) label: String,
    pub(super) file: Option<PathBuf>,
    pub(super) stem: Option<String>,
    pub(super) pattern: Option<String>,
    /// Whether the file will be another one.
    pub(super) changes: bool,
    /// Whether it is a patch, which may change several files; the first one is looked at.
    pub(super) is_patch: bool,
}

impl Target {
    pub(super) fn of(input: &Input, project: &Project) -> Option<Self> {
        let pattern = || input.tool_text("pattern").map(str::to_owned);
        let target = match input.tool_name.as_str() {
            tool @ ("Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit") => {
                let file = input.file()?;
                let label = project.relative(&file).to_string_lossy().into_owned();
                Self {
                    label,
                    stem: telling_stem(&file),
                    file: Some(file),
                    pattern: None,
                    changes: tool != "Read",
                    is_patch: false,
                }
            }
            "apply_patch" => {
                let file = input.patched_files().into_iter().next()?;
                let label = project.relative(&file).to_string_lossy().into_owned();
                let stem = telling_stem(&file);
                Self { label, stem, file: Some(file), pattern: None, changes: true, is_patch: true }
            }
            "Grep" => {
                let pattern = pattern()?;
                let file = input.file().filter(|path| path.is_file());
                let stem = file.as_deref().and_then(telling_stem).or_else(|| telling_stem(Path::new(&pattern)));
                Self { label: pattern.clone(), file, stem, pattern: Some(pattern), changes: false, is_patch: false }
            }
            "Glob" => {
                let pattern = pattern()?;
                let stem = telling_stem(Path::new(&pattern.replace(['*', '?'], "")));
                Self { label: pattern, file: None, stem, pattern: None, changes: false, is_patch: false }
            }
            _ => return None,
        };
        Some(target)
    }

    /// The identifiers to look for: those of the pattern, or those that the file declares.
    pub(super) fn names(&self, declared: &[String]) -> Vec<String> {
        let is_distinctive = |name: &String| is_distinctive(name);
        match &self.pattern {
            Some(pattern) => {
                let words = code::words(pattern).map(str::to_owned);
                words.filter(is_distinctive).take(SYMBOLS_MAX).collect()
            }
            None => declared.iter().filter(|name| is_distinctive(name)).cloned().collect(),
        }
    }

    /// What the file holds, or will when it is written.
    pub(super) fn text(&self, input: &Input, file: &Path) -> String {
        match input.tool_text("content").filter(|_| self.changes) {
            Some(content) => content.to_owned(),
            None => head(file),
        }
    }
}

fn telling_stem(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let is_telling = stem.chars().count() >= STEM_MIN_CHARS
        && stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !COMMON_STEMS.contains(&stem.to_lowercase().as_str())
        && !AUTO_TAGS.contains(&stem.to_lowercase().as_str());
    is_telling.then(|| stem.replace(['-', '.'], "_"))
}

/// Whether a name is more than a common word: it has a part, a capital or a digit.
fn is_distinctive(name: &str) -> bool {
    name.chars().count() >= STEM_MIN_CHARS
        && (name.trim_matches('_').contains('_') || name.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()))
}
