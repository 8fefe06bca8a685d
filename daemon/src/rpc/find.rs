//! `Read` and `Forget`: finding what a reference means.

mod several;

use std::collections::HashSet;
use std::sync::Arc;

use helix_engine::index::catalog::Row;
use helix_engine::model::{Memory, MemoryId, MemoryNumber, Status as MemoryStatus, Topic};
use helix_engine::neutral::quoted;
use helix_engine::policy::edit::{ATTRIBUTE_SUPERSEDED_BY, Edit};
use helix_engine::recall::{Leaf, Mode, Retriever, Search};
use helix_engine::store::StoreError;
use helix_engine::strand::{Request, Resolution, Strand};
use helix_engine::{error::ErrorKind, index::filter::Filter};
use helix_proto::v1;
use tonic::Status;

use super::limit::Limit;
use super::{convert, edit, off_thread, patterns, shown, topics};
use crate::runtime::{Asker, Runtime};

/// Memories of a topic that one read returns.
const TOPIC_READ: Limit = Limit { default: 500, max: 500 };

/// Texts that one reply carries, in bytes: well below a message's limit, with room for everything else.
const REPLY_TEXT_MAX_BYTES: usize = 12 * 1024 * 1024;

/// Memories shown that took the place of a topic's.
const SUCCESSORS_MAX: usize = 50;

/// Candidates shown for words that may mean several memories.
const CANDIDATES_MAX: usize = 5;

/// The first handles of memories, and a mark where there are more.
pub(super) fn some_handles(
    runtime: &Runtime,
    numbers: impl ExactSizeIterator<Item = MemoryNumber>,
    most: usize,
) -> Result<String, Status> {
    let more = if numbers.len() > most { ", …" } else { "" };
    let some: Vec<MemoryNumber> = numbers.take(most).collect();
    let memories = runtime.app.memory.strand.memories(&some).map_err(|error| convert::status(error.kind(), &error))?;
    let handles: Vec<&str> = memories.iter().map(|memory| memory.handle.as_str()).collect();
    Ok(handles.join(", ") + more)
}

/// Reads one memory or a topic.
pub(super) fn read(runtime: &Runtime, request: &v1::ReadRequest) -> Result<v1::ReadReply, Status> {
    let asker = runtime.asker(request.caller.as_ref());
    if !request.references.is_empty() {
        return several::read(runtime, request, &asker);
    }
    let reference = request.reference.trim();
    patterns::refuse(runtime, &asker, reference, "reading")?;
    if let Some(status) = forgotten_topic(runtime, reference, &asker)? {
        return Err(status);
    }
    let resolved = resolve(runtime, reference, &asker)?;
    let part = Part::of(request)?;
    if let (Resolution::One(number), Part::Whole) = (&resolved, &part) {
        return one(runtime, *number, &asker, request.shown());
    }
    if let Some(reply) = topic(runtime, request, &part, &asker)? {
        return Ok(reply);
    }
    if !matches!(resolved, Resolution::One(_))
        && let Some(reply) = successors(runtime, reference, &asker, request.shown())?
    {
        return Ok(reply);
    }
    let moved = || {
        let topic = reference.rsplit_once(':').map_or(reference, |(topic, _)| topic);
        topics::moved_away(runtime, topic, &asker.scopes()).map(Status::not_found)
    };
    match resolved {
        Resolution::One(number) => one(runtime, number, &asker, request.shown()),
        Resolution::Several(numbers) => Err(moved().map_or_else(|| ambiguous(runtime, reference, &numbers), Ok)?),
        Resolution::None => Err(moved().unwrap_or_else(|| {
            Status::not_found(format!(
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
    fn of(request: &v1::ReadRequest) -> Result<Self, Status> {
        match (request.index, request.match_text.as_str()) {
            (None, "") => Ok(Self::Whole),
            (Some(index), "") => Ok(Self::At(index)),
            (None, text) => Ok(Self::With(text.to_lowercase())),
            (Some(_), _) => Err(Status::invalid_argument("give an index or a text to match, not both")),
        }
    }
}

/// Forgets one memory, or returns candidates when it is not clear which.
pub(super) async fn forget(runtime: &Arc<Runtime>, request: v1::ForgetRequest) -> Result<v1::ForgetReply, Status> {
    let target = off_thread(runtime, move |runtime| {
        let asker = runtime.asker(request.caller.as_ref());
        let target = target(runtime, request.reference.trim(), &asker)?;
        if let Target::Memory(number) = target {
            let found = runtime.app.memory.strand.memories(&[number]);
            let found = found.map_err(|error| convert::status(error.kind(), &error))?;
            found.iter().try_for_each(|memory| edit::check_seen(memory, &asker))?;
        }
        Ok((target, asker))
    });
    let (target, asker) = target.await?;
    let number = match target {
        Target::Memory(number) => number,
        Target::Candidates(candidates) => return Ok(v1::ForgetReply { candidates, ..v1::ForgetReply::default() }),
    };
    let write = Request::Edit { number, edit: Edit::Forget, expected: None, actor: asker.actor, at: runtime.now() };
    let edited = edit::write(runtime, write).await?;
    off_thread(runtime, move |runtime| {
        let forgotten = edited.memories.first().map(|memory| to_wire(runtime, memory));
        Ok(v1::ForgetReply { forgotten, candidates: Vec::new(), was_forgotten: edited.changed == 0 })
    })
    .await
}

/// Whether a memory is written for the wire with the names of others, which are read from the disk.
pub(super) fn names_others(memory: &Memory) -> bool {
    !memory.links.is_empty() || successor_of(memory).is_some()
}

fn successor_of(memory: &Memory) -> Option<&String> {
    memory.attributes.get(ATTRIBUTE_SUPERSEDED_BY).filter(|_| memory.status == MemoryStatus::Superseded)
}

/// Writes a memory for the wire, with the handles of what it links to. May read the disk: call it off the async threads.
pub(super) fn to_wire(runtime: &Runtime, memory: &Memory) -> v1::Memory {
    let successor = successor_of(memory);
    let snapshot = if names_others(memory) { runtime.app.memory.strand.snapshot().ok() } else { None };
    // A link to what was superseded leads to what took its place.
    let living = |id: &MemoryId| Strand::living(snapshot.as_ref()?, id).ok()?;
    let name = |id: &MemoryId| living(id).map_or_else(|| id.to_string(), |memory| memory.handle.as_str().to_owned());
    let superseded_by = successor.and_then(|_| living(&memory.id)).filter(|living| living.id != memory.id);
    let mut wire = convert::memory(memory, name);
    let mut seen = HashSet::new();
    wire.links.retain(|link| seen.insert(link.clone()));
    wire.superseded_by = superseded_by.map(|living| living.handle.as_str().to_owned()).unwrap_or_default();
    wire
}

enum Target {
    Memory(MemoryNumber),
    Candidates(Vec<v1::Memory>),
}

fn target(runtime: &Runtime, reference: &str, asker: &Asker) -> Result<Target, Status> {
    if !reference.contains(char::is_whitespace) {
        patterns::refuse(runtime, asker, reference, "forgetting")?;
    }
    match resolve(runtime, reference, asker)? {
        Resolution::One(number) => Ok(Target::Memory(number)),
        Resolution::Several(numbers) => Ok(Target::Candidates(wire_all(runtime, &numbers)?)),
        Resolution::None => by_words(runtime, reference, asker),
    }
}

/// Words never act, however few memories they match: they show which ones could be meant.
fn by_words(runtime: &Runtime, words: &str, asker: &Asker) -> Result<Target, Status> {
    let search = Search {
        words: words.to_owned(),
        vector: None,
        filter: Filter { scopes: asker.scopes(), ..Filter::default() },
        limit: CANDIDATES_MAX,
        mode: Mode::All,
        retriever: Retriever::Words,
        now: runtime.now(),
    };
    let found = runtime.app.memory.strand.search(&search).map_err(|error| convert::status(error.kind(), &error))?;
    if words.is_empty() || found.hits.is_empty() {
        let message = format!("nothing here is called {} or has these words; search for it first", quoted(words));
        return Err(Status::not_found(message));
    }
    Ok(Target::Candidates(found.hits.iter().map(|hit| to_wire(runtime, &hit.memory)).collect()))
}

pub(super) fn resolve(runtime: &Runtime, reference: &str, asker: &Asker) -> Result<Resolution, Status> {
    let resolved = runtime.app.memory.strand.resolve(reference, &asker.scopes());
    resolved.map_err(|error| convert::status(error.kind(), &error))
}

fn one(
    runtime: &Runtime,
    number: MemoryNumber,
    asker: &Asker,
    as_shown: v1::TextShown,
) -> Result<v1::ReadReply, Status> {
    runtime.app.memory.strand.catalog_touch(&[number], runtime.now());
    helix_app::hook::follow(&runtime.app, number);
    shown::note(runtime, asker, as_shown, &[number]);
    let memories = wire_indexed(runtime, &[number], asker)?;
    Ok(v1::ReadReply { memories, total: 1, ..v1::ReadReply::default() })
}

fn topic(
    runtime: &Runtime,
    request: &v1::ReadRequest,
    part: &Part,
    asker: &Asker,
) -> Result<Option<v1::ReadReply>, Status> {
    let limit = TOPIC_READ.read(request.limit)?;
    let Ok(topic) = Topic::parse(request.reference.trim()) else { return Ok(None) };
    let members = runtime.app.memory.strand.topic_members(topic.as_str(), &asker.scopes());
    if members.is_empty() {
        return Ok(None);
    }
    let total = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let mut chosen: Vec<MemoryNumber> = match part {
        Part::Whole => members,
        Part::At(index) => vec![*members.get(*index as usize).ok_or_else(|| {
            let noun = if total == 1 { "memory" } else { "memories" };
            Status::not_found(format!("topic {topic} has {total} {noun}, so its last index is {}", total - 1))
        })?],
        Part::With(text) => with_text(runtime, &members, text)?,
    };
    let matching = if matches!(part, Part::With(_)) { u32::try_from(chosen.len()).unwrap_or(u32::MAX) } else { 0 };
    let question = [topic.as_str(), request.match_text.as_str()];
    if !request.cursor.is_empty() {
        let leaf = Leaf::parse(&request.cursor, &question).map_err(|error| convert::status(error.kind(), &error))?;
        chosen.retain(|number| *number > leaf.behind);
    }
    let rest = chosen.split_off(chosen.len().min(limit));
    let memories = wire_indexed(runtime, &chosen, asker)?;
    let has_more = !rest.is_empty() || memories.len() < chosen.len();
    chosen.truncate(memories.len());
    shown::note(runtime, asker, request.shown(), &chosen);
    let next = chosen.last().filter(|_| has_more).map(|last| Leaf::new(*last, &question).to_string());
    Ok(Some(v1::ReadReply {
        memories,
        topic: topic.as_str().to_owned(),
        total,
        matching,
        next_cursor: next.unwrap_or_default(),
        ..v1::ReadReply::default()
    }))
}

/// Keeps the memories whose text has this, whatever its case.
fn with_text(runtime: &Runtime, numbers: &[MemoryNumber], text: &str) -> Result<Vec<MemoryNumber>, Status> {
    let memories =
        runtime.app.memory.strand.memories(numbers).map_err(|error| convert::status(error.kind(), &error))?;
    let matching = memories.iter().filter(|memory| memory.text.to_lowercase().contains(text));
    Ok(matching.map(|memory| memory.number).collect())
}

/// What took the place of a topic's memories, where none of them is active any more; `None` where none was superseded.
fn successors(
    runtime: &Runtime,
    reference: &str,
    asker: &Asker,
    as_shown: v1::TextShown,
) -> Result<Option<v1::ReadReply>, Status> {
    let Ok(topic) = Topic::parse(reference) else { return Ok(None) };
    let is_superseded = |row: &Row| row.status == MemoryStatus::Superseded;
    let members = runtime.app.memory.strand.catalog().members(topic.as_str(), &asker.scopes(), is_superseded);
    if members.is_empty() {
        return Ok(None);
    }
    let failed = |error: StoreError| convert::status(error.kind(), &error);
    let snapshot = runtime.app.memory.strand.snapshot().map_err(failed)?;
    let mut living: Vec<MemoryNumber> = Vec::new();
    for memory in runtime.app.memory.strand.memories(&members).map_err(failed)? {
        let successor = Strand::living(&snapshot, &memory.id).map_err(failed)?;
        let number = successor.filter(|successor| successor.status == MemoryStatus::Active).map(|one| one.number);
        living.extend(number.filter(|number| !living.contains(number)));
    }
    if living.is_empty() {
        return Ok(None);
    }
    living.truncate(SUCCESSORS_MAX);
    let memories = wire_indexed(runtime, &living, asker)?;
    living.truncate(memories.len());
    shown::note(runtime, asker, as_shown, &living);
    let note = format!(
        "every memory of topic {topic} was superseded: shown is what took their place; read one by its handle, or restore \
         the topic"
    );
    let total = u32::try_from(living.len()).unwrap_or(u32::MAX);
    Ok(Some(v1::ReadReply { memories, total, notes: vec![note], ..v1::ReadReply::default() }))
}

/// Says of a topic, named in full, that every memory it had here is forgotten.
fn forgotten_topic(runtime: &Runtime, reference: &str, asker: &Asker) -> Result<Option<Status>, Status> {
    let catalog = runtime.app.memory.strand.catalog();
    let mut members = catalog.members(reference, &asker.scopes(), |_| true);
    let is_forgotten =
        |number: &MemoryNumber| catalog.row(*number).is_some_and(|row| row.status == MemoryStatus::Forgotten);
    if members.is_empty() || !members.iter().all(is_forgotten) {
        return Ok(None);
    }
    drop(catalog);
    let count = members.len();
    members.truncate(CANDIDATES_MAX);
    let memories =
        runtime.app.memory.strand.memories(&members).map_err(|error| convert::status(error.kind(), &error))?;
    let handles: Vec<&str> = memories.iter().map(|memory| memory.handle.as_str()).collect();
    let more = if count > handles.len() { ", …" } else { "" };
    Ok(Some(Status::not_found(format!(
        "every memory of topic {reference} is forgotten; read one by its handle: {}{more}",
        handles.join(", ")
    ))))
}

fn ambiguous(runtime: &Runtime, reference: &str, numbers: &[MemoryNumber]) -> Result<Status, Status> {
    let memories =
        runtime.app.memory.strand.memories(numbers).map_err(|error| convert::status(error.kind(), &error))?;
    let handles: Vec<&str> = memories.iter().map(|memory| memory.handle.as_str()).collect();
    let message = format!("{} fits several memories: {}; name one of them", quoted(reference), handles.join(", "));
    Ok(convert::status(ErrorKind::Invalid, &message))
}

/// Writes memories with their places in their topics, as the asker counts them; as many as fit into one reply.
pub(super) fn wire_indexed(
    runtime: &Runtime,
    numbers: &[MemoryNumber],
    asker: &Asker,
) -> Result<Vec<v1::Memory>, Status> {
    let positions = runtime.app.memory.strand.positions(numbers, &asker.scopes());
    let memories =
        runtime.app.memory.strand.memories(numbers).map_err(|error| convert::status(error.kind(), &error))?;
    let mut left = REPLY_TEXT_MAX_BYTES;
    let fitting = memories.iter().take_while(|memory| match left.checked_sub(memory.text.len()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    let wire =
        |memory: &Memory| v1::Memory { index: positions.get(&memory.number).copied(), ..to_wire(runtime, memory) };
    Ok(fitting.map(wire).collect())
}

pub(super) fn wire_all(runtime: &Runtime, numbers: &[MemoryNumber]) -> Result<Vec<v1::Memory>, Status> {
    let memories =
        runtime.app.memory.strand.memories(numbers).map_err(|error| convert::status(error.kind(), &error))?;
    Ok(memories.iter().map(|memory| to_wire(runtime, memory)).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_read_names_one_part_of_a_topic() {
        let part = |index, match_text: &str| {
            Part::of(&v1::ReadRequest { index, match_text: match_text.to_owned(), ..v1::ReadRequest::default() })
        };
        assert!(matches!(part(None, "").unwrap(), Part::Whole));
        assert!(matches!(part(Some(3), "").unwrap(), Part::At(3)));
        assert!(matches!(part(None, "ARM64").unwrap(), Part::With(text) if text == "arm64"));
        assert_eq!(part(Some(3), "x").err().map(|status| status.code()), Some(tonic::Code::InvalidArgument));
    }
}
