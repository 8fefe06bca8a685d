//! What a request means now: the writes that it takes, and what to call their result.

use std::iter;

use helix_memory::{
    Absorbed, Actor, Admitted, Edit, Memory, MemoryNumber, Origin, Scope, Sequence, Sourced,
    Status, Timestamp, Topic,
};
use helix_redact::State;

use super::{Edited, MergePair, Outcome, Request, TOPIC_EDIT_MAX, TopicEdit};
use crate::index::catalog::{Catalog, Row};
use crate::index::lexical::Prepared;
use crate::store::{Cause, Change, Write, WriteError};
use crate::strand::{Corrects, Strand};

/// A request's writes, which go into one transaction.
pub(super) struct Decided {
    pub(super) writes: Vec<Write>,
    /// Words of the first write's memory.
    pub(super) words: Option<Box<Prepared>>,
    /// Hash of that memory's text.
    pub(super) text_hash: Option<u64>,
    pub(super) label: Label,
}

/// Writes of which nobody is told anything.
fn done(writes: Vec<Write>) -> Decided {
    Decided {
        writes,
        words: None,
        text_hash: None,
        label: Label::Done,
    }
}

/// What to call the changes of a request.
pub(super) enum Label {
    Stored,
    Reinforced,
    Edited,
    /// What is out of use is moved as well, and neither shown nor counted.
    Moved,
    /// All that changed is shown: what was forgotten, or brought back.
    Forgotten,
    /// Every second change is of a duplicate.
    Merged,
    /// The first refusal says why nothing was done.
    Together,
    Done,
}

impl Label {
    pub(super) fn outcome(
        &self,
        changes: Vec<Result<Change, WriteError>>,
    ) -> Result<Outcome, WriteError> {
        match self {
            Self::Stored => one(changes, |change| memory(change).map(Outcome::Stored)),
            Self::Reinforced => one(changes, |change| memory(change).map(Outcome::Reinforced)),
            Self::Edited => one(changes, |change| {
                let count = usize::from(matches!(change, Change::Memory(_)));
                let first = sequence(&change);
                memory(change).map(|memory| {
                    let global = if memory.scope == Scope::Global {
                        count
                    } else {
                        0
                    };
                    Outcome::Edited(Edited {
                        memories: vec![*memory],
                        changed: count,
                        global,
                        first,
                    })
                })
            }),
            Self::Moved | Self::Forgotten | Self::Merged
                if changes.iter().all(Result::is_err) && !changes.is_empty() =>
            {
                one(changes, |_| None)
            }
            Self::Moved => Ok(Outcome::Edited(many(changes.into_iter(), |memory| {
                memory.status.is_indexed()
            }))),
            Self::Forgotten => Ok(Outcome::Edited(many(changes.into_iter(), |_| true))),
            Self::Merged => Ok(Outcome::Edited(many(
                changes.into_iter().skip(1).step_by(2),
                |_| true,
            ))),
            Self::Together => {
                let changes = changes.into_iter().collect::<Result<Vec<_>, _>>()?;
                let memories = changes.into_iter().map(Ok);
                Ok(Outcome::Edited(many(memories, |_| true)))
            }
            Self::Done => one(changes, |_| Some(Outcome::Done)),
        }
    }
}

fn one(
    changes: Vec<Result<Change, WriteError>>,
    name: impl FnOnce(Change) -> Option<Outcome>,
) -> Result<Outcome, WriteError> {
    let change = changes.into_iter().next().transpose()?;
    Ok(change.and_then(name).unwrap_or(Outcome::Done))
}

fn memory(change: Change) -> Option<Box<Memory>> {
    match change {
        Change::Memory(memory) | Change::Same(memory) => Some(memory),
        Change::Edge(_)
        | Change::EdgeGone(_)
        | Change::Purged { .. }
        | Change::Tombstone(..)
        | Change::None => None,
    }
}

/// The operation by which something changed.
fn sequence(change: &Change) -> Option<Sequence> {
    match change {
        Change::Memory(memory) => Some(memory.sequence),
        Change::Edge(edge) | Change::EdgeGone(edge) => Some(edge.sequence),
        Change::Purged { sequence, .. } => Some(*sequence),
        Change::Same(_) | Change::Tombstone(..) | Change::None => None,
    }
}

fn many(
    changes: impl Iterator<Item = Result<Change, WriteError>>,
    is_counted: impl Fn(&Memory) -> bool,
) -> Edited {
    let mut edited = Edited::default();
    for change in changes.flatten() {
        let earlier = edited.first.into_iter().chain(sequence(&change));
        edited.first = earlier.min();
        let Change::Memory(memory) = change else {
            continue;
        };
        if !is_counted(&memory) {
            continue;
        }
        let mut shown = edited.memories.iter_mut();
        if let Some(earlier) = shown.find(|earlier| earlier.number == memory.number) {
            *earlier = *memory;
            continue;
        }
        edited.changed += 1;
        edited.global += usize::from(memory.scope == Scope::Global);
        if edited.memories.len() < Edited::SHOWN_MAX {
            edited.memories.push(*memory);
        }
    }
    edited
}

impl Strand {
    pub(super) fn decide(&self, request: Request) -> Result<Decided, WriteError> {
        let decided = |write, label| Decided {
            writes: vec![write],
            words: None,
            text_hash: None,
            label,
        };
        Ok(match request {
            Request::Store {
                admitted,
                words,
                links,
                stamps,
                force,
                corrects,
                entropy,
                actor,
                at,
            } => {
                let catalog = self.catalog();
                let waiting = catalog.waiting_text(admitted.text_hash, &admitted.scope);
                let known = catalog.same_text(admitted.text_hash, &admitted.scope);
                match known.or(waiting) {
                    Some(number) if !force && known.is_none() && vouches(&actor, &admitted) => {
                        decided(approval(number, actor, at), Label::Reinforced)
                    }
                    Some(number) if !force => {
                        // Recalls that no commit has written yet count too.
                        let access_count = catalog.row(number).map_or(0, |row| row.access_count);
                        decided(
                            Write::Reinforce {
                                number,
                                access_count,
                                actor,
                                at,
                            },
                            Label::Reinforced,
                        )
                    }
                    _ => {
                        let text_hash = Some(admitted.text_hash);
                        let corrections = corrections(corrects, &actor, at);
                        let store = Write::Store {
                            admitted,
                            links,
                            stamps,
                            entropy,
                            actor,
                            at,
                            cause: Cause::default(),
                        };
                        Decided {
                            writes: iter::once(store).chain(corrections).collect(),
                            words: Some(words),
                            text_hash,
                            label: Label::Stored,
                        }
                    }
                }
            }
            Request::Edit {
                number,
                edit,
                expected,
                actor,
                at,
            } => {
                let tombstone = self.tombstone_write(number, &edit, expected, &actor, at);
                let edit = Write::Edit {
                    number,
                    edit,
                    expected,
                    actor,
                    at,
                    cause: Cause::default(),
                };
                Decided {
                    writes: iter::once(edit).chain(tombstone).collect(),
                    words: None,
                    text_hash: None,
                    label: Label::Edited,
                }
            }
            Request::EditTopic {
                topic,
                scopes,
                edit,
                actor,
                at,
            } => {
                let (members, edit) = topic_edit(&self.catalog(), &topic, &scopes, edit)?;
                let write = |number| Write::Edit {
                    number,
                    edit: edit.clone(),
                    expected: None,
                    actor: actor.clone(),
                    at,
                    cause: Cause {
                        is_continued: members.first() != Some(&number),
                        ..Cause::default()
                    },
                };
                let tombstones = members
                    .iter()
                    .filter_map(|&number| self.tombstone_write(number, &edit, None, &actor, at));
                let writes = members
                    .iter()
                    .copied()
                    .map(write)
                    .chain(tombstones)
                    .collect();
                let label = if matches!(edit, Edit::Forget | Edit::Restore) {
                    Label::Forgotten
                } else {
                    Label::Moved
                };
                Decided {
                    writes,
                    words: None,
                    text_hash: None,
                    label,
                }
            }
            Request::MergeDuplicates { pairs, actor, at } => {
                let writes = pairs
                    .iter()
                    .filter_map(|pair| self.merge(pair, &actor, at))
                    .flatten()
                    .collect();
                Decided {
                    writes,
                    words: None,
                    text_hash: None,
                    label: Label::Merged,
                }
            }
            Request::Checkpoint { scope, checkpoint } => {
                decided(Write::Checkpoint(scope, checkpoint), Label::Done)
            }
            Request::PurgeCheckpoints(session) => {
                decided(Write::PurgeCheckpoints(session), Label::Done)
            }
            Request::Together { steps, actor, at } => Decided {
                writes: self.together(steps, &actor, at)?,
                words: None,
                text_hash: None,
                label: Label::Together,
            },
            Request::Split(split) => Decided {
                writes: self.split(*split)?,
                words: None,
                text_hash: None,
                label: Label::Together,
            },
            Request::Distil(distil) => Decided {
                writes: self.distil(*distil),
                words: None,
                text_hash: None,
                label: Label::Stored,
            },
            Request::Purge { number, actor, at } => {
                decided(self.purge(number, actor, at)?, Label::Done)
            }
            Request::Tombstones(tombstones) => {
                let write = |(id, tombstone)| Write::Tombstone(id, Some(Box::new(tombstone)));
                done(tombstones.into_iter().map(write).collect())
            }
            Request::SaveTombstones(ids) => done(self.tombstone_writes(ids)),
            Request::States(states, rows) => {
                decided(Write::States(states, opened(rows)), Label::Done)
            }
            Request::Receipts(receipts) => decided(Write::Receipts(opened(receipts)), Label::Done),
            Request::Mend(number) => decided(Write::Mend(number), Label::Edited),
            Request::Accesses => decided(
                Write::Access(self.catalog_mut().take_touched()),
                Label::Done,
            ),
        })
    }

    /// The two writes of a pair, unless either memory is not what it was when the pair was found.
    fn merge(&self, pair: &MergePair, actor: &Actor, at: Timestamp) -> Option<[Write; 2]> {
        if pair.kept == pair.duplicate {
            // It would take over its own accesses before it is refused to supersede itself.
            return None;
        }
        let known_count = {
            let catalog = self.catalog();
            let is_same = |number, sequence| {
                catalog
                    .row(number)
                    .filter(|row| row.status == Status::Active && row.sequence == sequence)
            };
            is_same(pair.duplicate, pair.duplicate_sequence)?;
            is_same(pair.kept, pair.kept_sequence)?.access_count
        };
        // The disk failing here leaves the pair for another time.
        let [kept, duplicate] = self
            .memories(&[pair.kept, pair.duplicate])
            .ok()?
            .try_into()
            .ok()?;
        let access_count = self
            .catalog()
            .row(pair.duplicate)
            .map_or(0, |row| row.access_count);
        let absorbed = Absorbed {
            id: duplicate.id,
            kind: duplicate.kind.clone(),
            source: Sourced::of(&duplicate),
            tags: duplicate.tags,
            links: duplicate.links,
            importance: duplicate.importance,
            confidence: duplicate.confidence,
            pinned: duplicate.pinned,
            access_count: access_count.max(duplicate.access_count),
            known_count,
        };
        let write = |number, edit, cause| Write::Edit {
            number,
            edit,
            expected: None,
            actor: actor.clone(),
            at,
            cause,
        };
        let absorbs = Edit::Absorb(Box::new(absorbed));
        let supersedes = Edit::Supersede { by: kept.id };
        let because = Cause::because(format!("#{} says the same", pair.kept.0));
        Some([
            write(pair.kept, absorbs, Cause::default()),
            write(pair.duplicate, supersedes, because.continued()),
        ])
    }
}

/// Whether saying the very same as a quarantined memory vouches for it. An agent's word does not
/// where the text looks like orders: it may only repeat what it read.
fn vouches(actor: &Actor, admitted: &Admitted) -> bool {
    match actor.origin {
        Origin::User => true,
        Origin::Agent => admitted.suspicions.is_empty(),
        Origin::Tool | Origin::Import => false,
    }
}

/// The approval of a quarantined memory by somebody whose word is believed and who says the same.
fn approval(number: MemoryNumber, actor: Actor, at: Timestamp) -> Write {
    Write::Edit {
        number,
        edit: Edit::Approve { by: actor.origin },
        expected: None,
        actor,
        at,
        cause: Cause::because("somebody said the very same".to_owned()),
    }
}

/// The writes by which a new memory corrects others. Whether these are still as they were when that
/// was decided is looked at inside the transaction.
fn corrections(corrects: Vec<Corrects>, actor: &Actor, at: Timestamp) -> Vec<Write> {
    let write = |known: Corrects| Write::Correct {
        known: known.known,
        expected: known.sequence,
        is_replaced: known.is_replaced,
        why: known.why,
        actor: actor.clone(),
        at,
    };
    corrects.into_iter().map(write).collect()
}

/// States as the store has them.
fn opened<K>(states: Vec<(K, State)>) -> Vec<(K, Vec<u8>)> {
    states
        .into_iter()
        .map(|(key, state)| (key, state.into_inner()))
        .collect()
}

/// The members that a topic-wide edit changes, and how each is changed.
fn topic_edit(
    catalog: &Catalog,
    topic: &Topic,
    scopes: &[Scope],
    edit: TopicEdit,
) -> Result<(Vec<MemoryNumber>, Edit), WriteError> {
    let members = |topic: &Topic, is_wanted: &dyn Fn(&Row) -> bool| {
        catalog.members(topic.as_str(), scopes, is_wanted)
    };
    let is_active = |row: &Row| row.status == Status::Active;
    let is_in_use = |row: &Row| row.status.is_indexed();
    let is_forgotten = |row: &Row| row.status == Status::Forgotten;
    // Where nothing was deleted, what else went out of use is meant: a merge of duplicates may have
    // taken a whole topic.
    let is_replaced = |row: &Row| matches!(row.status, Status::Superseded | Status::Archived);
    let is_gone: &dyn Fn(&Row) -> bool = if members(topic, &is_forgotten).is_empty() {
        &is_replaced
    } else {
        &is_forgotten
    };
    let needed: &dyn Fn(&Row) -> bool = if edit == TopicEdit::Restore {
        is_gone
    } else {
        &is_in_use
    };
    if members(topic, needed).is_empty() {
        return Err(WriteError::NoSuchTopic(topic.clone()));
    }
    let (numbers, edit) = match edit {
        TopicEdit::Rename(new) => {
            let memories = members(&new, &is_in_use).len();
            if memories > 0 {
                return Err(WriteError::TopicExists {
                    topic: new.into_inner(),
                    memories,
                });
            }
            (members(topic, &|_| true), Edit::Move { topic: new })
        }
        TopicEdit::Merge(into) => (members(topic, &|_| true), Edit::Move { topic: into }),
        TopicEdit::Forget => (members(topic, &is_active), Edit::Forget),
        TopicEdit::Restore => (members(topic, is_gone), Edit::Restore),
    };
    let memories = numbers.len();
    if memories > TOPIC_EDIT_MAX {
        return Err(WriteError::TopicTooLarge {
            topic: topic.clone(),
            memories,
            limit: TOPIC_EDIT_MAX,
        });
    }
    Ok((numbers, edit))
}
