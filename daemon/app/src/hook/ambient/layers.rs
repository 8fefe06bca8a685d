//! The search for what is known of a file, layer by layer; each skips what an earlier one or this
//! session already gave.

mod source;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use helix_engine::{Catalog, LexicalQuery, Occasion, ReadError, Strand, WordsMode as WordMode};
use helix_memory::{Memory, MemoryNumber, Topic};

use super::ENOUGH;
use super::mention::{mentions, names_stem};
use super::named::NamedFiles;
use super::target::{Directory, Target};
use crate::hook::Context;
use crate::hook::exact::{Exact, has_word};
use crate::hook::files::Seen;
use crate::hook::relevant::{self, Reader, Wanted};
use crate::hook::trace::handles;
use crate::hook::words::is_usual_stem;
use crate::project::spelled;

/// Memories that one layer of guesses may add; a guess deserves less room than a statement about
/// the file.
const GUESSES_MAX: usize = 3;

/// Words with which memories say that things hang together.
const COUPLING_WORDS: [&str; 2] = ["structural", "coupling"];

/// Memories about one directory's files, or of one topic, beyond which it is no subject.
const SUBJECT_MAX: usize = 40;

/// Files of one name beyond which the name says of none of them that it is meant.
const NAMESAKES_MAX: usize = 3;

/// Memories of any status that a topic may have to be looked through while somebody waits.
const TOPIC_MAX: usize = 1_000;

/// The memories that were found so far.
pub(super) struct Layers<'a> {
    context: &'a Context<'a>,
    exact: Exact<'a>,
    pub(super) found: Vec<Memory>,
    /// Memories that would be given as well, had the session not got them before. They keep their
    /// places, or each further look at a file would hand out the next best.
    given: Vec<MemoryNumber>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            exact: Exact::of(context),
            found: Vec::new(),
            given: Vec::new(),
        }
    }

    /// Goes on with what else the event touches. What was found stays found.
    pub(super) fn turn_to(&mut self, context: &'a Context<'a>) {
        if !std::ptr::eq(self.context, context) {
            self.context = context;
            self.exact = Exact::of(context);
        }
    }

    fn strand(&self) -> &Strand {
        &self.context.app.memory.strand
    }

    /// Has one layer look, unless a benchmark switched it off.
    pub(super) fn look(
        &mut self,
        layer: &'static str,
        by: impl FnOnce(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        if helix_ablation::is_off(layer) {
            return Ok(());
        }
        let (found, given) = (self.found.len(), self.given.len());
        by(self)?;
        self.context.trace.note(layer, || {
            let new = handles(self.found.get(found..).unwrap_or_default());
            let again = self.given.get(given..).unwrap_or_default();
            if again.is_empty() {
                new
            } else {
                let again = self.context.handles_of(again);
                format!("{new}; the session has already: {again}")
            }
        });
        Ok(())
    }

    /// The newest memories whose source is a file of a name, where those are of few files.
    pub(super) fn by_name_of_source(&mut self, named: &NamedFiles) -> Result<(), ReadError> {
        let project = &self.context.project;
        let numbers = {
            let catalog = self.strand().catalog();
            let mut numbers = catalog.of_sources(|path| named.holds(path, project));
            numbers.retain(|&number| self.exact.is_visible(&catalog, number));
            newest_first(&mut numbers, &catalog);
            numbers.truncate(SUBJECT_MAX);
            numbers
        };
        let memories = self.strand().memories(&numbers)?;
        let sources = memories.iter().filter_map(|memory| memory.source.as_ref());
        let files: HashSet<&str> = sources.map(|source| source.path.as_str()).collect();
        if files.len() > NAMESAKES_MAX {
            return Ok(());
        }
        self.add_wanted(memories, ENOUGH.saturating_sub(self.taken()));
        Ok(())
    }

    /// The newest memories about the files of a directory, where there are not too many. Where
    /// something is searched for, only those that have all words of one of the texts that are
    /// sought.
    pub(super) fn by_directory(
        &mut self,
        directory: &Directory,
        target: &Target,
    ) -> Result<(), ReadError> {
        let sought = target.sought_words();
        let queries = sought
            .iter()
            .map(|text| LexicalQuery::parse(text, WordMode::All));
        let queries: Vec<LexicalQuery> = queries.filter(|query| !query.is_empty()).collect();
        let is_searched = target.pattern.is_some();
        if is_searched && queries.is_empty() {
            return Ok(());
        }
        let numbers = {
            let catalog = self.strand().catalog();
            let mut numbers = catalog.of_sources(|path| directory.holds(path));
            numbers.retain(|&number| self.exact.is_visible(&catalog, number));
            if numbers.len() > SUBJECT_MAX {
                return Ok(());
            }
            newest_first(&mut numbers, &catalog);
            numbers
        };
        let mut memories = self.strand().memories(&numbers)?;
        let has_words = |memory: &Memory| {
            queries
                .iter()
                .any(|query| self.strand().has_all_terms(query, memory))
        };
        if is_searched {
            memories.retain(has_words);
        }
        self.add_wanted(memories, self.room());
        // A memory that names a directory is seldom about a word that is searched for in it.
        if is_searched {
            Ok(())
        } else {
            self.by_directory_name(directory)
        }
    }

    /// Memories that name a directory, or files of it, by a path of several parts.
    fn by_directory_name(&mut self, directory: &Directory) -> Result<(), ReadError> {
        if helix_ablation::is_off("layer/directory-name") {
            return Ok(());
        }
        let path = directory.path.clone();
        if !path.contains('/') {
            return Ok(());
        }
        let below = format!("{path}/");
        let is_named = |mention: &str| mention == path || mention.starts_with(&below);
        self.by_words(&LexicalQuery::parse(&path, WordMode::All), |memory| {
            mentions(&memory.text).any(is_named)
        })
    }

    /// Adds the first of those of these that may be given.
    fn add_wanted(&mut self, mut memories: Vec<Memory>, limit: usize) {
        {
            let catalog = self.strand().catalog();
            memories.retain(|memory| self.is_wanted(&catalog, memory.number));
        }
        self.add(memories, limit);
    }

    /// Adds the first of these, and remembers which of them the session was given before.
    fn add(&mut self, memories: impl IntoIterator<Item = Memory>, limit: usize) {
        let dialect = self.context.dialect;
        let memories = memories.into_iter();
        let wanted = memories.filter(|memory| !dialect.shows_itself(memory));
        for memory in wanted.take(limit) {
            if self
                .context
                .app
                .hooks
                .sessions
                .was_given(&self.context.key, memory.number)
            {
                self.given.push(memory.number);
            } else {
                self.found.push(memory);
            }
        }
    }

    /// Number of places that are taken.
    pub(super) fn taken(&self) -> usize {
        self.found.len() + self.given.len()
    }

    /// Memories that name what a change adds, where few name it.
    pub(super) fn by_added(&mut self, names: &[String]) -> Result<(), ReadError> {
        let mut rare = Vec::new();
        for name in names {
            if rare.len() < helix_code::SYMBOLS_MAX && self.exact.is_telling(name)? {
                rare.push(name.clone());
            }
        }
        self.by_symbols(&rare)
    }

    /// Memories that name one of these symbols.
    pub(super) fn by_symbols(&mut self, names: &[String]) -> Result<(), ReadError> {
        let query = LexicalQuery::identifiers(names.iter().map(String::as_str));
        self.by_words(&query, |memory| {
            names.iter().any(|name| has_word(&memory.text, name))
        })
    }

    /// Memories that name a file by its name alone, with its ending; none of a file whose name many
    /// directories have.
    pub(super) fn by_file_name(&mut self, file: &Path) -> Result<(), ReadError> {
        let name = file.file_name().and_then(|name| name.to_str());
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let (Some(name), Some(stem)) = (name, stem) else {
            return Ok(());
        };
        if !name.contains('.') || is_usual_stem(stem) {
            return Ok(());
        }
        self.by_words(&LexicalQuery::parse(name, WordMode::All), |memory| {
            mentions(&memory.text).any(|mention| mention == name) && is_near(memory, Some(file))
        })
    }

    /// Memories that name the stem of a file or pattern, where it is more than a word that the
    /// whole project uses, and those of a topic that is called so.
    pub(super) fn by_stem(&mut self, stem: &str, shown: Option<&Path>) -> Result<(), ReadError> {
        if !is_usual_stem(stem) && self.exact.is_telling(stem)? {
            let query = LexicalQuery::identifiers([stem]);
            return self.by_words(&query, |memory| {
                names_stem(memory, stem) && is_near(memory, shown)
            });
        }
        self.by_topic(stem, shown)
    }

    /// The newest memories of a topic that is called as a file's stem.
    fn by_topic(&mut self, stem: &str, shown: Option<&Path>) -> Result<(), ReadError> {
        if helix_ablation::is_off("layer/topic") {
            return Ok(());
        }
        let room = self.room();
        let Ok(topic) = Topic::parse(stem) else {
            return Ok(());
        };
        let numbers = {
            let catalog = self.strand().catalog();
            if room == 0 || catalog.topic_size(topic.as_str()) > TOPIC_MAX {
                return Ok(());
            }
            let scopes = self.context.project.scopes();
            let mut numbers = catalog.members(topic.as_str(), &scopes, |_| true);
            numbers.retain(|&number| self.is_wanted(&catalog, number));
            newest_first(&mut numbers, &catalog);
            numbers.truncate(SUBJECT_MAX);
            numbers
        };
        let mut memories = self.strand().memories(&numbers)?;
        memories.retain(|memory| is_near(memory, shown));
        self.add(memories, room);
        Ok(())
    }

    /// Memories about what hangs together with a file of this stem.
    pub(super) fn by_coupling(&mut self, stem: &str) -> Result<(), ReadError> {
        for word in COUPLING_WORDS {
            let query = LexicalQuery::parse(&format!("{word} {stem}"), WordMode::All);
            self.by_words(&query, |_| true)?;
        }
        Ok(())
    }

    /// Memories that are near in meaning to what the file is about.
    pub(super) fn by_meaning(&mut self, file: &Path, seen: &Arc<Seen>) -> Result<(), ReadError> {
        let context = self.context;
        let room = self.room();
        // An agent waits for no meaning: the next event on the file finds it made. Nobody's work
        // waits for a dry run.
        let patience = if context.is_real() {
            Duration::ZERO
        } else {
            context.time_left() / 2
        };
        if room == 0 {
            return Ok(());
        }
        let app = context.app;
        let is_crowded = app.hooks.load.is_crowded();
        let vector = if is_crowded {
            seen.known_meaning(app.memory.embedder.as_ref())
        } else {
            seen.meaning(app.memory.embedder.as_ref(), patience)
        };
        let Some(vector) = vector else { return Ok(()) };
        let wanted = Wanted {
            words: &seen.summary,
            vector: Some(vector.into()),
            occasion: Occasion::File,
            reader: Reader::New,
            behind: self.taken(),
        };
        let found = relevant::near(context, wanted)?;
        let relative = context.relative(file);
        // What is said of a file of the same name elsewhere is near in meaning, and said of that
        // one.
        let is_of_namesake = |memory: &Memory| {
            let source = memory.source.as_ref().map(|source| Path::new(&source.path));
            source.is_some_and(|source| {
                source.file_name() == file.file_name() && source != Path::new(&relative)
            })
        };
        let found: Vec<Memory> = found
            .into_iter()
            .filter(|memory| self.is_new(memory.number) && !is_of_namesake(memory))
            .collect();
        self.add(found, room);
        Ok(())
    }

    /// How many guesses there is room for.
    fn room(&self) -> usize {
        GUESSES_MAX.min(ENOUGH.saturating_sub(self.taken()))
    }

    /// Memories that have the words and pass.
    fn by_words(
        &mut self,
        query: &LexicalQuery,
        passes: impl Fn(&Memory) -> bool,
    ) -> Result<(), ReadError> {
        let room = self.room();
        if query.is_empty() || room == 0 {
            return Ok(());
        }
        let candidates = self
            .exact
            .search(query, |catalog, number| self.is_wanted(catalog, number))?;
        self.add(candidates.into_iter().filter(passes), room);
        Ok(())
    }

    /// Returns whether a memory may take a place: visible, and without one.
    fn is_wanted(&self, catalog: &Catalog, number: MemoryNumber) -> bool {
        self.exact.is_visible(catalog, number) && self.is_new(number)
    }

    /// Returns whether a memory has no place yet.
    fn is_new(&self, number: MemoryNumber) -> bool {
        !self.given.contains(&number) && !self.found.iter().any(|memory| memory.number == number)
    }
}

/// Sorts memories by when they became true, the newest first, each once.
fn newest_first(numbers: &mut Vec<MemoryNumber>, catalog: &Catalog) {
    numbers.sort_by_key(|&number| {
        std::cmp::Reverse((catalog.row(number).map(|row| row.valid_from), number))
    });
    numbers.dedup();
}

/// Returns whether a memory that names a file's stem may mean that file: it is about no file, or
/// about one beside or below it.
fn is_near(memory: &Memory, file: Option<&Path>) -> bool {
    if helix_ablation::is_off("layer/near") {
        return true;
    }
    let (Some(source), Some(file)) = (&memory.source, file) else {
        return true;
    };
    let (source, file) = (spelled(Path::new(&source.path)), spelled(file));
    source.parent() == file.parent() || source.starts_with(file.with_extension(""))
}
