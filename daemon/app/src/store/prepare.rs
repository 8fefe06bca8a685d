//! What is decided of a memory before the writer gets it: on a snapshot, and beside others.

use std::num::NonZero;
use std::sync::Arc;
use std::{mem, thread};

use helix_engine::model::{
    Draft, Memory, MemoryId, MemoryNumber, Origin, Scope, SourceRef, awaits_review,
};
use helix_engine::policy::admit::{Admitted, admit};
use helix_engine::policy::consolidate::Verdict;
use helix_engine::policy::resemble::WordSet;
use helix_engine::policy::scales::Stated as Importance;
use helix_engine::policy::stale::{LINE_ATTRIBUTE, SOURCE_PROJECT_ATTRIBUTE};
use helix_engine::strand::{Correction, Request, Strand};
use helix_redact::redacted;

use super::NewMemory;
use super::alike::Alike;
use super::corrections;
use super::given::{self, Given};
use super::links::Known;
use crate::located::{Located, located};
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, note, suspicion};

/// Fewest drafts that are worth a thread of their own: preparing one costs as much as starting a
/// thread.
const SHARE_MIN: usize = 64;

/// A draft on its way into the store.
pub(super) enum Prepared {
    /// To be written.
    Write {
        request: Request,
        words: WordSet,
        warnings: Vec<String>,
        /// The memory that says the same.
        known: Option<Box<Known>>,
        /// Links that lead nowhere yet.
        unknown_links: Vec<String>,
        /// What it corrects.
        corrections: Vec<Correction>,
        /// The number that the next memory had when that was looked for; `None` where it was not.
        compared_below: Option<MemoryNumber>,
        /// How the topic of a note was found; empty where one was given.
        inferred: String,
    },
    /// It has all that a known memory says, and more: that one gets its text.
    Extend {
        id: MemoryId,
        request: Request,
        warnings: Vec<String>,
    },
    /// A near duplicate exists.
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    /// It resembles an earlier draft of its batch.
    Alike(Alike),
}

/// Prepares the drafts of a batch on every core, in order.
pub(super) async fn prepare_all(
    app: &Arc<App>,
    asker: &Arc<Asker>,
    mut drafts: Vec<NewMemory>,
    force: bool,
) -> Result<Vec<Result<Prepared, Refusal>>, Refusal> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = drafts.len().div_ceil(threads).max(SHARE_MIN);
    let mut shares = Vec::new();
    while !drafts.is_empty() {
        let rest = drafts.split_off(drafts.len().min(share));
        let asker = Arc::clone(asker);
        shares.push(off_thread(app, move |app| {
            Ok(drafts
                .into_iter()
                .map(|draft| prepare(app, &asker, draft, force))
                .collect::<Vec<_>>())
        }));
        drafts = rest;
    }
    let mut prepared = Vec::new();
    for share in shares {
        prepared.extend(share.await?);
    }
    Ok(prepared)
}

/// Prepares one draft.
pub(super) fn prepare(
    app: &App,
    asker: &Asker,
    mut new: NewMemory,
    force: bool,
) -> Result<Prepared, Refusal> {
    let own_lines = given::take_own_lines(&mut new);
    let inferred = if new.topic.trim().is_empty() && !new.text.trim().is_empty() {
        note::complete(app, asker, &mut new)?.join("; ")
    } else {
        String::new()
    };
    new.importance = Importance {
        importance: new.importance,
        priority: new.priority.take(),
        weight: new.weight.take(),
    }
    .importance()?;
    let given = Given::of(&new);
    let (admitted, unseen) = admitted(app, asker, new)?;
    let (words, known) = if force {
        (WordSet::default(), None)
    } else {
        (WordSet::of(&admitted.text), same_text(app, &admitted)?)
    };
    // What waits for a person takes nobody's place.
    let waits = awaits_review(asker.actor.origin, &admitted.suspicions);
    let is_compared = !force && !waits && known.is_none();
    let compared_below = is_compared.then(|| next_number(app));
    let corrections = if is_compared {
        match meet(app, asker, &admitted, &words)? {
            Met::Duplicate { memory, similarity } => {
                return Ok(Prepared::Duplicate { memory, similarity });
            }
            Met::Corrections(corrections) => corrections,
        }
    } else {
        Vec::new()
    };
    if let Some(known) = corrections::extended(&corrections, &admitted) {
        let warnings = admitted.warnings.clone();
        let (actor, at) = (asker.actor.clone(), app.memory.now());
        return Ok(Prepared::Extend {
            id: known.id,
            request: corrections::extend(known, admitted, actor, at),
            warnings,
        });
    }
    let mut links = app
        .memory
        .strand
        .resolve_links(&admitted.links, &asker.scopes())?;
    let mut warnings = admitted.warnings.clone();
    warnings.extend(suspicion::note(&admitted.suspicions, waits));
    warnings.extend(returning(app, asker, &admitted)?);
    warnings.extend(own_lines);
    match &known {
        Some(known) => warnings.extend(given.untaken(known, &admitted, &links.ids)),
        // Of a source that is not taken there is nothing else to say.
        None => warnings.extend(unseen.into_iter().chain(given.range_note())),
    }
    let unknown_links = mem::take(&mut links.unknown);
    warnings.extend(links.warnings());
    let request = Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted: Box::new(admitted),
        links: links.ids,
        stamps: None,
        force,
        replaces: corrections::replaced(&corrections),
        entropy: app.memory.randomness.entropy(),
        actor: asker.actor.clone(),
        at: app.memory.now(),
    };
    Ok(Prepared::Write {
        request,
        words,
        warnings,
        known: known.map(|known| Box::new(Known::of(known))),
        unknown_links,
        corrections,
        compared_below,
        inferred,
    })
}

/// The number that the next memory gets.
fn next_number(app: &App) -> MemoryNumber {
    let extent = app.memory.strand.catalog().extent();
    MemoryNumber(u32::try_from(extent).unwrap_or(u32::MAX))
}

/// Says that a text was forgotten before: whoever asks for it gets it back all the same.
///
/// # Errors
/// When a tool says it, which nobody asked.
fn returning(app: &App, asker: &Asker, admitted: &Admitted) -> Result<Option<String>, Refusal> {
    let scope = admitted.scope.to_string();
    let Some(stone) = app.memory.strand.forgotten(&admitted.text, &scope) else {
        return Ok(None);
    };
    let day = jiff::Timestamp::from_microsecond(stone.at.as_micros()).unwrap_or_default();
    let day = day.strftime("%Y-%m-%d");
    let how = stone.departure.name();
    let who = match (stone.origin, stone.agent.as_str()) {
        (Origin::User, _) => "the user".to_owned(),
        (origin, "") => origin.name().to_owned(),
        (_, agent) => agent.to_owned(),
    };
    let was = match stone.handle.as_str() {
        "" => String::new(),
        handle => format!("; it was {handle}"),
    };
    if asker.actor.origin == Origin::Tool {
        return Err(Refusal::denied(format!(
            "this was {how} on {day} by {who}, and no tool brings it back{was}"
        )));
    }
    Ok(Some(format!(
        "this was {how} on {day} by {who} and is stored again because you asked for it{was}"
    )))
}

/// What is known that a new memory meets.
enum Met {
    Duplicate {
        memory: Box<Memory>,
        similarity: f32,
    },
    Corrections(Vec<Correction>),
}

/// Compares a new memory with those that share its words.
fn meet(app: &App, asker: &Asker, admitted: &Admitted, words: &WordSet) -> Result<Met, Refusal> {
    let strand = &app.memory.strand;
    let neighbours = strand.neighbours(&admitted.text, &admitted.scope, words)?;
    let corrections = Strand::corrections(admitted, asker.actor.origin, words, &neighbours);
    let is_corrected = corrections
        .iter()
        .any(|correction| correction.verdict != Verdict::Extends);
    let decides = is_corrected || corrections::extended(&corrections, admitted).is_some();
    if !decides
        && let Some((memory, similarity)) =
            Strand::near_duplicate(&admitted.text, words, &neighbours)
    {
        return Ok(Met::Duplicate {
            memory: Box::new(memory),
            similarity,
        });
    }
    Ok(Met::Corrections(corrections))
}

/// Admits a draft, and says what could not be recorded of its source.
fn admitted(
    app: &App,
    asker: &Asker,
    new: NewMemory,
) -> Result<(Admitted, Option<String>), Refusal> {
    let mut draft = draft(new, asker)?;
    let located = draft
        .source
        .take()
        .map(|source| located(app, &source, asker));
    // An answer does not repeat the secrets that it says were taken out.
    let unseen = located
        .as_ref()
        .and_then(Located::unseen)
        .map(|note| redacted(&note).into_owned());
    let (mut line, mut project) = (None, None);
    if let Some(located) = located {
        (line, project) = (located.line, located.project);
        draft.source = Some(located.source);
    }
    let mut admitted = admit(draft, &asker.project.scope, app.memory.strand.kinds())?;
    // After admitting, which refuses reserved names from callers.
    if let Some(line) = line {
        let attributes = &mut admitted.attributes;
        attributes.insert(LINE_ATTRIBUTE.to_owned(), line.to_string());
    }
    if let Some(project) = project.filter(|_| admitted.scope == Scope::Global) {
        let attributes = &mut admitted.attributes;
        attributes.insert(SOURCE_PROJECT_ATTRIBUTE.to_owned(), project.to_string());
    }
    Ok((admitted, unseen))
}

/// Reads a memory that somebody gives.
fn draft(new: NewMemory, asker: &Asker) -> Result<Draft, Refusal> {
    let scope = match new.scope.as_str() {
        "" => None,
        "project" => Some(asker.project.scope.clone()),
        other => Some(Scope::parse(other).map_err(|error| Refusal::invalid(error.to_string()))?),
    };
    Ok(Draft {
        summary: new.summary,
        topic: new.topic,
        text: new.text,
        kind: Some(new.kind).filter(|kind| !kind.is_empty()),
        tags: new.tags,
        scope,
        source: Some(SourceRef::parse(&new.source)).filter(|source| !source.path.is_empty()),
        links: new.links,
        importance: new.importance,
        confidence: new.confidence,
        pinned: new.pinned,
        attributes: new.attributes,
        valid_from: new.valid_from,
    })
}

/// The same text is reinforced by the writer, which decides it again under its own order.
fn same_text(app: &App, admitted: &Admitted) -> Result<Option<Memory>, Refusal> {
    let strand = &app.memory.strand;
    let known = strand
        .catalog()
        .same_text(admitted.text_hash, &admitted.scope);
    let Some(number) = known else { return Ok(None) };
    Ok(strand.memories(&[number])?.into_iter().next())
}
