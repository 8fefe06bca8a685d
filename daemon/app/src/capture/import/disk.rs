//! The files of this machine, each asked for by a thread that may hang.

use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use helix_capture::read::places::{Entry, Tree};

use crate::plain_file;
use crate::reach::Reach;

/// How long a folder or a small file may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The disk.
pub(in crate::capture) struct Disk<'a> {
    pub(in crate::capture) reach: &'a Reach,
}

impl Tree for Disk<'_> {
    fn list(&self, folder: &Path) -> Vec<Entry> {
        let asked = folder.to_owned();
        let listed = self.reach.ask(folder, PATIENCE, move || entries(&asked));
        listed.unwrap_or_default()
    }

    fn read(&self, file: &Path, most_bytes: usize) -> Option<Vec<u8>> {
        let asked = file.to_owned();
        let read = move || plain_file::read(&asked, most_bytes as u64).ok();
        self.reach.ask(file, PATIENCE, read).flatten()
    }
}

/// The entries of a folder, by name. A link is followed to a file and to no folder: it may lead
/// back.
fn entries(folder: &Path) -> Vec<Entry> {
    let Ok(listed) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut entries: Vec<Entry> = listed.flatten().filter_map(|entry| of(&entry)).collect();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    entries
}

fn of(entry: &fs::DirEntry) -> Option<Entry> {
    let name = entry.file_name().into_string().ok()?;
    let is_directory = entry.file_type().ok()?.is_dir();
    let found = fs::metadata(entry.path()).ok()?;
    if !is_directory && !found.is_file() {
        return None;
    }
    let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok();
    Some(Entry {
        name,
        is_directory,
        bytes: found.len(),
        modified: changed.and_then(|since| i64::try_from(since.as_micros()).ok()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_link_to_a_folder_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        fs::write(path("file"), "four").unwrap();
        std::os::unix::fs::symlink(root.path(), path("back")).unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        let disk = Disk {
            reach: &Reach::default(),
        };
        let listed = disk.list(root.path());
        let names: Vec<_> = listed
            .iter()
            .map(|entry| (entry.name.as_str(), entry.is_directory, entry.bytes))
            .collect();
        let folder = names.iter().find(|(name, ..)| *name == "folder").unwrap();
        assert!(folder.1);
        assert!(names.contains(&("file", false, 4)), "{names:?}");
        assert!(names.contains(&("link", false, 4)), "{names:?}");
        assert!(!names.iter().any(|(name, ..)| *name == "back"), "{names:?}");
        assert_eq!(disk.read(&path("file"), 4).unwrap(), b"four");
        assert_eq!(disk.read(&path("file"), 3), None);
        assert!(disk.list(&path("nowhere")).is_empty());
    }
}
