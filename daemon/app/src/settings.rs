//! What the user set for the upkeep that Helix does by itself.

use crate::capture;
use crate::lifecycle::Mode;

/// What the user set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What becomes of memories that faded; `None` for what suits the strand's age.
    pub lifecycle: Option<Mode>,
    /// True if the store is backed up every day.
    pub daily_backup: bool,
    /// What is captured and recorded.
    pub capture: capture::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lifecycle: None,
            daily_backup: true,
            capture: capture::Settings::default(),
        }
    }
}
