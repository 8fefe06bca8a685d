//! Noticing that a file changed: how files and folders looked as they were read is compared every few
//! seconds with how they look now.
//!
//! Stat data, and no notifications of the system: those of a folder that a network serves do not tell of
//! others' changes, and asking for them may hang. Nothing of this is kept: after a start every root is
//! read once.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::files::PATIENCE;
use super::rows::Row;
use super::{Report, follow, is_read};
use crate::reach::Reach;
use crate::{App, Refusal};

/// How often the files are looked at.
pub(in crate::capture) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Files and folders of one root that are looked at; what is beyond is read once an hour.
const SEEN_MAX: usize = 1_000;

/// How a file or folder looked; `None` where nothing stood.
pub(super) type Look = Option<Stat>;

/// What changes with a file's content, or with a folder's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Says how a path looks, whatever links lead there. May hang.
pub(super) fn look_at(path: &Path) -> Look {
    let found = fs::metadata(path).ok()?;
    Some(Stat {
        device: found.dev(),
        inode: found.ino(),
        bytes: found.len(),
        modified: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}

/// What is looked at of each root, by the name of its row.
#[derive(Debug, Default)]
pub(super) struct Watched(Mutex<HashMap<String, Root>>);

/// What was read of one root.
#[derive(Clone, Debug)]
struct Root {
    /// Each hangs together: what lies below the root, and what is kept elsewhere for it. `None` where
    /// it was never read since the daemon started.
    groups: Option<[Group; 2]>,
}

/// Paths on one file system, as they looked.
#[derive(Clone, Debug)]
struct Group {
    place: PathBuf,
    seen: Arc<Vec<(PathBuf, Look)>>,
}

impl Watched {
    /// With the roots that were read before the daemon started, none of which was looked at.
    pub(super) fn of(keys: impl Iterator<Item = String>) -> Self {
        let roots = keys.map(|key| (key, Root { groups: None }));
        Self(Mutex::new(roots.collect()))
    }

    /// Whether there is anything to look at.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Looks at a root from now on, in place of what was looked at of it.
    pub(super) fn put(&self, row: &Row, mut seen: Vec<(PathBuf, Look)>) {
        seen.truncate(SEEN_MAX);
        let (below, elsewhere) = seen
            .into_iter()
            .partition(|(path, _)| path.starts_with(&row.root));
        let groups = Some([Group::of(below), Group::of(elsewhere)]);
        self.lock().insert(row.key(), Root { groups });
    }

    /// Looks at a root no more.
    pub(super) fn remove(&self, row: &Row) {
        self.lock().remove(&row.key());
    }

    /// The names of the rows of roots in which something looks otherwise. A place that does not answer
    /// changed nothing.
    fn changed(&self, reach: &Reach) -> Vec<String> {
        let roots = self.lock().clone();
        let changed = roots
            .into_iter()
            .filter(|(_, root)| root.has_changed(reach));
        changed.map(|(key, _)| key).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Root>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Root {
    fn has_changed(&self, reach: &Reach) -> bool {
        match &self.groups {
            None => true,
            Some(groups) => groups.iter().any(|group| group.has_changed(reach)),
        }
    }
}

impl Group {
    fn of(seen: Vec<(PathBuf, Look)>) -> Self {
        let first = seen.first().map(|(path, _)| path.clone());
        Self {
            place: first.unwrap_or_default(),
            seen: Arc::new(seen),
        }
    }

    fn has_changed(&self, reach: &Reach) -> bool {
        if self.seen.is_empty() {
            return false;
        }
        let paths = self.seen.iter().map(|(path, _)| path.clone()).collect();
        let seen = Arc::clone(&self.seen);
        let is_other = move || seen.iter().any(|(path, look)| look_at(path) != *look);
        let answer = reach.ask_of(&self.place, paths, PATIENCE, is_other);
        answer.unwrap_or(false)
    }
}

/// Reads the roots again in which something changed since they were read. Whoever calls this holds
/// `reading`.
///
/// # Errors
/// When the store fails.
pub(super) fn look(app: &App) -> Result<Report, Refusal> {
    let mut report = Report::default();
    let watched = &app.hooks.captures.memories.watched;
    for key in watched.changed(&app.memory.reach) {
        let Some(row) = Row::named(app, &key)? else {
            watched.lock().remove(&key);
            continue;
        };
        // What was switched off is dropped within the hour.
        if is_read(app, &row.project()) {
            report.add(follow::follow(app, row)?);
        } else {
            watched.remove(&row);
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn group(paths: &[&Path]) -> Group {
        Group::of(
            paths
                .iter()
                .map(|path| (path.to_path_buf(), look_at(path)))
                .collect(),
        )
    }

    #[test]
    fn a_change_an_arrival_and_a_departure_are_seen() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("CLAUDE.md");
        let reach = Reach::default();
        let absent = group(&[&path]);
        assert!(!absent.has_changed(&reach));
        fs::write(&path, "a").unwrap();
        assert!(absent.has_changed(&reach));
        let (file, folder) = (group(&[&path]), group(&[directory.path()]));
        assert!(!file.has_changed(&reach));
        fs::write(&path, "more").unwrap();
        assert!(file.has_changed(&reach));
        assert!(!folder.has_changed(&reach));
        fs::remove_file(&path).unwrap();
        assert!(folder.has_changed(&reach));
    }

    #[test]
    fn of_the_same_length_is_another_file() {
        let directory = tempfile::tempdir().unwrap();
        let (path, new) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&path, "one").unwrap();
        fs::write(&new, "two").unwrap();
        let file = group(&[&path]);
        fs::rename(&new, &path).unwrap();
        assert!(file.has_changed(&Reach::default()));
    }
}
