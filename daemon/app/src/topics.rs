//! `ListTopics`, `Recent`, `Prune`, `CrossReferences`, `Graph`: the strand by its topics.

use helix_engine::{CrossReference, Since, TopicEntry, TopicGraph};
use helix_memory::{ErrorKind, MemoryNumber, Scope, Timestamp, Topic, TopicPattern};
use helix_neutral::quoted;
use helix_proto::limits::SEARCH_LIMIT_MAX;

use crate::limit::Limit;
use crate::told::{self, Told};
use crate::{App, Asker, Refusal};
use crate::{patterns, scopes};

/// Memories of a `Recent`.
const RECENT_LIMIT: Limit = Limit {
    default: 50,
    max: SEARCH_LIMIT_MAX,
};

/// Days of a `Prune` that names none.
const PRUNE_DAYS_DEFAULT: u32 = 30;

/// Topics that are named where memories went to several.
const MOVED_TO_MAX: usize = 3;

/// Microseconds of a day.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Lists the topics.
///
/// # Errors
/// When the scopes or the pattern cannot be read, or the disk fails.
pub fn list(
    app: &App,
    asker: &Asker,
    scopes: &[String],
    pattern: &str,
) -> Result<Vec<TopicEntry>, Refusal> {
    let scopes = scopes::filtered(asker, scopes)?;
    Ok(app
        .memory
        .strand
        .topics(&scopes, self::pattern(pattern)?.as_ref())?)
}

/// Lists the newest memories.
///
/// Returns them and how many there are; a `limit` of 0 is the usual one.
///
/// # Errors
/// When the scopes cannot be read, the limit is too large, or the disk fails.
pub fn recent(
    app: &App,
    asker: &Asker,
    scopes: &[String],
    after: Timestamp,
    limit: u32,
) -> Result<(Vec<Told>, usize), Refusal> {
    let limit = RECENT_LIMIT.read(limit)?;
    let scopes = scopes::filtered(asker, scopes)?;
    let found = app.memory.strand.recent(
        &scopes,
        Since {
            after,
            now: app.memory.now(),
        },
        limit,
    );
    let mut memories = Told::indexed(app, &found.numbers, asker)?;
    told::mark(app, asker, &mut memories);
    Ok((memories, found.total))
}

/// Lists the topics that were left alone.
///
/// Returns them and for how many days; 0 means the usual number.
///
/// # Errors
/// When the scopes cannot be read, or the disk fails.
pub fn prune(
    app: &App,
    asker: &Asker,
    scopes: &[String],
    days: u32,
) -> Result<(Vec<TopicEntry>, u32), Refusal> {
    let scopes = scopes::filtered(asker, scopes)?;
    let days = if days == 0 { PRUNE_DAYS_DEFAULT } else { days };
    let since = app
        .memory
        .now()
        .as_micros()
        .saturating_sub(i64::from(days).saturating_mul(DAY_MICROS));
    Ok((
        app.memory
            .strand
            .idle_topics(&scopes, Timestamp::from_micros(since))?,
        days,
    ))
}

/// Lists the memories that refer to a topic.
///
/// # Errors
/// When the scopes or the topic cannot be read, there is no such topic, or the disk fails.
pub fn cross_references(
    app: &App,
    asker: &Asker,
    scopes: &[String],
    name: &str,
) -> Result<Vec<(Told, CrossReference)>, Refusal> {
    let scopes = scopes::filtered(asker, scopes)?;
    patterns::refuse(app, asker, name, "xref")?;
    let topic = Topic::parse(name).map_err(|error| Refusal::of(ErrorKind::Invalid, &error))?;
    let found = app
        .memory
        .strand
        .cross_references(topic.as_str(), &scopes)?;
    if found.is_empty() {
        let is_there = require(app, &topic, &scopes);
        is_there.map_err(|refusal| memory_named(name).unwrap_or(refusal))?;
    }
    let numbers: Vec<MemoryNumber> = found.iter().map(|reference| reference.number).collect();
    let mut memories = Told::indexed(app, &numbers, asker)?;
    told::mark(app, asker, &mut memories);
    Ok(memories.into_iter().zip(found).collect())
}

/// Says how the topics refer to each other.
///
/// # Errors
/// When the scopes or the pattern cannot be read, or the disk fails.
pub fn graph(
    app: &App,
    asker: &Asker,
    scopes: &[String],
    focus: &str,
) -> Result<TopicGraph, Refusal> {
    let scopes = scopes::filtered(asker, scopes)?;
    Ok(app
        .memory
        .strand
        .topic_graph(&scopes, pattern(focus)?.as_ref())?)
}

fn pattern(text: &str) -> Result<Option<TopicPattern>, Refusal> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let pattern =
        TopicPattern::parse(text).map_err(|error| Refusal::of(ErrorKind::Invalid, &error))?;
    Ok(Some(pattern))
}

/// Explains that an unknown topic is the place or the handle of a memory; `None` for other names.
#[must_use]
pub fn memory_named(name: &str) -> Option<Refusal> {
    let of_place = || {
        name.rsplit_once(':')
            .filter(|(_, index)| index.parse::<u32>().is_ok())
    };
    let (topic, _) = name.split_once('/').or_else(of_place)?;
    let (name, topic) = (quoted(name), quoted(topic));
    let message = format!(
        "{name} names a memory and no topic; give the topic, such as {topic}, or read the memory"
    );
    Some(Refusal::invalid(message))
}

/// Explains that a topic's memories were all moved elsewhere, by a merge or a new name; `None` for
/// any other.
#[must_use]
pub fn moved_away(app: &App, name: &str, scopes: &[Scope]) -> Option<String> {
    let topic = Topic::parse(name).ok()?;
    if !app
        .memory
        .strand
        .topic_members(topic.as_str(), scopes)
        .is_empty()
    {
        return None;
    }
    // That it cannot be told is no reason to fail otherwise than without it.
    let there = app
        .memory
        .strand
        .went_to(&topic, scopes)
        .ok()
        .filter(|there| !there.is_empty())?;
    let named = there.get(..MOVED_TO_MAX).unwrap_or(&there).join(", ");
    let more = if there.len() > MOVED_TO_MAX {
        " and others"
    } else {
        ""
    };
    Some(format!(
        "topic {topic} has no memory any more: they are in {named}{more} now"
    ))
}

/// Refuses a topic that is not there: nothing found of it would look like an answer.
fn require(app: &App, topic: &Topic, scopes: &[Scope]) -> Result<(), Refusal> {
    let topics = app.memory.strand.topics(scopes, None)?;
    if topics.iter().any(|entry| entry.name == topic.as_str()) {
        return Ok(());
    }
    let unknown = || format!("there is no topic {topic} here; list the topics for their names");
    Err(Refusal::not_found(
        moved_away(app, topic.as_str(), scopes).unwrap_or_else(unknown),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn patterns_are_optional_and_checked() {
        assert!(pattern(" ").unwrap().is_none());
        assert!(pattern("iris-*").unwrap().unwrap().matches("iris-engine"));
        assert_eq!(pattern("!!").unwrap_err().kind(), ErrorKind::Invalid);
    }

    #[test]
    fn a_memory_is_no_topic() {
        for name in ["stl:0", "stl/sort-first"] {
            assert!(
                memory_named(name).is_some_and(|said| said.message().contains("such as \"stl\"")),
                "{name}"
            );
        }
        assert!(memory_named("stl").is_none() && memory_named("std::fs").is_none());
    }
}
