//! A memory as it is told to who asks.

use std::collections::HashSet;

use helix_engine::Strand;
use helix_memory::{Memory, MemoryId, MemoryNumber, Shape, SourceState, Sources as _, Status};

use crate::sources::SEARCH_READ_MAX_BYTES;
use crate::{App, Asker, Refusal, disputes, veil};

/// Texts that one answer carries, in bytes: well below a message's limit, with room for everything
/// else.
const TEXT_MAX_BYTES: usize = 12 * 1024 * 1024;

/// A memory with the names of others, and what has become of it.
#[derive(Clone, Debug)]
pub struct Told {
    /// The memory.
    pub memory: Memory,
    /// The handles of what it links to, each once; the ids of what is gone.
    pub links: Vec<String>,
    /// The handle of the memory that took its place; empty where none did.
    pub superseded_by: String,
    /// The handles of active memories that contradict it, which nobody has settled; some of them.
    pub contradicted_by: Vec<String>,
    /// Its place in its topic, as the asker counts; `None` where that was not asked for.
    pub index: Option<u32>,
    /// The present state of its source, where that was looked at.
    pub source: SourceState,
    /// The sort of knowledge that its kind holds.
    pub shape: Shape,
    /// Its confidence now, whatever became of its source.
    pub faded: f32,
}

impl Told {
    /// Finds the names that a memory is told with, and leaves out what only the review shows. May
    /// read the disk.
    #[must_use]
    pub fn of(app: &App, memory: &Memory) -> Self {
        if veil::is_veiled(app, memory) {
            return Self::in_full(app, &veil::veiled(memory));
        }
        Self::in_full(app, memory)
    }

    /// The same with all that a memory says, also where it waits in the review: for that one and
    /// for who asks for it at a shell.
    #[must_use]
    pub(crate) fn in_full(app: &App, memory: &Memory) -> Self {
        let successor = successor_of(memory);
        let snapshot = if names_others(memory) {
            app.memory.strand.snapshot().ok()
        } else {
            None
        };
        // A link to what was superseded leads to what took its place.
        let living = |id: &MemoryId| Strand::living(snapshot.as_ref()?, id).ok()?;
        let name = |id: &MemoryId| {
            living(id).map_or_else(
                || id.to_string(),
                |memory| memory.handle.as_str().to_owned(),
            )
        };
        let superseded_by = successor
            .and_then(|_| living(&memory.id))
            .filter(|living| living.id != memory.id);
        let mut seen = HashSet::new();
        Self {
            links: memory
                .links
                .iter()
                .map(name)
                .filter(|link| seen.insert(link.clone()))
                .collect(),
            superseded_by: superseded_by
                .map(|living| living.handle.as_str().to_owned())
                .unwrap_or_default(),
            contradicted_by: if memory.status == Status::Active {
                disputes::named_against(app, memory)
            } else {
                Vec::new()
            },
            memory: memory.clone(),
            index: None,
            source: SourceState::Unknown,
            shape: app.memory.strand.kinds().shape(&memory.kind),
            faded: app.memory.strand.confidence_of(memory, app.memory.now()),
        }
    }

    /// Returns its confidence after fading, also where its source is no longer what it was.
    #[must_use]
    pub fn effective_confidence(&self) -> f32 {
        self.source.cap(self.faded)
    }

    /// Tells memories in this order.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn all(app: &App, numbers: &[MemoryNumber]) -> Result<Vec<Self>, Refusal> {
        Ok(app
            .memory
            .strand
            .memories(numbers)?
            .iter()
            .map(|memory| Self::of(app, memory))
            .collect())
    }

    /// Tells memories as the review shows them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn all_in_full(app: &App, numbers: &[MemoryNumber]) -> Result<Vec<Self>, Refusal> {
        let memories = app.memory.strand.memories(numbers)?;
        Ok(memories
            .iter()
            .map(|memory| Self::in_full(app, memory))
            .collect())
    }

    /// Tells memories with their places in their topics, as the asker counts them; as many as fit
    /// into one answer.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn indexed(
        app: &App,
        numbers: &[MemoryNumber],
        asker: &Asker,
    ) -> Result<Vec<Self>, Refusal> {
        let positions = app.memory.strand.positions(numbers, &asker.scopes());
        let memories = app.memory.strand.memories(numbers)?;
        let mut left = TEXT_MAX_BYTES;
        let fitting =
            memories
                .iter()
                .take_while(|memory| match left.checked_sub(memory.text.len()) {
                    Some(rest) => {
                        left = rest;
                        true
                    }
                    None => false,
                });
        let is_person = veil::is_person(asker);
        let told = |memory: &Memory| {
            let told = if is_person {
                Self::in_full(app, memory)
            } else {
                Self::of(app, memory)
            };
            Self {
                index: positions.get(&memory.number).copied(),
                ..told
            }
        };
        Ok(fitting.map(told).collect())
    }
}

/// Returns whether a memory is told with the names of others, which are read from the disk.
#[must_use]
pub fn names_others(memory: &Memory) -> bool {
    !memory.links.is_empty() || successor_of(memory).is_some()
}

fn successor_of(memory: &Memory) -> Option<&String> {
    memory
        .attributes
        .get(Memory::ATTRIBUTE_SUPERSEDED_BY)
        .filter(|_| memory.status == Status::Superseded)
}

/// Looks what has become of the sources of memories, as far as the asker's project can tell.
pub fn mark<'t>(app: &App, asker: &Asker, told: impl IntoIterator<Item = &'t mut Told>) {
    let look = app
        .memory
        .sources
        .look(&asker.project, SEARCH_READ_MAX_BYTES);
    let mut told: Vec<&mut Told> = told.into_iter().collect();
    look.prepare(&mut told.iter().map(|told| &told.memory));
    for told in &mut told {
        told.source = look.state(&told.memory);
    }
}
