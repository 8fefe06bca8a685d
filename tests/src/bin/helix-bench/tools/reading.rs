//! Calls that read some memories: `search`, `read`, `brief`, `context`.

use anyhow::{Result, ensure};
use helix_proto::v1;

use super::{Bench, Times};
use crate::corpus::JOURNAL;

/// Longest median of a brief, in microseconds.
const BRIEF_P50_MAX_US: f64 = 5_000.0;

pub(super) fn measure(bench: &mut Bench<'_>, stored: &[String]) -> Result<()> {
    search(bench)?;
    let (corpus, size) = (bench.corpus, bench.size);
    read(bench, "read, a handle", |round| {
        stored
            .get(round % stored.len())
            .cloned()
            .unwrap_or_default()
    })?;
    read(bench, "read, a topic", |round| {
        corpus.known(round, size).topic
    })?;
    read(bench, "read, the largest topic", |_| JOURNAL.to_owned())?;
    brief(bench, "brief, a topic", |round| {
        corpus.known(round, size).topic
    })?;
    brief(bench, "brief, the largest topic", |_| JOURNAL.to_owned())?;
    brief(bench, "brief, words", |round| {
        corpus.question(round * 7_919 % size, size)
    })?;
    brief(bench, "brief, everything", |_| String::new())?;
    context(bench, "context, words", |round| {
        corpus.question(round * 7_919 % size, size)
    })?;
    context(bench, "context", |_| String::new())
}

fn search(bench: &mut Bench<'_>) -> Result<()> {
    let (corpus, size, caller) = (bench.corpus, bench.size, bench.caller());
    bench.row("search", Times::Cheap, |connection, round| {
        let query = corpus.question(round * 7_919 % size, size);
        let request = v1::SearchRequest {
            caller: caller.clone(),
            query,
            ..v1::SearchRequest::default()
        };
        let (elapsed, reply) = connection.timed(async |rpc| rpc.search(request.clone()).await)?;
        ensure!(!reply.hits.is_empty(), "a search found nothing");
        Ok(elapsed)
    })
}

fn read(bench: &mut Bench<'_>, name: &str, reference: impl Fn(usize) -> String) -> Result<()> {
    let caller = bench.caller();
    bench.row(name, Times::Cheap, |connection, round| {
        let request = v1::ReadRequest {
            caller: caller.clone(),
            reference: reference(round),
            ..v1::ReadRequest::default()
        };
        let (elapsed, reply) = connection.timed(async |rpc| rpc.read(request.clone()).await)?;
        ensure!(!reply.memories.is_empty(), "nothing was read");
        Ok(elapsed)
    })
}

fn brief(bench: &mut Bench<'_>, name: &str, query: impl Fn(usize) -> String) -> Result<()> {
    let caller = bench.caller();
    bench.judged(
        name,
        Times::Cheap,
        Some(BRIEF_P50_MAX_US),
        |connection, round| {
            let request = v1::BriefRequest {
                caller: caller.clone(),
                query: query(round),
                ..v1::BriefRequest::default()
            };
            let (elapsed, reply) =
                connection.timed(async |rpc| rpc.brief(request.clone()).await)?;
            ensure!(reply.memories > 0, "a brief was made of nothing");
            Ok(elapsed)
        },
    )
}

fn context(bench: &mut Bench<'_>, name: &str, query: impl Fn(usize) -> String) -> Result<()> {
    let caller = bench.caller();
    bench.row(name, Times::Cheap, |connection, round| {
        let request = v1::ContextRequest {
            caller: caller.clone(),
            query: query(round),
            ..v1::ContextRequest::default()
        };
        let (elapsed, reply) = connection.timed(async |rpc| rpc.context(request.clone()).await)?;
        ensure!(!reply.handles.is_empty(), "a context holds nothing");
        Ok(elapsed)
    })
}
