//! `Search`: parse, embed, recall.

use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_engine::index::lexical::{LexicalQuery, Mode as WordMode};
use helix_engine::model::MemoryNumber;
use helix_engine::recall::parse::{parse, resolve_scopes};
use helix_engine::recall::{Hit, Recalled, Retriever, Search};
use helix_engine::{error::ErrorKind, index::filter::Filter};
use helix_proto::limits::{QUERY_MAX_BYTES, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX};
use helix_proto::v1;
use tonic::Status;

use super::{convert, find, off_thread};
use crate::embedder::State;
use crate::project::Project;
use crate::runtime::Runtime;
use crate::sources::SEARCH_READ_MAX_BYTES;

/// How long a search waits for its query's vector; the embedder finishes a background batch first.
const EMBED_DEADLINE: Duration = Duration::from_secs(2);

/// A request made ready.
struct Prepared {
    search: Search,
    explain: bool,
    passive: bool,
    /// Whose files are looked at.
    project: Arc<Project>,
}

/// Searches.
pub(super) async fn search(runtime: &Arc<Runtime>, request: v1::SearchRequest) -> Result<v1::SearchReply, Status> {
    let started = Instant::now();
    let mut prepared = off_thread(runtime, move |runtime| prepare(runtime, &request)).await?;
    let words = prepared.search.words.trim().to_owned();
    let wants_meaning = prepared.search.retriever != Retriever::Words && !words.is_empty();
    let embed_started = Instant::now();
    if wants_meaning {
        prepared.search.vector = runtime.embedder.embed(&words, EMBED_DEADLINE).await;
    }
    let embed_us = micros(embed_started.elapsed());
    let lacks_meaning = wants_meaning && prepared.search.vector.is_none();
    let mut notes = Vec::new();
    if lacks_meaning {
        if prepared.search.retriever == Retriever::Meaning {
            return Err(Status::unavailable(format!("cannot search by meaning: {}", why_no_meaning(runtime))));
        }
        notes.push(format!("searched by words only: {}", why_no_meaning(runtime)));
    }
    let (hits, fell_back_to_any) = off_thread(runtime, move |runtime| recall(runtime, &prepared)).await?;
    Ok(v1::SearchReply {
        hits,
        fell_back_to_any,
        notes,
        embed_us,
        search_us: micros(started.elapsed()).saturating_sub(embed_us),
        ..v1::SearchReply::default()
    })
}

fn prepare(runtime: &Runtime, request: &v1::SearchRequest) -> Result<Prepared, Status> {
    if request.query.len() > QUERY_MAX_BYTES {
        let message =
            format!("the query has {} bytes, the limit is {QUERY_MAX_BYTES}; shorten it", request.query.len());
        return Err(Status::resource_exhausted(message));
    }
    if request.limit > SEARCH_LIMIT_MAX {
        let message = format!("limit is {}, the most is {SEARCH_LIMIT_MAX}", request.limit);
        return Err(Status::resource_exhausted(message));
    }
    let asker = runtime.asker(request.caller.as_ref());
    let parsed =
        parse(&request.query, &jiff::tz::TimeZone::system()).map_err(|error| convert::status(error.kind(), &error))?;
    let wire = request.filter.clone().unwrap_or_default();
    let mut filter = merge(convert::filter(&wire)?, parsed.filter);
    check_kinds(runtime, &filter)?;
    let names: Vec<String> = wire.scopes.iter().chain(&parsed.scopes).cloned().collect();
    let scopes = resolve_scopes(&names, Some(&asker.project.scope), &asker.scopes());
    filter.scopes = scopes.map_err(|error| convert::status(ErrorKind::Invalid, &error))?.unwrap_or_default();
    let limit = if request.limit == 0 { SEARCH_LIMIT_DEFAULT } else { request.limit };
    Ok(Prepared {
        search: Search {
            words: parsed.words,
            vector: None,
            filter,
            limit: limit as usize,
            mode: convert::mode(request.mode()),
            retriever: convert::retriever(request.retriever()),
            now: runtime.now(),
        },
        explain: request.explain,
        passive: request.passive,
        project: asker.project,
    })
}

/// Refuses a kind that is neither registered nor any memory's: it would quietly find nothing.
fn check_kinds(runtime: &Runtime, filter: &Filter) -> Result<(), Status> {
    for name in filter.kinds.iter().filter(|name| !runtime.strand.catalog().has_kind(name)) {
        runtime.strand.kinds().resolve(name).map_err(|error| convert::status(ErrorKind::Invalid, &error))?;
    }
    Ok(())
}

/// Both filters must hold.
fn merge(mut one: Filter, other: Filter) -> Filter {
    one.topics.extend(other.topics);
    one.tags.extend(other.tags);
    one.kinds.extend(other.kinds);
    one.source = other.source.or(one.source);
    one.after = one.after.max(other.after);
    one.before = match (one.before, other.before) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    one
}

fn recall(runtime: &Runtime, prepared: &Prepared) -> Result<(Vec<v1::Hit>, bool), Status> {
    let look = runtime.sources.look(&prepared.project, SEARCH_READ_MAX_BYTES);
    let found = runtime.strand.search_looking_at(&prepared.search, &look);
    let found = found.map_err(|error| convert::status(error.kind(), &error))?;
    let Recalled { hits, fell_back_to_any } = found;
    if !prepared.passive {
        let numbers: Vec<MemoryNumber> = hits.iter().map(|hit| hit.memory.number).collect();
        runtime.strand.catalog_touch(&numbers, prepared.search.now);
    }
    let query = LexicalQuery::parse(&prepared.search.words, WordMode::Any);
    let wire = |hit: &Hit| v1::Hit {
        memory: Some(v1::Memory {
            source_state: convert::source_state(hit.source_state).into(),
            ..find::to_wire(runtime, &hit.memory)
        }),
        score: hit.score,
        explanation: prepared
            .explain
            .then(|| convert::explanation(hit, runtime.strand.matched_terms(&query, &hit.memory))),
    };
    Ok((hits.iter().map(wire).collect(), fell_back_to_any))
}

fn why_no_meaning(runtime: &Runtime) -> String {
    match runtime.embedder.state() {
        State::Off => "the embedder is switched off".to_owned(),
        State::Absent(why) | State::Failed(why) => why,
        State::Loading => "the model is still loading".to_owned(),
        State::Ready(_) => "the embedder is busy".to_owned(),
    }
}

fn micros(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}
