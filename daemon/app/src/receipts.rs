//! `Receipts`: what hooks said, and whether it reached the model.

use helix_memory::Timestamp;

use crate::hook::{Fate, Receipt};
use crate::limit::Limit;
use crate::session_id;
use crate::{App, Refusal};

/// Receipts listed.
const LIMIT: Limit = Limit {
    default: 50,
    max: 1_000,
};

/// How many receipts there are of each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that reached the model.
    pub delivered: u64,
    /// Those of which it got the beginning only.
    pub cut: u64,
    /// Those of which nobody said.
    pub unknown: u64,
    /// Those without which it went on.
    pub withheld: u64,
}

/// Receipts and when they were written, newest first.
pub type Dated = Vec<(Timestamp, Receipt)>;

/// Lists receipts, and counts all of them; of one session only where one is named. A `limit` of 0
/// is the usual one.
///
/// # Errors
/// When the limit is too large, no session or several are meant, or the disk fails.
pub fn receipts(app: &App, session: &str, limit: u32) -> Result<(Dated, Counts), Refusal> {
    let limit = LIMIT.read(limit)?;
    let kept = kept(app)?;
    let dated =
        |at_us: i64, state: &[u8]| Some((Timestamp::from_micros(at_us), Receipt::read(state)?));
    let read = kept
        .iter()
        .filter_map(|(at_us, state)| dated(*at_us, state));
    if session.is_empty() {
        return Ok((read.take(limit).collect(), count_kept(&kept)));
    }
    let others = read.clone().map(|(_, receipt)| receipt.session);
    let session = session_id::resolve(app, session, others)?;
    let mut own: Dated = read
        .filter(|(_, receipt)| receipt.session == session)
        .collect();
    let counts = counted(own.iter().map(|(_, receipt)| receipt.fate()));
    own.truncate(limit);
    Ok((own, counts))
}

/// How many receipts there are of each fate.
///
/// # Errors
/// When the disk fails.
pub fn count(app: &App) -> Result<Counts, Refusal> {
    Ok(count_kept(&kept(app)?))
}

fn count_kept(kept: &[(i64, Vec<u8>)]) -> Counts {
    counted(
        kept.iter()
            .filter_map(|(_, state)| Receipt::read_fate(state)),
    )
}

fn counted(fates: impl Iterator<Item = Fate>) -> Counts {
    let mut counts = Counts::default();
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
pub(crate) fn kept(app: &App) -> Result<Vec<(i64, Vec<u8>)>, Refusal> {
    Ok(app
        .memory
        .strand
        .snapshot()?
        .receipts(Timestamp::from_micros(i64::MIN))?)
}
