//! `Log`, `Diff`, `Revert` and `Why` as the wire has them.

use helix_app::Refusal;
use helix_app::history::diff::{self, Difference};
use helix_app::history::log::{self, Log};
use helix_app::history::point::Point;
use helix_app::history::revert::{self, Answer, What};
use helix_app::history::why::Life;
use helix_app::history::{ChangedEdge, ChangedMemory, EdgeState, Line};
use helix_app::moment::At;
use helix_memory::{Sequence, Timestamp};
use helix_proto::v1;
use helix_proto::v1::history_point::Point as WirePoint;
use helix_proto::v1::revert_request::What as WireWhat;

use super::{sessions, told};

/// Reads which operations are wanted.
pub(crate) fn log_wanted(wire: v1::LogRequest) -> log::Wanted {
    log::Wanted {
        reference: wire.reference,
        limit: wire.limit,
        since: Timestamp::from_micros(wire.since_us),
        before: Some(wire.before_sequence)
            .filter(|sequence| *sequence > 0)
            .map(Sequence),
    }
}

/// Writes operations.
pub(crate) fn log(log: Log) -> v1::LogReply {
    v1::LogReply {
        lines: log.lines.into_iter().map(line).collect(),
        has_more: log.has_more,
        notes: log.notes,
    }
}

fn line(line: Line) -> v1::LogLine {
    let Line {
        sequence,
        at,
        actor,
        kind,
        handle,
        summary,
        reason,
        group,
        reverts,
        is_undone,
    } = line;
    v1::LogLine {
        sequence: sequence.0,
        at_us: at.as_micros(),
        kind: kind.name().to_owned(),
        handle,
        summary,
        reason,
        origin: actor.origin.name().to_owned(),
        agent: actor.agent,
        session: actor.session,
        branch: actor.git.branch,
        commit: actor.git.commit,
        group: group.0,
        reverts: reverts.map(|sequence| sequence.0),
        undone: is_undone,
    }
}

/// Reads a place in the history; absent where the wire says none.
fn point(wire: Option<v1::HistoryPoint>) -> Option<Point> {
    wire.and_then(|wire| wire.point).map(|point| match point {
        WirePoint::Sequence(sequence) => Point::Sequence(Sequence(sequence)),
        WirePoint::AtUs(at_us) => Point::Time(Timestamp::from_micros(at_us)),
    })
}

/// Reads the moment that is looked at.
pub(crate) fn at(wire: Option<v1::Moment>) -> At {
    let v1::Moment { as_of, valid_at_us } = wire.unwrap_or_default();
    At {
        as_of: point(as_of),
        valid_at: valid_at_us.map(Timestamp::from_micros),
    }
}

/// Reads what is to be compared.
#[expect(clippy::needless_pass_by_value, reason = "it is used up here")]
pub(crate) fn diff_wanted(wire: v1::DiffRequest) -> diff::Wanted {
    diff::Wanted {
        from: point(wire.from),
        to: point(wire.to).unwrap_or(Point::Now),
    }
}

/// Writes what is different.
pub(crate) fn difference(difference: &Difference) -> v1::DiffReply {
    v1::DiffReply {
        from_sequence: difference.from.0,
        to_sequence: difference.to.0,
        memories: difference.memories.iter().map(changed_memory).collect(),
        edges: difference.edges.iter().map(changed_edge).collect(),
        memories_total: u32_of(difference.memories_total),
        edges_total: u32_of(difference.edges_total),
        notes: difference.notes.clone(),
    }
}

fn changed_memory(changed: &ChangedMemory) -> v1::ChangedMemory {
    v1::ChangedMemory {
        before: changed.before.as_ref().map(told),
        after: changed.after.as_ref().map(told),
    }
}

fn changed_edge(changed: &ChangedEdge) -> v1::ChangedEdge {
    v1::ChangedEdge {
        from: changed.from.clone(),
        to: changed.to.clone(),
        relation: changed.relation.to_owned(),
        before: changed.before.as_ref().map(edge_state),
        after: changed.after.as_ref().map(edge_state),
    }
}

fn edge_state(state: &EdgeState) -> v1::EdgeState {
    v1::EdgeState {
        strength: state.strength,
        bidirectional: state.is_bidirectional,
        status: state.status.name().to_owned(),
        reason: state.reason.clone(),
    }
}

/// Reads what is to be taken back.
pub(crate) fn revert_wanted(wire: &v1::RevertRequest) -> Result<revert::Wanted, Refusal> {
    let nothing = || {
        Refusal::invalid("the request names nothing to go back to; give an operation or a place")
    };
    let what = match &wire.what {
        Some(WireWhat::Undo(0)) => What::Last,
        Some(WireWhat::Undo(sequence)) => What::RequestOf(Sequence(*sequence)),
        Some(WireWhat::Rollback(place)) => What::Since(point(Some(*place)).ok_or_else(nothing)?),
        None => return Err(nothing()),
    };
    Ok(revert::Wanted {
        what,
        is_preview: wire.preview,
        force: wire.force,
    })
}

/// Writes what was taken back.
pub(crate) fn reverted(answer: Answer) -> v1::RevertReply {
    let Answer {
        reverted,
        memories,
        edges,
        memories_total,
        edges_total,
        sequence,
        to,
        notes,
    } = answer;
    v1::RevertReply {
        reverted: reverted.into_iter().map(line).collect(),
        memories: memories.iter().map(changed_memory).collect(),
        edges: edges.iter().map(changed_edge).collect(),
        memories_total: u32_of(memories_total),
        edges_total: u32_of(edges_total),
        sequence: sequence.map_or(0, |sequence| sequence.0),
        to_sequence: to.map_or(0, |sequence| sequence.0),
        notes,
    }
}

/// Writes a memory's life.
pub(crate) fn life(life: Life) -> v1::WhyReply {
    let Life {
        memory,
        operations,
        replaces,
        edges,
        told: receipts,
        told_total,
        heed,
    } = life;
    v1::WhyReply {
        memory: Some(told(&memory)),
        operations: operations.into_iter().map(line).collect(),
        replaces,
        edges,
        told: receipts.into_iter().map(sessions::receipt).collect(),
        told_total: u32_of(told_total),
        ignored: heed.ignored,
        rests: heed.rests,
    }
}

fn u32_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
