//! What waits in the review is seen there alone: elsewhere only its name is told, so that no agent
//! reads what nobody has vouched for.

use helix_memory::{ATTRIBUTE_UNTRUSTED, Memory, Origin, Status};

use crate::{App, Asker, Refusal};

/// Stands where the text of a memory would that waits.
pub(crate) const WAITS: &str = "[waits in the review: helixctl review]";

/// Whether what a memory says is seen in the review alone: it waits there, or left it without
/// anybody's trust.
pub(crate) fn is_veiled(app: &App, memory: &Memory) -> bool {
    match memory.status {
        Status::Quarantined => !is_trusted_since(app, memory),
        Status::Forgotten | Status::Pruned => memory.attributes.contains_key(ATTRIBUTE_UNTRUSTED),
        Status::Active | Status::Superseded | Status::Archived => false,
    }
}

/// Whether a person may see it: whoever is at a shell reads what they ask for by its name.
pub(crate) fn is_person(asker: &Asker) -> bool {
    asker.actor.origin == Origin::User
}

/// Refuses to make others of what waits in the review: only a person vouches for it, and there.
///
/// # Errors
/// When it waits, and no person asks.
pub(crate) fn refuse_waiting(asker: &Asker, memory: &Memory) -> Result<(), Refusal> {
    if memory.status != Status::Quarantined || is_person(asker) {
        return Ok(());
    }
    Err(Refusal::denied(format!(
        "{} waits in the review, where only a person settles it",
        memory.handle
    )))
}

/// Whether an earlier version that waited says what is trusted by now.
fn is_trusted_since(app: &App, version: &Memory) -> bool {
    let Ok(now) = app.memory.strand.memories(&[version.number]) else {
        return false;
    };
    now.first().is_some_and(|now| {
        let is_trusted = match now.status {
            Status::Active | Status::Superseded | Status::Archived => true,
            Status::Quarantined | Status::Forgotten | Status::Pruned => false,
        };
        is_trusted && now.text == version.text
    })
}

/// A memory without all that its author wrote, but for the name that leads to it.
pub(crate) fn veiled(memory: &Memory) -> Memory {
    Memory {
        text: WAITS.to_owned(),
        summary: String::new(),
        tags: Vec::new(),
        source: None,
        attributes: memory
            .attributes
            .iter()
            .filter(|(key, _)| key.starts_with("helix."))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        ..memory.clone()
    }
}
