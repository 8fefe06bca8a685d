//! Reading, and finding what a reference means.

mod several;

use helix_engine::{
    Filter, Hit, Mode, QueryLeaf as Leaf, Resolution, Retriever, Row, Search, StoreError, Strand,
    Vantage,
};
use helix_memory::{ErrorKind, MemoryNumber, Status as MemoryStatus, Topic};
use helix_neutral::quoted;

use crate::limit::Limit;
use crate::moment::{self, At};
use crate::shown::{self, TextShown};
use crate::told::{self, Told};
use crate::{App, Asker, Refusal};
use crate::{lifecycle, patterns, topics};

/// Memories of a topic that one read returns.
const TOPIC_READ: Limit = Limit {
    default: 500,
    max: 500,
};

/// Memories shown that took the place of a topic's.
const SUCCESSORS_MAX: usize = 50;

/// Candidates shown for words that may mean several memories.
const CANDIDATES_MAX: usize = 5;

/// Said of a memory that is recalled by being read.
const WAS_ARCHIVED: &str = "it was archived; now that it is read, it is active again";

/// The first handles of memories, and a mark where there are more.
///
/// # Errors
/// When they cannot be read.
pub fn some_handles(
    app: &App,
    numbers: impl ExactSizeIterator<Item = MemoryNumber>,
    most: usize,
) -> Result<String, Refusal> {
    let more = if numbers.len() > most { ", …" } else { "" };
    let some: Vec<MemoryNumber> = numbers.take(most).collect();
    Ok(handles(app, &some)?.join(", ") + more)
}

/// The handles of memories.
///
/// # Errors
/// When they cannot be read.
pub(crate) fn handles(app: &App, numbers: &[MemoryNumber]) -> Result<Vec<String>, Refusal> {
    let memories = app.memory.strand.memories(numbers)?.into_iter();
    Ok(memories
        .map(|memory| memory.handle.as_str().to_owned())
        .collect())
}

/// A request to read memories.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// One memory or a topic.
    pub reference: String,
    /// Several memories, in place of one reference.
    pub references: Vec<String>,
    /// The one at this place of a topic.
    pub index: Option<u32>,
    /// Those of a topic whose text has this; empty for all.
    pub match_text: String,
    /// How many of a topic; 0 for the usual number.
    pub limit: u32,
    /// Where the next page of a topic begins; empty for the first.
    pub cursor: String,
    /// How much of the texts is shown to the session that asks.
    pub shown: TextShown,
    /// The moment that is looked at.
    pub at: At,
}

/// The memories that were read.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The memories, in order.
    pub memories: Vec<Told>,
    /// The topic that was read; empty for a memory.
    pub topic: String,
    /// How many there are.
    pub total: u32,
    /// How many of a topic have the text that was asked for.
    pub matching: u32,
    /// Notes for the caller.
    pub notes: Vec<String>,
    /// Where the next page begins; empty where there is none.
    pub next_cursor: String,
}

/// Reads one memory, several, or a topic.
///
/// # Errors
/// When nothing or too much is meant, or the disk fails.
pub fn read(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Answer, Refusal> {
    let then = moment::seen(app, wanted.at)?;
    let seen = then.as_ref().unwrap_or(app);
    let mut answer = answer(seen, asker, wanted)?;
    told::mark(seen, asker, &mut answer.memories);
    if let (Some(_), [only]) = (wanted.at.as_of, answer.memories.as_slice()) {
        let note = moment::note_change(app, &only.memory)?;
        answer.notes.extend(note);
    }
    Ok(answer)
}

fn answer(app: &App, asker: &Asker, request: &Wanted) -> Result<Answer, Refusal> {
    if !request.references.is_empty() {
        return several::read(app, request, asker);
    }
    let reference = request.reference.trim();
    patterns::refuse(app, asker, reference, "reading")?;
    if let Some(refusal) = forgotten_topic(app, reference, asker)? {
        return Err(refusal);
    }
    let resolved = resolve(app, reference, asker)?;
    let part = Part::of(request)?;
    if let (Resolution::One(number), Part::Whole) = (&resolved, &part) {
        return one(app, *number, asker, request.shown);
    }
    if let Some(reply) = topic(app, request, &part, asker)? {
        return Ok(reply);
    }
    if !matches!(resolved, Resolution::One(_))
        && let Some(reply) = successors(app, reference, asker, request.shown)?
    {
        return Ok(reply);
    }
    let moved = || {
        let topic = reference
            .rsplit_once(':')
            .map_or(reference, |(topic, _)| topic);
        topics::moved_away(app, topic, &asker.scopes()).map(Refusal::not_found)
    };
    match resolved {
        Resolution::One(number) => one(app, number, asker, request.shown),
        Resolution::Several(numbers) => Err(moved().map_or_else(|| ambiguous(app, reference, &numbers), Ok)?),
        Resolution::None => Err(moved().unwrap_or_else(|| {
            Refusal::not_found(format!(
                "nothing is called {} here; give a topic, a handle, an id or `topic:index`, or search for it",
                quoted(reference)
            ))
        })),
    }
}

/// Which memories of a topic.
enum Part {
    Whole,
    /// The one at this place.
    At(u32),
    /// Those whose text has this, in lower case.
    With(String),
}

impl Part {
    fn of(request: &Wanted) -> Result<Self, Refusal> {
        match (request.index, request.match_text.as_str()) {
            (None, "") => Ok(Self::Whole),
            (Some(index), "") => Ok(Self::At(index)),
            (None, text) => Ok(Self::With(text.to_lowercase())),
            (Some(_), _) => Err(Refusal::invalid(
                "give an index or a text to match, not both",
            )),
        }
    }
}

/// What is meant by who wants to forget something.
#[derive(Clone, Debug)]
pub enum Target {
    /// This memory.
    Memory(MemoryNumber),
    /// One of these, and nobody can say which.
    Candidates(Vec<Told>),
}

/// Finds what is meant by who wants to forget something.
///
/// # Errors
/// When nothing is meant, or the disk fails.
pub fn target(app: &App, reference: &str, asker: &Asker) -> Result<Target, Refusal> {
    if !reference.contains(char::is_whitespace) {
        patterns::refuse(app, asker, reference, "forgetting")?;
    }
    match resolve(app, reference, asker)? {
        Resolution::One(number) => Ok(Target::Memory(number)),
        Resolution::Several(numbers) => Ok(Target::Candidates(Told::all(app, &numbers)?)),
        Resolution::None => by_words(app, reference, asker),
    }
}

/// Words never act, however few memories they match: they show which ones could be meant.
fn by_words(app: &App, words: &str, asker: &Asker) -> Result<Target, Refusal> {
    let search = Search {
        words: words.to_owned(),
        vector: None,
        filter: Filter {
            scopes: asker.scopes(),
            ..Filter::default()
        },
        limit: CANDIDATES_MAX,
        mode: Mode::All,
        retriever: Retriever::Words,
        now: app.memory.now(),
        vantage: Vantage::default(),
    };
    let found = app.memory.strand.search(&search)?;
    if words.is_empty() || found.hits.is_empty() {
        let message = format!(
            "nothing here is called {} or has these words; search for it first",
            quoted(words)
        );
        return Err(Refusal::not_found(message));
    }
    // To forget a text is to forget its copies as well.
    let each = |hit: &Hit| std::iter::once(hit.memory.number).chain(hit.copies.clone());
    let numbers: Vec<MemoryNumber> = found.hits.iter().flat_map(each).collect();
    Ok(Target::Candidates(Told::all(app, &numbers)?))
}

/// Finds what a reference means to an asker.
///
/// # Errors
/// When the disk fails.
pub fn resolve(app: &App, reference: &str, asker: &Asker) -> Result<Resolution, Refusal> {
    let resolution = app.memory.strand.resolve(reference, &asker.scopes())?;
    if let Resolution::One(number) = resolution {
        moment::check_there(app, reference, number)?;
    }
    Ok(resolution)
}

fn one(
    app: &App,
    number: MemoryNumber,
    asker: &Asker,
    as_shown: TextShown,
) -> Result<Answer, Refusal> {
    app.memory.strand.catalog_touch(&[number], app.memory.now());
    let recalled = lifecycle::recall(app, &asker.actor, &[number])?;
    crate::hook::follow(app, number);
    shown::note(app, asker, as_shown, &[number]);
    let memories = Told::indexed(app, &[number], asker)?;
    let was_archived = !recalled.is_empty();
    Ok(Answer {
        memories,
        total: 1,
        notes: was_archived
            .then(|| WAS_ARCHIVED.to_owned())
            .into_iter()
            .collect(),
        ..Answer::default()
    })
}

fn topic(
    app: &App,
    request: &Wanted,
    part: &Part,
    asker: &Asker,
) -> Result<Option<Answer>, Refusal> {
    let limit = TOPIC_READ.read(request.limit)?;
    let Ok(topic) = Topic::parse(request.reference.trim()) else {
        return Ok(None);
    };
    let members = app
        .memory
        .strand
        .topic_members(topic.as_str(), &asker.scopes());
    if members.is_empty() {
        return Ok(None);
    }
    let total = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let mut chosen: Vec<MemoryNumber> = match part {
        Part::Whole => members,
        Part::At(index) => vec![*members.get(*index as usize).ok_or_else(|| {
            let noun = if total == 1 { "memory" } else { "memories" };
            Refusal::not_found(format!(
                "topic {topic} has {total} {noun}, so its last index is {}",
                total - 1
            ))
        })?],
        Part::With(text) => with_text(app, &members, text)?,
    };
    let matching = if matches!(part, Part::With(_)) {
        u32::try_from(chosen.len()).unwrap_or(u32::MAX)
    } else {
        0
    };
    let question = [topic.as_str(), request.match_text.as_str()];
    if !request.cursor.is_empty() {
        let leaf = Leaf::parse(&request.cursor, &question)?;
        chosen.retain(|number| *number > leaf.behind);
    }
    let rest = chosen.split_off(chosen.len().min(limit));
    let memories = Told::indexed(app, &chosen, asker)?;
    let has_more = !rest.is_empty() || memories.len() < chosen.len();
    chosen.truncate(memories.len());
    shown::note(app, asker, request.shown, &chosen);
    let next = chosen
        .last()
        .filter(|_| has_more)
        .map(|last| Leaf::new(*last, &question).to_string());
    Ok(Some(Answer {
        memories,
        topic: topic.as_str().to_owned(),
        total,
        matching,
        next_cursor: next.unwrap_or_default(),
        ..Answer::default()
    }))
}

/// Keeps the memories whose text has this, whatever its case.
fn with_text(
    app: &App,
    numbers: &[MemoryNumber],
    text: &str,
) -> Result<Vec<MemoryNumber>, Refusal> {
    let memories = app.memory.strand.memories(numbers)?;
    let matching = memories
        .iter()
        .filter(|memory| memory.text.to_lowercase().contains(text));
    Ok(matching.map(|memory| memory.number).collect())
}

/// Returns what took the place of a topic's memories, where none of them is active any more; `None`
/// where none was superseded.
fn successors(
    app: &App,
    reference: &str,
    asker: &Asker,
    as_shown: TextShown,
) -> Result<Option<Answer>, Refusal> {
    let Ok(topic) = Topic::parse(reference) else {
        return Ok(None);
    };
    let is_superseded = |row: &Row| row.status == MemoryStatus::Superseded;
    let members =
        app.memory
            .strand
            .catalog()
            .members(topic.as_str(), &asker.scopes(), is_superseded);
    if members.is_empty() {
        return Ok(None);
    }
    let failed = |error: StoreError| Refusal::of(error.kind(), &error);
    let snapshot = app.memory.strand.snapshot().map_err(failed)?;
    let mut living: Vec<MemoryNumber> = Vec::new();
    for memory in app.memory.strand.memories(&members).map_err(failed)? {
        let successor = Strand::living(&snapshot, &memory.id).map_err(failed)?;
        let number = successor
            .filter(|successor| successor.status == MemoryStatus::Active)
            .map(|one| one.number);
        living.extend(number.filter(|number| !living.contains(number)));
    }
    if living.is_empty() {
        return Ok(None);
    }
    living.truncate(SUCCESSORS_MAX);
    let memories = Told::indexed(app, &living, asker)?;
    living.truncate(memories.len());
    shown::note(app, asker, as_shown, &living);
    let note = format!(
        "every memory of topic {topic} was superseded: shown is what took their place; read one by its handle, or restore \
         the topic"
    );
    let total = u32::try_from(living.len()).unwrap_or(u32::MAX);
    Ok(Some(Answer {
        memories,
        total,
        notes: vec![note],
        ..Answer::default()
    }))
}

/// Says of a topic, named in full, that every memory it had here is forgotten.
fn forgotten_topic(app: &App, reference: &str, asker: &Asker) -> Result<Option<Refusal>, Refusal> {
    let catalog = app.memory.strand.catalog();
    let mut members = catalog.members(reference, &asker.scopes(), |_| true);
    let is_forgotten = |number: &MemoryNumber| {
        catalog
            .row(*number)
            .is_some_and(|row| row.status == MemoryStatus::Forgotten)
    };
    if members.is_empty() || !members.iter().all(is_forgotten) {
        return Ok(None);
    }
    drop(catalog);
    let count = members.len();
    members.truncate(CANDIDATES_MAX);
    let memories = app.memory.strand.memories(&members)?;
    let handles: Vec<&str> = memories
        .iter()
        .map(|memory| memory.handle.as_str())
        .collect();
    let more = if count > handles.len() { ", …" } else { "" };
    Ok(Some(Refusal::not_found(format!(
        "every memory of topic {reference} is forgotten; read one by its handle: {}{more}",
        handles.join(", ")
    ))))
}

/// Says which memories a reference fits.
pub(crate) fn ambiguous(
    app: &App,
    reference: &str,
    numbers: &[MemoryNumber],
) -> Result<Refusal, Refusal> {
    let memories = app.memory.strand.memories(numbers)?;
    let handles: Vec<&str> = memories
        .iter()
        .map(|memory| memory.handle.as_str())
        .collect();
    let message = format!(
        "{} fits several memories: {}; name one of them",
        quoted(reference),
        handles.join(", ")
    );
    Ok(Refusal::of(ErrorKind::Invalid, &message))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_read_names_one_part_of_a_topic() {
        let part = |index, match_text: &str| {
            Part::of(&Wanted {
                index,
                match_text: match_text.to_owned(),
                ..Wanted::default()
            })
        };
        assert!(matches!(part(None, "").unwrap(), Part::Whole));
        assert!(matches!(part(Some(3), "").unwrap(), Part::At(3)));
        assert!(matches!(part(None, "ARM64").unwrap(), Part::With(text) if text == "arm64"));
        assert_eq!(
            part(Some(3), "x").err().map(|status| status.kind()),
            Some(ErrorKind::Invalid)
        );
    }
}
