//! Refuses edits of deleted memories: offering one would only lead to the next refusal.

use helix_memory::{MemoryNumber, Topic};
use helix_neutral::quoted;

use crate::{App, Asker, Refusal, find, topics};

/// Deleted memories that a refusal names.
const HANDLES_SHOWN_MAX: usize = 5;

/// Refuses a topic of which all that it had here is deleted, or in another topic now.
pub(super) fn refuse(app: &App, asker: &Asker, topic: &Topic) -> Result<(), Refusal> {
    if let Some(said) = topics::moved_away(app, topic.as_str(), &asker.scopes()) {
        return Err(Refusal::not_found(said));
    }
    let members = app
        .memory
        .strand
        .catalog()
        .members(topic.as_str(), &asker.scopes(), |_| true);
    if !are_deleted(app, &members) {
        return Ok(());
    }
    Err(Refusal::not_found(format!(
        "every memory of topic {topic} is deleted; restore the topic first, or one by its handle: {}",
        handles(app, &members)?
    )))
}

/// Refuses the beginning of names that only deleted memories have.
pub(super) fn refuse_all(
    app: &App,
    reference: &str,
    numbers: &[MemoryNumber],
) -> Result<(), Refusal> {
    if !are_deleted(app, numbers) {
        return Ok(());
    }
    Err(Refusal::not_found(format!(
        "all that {} fits is deleted; restore one first, by its handle: {}",
        quoted(reference),
        handles(app, numbers)?
    )))
}

fn are_deleted(app: &App, numbers: &[MemoryNumber]) -> bool {
    let catalog = app.memory.strand.catalog();
    let is_deleted = |number: &MemoryNumber| {
        catalog
            .row(*number)
            .is_some_and(|row| !row.status.is_indexed())
    };
    !numbers.is_empty() && numbers.iter().all(is_deleted)
}

/// The handles of memories, the newest first; of some, when there are many.
fn handles(app: &App, numbers: &[MemoryNumber]) -> Result<String, Refusal> {
    find::some_handles(app, numbers.iter().rev().copied(), HANDLES_SHOWN_MAX)
}
