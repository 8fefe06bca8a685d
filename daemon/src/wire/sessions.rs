//! `SessionLog` and `Receipts` as the wire has them.

use helix_app::hook::Receipt;
use helix_app::receipts::{Counts, Dated};
use helix_app::session_log::{Doing, KnownSession, Log, Logged};
use helix_app::work::activity::Phase;
use helix_memory::Timestamp;
use helix_proto::v1;

/// Writes which sessions there are, and how many.
pub(crate) fn known((sessions, total): (Vec<KnownSession>, usize)) -> v1::SessionLogReply {
    let sessions = sessions.into_iter().map(known_session).collect();
    v1::SessionLogReply {
        sessions,
        total: u32_of(total),
        ..v1::SessionLogReply::default()
    }
}

fn known_session(known: KnownSession) -> v1::KnownSession {
    let KnownSession {
        session,
        project,
        project_name,
        phase,
        last_event_at,
        injected,
    } = known;
    v1::KnownSession {
        session,
        project,
        phase: phase.map(Phase::name).unwrap_or_default().to_owned(),
        last_event_at_us: last_event_at.as_micros(),
        injected: u32_of(injected),
        project_name,
    }
}

/// Writes what a session did.
pub(crate) fn log(log: Log) -> v1::SessionLogReply {
    let Log {
        session,
        operations,
        total,
        doing,
        recent_hours,
    } = log;
    v1::SessionLogReply {
        session,
        operations: operations.into_iter().map(logged).collect(),
        total: u32_of(total),
        activity: doing.map(activity),
        sessions: Vec::new(),
        recent_hours: u32::try_from(recent_hours).unwrap_or(u32::MAX),
    }
}

fn logged(logged: Logged) -> v1::LoggedOperation {
    let Logged {
        sequence,
        at,
        kind,
        handle,
        summary,
        agent,
    } = logged;
    let kind = kind.name().to_owned();
    v1::LoggedOperation {
        sequence: sequence.0,
        at_us: at.as_micros(),
        kind,
        handle,
        summary,
        agent,
    }
}

fn activity(doing: Doing) -> v1::SessionActivity {
    let Doing {
        activity: known,
        failing,
        injected,
        lines,
    } = doing;
    let last = known.last_run.clone().unwrap_or_default();
    v1::SessionActivity {
        last_run: known.last_run.as_ref().map(|last| last.tool.clone()),
        has_last_run_succeeded: last.has_succeeded,
        last_run_at_us: last.at_us,
        phase: known.current_phase().name().to_owned(),
        injected: u32_of(injected),
        focus: known.focus().into_iter().map(str::to_owned).collect(),
        failing,
        mended: known.mended,
        touched: known.touched,
        edited: known.edited,
        lines,
    }
}

/// Writes receipts and how many there are of each fate.
pub(crate) fn receipts(receipts: Dated, counts: Counts) -> v1::ReceiptsReply {
    let Counts {
        delivered,
        cut,
        unknown,
        withheld,
    } = counts;
    let receipts = receipts.into_iter().map(receipt).collect();
    v1::ReceiptsReply {
        receipts,
        delivered,
        cut,
        unknown,
        withheld,
    }
}

/// Writes a receipt.
pub(super) fn receipt((at, receipt): (Timestamp, Receipt)) -> v1::Receipt {
    v1::Receipt {
        at_us: at.as_micros(),
        fate: receipt.fate().name().to_owned(),
        session: receipt.session,
        event: receipt.event,
        handles: receipt.handles,
        tokens: receipt.tokens,
        latency_us: receipt.latency_us,
    }
}

fn u32_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
