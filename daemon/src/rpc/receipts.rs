//! `Receipts`: what hooks said, and whether it reached the model.

use helix_engine::model::Timestamp;
use helix_proto::v1;
use tonic::Status;

use super::convert;
use crate::hook::{Fate, Receipt};
use crate::runtime::Runtime;

/// Receipts listed when no limit is given.
const LIMIT_DEFAULT: u32 = 50;

/// Most receipts listed.
const LIMIT_MAX: u32 = 1_000;

/// Lists receipts, newest first, and counts all of them.
pub(super) fn receipts(runtime: &Runtime, request: &v1::ReceiptsRequest) -> Result<v1::ReceiptsReply, Status> {
    let limit = match request.limit {
        0 => LIMIT_DEFAULT,
        limit if limit <= LIMIT_MAX => limit,
        limit => return Err(Status::resource_exhausted(format!("limit is {limit}, the most is {LIMIT_MAX}"))),
    };
    let kept = kept(runtime)?;
    let counts = counted(&kept);
    let is_wanted = |receipt: &Receipt| request.session.is_empty() || receipt.session == request.session;
    let receipts = kept.into_iter().filter(|(_, receipt)| is_wanted(receipt)).take(limit as usize);
    let receipts = receipts.map(|(at_us, receipt)| to_wire(at_us, receipt)).collect();
    Ok(v1::ReceiptsReply { receipts, ..counts })
}

/// How many receipts there are of each fate.
pub(super) fn count(runtime: &Runtime) -> Result<v1::ReceiptsReply, Status> {
    Ok(counted(&kept(runtime)?))
}

fn counted(kept: &[(i64, Receipt)]) -> v1::ReceiptsReply {
    let count = |fate: Fate| kept.iter().filter(|(_, receipt)| receipt.fate() == fate).count() as u64;
    v1::ReceiptsReply {
        delivered: count(Fate::Delivered),
        cut: count(Fate::Cut),
        unknown: count(Fate::Unknown),
        ..v1::ReceiptsReply::default()
    }
}

/// All receipts, newest first.
fn kept(runtime: &Runtime) -> Result<Vec<(i64, Receipt)>, Status> {
    let read = runtime.strand.snapshot().and_then(|snapshot| snapshot.receipts(Timestamp::from_micros(i64::MIN)));
    let read = read.map_err(|error| convert::status(error.kind(), &error))?;
    Ok(read.into_iter().filter_map(|(at_us, state)| Some((at_us, Receipt::read(&state)?))).collect())
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
