//! `Stale`: memories whose source changed or is gone.

use std::sync::Arc;

use helix_engine::{Filter, ParsedQuery};
use helix_memory::{
    Memory, MemoryNumber, RecordedSource as Recorded, Scope, SourceRef, SourceState, Sources,
};
use helix_proto::limits::MESSAGE_MAX_BYTES;

use crate::project::Project;
use crate::sources::{LISTING_READ_MAX_BYTES, Look, excerpt, first_change};
use crate::told::Told;
use crate::{App, Asker, Refusal, scopes, search, topics};

/// Records read at once, so that a large strand's are not all in memory.
const CHUNK: usize = 256;

/// Memories named of which the file was never seen.
const UNSEEN_MAX: usize = 20;

/// Bytes of the stale memories in one reply; the rest of a message is left for its frame.
const REPLY_MAX_BYTES: usize = MESSAGE_MAX_BYTES / 4 * 3;

/// Whose sources are to be looked at.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// A topic or a pattern; empty for all.
    pub topic: String,
    /// True if it is told what the sources hold now.
    pub refresh: bool,
}

/// A memory whose source changed or is gone.
#[derive(Clone, Debug)]
pub struct StaleMemory {
    /// The memory.
    pub told: Told,
    /// The present content of its source, where that was asked for; else empty.
    pub current: String,
    /// The line that this begins at; 0 where there is none.
    pub current_line: u32,
}

/// Results of looking at sources.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Those that changed or are gone, by topic.
    pub stale: Vec<StaleMemory>,
    /// Memories whose sources were looked at.
    pub checked: u32,
    /// Memories of whose sources nobody can say anything from here.
    pub unknown: u32,
    /// The first of these, with the paths of their sources.
    pub unseen: Vec<String>,
}

/// Lists the stale memories of the asker's scopes by topic. `measure` tells how many bytes of an
/// answer one of them takes.
///
/// # Errors
/// When the scopes or the topic cannot be read, there is no such topic, more is stale than an
/// answer holds, or the disk fails.
pub fn stale(
    app: &App,
    asker: &Asker,
    wanted: &Wanted,
    measure: impl Fn(&StaleMemory) -> usize,
) -> Result<Found, Refusal> {
    let look = app
        .memory
        .sources
        .look(&asker.project, LISTING_READ_MAX_BYTES);
    let project = &asker.project;
    let mut listing = Listing {
        app,
        project,
        look,
        refresh: wanted.refresh,
        measure,
        bytes: 0,
        found: Found::default(),
    };
    let (numbers, elsewhere) = candidates(app, wanted, asker, &listing.look)?;
    listing.found.unknown = elsewhere;
    for candidates in numbers.chunks(CHUNK) {
        let numbers = listing.worth_reading(candidates);
        let memories = app.memory.strand.memories(&numbers)?;
        listing.look.prepare(&mut memories.iter());
        memories.iter().try_for_each(|memory| listing.add(memory))?;
    }
    Ok(listing.found)
}

/// A memory with a source, and whether that surely lies where nobody can look.
type Candidate = (MemoryNumber, bool);

/// Active memories with a source, by topic and in the order of `topic:index`; and how many are left
/// out because their source lies where nobody can look.
fn candidates(
    app: &App,
    wanted: &Wanted,
    asker: &Asker,
    look: &Look<'_>,
) -> Result<(Vec<Candidate>, u32), Refusal> {
    let filter = filter(app, wanted, asker)?;
    // Asked for before the lock is taken, because it may take a while.
    look.has_root();
    let catalog = app.memory.strand.catalog();
    let filter = filter.compile(&catalog);
    let scopes = scopes::by_name(&catalog);
    let (mut found, mut elsewhere) = (Vec::new(), 0);
    for (number, row) in catalog.rows().filter(|(_, row)| filter.keeps(row)) {
        let Some(path) = catalog.source_of(row) else {
            continue;
        };
        // Reading the record would cost more than all the rest, and most memories are of other
        // projects.
        match scopes.get(catalog.scope_of(row)) {
            Some(scope @ Scope::Project(_)) if look.locate(scope, path).is_none() => elsewhere += 1,
            scope => {
                let project = catalog.source_project_of(row);
                let is_elsewhere =
                    |scope: &Scope| look.locate(&scope.of_source(project), path).is_none();
                found.push((
                    catalog.topic_of(row),
                    row.recorded_at,
                    number,
                    scope.is_some_and(is_elsewhere),
                ));
            }
        }
    }
    found.sort_unstable();
    let found: Vec<Candidate> = found
        .into_iter()
        .map(|(_, _, number, is_elsewhere)| (number, is_elsewhere))
        .collect();
    Ok((found, elsewhere))
}

/// The topics and scopes that are asked for; a pattern means all topics that fit it.
fn filter(app: &App, wanted: &Wanted, asker: &Asker) -> Result<Filter, Refusal> {
    let mut filter = Filter {
        scopes: scopes::filtered(asker, &wanted.scopes)?,
        ..Filter::default()
    };
    let name = wanted.topic.trim();
    if !name.is_empty() {
        let topic =
            ParsedQuery::topic_named(name).map_err(|error| Refusal::invalid(error.to_string()))?;
        filter.topics.push(topic);
        let unknown = search::resolve_topics(app, &mut filter);
        // Nothing to look at is no good news about a topic that is not there.
        let refused = unknown
            .and_then(|unknown| unknown.map_or(Ok(()), |said| Err(Refusal::not_found(said))));
        refused.map_err(|refusal| topics::memory_named(name).unwrap_or(refusal))?;
    }
    Ok(filter)
}

/// The answer as it grows.
struct Listing<'a, M> {
    app: &'a App,
    project: &'a Project,
    look: Look<'a>,
    refresh: bool,
    measure: M,
    bytes: usize,
    found: Found,
}

impl<M: Fn(&StaleMemory) -> usize> Listing<'_, M> {
    /// Returns those whose records may show something. Of those whose source lies where nobody can
    /// look only a few are named, so the others are counted here.
    fn worth_reading(&mut self, candidates: &[Candidate]) -> Vec<MemoryNumber> {
        let mut room = UNSEEN_MAX.saturating_sub(self.found.unseen.len());
        let mut numbers = Vec::with_capacity(candidates.len());
        for &(number, is_elsewhere) in candidates {
            if is_elsewhere && room == 0 {
                self.found.unknown += 1;
                continue;
            }
            room -= usize::from(is_elsewhere);
            numbers.push(number);
        }
        numbers
    }

    fn add(&mut self, memory: &Memory) -> Result<(), Refusal> {
        let state = self.look.state(memory);
        if state == SourceState::Unknown {
            self.found.unknown += 1;
            if let Some(source) = memory
                .source
                .as_ref()
                .filter(|_| self.found.unseen.len() < UNSEEN_MAX)
            {
                self.found
                    .unseen
                    .push(format!("{} ({})", memory.handle, source.path));
            }
            return Ok(());
        }
        self.found.checked += 1;
        if !state.is_stale() {
            return Ok(());
        }
        let told = self.stale(memory, state);
        self.bytes += (self.measure)(&told);
        if self.bytes > REPLY_MAX_BYTES {
            let message = format!(
                "the stale memories take more than {REPLY_MAX_BYTES} bytes; ask for one topic at a time"
            );
            return Err(Refusal::exhausted(message));
        }
        self.found.stale.push(told);
        Ok(())
    }

    fn stale(&self, memory: &Memory, state: SourceState) -> StaleMemory {
        let shown = self.refresh.then(|| self.current(memory)).flatten();
        let (current, current_line) = shown.unwrap_or_default();
        StaleMemory {
            told: Told {
                source: state,
                ..Told::of(self.app, memory)
            },
            current,
            current_line,
        }
    }

    /// Returns the file's content when the memory was stored, where git still has it.
    fn committed(&self, source: &SourceRef) -> Option<String> {
        let (root, id) = (self.project.root.clone(), source.git_blob?);
        let projects = Arc::clone(&self.app.memory.projects);
        self.look
            .ask(&self.project.root, move || projects.committed(&root, &id))?
    }

    /// The lines that the memory is about; of a whole file those around its first change, else its
    /// beginning.
    fn current(&self, memory: &Memory) -> Option<(String, u32)> {
        let source = memory.source.as_ref()?;
        let project = memory
            .attributes
            .get(Memory::ATTRIBUTE_SOURCE_PROJECT)
            .map(String::as_str);
        let path = self
            .look
            .locate(&memory.scope.of_source(project), &source.path)?;
        let line = Recorded::of(memory).and_then(|recorded| recorded.line);
        let was = if source.line.is_none() {
            self.committed(source)
        } else {
            None
        };
        let (asked, number) = (path.clone(), source.line);
        let found = self.look.ask(&path, move || {
            let place = number.or_else(|| first_change(&asked, was?.as_bytes()));
            excerpt(&asked, place, line)
        });
        found?.map(|found| (found.text, found.first_line))
    }
}
