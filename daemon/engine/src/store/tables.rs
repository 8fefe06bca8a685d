//! The tables of [`Store::FILE`], all in one place. How many rows each may have is said in
//! [`super::bounds`].
//!
//! Records are in the envelope of `seal`, apart from those of memories and operations that were
//! written before format 3. A table with names as keys belongs into [`NAMED`], or, where the store
//! does not look into its records, into [`super::states`]: what makes, mends and shortens tables
//! goes through these two lists. Any other new table belongs into `mend` as well, or a damaged
//! store loses it.

use redb::TableDefinition;

/// Memory number → record (see `codec`).
pub(super) const MEMORIES: TableDefinition<u32, &[u8]> = TableDefinition::new("memories");

/// Memory id → number.
pub(super) const IDS: TableDefinition<[u8; 16], u32> = TableDefinition::new("ids");

/// Handle → number. A memory that was moved keeps the handles it had, so that old notes still lead
/// to it; the record says which one is in use.
pub(super) const HANDLES: TableDefinition<&str, u32> = TableDefinition::new("handles");

/// Sequence → operation (see `history`). Append-only.
pub(super) const HISTORY: TableDefinition<u64, &[u8]> = TableDefinition::new("history");

/// Memory number → (access count and hash, last seen in microseconds; see `seal`). Kept apart from
/// the record, so that a recall does not rewrite texts or fill the history.
pub(super) const ACCESS: TableDefinition<u32, (u64, i64)> = TableDefinition::new("access");

/// When a hook said something, in microseconds → the receipt, opaque to the store.
pub(super) const RECEIPTS: TableDefinition<i64, &[u8]> = TableDefinition::new("receipts");

/// A table of sealed records with names as keys.
pub(super) type Named = TableDefinition<'static, &'static str, &'static [u8]>;

/// From, relation and to → edge (see `codec::edge`).
pub(super) const EDGES: Named = TableDefinition::new("edges");

/// Memory id → tombstone (see `codec::tombstone`).
pub(super) const TOMBSTONES: Named = TableDefinition::new("tombstones");

/// Scope → checkpoint (see `checkpoint`).
pub(super) const CHECKPOINTS: Named = TableDefinition::new("checkpoints");

/// The tables that the store itself understands and that have names as keys.
pub(super) const NAMED: [Named; 3] = [CHECKPOINTS, EDGES, TOMBSTONES];

/// Number of a memory that was lost to damage → its handle, where that is known.
pub(super) const LOST: TableDefinition<u32, &str> = TableDefinition::new("lost");

/// First sequence → last sequence of operations that were lost to damage.
pub(super) const GAPS: TableDefinition<u64, u64> = TableDefinition::new("gaps");

/// Single numbers.
pub(super) const META: TableDefinition<&str, u64> = TableDefinition::new("meta");

/// Key of the layout's version in [`META`].
pub(super) const META_FORMAT: &str = "format";

/// Key of the next memory number in [`META`].
pub(super) const META_NEXT_NUMBER: &str = "next-number";

/// Key of a random number in [`META`] that no other store has: what was made from this store says
/// so.
pub(super) const META_IDENTITY: &str = "identity";
