//! Storing: admit, look for near duplicates, write, answer when it is durable.

mod alike;
mod corrections;
mod given;
mod links;
mod order;
mod prepare;

use std::collections::BTreeMap;
use std::sync::Arc;

use helix_engine::{Outcome, Request, Resolution};
use helix_memory::{Actor, Memory, MemoryNumber, Origin, Timestamp};
use helix_proto::limits::BATCH_MAX;

use self::alike::Alike;
pub use self::corrections::Corrected;
use self::prepare::{Gathered, MayReturn, Prepared, gather, gather_all};
use crate::ports::{Later, Outcomes, SubmitError};
use crate::threads::off_thread;
use crate::told::{self, Told};
use crate::{App, Asker, Refusal, forgotten, shown};

/// Memories of a batch that are compared by meaning with what was forgotten: each takes the
/// embedder some milliseconds.
const COMPARED_MAX: usize = 16;

/// A memory as somebody gives it.
#[derive(Clone, Debug, Default)]
pub struct NewMemory {
    /// The name of its topic; empty for a note, whose topic is inferred.
    pub topic: String,
    /// The statement.
    pub text: String,
    /// The name of its kind; empty lets tags and text decide.
    pub kind: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its scope, where `project` is the asker's; empty lets its kind decide.
    pub scope: String,
    /// The file that it is about, and perhaps a line; empty for none.
    pub source: String,
    /// Handles, ids or `topic:index` of memories that it links to.
    pub links: Vec<String>,
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Whether it is exempt from decay.
    pub pinned: bool,
    /// Fields of its kind.
    pub attributes: BTreeMap<String, String>,
    /// When it became true; `None` for now.
    pub valid_from: Option<Timestamp>,
    /// One line for lists; empty for none.
    pub summary: String,
    /// Importance from 1 to 10, in its place.
    pub priority: Option<i64>,
    /// Importance from 1 to 5, in its place.
    pub weight: Option<i64>,
}

/// How a memory was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A new memory is durable.
    New,
    /// Its text was known, and that memory is reinforced.
    Reinforced,
    /// It resembles a memory, and nothing was stored.
    Duplicate,
    /// A memory that said part of it has its text now.
    Extended,
}

/// What storing came to.
#[derive(Clone, Debug)]
pub struct Stored {
    /// How it was stored.
    pub how: How,
    /// The new memory, or the one that was known.
    pub memory: Told,
    /// How similar the known one is; 0 for a new one.
    pub similarity: f32,
    /// What whoever gave it should know.
    pub warnings: Vec<String>,
    /// What it corrected, or cannot stand beside.
    pub corrected: Vec<Corrected>,
    /// How the topic of a note was found; empty where one was given.
    pub inferred: String,
    /// True if a tool says what was forgotten with it, so that it is withheld.
    pub returns: bool,
}

impl Stored {
    fn duplicate(memory: Told, similarity: f32) -> Self {
        Self {
            how: How::Duplicate,
            memory,
            similarity,
            warnings: Vec::new(),
            corrected: Vec::new(),
            inferred: String::new(),
            returns: false,
        }
    }
}

/// What became of one memory of a batch.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "almost all of them are stored")]
pub enum Item {
    /// It was stored, or known.
    Stored(Stored),
    /// It was refused, and why.
    Refused(String),
}

/// A write on its way to its answer.
type Answer = Later<'static, Result<Outcomes, SubmitError>>;

/// Stores one memory. `who` says who asks, and may look at the disk for it.
///
/// # Errors
/// When it cannot be admitted, or is not written.
pub async fn one(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    new: NewMemory,
    force: bool,
) -> Result<Stored, Refusal> {
    // The thread that prepares it also hands it to the writer: every thread more that it goes
    // through has to be woken up.
    let submitted = off_thread(app, move |app| {
        let asker = who();
        let gathered = gather(app, &asker, vec![new], force).pop();
        let gathered = gathered.ok_or_else(|| Refusal::internal("the draft was lost"))??;
        let prepared = gathered.decided(&app.memory.strand, &asker.actor)?;
        submit(app, asker, prepared)
    });
    let (answer, asker, mut notes) = match submitted.await? {
        Submitted::Answered(stored) => return Ok(*stored),
        Submitted::Written {
            answer,
            asker,
            notes,
        } => (answer, asker, notes),
    };
    // While it is written.
    notes.compare(app, asker.actor.origin).await;
    let outcome = answer.await?.into_iter().next();
    let outcome = outcome.ok_or_else(|| Refusal::internal("the writer gave no answer"))??;
    if let Outcome::Stored(memory) = &outcome {
        let (memory, compared_below) = ((**memory).clone(), notes.compared_below);
        let others = memory.number;
        let stored = vec![(memory, compared_below)];
        let missed = missed(app, &asker.actor, stored, others).await?;
        notes
            .corrected
            .extend(missed.into_iter().map(|(_, corrected)| corrected));
    }
    if !needs_disk(&outcome) && notes.corrected.is_empty() {
        return stored(app, &asker, outcome, notes, &[]);
    }
    off_thread(app, move |app| stored(app, &asker, outcome, notes, &[])).await
}

/// Notes the contradictions of new memories with what others stored while they were on their way,
/// and returns them with the numbers of the new ones; mostly there are none. Each comes with the
/// number of the first memory that it was not compared with; from the number `own` on they are of
/// the same request.
async fn missed(
    app: &Arc<App>,
    actor: &Actor,
    stored: Vec<(Memory, Option<MemoryNumber>)>,
    own: MemoryNumber,
) -> Result<Vec<(MemoryNumber, Corrected)>, Refusal> {
    let is_late =
        |(_, first): &(Memory, Option<MemoryNumber>)| first.is_some_and(|first| first < own);
    if !stored.iter().any(is_late) {
        return Ok(Vec::new());
    }
    let by = actor.origin;
    let missed = off_thread(app, move |app| {
        let mut missed = Vec::new();
        for (memory, first) in stored {
            let Some(first) = first.filter(|first| *first < own) else {
                continue;
            };
            let found = corrections::missed(app, &memory, by, first..own)?;
            missed.extend(
                found
                    .into_iter()
                    .map(|corrected| (memory.number, corrected)),
            );
        }
        Ok(missed)
    });
    let missed = missed.await?;
    corrections::note_conflicts(app, actor, &missed).await?;
    Ok(missed)
}

/// What whoever gave a memory is told beside what became of it.
#[derive(Debug, Default)]
struct Notes {
    warnings: Vec<String>,
    corrected: Vec<Corrected>,
    /// The number of the first memory that it was not compared with.
    compared_below: Option<MemoryNumber>,
    inferred: String,
    /// What is to be compared by meaning with what was forgotten.
    may_return: Option<Box<MayReturn>>,
    /// True if a tool says what was forgotten.
    returns: bool,
}

impl Notes {
    /// Notes what was forgotten that the text says in other words.
    async fn compare(&mut self, app: &App, by: Origin) {
        let Some(MayReturn { text, scope }) = self.may_return.take().map(|text| *text) else {
            return;
        };
        let stone = forgotten::compare_stored(app, &text, &scope).await;
        let said = stone.map(|stone| forgotten::stored_again(&stone, by));
        self.returns = said.is_some() && by == Origin::Tool;
        self.warnings.extend(said);
    }
}

/// A memory on its way to its answer.
#[expect(clippy::large_enum_variant, reason = "almost all of them are written")]
enum Submitted {
    /// The writer has it.
    Written {
        answer: Answer,
        asker: Asker,
        notes: Notes,
    },
    /// It is not written.
    Answered(Box<Stored>),
}

fn submit(app: &App, asker: Asker, prepared: Prepared) -> Result<Submitted, Refusal> {
    match prepared {
        Prepared::Duplicate { memory, similarity } => {
            let stored = Stored::duplicate(Told::of(app, &memory), similarity);
            Ok(Submitted::Answered(Box::new(stored)))
        }
        Prepared::Alike(_) | Prepared::Joined { .. } => {
            Err(Refusal::internal("a draft of its own resembles another"))
        }
        Prepared::Write {
            request,
            mut warnings,
            unknown_links,
            corrected,
            compared_below,
            inferred,
            may_return,
            ..
        } => {
            warnings.extend(
                unknown_links
                    .iter()
                    .map(|link| Resolution::leads_nowhere(link)),
            );
            Ok(Submitted::Written {
                answer: app.writer.submit(vec![request])?,
                asker,
                notes: Notes {
                    warnings,
                    corrected,
                    compared_below,
                    inferred,
                    may_return,
                    returns: false,
                },
            })
        }
        Prepared::Extend {
            request, warnings, ..
        } => Ok(Submitted::Written {
            answer: app.writer.submit(vec![request])?,
            asker,
            notes: Notes {
                warnings,
                ..Notes::default()
            },
        }),
    }
}

/// Stores many memories in one commit. A refused one does not stop the others.
///
/// # Errors
/// When there are too many, or nothing is written.
pub async fn batch(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    batch: Vec<NewMemory>,
    force: bool,
) -> Result<Vec<Item>, Refusal> {
    if batch.len() > BATCH_MAX {
        return Err(Refusal::exhausted(format!(
            "the batch has {} drafts, the limit is {BATCH_MAX}; split it",
            batch.len()
        )));
    }
    let asker = Arc::new(off_thread(app, move |_| Ok(who())).await?);
    let gathered = gather_all(app, &asker, batch, force).await?;
    let decider = Arc::clone(&asker);
    let prepared = off_thread(app, move |app| {
        // Drafts are read side by side and were made one after the other. Their ids are of that
        // time, and links go by ids.
        let gathered = at_once(gathered, app.memory.now());
        let mut prepared = order::decide(&app.memory.strand, &decider, gathered);
        links::within(&app.memory.strand, &decider.scopes(), force, &mut prepared);
        Ok(prepared)
    });
    let (requests, mut slots) = slots(prepared.await?);
    let written = app.writer.submit(requests)?;
    compare(app, &mut slots, asker.actor.origin).await;
    let outcomes = written.await?;
    second_look(app, &asker.actor, &mut slots, &outcomes).await?;
    off_thread(app, move |app| answers(app, &asker, slots, outcomes)).await
}

/// Compares the first of a batch by meaning with what was forgotten.
async fn compare(app: &App, slots: &mut [Slot], by: Origin) {
    let mut left = COMPARED_MAX;
    for slot in slots {
        if let Slot::Written(notes) = slot
            && notes.may_return.is_some()
        {
            notes.compare(app, by).await;
            left -= 1;
            if left == 0 {
                return;
            }
        }
    }
}

/// Adds to what is told of each memory of a batch what it contradicts of others that were stored
/// while it was on its way.
async fn second_look(
    app: &Arc<App>,
    actor: &Actor,
    slots: &mut [Slot],
    outcomes: &Outcomes,
) -> Result<(), Refusal> {
    let mut written: Vec<(&mut Notes, &Memory)> = Vec::new();
    let notes = slots.iter_mut().filter_map(|slot| match slot {
        Slot::Written(notes) => Some(notes),
        Slot::Refused(_) | Slot::Duplicate { .. } | Slot::Alike(_) | Slot::Joined(_) => None,
    });
    for (notes, outcome) in notes.zip(outcomes) {
        if let Ok(Outcome::Stored(memory)) = outcome {
            written.push((notes, memory));
        }
    }
    let Some(own) = written.iter().map(|(_, memory)| memory.number).min() else {
        return Ok(());
    };
    let stored = written
        .iter()
        .filter(|(notes, _)| notes.compared_below.is_some_and(|first| first < own))
        .map(|(notes, memory)| ((*memory).clone(), notes.compared_below))
        .collect();
    for (number, corrected) in missed(app, actor, stored, own).await? {
        let found = written
            .iter_mut()
            .find(|(_, memory)| memory.number == number);
        if let Some((notes, _)) = found {
            notes.corrected.push(corrected);
        }
    }
    Ok(())
}

/// Gives all drafts of a batch one time.
fn at_once(
    mut gathered: Vec<Result<Gathered, Refusal>>,
    now: Timestamp,
) -> Vec<Result<Gathered, Refusal>> {
    for draft in gathered.iter_mut().flatten() {
        draft.at = now;
    }
    gathered
}

/// Where the answer for one of a batch comes from.
enum Slot {
    Written(Notes),
    Refused(String),
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    /// From that of an earlier one, which it nearly repeats.
    Alike(Alike),
    /// From that of an earlier one, which got its text.
    Joined(usize),
}

/// What is to be written of a batch, and where its answers come from.
fn slots(prepared: Vec<Result<Prepared, Refusal>>) -> (Vec<Request>, Vec<Slot>) {
    let mut requests = Vec::new();
    let mut slots = Vec::with_capacity(prepared.len());
    for one in prepared {
        slots.push(match one {
            Ok(Prepared::Write {
                request,
                warnings,
                corrected,
                compared_below,
                inferred,
                may_return,
                ..
            }) => {
                requests.push(request);
                Slot::Written(Notes {
                    warnings,
                    corrected,
                    compared_below,
                    inferred,
                    may_return,
                    returns: false,
                })
            }
            Ok(Prepared::Extend {
                request, warnings, ..
            }) => {
                requests.push(request);
                Slot::Written(Notes {
                    warnings,
                    ..Notes::default()
                })
            }
            Ok(Prepared::Duplicate { memory, similarity }) => {
                Slot::Duplicate { memory, similarity }
            }
            Ok(Prepared::Alike(alike)) => Slot::Alike(alike),
            Ok(Prepared::Joined { earlier }) => Slot::Joined(earlier),
            Err(refusal) => Slot::Refused(refusal.message().to_owned()),
        });
    }
    (requests, slots)
}

/// Answers a batch one by one.
fn answers(
    app: &App,
    asker: &Asker,
    slots: Vec<Slot>,
    outcomes: Outcomes,
) -> Result<Vec<Item>, Refusal> {
    let mut outcomes = outcomes.into_iter();
    let mut items: Vec<Item> = Vec::with_capacity(slots.len());
    for slot in slots {
        let item = match slot {
            Slot::Refused(why) => Item::Refused(why),
            Slot::Duplicate { memory, similarity } => {
                Item::Stored(Stored::duplicate(Told::of(app, &memory), similarity))
            }
            Slot::Alike(alike) => alike::answer(alike, &items),
            Slot::Joined(earlier) => alike::joined(earlier, &items),
            Slot::Written(notes) => match outcomes.next() {
                Some(Ok(outcome)) => Item::Stored(stored(app, asker, outcome, notes, &items)?),
                Some(Err(error)) => Item::Refused(error.to_string()),
                None => return Err(Refusal::internal("the writer gave too few answers")),
            },
        };
        items.push(item);
    }
    Ok(items)
}

/// Whether answering means to read what a memory links to.
fn needs_disk(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Stored(memory) | Outcome::Reinforced(memory) => told::names_others(memory),
        Outcome::Edited(_) | Outcome::Done => false,
    }
}

/// The answer for what was written; `items` are those before it in its batch.
fn stored(
    app: &App,
    asker: &Asker,
    outcome: Outcome,
    notes: Notes,
    items: &[Item],
) -> Result<Stored, Refusal> {
    let no_memory = || Refusal::internal("the writer did not store what it was to");
    let (how, memory, similarity) = match outcome {
        Outcome::Stored(memory) => (How::New, memory, 0.0),
        Outcome::Reinforced(memory) => (How::Reinforced, memory, 1.0),
        // The last step of an extension has left the memory as it is now.
        Outcome::Edited(edited) => {
            let memory = edited.memories.into_iter().next_back();
            (How::Extended, Box::new(memory.ok_or_else(no_memory)?), 1.0)
        }
        Outcome::Done => return Err(no_memory()),
    };
    let mut corrected = notes.corrected;
    if how == How::New {
        corrections::as_written(app, &mut corrected, items);
    } else {
        corrected.clear();
    }
    shown::note_known(app, asker, &[memory.number]);
    Ok(Stored {
        how,
        memory: Told::of(app, &memory),
        similarity,
        warnings: notes.warnings,
        corrected,
        inferred: notes.inferred,
        returns: notes.returns,
    })
}
