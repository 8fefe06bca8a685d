//! `Backup` as the wire has it.

use helix_app::backup::{Backup, Whole};
use helix_proto::v1;

/// Writes a backup that was found whole.
pub(crate) fn whole(whole: &Whole) -> v1::Backup {
    v1::Backup {
        sequence: whole.verified.sequence.0,
        memories: whole.verified.memories,
        newer_operations: whole.newer,
        ..listed(&whole.backup)
    }
}

/// Writes a backup that nobody looked into.
pub(crate) fn listed(backup: &Backup) -> v1::Backup {
    v1::Backup {
        path: backup.path.display().to_string(),
        bytes: backup.bytes,
        made_at_us: backup.made_at.as_micros(),
        is_daily: backup.is_daily,
        ..v1::Backup::default()
    }
}
