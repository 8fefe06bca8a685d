//! `topics`: what looks at every memory, or at all of a kind.

use anyhow::{Result, ensure};
use helix_proto::v1;

use super::{Bench, Times, handle};
use crate::fixture::Connection;

/// Longest median of a list of topics, in microseconds.
const LIST_P50_MAX_US: f64 = 2_000.0;

/// Hours that `recent` looks back, as many as the bridge does.
const RECENT_HOURS: i64 = 7 * 24;

/// Microseconds of an hour.
const HOUR_US: i64 = 3_600_000_000;

/// Numbers of the corpus from which the texts between two calls are taken.
const BETWEEN_TEXTS: usize = 80_000_000;

pub(super) fn measure(bench: &mut Bench<'_>) -> Result<()> {
    listings(bench)?;
    references(bench)?;
    care(bench)
}

fn listings(bench: &mut Bench<'_>) -> Result<()> {
    let (corpus, size, caller) = (bench.corpus, bench.size, bench.caller());
    let request = v1::ListTopicsRequest {
        caller: caller.clone(),
        ..v1::ListTopicsRequest::default()
    };
    bench.judged(
        "topics list",
        Times::Cheap,
        Some(LIST_P50_MAX_US),
        |connection, _| {
            let (elapsed, reply) =
                connection.timed(async |rpc| rpc.list_topics(request.clone()).await)?;
            ensure!(reply.topics.len() > 1, "there are no topics");
            Ok(elapsed)
        },
    )?;
    let after_us = jiff::Timestamp::now().as_microsecond() - RECENT_HOURS * HOUR_US;
    let request = v1::RecentRequest {
        caller: caller.clone(),
        after_us,
        ..v1::RecentRequest::default()
    };
    bench.row("topics recent", Times::Cheap, |connection, _| {
        let (elapsed, reply) = connection.timed(async |rpc| rpc.recent(request.clone()).await)?;
        ensure!(!reply.memories.is_empty(), "nothing is recent");
        Ok(elapsed)
    })?;
    bench.row(
        "topics entries, with a text",
        Times::Cheap,
        |connection, round| {
            let memory = corpus.known(round, size);
            let match_text = memory.text.split(' ').next().unwrap_or_default().to_owned();
            let request = v1::ReadRequest {
                caller: caller.clone(),
                reference: memory.topic,
                match_text,
                ..v1::ReadRequest::default()
            };
            let (elapsed, reply) = connection.timed(async |rpc| rpc.read(request.clone()).await)?;
            ensure!(!reply.memories.is_empty(), "no entry has the text");
            Ok(elapsed)
        },
    )?;
    let request = v1::StatsRequest {
        caller: bench.caller(),
        scopes: Vec::new(),
    };
    bench.row("topics stats", Times::Cheap, |connection, _| {
        let (elapsed, reply) = connection.timed(async |rpc| rpc.stats(request.clone()).await)?;
        ensure!(reply.memories > 0, "there are no memories");
        Ok(elapsed)
    })?;
    let request = v1::SessionLogRequest {
        caller: bench.caller(),
        ..v1::SessionLogRequest::default()
    };
    bench.row("topics session", Times::Cheap, |connection, _| {
        let (elapsed, reply) =
            connection.timed(async |rpc| rpc.session_log(request.clone()).await)?;
        ensure!(!reply.operations.is_empty(), "the session changed nothing");
        Ok(elapsed)
    })
}

/// Measures calls that must read every text the first time after a change.
fn references(bench: &mut Bench<'_>) -> Result<()> {
    let (corpus, size, caller) = (bench.corpus, bench.size, bench.caller());
    let store = |connection: &mut Connection, number: usize| {
        let draft = Some(corpus.memory(BETWEEN_TEXTS + number, size));
        let request = v1::StoreRequest {
            caller: caller.clone(),
            draft,
            force: true,
        };
        handle(
            connection
                .timed(async |rpc| rpc.store(request.clone()).await)?
                .1,
        )
    };
    let whole = v1::GraphRequest {
        caller: caller.clone(),
        ..v1::GraphRequest::default()
    };
    let focus = corpus.memory(1, size).topic;
    let focused = v1::GraphRequest {
        focus,
        ..whole.clone()
    };
    for (name, request) in [
        ("topics graph", &whole),
        ("topics graph, with a focus", &focused),
    ] {
        for after_a_store in [true, false] {
            let name = if after_a_store {
                format!("{name}, after a store")
            } else {
                format!("{name}, nothing new")
            };
            bench.row(&name, Times::Dear, |connection, round| {
                if after_a_store {
                    store(
                        connection,
                        round + usize::from(request.focus.is_empty()) * 1_000,
                    )?;
                }
                let (elapsed, reply) =
                    connection.timed(async |rpc| rpc.graph(request.clone()).await)?;
                ensure!(!reply.topics.is_empty(), "the graph is empty");
                Ok(elapsed)
            })?;
        }
    }
    bench.row(
        "topics xref, after a store",
        Times::Dear,
        |connection, round| {
            store(connection, round + 2_000)?;
            let topic = corpus.known(round, size).topic;
            let request = v1::CrossReferencesRequest {
                caller: caller.clone(),
                topic,
                scopes: Vec::new(),
            };
            Ok(connection
                .timed(async |rpc| rpc.cross_references(request.clone()).await)?
                .0)
        },
    )?;
    bench.row(
        "topics xref, nothing new",
        Times::Cheap,
        |connection, round| {
            let topic = corpus.known(round, size).topic;
            let request = v1::CrossReferencesRequest {
                caller: caller.clone(),
                topic,
                scopes: Vec::new(),
            };
            Ok(connection
                .timed(async |rpc| rpc.cross_references(request.clone()).await)?
                .0)
        },
    )
}

fn care(bench: &mut Bench<'_>) -> Result<()> {
    let request = v1::StaleRequest {
        caller: bench.caller(),
        ..v1::StaleRequest::default()
    };
    bench.row("topics stale", Times::Dear, |connection, _| {
        let (elapsed, reply) = connection.timed(async |rpc| rpc.stale(request.clone()).await)?;
        ensure!(!reply.stale.is_empty(), "no source has changed");
        Ok(elapsed)
    })?;
    let request = v1::PruneRequest {
        caller: bench.caller(),
        ..v1::PruneRequest::default()
    };
    bench.row("topics prune", Times::Cheap, |connection, _| {
        Ok(connection
            .timed(async |rpc| rpc.prune(request.clone()).await)?
            .0)
    })?;
    let request = v1::CompactRequest {
        caller: bench.caller(),
        ..v1::CompactRequest::default()
    };
    bench.row("topics compact, dry", Times::Dear, |connection, _| {
        Ok(connection
            .timed(async |rpc| rpc.compact(request.clone()).await)?
            .0)
    })
}
