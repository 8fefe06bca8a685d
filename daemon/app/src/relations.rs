//! Relations between memories: made, taken back, and walked.

mod change;
mod told;
mod walk;

pub use self::change::{Related, Relating, Unrelated, Unrelating, relate, unrelate};
pub use self::told::{Source, ToldEdge};
pub use self::walk::{Connected, PathWanted, Reached, WalkWanted, Walked, path, traverse};

use helix_engine::Resolution;
use helix_memory::{Memory, MemoryNumber, Relation};
use helix_neutral::quoted;

use crate::{App, Asker, Refusal, find, patterns};

/// Memories that are named where a reference could mean several.
const SEVERAL_SHOWN_MAX: usize = 5;

/// Finds the one memory that a reference means.
fn meant(app: &App, asker: &Asker, reference: &str) -> Result<MemoryNumber, Refusal> {
    let reference = reference.trim();
    if reference.is_empty() {
        return Err(Refusal::invalid(
            "a relation has two ends; name each memory by handle, id or topic:index",
        ));
    }
    patterns::refuse(app, asker, reference, "a relation")?;
    match find::resolve(app, reference, asker)? {
        Resolution::One(number) => Ok(number),
        Resolution::Several(numbers) => {
            let some = find::some_handles(app, numbers.into_iter(), SEVERAL_SHOWN_MAX)?;
            let message = format!(
                "{} could mean several memories: {some}; give one whole handle",
                quoted(reference)
            );
            Err(Refusal::invalid(message))
        }
        Resolution::None => Err(Refusal::not_found(format!(
            "no memory is called {} here; search for its handle",
            quoted(reference)
        ))),
    }
}

fn record(app: &App, number: MemoryNumber) -> Result<Memory, Refusal> {
    let found = app.memory.strand.memories(&[number])?.pop();
    found.ok_or_else(|| Refusal::not_found("the memory is gone; search for it again"))
}

fn relation(name: &str) -> Result<(Relation, bool), Refusal> {
    Relation::resolve(name).map_err(|error| Refusal::invalid(error.to_string()))
}

/// Reads a strength; `None` is the strongest.
fn strength(given: Option<f32>) -> Result<f32, Refusal> {
    let strength = given.unwrap_or(1.0);
    if (0.0..=1.0).contains(&strength) {
        return Ok(strength);
    }
    Err(Refusal::invalid(format!(
        "a strength of {strength} is out of range; give 0 to 1"
    )))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn strengths_are_checked() {
        assert!((strength(None).unwrap() - 1.0).abs() < 1e-6);
        assert!((strength(Some(0.25)).unwrap() - 0.25).abs() < 1e-6);
        for wrong in [-0.1, 1.5, f32::NAN] {
            assert!(strength(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_relation_is_told_the_known_ones() {
        let refusal = relation("likes").unwrap_err();
        assert!(refusal.message().contains("depends_on"), "{refusal}");
    }
}
