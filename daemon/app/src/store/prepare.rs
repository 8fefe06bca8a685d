//! What is decided of a memory before the writer gets it: on a snapshot, and beside others.

use std::num::NonZero;
use std::sync::Arc;
use std::{mem, thread};

use helix_engine::{Correction, Request, Strand};
use helix_memory::{
    Actor, Admitted, Draft, Memory, MemoryId, MemoryNumber, Origin, Scope, Sequence, SourceRef,
    StatedImportance as Importance, Statement, Tags, TextStanding as Standing, Timestamp, WordSet,
};
use helix_redact::{placeholders, redacted};

use super::NewMemory;
use super::alike::Alike;
use super::corrections::{self, Corrected, Earlier, Meaning};
use super::given::{self, Given};
use super::links::Known;
use crate::disputes::Disputes;
use crate::forgotten::returning;
use crate::located::{Located, located_all};
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, note, suspicion};

/// Fewest drafts that are worth a thread of their own: preparing one costs as much as starting a
/// thread.
const SHARE_MIN: usize = 64;

/// A draft that was read and compared with what is known, and not decided yet.
pub(super) struct Gathered {
    pub(super) admitted: Box<Admitted>,
    pub(super) words: WordSet,
    pub(super) statement: Arc<Statement>,
    pub(super) near: Near,
    /// The memory that says the very same.
    pub(super) known: Option<Box<Known>>,
    /// Whether it is compared with others at all.
    pub(super) is_compared: bool,
    /// Random bytes for its id.
    pub(super) entropy: [u8; 10],
    /// When it is stored.
    pub(super) at: Timestamp,
    read: Box<helix_engine::Prepared>,
    links: Vec<MemoryId>,
    unknown_links: Vec<String>,
    warnings: Vec<String>,
    /// What is said of a text that was forgotten, or why it is not stored.
    returning: Result<Option<String>, Refusal>,
    force: bool,
    compared_below: Option<MemoryNumber>,
    inferred: String,
    /// Where it may say in other words what was forgotten.
    may_return: Option<Box<MayReturn>>,
}

/// What is known that shares words with a draft.
#[derive(Default)]
pub(super) struct Near {
    pub(super) neighbours: Vec<MemoryNumber>,
    /// Those of them that it may repeat, correct or extend.
    pub(super) concerned: Vec<Memory>,
    /// Those that it corrects or extends.
    pub(super) corrections: Vec<Correction>,
    /// The one that it nearly repeats, with the similarity.
    pub(super) nearest: Option<(Memory, f32)>,
}

impl Near {
    /// Compares a draft with those of its neighbours that it concerns.
    pub(super) fn of(
        strand: &Strand,
        admitted: &Admitted,
        statement: &Statement,
        by: Origin,
        words: &WordSet,
        concerned: Vec<Memory>,
    ) -> Self {
        if concerned.is_empty() {
            return Self::default();
        }
        let standing = standing(admitted, by);
        Self {
            neighbours: Vec::new(),
            corrections: strand.corrections(statement, standing, words, &concerned),
            nearest: strand.near_duplicate(&admitted.text, words, &concerned),
            concerned,
        }
    }
}

/// Who says a draft, and how sure.
pub(super) fn standing(admitted: &Admitted, by: Origin) -> Standing {
    Standing {
        by,
        confidence: admitted.confidence,
    }
}

impl Gathered {
    /// The id that it gets if it becomes a new memory.
    pub(super) fn id(&self) -> MemoryId {
        MemoryId::new(self.at, &self.entropy)
    }

    /// What it means to what is known.
    pub(super) fn meaning(&self) -> Meaning {
        let near = &self.near;
        Meaning::of(&self.admitted, &near.corrections, near.nearest.as_ref())
    }

    /// Takes over the text of another draft of the same batch.
    pub(super) fn reword(&mut self, other: &Self) {
        self.admitted.text.clone_from(&other.admitted.text);
        self.admitted.text_hash = other.admitted.text_hash;
        self.words = other.words.clone();
        self.statement = Arc::clone(&other.statement);
    }

    /// Takes over the longer text of another draft of the same batch, and what that one brings.
    pub(super) fn extend(&mut self, longer: &Self) {
        self.reword(longer);
        let (own, other) = (&mut self.admitted, &longer.admitted);
        own.importance = own.importance.max(other.importance);
        own.confidence = corrections::gained(own.confidence);
        own.pinned |= other.pinned;
        for tag in &other.tags {
            if own.tags.len() < Tags::MAX && !own.tags.contains(tag) {
                own.tags.push(tag.clone());
            }
        }
        *self.read = Strand::read_words(&self.admitted);
    }

    /// The request that stores it and corrects others.
    pub(super) fn write(
        self,
        actor: &Actor,
        corrections: Vec<Correction>,
        earlier: &Earlier,
    ) -> Result<Prepared, Refusal> {
        let mut warnings = self.warnings;
        warnings.extend(self.returning?);
        let request = Request::Store {
            words: self.read,
            admitted: self.admitted,
            links: self.links,
            stamps: None,
            force: self.force,
            corrects: corrections::corrects(&corrections, earlier),
            entropy: self.entropy,
            actor: actor.clone(),
            at: self.at,
        };
        Ok(Prepared::Write {
            request,
            warnings,
            known: self.known,
            unknown_links: self.unknown_links,
            corrected: corrections::told(corrections, earlier),
            compared_below: self.compared_below,
            inferred: self.inferred,
            may_return: self.may_return,
        })
    }

    /// The request that gives a known memory its text.
    pub(super) fn extension(
        self,
        known: &Memory,
        expected: Option<Sequence>,
        actor: &Actor,
    ) -> Prepared {
        let warnings = self.admitted.warnings.clone();
        let (admitted, at) = (*self.admitted, self.at);
        Prepared::Extend {
            id: known.id,
            request: corrections::extend(known, admitted, expected, actor.clone(), at),
            warnings,
        }
    }

    /// Decides it alone.
    pub(super) fn decided(self, strand: &Strand, actor: &Actor) -> Result<Prepared, Refusal> {
        match self.meaning() {
            Meaning::New(corrections) => {
                let corrections = Disputes::default().one_of_each(strand, corrections);
                self.write(actor, corrections, &Earlier::new())
            }
            Meaning::Extends(known) => Ok(self.extension(&known, Some(known.sequence), actor)),
            Meaning::Repeats(memory, similarity) => Ok(Prepared::Duplicate { memory, similarity }),
        }
    }
}

/// A draft on its way into the store.
pub(super) enum Prepared {
    /// To be written.
    Write {
        request: Request,
        warnings: Vec<String>,
        /// The memory that says the same.
        known: Option<Box<Known>>,
        /// Links that lead nowhere yet.
        unknown_links: Vec<String>,
        /// What it corrects.
        corrected: Vec<Corrected>,
        /// The number that the next memory had when that was looked for; `None` where it was not.
        compared_below: Option<MemoryNumber>,
        /// How the topic of a note was found; empty where one was given.
        inferred: String,
        /// What is to be compared by meaning with what was forgotten.
        may_return: Option<Box<MayReturn>>,
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
    /// An earlier draft of its batch got its text, because it says all of that and more.
    Joined { earlier: usize },
}

/// Reads the drafts of a batch on every core, in order.
pub(super) async fn gather_all(
    app: &Arc<App>,
    asker: &Arc<Asker>,
    mut drafts: Vec<NewMemory>,
    force: bool,
) -> Result<Vec<Result<Gathered, Refusal>>, Refusal> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = drafts.len().div_ceil(threads).max(SHARE_MIN);
    let mut shares = Vec::new();
    while !drafts.is_empty() {
        let rest = drafts.split_off(drafts.len().min(share));
        let asker = Arc::clone(asker);
        shares.push(off_thread(app, move |app| {
            Ok(gather(app, &asker, drafts, force))
        }));
        drafts = rest;
    }
    let mut gathered = Vec::new();
    for share in shares {
        gathered.extend(share.await?);
    }
    Ok(gathered)
}

/// Reads drafts and compares each with what is known.
pub(super) fn gather(
    app: &App,
    asker: &Asker,
    drafts: Vec<NewMemory>,
    force: bool,
) -> Vec<Result<Gathered, Refusal>> {
    let mut read: Vec<Result<Read, Refusal>> = drafts
        .into_iter()
        .map(|new| Read::of(app, asker, new))
        .collect();
    let sources = read.iter().flatten().map(Read::source);
    let mut located = located_all(app, &sources.collect::<Vec<_>>(), asker).into_iter();
    for read in read.iter_mut().flatten() {
        read.located = located.next().flatten();
    }
    read.into_iter()
        .map(|read| compare(app, asker, read?, force))
        .collect()
}

/// A draft with everything that its text says of it.
struct Read {
    new: NewMemory,
    /// Notes for its author on lines that set something.
    own_lines: Vec<String>,
    /// The way in which the topic of a note was found; empty where one was given.
    inferred: String,
    /// Where its source is.
    located: Option<Located>,
}

impl Read {
    fn of(app: &App, asker: &Asker, mut new: NewMemory) -> Result<Self, Refusal> {
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
        Ok(Self {
            new,
            own_lines,
            inferred,
            located: None,
        })
    }

    /// The file that it is about, as it was named.
    fn source(&self) -> Option<SourceRef> {
        let source = SourceRef::parse(&self.new.source);
        (!source.path.is_empty()).then_some(source)
    }
}

/// Compares a draft with what is known.
fn compare(app: &App, asker: &Asker, read: Read, force: bool) -> Result<Gathered, Refusal> {
    let Read {
        new,
        own_lines,
        inferred,
        located,
    } = read;
    let given = Given::of(&new);
    let (admitted, unseen) = admitted(app, asker, new, located)?;
    if is_empty(&admitted.text) {
        return Err(Refusal::invalid(
            "nothing was stored: nothing is left of it without what is private or a secret",
        ));
    }
    let (words, known) = if force {
        (WordSet::default(), None)
    } else {
        (WordSet::of(&admitted.text), same_text(app, &admitted)?)
    };
    // What waits for a person takes nobody's place.
    let waits = asker.actor.origin.awaits_review(&admitted.suspicions);
    // An event is told again on each occasion, in other words or not, and corrects no fact.
    let is_event = app.memory.strand.is_event(admitted.kind.as_str());
    let is_compared = !force && !waits && !is_event && known.is_none();
    let compared_below = is_compared.then(|| next_number(app));
    let (statement, near) = if is_compared {
        let strand = &app.memory.strand;
        let statement = strand.statement(&admitted.text);
        let neighbours = strand.neighbours(&admitted.text, &admitted.scope, &words)?;
        let concerned = strand.concerned(&neighbours, &statement, &words)?;
        let by = asker.actor.origin;
        let mut near = Near::of(strand, &admitted, &statement, by, &words, concerned);
        near.neighbours = neighbours;
        let replaced_before = corrections::replaced_before(app, &admitted, &near.corrections)?;
        near.corrections.extend(replaced_before);
        (statement, near)
    } else {
        (Arc::default(), Near::default())
    };
    let mut links = app
        .memory
        .strand
        .resolve_links(&admitted.links, &asker.scopes())?;
    let mut warnings = admitted.warnings.clone();
    warnings.extend(suspicion::note(&admitted.suspicions, waits));
    let returning = returning(app, asker, &admitted.text, &admitted.scope);
    let is_new = matches!(returning, Ok(None)) && known.is_none();
    let may_return = is_new.then(|| may_return(app, &admitted)).flatten();
    warnings.extend(own_lines);
    match &known {
        Some(known) => warnings.extend(given.untaken(known, &admitted, &links.ids)),
        // Of a source that is not taken there is nothing else to say.
        None => warnings.extend(unseen.into_iter().chain(given.range_note())),
    }
    let unknown_links = mem::take(&mut links.unknown);
    warnings.extend(links.warnings());
    Ok(Gathered {
        returning,
        read: Box::new(Strand::read_words(&admitted)),
        admitted: Box::new(admitted),
        words,
        statement,
        near,
        known: known.map(|known| Box::new(Known::of(known))),
        is_compared,
        entropy: app.memory.randomness.entropy(),
        at: app.memory.now(),
        links: links.ids,
        unknown_links,
        warnings,
        force,
        compared_below,
        inferred,
        may_return,
    })
}

/// Whether a text says nothing beside what was taken out of it.
fn is_empty(text: &str) -> bool {
    let (mut said, mut from) = (String::new(), 0);
    let taken = placeholders(text);
    for placeholder in &taken {
        said.push_str(text.get(from..placeholder.start).unwrap_or_default());
        from = placeholder.end;
    }
    said.push_str(text.get(from..).unwrap_or_default());
    !taken.is_empty() && !said.chars().any(char::is_alphanumeric)
}

/// The number that the next memory gets.
fn next_number(app: &App) -> MemoryNumber {
    let extent = app.memory.strand.catalog().extent();
    MemoryNumber(u32::try_from(extent).unwrap_or(u32::MAX))
}

/// A text that may say in other words what was forgotten.
#[derive(Debug)]
pub(super) struct MayReturn {
    pub(super) text: String,
    pub(super) scope: String,
}

fn may_return(app: &App, admitted: &Admitted) -> Option<Box<MayReturn>> {
    let scope = admitted.scope.to_string();
    let text = admitted.text.clone();
    let may = app.memory.strand.may_return(&text, &scope);
    may.then(|| Box::new(MayReturn { text, scope }))
}

/// Admits a draft, and says what could not be recorded of its source.
fn admitted(
    app: &App,
    asker: &Asker,
    new: NewMemory,
    located: Option<Located>,
) -> Result<(Admitted, Option<String>), Refusal> {
    let mut draft = draft(new, asker)?;
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
    let mut admitted = Admitted::of(draft, &asker.project.scope, app.memory.strand.kinds())?;
    // After admitting, which refuses reserved names from callers.
    if let Some(line) = line {
        let attributes = &mut admitted.attributes;
        attributes.insert(Memory::ATTRIBUTE_LINE.to_owned(), line.to_string());
    }
    if let Some(project) = project.filter(|_| admitted.scope == Scope::Global) {
        let attributes = &mut admitted.attributes;
        attributes.insert(
            Memory::ATTRIBUTE_SOURCE_PROJECT.to_owned(),
            project.to_string(),
        );
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
        source: None,
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
