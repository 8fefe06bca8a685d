//! Backups of the store: made from a snapshot while writes go on, verified, and kept for some days.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use helix_engine::{DirectoryStorage, Sequence, Storage, Timestamp, Verified};
use jiff::tz::TimeZone;

use crate::{App, Refusal};

/// The name of the daily job.
pub const JOB: &str = "backup";

/// Directory of the backups that stay in the home.
const DIRECTORY: &str = "backups";

/// Ending of a backup's name.
const ENDING: &str = ".redb";

/// A backup's name until it is whole.
const UNFINISHED: &str = ".helix-backup.making";

/// Beginning of a daily backup's name, before the time.
const DAILY: &str = "daily-";

/// Daily backups that are kept.
pub const DAILY_MAX: usize = 7;

/// Owner only.
const DIRECTORY_MODE: u32 = 0o700;

/// The same of a file.
const FILE_MODE: u32 = 0o600;

/// File beside the backups with the paths of those outside of the home, each with a zero byte behind it.
pub(crate) const ELSEWHERE: &str = "elsewhere";

/// A backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was made.
    pub made_at: Timestamp,
    /// True if it was made because a day was over; those go by themselves.
    pub is_daily: bool,
}

/// A backup that was found whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The backup.
    pub backup: Backup,
    /// Its content.
    pub verified: Verified,
    /// Operations that the present store has beyond it; `None` where it is of another store, or
    /// of another past of this one.
    pub newer: Option<u64>,
}

/// Who makes a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Somebody asked for it.
    Asked,
    /// A day is over.
    Daily,
}

/// The directory of the backups that stay in the home.
#[must_use]
pub fn directory(app: &App) -> PathBuf {
    app.layout.paths.home.join(DIRECTORY)
}

/// Makes a backup and verifies it. Without a directory it is made in the home.
///
/// # Errors
/// When it cannot be written, is not whole, or the daemon ends; nothing is left of it then.
pub fn make(app: &App, into: Option<&Path>, reason: Reason) -> Result<Whole, Refusal> {
    let directory = into.map_or_else(|| directory(app), Path::to_owned);
    make_directory(&directory)?;
    let storage = DirectoryStorage::new(directory.clone());
    let snapshot = app.memory.strand.snapshot()?;
    let made_at = app.memory.now();
    let copied = snapshot.copy_to(&storage, UNFINISHED, || !app.life.is_ending());
    copied.map_err(|error| failed("making", &directory, error.kind(), &error))?;
    // Free room of the store is not given back while the snapshot lives.
    drop(snapshot);
    let verified = Verified::of(&storage, UNFINISHED).map_err(|error| {
        storage.remove(UNFINISHED).ok();
        failed("verifying", &directory, error.kind(), &error)
    })?;
    let name = free_name(app, &directory, made_at, reason);
    let in_place = storage.replace(&name, UNFINISHED);
    in_place.map_err(|error| Refusal::internal(format!("naming the backup: {error}")))?;
    let path = directory.join(&name);
    if into.is_some() {
        note_elsewhere(app, &path)?;
    }
    tracing::info!(sequence = verified.sequence.0, "backup made");
    let backup = described(app, &path)
        .ok_or_else(|| Refusal::internal("the backup is gone that was just made"))?;
    let newer = newer(app, &verified)?;
    Ok(Whole {
        backup,
        verified,
        newer,
    })
}

/// Notes a backup outside of the home, before anybody is told of it: a purge has to find it.
fn note_elsewhere(app: &App, path: &Path) -> Result<(), Refusal> {
    let noted = || {
        let kept = directory(app);
        DirBuilder::new()
            .recursive(true)
            .mode(DIRECTORY_MODE)
            .create(&kept)?;
        let mut notes = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .mode(FILE_MODE)
            .open(kept.join(ELSEWHERE))?;
        let mut line = std::path::absolute(path)?.into_os_string().into_vec();
        line.push(0);
        notes.write_all(&line)?;
        notes.sync_all()
    };
    noted().map_err(|error: io::Error| {
        fs::remove_file(path).ok();
        Refusal::internal(format!(
            "noting where the backup is: {error}; it was removed"
        ))
    })
}

/// The backups that were made outside of the home, as far as they may still be there.
#[must_use]
pub(crate) fn elsewhere(app: &App) -> BTreeSet<PathBuf> {
    let notes = fs::read(directory(app).join(ELSEWHERE)).unwrap_or_default();
    let paths = notes
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty());
    let paths = paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
    // One whose directory is there was removed; where that is gone, a disk may be missing.
    let may_be_there = |path: &PathBuf| path.exists() || !path.parent().is_some_and(Path::exists);
    paths.filter(may_be_there).collect()
}

fn make_directory(directory: &Path) -> Result<(), Refusal> {
    let made = DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY_MODE)
        .create(directory);
    made.map_err(|error| {
        Refusal::invalid(format!(
            "the directory {} cannot be made: {error}",
            directory.display()
        ))
    })
}

fn failed(
    doing: &str,
    place: &Path,
    kind: helix_engine::ErrorKind,
    error: &dyn std::fmt::Display,
) -> Refusal {
    Refusal::of(
        kind,
        &format_args!("{doing} the backup in {}: {error}", place.display()),
    )
}

/// A name that no file has: `default-20261124T041500Z.redb`.
fn free_name(app: &App, directory: &Path, made_at: Timestamp, reason: Reason) -> String {
    let at = jiff::Timestamp::from_microsecond(made_at.as_micros()).unwrap_or_default();
    let at = at.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ");
    let daily = match reason {
        Reason::Asked => "",
        Reason::Daily => DAILY,
    };
    let stem = format!("{}-{daily}{at}", app.layout.strand);
    let mut name = format!("{stem}{ENDING}");
    let mut further = 1;
    while directory.join(&name).exists() {
        further += 1;
        name = format!("{stem}-{further}{ENDING}");
    }
    name
}

/// The backups in the home, newest first.
///
/// # Errors
/// When the directory cannot be read.
pub fn list(app: &App) -> Result<Vec<Backup>, Refusal> {
    let entries = match fs::read_dir(directory(app)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Refusal::internal(format!(
                "reading the directory of backups: {error}"
            )));
        }
    };
    let prefix = format!("{}-", app.layout.strand);
    let mut backups: Vec<Backup> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| name_of(path).starts_with(&prefix) && name_of(path).ends_with(ENDING))
        .filter_map(|path| described(app, &path))
        .collect();
    backups.sort_by(|a, b| b.made_at.cmp(&a.made_at).then_with(|| b.path.cmp(&a.path)));
    Ok(backups)
}

fn described(app: &App, path: &Path) -> Option<Backup> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let modified = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let daily = format!("{}-{DAILY}", app.layout.strand);
    Some(Backup {
        path: path.to_owned(),
        bytes: found.len(),
        made_at: Timestamp::from_micros(i64::try_from(modified.as_micros()).ok()?),
        is_daily: name_of(path).starts_with(&daily),
    })
}

fn name_of(path: &Path) -> &str {
    path.file_name()
        .and_then(std::ffi::OsStr::to_str)
        .unwrap_or_default()
}

/// Opens a backup, walks its history and compares it with the present store.
///
/// # Errors
/// When it is not whole, or is no backup.
pub fn verify(app: &App, path: &Path) -> Result<Whole, Refusal> {
    let absent = || Refusal::not_found(format!("there is no file {}", path.display()));
    let backup = described(app, path).ok_or_else(absent)?;
    let (Some(directory), name) = (path.parent(), name_of(path)) else {
        return Err(absent());
    };
    let storage = DirectoryStorage::new(directory.to_owned());
    let verified = Verified::of(&storage, name).map_err(|error| {
        let message = format!("{} is no backup to go back to: {error}", path.display());
        Refusal::of(error.kind(), &message)
    })?;
    let newer = newer(app, &verified)?;
    Ok(Whole {
        backup,
        verified,
        newer,
    })
}

/// Operations that the present store has beyond a backup of it.
fn newer(app: &App, verified: &Verified) -> Result<Option<u64>, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let Sequence(present) = snapshot.sequence()?;
    let is_same = snapshot.mark(verified.sequence)?.as_deref() == Some(&verified.mark);
    Ok(is_same.then(|| present - verified.sequence.0))
}

/// Returns whether anything was written since the last daily backup.
///
/// # Errors
/// When the disk fails.
pub fn is_worthwhile(app: &App) -> Result<bool, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let Some(changed_at) = snapshot.time_of(snapshot.sequence()?)? else {
        return Ok(false);
    };
    let newest = list(app)?.into_iter().find(|backup| backup.is_daily);
    Ok(newest.is_none_or(|newest| newest.made_at < changed_at))
}

/// Makes the daily backup and lets those go that are older than the last [`DAILY_MAX`].
///
/// # Errors
/// As [`make`].
pub fn daily(app: &App) -> Result<Whole, Refusal> {
    let made = make(app, None, Reason::Daily)?;
    let backups = list(app)?;
    let daily = backups.iter().filter(|backup| backup.is_daily);
    for old in daily.skip(DAILY_MAX) {
        if let Err(error) = fs::remove_file(&old.path) {
            tracing::warn!(%error, "an old backup was not removed");
        }
    }
    Ok(made)
}
