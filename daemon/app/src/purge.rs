//! Purging: memories removed with every trace of their text. Shown first, confirmed by what was
//! shown, never by an agent.
//!
//! The record and its history go in one transaction, and with them the states, receipts and
//! checkpoints that hold its name or text. Then the files are made anew that may hold what was
//! removed: the word index, the vectors, the store; and those copies of the store that Helix made
//! are removed that hold any of it. A crash between leaves remnants in free room, which the next purge removes.

mod files;
mod plan;
mod traces;

use std::sync::Arc;

use helix_engine::Request;
use helix_memory::{MemoryId, MemoryNumber, Timestamp};

use self::traces::Traces;
use crate::ports::Hold;
use crate::threads::{long_off_thread, off_thread};
use crate::told::Told;
use crate::{App, Asker, Refusal};

/// Memories that go in one transaction.
const BATCH: usize = 64;

/// A purge that somebody wants.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Memories by handle or id.
    pub references: Vec<String>,
    /// Those that this session stored; empty for any.
    pub session: String,
    /// Those of this origin; empty for any.
    pub origin: String,
    /// Those recorded since.
    pub since: Option<Timestamp>,
    /// The ids that were shown and confirmed; empty to be shown them.
    pub confirmed: Vec<MemoryId>,
}

/// A memory that goes.
#[derive(Clone, Debug)]
pub struct Going {
    /// The memory.
    pub memory: Told,
    /// The handle of the memory that it was made from; empty for one that was named.
    pub derived_from: String,
}

/// The result of a purge.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Memories that go, or went.
    pub memories: Vec<Going>,
    /// True if it is done.
    pub done: bool,
    /// Notes on the files that held copies, or that would be removed.
    pub notes: Vec<String>,
}

/// Purges what is named, or shows what would go. `who` says who asks, and may look at the disk for
/// it; `hold` tells who ends the program that this goes on.
///
/// # Errors
/// When nothing is meant, the asker is no person, what was confirmed is not what is meant by now,
/// or it is not written.
pub async fn purge(
    app: &Arc<App>,
    hold: &Hold,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Wanted,
) -> Result<Answer, Refusal> {
    let confirmed = wanted.confirmed.clone();
    let planned = off_thread(app, move |app| {
        let asker = who();
        let memories = plan::plan(app, &asker, &wanted)?;
        let holders = plan::holders(app, &memories)?;
        Ok((memories, holders, asker))
    });
    let (memories, holders, asker) = planned.await?;
    let numbers: Vec<MemoryNumber> = memories
        .iter()
        .map(|going| going.memory.memory.number)
        .collect();
    if confirmed.is_empty() {
        let announced = long_off_thread(app, hold, move |app| {
            Ok(files::announced(app, &Traces::of(app, &numbers)?))
        });
        let announced = announced.await?;
        return Ok(Answer {
            memories,
            notes: holders.into_iter().chain(announced).collect(),
            ..Answer::default()
        });
    }
    check_confirmed(&memories, &confirmed)?;
    // Before it is purged: its history says what it was.
    let traces = off_thread(app, move |app| Traces::of(app, &numbers)).await?;
    write(app, &asker, &memories).await?;
    let removed = long_off_thread(app, hold, move |app| files::clean(app, &traces)).await?;
    let rewritten = app.writer.rewrite().await?;
    let mut notes = holders;
    notes.extend(removed.notes);
    notes.extend(files::left(rewritten));
    if removed.had_backups {
        notes.push(long_off_thread(app, hold, |app| Ok(files::back_up(app))).await?);
    }
    Ok(Answer {
        memories,
        done: true,
        notes,
    })
}

/// Refuses to purge another set than the one that was shown.
fn check_confirmed(memories: &[Going], confirmed: &[MemoryId]) -> Result<(), Refusal> {
    let mut meant: Vec<MemoryId> = memories
        .iter()
        .map(|going| going.memory.memory.id)
        .collect();
    let mut shown = confirmed.to_vec();
    meant.sort_unstable();
    shown.sort_unstable();
    if meant == shown {
        return Ok(());
    }
    Err(Refusal::changed(
        "what would be purged is not what was shown any more; nothing was purged; look at it again",
    ))
}

async fn write(app: &App, asker: &Asker, memories: &[Going]) -> Result<(), Refusal> {
    // What waits to be written would bring a name back.
    for going in memories {
        let handle = going.memory.memory.handle.as_str();
        app.hooks.receipts.drop_pending(handle);
        app.memory.outbox.drop_holding(handle);
    }
    for batch in memories.chunks(BATCH) {
        let requests = batch.iter().map(|going| Request::Purge {
            number: going.memory.memory.number,
            actor: asker.actor.clone(),
            at: app.memory.now(),
        });
        let outcomes = app.writer.submit(requests.collect())?.await?;
        for outcome in outcomes {
            outcome?;
        }
    }
    Ok(())
}
