//! Text for the model: terse, bounded, and with every stored character cleaned.
//!
//! Headers start at the margin and stored text is indented, so that no memory can fake a second one.

mod batch;
mod digest;
mod edit;
mod memory;
mod pack;
mod read;
mod search;
mod store;
mod topics;

use jiff::tz::TimeZone;

pub(crate) use batch::{Batched, batched};
pub(crate) use digest::{briefed, nothing_to_brief, packed_context};
pub(crate) use edit::{Change, edited};
pub(crate) use read::{Shown, entries, read};
pub(crate) use search::{Found, found};
pub(crate) use store::stored;
pub(crate) use topics::{
    Compacted, Exported, StatsDetail, checkpoint_cleared, checkpoint_loaded, checkpoint_saved, compacted,
    cross_references, exported, graph, imported, prune, recent, reindexed, session, stale, stats, topic_list,
};

/// Longest answer, in tokens: a fifth of what clients accept.
pub(crate) const ANSWER_MAX_TOKENS: u32 = 5_000;

/// Longest answer, in characters, four of which make a token.
pub(crate) const ANSWER_MAX_CHARS: usize = 20_000;

/// Longest body of one memory among several, in characters.
const BODY_MAX_CHARS: usize = 4_000;

/// Longest single line of a shortened memory, in characters.
const LINE_MAX_CHARS: usize = 240;

/// How much of each hit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Header and two lines.
    Medium,
    /// Everything.
    Full,
    /// One line.
    Brief,
    /// One line, by topic.
    Grouped,
    /// Topics with their number of hits.
    Topics,
    /// The number of hits.
    Count,
}

impl Detail {
    /// Whether hits are counted and not shown.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Self::Topics | Self::Count)
    }
}

/// For whom text is rendered.
pub(crate) struct View {
    /// The reader's time zone.
    pub(crate) zone: TimeZone,
}

impl View {
    /// A reader on this machine.
    pub(crate) fn local() -> Self {
        Self { zone: TimeZone::system() }
    }
}

#[cfg(test)]
mod samples;
