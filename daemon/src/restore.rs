//! Putting a backup in the place of the store, while no daemon serves the home.
//!
//! The backup is copied into a directory of its own, what was forgotten or purged since is taken
//! out of it there, and the result takes the store's place by a rename. The present store stays
//! beside it under another name. A crash leaves one of the two in place.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use helix_app::ports::Clock as _;
use helix_engine::{DirectoryStorage, Restored, Storage as _, Store, Strand, Verified};
use helix_memory::{Kinds, MemoryId, Timestamp, Tombstone};

use crate::config::Config;
use crate::failure::{Failure, io_failure};
use crate::home::make_directory;
use crate::system::SystemClock;

/// Where the backup is opened; what a crash left of it is removed by the next restore.
const STAGING: &str = "restoring";

/// The file that takes the store's place, until it does.
const RESTORED: &str = "store.redb.restored";

/// Owner only.
const FILE_MODE: u32 = 0o600;

/// Restores a backup and says on stdout what came of it.
pub(crate) fn restore(config: &Config, backup: &Path) -> Result<(), Failure> {
    let strand = config.paths.strand(&config.strand);
    make_directory(&strand)?;
    let staging = strand.join(STAGING);
    clear(&staging)?;
    let now = SystemClock.now();
    let prepared = prepared(&strand, &staging, backup, now);
    // What stays of it takes room and does no other harm.
    clear(&staging).ok();
    let restored = prepared?;
    let aside = put_in_place(&strand, now)?;
    say(&restored, aside.as_deref());
    Ok(())
}

/// Makes the file that takes the store's place.
fn prepared(
    strand: &Path,
    staging: &Path,
    backup: &Path,
    now: Timestamp,
) -> Result<Restored, Failure> {
    let refused = |error: &dyn std::fmt::Display| {
        Failure::Restore(format!("{} was not restored: {error}", backup.display()))
    };
    make_directory(staging)?;
    copy(backup, &staging.join(Store::FILE)).map_err(|error| refused(&error))?;
    let copied = DirectoryStorage::new(staging.to_owned());
    Verified::of(&copied, Store::FILE).map_err(|error| refused(&error))?;
    let target = DirectoryStorage::new(strand.to_owned());
    let tombstones = tombstones(strand)?;
    Restored::from_backup(&copied, &tombstones, (&target, RESTORED), now)
        .map_err(|error| refused(&error))
}

/// Reads the tombstones up to now. A store that is too damaged to be opened knows nothing of it.
fn tombstones(strand: &Path) -> Result<Vec<(MemoryId, Tombstone)>, Failure> {
    if !strand.join(Store::FILE).exists() {
        return Ok(Vec::new());
    }
    let storage = DirectoryStorage::new(strand.to_owned());
    let opened = Strand::open(&storage, None, Kinds::default());
    let read = opened.and_then(|(strand, _writer, _)| Ok(strand.snapshot()?.tombstones()?));
    match read {
        Ok(tombstones) => Ok(tombstones),
        Err(error) if error.kind() == helix_memory::ErrorKind::Newer => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "the present store does not say what was forgotten");
            Ok(Vec::new())
        }
    }
}

/// Keeps the present store under another name and puts the restored one in its place. Returns that
/// name.
fn put_in_place(strand: &Path, now: Timestamp) -> Result<Option<PathBuf>, Failure> {
    let present = strand.join(Store::FILE);
    let aside = if present.exists() {
        let name = format!(
            "{file}.before-restore-{}",
            now.as_micros(),
            file = Store::FILE
        );
        let aside = strand.join(name);
        // Both names lead to it until the rename, so a crash leaves a store.
        fs::hard_link(&present, &aside).map_err(io_failure("keeping", &present))?;
        Some(aside)
    } else {
        copy(&strand.join(RESTORED), &present).map_err(io_failure("writing", &present))?;
        None
    };
    DirectoryStorage::new(strand.to_owned())
        .replace(Store::FILE, RESTORED)
        .map_err(io_failure("replacing", &present))?;
    Ok(aside)
}

/// Copies a regular file to where none is; durable when it returns.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut from, _) = helix_app::plain_file::open(from)?;
    let mut to = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(to)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()
}

fn clear(staging: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(staging) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io_failure("removing", staging)(error))
        }
        _ => Ok(()),
    }
}

fn say(restored: &Restored, aside: Option<&Path>) {
    let Restored {
        memories,
        sequence,
        forgotten,
        purged,
    } = restored;
    let mut said = format!(
        "restored {memories} memories as of sequence {}\n",
        sequence.0
    );
    if forgotten + purged > 0 {
        said += &format!(
            "{} forgotten since stay forgotten, {purged} of them purged\n",
            forgotten + purged
        );
    }
    if let Some(aside) = aside {
        said += &format!("the store before is kept as {}\n", aside.display());
    }
    // The store is in place, whoever reads this.
    io::stdout().write_all(said.as_bytes()).ok();
}
