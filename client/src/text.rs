//! Memories as text, for every program that shows them: terse, dated in the reader's time zone,
//! every stored character cleaned.
//!
//! Headers start at the margin and stored text is indented, so that no memory can fake a second
//! one.

pub mod changes;
pub mod clean;
pub mod corrections;
pub mod dates;
pub mod hits;
pub mod memory;
pub mod reason;
pub mod relations;
pub mod why_not;

use helix_proto::limits::{BODY_SHOWN_MAX_CHARS, LINE_SHOWN_MAX_CHARS};
use jiff::tz::TimeZone;

/// Longest body of one memory among several, in characters.
pub const BODY_MAX_CHARS: usize = BODY_SHOWN_MAX_CHARS;

/// Longest single line of a shortened memory, in characters.
pub const LINE_MAX_CHARS: usize = LINE_SHOWN_MAX_CHARS;

/// For whom text is rendered.
#[derive(Clone, Debug)]
pub struct View {
    /// The reader's time zone.
    pub zone: TimeZone,
}

impl View {
    /// A reader on this machine.
    #[must_use]
    pub fn local() -> Self {
        Self {
            zone: TimeZone::system(),
        }
    }
}
