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
use helix_memory::{Checkpoint, MemoryId, Timestamp};

use self::plan::Planned;
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
    /// The purge as it was shown and confirmed; empty to be shown it.
    pub confirmed: Confirmed,
}

/// A purge as it was shown.
#[derive(Clone, Debug, Default)]
pub struct Confirmed {
    /// Ids of the memories.
    pub memories: Vec<MemoryId>,
    /// When the checkpoints were saved.
    pub checkpoints: Vec<Timestamp>,
}

impl Confirmed {
    fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.checkpoints.is_empty()
    }
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
    /// Checkpoints that the session saved, which go with it.
    pub checkpoints: Vec<Checkpoint>,
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
    let (confirmed, session) = (wanted.confirmed.clone(), wanted.session.clone());
    let planned = off_thread(app, move |app| {
        let asker = who();
        let planned = plan::plan(app, &asker, &wanted)?;
        let holders = plan::holders(app, &planned.memories)?;
        // Before it is purged: its history says what it was.
        let traces = Traces::of(app, &planned)?;
        Ok((planned, holders, traces, asker))
    });
    let (planned, holders, traces, asker) = planned.await?;
    if confirmed.is_empty() {
        let announced = long_off_thread(app, hold, move |app| Ok(files::announced(app, &traces)));
        let announced = announced.await?;
        return Ok(Answer {
            memories: planned.memories,
            checkpoints: planned.checkpoints,
            notes: holders.into_iter().chain(announced).collect(),
            done: false,
        });
    }
    check_confirmed(&planned, confirmed)?;
    write(app, &asker, &planned, session).await?;
    let removed = long_off_thread(app, hold, move |app| files::clean(app, &traces)).await?;
    let rewritten = app.writer.rewrite().await?;
    let mut notes = holders;
    notes.extend(removed.notes);
    notes.extend(files::left(rewritten));
    if removed.had_backups {
        notes.push(long_off_thread(app, hold, |app| Ok(files::back_up(app))).await?);
    }
    Ok(Answer {
        memories: planned.memories,
        checkpoints: planned.checkpoints,
        done: true,
        notes,
    })
}

/// Refuses to purge another set than the one that was shown.
fn check_confirmed(planned: &Planned, shown: Confirmed) -> Result<(), Refusal> {
    let memories = planned.memories.iter();
    let memories = memories.map(|going| going.memory.memory.id);
    let checkpoints = planned.checkpoints.iter();
    let checkpoints = checkpoints.map(|checkpoint| checkpoint.saved_at);
    if are_the_same(memories.collect(), shown.memories)
        && are_the_same(checkpoints.collect(), shown.checkpoints)
    {
        return Ok(());
    }
    Err(Refusal::changed(
        "what would be purged is not what was shown any more; nothing was purged; look at it again",
    ))
}

/// Compares two lists without regard to their order.
fn are_the_same<T: Ord>(mut one: Vec<T>, mut other: Vec<T>) -> bool {
    one.sort_unstable();
    other.sort_unstable();
    one == other
}

async fn write(
    app: &App,
    asker: &Asker,
    planned: &Planned,
    session: String,
) -> Result<(), Refusal> {
    let memories = &planned.memories;
    // What waits to be written would bring a name back.
    for going in memories {
        let handle = going.memory.memory.handle.as_str();
        app.hooks.receipts.drop_pending(handle);
        app.memory.outbox.drop_holding(handle);
    }
    let purges = memories.chunks(BATCH).map(|batch| {
        let purge = |going: &Going| Request::Purge {
            number: going.memory.memory.number,
            actor: asker.actor.clone(),
            at: app.memory.now(),
        };
        batch.iter().map(purge).collect()
    });
    let saved = (!planned.checkpoints.is_empty()).then(|| vec![Request::PurgeCheckpoints(session)]);
    for requests in purges.chain(saved) {
        for outcome in app.writer.submit(requests)?.await? {
            outcome?;
        }
    }
    Ok(())
}
