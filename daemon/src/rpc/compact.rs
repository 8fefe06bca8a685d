//! `Compact`: near duplicates merged, impossible times put right, files made smaller; a dry run
//! unless told to apply.

mod rest;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use helix_app::told::Told;
use helix_app::{Refusal, edit, find, scopes};
use helix_engine::error::ErrorKind;
use helix_engine::model::{MemoryNumber, Scope};
use helix_engine::policy::edit::Edit;
use helix_engine::store::{SHRINK_MAX_BYTES, Shrunk, WriteError};
use helix_engine::strand::{DuplicatePair, Duplicates, Extent, Outcome, Request};
use helix_proto::v1;

use super::{convert, long_off_thread, off_thread};
use crate::runtime::{Asker, Runtime};
use helix_app::ports::Hold;
pub(crate) use rest::Uncompared;

/// Pairs that the reply shows; the rest are counted in a note.
const PAIRS_SHOWN_MAX: usize = 100;

/// Pairs that are merged in one transaction: a memory that is not yet durable is in RAM.
const MERGE_MAX: usize = 10_000;

/// Memories repaired in one group of requests.
const REPAIR_MAX: usize = 10_000;

/// Memories with impossible times that an answer names.
const REPAIR_NAMED_MAX: usize = 10;

/// Directories inside a strand's own; deeper ones than this are none of ours.
const DEPTH_MAX: usize = 8;

/// Compacts what the request names.
///
/// Dropped at any await, it leaves nothing half done: what is written is written in whole batches.
pub(super) async fn compact(
    runtime: &Arc<Runtime>,
    going: &Hold,
    request: v1::CompactRequest,
) -> Result<v1::CompactReply, Refusal> {
    let v1::CompactRequest {
        caller,
        scopes,
        apply,
        log,
        migrate,
    } = request;
    let (asker, scopes) = off_thread(runtime, move |runtime| {
        let asker = runtime.asker(caller.as_ref());
        let scopes = scopes::filtered(&asker, &scopes)?;
        Ok((asker, scopes))
    })
    .await?;
    let mut reply = if migrate {
        repair(runtime, going, &asker, scopes, apply).await?
    } else {
        duplicates(runtime, going, &asker, scopes, apply).await?
    };
    if log {
        files(runtime, going, apply, &mut reply).await?;
    }
    Ok(reply)
}

async fn duplicates(
    runtime: &Arc<Runtime>,
    going: &Hold,
    asker: &Asker,
    scopes: Vec<Scope>,
    apply: bool,
) -> Result<v1::CompactReply, Refusal> {
    let searched = scopes.clone();
    let found = long_off_thread(runtime, going, move |runtime| {
        let extent = Extent {
            from: runtime.uncompared.of(&scopes),
            work_max: runtime.config.compact_work,
        };
        let found = runtime.app.memory.strand.duplicates(&scopes, extent);
        let found = found.map_err(|error| Refusal::of(error.kind(), &error))?;
        Ok((found, extent.from.is_some()))
    });
    let (
        Duplicates {
            pairs,
            similar,
            compared,
            left_out,
            rest,
        },
        goes_on,
    ) = found.await?;
    let mut reply = v1::CompactReply::default();
    reply.notes.extend(extent(compared, left_out, goes_on));
    if apply {
        let merged = merge(runtime, asker, &pairs).await?;
        if merged < pairs.len() {
            let left = pairs.len() - merged;
            reply.notes.push(format!(
                "{left} pairs changed meanwhile and were left alone"
            ));
        }
        reply.merged = u32::try_from(merged).unwrap_or(u32::MAX);
        // A search that only reports shows what applying it would do, so only that moves it on, and
        // only once it is done.
        if let Some(moved) = runtime.uncompared.set(&searched, rest) {
            runtime
                .writer
                .write(vec![moved])
                .await
                .map_err(|error| Refusal::from(error))?;
        }
    }
    for (pairs, what) in [(&pairs, "pairs"), (&similar, "similar pairs")] {
        let more = pairs.len().saturating_sub(PAIRS_SHOWN_MAX);
        if more > 0 {
            reply
                .notes
                .push(format!("{more} more {what} are not shown"));
        }
    }
    (reply.pairs, reply.similar) = off_thread(runtime, move |runtime| {
        Ok((shown(runtime, &pairs)?, shown(runtime, &similar)?))
    })
    .await?;
    Ok(reply)
}

/// What was not compared, and how it will be.
fn extent(compared: usize, left_out: usize, goes_on: bool) -> Option<String> {
    let which = if goes_on { "the next" } else { "the newest" };
    let count = |of: usize| {
        if of == 1 {
            "one".to_owned()
        } else {
            format!("{of} memories")
        }
    };
    match (left_out, goes_on) {
        (0, false) => None,
        (0, true) => Some(format!(
            "compared the last {}, which earlier runs had left; the next run begins with the newest again",
            count(compared)
        )),
        (left, _) => Some(format!(
            "compared {which} {} with all older ones; {left} older ones are not compared with each other yet: apply this, \
             then run it again to go on with them",
            count(compared)
        )),
    }
}

/// Merges pairs, and returns how many.
async fn merge(
    runtime: &Runtime,
    asker: &Asker,
    pairs: &[DuplicatePair],
) -> Result<usize, Refusal> {
    let mut merged = 0;
    for part in pairs.chunks(MERGE_MAX) {
        let pairs = part.iter().map(|pair| pair.merge).collect();
        let request = Request::MergeDuplicates {
            pairs,
            actor: asker.actor.clone(),
            at: runtime.now(),
        };
        merged += edit::write(&runtime.app, request).await?.changed;
    }
    Ok(merged)
}

fn shown(runtime: &Runtime, pairs: &[DuplicatePair]) -> Result<Vec<v1::DuplicatePair>, Refusal> {
    let mut shown = Vec::new();
    for pair in pairs.iter().take(PAIRS_SHOWN_MAX) {
        let told = Told::all(&runtime.app, &[pair.merge.kept, pair.merge.duplicate])?;
        let mut memories = told.iter().map(convert::told);
        shown.push(v1::DuplicatePair {
            kept: memories.next(),
            duplicate: memories.next(),
            similarity: pair.similarity,
        });
    }
    Ok(shown)
}

async fn repair(
    runtime: &Arc<Runtime>,
    going: &Hold,
    asker: &Asker,
    scopes: Vec<Scope>,
    apply: bool,
) -> Result<v1::CompactReply, Refusal> {
    let found = long_off_thread(runtime, going, move |runtime| {
        let found = runtime
            .app
            .memory
            .strand
            .impossible_times(&scopes, runtime.now());
        let found = found.map_err(|error| Refusal::of(error.kind(), &error))?;
        let note = impossible_note(runtime, &found)?;
        Ok((found, note))
    });
    let (found, note): (Vec<(MemoryNumber, Edit)>, _) = found.await?;
    let mut repaired = found.len();
    if apply {
        repaired = 0;
        for part in found.chunks(REPAIR_MAX) {
            let request = |(number, edit): &(MemoryNumber, Edit)| Request::Edit {
                number: *number,
                edit: edit.clone(),
                expected: None,
                actor: asker.actor.clone(),
                at: runtime.now(),
            };
            let requests = part.iter().map(request).collect();
            let outcomes = runtime
                .writer
                .write(requests)
                .await
                .map_err(|error| Refusal::from(error))?;
            repaired += outcomes.iter().map(changed).sum::<usize>();
        }
    }
    let repaired = u32::try_from(repaired).unwrap_or(u32::MAX);
    Ok(v1::CompactReply {
        repaired,
        notes: note.into_iter().collect(),
        ..v1::CompactReply::default()
    })
}

/// Names the memories whose times cannot be; some of them, when there are many.
fn impossible_note(
    runtime: &Runtime,
    found: &[(MemoryNumber, Edit)],
) -> Result<Option<String>, Refusal> {
    if found.is_empty() {
        return Ok(None);
    }
    let handles = find::some_handles(
        &runtime.app,
        found.iter().map(|(number, _)| *number),
        REPAIR_NAMED_MAX,
    )?;
    Ok(Some(format!(
        "times that lie in the future or are missing: {handles}"
    )))
}

fn changed(outcome: &Result<Outcome, WriteError>) -> usize {
    match outcome {
        Ok(Outcome::Edited(edited)) => edited.changed,
        Ok(Outcome::Stored(_) | Outcome::Reinforced(_) | Outcome::Done) | Err(_) => 0,
    }
}

/// Says how large the strand's files are; told to apply, makes them smaller and says how large they
/// are then. The store loses no memory and no operation by it.
async fn files(
    runtime: &Arc<Runtime>,
    going: &Hold,
    apply: bool,
    reply: &mut v1::CompactReply,
) -> Result<(), Refusal> {
    let size = |runtime: &Runtime| {
        bytes_in(
            &runtime.config.paths.strand(&runtime.config.strand),
            DEPTH_MAX,
        )
    };
    let before = long_off_thread(runtime, going, move |runtime| {
        let before = size(runtime);
        let internal = |error: &dyn std::fmt::Display| Refusal::of(ErrorKind::Internal, error);
        if apply {
            runtime
                .app
                .memory
                .strand
                .compact_words()
                .map_err(|error| internal(&error))?;
            runtime
                .app
                .memory
                .strand
                .compact_vectors()
                .map_err(|error| internal(&error))?;
        }
        Ok(before)
    });
    reply.bytes_before = before.await?;
    if !apply {
        // What rewriting them would gain is known only once it is done.
        return Ok(());
    }
    let shrunk = runtime
        .writer
        .shrink()
        .await
        .map_err(|error| Refusal::from(error))?;
    reply.notes.extend(left_large(shrunk));
    reply.bytes_after = off_thread(runtime, move |runtime| Ok(size(runtime))).await?;
    Ok(())
}

/// Why the store is as large as it was, when there is something to be done about it.
fn left_large(shrunk: Shrunk) -> Option<String> {
    match shrunk {
        Shrunk::Rewritten { .. } | Shrunk::AsItWas => None,
        Shrunk::TooLarge => Some(format!(
            "the store has more than {SHRINK_MAX_BYTES} bytes and was not rewritten, because writes would wait too long for it"
        )),
        Shrunk::Failed => Some(
            "the store was not rewritten, which takes as much room again; the log says why, and nothing was changed"
                .to_owned(),
        ),
    }
}

/// Sizes of all files below a directory. What vanishes meanwhile counts nothing.
fn bytes_in(directory: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() && depth > 0 => bytes_in(&entry.path(), depth - 1),
        Ok(found) if found.is_file() => found.len(),
        Ok(_) | Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
