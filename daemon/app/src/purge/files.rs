//! The strand's files, without what was removed from them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use helix_engine::{Shrunk, Store};

use super::traces::Traces;
use crate::backup::{self, Reason};
use crate::{App, Refusal};

/// Parts of the names of copies of the store that Helix makes: before a change of format, of a
/// damaged one, and before a backup takes its place.
const COPIES: [&str; 3] = [".format-", ".damaged-", ".before-restore-"];

/// Files that held copies and are gone.
pub(super) struct Removed {
    /// Notes on their fate, in words.
    pub(super) notes: Vec<String>,
    /// True if backups were among them.
    pub(super) had_backups: bool,
}

/// Makes the indexes without what is gone and removes copies of the store that hold any of it.
pub(super) fn clean(app: &App, traces: &Traces) -> Result<Removed, Refusal> {
    let strand = &app.memory.strand;
    // A merge of one segment may keep it as it is, so the index is filled anew.
    strand.reindex(|| true)?;
    let words = strand.compact_words();
    words.map_err(|error| Refusal::internal(error.to_string()))?;
    let vectors = strand.compact_vectors();
    vectors.map_err(|error| Refusal::internal(error.to_string()))?;
    let held = Held::find(app, traces);
    let copies = held.copies.iter().chain(&held.backups);
    let mut notes: Vec<String> = copies.filter_map(|copy| remove(copy)).collect();
    notes.extend(held.rest());
    Ok(Removed {
        notes,
        had_backups: !held.backups.is_empty(),
    })
}

/// Says which files would be removed, and what becomes of the others.
pub(super) fn announced(app: &App, traces: &Traces) -> Vec<String> {
    let held = Held::find(app, traces);
    let goes = |what: &str, path: &PathBuf| {
        format!(
            "{} holds a copy and would be removed: {what}",
            path.display()
        )
    };
    let copies = held.copies.iter();
    let copies = copies.map(|copy| goes("a copy of the store, with all else that is in it", copy));
    let backups = held.backups.iter();
    let backups = backups.map(|backup| goes("a backup", backup));
    copies.chain(backups).chain(held.rest()).collect()
}

/// Copies of the store, as they bear on a purge.
struct Held {
    /// Copies beside the store that hold any of what goes.
    copies: Vec<PathBuf>,
    /// Backups that do.
    backups: Vec<PathBuf>,
    /// The number of backups that do not.
    others: usize,
    /// Backups out of reach.
    absent: Vec<PathBuf>,
}

impl Held {
    fn find(app: &App, traces: &Traces) -> Self {
        let mut copies = copies(&app.layout.directory());
        copies.retain(|copy| traces.are_in(copy));
        let (elsewhere, absent): (Vec<PathBuf>, Vec<PathBuf>) = backup::elsewhere(app)
            .into_iter()
            .partition(|backup| backup.exists());
        let (backups, others): (Vec<PathBuf>, Vec<PathBuf>) = entries(&backup::directory(app))
            .into_iter()
            .filter(|file| !file.ends_with(backup::ELSEWHERE))
            .chain(elsewhere)
            .partition(|backup| traces.are_in(backup));
        Self {
            copies,
            backups,
            others: others.len(),
            absent,
        }
    }

    /// Says what becomes of the backups that stay.
    fn rest(&self) -> impl Iterator<Item = String> {
        let unreached = self.absent.iter().map(|backup| unreached(backup));
        kept(self.others).into_iter().chain(unreached)
    }
}

/// Says that a backup may hold it and is out of reach.
fn unreached(backup: &Path) -> String {
    format!(
        "the backup {} cannot be reached and may hold a copy; remove it yourself",
        backup.display()
    )
}

/// Says how many backups stay.
fn kept(backups: usize) -> Option<String> {
    match backups {
        0 => None,
        1 => Some("1 backup does not hold it and stays".to_owned()),
        many => Some(format!("{many} backups do not hold it and stay")),
    }
}

/// Copies of the store beside it.
fn copies(directory: &Path) -> Vec<PathBuf> {
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(Store::FILE));
        rest.is_some_and(|rest| COPIES.iter().any(|copy| rest.starts_with(copy)))
    };
    entries(directory).into_iter().filter(is_copy).collect()
}

/// Lists a directory; nothing where it is not there.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Removes a file or directory, and says so; also that it could not be.
fn remove(path: &Path) -> Option<String> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed = if is_directory {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    let shown = path.display();
    match removed {
        Ok(()) => Some(format!("{shown} held a copy and was removed")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(format!(
            "{shown} may hold a copy and could not be removed ({error}); remove it yourself"
        )),
    }
}

/// Makes a backup of what is left, in place of those that were removed. Says what came of it.
pub(super) fn back_up(app: &App) -> String {
    match backup::make(app, None, Reason::Asked) {
        Ok(whole) => {
            let path = whole.backup.path.display().to_string();
            format!(
                "a backup without it was made: {path}; copies that you made of backups are not touched"
            )
        }
        Err(error) => format!("no backup could be made in their place ({error})"),
    }
}

/// Says what is left where the store could not be written anew.
pub(super) fn left(rewritten: Shrunk) -> Option<String> {
    match rewritten {
        Shrunk::Rewritten { .. } | Shrunk::AsItWas => None,
        Shrunk::TooLarge | Shrunk::Failed => Some(
            "the store could not be written anew, which takes as much room again; the text is out of reach, \
             and its bytes may be in free room of the file until the next purge"
                .to_owned(),
        ),
    }
}
