//! Storing: admit, look for near duplicates, write, answer when it is durable.

mod alike;
mod corrections;
mod given;
mod links;
mod prepare;

use std::collections::BTreeMap;
use std::sync::Arc;

use helix_engine::model::{Memory, MemoryNumber, Timestamp};
use helix_engine::strand::{Outcome, Request, leads_nowhere};
use helix_proto::limits::BATCH_MAX;

use self::alike::Alike;
pub use self::corrections::Corrected;
use self::prepare::{Prepared, prepare, prepare_all};
use crate::ports::{Later, Outcomes, SubmitError};
use crate::shown;
use crate::threads::off_thread;
use crate::told::{self, Told};
use crate::{App, Asker, Refusal};

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
        let prepared = prepare(app, &asker, new, force)?;
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
    let outcome = answer.await?.into_iter().next();
    let outcome = outcome.ok_or_else(|| Refusal::internal("the writer gave no answer"))??;
    if let Outcome::Stored(memory) = &outcome {
        notes.corrected = confirmed(app, memory, notes.corrected).await?;
        notes
            .corrected
            .extend(missed(app, &asker, memory, &notes).await?);
        let (number, corrected) = (memory.number, &notes.corrected);
        corrections::note_conflicts(app, &asker.actor, number, corrected).await?;
    }
    if !needs_disk(&outcome) {
        return stored(app, &asker, outcome, notes);
    }
    off_thread(app, move |app| stored(app, &asker, outcome, notes)).await
}

/// What a memory corrected in truth; mostly it corrects nothing.
async fn confirmed(
    app: &Arc<App>,
    memory: &Memory,
    corrected: Vec<Corrected>,
) -> Result<Vec<Corrected>, Refusal> {
    if corrected.is_empty() {
        return Ok(corrected);
    }
    let memory = memory.clone();
    off_thread(app, move |app| {
        corrections::confirmed(app, &memory, corrected)
    })
    .await
}

/// The contradictions with what was stored while a memory was on its way; mostly nothing was.
async fn missed(
    app: &Arc<App>,
    asker: &Asker,
    memory: &Memory,
    notes: &Notes,
) -> Result<Vec<Corrected>, Refusal> {
    let Some(first) = notes.compared_below.filter(|first| *first < memory.number) else {
        return Ok(Vec::new());
    };
    let (memory, by) = (memory.clone(), asker.actor.origin);
    off_thread(app, move |app| corrections::missed(app, &memory, by, first)).await
}

/// What whoever gave a memory is told beside what became of it.
#[derive(Debug, Default)]
struct Notes {
    warnings: Vec<String>,
    corrected: Vec<Corrected>,
    /// The number of the first memory that it was not compared with.
    compared_below: Option<MemoryNumber>,
    inferred: String,
}

impl Notes {
    /// The same with what was corrected in truth.
    fn confirmed(mut self, app: &App, outcome: &Outcome) -> Result<Self, Refusal> {
        if let Outcome::Stored(memory) = outcome {
            self.corrected = corrections::confirmed(app, memory, self.corrected)?;
        }
        Ok(self)
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
        Prepared::Alike(_) => Err(Refusal::internal("a draft of its own resembles another")),
        Prepared::Write {
            request,
            mut warnings,
            unknown_links,
            corrections,
            compared_below,
            inferred,
            ..
        } => {
            warnings.extend(unknown_links.iter().map(|link| leads_nowhere(link)));
            let corrected = corrections::told(corrections);
            Ok(Submitted::Written {
                answer: app.writer.submit(vec![request])?,
                asker,
                notes: Notes {
                    warnings,
                    corrected,
                    compared_below,
                    inferred,
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
    let prepared = prepare_all(app, &asker, batch, force).await?;
    let scopes = asker.scopes();
    let prepared = off_thread(app, move |app| {
        let mut prepared = if force {
            prepared
        } else {
            alike::held_back(prepared)
        };
        // Drafts are prepared side by side and were made one after the other. Their ids are of that
        // time, and links go by ids.
        stamp(&mut prepared, app.memory.now());
        links::within(&app.memory.strand, &scopes, force, &mut prepared);
        Ok(prepared)
    });
    let (requests, slots) = slots(prepared.await?);
    let outcomes = app.writer.submit(requests)?.await?;
    let actor = asker.actor.clone();
    let items = off_thread(app, move |app| answers(app, &asker, slots, outcomes)).await?;
    for item in &items {
        if let Item::Stored(stored) = item {
            let number = stored.memory.memory.number;
            corrections::note_conflicts(app, &actor, number, &stored.corrected).await?;
        }
    }
    Ok(items)
}

/// Gives all memories of a batch one time.
fn stamp(prepared: &mut [Result<Prepared, Refusal>], now: Timestamp) {
    for one in prepared {
        if let Ok(Prepared::Write {
            request: Request::Store { at, .. },
            ..
        }) = one
        {
            *at = now;
        }
    }
}

/// Where the answer for one of a batch comes from.
enum Slot {
    Written(Notes),
    Refused(String),
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    /// From that of an earlier one.
    Alike(Alike),
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
                corrections,
                inferred,
                ..
            }) => {
                requests.push(request);
                let corrected = corrections::told(corrections);
                Slot::Written(Notes {
                    warnings,
                    corrected,
                    inferred,
                    ..Notes::default()
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
            Slot::Written(notes) => match outcomes.next() {
                Some(Ok(outcome)) => {
                    let notes = notes.confirmed(app, &outcome)?;
                    Item::Stored(stored(app, asker, outcome, notes)?)
                }
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

fn stored(app: &App, asker: &Asker, outcome: Outcome, notes: Notes) -> Result<Stored, Refusal> {
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
    let corrected = if how == How::New {
        notes.corrected
    } else {
        Vec::new()
    };
    shown::note_known(app, asker, &[memory.number]);
    Ok(Stored {
        how,
        memory: Told::of(app, &memory),
        similarity,
        warnings: notes.warnings,
        corrected,
        inferred: notes.inferred,
    })
}
