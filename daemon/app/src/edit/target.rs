//! Which memory an edit means.

use helix_engine::Resolution;
use helix_memory::{MemoryNumber, Status as Life, Tags, Topic};
use helix_neutral::quoted;

use super::{Target, gone, name};
use crate::{App, Asker, Refusal, find, patterns, topics};

/// Candidates shown when several memories could be meant.
const CANDIDATES_MAX: usize = 10;

/// The meaning of a topic that is named alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bare {
    /// Its newest memory.
    Newest,
    /// Its memory, when it has one only.
    Only,
    /// Its deleted memories.
    Deleted,
}

/// The meaning of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Exactly this.
    One(MemoryNumber),
    /// One of several.
    Several(Several),
}

/// Memories of which one could be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Several {
    /// The first of them.
    pub(super) shown: Vec<MemoryNumber>,
    /// How many there are.
    pub(super) total: usize,
}

impl Several {
    fn first_of(numbers: impl ExactSizeIterator<Item = MemoryNumber>) -> Choice {
        let total = numbers.len();
        Choice::Several(Self {
            shown: numbers.take(CANDIDATES_MAX).collect(),
            total,
        })
    }
}

/// Finds the memory that a target means, and what the caller should know about it.
pub(super) fn choose(
    app: &App,
    asker: &Asker,
    target: &Target,
    bare: Bare,
) -> Result<(Choice, Vec<String>), Refusal> {
    let reference = target.reference.trim();
    if reference.is_empty() {
        return Err(Refusal::invalid(
            "no memory is named; give a handle, an id, `topic:index` or a topic",
        ));
    }
    patterns::refuse(app, asker, reference, "this edit")?;
    let selectors = [
        target.index.is_some(),
        !target.match_text.is_empty(),
        !target.tag.is_empty(),
    ]
    .iter()
    .filter(|is| **is)
    .count();
    let mut warnings = Vec::new();
    match selectors {
        0 => {}
        1 => {
            refuse_memory(app, asker, reference)?;
            let topic = name::parse(reference, &mut warnings)?;
            if bare != Bare::Deleted {
                gone::refuse(app, asker, &topic)?;
            }
            let members = if bare == Bare::Deleted {
                deleted(app, asker, &topic)
            } else {
                app.memory
                    .strand
                    .topic_members(topic.as_str(), &asker.scopes())
            };
            let choice = selected(app, &topic, &members, target, bare);
            return choice.map(|choice| (choice, warnings));
        }
        _ => {
            return Err(Refusal::invalid(
                "give only one of an index, a text to match and a tag",
            ));
        }
    }
    // A topic's name is also the beginning of its memories' handles; what looks like a handle or an
    // index is one.
    let looks_like_memory = reference.contains(['/', ':']);
    if bare == Bare::Deleted && !looks_like_memory {
        if let Some(choice) = of_deleted(app, asker, reference)? {
            return Ok((choice, warnings));
        }
        return Ok((named(app, asker, reference, bare)?, warnings));
    }
    if !looks_like_memory
        && let Some(choice) = of_topic(app, asker, reference, bare, &mut warnings)?
    {
        return Ok((choice, warnings));
    }
    let choice = named(app, asker, reference, bare)?;
    Ok((choice, warnings))
}

/// Returns whether a target says a place in a topic, which means another memory once one before it
/// is gone.
pub(super) fn is_place(target: &Target) -> bool {
    target.index.is_some() || says_place(&target.reference)
}

fn says_place(reference: &str) -> bool {
    let place = reference
        .trim()
        .rsplit_once(':')
        .filter(|(topic, _)| !topic.contains('/'));
    place.is_some_and(|(_, index)| index.parse::<u32>().is_ok())
}

/// Returns whether a name means a memory rather than a topic: a place, or what has the form of a
/// handle and is one.
pub(super) fn names_memory(app: &App, asker: &Asker, name: &str) -> Result<bool, Refusal> {
    let looks_like_memory = name.contains(['/', ':']);
    Ok(says_place(name)
        || (looks_like_memory && find::resolve(app, name.trim(), asker)? != Resolution::None))
}

/// Refuses the name of a memory where one of a topic is picked.
fn refuse_memory(app: &App, asker: &Asker, reference: &str) -> Result<(), Refusal> {
    if !names_memory(app, asker, reference)? {
        return Ok(());
    }
    Err(Refusal::invalid(format!(
        "{} names a memory already, and an index, a text to match or a tag picks one of a topic; leave that out, or give the \
         topic's name alone",
        quoted(reference)
    )))
}

/// The memory of a topic that the target's one selector picks.
fn selected(
    app: &App,
    topic: &Topic,
    members: &[MemoryNumber],
    target: &Target,
    bare: Bare,
) -> Result<Choice, Refusal> {
    let Some(last) = members.len().checked_sub(1) else {
        if bare == Bare::Deleted {
            return Err(none_deleted(topic));
        }
        return Err(Refusal::not_found(format!(
            "topic {topic} has no memory here; list the topics for their names"
        )));
    };
    if let Some(index) = target.index {
        let missing = || {
            Refusal::not_found(format!(
                "topic {topic} has no index {index}; its last one is {last}"
            ))
        };
        return members
            .get(index as usize)
            .copied()
            .map(Choice::One)
            .ok_or_else(missing);
    }
    if target.tag.is_empty() {
        return by_text(app, topic, members, &target.match_text);
    }
    let missing = || {
        Refusal::not_found(format!(
            "no memory of topic {topic} has the tag {}; read the topic",
            quoted(&target.tag)
        ))
    };
    let tag = Tags::normalise_one(&target.tag).ok_or_else(missing)?;
    for &number in members.iter().rev() {
        let found = app.memory.strand.memories(&[number])?;
        if found.iter().any(|memory| memory.tags.contains(&tag)) {
            return Ok(Choice::One(number));
        }
    }
    Err(missing())
}

/// Lists the deleted memories of a topic, in the order in which they were recorded. Without any,
/// what else went out of use.
fn deleted(app: &App, asker: &Asker, topic: &Topic) -> Vec<MemoryNumber> {
    let (catalog, scopes) = (app.memory.strand.catalog(), asker.scopes());
    let members = |is_wanted: fn(Life) -> bool| {
        catalog.members(topic.as_str(), &scopes, |row| is_wanted(row.status))
    };
    let forgotten = members(|status| matches!(status, Life::Forgotten | Life::Pruned));
    if forgotten.is_empty() {
        members(|status| matches!(status, Life::Superseded | Life::Archived))
    } else {
        forgotten
    }
}

/// Returns the memories to restore of a topic that is named alone; `None` when there is no such
/// topic.
fn of_deleted(app: &App, asker: &Asker, reference: &str) -> Result<Option<Choice>, Refusal> {
    let Ok(topic) = Topic::parse(reference) else {
        return Ok(None);
    };
    match deleted(app, asker, &topic).as_slice() {
        [] if app
            .memory
            .strand
            .topic_members(topic.as_str(), &asker.scopes())
            .is_empty() =>
        {
            let moved = topics::moved_away(app, topic.as_str(), &asker.scopes());
            moved.map_or(Ok(None), |moved| Err(Refusal::not_found(moved)))
        }
        [] => Err(none_deleted(&topic)),
        [one] => Ok(Some(Choice::One(*one))),
        several => Ok(Some(Several::first_of(several.iter().rev().copied()))),
    }
}

fn none_deleted(topic: &Topic) -> Refusal {
    Refusal::not_found(format!(
        "no memory of topic {topic} is deleted here, so there is nothing to restore"
    ))
}

fn by_text(
    app: &App,
    topic: &Topic,
    members: &[MemoryNumber],
    wanted: &str,
) -> Result<Choice, Refusal> {
    let wanted_lower = wanted.to_lowercase();
    let snapshot = app.memory.strand.snapshot()?;
    let mut matching = Vec::new();
    for &number in members {
        let memory = snapshot.memory(number)?;
        if memory.is_some_and(|memory| memory.text.to_lowercase().contains(&wanted_lower)) {
            matching.push(number);
        }
    }
    match matching.as_slice() {
        [] => Err(Refusal::not_found(format!(
            "no memory of topic {topic} contains {}; read the topic",
            quoted(wanted)
        ))),
        [one] => Ok(Choice::One(*one)),
        _ => Ok(Several::first_of(matching.into_iter())),
    }
}

/// Reads a topic named alone; `None` when there is no such topic, or nothing of it is active.
fn of_topic(
    app: &App,
    asker: &Asker,
    reference: &str,
    bare: Bare,
    warnings: &mut Vec<String>,
) -> Result<Option<Choice>, Refusal> {
    let Ok(topic) = Topic::parse(reference) else {
        return Ok(None);
    };
    let members = app
        .memory
        .strand
        .topic_members(topic.as_str(), &asker.scopes());
    if members.is_empty() {
        gone::refuse(app, asker, &topic)?;
    }
    Ok(match (members.as_slice(), bare) {
        ([], _) | (_, Bare::Deleted) => None,
        ([one], _) => Some(Choice::One(*one)),
        ([.., newest], Bare::Newest) => {
            warnings.push(format!(
                "the newest of {} memories of topic {topic} was meant",
                members.len()
            ));
            Some(Choice::One(*newest))
        }
        (_, Bare::Only) => {
            warnings.push(format!(
                "topic {topic} has {} memories; name one by handle or index",
                members.len()
            ));
            Some(Several::first_of(members.into_iter().rev()))
        }
    })
}

fn named(app: &App, asker: &Asker, reference: &str, bare: Bare) -> Result<Choice, Refusal> {
    let nothing = || {
        Refusal::not_found(format!(
            "nothing is called {} here; give a handle, an id, `topic:index` or a topic, or search for it",
            quoted(reference)
        ))
    };
    match find::resolve(app, reference, asker)? {
        Resolution::One(number) => Ok(Choice::One(number)),
        Resolution::None => Err(nothing()),
        Resolution::Several(mut numbers) => {
            let catalog = app.memory.strand.catalog();
            let scopes = catalog.scope_numbers(&asker.scopes());
            numbers.retain(|&number| catalog.row(number).is_some_and(|row| row.is_in(&scopes)));
            drop(catalog);
            if numbers.is_empty() {
                return Err(nothing());
            }
            if bare != Bare::Deleted {
                gone::refuse_all(app, reference, &numbers)?;
            }
            Ok(Several::first_of(numbers.into_iter()))
        }
    }
}
