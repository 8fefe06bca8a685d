//! Capture: from what was said and done to the few facts worth keeping.
//!
//! A transcript is read step by step from where the last run stopped (`transcript`), its slices go
//! through the gate and the rules of `helix_capture`, and what they find goes the way of every write:
//! without secrets, not what was forgotten, not what is known (`keep`). It waits in the review as
//! quarantined memories, so nothing of it is shown to anybody who did not ask.
//!
//! Two occasions: an [import](mod@import) that somebody asked for, and the [end of a session](ended)
//! whose project somebody switched on ([`switches`]). The files in which agents keep memories of
//! their own are [sources](memories), and followed. What was kept is counted for each project
//! ([`ledger`]) and told to the session that starts next.

mod bare;
mod cursor;
pub mod ended;
mod foreseen;
mod git;
pub mod import;
mod keep;
mod known;
pub mod ledger;
pub mod memories;
mod refused;
mod relative;
pub mod status;
pub mod switches;
mod tally;
mod transcript;

pub(crate) use keep::BECAUSE;
pub use tally::Tally;

/// What was set for capture, in the configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
pub struct Settings {
    /// Whether sessions are distilled when they end, where no switch says; `Some(false)` in any
    /// case.
    pub transcripts: Option<bool>,
    /// Score from which the gate keeps a slice; `None` for the default.
    pub cutoff: Option<f64>,
    /// Whether mistakes of builds and tests are kept, and what mended them.
    pub incidents: bool,
    /// Whether it is kept what each session was given and does.
    pub sessions: bool,
    /// Whether it is kept what hooks told.
    pub receipts: bool,
    /// Whether reported events are taken.
    pub events: bool,
    /// Whether the files that agents keep are read, where no switch says; `Some(false)` in any case.
    pub agents_memories: Option<bool>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            transcripts: None,
            cutoff: None,
            incidents: true,
            sessions: true,
            receipts: true,
            events: true,
            agents_memories: None,
        }
    }
}
