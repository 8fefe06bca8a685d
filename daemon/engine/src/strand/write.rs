//! Writing to a strand: decide, commit, then tell the indexes.

mod decide;
mod distil;
mod independence;
mod indexes;
mod split;
mod together;
mod tombstones;

use std::sync::Arc;

use decide::{Decided, Label};
use helix_memory::{
    Actor, Admitted, Checkpoint, Edge, EdgeKey, Edit, Memory, MemoryId, MemoryNumber, Scope,
    Sequence, Timestamp, Tombstone, Topic,
};

use super::{Corrects, Strand};
use crate::index::lexical::Prepared;
use crate::ports::Storage;
use crate::store::{CommitError, Shrunk, Stamps, States, WriteError, Writer};
pub use distil::Distil;
use helix_redact::{Redact, Redacted, Secrets, State};
use independence::Independence;
use indexes::{LINKED_MIN, New, link_beside};
pub use split::{Part, Split};

/// Memories that one request may change at once: all of them are in RAM until they are durable and
/// indexed.
pub const TOPIC_EDIT_MAX: usize = 100_000;

impl Edited {
    /// Memories that the answer to a request shows; the rest are counted.
    pub const SHOWN_MAX: usize = 100;
}

/// Something to write, and who wants it.
#[derive(Clone, Debug)]
pub enum Request {
    /// Stores a memory, or reinforces the one with exactly the same text and scope.
    Store {
        /// What to store.
        admitted: Box<Admitted>,
        /// Its words, from [`Strand::read_words`]: reading them costs more than the rest of the
        /// writer's work.
        words: Box<Prepared>,
        /// Ids of the memories it links to.
        links: Vec<MemoryId>,
        /// What it brings along, when it comes from another strand.
        stamps: Option<Box<Stamps>>,
        /// Stores a second memory with the same text.
        force: bool,
        /// Memories that it takes the place of or cannot stand beside, some of them perhaps stored
        /// before it by the same transaction.
        corrects: Vec<Corrects>,
        /// Random bytes for its id.
        entropy: [u8; 10],
        /// Who stores it.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Changes one memory.
    Edit {
        /// Which.
        number: MemoryNumber,
        /// How.
        edit: Edit,
        /// The operation that changed it last, as the asker read it: when it is another by now,
        /// nothing is changed.
        expected: Option<Sequence>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Changes every memory of a topic in these scopes, all or none. Which those are is decided by
    /// the writer, so that what is stored meanwhile either belongs to them or stays as it is.
    EditTopic {
        /// Which topic.
        topic: Topic,
        /// What the asker sees.
        scopes: Vec<Scope>,
        /// How.
        edit: TopicEdit,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Lets memories take over what their duplicates had and marks those as superseded, all or
    /// none. Pairs of which either was changed meanwhile are left alone.
    MergeDuplicates {
        /// No duplicate is kept in another pair.
        pairs: Vec<MergePair>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Makes several changes, all or none: a correction, an undo, a step of the lifecycle.
    Together {
        /// In order.
        steps: Vec<Step>,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Makes several memories of one, which they take the place of.
    Split(Box<Split>),
    /// Makes a memory of episodes that say the same; nothing where they are no longer so.
    Distil(Box<Distil>),
    /// Removes a memory and its text from the whole history.
    Purge {
        /// Which.
        number: MemoryNumber,
        /// Who asked.
        actor: Actor,
        /// When.
        at: Timestamp,
    },
    /// Keeps the tombstones of another copy of this strand.
    Tombstones(Vec<(MemoryId, Tombstone)>),
    /// Keeps the tombstones of these memories with the vectors that were made since, where they are
    /// still there.
    SaveTombstones(Vec<MemoryId>),
    /// Keeps states by key; an empty one removes the row.
    States(States, Vec<(String, State)>),
    /// Keeps receipts of what hooks said, by their time in microseconds.
    Receipts(Vec<(i64, State)>),
    /// Replaces a scope's checkpoint; `None` removes it.
    Checkpoint {
        /// Whose.
        scope: Scope,
        /// What to save.
        checkpoint: Option<Box<Checkpoint>>,
    },
    /// Removes the checkpoints that this session saved.
    PurgeCheckpoints(String),
    /// Writes a memory's record again, from the history, where it is damaged.
    Mend(MemoryNumber),
    /// Writes access statistics that have gathered in the catalog.
    Accesses,
}

impl Redact for Request {
    fn redact(&mut self, secrets: &mut Secrets) {
        match self {
            Self::Store {
                admitted,
                words,
                links: _,
                stamps,
                force: _,
                corrects: _,
                entropy: _,
                actor,
                at: _,
            } => {
                let before = secrets.count();
                admitted.redact(secrets);
                if secrets.count() > before {
                    **words = Strand::read_words(admitted);
                }
                stamps.redact(secrets);
                actor.redact(secrets);
            }
            Self::Edit {
                number: _,
                edit,
                expected: _,
                actor,
                at: _,
            } => {
                edit.redact(secrets);
                actor.redact(secrets);
            }
            // The topic is one that is there; a new name is redacted by its type.
            Self::EditTopic {
                topic: _,
                scopes: _,
                edit: _,
                actor,
                at: _,
            }
            | Self::MergeDuplicates {
                pairs: _,
                actor,
                at: _,
            } => actor.redact(secrets),
            Self::Together {
                steps,
                actor,
                at: _,
            } => {
                steps.redact(secrets);
                actor.redact(secrets);
            }
            Self::Split(split) => split.redact(secrets),
            Self::Distil(distil) => distil.redact(secrets),
            Self::Purge {
                number: _,
                actor,
                at: _,
            } => actor.redact(secrets),
            Self::States(_, states) => {
                secrets.all_said(states.iter_mut().map(|(key, _)| key));
            }
            Self::Checkpoint { scope, checkpoint } => {
                scope.redact(secrets);
                checkpoint.redact(secrets);
            }
            // Tombstones were redacted when they were set up; the session is only looked for.
            Self::Tombstones(_)
            | Self::PurgeCheckpoints(_)
            | Self::SaveTombstones(_)
            | Self::Mend(_)
            | Self::Receipts(_)
            | Self::Accesses => {}
        }
    }
}

/// One of several changes that are made together.
#[derive(Clone, Debug)]
pub struct Step {
    /// What to do.
    pub change: StepChange,
    /// Why, in words for people; `#7` stands for the memory of that number. Never a memory's text.
    pub reason: String,
    /// The operation that is taken back.
    pub reverts: Option<Sequence>,
}

impl Step {
    /// A change and the reason for it.
    #[must_use]
    pub fn new(change: StepChange, reason: impl Into<String>) -> Self {
        Self {
            change,
            reason: reason.into(),
            reverts: None,
        }
    }
}

/// What one of several changes does.
#[derive(Clone, Debug)]
pub enum StepChange {
    /// Changes a memory.
    Edit {
        /// Which.
        number: MemoryNumber,
        /// How.
        edit: Edit,
        /// The operation that changed it last, as the asker read it.
        expected: Option<Sequence>,
    },
    /// Makes an edge, or replaces the one of the same name.
    Relate(Box<Edge>),
    /// Removes an edge.
    Unrelate(EdgeKey),
}

impl Redact for Step {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            change,
            reason,
            reverts: _,
        } = self;
        secrets.said(reason);
        match change {
            StepChange::Edit {
                number: _,
                edit,
                expected: _,
            } => edit.redact(secrets),
            StepChange::Relate(edge) => {
                edge.provenance.redact(secrets);
                secrets.said(&mut edge.reason);
            }
            StepChange::Unrelate(_) => {}
        }
    }
}

/// A change of a whole topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicEdit {
    /// Gives it a name that no topic has.
    Rename(Redacted<Topic>),
    /// Puts its memories into another topic, which may be new.
    Merge(Redacted<Topic>),
    /// Forgets what is active in it.
    Forget,
    /// Makes what is forgotten of it active again.
    Restore,
}

/// A memory that stays, and one that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePair {
    /// Stays.
    pub kept: MemoryNumber,
    /// The operation that last changed it when the pair was found.
    pub kept_sequence: Sequence,
    /// Becomes superseded.
    pub duplicate: MemoryNumber,
    /// The operation that last changed it when the pair was found.
    pub duplicate_sequence: Sequence,
}

/// Outcome of a request.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A new memory is durable.
    Stored(Box<Memory>),
    /// The same text existed.
    Reinforced(Box<Memory>),
    /// Memories are as the request wanted them.
    Edited(Edited),
    /// Done, nothing to show.
    Done,
}

/// What an edit changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edited {
    /// The memories as they are now; at most [`Edited::SHOWN_MAX`].
    pub memories: Vec<Memory>,
    /// How many are different. Forgotten ones that follow their topic are neither shown nor
    /// counted.
    pub changed: usize,
    /// How many of these are everybody's.
    pub global: usize,
    /// The first operation that it took, on a memory or an edge; `None` where nothing changed.
    pub first: Option<Sequence>,
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

    /// Returns whether accesses wait to be written.
    #[must_use]
    pub fn has_statistics(&self) -> bool {
        self.strand.catalog().has_touched()
    }

    /// Returns whether [`StrandWriter::rest`] has anything to do.
    #[must_use]
    pub fn is_restless(&self) -> bool {
        self.writer.is_restless()
    }

    /// Makes the store ready for a crash, so that the next start is quick. For when nothing is
    /// written for a while.
    ///
    /// # Errors
    /// `CommitError`: nothing more may be acknowledged, and the strand must be reopened.
    pub fn rest(&mut self) -> Result<(), CommitError> {
        self.writer.rest()
    }

    /// Rewrites the store's file without what is free in it, while readers go on.
    ///
    /// # Errors
    /// `CommitError`: nothing more may be acknowledged, and the strand must be reopened.
    pub fn shrink(&mut self, storage: &dyn Storage) -> Result<Shrunk, CommitError> {
        self.writer.shrink(storage)
    }

    /// Writes the store's file anew, row by row, so that nothing of what was removed is left in it.
    ///
    /// # Errors
    /// `CommitError`: nothing more may be acknowledged, and the strand must be reopened.
    pub fn rewrite(&mut self, storage: &dyn Storage) -> Result<Shrunk, CommitError> {
        self.writer.rewrite(storage)
    }

    /// Commits a group: one result for each request, in order. What is `Ok` is durable and found by
    /// the next search. Nothing is written that did not go through the redaction, here at the
    /// latest.
    ///
    /// # Errors
    /// `CommitError`: nothing that is not yet returned is acknowledged, and the strand must be reopened.
    pub fn commit<R: Into<Redacted<Request>>>(
        &mut self,
        requests: Vec<R>,
    ) -> Result<Vec<Result<Outcome, WriteError>>, CommitError> {
        self.commit_redacted(requests.into_iter().map(Into::into).collect())
    }

    fn commit_redacted(
        &mut self,
        requests: Vec<Redacted<Request>>,
    ) -> Result<Vec<Result<Outcome, WriteError>>, CommitError> {
        let mut outcomes = Vec::with_capacity(requests.len());
        let mut rest = requests.into_iter().map(Redacted::into_inner).peekable();
        while rest.peek().is_some() {
            let mut independence = Independence::default();
            let mut group = Vec::new();
            while let Some(request) =
                rest.next_if(|request| independence.admits(request, &self.strand))
            {
                group.push(request);
            }
            outcomes.extend(self.commit_independent(group)?);
        }
        Ok(outcomes)
    }

    fn commit_independent(
        &mut self,
        group: Vec<Request>,
    ) -> Result<Vec<Result<Outcome, WriteError>>, CommitError> {
        let (mut writes, mut labels) = (Vec::new(), Vec::with_capacity(group.len()));
        let mut news = Vec::new();
        for request in group {
            let decided = self.strand.decide(request);
            labels.push(decided.map(
                |Decided {
                     writes: own,
                     words,
                     text_hash,
                     label,
                 }| {
                    let count = own.len();
                    let new = words.zip(text_hash).map(|(words, text_hash)| New {
                        place: writes.len(),
                        text_hash,
                        words,
                    });
                    news.extend(new);
                    writes.extend(own);
                    (label, count)
                },
            ));
        }
        let arrivals = self.strand.arrivals(&writes);
        let changes = if news.len() < LINKED_MIN {
            let changes = self.writer.commit(writes)?.changes;
            self.strand.await_comparisons(&arrivals, &changes);
            self.strand.tell_indexes(&changes, news);
            changes
        } else {
            let (committed, news) = link_beside(|| self.writer.commit(writes), news);
            let changes = committed?.changes;
            self.strand.await_comparisons(&arrivals, &changes);
            self.strand.tell_indexes_of_linked(&changes, news);
            changes
        };
        let mut changes = changes.into_iter();
        let outcome = |label: Result<(Label, usize), WriteError>| {
            label.and_then(|(label, count)| label.outcome(changes.by_ref().take(count).collect()))
        };
        Ok(labels.into_iter().map(outcome).collect())
    }
}
