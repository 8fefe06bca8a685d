//! Calls that write: `store`, `batch`, `edit`, checkpoints.

use std::fs;

use anyhow::{Result, ensure};
use helix_proto::v1;
use helix_proto::v1::checkpoint_request::Action as Task;
use helix_proto::v1::edit_request::Action;

use super::{Bench, Times, handle};

/// Memories of one batch.
const BATCH: usize = 100;

/// Numbers of the corpus from which the texts of this part are taken, so that none repeats
/// another's.
const STORED_TEXTS: usize = 40_000_000;
const BATCH_TEXTS: usize = 50_000_000;
const SOURCED_TEXTS: usize = 60_000_000;
const REVISED_TEXTS: usize = 70_000_000;

/// Memories about files that exist, for `stale`, and those files.
const SOURCED: usize = 400;
const SOURCES: usize = 20;

/// Measures, and returns the handles of the memories that it stored.
pub(super) fn measure(bench: &mut Bench<'_>) -> Result<Vec<String>> {
    let stored = store(bench)?;
    batch(bench)?;
    edit(bench, &stored)?;
    checkpoint(bench)?;
    sourced(bench)?;
    Ok(stored)
}

fn store(bench: &mut Bench<'_>) -> Result<Vec<String>> {
    let (corpus, size, caller) = (bench.corpus, bench.size, bench.caller());
    let mut stored = Vec::new();
    bench.row("store", Times::Cheap, |connection, round| {
        let draft = corpus.memory(STORED_TEXTS + round, size);
        let request = v1::StoreRequest {
            caller: caller.clone(),
            draft: Some(draft),
            force: false,
        };
        let (elapsed, reply) = connection.timed(async |rpc| rpc.store(request.clone()).await)?;
        stored.push(handle(reply)?);
        Ok(elapsed)
    })?;
    Ok(stored)
}

fn batch(bench: &mut Bench<'_>) -> Result<()> {
    let (corpus, size, caller) = (bench.corpus, bench.size, bench.caller());
    bench.row(
        &format!("batch of {BATCH}"),
        Times::Dear,
        |connection, round| {
            let first = BATCH_TEXTS + round * BATCH;
            let drafts = (first..first + BATCH)
                .map(|number| corpus.memory(number, size))
                .collect();
            let request = v1::StoreBatchRequest {
                caller: caller.clone(),
                drafts,
                force: false,
            };
            let (elapsed, reply) =
                connection.timed(async |rpc| rpc.store_batch(request.clone()).await)?;
            ensure!(reply.items.len() == BATCH, "a batch lost memories");
            Ok(elapsed)
        },
    )
}

fn edit(bench: &mut Bench<'_>, stored: &[String]) -> Result<()> {
    let (corpus, size) = (bench.corpus, bench.size);
    let target = |round: usize| {
        let reference = stored
            .get(round % stored.len())
            .cloned()
            .unwrap_or_default();
        Some(v1::Target {
            reference,
            ..v1::Target::default()
        })
    };
    changed(bench, "edit append", |round| {
        let text = format!("addition {round}");
        Action::Append(v1::AppendText {
            target: target(round),
            text,
        })
    })?;
    changed(bench, "edit revise", |round| {
        let text = corpus.memory(REVISED_TEXTS + round, size).text;
        Action::Revise(v1::ReviseText {
            target: target(round),
            text,
        })
    })?;
    changed(bench, "edit tag", |round| {
        let add = vec![format!("round-{round}")];
        Action::Tag(v1::ChangeTags {
            target: target(round),
            add,
            remove: Vec::new(),
        })
    })
}

fn changed(bench: &mut Bench<'_>, name: &str, action: impl Fn(usize) -> Action) -> Result<()> {
    let caller = bench.caller();
    bench.row(name, Times::Cheap, |connection, round| {
        let request = v1::EditRequest {
            caller: caller.clone(),
            action: Some(action(round)),
            expected_sequence: None,
        };
        let (elapsed, reply) = connection.timed(async |rpc| rpc.edit(request.clone()).await)?;
        ensure!(
            reply.changed == 1,
            "an edit changed {} memories",
            reply.changed
        );
        Ok(elapsed)
    })
}

fn checkpoint(bench: &mut Bench<'_>) -> Result<()> {
    let caller = bench.caller();
    let point = v1::TaskCheckpoint {
        task: "measure the tools".to_owned(),
        done: vec!["store".to_owned(), "batch".to_owned()],
        next: vec!["brief".to_owned()],
        files: vec!["src/lib.rs".to_owned()],
        ..v1::TaskCheckpoint::default()
    };
    for (name, action) in [
        ("topics checkpoint", Task::Save(point)),
        ("topics resume", Task::Load(v1::LoadCheckpoint::default())),
    ] {
        let request = v1::CheckpointRequest {
            caller: caller.clone(),
            action: Some(action),
        };
        bench.row(name, Times::Cheap, |connection, _| {
            let (elapsed, reply) =
                connection.timed(async |rpc| rpc.checkpoint(request.clone()).await)?;
            ensure!(reply.checkpoint.is_some(), "there is no checkpoint");
            Ok(elapsed)
        })?;
    }
    Ok(())
}

/// Stores memories about files of the project; not measured.
fn sourced(bench: &mut Bench<'_>) -> Result<()> {
    let path = |number: usize| format!("src/part_{}.rs", number % SOURCES);
    for number in 0..SOURCES {
        fs::write(
            bench.root.join(path(number)),
            bench.corpus.source_file(100 + number),
        )?;
    }
    let drafts = (0..SOURCED).map(|number| {
        let source = format!("{}:{}", path(number), number % 90 + 1);
        let draft = bench.corpus.memory(SOURCED_TEXTS + number, bench.size);
        v1::Draft {
            source,
            scope: "project".to_owned(),
            ..draft
        }
    });
    let request = v1::StoreBatchRequest {
        caller: bench.caller(),
        drafts: drafts.collect(),
        force: true,
    };
    bench
        .connection
        .timed(async |rpc| rpc.store_batch(request.clone()).await)?;
    // Every tenth file changes afterwards, so that something is stale.
    for number in (0..SOURCES).step_by(10) {
        fs::write(bench.root.join(path(number)), "// changed\n")?;
    }
    Ok(())
}
