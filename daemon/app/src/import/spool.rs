//! Spools an import into one file of the home that has lost its name, so that nothing is left of it
//! whatever happens.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use helix_proto::paths::Paths;

use crate::Refusal;

/// Tells imports of one daemon apart.
static SERIAL: AtomicU64 = AtomicU64::new(0);

/// Files of one import: a topic each.
const FILES_MAX: usize = 100_000;

/// Longest name of one, in bytes: a path as systems take it. All names of an import are in RAM.
const NAME_MAX_BYTES: usize = 4_096;

/// Bytes of all imports that are spooled at once: some millions of memories. The home's disk has to
/// hold them beside the store, which grows by as much again.
const SPOOLED_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Bytes that are spooled now, by all imports of the daemon.
static SPOOLED: AtomicU64 = AtomicU64::new(0);

/// Why something was not spooled.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// The disk refused.
    #[error("keeping what is imported in the home's run directory: {0}; free some space")]
    Disk(#[from] io::Error),
    /// It is too much.
    #[error("imports may have {} MiB at once; import the files one after the other, or split them", SPOOLED_MAX_BYTES >> 20)]
    TooLarge,
    /// They are too many.
    #[error("an import may have {FILES_MAX} files; import the directories one after the other")]
    TooManyFiles,
    /// Nothing has such a name.
    #[error("a file's name has {0} bytes, the limit is {NAME_MAX_BYTES}; shorten it")]
    LongName(usize),
}

/// Bytes that count as spooled for as long as the value lives.
#[derive(Debug, Default)]
struct Counted(u64);

impl Counted {
    /// Counts more, where they fit.
    fn add(&mut self, bytes: u64) -> bool {
        let fits = |spooled: u64| {
            spooled
                .checked_add(bytes)
                .filter(|spooled| *spooled <= SPOOLED_MAX_BYTES)
        };
        let is_counted = SPOOLED
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits)
            .is_ok();
        self.0 += if is_counted { bytes } else { 0 };
        is_counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        SPOOLED.fetch_sub(self.0, Ordering::AcqRel);
    }
}

/// Named parts of one file.
pub struct Spool {
    file: Arc<File>,
    length: u64,
    counted: Counted,
    parts: Vec<Part>,
    read_to: Arc<AtomicU64>,
}

/// How far a spool is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    read_to: Arc<AtomicU64>,
    whole: u64,
}

impl Reading {
    /// Bytes read, and bytes there are.
    pub(super) fn so_far(&self) -> (u64, u64) {
        (self.read_to.load(Ordering::Relaxed), self.whole)
    }
}

struct Part {
    name: String,
    start: u64,
    end: u64,
}

impl Spool {
    /// Makes an empty spool.
    ///
    /// # Errors
    /// When the home's disk refuses.
    pub fn new(paths: &Paths) -> Result<Self, SpoolError> {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = paths
            .home
            .join("run")
            .join(format!("import-{}-{serial}", process::id()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        fs::remove_file(&path)?;
        Ok(Self {
            file: Arc::new(file),
            length: 0,
            counted: Counted::default(),
            parts: Vec::new(),
            read_to: Arc::default(),
        })
    }

    /// Appends to a part; parts come one after the other.
    ///
    /// # Errors
    /// [`SpoolError`]: a limit, or the disk.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), SpoolError> {
        if self.parts.last().is_none_or(|part| part.name != name) {
            if self.parts.len() == FILES_MAX {
                return Err(SpoolError::TooManyFiles);
            }
            if name.len() > NAME_MAX_BYTES {
                return Err(SpoolError::LongName(name.len()));
            }
            self.parts.push(Part {
                name: name.to_owned(),
                start: self.length,
                end: self.length,
            });
        }
        if !self.counted.add(bytes.len() as u64) {
            return Err(SpoolError::TooLarge);
        }
        (&*self.file).write_all(bytes)?;
        self.length += bytes.len() as u64;
        if let Some(part) = self.parts.last_mut() {
            part.end = self.length;
        }
        Ok(())
    }

    /// The names of the parts, in their order.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// Tells from now on how far it is read.
    pub(super) fn reading(&self) -> Reading {
        Reading {
            read_to: Arc::clone(&self.read_to),
            whole: self.length,
        }
    }

    /// Opens a part from its start.
    pub(super) fn open(&self, name: &str) -> io::Result<BufReader<PartReader>> {
        let part = self.parts.iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(BufReader::new(PartReader {
            file: Arc::clone(&self.file),
            start: part.start,
            end: part.end,
            at: part.start,
            read_to: Arc::clone(&self.read_to),
        }))
    }
}

impl From<SpoolError> for Refusal {
    fn from(error: SpoolError) -> Self {
        let message = error.to_string();
        match error {
            SpoolError::Disk(_) => Self::corrupt(message),
            SpoolError::TooLarge | SpoolError::TooManyFiles => Self::exhausted(message),
            SpoolError::LongName(_) => Self::invalid(message),
        }
    }
}

/// Reads one part, as a file of its own.
pub(super) struct PartReader {
    file: Arc<File>,
    start: u64,
    end: u64,
    at: u64,
    read_to: Arc<AtomicU64>,
}

impl Read for PartReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = bytes.len().min(left);
        let Some(bytes) = bytes.get_mut(..room) else {
            return Ok(0);
        };
        let count = self.file.read_at(bytes, self.at)?;
        self.at += count as u64;
        self.read_to.store(self.at, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for PartReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let length = self.end - self.start;
        let position = self.at.saturating_sub(self.start);
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => length.checked_add_signed(offset),
            SeekFrom::Current(offset) => position.checked_add_signed(offset),
        };
        let target = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        self.at = self.start.saturating_add(target);
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn parts_are_read_as_files_and_leave_no_trace() {
        let directory = tempfile::tempdir().unwrap();
        let paths = Paths::inside(directory.path());
        fs::create_dir(directory.path().join("run")).unwrap();
        let mut spool = Spool::new(&paths).unwrap();
        for (name, bytes) in [("a.md", "on"), ("a.md", "e"), ("b.md", "two")] {
            spool.write(name, bytes.as_bytes()).unwrap();
        }
        assert_eq!(spool.files().collect::<Vec<_>>(), ["a.md", "b.md"]);
        let reading = spool.reading();
        assert_eq!(reading.so_far(), (0, 6));
        let mut second = spool.open("b.md").unwrap();
        let mut text = String::new();
        second.read_to_string(&mut text).unwrap();
        second.seek(SeekFrom::Start(1)).unwrap();
        second.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), reading.so_far()), ("twowo", (6, 6)));
        assert_eq!(
            fs::read_dir(directory.path().join("run")).unwrap().count(),
            0
        );
    }

    #[test]
    fn all_spools_together_are_bounded_and_one_that_is_gone_leaves_its_room() {
        let spooled = || SPOOLED.load(Ordering::Acquire);
        let (mut one, mut two) = (Counted::default(), Counted::default());
        // Other tests spool some bytes at the same time.
        assert!(one.add(SPOOLED_MAX_BYTES - 1024 * 1024));
        assert!(!two.add(2 * 1024 * 1024));
        drop(one);
        assert!(two.add(2 * 1024 * 1024));
        drop(two);
        assert!(spooled() < 1024 * 1024);
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("run")).unwrap();
        let mut spool = Spool::new(&Paths::inside(directory.path())).unwrap();
        let long = "x".repeat(NAME_MAX_BYTES + 1);
        assert!(matches!(
            spool.write(&long, b""),
            Err(SpoolError::LongName(_))
        ));
        assert!(!Counted::default().add(u64::MAX));
        assert_eq!(
            Refusal::from(SpoolError::TooLarge).kind(),
            helix_memory::ErrorKind::Exhausted
        );
    }
}
