//! `Receipts`: what hooks said, and whether it reached the model.

use helix_engine::model::Timestamp;
use helix_proto::v1;
use tonic::Status;

use super::limit::Limit;
use super::{convert, session_id};
use crate::hook::{Fate, Receipt};
use crate::runtime::Runtime;

/// Receipts listed.
const LIMIT: Limit = Limit { default: 50, max: 1_000 };

/// Lists receipts, newest first, and counts all of them.
pub(super) fn receipts(runtime: &Runtime, request: &v1::ReceiptsRequest) -> Result<v1::ReceiptsReply, Status> {
    let limit = LIMIT.read(request.limit)?;
    let kept = kept(runtime)?;
    let session = match request.session.as_str() {
        "" => String::new(),
        given => {
            let all = kept.iter().filter_map(|(_, state)| Receipt::read(state));
            session_id::resolve(runtime, given, all.map(|receipt| receipt.session))?
        }
    };
    let is_wanted = |receipt: &Receipt| session.is_empty() || receipt.session == session;
    let read = kept.iter().filter_map(|(at_us, state)| Some((*at_us, Receipt::read(state)?)));
    let listed = read.filter(|(_, receipt)| is_wanted(receipt)).take(limit);
    let receipts = listed.map(|(at_us, receipt)| to_wire(at_us, receipt)).collect();
    Ok(v1::ReceiptsReply { receipts, ..counted(&kept) })
}

/// How many receipts there are of each fate.
pub(super) fn count(runtime: &Runtime) -> Result<v1::ReceiptsReply, Status> {
    Ok(counted(&kept(runtime)?))
}

fn counted(kept: &[(i64, Vec<u8>)]) -> v1::ReceiptsReply {
    let mut counts = v1::ReceiptsReply::default();
    for fate in kept.iter().filter_map(|(_, state)| Receipt::read_fate(state)) {
        match fate {
            Fate::Delivered => counts.delivered += 1,
            Fate::Cut => counts.cut += 1,
            Fate::Unknown => counts.unknown += 1,
        }
    }
    counts
}

/// All receipts as they are persisted, newest first.
fn kept(runtime: &Runtime) -> Result<Vec<(i64, Vec<u8>)>, Status> {
    let read = runtime.strand.snapshot().and_then(|snapshot| snapshot.receipts(Timestamp::from_micros(i64::MIN)));
    read.map_err(|error| convert::status(error.kind(), &error))
}

fn to_wire(at_us: i64, receipt: Receipt) -> v1::Receipt {
    v1::Receipt {
        at_us,
        fate: receipt.fate().name().to_owned(),
        session: receipt.session,
        event: receipt.event,
        handles: receipt.handles,
        tokens: receipt.tokens,
        latency_us: receipt.latency_us,
    }
}
