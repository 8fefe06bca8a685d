//! `ListTopics`, `Recent`, `Prune`, `CrossReferences`, `Graph`: the strand by its topics.

use helix_engine::error::ErrorKind;
use helix_engine::model::{MemoryNumber, Scope, Timestamp, Topic, TopicPattern};
use helix_engine::neutral::quoted;
use helix_engine::strand::{CrossReference, Since};
use helix_proto::limits::SEARCH_LIMIT_MAX;
use helix_proto::v1;
use tonic::Status;

use super::limit::Limit;
use super::{convert, find, patterns, scopes};
use crate::runtime::Runtime;

/// Memories of a `Recent`.
const RECENT_LIMIT: Limit = Limit { default: 50, max: SEARCH_LIMIT_MAX };

/// Days of a `Prune` that names none.
const PRUNE_DAYS_DEFAULT: u32 = 30;

/// Topics that are named where memories went to several.
const MOVED_TO_MAX: usize = 3;

/// Microseconds of a day.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Lists the topics.
pub(super) fn list(runtime: &Runtime, request: &v1::ListTopicsRequest) -> Result<v1::ListTopicsReply, Status> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    let pattern = pattern(&request.pattern)?;
    let topics = runtime.app.memory.strand.topics(&scopes, pattern.as_ref());
    let topics = topics.map_err(|error| convert::status(error.kind(), &error))?;
    Ok(v1::ListTopicsReply { topics: topics.into_iter().map(convert::topic_entry).collect() })
}

/// Lists the newest memories.
pub(super) fn recent(runtime: &Runtime, request: &v1::RecentRequest) -> Result<v1::RecentReply, Status> {
    let limit = RECENT_LIMIT.read(request.limit)?;
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    let since = Since { after: Timestamp::from_micros(request.after_us), now: runtime.now() };
    let found = runtime.app.memory.strand.recent(&scopes, since, limit);
    Ok(v1::RecentReply {
        memories: find::wire_indexed(runtime, &found.numbers, &asker)?,
        total: u32::try_from(found.total).unwrap_or(u32::MAX),
    })
}

/// Lists the topics that were left alone.
pub(super) fn prune(runtime: &Runtime, request: &v1::PruneRequest) -> Result<v1::PruneReply, Status> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    let days = if request.days == 0 { PRUNE_DAYS_DEFAULT } else { request.days };
    let since = runtime.now().as_micros().saturating_sub(i64::from(days).saturating_mul(DAY_MICROS));
    let topics = runtime.app.memory.strand.idle_topics(&scopes, Timestamp::from_micros(since));
    let topics = topics.map_err(|error| convert::status(error.kind(), &error))?;
    Ok(v1::PruneReply { topics: topics.into_iter().map(convert::topic_entry).collect(), days })
}

/// Lists the memories that refer to a topic.
pub(super) fn cross_references(
    runtime: &Runtime,
    request: &v1::CrossReferencesRequest,
) -> Result<v1::CrossReferencesReply, Status> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    patterns::refuse(runtime, &asker, &request.topic, "xref")?;
    let topic = Topic::parse(&request.topic).map_err(|error| convert::status(ErrorKind::Invalid, &error))?;
    let found = runtime.app.memory.strand.cross_references(topic.as_str(), &scopes);
    let found = found.map_err(|error| convert::status(error.kind(), &error))?;
    if found.is_empty() {
        let is_there = require(runtime, &topic, &scopes);
        is_there.map_err(|status| memory_named(&request.topic).unwrap_or(status))?;
    }
    let numbers: Vec<MemoryNumber> = found.iter().map(|reference| reference.number).collect();
    let memories = find::wire_indexed(runtime, &numbers, &asker)?;
    let reference =
        |(memory, CrossReference { mentions, links, .. })| v1::CrossReference { memory: Some(memory), mentions, links };
    Ok(v1::CrossReferencesReply { references: memories.into_iter().zip(found).map(reference).collect() })
}

/// Says how the topics refer to each other.
pub(super) fn graph(runtime: &Runtime, request: &v1::GraphRequest) -> Result<v1::GraphReply, Status> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::filtered(&asker, &request.scopes)?;
    let focus = pattern(&request.focus)?;
    let graph = runtime.app.memory.strand.topic_graph(&scopes, focus.as_ref());
    let graph = graph.map_err(|error| convert::status(error.kind(), &error))?;
    Ok(v1::GraphReply {
        edges: graph.edges.into_iter().map(convert::topic_edge).collect(),
        topics: graph.topics.into_iter().map(convert::topic_entry).collect(),
    })
}

fn pattern(text: &str) -> Result<Option<TopicPattern>, Status> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let pattern = TopicPattern::parse(text).map_err(|error| convert::status(ErrorKind::Invalid, &error))?;
    Ok(Some(pattern))
}

/// What to say where an unknown topic is the place or the handle of a memory; `None` for other names.
pub(super) fn memory_named(name: &str) -> Option<Status> {
    let of_place = || name.rsplit_once(':').filter(|(_, index)| index.parse::<u32>().is_ok());
    let (topic, _) = name.split_once('/').or_else(of_place)?;
    let (name, topic) = (quoted(name), quoted(topic));
    let message = format!("{name} names a memory and no topic; give the topic, such as {topic}, or read the memory");
    Some(Status::invalid_argument(message))
}

/// What to say of a topic whose memories were all moved elsewhere, by a merge or a new name; `None` for any other.
pub(super) fn moved_away(runtime: &Runtime, name: &str, scopes: &[Scope]) -> Option<String> {
    let topic = Topic::parse(name).ok()?;
    if !runtime.app.memory.strand.topic_members(topic.as_str(), scopes).is_empty() {
        return None;
    }
    // That it cannot be told is no reason to fail otherwise than without it.
    let there = runtime.app.memory.strand.went_to(&topic, scopes).ok().filter(|there| !there.is_empty())?;
    let named = there.get(..MOVED_TO_MAX).unwrap_or(&there).join(", ");
    let more = if there.len() > MOVED_TO_MAX { " and others" } else { "" };
    Some(format!("topic {topic} has no memory any more: they are in {named}{more} now"))
}

/// Refuses a topic that is not there: nothing found of it would look like an answer.
pub(super) fn require(runtime: &Runtime, topic: &Topic, scopes: &[Scope]) -> Result<(), Status> {
    let topics =
        runtime.app.memory.strand.topics(scopes, None).map_err(|error| convert::status(error.kind(), &error))?;
    if topics.iter().any(|entry| entry.name == topic.as_str()) {
        return Ok(());
    }
    let unknown = || format!("there is no topic {topic} here; list the topics for their names");
    Err(Status::not_found(moved_away(runtime, topic.as_str(), scopes).unwrap_or_else(unknown)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tonic::Code;

    use super::*;

    #[test]
    fn patterns_are_optional_and_checked() {
        assert!(pattern(" ").unwrap().is_none());
        assert!(pattern("iris-*").unwrap().unwrap().matches("iris-engine"));
        assert_eq!(pattern("!!").unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_memory_is_no_topic() {
        for name in ["stl:0", "stl/sort-first"] {
            assert!(memory_named(name).is_some_and(|said| said.message().contains("such as \"stl\"")), "{name}");
        }
        assert!(memory_named("stl").is_none() && memory_named("std::fs").is_none());
    }
}
