//! Relations between memories, for every program that tells them.

use helix_proto::v1::{EdgeSource, MemoryEdge};

/// The relation of a memory to the one whose place it took.
const SUPERSEDES: &str = "supersedes";

/// Returns whether a relation says that a memory took another's place, while both are in use: a
/// memory is superseded by an edit of its own, and not by a relation.
#[must_use]
pub fn only_says_that_it_replaces(edge: &MemoryEdge) -> bool {
    edge.relation == SUPERSEDES && edge.source() == EdgeSource::Stored
}
