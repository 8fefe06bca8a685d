//! Near duplicates, found and merged.

use std::sync::Arc;

use helix_engine::{DuplicatePair, Duplicates, Request};
use helix_memory::Scope;

use super::{Answer, Pair};
use crate::ports::Hold;
use crate::threads::{long_off_thread, off_thread};
use crate::told::Told;
use crate::{App, Asker, Refusal, edit};

/// Pairs that the answer shows; the rest are counted in a note.
const PAIRS_SHOWN_MAX: usize = 100;

/// Pairs that are merged in one transaction: a memory that is not yet durable is in RAM.
const MERGE_MAX: usize = 10_000;

/// How duplicates are looked for.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// Where; empty for everywhere.
    pub(super) scopes: Vec<Scope>,
    /// Comparisons that it may take.
    pub(super) work_max: usize,
    /// True if those found are merged.
    pub(super) apply: bool,
}

/// Finds near duplicates, and merges them when told to.
pub(super) async fn duplicates(
    app: &Arc<App>,
    going: &Hold,
    asker: &Asker,
    search: Search,
) -> Result<Answer, Refusal> {
    let Search {
        scopes,
        work_max,
        apply,
    } = search;
    let searched = scopes.clone();
    let found = long_off_thread(app, going, move |app| {
        let from = app.memory.uncompared.of(&searched);
        let found = app.memory.strand.duplicates(&searched, from, work_max)?;
        Ok((found, from.is_some()))
    });
    let (found, goes_on) = found.await?;
    let mut answer = Answer::default();
    let notes = extent(found.compared, found.left_out, goes_on);
    answer.notes.extend(notes);
    if apply {
        answer.merged = merge_all(app, asker, &scopes, &found, &mut answer.notes).await?;
    }
    let Duplicates { pairs, similar, .. } = found;
    for (pairs, what) in [(&pairs, "pairs"), (&similar, "similar pairs")] {
        let more = pairs.len().saturating_sub(PAIRS_SHOWN_MAX);
        if more > 0 {
            answer
                .notes
                .push(format!("{more} more {what} are not shown"));
        }
    }
    let shown = off_thread(app, move |app| {
        Ok((shown(app, &pairs)?, shown(app, &similar)?))
    });
    (answer.pairs, answer.similar) = shown.await?;
    Ok(answer)
}

/// Says which memories were not compared, and how they will be.
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

/// Merges what was found, and returns how many pairs.
async fn merge_all(
    app: &App,
    asker: &Asker,
    scopes: &[Scope],
    found: &Duplicates,
    notes: &mut Vec<String>,
) -> Result<usize, Refusal> {
    let merged = merge(app, asker, &found.pairs).await?;
    if merged < found.pairs.len() {
        let left = found.pairs.len() - merged;
        notes.push(format!(
            "{left} pairs changed meanwhile and were left alone"
        ));
    }
    // A search that only reports shows what applying it would do, so only that moves it on, and
    // only once it is done.
    if let Some(moved) = app.memory.uncompared.set(scopes, found.rest) {
        app.writer.submit(vec![moved])?.await?;
    }
    Ok(merged)
}

/// Merges pairs, and returns how many.
async fn merge(app: &App, asker: &Asker, pairs: &[DuplicatePair]) -> Result<usize, Refusal> {
    let mut merged = 0;
    for part in pairs.chunks(MERGE_MAX) {
        let pairs = part.iter().map(|pair| pair.merge).collect();
        let request = Request::MergeDuplicates {
            pairs,
            actor: asker.actor.clone(),
            at: app.memory.now(),
        };
        merged += edit::write(app, request).await?.changed;
    }
    Ok(merged)
}

fn shown(app: &App, pairs: &[DuplicatePair]) -> Result<Vec<Pair>, Refusal> {
    let mut shown = Vec::new();
    for pair in pairs.iter().take(PAIRS_SHOWN_MAX) {
        let told = Told::all(app, &[pair.merge.kept, pair.merge.duplicate])?;
        let mut memories = told.into_iter();
        shown.push(Pair {
            kept: memories.next(),
            duplicate: memories.next(),
            similarity: pair.similarity,
        });
    }
    Ok(shown)
}
