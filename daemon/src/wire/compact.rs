//! `Compact` as the wire has it.

use helix_app::compact::{Answer, Pair, Wanted};
use helix_proto::v1;

use super::told;

/// Reads what is to be compacted, for which so many comparisons may be made.
pub(crate) fn wanted(wire: v1::CompactRequest, work_max: usize) -> Wanted {
    let v1::CompactRequest {
        scopes,
        apply,
        log,
        migrate,
        ..
    } = wire;
    Wanted {
        scopes,
        apply,
        log,
        migrate,
        work_max,
    }
}

/// Writes what compacting came to.
pub(crate) fn answer(answer: &Answer) -> v1::CompactReply {
    v1::CompactReply {
        pairs: answer.pairs.iter().map(pair).collect(),
        merged: u32::try_from(answer.merged).unwrap_or(u32::MAX),
        bytes_before: answer.bytes_before,
        bytes_after: answer.bytes_after,
        repaired: u32::try_from(answer.repaired).unwrap_or(u32::MAX),
        notes: answer.notes.clone(),
        similar: answer.similar.iter().map(pair).collect(),
    }
}

fn pair(pair: &Pair) -> v1::DuplicatePair {
    v1::DuplicatePair {
        kept: pair.kept.as_ref().map(told),
        duplicate: pair.duplicate.as_ref().map(told),
        similarity: pair.similarity,
    }
}
