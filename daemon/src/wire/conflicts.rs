//! `Conflicts` and `Settle` as the wire has them.

use helix_app::Refusal;
use helix_app::conflicts::{Conflict, Conflicts, Settlement};
use helix_app::told::Told;
use helix_proto::v1;

use super::told;

/// Writes the conflicts.
pub(crate) fn conflicts(found: &Conflicts) -> v1::ConflictsReply {
    v1::ConflictsReply {
        conflicts: found.conflicts.iter().map(conflict).collect(),
        total: u32::try_from(found.total).unwrap_or(u32::MAX),
    }
}

fn conflict(conflict: &Conflict) -> v1::Conflict {
    v1::Conflict {
        newer: Some(told(&conflict.newer)),
        older: Some(told(&conflict.older)),
        why: conflict.why.clone(),
        others: conflict.others.iter().map(told).collect(),
    }
}

/// Reads how two memories are settled.
pub(crate) fn settlement(wire: v1::Settlement) -> Result<Settlement, Refusal> {
    match wire {
        v1::Settlement::KeepFirst => Ok(Settlement::KeepFirst),
        v1::Settlement::Both => Ok(Settlement::Both),
        v1::Settlement::Merge => Ok(Settlement::Merge),
        v1::Settlement::Unspecified => Err(Refusal::invalid(
            "say how to settle it: keep one, keep both, or merge",
        )),
    }
}

/// Writes what was settled.
pub(crate) fn settled(memories: &[Told]) -> v1::SettleReply {
    v1::SettleReply {
        memories: memories.iter().map(told).collect(),
    }
}
