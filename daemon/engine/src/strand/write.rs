//! Writing to a strand: decide, commit, then tell the indexes.

use std::collections::HashSet;
use std::sync::Arc;

use super::Strand;
use crate::index::lexical::Prepared;
use crate::model::{Actor, Checkpoint, Memory, MemoryId, MemoryNumber, Scope, Sequence, Timestamp};
use crate::policy::admit::Admitted;
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
        /// Its words, from [`Strand::read_words`]: reading them costs more than the rest of the writer's work.
        words: Box<Prepared>,
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
    /// Replaces a scope's checkpoint; `None` removes it.
    Checkpoint {
        /// Whose.
        scope: Scope,
        /// What to save.
        checkpoint: Option<Box<Checkpoint>>,
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
        let (writes, mut labels): (Vec<Write>, Vec<Label>) =
            group.into_iter().map(|request| self.decide(request)).unzip();
        let committed = self.writer.commit(writes)?;
        self.tell_indexes(&committed.changes, &mut labels);
        let outcomes = committed.changes.into_iter().zip(labels);
        Ok(outcomes.map(|(change, label)| change.map(|change| label.outcome(change))).collect())
    }

    fn decide(&self, request: Request) -> (Write, Label) {
        match request {
            Request::Store { admitted, words, links, force, entropy, actor, at } => {
                let catalog = self.strand.catalog();
                match catalog.same_text(admitted.text_hash, &admitted.scope) {
                    Some(number) if !force => {
                        // Recalls that no commit has written yet count too.
                        let access_count = catalog.row(number).map_or(0, |row| row.access_count);
                        (Write::Reinforce { number, access_count, actor, at }, Label::Reinforced)
                    }
                    _ => (Write::Store { admitted, links, entropy, actor, at }, Label::Stored(Some(words))),
                }
            }
            Request::Forget { number, actor, at } => (Write::Forget { number, actor, at }, Label::Forgotten),
            Request::Session { key, state } => (Write::Session { key, state }, Label::Done),
            Request::Checkpoint { scope, checkpoint } => (Write::Checkpoint(scope, checkpoint), Label::Done),
            Request::Accesses => (Write::Access(self.strand.catalog_mut().take_touched()), Label::Done),
        }
    }

    /// Whether a request can share a transaction with those whose texts, each with its scope, are in `seen`.
    fn is_independent(&self, request: &Request, seen: &mut HashSet<(u64, String)>) -> bool {
        match request {
            Request::Store { admitted, force, .. } => {
                let is_first = seen.insert((admitted.text_hash, admitted.scope.to_string()));
                is_first || *force
            }
            Request::Forget { number, .. } => {
                let catalog = self.strand.catalog();
                seen.extend(catalog.row(*number).map(|row| (row.text_hash, catalog.scope_of(row).to_owned())));
                true
            }
            Request::Session { .. } | Request::Checkpoint { .. } | Request::Accesses => true,
        }
    }

    fn tell_indexes(&self, changes: &[Result<Change, WriteError>], labels: &mut [Label]) {
        for (changes, labels) in changes.chunks(INDEX_CHUNK).zip(labels.chunks_mut(INDEX_CHUNK)) {
            let mut differing = Vec::new();
            let mut catalog = self.strand.catalog_mut();
            for (change, label) in changes.iter().zip(labels) {
                if let Ok(Change::Memory(memory)) = change
                    && catalog.apply(memory)
                {
                    differing.push((memory, label.take_words()));
                }
            }
            drop(catalog);
            for (memory, words) in differing {
                match words {
                    Some(words) => self.strand.lexical.upsert_prepared(memory.sequence.0, memory.number.0, *words),
                    None => self.strand.index_words(memory.sequence, memory),
                }
                self.strand.note_meaning(memory);
            }
        }
    }
}

/// What to call a write's change.
enum Label {
    /// A new memory, and its words until the index takes them.
    Stored(Option<Box<Prepared>>),
    Reinforced,
    Forgotten,
    Done,
}

impl Label {
    fn take_words(&mut self) -> Option<Box<Prepared>> {
        match self {
            Self::Stored(words) => words.take(),
            Self::Reinforced | Self::Forgotten | Self::Done => None,
        }
    }

    fn outcome(&self, change: Change) -> Outcome {
        match (self, change) {
            (Self::Stored(_), Change::Memory(memory)) => Outcome::Stored(memory),
            (Self::Reinforced, Change::Memory(memory)) => Outcome::Reinforced(memory),
            (Self::Forgotten, Change::Memory(memory)) => Outcome::Forgotten(memory),
            (Self::Done, _) | (_, Change::None) => Outcome::Done,
        }
    }
}
