//! Caps of the tables that grow by themselves, all in one place. Memories, their names, their
//! edges, their history and their access statistics have none: nothing that somebody stored is ever
//! deleted automatically. What is told of damage is no more than what was stored.
//!
//! They are enforced behind each group that wrote to a table, and once when a store is opened that
//! an older Helix let grow.
//!
//! Those of tables of states are in [`super::states`]. Of receipts the oldest beyond
//! [`States::RECEIPTS_MAX`] go; a checkpoint beyond [`CHECKPOINTS_MAX`] is refused, because somebody saved
//! each of them; of those that were replaced or cleared the oldest beyond
//! [`EARLIER_CHECKPOINTS_MAX`] go; a tombstone beyond [`TOMBSTONES_MAX`] takes the place of the
//! oldest.

use std::collections::BTreeSet;
use std::ops::RangeBounds;

use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};

use super::states::{SLACK, States};
use super::{CommitError, checkpoint, codec, seal, tables};

impl States {
    /// Receipts that are kept: some weeks of them, at a few hundred bytes each.
    pub const RECEIPTS_MAX: u64 = 5_000;
}

/// Projects with a checkpoint. Somebody saved each of them, so none goes by itself.
pub const CHECKPOINTS_MAX: u64 = 10_000;

/// Projects whose replaced and cleared checkpoints are kept, at some kilobytes each: as many as may
/// have one.
pub const EARLIER_CHECKPOINTS_MAX: u64 = CHECKPOINTS_MAX;

/// Tombstones that are kept, at a kilobyte or two each. All of them are in RAM.
pub const TOMBSTONES_MAX: u64 = 50_000;

/// The tables with a cap that a group wrote to.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    pub(super) states: BTreeSet<States>,
    pub(super) receipts: bool,
    pub(super) tombstones: bool,
    pub(super) checkpoints: bool,
}

impl Touched {
    pub(super) fn all() -> Self {
        Self {
            states: States::ALL.into(),
            receipts: true,
            tombstones: true,
            checkpoints: true,
        }
    }
}

/// Takes out of these tables what goes beyond their caps.
pub(super) fn enforce(
    transaction: &WriteTransaction,
    touched: &Touched,
) -> Result<(), CommitError> {
    for states in &touched.states {
        let (definition, cap) = (states.table(), states.cap());
        let mut table = transaction.open_table(definition)?;
        shorten(&mut table, cap.rows_max, cap.slack, |key, record| {
            // What is damaged goes first.
            let state = seal::open("a state", &definition, key, record);
            state.map_or(i64::MIN, |state| (cap.age)(key, state))
        })?;
    }
    if touched.tombstones {
        let mut table = transaction.open_table(tables::TOMBSTONES)?;
        shorten(&mut table, TOMBSTONES_MAX, 0, |key, record| {
            let body = seal::open("a tombstone", &tables::TOMBSTONES, key, record);
            let tombstone = body.and_then(codec::tombstone::decode);
            tombstone.map_or(i64::MIN, |tombstone| tombstone.at.as_micros())
        })?;
    }
    if touched.checkpoints {
        let mut table = transaction.open_table(tables::CHECKPOINTS)?;
        if table.len()? > EARLIER_CHECKPOINTS_MAX {
            shorten_earlier(&mut table)?;
        }
    }
    if touched.receipts {
        let mut receipts = transaction.open_table(tables::RECEIPTS)?;
        while receipts.len()? > States::RECEIPTS_MAX {
            receipts.pop_first()?;
        }
    }
    Ok(())
}

/// Takes the rows of the lowest age out of a table that has more than `most`, and `slack` more.
fn shorten(
    table: &mut Table<'_, &'static str, &'static [u8]>,
    most: u64,
    slack: u64,
    age: impl Fn(&str, &[u8]) -> i64,
) -> Result<(), CommitError> {
    match table.len()?.saturating_sub(most) {
        0 => Ok(()),
        beyond => take_out(table, .., beyond + slack, age),
    }
}

/// Takes out the earlier checkpoints of the scopes beyond [`EARLIER_CHECKPOINTS_MAX`], and some
/// more.
fn shorten_earlier(table: &mut checkpoint::Table<'_>) -> Result<(), CommitError> {
    let (keys, age) = (checkpoint::EARLIER_KEYS, checkpoint::age_of_earlier);
    match checkpoint::count_earlier(table)?.saturating_sub(EARLIER_CHECKPOINTS_MAX) {
        0 => Ok(()),
        beyond => take_out(table, keys, beyond + EARLIER_CHECKPOINTS_MAX / SLACK, age),
    }
}

/// Takes so many rows of the lowest age out of some of a table's rows.
fn take_out(
    table: &mut Table<'_, &'static str, &'static [u8]>,
    keys: impl RangeBounds<&'static str> + 'static,
    rows_max: u64,
    age: impl Fn(&str, &[u8]) -> i64,
) -> Result<(), CommitError> {
    let mut rows = Vec::new();
    for row in table.range::<&str>(keys)? {
        let (key, state) = row?;
        rows.push((age(key.value(), state.value()), key.value().to_owned()));
    }
    let going = usize::try_from(rows_max)
        .unwrap_or(usize::MAX)
        .min(rows.len());
    if going < rows.len() {
        rows.select_nth_unstable(going);
    }
    for (_, key) in rows.iter().take(going) {
        table.remove(key.as_str())?;
    }
    tracing::debug!(rows = going, "rows beyond a table's cap were removed");
    Ok(())
}

#[cfg(test)]
mod tests;
