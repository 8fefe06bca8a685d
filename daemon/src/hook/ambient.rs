//! The `ambient` event: before a file is read, edited or searched for, the memories about it.
//!
//! Five layers, each skipping what an earlier one or this session already gave: memories whose source is this file, then
//! those that name a symbol that a change removes, those that name a symbol that the file declares, those that name its stem,
//! and those about what hangs together with it.

use std::path::{Path, PathBuf};

use helix_engine::index::lexical::{LexicalQuery, Mode as WordMode, Restriction};
use helix_engine::model::{Memory, MemoryNumber, Scope, Status};
use helix_engine::policy::tags::AUTO_TAGS;
use helix_engine::policy::work::activity::Activity;
use helix_engine::strand::{ReadError, Strand};
use helix_engine::surface::neutral::one_line;
use helix_engine::surface::symbols::symbols;

use super::event::Input;
use super::{Context, Given, changes};
use crate::project::Project;

/// Memories of one injection.
const MEMORIES_MAX: usize = 5;

/// Memories that a file's symbols or stem may add; a guess deserves less room than a statement about the file.
const GUESSES_MAX: usize = 3;

/// Memories about the file itself after which nothing is guessed.
const ENOUGH: usize = 5;

/// Candidates of the word index that are looked at for a guess.
const CANDIDATES_MAX: usize = 16;

/// Characters of what the tool touches, and of a name.
const LABEL_MAX_CHARS: usize = 200;
const NAME_MAX_CHARS: usize = 80;

/// Words with which memories say that things hang together.
const COUPLING_WORDS: [&str; 2] = ["structural", "coupling"];

/// Shortest stem that says anything.
const STEM_MIN_CHARS: usize = 4;

/// How telling a stem must be, in nats: about one memory in thirty may have it.
const STEM_RARITY_MIN: f32 = 3.2;

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
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Some(target) = Target::of(context.input, &context.project) else { return Ok(None) };
    note_files(context, &target);
    let mut layers = Layers { context, scopes: context.project.scopes(), found: Vec::new() };
    if let Some(file) = &target.file {
        layers.by_source(file)?;
    }
    let removed =
        if target.changes { changes::removed_symbols(context.input, target.file.as_deref()) } else { Vec::new() };
    let before = layers.found.len();
    layers.by_name(&removed, names_identifier)?;
    let impact = layers.found.get(before..).unwrap_or_default();
    let notes: Vec<String> = removed
        .iter()
        .filter(|name| impact.iter().any(|memory| names_identifier(memory, name)))
        .map(|name| format!("this change removes {}, which is mentioned below", one_line(name, NAME_MAX_CHARS)))
        .collect();
    if layers.found.len() < ENOUGH {
        layers.by_name(&target.names(), names_identifier)?;
    }
    if let Some(stem) = &target.stem {
        if layers.found.len() < ENOUGH && layers.is_telling(stem)? {
            let file = target.file.as_deref().map(|file| context.relative(file));
            layers.by_name(std::slice::from_ref(stem), |memory, stem| {
                names_word(memory, stem) && is_near(memory, file.as_deref())
            })?;
        }
        if layers.found.len() < ENOUGH {
            layers.by_coupling(stem)?;
        }
    }
    let memories = layers.found;
    let injection = context.frame(&format!("About {}:", one_line(&target.label, LABEL_MAX_CHARS)), &notes, &memories);
    Ok(Given::of(injection, &memories).if_any())
}

/// Notes which files the session touches.
fn note_files(context: &Context<'_>, target: &Target) {
    let mut files = if target.is_patch { context.input.patched_files() } else { Vec::new() };
    files.extend(target.file.clone().filter(|_| !target.is_patch));
    if files.is_empty() {
        return;
    }
    let files: Vec<String> = files.iter().map(|file| context.relative(file)).collect();
    context.work(|activity: &mut Activity| {
        for file in &files {
            if target.changes {
                activity.edit(file);
            } else {
                activity.read(file);
            }
        }
    });
}

/// What the tool is about to touch.
struct Target {
    label: String,
    file: Option<PathBuf>,
    stem: Option<String>,
    pattern: Option<String>,
    /// Whether the file will be another one.
    changes: bool,
    /// Whether it is a patch, which may change several files; the first one is looked at.
    is_patch: bool,
}

impl Target {
    fn of(input: &Input, project: &Project) -> Option<Self> {
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
    fn names(&self) -> Vec<String> {
        let names = match (&self.pattern, &self.file) {
            (Some(pattern), _) => {
                pattern.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
            }
            (None, Some(file)) => symbols(&changes::head(file)),
            (None, None) => Vec::new(),
        };
        names.into_iter().filter(|name| is_distinctive(name)).collect()
    }
}

/// The search for memories, layer by layer.
struct Layers<'a> {
    context: &'a Context<'a>,
    scopes: Vec<Scope>,
    found: Vec<Memory>,
}

impl Layers<'_> {
    fn strand(&self) -> &Strand {
        &self.context.runtime.strand
    }

    /// Memories whose source is this file, newest first. A source that was given as a mere end of the path counts too.
    fn by_source(&mut self, file: &Path) -> Result<(), ReadError> {
        let relative = self.context.relative(file);
        let absolute = file.to_string_lossy();
        let mut numbers = {
            let catalog = self.strand().catalog();
            let ends = relative.match_indices('/').filter_map(|(at, _)| relative.get(at + 1..));
            let spellings = [relative.as_str(), &absolute].into_iter().chain(ends);
            let mut numbers: Vec<MemoryNumber> = spellings.flat_map(|path| catalog.of_source(path)).collect();
            numbers.retain(|&number| self.is_wanted(&catalog, number));
            numbers.sort_by_key(|&number| std::cmp::Reverse((catalog.row(number).map(|row| row.valid_from), number)));
            numbers
        };
        numbers.dedup();
        numbers.truncate(MEMORIES_MAX);
        self.found.extend(self.strand().memories(&numbers)?);
        Ok(())
    }

    /// Memories that name one of `names`, by the measure of `is_named`.
    fn by_name(&mut self, names: &[String], is_named: impl Fn(&Memory, &str) -> bool) -> Result<(), ReadError> {
        let query = LexicalQuery::identifiers(names.iter().map(String::as_str));
        self.by_words(&query, |memory| names.iter().any(|name| is_named(memory, name)))
    }

    /// Whether a stem is more than a word that the whole project uses.
    fn is_telling(&self, stem: &str) -> Result<bool, ReadError> {
        let query = LexicalQuery::identifiers([stem]);
        let rarities = self.strand().lexical().rarities(&query)?;
        Ok(rarities.into_iter().fold(0.0, f32::max) >= STEM_RARITY_MIN)
    }

    /// Memories about what hangs together with a file of this stem.
    fn by_coupling(&mut self, stem: &str) -> Result<(), ReadError> {
        for word in COUPLING_WORDS {
            let query = LexicalQuery::parse(&format!("{word} {stem}"), WordMode::All);
            self.by_words(&query, |_| true)?;
        }
        Ok(())
    }

    /// Memories that have the words and pass.
    fn by_words(&mut self, query: &LexicalQuery, passes: impl Fn(&Memory) -> bool) -> Result<(), ReadError> {
        if query.is_empty() {
            return Ok(());
        }
        let hits = {
            let catalog = self.strand().catalog();
            let keeps = |number| self.is_wanted(&catalog, MemoryNumber(number));
            self.strand().lexical().search(query, CANDIDATES_MAX, &Restriction::default(), keeps)?
        };
        let numbers: Vec<MemoryNumber> = hits.into_iter().map(|hit| MemoryNumber(hit.number)).collect();
        let room = GUESSES_MAX.min(MEMORIES_MAX.saturating_sub(self.found.len()));
        let candidates = self.strand().memories(&numbers)?;
        self.found.extend(candidates.into_iter().filter(passes).take(room));
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
            && !self.context.runtime.sessions.was_given(&self.context.key, number)
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

/// Whether a memory's text names an identifier exactly.
fn names_identifier(memory: &Memory, name: &str) -> bool {
    memory.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

/// Whether a memory that names a file's stem may mean that file: it is about no file, or about one beside or below it.
fn is_near(memory: &Memory, file: Option<&str>) -> bool {
    let (Some(source), Some(file)) = (&memory.source, file) else { return true };
    let (source, file) = (Path::new(&source.path), Path::new(file));
    source.parent() == file.parent() || source.starts_with(file.with_extension(""))
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
