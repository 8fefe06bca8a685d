//! The `ambient` event: before a file is read, edited or searched for, the memories about it.
//!
//! Three layers, each skipping what an earlier one or this session already gave: memories whose source is this file, then
//! those that name a symbol it declares, then those that name its stem.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use helix_engine::index::lexical::{LexicalQuery, Restriction};
use helix_engine::model::{Memory, MemoryNumber, Scope, Status};
use helix_engine::strand::ReadError;
use helix_engine::surface::inject::{INJECTION_MAX_TOKENS, frame_looking_at};
use helix_engine::surface::neutral::one_line;
use helix_engine::surface::symbols::symbols;
use jiff::tz::TimeZone;

use super::Given;
use super::event::Input;
use crate::project::Project;
use crate::runtime::Runtime;
use crate::sources::HOOK_READ_MAX_BYTES;

/// Memories of one injection.
const MEMORIES_MAX: usize = 5;

/// Memories that a file's symbols or stem may add; a guess deserves less room than a statement about the file.
const GUESSES_MAX: usize = 3;

/// Memories about the file itself after which nothing is guessed.
const ENOUGH: usize = 5;

/// Candidates of the word index that are looked at for a guess.
const CANDIDATES_MAX: usize = 16;

/// Bytes of a file that are read for its symbols; 500 lines are rarely longer.
const FILE_READ_MAX_BYTES: u64 = 128 * 1024;

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

/// Gives what is known about the file; `None` for nothing.
pub(super) fn give(runtime: &Runtime, project: &Project, input: &Input, key: &str) -> Result<Option<Given>, ReadError> {
    let Some(target) = Target::of(input, project) else { return Ok(None) };
    let mut layers = Layers { runtime, scopes: project.scopes(), key, found: Vec::new() };
    if let Some(file) = &target.file {
        layers.by_source(file, project)?;
    }
    if layers.found.len() < ENOUGH {
        let names = target.names();
        layers.by_name(&names, names_identifier)?;
    }
    if layers.found.len() < ENOUGH
        && let Some(stem) = &target.stem
    {
        layers.by_name(std::slice::from_ref(stem), names_word)?;
    }
    let memories = layers.found;
    let look = runtime.sources.look(project, HOOK_READ_MAX_BYTES);
    let heading = format!("About {}:", one_line(&target.label, 200));
    let injection = frame_looking_at(&heading, &memories, INJECTION_MAX_TOKENS, &look, &TimeZone::system());
    let memories = memories.iter().map(|memory| memory.number).collect();
    Ok((injection.taken > 0).then_some(Given { injection, memories, checkpoint: None }))
}

/// What the tool is about to touch.
struct Target {
    label: String,
    file: Option<PathBuf>,
    stem: Option<String>,
    pattern: Option<String>,
}

impl Target {
    fn of(input: &Input, project: &Project) -> Option<Self> {
        let tool = &input.tool_input;
        let absolute = |path: &String| Path::new(&input.cwd).join(path);
        let target = match input.tool_name.as_str() {
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                let file = tool.file_path.as_ref().or(tool.notebook_path.as_ref()).map(absolute)?;
                Self { label: relative(&file, project), stem: telling_stem(&file), file: Some(file), pattern: None }
            }
            "Grep" => {
                let pattern = tool.pattern.clone()?;
                let file = tool.path.as_ref().map(absolute).filter(|path| path.is_file());
                let stem = file.as_deref().and_then(telling_stem).or_else(|| telling_stem(Path::new(&pattern)));
                Self { label: pattern.clone(), file, stem, pattern: Some(pattern) }
            }
            "Glob" => {
                let pattern = tool.pattern.clone()?;
                let stem = telling_stem(Path::new(&pattern.replace(['*', '?'], "")));
                Self { label: pattern, file: None, stem, pattern: None }
            }
            _ => return None,
        };
        Some(target)
    }

    /// The identifiers to look for: those of the pattern, or those that the file declares.
    fn names(&self) -> Vec<String> {
        let names = match (&self.pattern, &self.file) {
            (Some(pattern), _) => {
                pattern.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
            }
            (None, Some(file)) => symbols(&head(file)),
            (None, None) => Vec::new(),
        };
        names.into_iter().filter(|name| is_distinctive(name)).collect()
    }
}

/// The search for memories, layer by layer.
struct Layers<'a> {
    runtime: &'a Runtime,
    scopes: Vec<Scope>,
    key: &'a str,
    found: Vec<Memory>,
}

impl Layers<'_> {
    /// Memories whose source is this file, newest first. A source that was given as a mere end of the path counts too.
    fn by_source(&mut self, file: &Path, project: &Project) -> Result<(), ReadError> {
        let relative = relative(file, project);
        let absolute = file.to_string_lossy();
        let mut numbers = {
            let catalog = self.runtime.strand.catalog();
            let ends = relative.match_indices('/').filter_map(|(at, _)| relative.get(at + 1..));
            let spellings = [relative.as_str(), &absolute].into_iter().chain(ends);
            let mut numbers: Vec<MemoryNumber> = spellings.flat_map(|path| catalog.of_source(path)).collect();
            numbers.retain(|&number| self.is_wanted(&catalog, number));
            numbers.sort_by_key(|&number| std::cmp::Reverse((catalog.row(number).map(|row| row.valid_from), number)));
            numbers
        };
        numbers.dedup();
        numbers.truncate(MEMORIES_MAX);
        self.found.extend(self.runtime.strand.memories(&numbers)?);
        Ok(())
    }

    /// Memories that name one of `names`, by the measure of `is_named`.
    fn by_name(&mut self, names: &[String], is_named: impl Fn(&Memory, &str) -> bool) -> Result<(), ReadError> {
        let query = LexicalQuery::identifiers(names.iter().map(String::as_str));
        if query.is_empty() {
            return Ok(());
        }
        let hits = {
            let catalog = self.runtime.strand.catalog();
            let keeps = |number| self.is_wanted(&catalog, MemoryNumber(number));
            self.runtime.strand.lexical().search(&query, CANDIDATES_MAX, &Restriction::default(), keeps)?
        };
        let numbers: Vec<MemoryNumber> = hits.into_iter().map(|hit| MemoryNumber(hit.number)).collect();
        let mut room = GUESSES_MAX.min(MEMORIES_MAX.saturating_sub(self.found.len()));
        for memory in self.runtime.strand.memories(&numbers)? {
            if room > 0 && names.iter().any(|name| is_named(&memory, name)) {
                self.found.push(memory);
                room -= 1;
            }
        }
        Ok(())
    }

    /// Whether a memory may be given: active, visible here, trusted, and not given yet.
    fn is_wanted(&self, catalog: &helix_engine::index::catalog::Catalog, number: MemoryNumber) -> bool {
        let is_visible = catalog.row(number).is_some_and(|row| {
            let scope = catalog.scope_of(row);
            row.status == Status::Active
                && row.origin.is_shown_unasked()
                && self.scopes.iter().any(|visible| scope_is(visible, scope))
        });
        is_visible
            && !self.found.iter().any(|memory| memory.number == number)
            && !self.runtime.sessions.was_given(self.key, number)
    }
}

/// Compares a scope with its text without making one.
fn scope_is(scope: &Scope, text: &str) -> bool {
    match scope {
        Scope::Global => text == "global",
        Scope::Project(id) => text.strip_prefix("project:") == Some(id.as_str()),
        Scope::Session(id) => text.strip_prefix("session:") == Some(id.as_str()),
    }
}

fn relative(file: &Path, project: &Project) -> String {
    project.relative(file).to_string_lossy().into_owned()
}

/// Reads the first bytes of a regular file; empty when it cannot be read or is none.
fn head(file: &Path) -> String {
    let mut bytes = Vec::new();
    let opened = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(file).ok());
    if let Some(opened) = opened
        && opened.take(FILE_READ_MAX_BYTES).read_to_end(&mut bytes).is_err()
    {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn telling_stem(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let is_telling = stem.chars().count() >= STEM_MIN_CHARS
        && stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !COMMON_STEMS.contains(&stem.to_lowercase().as_str());
    is_telling.then(|| stem.replace(['-', '.'], "_"))
}

/// Whether a name is more than a common word: it has a part, a capital or a digit.
fn is_distinctive(name: &str) -> bool {
    name.chars().count() >= STEM_MIN_CHARS
        && (name.trim_matches('_').contains('_') || name.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()))
}

/// Whether a memory's text names an identifier exactly.
fn names_identifier(memory: &Memory, name: &str) -> bool {
    memory.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

/// Whether a memory names a file's stem: as an identifier in any case, or in its topic or tags.
fn names_word(memory: &Memory, stem: &str) -> bool {
    let is_same = |word: &str| word.eq_ignore_ascii_case(stem);
    memory
        .text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
        .any(|word| is_same(word) || is_same(&word.replace('-', "_")))
        || is_same(&memory.topic.as_str().replace('-', "_"))
        || memory.tags.iter().any(|tag| is_same(&tag.replace('-', "_")))
}
