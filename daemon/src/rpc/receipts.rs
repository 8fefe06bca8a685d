//! `Receipts`: what hooks said, and whether it reached the model.

use helix_app::Refusal;
use helix_app::limit::Limit;
use helix_engine::model::Timestamp;
use helix_proto::v1;

use super::session_id;
use crate::runtime::Runtime;
use helix_app::hook::{Fate, Receipt};

/// Receipts listed.
const LIMIT: Limit = Limit { default: 50, max: 1_000 };

/// Lists receipts, newest first, and counts all of them; of one session only where the request names one.
pub(super) fn receipts(runtime: &Runtime, request: &v1::ReceiptsRequest) -> Result<v1::ReceiptsReply, Refusal> {
    let limit = LIMIT.read(request.limit)?;
    let kept = kept(runtime)?;
    let read = kept.iter().filter_map(|(at_us, state)| Some((*at_us, Receipt::read(state)?)));
    if request.session.is_empty() {
        let receipts = read.take(limit).map(|(at_us, receipt)| to_wire(at_us, receipt)).collect();
        return Ok(v1::ReceiptsReply { receipts, ..count_kept(&kept) });
    }
    let others = read.clone().map(|(_, receipt)| receipt.session);
    let session = session_id::resolve(runtime, &request.session, others)?;
    let own: Vec<(i64, Receipt)> = read.filter(|(_, receipt)| receipt.session == session).collect();
    let counts = counted(own.iter().map(|(_, receipt)| receipt.fate()));
    let receipts = own.into_iter().take(limit).map(|(at_us, receipt)| to_wire(at_us, receipt)).collect();
    Ok(v1::ReceiptsReply { receipts, ..counts })
}

/// How many receipts there are of each fate.
pub(super) fn count(runtime: &Runtime) -> Result<v1::ReceiptsReply, Refusal> {
    Ok(count_kept(&kept(runtime)?))
}

fn count_kept(kept: &[(i64, Vec<u8>)]) -> v1::ReceiptsReply {
    counted(kept.iter().filter_map(|(_, state)| Receipt::read_fate(state)))
}

fn counted(fates: impl Iterator<Item = Fate>) -> v1::ReceiptsReply {
    let mut counts = v1::ReceiptsReply::default();
    for fate in fates {
        match fate {
            Fate::Delivered => counts.delivered += 1,
            Fate::Cut => counts.cut += 1,
            Fate::Unknown => counts.unknown += 1,
            Fate::Withheld | Fate::Blocked => counts.withheld += 1,
        }
    }
    counts
}

/// All receipts as they are persisted, newest first.
fn kept(runtime: &Runtime) -> Result<Vec<(i64, Vec<u8>)>, Refusal> {
    let read =
        runtime.app.memory.strand.snapshot().and_then(|snapshot| snapshot.receipts(Timestamp::from_micros(i64::MIN)));
    read.map_err(|error| Refusal::of(error.kind(), &error))
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
