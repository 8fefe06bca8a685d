//! Text for the model: terse, bounded, and with every stored character cleaned.
//!
//! Headers start at the margin and stored text is indented, so that no memory can fake a second one.

mod memory;
mod pack;
mod read;
mod search;
mod store;

use jiff::tz::TimeZone;

pub(crate) use read::read;
pub(crate) use search::{Found, found};
pub(crate) use store::stored;

/// Longest answer, in characters: 5,000 tokens, a fifth of what clients accept.
const ANSWER_MAX_CHARS: usize = 20_000;

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
