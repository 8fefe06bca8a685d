//! Traces of memories in a file: bytes that are nowhere but where they are.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use helix_engine::Snapshot;
use helix_memory::Sequence;
use memchr::memmem::Finder;

use super::plan::Planned;
use crate::{App, Refusal};

/// Shortest text that is looked for: a word or two are in files that hold nothing of the memory. The
/// id is in every record of it, whatever its text.
const TEXT_MIN_BYTES: usize = 24;

/// Bytes of a text that are looked for.
const TEXT_MAX_BYTES: usize = 256;

/// Bytes of a file that are read at once.
const READ_BYTES: usize = 1024 * 1024;

/// Ids, handles and texts, of every version of some memories; and the texts of checkpoints.
pub(super) struct Traces {
    needles: Vec<Vec<u8>>,
}

impl Traces {
    /// Reads the traces of memories and of their history, and of checkpoints.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn of(app: &App, planned: &Planned) -> Result<Self, Refusal> {
        let snapshot = app.memory.strand.snapshot()?;
        let mut needles = BTreeSet::new();
        for going in &planned.memories {
            let number = going.memory.memory.number;
            let newest = snapshot.memory(number)?.map(|memory| memory.sequence);
            add_versions(&snapshot, newest, &mut needles)?;
        }
        for checkpoint in &planned.checkpoints {
            for text in checkpoint.texts() {
                add_text(text, &mut needles);
            }
        }
        Ok(Self {
            needles: needles.into_iter().collect(),
        })
    }

    /// Whether a file holds any of them; true for one that cannot be read, and for a directory.
    pub(super) fn are_in(&self, path: &Path) -> bool {
        self.search(path).unwrap_or(true)
    }

    fn search(&self, path: &Path) -> io::Result<bool> {
        let finders: Vec<Finder<'_>> = self.needles.iter().map(Finder::new).collect();
        let longest = self.needles.iter().map(Vec::len).max().unwrap_or_default();
        let mut file = File::open(path)?;
        // The end of what was read before stands in front: a needle may begin there.
        let mut window: Vec<u8> = Vec::with_capacity(READ_BYTES + longest);
        loop {
            let rest = window.len().saturating_sub(longest);
            window.drain(..rest);
            let read = (&mut file)
                .take(READ_BYTES as u64)
                .read_to_end(&mut window)?;
            if read == 0 {
                return Ok(false);
            }
            if finders.iter().any(|finder| finder.find(&window).is_some()) {
                return Ok(true);
            }
        }
    }
}

/// Adds what each version of a memory is known by.
fn add_versions(
    snapshot: &Snapshot,
    newest: Option<Sequence>,
    needles: &mut BTreeSet<Vec<u8>>,
) -> Result<(), Refusal> {
    let mut next = newest;
    while let Some(sequence) = next {
        let Some(operation) = snapshot.operation_of(sequence)? else {
            break;
        };
        next = operation.previous_of_memory;
        // A damaged version is left out: the others have the same id.
        let Ok(Some(memory)) = operation.memory() else {
            continue;
        };
        needles.insert(memory.id.as_bytes().to_vec());
        needles.insert(memory.id.to_string().into_bytes());
        needles.insert(memory.handle.as_str().as_bytes().to_vec());
        add_text(&memory.text, needles);
    }
    Ok(())
}

/// Adds a text's beginning; nothing of a short one.
fn add_text(text: &str, needles: &mut BTreeSet<Vec<u8>>) {
    let text = text.as_bytes();
    if text.len() >= TEXT_MIN_BYTES {
        let part = text.get(..text.len().min(TEXT_MAX_BYTES));
        needles.insert(part.unwrap_or(text).to_vec());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_needle_is_found_wherever_it_lies() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let traces = Traces {
            needles: vec![b"needle".to_vec(), b"a longer needle than that".to_vec()],
        };
        for place in [0, 7, READ_BYTES - 3, READ_BYTES, 2 * READ_BYTES - 1] {
            let mut bytes = vec![b'.'; place];
            std::fs::write(&path, &bytes).unwrap();
            assert!(!traces.are_in(&path), "{place}");
            bytes.extend(b"needle");
            std::fs::write(&path, &bytes).unwrap();
            assert!(traces.are_in(&path), "{place}");
        }
        assert!(traces.are_in(directory.path()), "a directory is not read");
    }
}
