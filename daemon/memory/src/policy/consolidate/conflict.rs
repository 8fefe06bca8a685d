//! The edge by which two memories that contradict each other wait for somebody to settle it.

use super::Why;
use crate::model::{
    Actor, Edge, EdgeKey, EdgeStatus, MemoryNumber, Provenance, Relation, Sequence, Timestamp,
};

/// Names, in the provenance of such an edge, what made it.
pub const EXTRACTOR: &str = "corrections";

/// How sure a contradiction is that nobody has settled.
const STRENGTH: f32 = 0.5;

/// The edge of a new memory to the known one that it contradicts.
#[must_use]
pub fn conflict(
    new: MemoryNumber,
    known: MemoryNumber,
    why: Why,
    actor: &Actor,
    at: Timestamp,
) -> Edge {
    Edge {
        key: EdgeKey {
            from: new,
            relation: Relation::Contradicts,
            to: known,
        },
        strength: STRENGTH,
        is_bidirectional: true,
        status: EdgeStatus::Suggested,
        provenance: Provenance {
            extractor: EXTRACTOR.to_owned(),
            ..Provenance::stated(actor, at)
        },
        reason: format!("#{} {}", new.0, why.sentence()),
        valid_from: at,
        valid_to: None,
        sequence: Sequence(0),
    }
}
