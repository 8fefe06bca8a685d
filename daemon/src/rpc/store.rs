//! `Store` and `StoreBatch`: admit, look for near duplicates, write, answer when it is durable.

mod alike;
mod given;
mod links;

use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use helix_app::memory::FILES_PATIENCE;
use helix_app::project::plain;
use helix_app::told::{self, Told};
use helix_app::{Refusal, shown};
use helix_engine::error::ErrorKind;
use helix_engine::model::{Memory, Scope, SourceRef, Timestamp, plain_path};
use helix_engine::neutral::quoted;
use helix_engine::policy::admit::{Admitted, admit};
use helix_engine::policy::resemble::WordSet;
use helix_engine::policy::stale::{LINE_ATTRIBUTE, LineHash, SOURCE_PROJECT_ATTRIBUTE};
use helix_engine::ports::Randomness;
use helix_engine::store::WriteError;
use helix_engine::strand::{Outcome, Request, Strand, leads_nowhere};
use helix_proto::limits::BATCH_MAX;
use helix_proto::v1;
use helix_redact::redacted;
use tokio::sync::oneshot;

use self::alike::Alike;
use self::given::Given;
pub(super) use self::given::{range_note, stayed_notes, taken_note};
use self::links::Known;
use super::{convert, off_thread};
use crate::runtime::{Asker, Runtime};
use crate::system::SystemRandomness;
use crate::writer::SubmitError;
use helix_app::sources;

/// Fewest drafts that are worth a thread of their own: preparing one costs as much as starting a
/// thread.
const SHARE_MIN: usize = 64;

/// Most characters of a source in a note.
pub(super) const SOURCE_SHOWN_CHARS: usize = 200;

/// A draft on its way into the store.
#[expect(clippy::large_enum_variant, reason = "almost all of them are written")]
enum Prepared {
    /// To be written.
    Write {
        request: Request,
        words: WordSet,
        warnings: Vec<String>,
        /// The memory that says the same.
        known: Option<Box<Known>>,
        /// Links that lead nowhere yet.
        unknown_links: Vec<String>,
    },
    /// A near duplicate exists.
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    /// It resembles an earlier draft of its batch.
    Alike(Alike),
}

/// Stores one memory.
pub(super) async fn one(
    runtime: &Arc<Runtime>,
    request: v1::StoreRequest,
) -> Result<v1::StoreReply, Refusal> {
    let v1::StoreRequest {
        caller,
        draft,
        force,
    } = request;
    let draft =
        draft.ok_or_else(|| Refusal::invalid("the request has no draft; give topic and text"))?;
    // The thread that prepares it also hands it to the writer: every thread more that it goes
    // through has to be woken up.
    let (submitted, asker) = off_thread(runtime, move |runtime| {
        let asker = runtime.asker(caller.as_ref());
        Ok((
            submit(runtime, prepare(runtime, &asker, draft, force)?)?,
            asker,
        ))
    })
    .await?;
    match submitted {
        Submitted::Answered(reply) => Ok(*reply),
        Submitted::Written { answer, warnings } => {
            let outcomes = answer
                .await
                .map_err(|_| submit_status(&runtime.writer.lost()))?;
            let outcome = outcomes
                .into_iter()
                .next()
                .ok_or_else(|| Refusal::internal("the writer gave no answer"))?;
            let outcome = outcome.map_err(|error| Refusal::of(error.kind(), &error))?;
            if !needs_disk(&outcome) {
                return Ok(stored(runtime, &asker, outcome, warnings));
            }
            off_thread(runtime, move |runtime| {
                Ok(stored(runtime, &asker, outcome, warnings))
            })
            .await
        }
    }
}

/// A draft of its own on its way to its answer.
enum Submitted {
    /// The writer has it.
    Written {
        answer: oneshot::Receiver<Vec<Result<Outcome, WriteError>>>,
        warnings: Vec<String>,
    },
    /// It is not written.
    Answered(Box<v1::StoreReply>),
}

fn submit(runtime: &Runtime, prepared: Prepared) -> Result<Submitted, Refusal> {
    match prepared {
        Prepared::Duplicate { memory, similarity } => Ok(Submitted::Answered(Box::new(duplicate(
            convert::told(&Told::of(&runtime.app, &memory)),
            similarity,
        )))),
        Prepared::Alike(_) => Err(Refusal::internal("a draft of its own resembles another")),
        Prepared::Write {
            request,
            mut warnings,
            unknown_links,
            ..
        } => {
            warnings.extend(unknown_links.iter().map(|link| leads_nowhere(link)));
            let answer = runtime
                .writer
                .submit(vec![request])
                .map_err(|error| submit_status(&error))?;
            Ok(Submitted::Written { answer, warnings })
        }
    }
}

/// Stores many memories in one commit. A refused draft does not stop the others.
pub(super) async fn batch(
    runtime: &Arc<Runtime>,
    request: v1::StoreBatchRequest,
) -> Result<v1::StoreBatchReply, Refusal> {
    let v1::StoreBatchRequest {
        caller,
        drafts,
        force,
    } = request;
    if drafts.len() > BATCH_MAX {
        let message = format!(
            "the batch has {} drafts, the limit is {BATCH_MAX}; split it",
            drafts.len()
        );
        return Err(Refusal::exhausted(message));
    }
    let (asker, prepared) = prepare_all(runtime, caller, drafts, force).await?;
    let scopes = asker.scopes();
    let prepared = off_thread(runtime, move |runtime| {
        let mut prepared = if force {
            prepared
        } else {
            alike::held_back(prepared)
        };
        // Drafts are prepared side by side and were made one after the other. Their ids are of that
        // time, and links go by ids.
        stamp(&mut prepared, runtime.now());
        links::within(&runtime.app.memory.strand, &scopes, force, &mut prepared);
        Ok(prepared)
    });
    let prepared = prepared.await?;
    let mut requests = Vec::new();
    let mut slots = Vec::with_capacity(prepared.len());
    for item in prepared {
        slots.push(match item {
            Ok(Prepared::Write {
                request, warnings, ..
            }) => {
                requests.push(request);
                Slot::Written(warnings)
            }
            Ok(Prepared::Duplicate { memory, similarity }) => {
                Slot::Duplicate { memory, similarity }
            }
            Ok(Prepared::Alike(alike)) => Slot::Alike(alike),
            Err(status) => Slot::Answered(Box::new(v1::batch_item::Item::Refused(
                status.message().to_owned(),
            ))),
        });
    }
    let outcomes = runtime
        .writer
        .write(requests)
        .await
        .map_err(|error| submit_status(&error))?;
    off_thread(runtime, move |runtime| {
        answers(runtime, &asker, slots, outcomes)
    })
    .await
}

/// Answers a batch item by item.
fn answers(
    runtime: &Runtime,
    asker: &Asker,
    slots: Vec<Slot>,
    outcomes: Vec<Result<Outcome, WriteError>>,
) -> Result<v1::StoreBatchReply, Refusal> {
    let mut outcomes = outcomes.into_iter();
    let mut items: Vec<v1::BatchItem> = Vec::with_capacity(slots.len());
    for slot in slots {
        let item = match slot {
            Slot::Answered(item) => *item,
            Slot::Duplicate { memory, similarity } => v1::batch_item::Item::Stored(duplicate(
                convert::told(&Told::of(&runtime.app, &memory)),
                similarity,
            )),
            Slot::Alike(alike) => alike::answer(alike, &items),
            Slot::Written(warnings) => match outcomes.next() {
                Some(Ok(outcome)) => {
                    v1::batch_item::Item::Stored(stored(runtime, asker, outcome, warnings))
                }
                Some(Err(error)) => v1::batch_item::Item::Refused(error.to_string()),
                None => return Err(Refusal::internal("the writer gave too few answers")),
            },
        };
        items.push(v1::BatchItem { item: Some(item) });
    }
    Ok(v1::StoreBatchReply { items })
}

/// Gives all drafts of a batch one time.
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

/// Where a batch item's answer comes from.
enum Slot {
    Written(Vec<String>),
    Answered(Box<v1::batch_item::Item>),
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    /// From that of an earlier item.
    Alike(Alike),
}

/// Maps a write that was not acknowledged to its status.
pub(super) fn submit_status(error: &SubmitError) -> Refusal {
    match error {
        SubmitError::Busy => Refusal::of(ErrorKind::Exhausted, error),
        SubmitError::Stopping => Refusal::of(ErrorKind::Unavailable, error),
        // As a daemon that cannot start for the same reason: who tries again in a moment is not
        // helped.
        SubmitError::Disk(_) => Refusal::corrupt(error.to_string()),
    }
}

/// Prepares the drafts of a batch on every core, in order.
async fn prepare_all(
    runtime: &Arc<Runtime>,
    caller: Option<v1::Caller>,
    mut drafts: Vec<v1::Draft>,
    force: bool,
) -> Result<(Arc<Asker>, Vec<Result<Prepared, Refusal>>), Refusal> {
    let asker = off_thread(runtime, move |runtime| {
        Ok(Arc::new(runtime.asker(caller.as_ref())))
    })
    .await?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = drafts.len().div_ceil(threads).max(SHARE_MIN);
    let mut shares = Vec::new();
    while !drafts.is_empty() {
        let rest = drafts.split_off(drafts.len().min(share));
        let asker = Arc::clone(&asker);
        shares.push(off_thread(runtime, move |runtime| {
            Ok(drafts
                .into_iter()
                .map(|draft| prepare(runtime, &asker, draft, force))
                .collect::<Vec<_>>())
        }));
        drafts = rest;
    }
    let mut prepared = Vec::new();
    for share in shares {
        prepared.extend(share.await?);
    }
    Ok((asker, prepared))
}

fn prepare(
    runtime: &Runtime,
    asker: &Asker,
    mut draft: v1::Draft,
    force: bool,
) -> Result<Prepared, Refusal> {
    let own_lines = given::take_own_lines(&mut draft);
    let given = Given::of(&draft);
    let mut draft = convert::draft(draft, &asker.project)?;
    let located = draft.source.map(|source| located(runtime, &source, asker));
    // An answer does not repeat the secrets that it says were taken out.
    let unseen = located
        .as_ref()
        .and_then(Located::unseen)
        .map(|note| redacted(&note).into_owned());
    let line = located.as_ref().and_then(|located| located.line);
    let project = located.as_ref().and_then(|located| located.project.clone());
    draft.source = located.map(|located| located.source);
    let mut admitted = admit(
        draft,
        &asker.project.scope,
        runtime.app.memory.strand.kinds(),
    )
    .map_err(|error| Refusal::of(error.kind(), &error))?;
    // After admitting, which refuses reserved names from callers.
    admitted
        .attributes
        .extend(line.map(|line| (LINE_ATTRIBUTE.to_owned(), line.to_string())));
    let project = project.filter(|_| admitted.scope == Scope::Global);
    admitted
        .attributes
        .extend(project.map(|project| (SOURCE_PROJECT_ATTRIBUTE.to_owned(), project.to_string())));
    let words = if force {
        WordSet::default()
    } else {
        WordSet::of(&admitted.text)
    };
    let known = if force {
        None
    } else {
        same_text(runtime, &admitted)?
    };
    if !force && known.is_none() {
        let near = runtime
            .app
            .memory
            .strand
            .near_duplicate(&admitted, &words)
            .map_err(|error| Refusal::of(error.kind(), &error))?;
        if let Some((memory, similarity)) = near {
            return Ok(Prepared::Duplicate {
                memory: Box::new(memory),
                similarity,
            });
        }
    }
    let mut links = runtime
        .app
        .memory
        .strand
        .resolve_links(&admitted.links, &asker.scopes())
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    let mut warnings = admitted.warnings.clone();
    warnings.extend(own_lines);
    match &known {
        Some(known) => warnings.extend(given.untaken(known, &admitted, &links.ids)),
        // Of a source that is not taken there is nothing else to say.
        None => warnings.extend(unseen.into_iter().chain(given.range_note())),
    }
    let unknown_links = std::mem::take(&mut links.unknown);
    warnings.extend(links.warnings());
    let request = Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted: Box::new(admitted),
        links: links.ids,
        stamps: None,
        force,
        entropy: SystemRandomness.entropy(),
        actor: asker.actor.clone(),
        at: runtime.now(),
    };
    Ok(Prepared::Write {
        request,
        words,
        warnings,
        known: known.map(|known| Box::new(Known::of(known))),
        unknown_links,
    })
}

/// The same text is reinforced by the writer, which decides it again under its own order.
fn same_text(runtime: &Runtime, admitted: &Admitted) -> Result<Option<Memory>, Refusal> {
    let known = runtime
        .app
        .memory
        .strand
        .catalog()
        .same_text(admitted.text_hash, &admitted.scope);
    let Some(number) = known else { return Ok(None) };
    let found = runtime
        .app
        .memory
        .strand
        .memories(&[number])
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    Ok(found.into_iter().next())
}

/// A source as it is recorded.
pub(super) struct Located {
    pub(super) source: SourceRef,
    /// Goes into the attribute [`LINE_ATTRIBUTE`].
    pub(super) line: Option<LineHash>,
    /// Goes into the attribute [`SOURCE_PROJECT_ATTRIBUTE`] of a global memory: whose root the
    /// path is relative to.
    pub(super) project: Option<Scope>,
    is_there: bool,
    /// The line that was named, when the file ends before it.
    line_behind_end: Option<u32>,
}

impl Located {
    /// What to tell whoever gave a source of which nothing could be recorded.
    pub(super) fn unseen(&self) -> Option<String> {
        let path = quoted(&self.source.path);
        if let Some(line) = self.line_behind_end {
            return Some(format!(
                "source {path} ends before line {line}; it is kept as given, and only the file is watched"
            ));
        }
        let why = match (self.source.content_hash, self.is_there) {
            (Some(_), _) => return None,
            (None, false) if self.source.path.ends_with(":0") => {
                "names no file here: lines are counted from 1"
            }
            (None, false) => "names no file here",
            (None, true) => "cannot be read, or is too large to follow",
        };
        Some(format!(
            "source {path} {why}; it is kept as given, but nobody will notice when it changes"
        ))
    }
}

/// Locates a source where somebody answers there in time; else it is kept as given.
pub(super) fn located(runtime: &Runtime, source: &SourceRef, asker: &Asker) -> Located {
    let absolute = plain(&asker.cwd.join(plain_path(&source.path).as_ref()));
    let is_own = absolute.starts_with(&asker.project.root);
    let place = if is_own {
        &asker.project.root
    } else {
        absolute.parent().unwrap_or(&absolute)
    };
    let (named, whose) = (source.clone(), asker.clone());
    let located = move || locate(&named, &whose);
    runtime
        .app
        .memory
        .reach
        .ask_of(place, vec![absolute.clone()], FILES_PATIENCE, located)
        .unwrap_or_else(|| {
            let relative = absolute
                .strip_prefix(&asker.project.root)
                .unwrap_or(&absolute);
            let scope = Some(&asker.project.scope).filter(|_| relative.is_relative());
            Located {
                source: SourceRef {
                    path: relative.to_string_lossy().into_owned(),
                    ..source.clone()
                },
                line: None,
                project: scope
                    .filter(|scope| matches!(scope, Scope::Project(_)))
                    .cloned(),
                // What does not answer cannot be read.
                is_there: true,
                line_behind_end: None,
            }
        })
}

/// Makes a source's path relative to the project and records what the file holds now. A relative
/// path is looked for where the caller works, then at the project's root.
fn locate(source: &SourceRef, asker: &Asker) -> Located {
    let absolute = place(&source.path, asker);
    let relative = asker.project.relative(&absolute);
    let hashes = sources::hashes(&absolute, source.line);
    let project = relative.is_relative().then(|| asker.project.scope.clone());
    let source = SourceRef {
        path: relative.to_string_lossy().into_owned(),
        line: source.line,
        content_hash: hashes.map(|hashes| hashes.content),
        git_blob: hashes.map(|hashes| hashes.git_blob),
    };
    let project = project.filter(|scope| matches!(scope, Scope::Project(_)));
    let is_there = hashes.is_some() || absolute.is_file();
    let line_behind_end = source
        .line
        .filter(|line| hashes.is_some_and(|hashes| hashes.lines < *line));
    Located {
        source,
        line: hashes.and_then(|hashes| hashes.line),
        project,
        is_there,
        line_behind_end,
    }
}

/// Where a source is meant to be: seen from where the caller works when there is such a file, or
/// when it leads out of there; else from the project's root.
fn place(path: &str, asker: &Asker) -> PathBuf {
    let given = plain_path(path);
    let here = asker.cwd.join(given.as_ref());
    let plain = plain(&here);
    if plain.is_file() {
        return plain;
    }
    // Behind a link to a directory, `..` leads elsewhere than the path says.
    match fs::canonicalize(asker.cwd.join(path)) {
        Ok(real) if real.is_file() => real,
        _ if given.starts_with("..") => plain,
        _ => asker.project.root.join(given.as_ref()),
    }
}

/// Whether answering means to read what a memory links to.
fn needs_disk(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Stored(memory) | Outcome::Reinforced(memory) => told::names_others(memory),
        Outcome::Edited(_) | Outcome::Done => false,
    }
}

fn stored(
    runtime: &Runtime,
    asker: &Asker,
    outcome: Outcome,
    warnings: Vec<String>,
) -> v1::StoreReply {
    let (outcome, memory) = match outcome {
        Outcome::Stored(memory) => (v1::StoreOutcome::Stored, Some(memory)),
        Outcome::Reinforced(memory) => (v1::StoreOutcome::Reinforced, Some(memory)),
        Outcome::Edited(_) | Outcome::Done => (v1::StoreOutcome::Unspecified, None),
    };
    if let Some(memory) = &memory {
        shown::note_known(&runtime.app, asker, &[memory.number]);
    }
    v1::StoreReply {
        outcome: outcome.into(),
        memory: memory.map(|memory| convert::told(&Told::of(&runtime.app, &memory))),
        similarity: if outcome == v1::StoreOutcome::Reinforced {
            1.0
        } else {
            0.0
        },
        warnings,
    }
}

fn duplicate(memory: v1::Memory, similarity: f32) -> v1::StoreReply {
    let outcome = v1::StoreOutcome::Duplicate.into();
    v1::StoreReply {
        outcome,
        memory: Some(memory),
        similarity,
        warnings: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
