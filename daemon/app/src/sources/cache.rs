//! Contents of files, cached in two generations, so that files asked for often stay.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use helix_memory::LineHash;

use super::file::{self, Stamp};

/// Files of one generation: more than a large project's memories are about; an entry takes some 200
/// bytes.
const FILES_MAX: usize = 16_384;

/// Lines of one generation, at sixteen bytes each. A file's own lines may exceed it.
const LINES_MAX: usize = 500_000;

/// A file that changed this short a time before it was read may change again within one tick of the
/// file system's clock, so it is not remembered.
const SETTLED: Duration = Duration::from_millis(100);

/// The content of a file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    stamp: Stamp,
    /// BLAKE3.
    pub(super) content: [u8; 32],
    /// Sorted; `None` until they are needed.
    pub(super) lines: Option<Arc<[(LineHash, u32)]>>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<PathBuf, Known>,
    young_lines: usize,
    old: HashMap<PathBuf, Known>,
    /// Files read since the start.
    reads: u64,
}

/// Contents by path.
#[derive(Debug, Default)]
pub(super) struct Cache {
    generations: Mutex<Generations>,
}

impl Cache {
    /// Returns the remembered file with this stamp, if that is enough.
    pub(super) fn remembered(
        &self,
        path: &Path,
        stamp: Stamp,
        needs_lines: impl Fn(&[u8; 32]) -> bool,
    ) -> Option<Known> {
        let mut generations = self.lock();
        let is_enough = |known: &&Known| {
            known.stamp == stamp && (known.lines.is_some() || !needs_lines(&known.content))
        };
        if let Some(known) = generations.young.get(path).filter(is_enough) {
            return Some(known.clone());
        }
        let known = generations.old.get(path).filter(is_enough).cloned()?;
        generations.insert(path, known.clone());
        Some(known)
    }

    /// Reads a file and remembers what it holds: once for its hash, and once more at most, should
    /// its lines be needed only later. `None` when it cannot be read.
    pub(super) fn read(
        &self,
        path: &Path,
        needs_lines: impl Fn(&[u8; 32]) -> bool,
        now: SystemTime,
    ) -> Option<Known> {
        let (bytes, stamp) = file::read(path)?;
        let content = *blake3::hash(&bytes).as_bytes();
        let lines = needs_lines(&content).then(|| LineHash::places(&bytes).into());
        let known = Known {
            stamp,
            content,
            lines,
        };
        let mut generations = self.lock();
        generations.reads += 1;
        // A time that lies in the future says nothing about ticks.
        if now
            .duration_since(stamp.modified())
            .map_or(true, |age| age >= SETTLED)
        {
            generations.insert(path, known.clone());
        }
        Some(known)
    }

    /// Files read since the start.
    #[cfg(test)]
    pub(super) fn reads(&self) -> u64 {
        self.lock().reads
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn insert(&mut self, path: &Path, known: Known) {
        if self.young.len() >= FILES_MAX || self.young_lines >= LINES_MAX {
            self.old = std::mem::take(&mut self.young);
            self.young_lines = 0;
        }
        let lines = |known: &Known| known.lines.as_ref().map_or(0, |lines| lines.len());
        self.young_lines += lines(&known);
        let replaced = self.young.insert(path.to_owned(), known);
        self.young_lines -= replaced.as_ref().map_or(0, lines);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::{self, File};
    use std::time::UNIX_EPOCH;

    use super::super::file::{Seen, see};
    use super::*;

    /// A day that is long past.
    const PAST: Duration = Duration::from_secs(1_700_000_000);

    fn write(path: &Path, text: &str, after_past: Duration) {
        fs::write(path, text).unwrap();
        let at = UNIX_EPOCH + PAST + after_past;
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(at)
            .unwrap();
    }

    fn stamp(path: &Path) -> Stamp {
        match see(path) {
            Seen::File(stamp) => Some(stamp),
            Seen::Gone | Seen::Unreadable => None,
        }
        .unwrap()
    }

    fn look(cache: &Cache, path: &Path, needs_lines: bool) -> Known {
        let remembered = cache.remembered(path, stamp(path), |_| needs_lines);
        remembered
            .or_else(|| cache.read(path, |_| needs_lines, SystemTime::now()))
            .unwrap()
    }

    #[test]
    fn an_unchanged_file_is_read_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rs");
        let cache = Cache::default();
        write(&path, "one\ntwo\n", Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(look(&cache, &path, true).lines.unwrap().len(), 2);
            assert_eq!(
                look(&cache, &path, false).content,
                *blake3::hash(b"one\ntwo\n").as_bytes()
            );
        }
        assert_eq!(cache.reads(), 1);
        // The same content at another time is the same content.
        write(&path, "one\ntwo\n", Duration::from_micros(1));
        assert_eq!(
            look(&cache, &path, false).content,
            *blake3::hash(b"one\ntwo\n").as_bytes()
        );
        assert_eq!(cache.reads(), 2);
        write(&path, "one\nsix\n", Duration::from_micros(2));
        assert_eq!(
            look(&cache, &path, false).content,
            *blake3::hash(b"one\nsix\n").as_bytes()
        );
        assert_eq!(cache.reads(), 3);
    }

    #[test]
    fn lines_are_read_when_they_are_needed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rs");
        let cache = Cache::default();
        write(&path, "one\ntwo\n", Duration::ZERO);
        assert!(look(&cache, &path, false).lines.is_none());
        for _ in 0..3 {
            assert!(look(&cache, &path, true).lines.is_some());
        }
        assert!(look(&cache, &path, false).lines.is_some());
        assert_eq!(cache.reads(), 2);
    }

    #[test]
    fn a_file_that_was_just_changed_is_not_remembered() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rs");
        let cache = Cache::default();
        write(&path, "one\n", Duration::ZERO);
        let changed_at = UNIX_EPOCH + PAST;
        let is_remembered = |read_at| {
            cache.read(&path, |_| false, read_at).unwrap();
            cache.remembered(&path, stamp(&path), |_| false).is_some()
        };
        assert!(!is_remembered(changed_at));
        assert!(!is_remembered(changed_at + SETTLED / 2));
        assert!(is_remembered(changed_at + SETTLED));
    }

    #[test]
    fn another_file_of_the_same_age_and_size_is_another() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("a.rs"), directory.path().join("b.rs"));
        let cache = Cache::default();
        write(&path, "one\n", Duration::ZERO);
        write(&other, "two\n", Duration::ZERO);
        look(&cache, &path, false);
        fs::rename(&other, &path).unwrap();
        assert_eq!(
            look(&cache, &path, false).content,
            *blake3::hash(b"two\n").as_bytes()
        );
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("used.rs");
        write(&path, "one\n", Duration::ZERO);
        let cache = Cache::default();
        let known = look(&cache, &path, true);
        for round in 0..3 {
            for n in 0..FILES_MAX {
                cache
                    .lock()
                    .insert(Path::new(&format!("{round}/{n}")), known.clone());
            }
            look(&cache, &path, true);
        }
        assert_eq!(cache.reads(), 1);
        let generations = cache.lock();
        assert!(generations.young.len() + generations.old.len() <= 2 * FILES_MAX);
        assert!(generations.young_lines <= FILES_MAX + 1);
    }
}
