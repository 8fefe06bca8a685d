//! Text for the model: terse, bounded, and with every stored character cleaned. How one memory
//! looks is `helix_client::text`.

mod batch;
mod conflicts;
mod corrections;
mod digest;
mod edit;
mod event;
mod history;
mod memories;
mod pack;
mod read;
mod relations;
mod search;
mod store;
mod topics;

use helix_client::limits::ANSWER_MAX_CHARS;
use helix_client::text::{LINE_MAX_CHARS, memory};

pub(crate) use batch::{Batched, batched};
pub(crate) use helix_client::text::View;
pub(crate) use helix_client::text::hits::Detail;

pub(crate) use conflicts::{conflicts, settled};
pub(crate) use digest::{briefed, nothing_to_brief, packed_context};
pub(crate) use edit::{Change, edited};
pub(crate) use event::taken;
pub(crate) use history::{difference, log, rolled_back, undone, why};
pub(crate) use memories::{forgotten, listed, packed_hits, written};
pub(crate) use read::{Shown, entries, read};
pub(crate) use relations::{neighbours, path, related, traversed, unrelated};
pub(crate) use search::{Found, found};
pub(crate) use store::stored;
pub(crate) use topics::{
    Compacted, Exported, StatsDetail, checkpoint_cleared, checkpoint_loaded, checkpoint_saved,
    compacted, cross_references, exported, graph, imported, prune, recent, reindexed, session,
    sessions, stale, stats, topic_list,
};

/// Longest answer, in tokens: a fifth of what clients accept.
pub(crate) const ANSWER_MAX_TOKENS: u32 = 5_000;

/// Bytes of an export after which it surely does not fit into an answer: a character has four at
/// most.
pub(crate) const EXPORT_READ_MAX_BYTES: usize = 4 * ANSWER_MAX_CHARS;

#[cfg(test)]
mod samples;
