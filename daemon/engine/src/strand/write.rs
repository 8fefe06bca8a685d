//! Writing to a strand: decide, commit, then tell the indexes.

use std::collections::HashSet;
use std::sync::Arc;

use super::Strand;
use crate::model::{Actor, Memory, MemoryId, MemoryNumber, Sequence, Timestamp};
use crate::policy::admit::Admitted;
use crate::policy::resemble::text_hash;
use crate::store::{Change, CommitError, Write, WriteError, Writer};

/// Changes that the indexes take under one lock, so that readers wait for at most these.
const INDEX_CHUNK: usize = 64;

/// Something to write, and who wants it.
#[derive(Clone, Debug)]
pub enum Request {
    /// Stores a memory, or reinforces the one with exactly the same text and scope.
    Store {
        /// What to store.
        admitted: Box<Admitted>,
        /// Ids of the memories it links to.
        links: Vec<MemoryId>,
        /// Stores a second memory with the same text.
        force: bool,
        /// Random bytes for its id.
        entropy: [u8; 10],
        /// Who stores it.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Marks a memory as forgotten.
    Forget {
        /// Which.
        number: MemoryNumber,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Keeps what a session was given; empty state removes it.
    Session {
        /// Session key.
        key: String,
        /// Opaque state.
        state: Vec<u8>,
    },
    /// Writes access statistics that have gathered in the catalog.
    Accesses,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A new memory is durable.
    Stored(Box<Memory>),
    /// The same text existed.
    Reinforced(Box<Memory>),
    /// The memory is forgotten.
    Forgotten(Box<Memory>),
    /// Done, nothing to show.
    Done,
}

/// The only way to change a strand.
pub struct StrandWriter {
    strand: Arc<Strand>,
    writer: Writer,
}

impl StrandWriter {
    pub(super) fn new(strand: Arc<Strand>, writer: Writer) -> Self {
        Self { strand, writer }
    }

    /// Returns the newest sequence.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.writer.sequence()
    }

    /// Whether accesses wait to be written.
    #[must_use]
    pub fn has_statistics(&self) -> bool {
        self.strand.catalog().has_touched()
    }

    /// Commits a group: one result for each request, in order. What is `Ok` is durable and found by the next search.
    ///
    /// # Errors
    /// [`CommitError`]: nothing that is not yet returned is acknowledged, and the strand must be reopened.
    pub fn commit(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Outcome, WriteError>>, CommitError> {
        let mut outcomes = Vec::with_capacity(requests.len());
        let mut rest = requests.into_iter().peekable();
        while rest.peek().is_some() {
            let mut seen = HashSet::new();
            let mut group = Vec::new();
            // What becomes of a text is decided only after whatever the group does to the same text is committed.
            while let Some(request) = rest.next_if(|request| self.is_independent(request, &mut seen)) {
                group.push(request);
            }
            outcomes.extend(self.commit_independent(group)?);
        }
        Ok(outcomes)
    }

    fn commit_independent(&mut self, group: Vec<Request>) -> Result<Vec<Result<Outcome, WriteError>>, CommitError> {
        let writes: Vec<Write> = group.into_iter().map(|request| self.decide(request)).collect();
        let labels: Vec<Label> = writes.iter().map(Label::of).collect();
        let committed = self.writer.commit(writes)?;
        self.tell_indexes(&committed.changes);
        let outcomes = committed.changes.into_iter().zip(labels);
        Ok(outcomes.map(|(change, label)| change.map(|change| label.outcome(change))).collect())
    }

    fn decide(&self, request: Request) -> Write {
        match request {
            Request::Store { admitted, links, force, entropy, actor, at } => {
                let catalog = self.strand.catalog();
                match catalog.same_text(text_hash(&admitted.text), &admitted.scope) {
                    Some(number) if !force => {
                        // Recalls that no commit has written yet count too.
                        let access_count = catalog.row(number).map_or(0, |row| row.access_count);
                        Write::Reinforce { number, access_count, actor, at }
                    }
                    _ => Write::Store { admitted, links, entropy, actor, at },
                }
            }
            Request::Forget { number, actor, at } => Write::Forget { number, actor, at },
            Request::Session { key, state } => Write::Session { key, state },
            Request::Accesses => Write::Access(self.strand.catalog_mut().take_touched()),
        }
    }

    /// Whether a request can share a transaction with those whose texts, each with its scope, are in `seen`.
    fn is_independent(&self, request: &Request, seen: &mut HashSet<(u64, String)>) -> bool {
        match request {
            Request::Store { admitted, force, .. } => {
                let is_first = seen.insert((text_hash(&admitted.text), admitted.scope.to_string()));
                is_first || *force
            }
            Request::Forget { number, .. } => {
                let catalog = self.strand.catalog();
                seen.extend(catalog.row(*number).map(|row| (row.text_hash, catalog.scope_of(row).to_owned())));
                true
            }
            Request::Session { .. } | Request::Accesses => true,
        }
    }

    fn tell_indexes(&self, changes: &[Result<Change, WriteError>]) {
        for chunk in changes.chunks(INDEX_CHUNK) {
            let memories = chunk.iter().filter_map(|change| match change {
                Ok(Change::Memory(memory)) => Some(memory),
                Ok(Change::None) | Err(_) => None,
            });
            let mut differing = Vec::new();
            let mut catalog = self.strand.catalog_mut();
            for memory in memories {
                if catalog.apply(memory) {
                    differing.push(memory);
                }
            }
            drop(catalog);
            for memory in differing {
                self.strand.index_words(memory.sequence, memory);
                self.strand.note_meaning(memory);
            }
        }
    }
}

/// What to call a write's change.
enum Label {
    Stored,
    Reinforced,
    Forgotten,
    Done,
}

impl Label {
    fn of(write: &Write) -> Self {
        match write {
            Write::Store { .. } => Self::Stored,
            Write::Reinforce { .. } => Self::Reinforced,
            Write::Forget { .. } => Self::Forgotten,
            Write::Access(_) | Write::Session { .. } => Self::Done,
        }
    }

    fn outcome(&self, change: Change) -> Outcome {
        match (self, change) {
            (Self::Stored, Change::Memory(memory)) => Outcome::Stored(memory),
            (Self::Reinforced, Change::Memory(memory)) => Outcome::Reinforced(memory),
            (Self::Forgotten, Change::Memory(memory)) => Outcome::Forgotten(memory),
            (Self::Done, _) | (_, Change::None) => Outcome::Done,
        }
    }
}
