//! Keeping the strand in shape: what is outdated, quiet, doubled or broken.

mod backup;
mod compact;
mod conflicts;
mod consolidate;
mod lifecycle;
mod prune;
mod reindex;
mod stale;

pub(crate) use backup::Backup;
pub(crate) use compact::Compact;
pub(crate) use conflicts::Conflicts;
pub(crate) use consolidate::Consolidate;
pub(crate) use lifecycle::Lifecycle;
pub(crate) use prune::Prune;
pub(crate) use reindex::Reindex;
pub(crate) use stale::Stale;

use std::time::Duration;

use helix_client::limits::MAINTENANCE_DEADLINE;

/// How long a look at everything may take: a million memories and the slowest disk, with room to
/// spare.
const EVERYTHING_DEADLINE: Duration = MAINTENANCE_DEADLINE;
