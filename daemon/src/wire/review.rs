//! `Review` and `Judge` as the wire has them.

use helix_app::review::{Item, Kind, Listed, Settled, Verdict, Wanted};
use helix_proto::v1;

use super::told;

/// Reads what is to be listed.
pub(crate) fn wanted(wire: v1::ReviewRequest) -> Wanted {
    let v1::ReviewRequest {
        scopes,
        topic,
        limit,
        relations,
        ..
    } = wire;
    Wanted {
        scopes,
        topic,
        limit,
        relations,
    }
}

/// Writes what waits, of so much.
pub(crate) fn listed(listed: &Listed) -> v1::ReviewReply {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    v1::ReviewReply {
        items: listed.items.iter().map(item).collect(),
        total: count(listed.total),
        elsewhere: count(listed.elsewhere),
    }
}

fn item(item: &Item) -> v1::ReviewItem {
    let kind = match item.kind {
        Kind::Quarantined => v1::ReviewKind::Quarantined,
        Kind::Suspect => v1::ReviewKind::Suspect,
        Kind::Conflict => v1::ReviewKind::Conflict,
        Kind::Supersession => v1::ReviewKind::Supersession,
        Kind::Archive => v1::ReviewKind::Archive,
        Kind::Repeated => v1::ReviewKind::Repeated,
        Kind::Relation => v1::ReviewKind::Relation,
    };
    v1::ReviewItem {
        kind: kind.into(),
        memory: Some(told(&item.memory)),
        other: item.other.as_ref().map(told),
        relation: item.relation.to_owned(),
        reason: item.reason.clone(),
        if_approved: item.if_approved().to_owned(),
        if_rejected: item.if_rejected().to_owned(),
    }
}

/// Reads what is to be settled.
pub(crate) fn verdict(wire: v1::JudgeRequest) -> Verdict {
    let v1::JudgeRequest {
        approve,
        references,
        all,
        topic,
        other,
        relations,
        ..
    } = wire;
    Verdict {
        approves: approve,
        references,
        all,
        topic,
        other,
        relations,
    }
}

/// Writes what settling came to.
pub(crate) fn settled(settled: Settled) -> v1::JudgeReply {
    v1::JudgeReply {
        memories: settled.memories.iter().map(told).collect(),
        settled: u32::try_from(settled.settled).unwrap_or(u32::MAX),
        notes: settled.notes,
    }
}
