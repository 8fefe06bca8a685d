//! Reading a source file.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use helix_memory::LineHash;
use helix_neutral::neutral;
use sha1::{Digest, Sha1};

use super::SOURCE_MAX_BYTES;
use crate::plain_file;

/// Lines shown on either side of a place.
const EXCERPT_MARGIN: u32 = 3;

/// Characters of one shown line.
const EXCERPT_LINE_MAX_CHARS: usize = 400;

/// By what a file's content is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// When it was last changed, to the nanosecond.
    modified: SystemTime,
    size: u64,
    /// A file that was moved over another may be as old and as large.
    inode: u64,
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            modified: found.modified().unwrap_or(UNIX_EPOCH),
            size: found.size(),
            inode: found.ino(),
        }
    }

    /// When it was last changed.
    pub(super) fn modified(&self) -> SystemTime {
        self.modified
    }

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

/// The thing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// No file, or a directory.
    Gone,
    /// Something that cannot be read as a source.
    Unreadable,
    /// A file of bearable size.
    File(Stamp),
}

/// Looks at a path without reading it.
pub(super) fn see(path: &Path) -> Seen {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Seen::Gone,
        Ok(found) if !found.is_file() || found.len() > SOURCE_MAX_BYTES => Seen::Unreadable,
        Ok(found) => Seen::File(Stamp::of(&found)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Seen::Gone
        }
        Err(_) => Seen::Unreadable,
    }
}

/// Reads a regular file with its stamp; `None` when it is none, too large, or changes while it is
/// read.
pub(super) fn read(path: &Path) -> Option<(Vec<u8>, Stamp)> {
    let (mut file, before) = plain_file::open(path).ok()?;
    if before.len() > SOURCE_MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or_default());
    file.by_ref()
        .take(SOURCE_MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    let stamp = Stamp::of(&before);
    let is_whole = bytes.len() as u64 == before.len() && Stamp::of(&file.metadata().ok()?) == stamp;
    is_whole.then_some((bytes, stamp))
}

/// Hashes of a file, recorded when a memory about it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// BLAKE3.
    pub content: [u8; 32],
    /// Git's blob id: SHA-1 over `blob <length>\0` and the bytes.
    pub git_blob: [u8; 20],
    /// The line asked for; `None` when none was, or it is blank or behind the end.
    pub line: Option<LineHash>,
    /// How many lines there are.
    pub lines: u32,
}

/// Hashes a regular file and one of its lines; `None` when there is none, or it is too large.
#[must_use]
pub fn hashes(path: &Path, line: Option<u32>) -> Option<Hashes> {
    let (bytes, _) = read(path)?;
    Some(Hashes::of(&bytes, line))
}

/// The same for a line that may stand elsewhere by now, and where it is: the place of the text that
/// was recorded, else the number that it had.
#[must_use]
pub fn hashes_again(
    path: &Path,
    line: Option<u32>,
    was: Option<LineHash>,
) -> Option<(Hashes, Option<u32>)> {
    let (bytes, _) = read(path)?;
    let moved = |number| was.and_then(|hash| LineHash::nearest(&bytes, hash, number));
    let line = line.map(|number| moved(number).unwrap_or(number));
    Some((Hashes::of(&bytes, line), line))
}

impl Hashes {
    fn of(bytes: &[u8], line: Option<u32>) -> Self {
        Self {
            content: *blake3::hash(bytes).as_bytes(),
            git_blob: git_blob(bytes),
            line: line.and_then(|number| LineHash::of_number(bytes, number)),
            lines: u32::try_from(LineHash::lines(bytes).count()).unwrap_or(u32::MAX),
        }
    }
}

fn git_blob(bytes: &[u8]) -> [u8; 20] {
    let mut blob = Sha1::new();
    blob.update(format!("blob {}\0", bytes.len()));
    blob.update(bytes);
    blob.finalize().into()
}

/// A whole file as it is now, for many memories about its lines.
#[derive(Clone, Debug)]
pub struct Content {
    /// When it was last changed.
    pub modified: SystemTime,
    /// BLAKE3.
    pub content: [u8; 32],
    /// Git's blob id.
    pub git_blob: [u8; 20],
    lines: Vec<Option<LineHash>>,
}

impl Content {
    /// The line with this 1-based number; `None` when it is blank or behind the end.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<LineHash> {
        *self
            .lines
            .get(usize::try_from(number.checked_sub(1)?).ok()?)?
    }
}

/// When a regular file of bearable size was last changed, and how many bytes it has.
#[must_use]
pub fn modified(path: &Path) -> Option<(SystemTime, u64)> {
    match see(path) {
        Seen::File(stamp) => Some((stamp.modified(), stamp.size())),
        Seen::Gone | Seen::Unreadable => None,
    }
}

/// Hashes a regular file and each of its lines; `None` when there is none, or it is too large.
pub fn content(path: &Path) -> Option<Content> {
    let (bytes, stamp) = read(path)?;
    Some(Content {
        modified: stamp.modified(),
        content: *blake3::hash(&bytes).as_bytes(),
        git_blob: git_blob(&bytes),
        lines: LineHash::lines(&bytes).map(LineHash::of).collect(),
    })
}

/// A few lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Neutral, each line cut.
    pub text: String,
    /// 1-based number of the first line.
    pub first_line: u32,
}

/// Reads the lines around a place: where the recorded line is now, else where it was, else the
/// file's beginning.
pub fn excerpt(path: &Path, line: Option<u32>, hash: Option<LineHash>) -> Option<Excerpt> {
    let (bytes, _) = read(path)?;
    let last = u32::try_from(LineHash::lines(&bytes).count()).unwrap_or(u32::MAX);
    let was = line.unwrap_or(1);
    let place = hash
        .and_then(|hash| LineHash::nearest(&bytes, hash, was))
        .unwrap_or(was)
        .clamp(1, last);
    let first_line = place.saturating_sub(EXCERPT_MARGIN).max(1);
    let end = place.saturating_add(EXCERPT_MARGIN).min(last);
    let (skipped, taken) = (first_line as usize - 1, (end - first_line) as usize + 1);
    let shown: Vec<String> = LineHash::lines(&bytes)
        .skip(skipped)
        .take(taken)
        .map(shown)
        .collect();
    Some(Excerpt {
        text: shown.join("\n"),
        first_line,
    })
}

/// The first line of a file that is not as it was, 1-based: the last one where the file was merely
/// cut. `None` when there is no such file, or no such line.
#[must_use]
pub fn first_change(path: &Path, was: &[u8]) -> Option<u32> {
    let (bytes, _) = read(path)?;
    // Git gives a text without white space at its end.
    let (now, was): (Vec<&[u8]>, Vec<&[u8]>) = (
        LineHash::lines(bytes.trim_ascii_end()).collect(),
        LineHash::lines(was).collect(),
    );
    let same = now
        .iter()
        .zip(&was)
        .take_while(|(now, was)| now == was)
        .count();
    let is_same = same == now.len() && same == was.len();
    let number = u32::try_from((same + 1).min(now.len().max(1))).unwrap_or(u32::MAX);
    (!is_same).then_some(number)
}

fn shown(line: &[u8]) -> String {
    let text = neutral(&String::from_utf8_lossy(line));
    if text.chars().nth(EXCERPT_LINE_MAX_CHARS).is_none() {
        return text;
    }
    text.chars()
        .take(EXCERPT_LINE_MAX_CHARS - 1)
        .chain(['…'])
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn blob_ids_are_those_of_git() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hello");
        fs::write(&path, "hello\n").unwrap();
        let id = u128::from_str_radix("ce013625030ba8dba906f756967f9e9c", 16)
            .unwrap()
            .to_be_bytes();
        let found = hashes(&path, Some(1)).unwrap();
        assert_eq!(found.git_blob.get(..16).unwrap(), id);
        assert_eq!(found.line, LineHash::of(b"hello"));
        assert_eq!(hashes(&path, Some(2)).unwrap().line, None);
        let whole = content(&path).unwrap();
        assert_eq!(
            (whole.content, whole.git_blob),
            (found.content, found.git_blob)
        );
        assert_eq!(
            [0, 1, 2].map(|number| whole.line(number)),
            [None, found.line, None]
        );
        assert_eq!(modified(&path), Some((whole.modified, 6)));
        assert_eq!(hashes(directory.path(), None), None);
    }

    #[test]
    fn the_first_change_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        fs::write(&path, "one\ntwo\nthree\n\n").unwrap();
        for (was, number) in [
            ("one\ntwo\nthree", None),
            ("one\nTWO\nthree", Some(2)),
            ("one\ntwo", Some(3)),
            ("one\ntwo\nthree\nfour", Some(3)),
            ("", Some(1)),
        ] {
            assert_eq!(first_change(&path, was.as_bytes()), number, "{was:?}");
        }
        assert_eq!(first_change(&directory.path().join("absent"), b"one"), None);
    }

    #[test]
    fn excerpts_are_around_the_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        let text: Vec<String> = (1..=20).map(|n| format!("  line {n}")).collect();
        fs::write(&path, text.join("\r\n")).unwrap();
        let at = |line, hash| {
            excerpt(&path, line, hash).map(|found| (found.first_line, found.text.lines().count()))
        };
        assert_eq!(at(Some(10), None), Some((7, 7)));
        assert_eq!(at(Some(10), LineHash::of(b"line 15")), Some((12, 7)));
        assert_eq!(at(Some(2), None), Some((1, 5)));
        assert_eq!(at(Some(99), None), Some((17, 4)));
        assert_eq!(at(None, None), Some((1, 4)));
        assert_eq!(
            excerpt(&path, None, None).unwrap().text,
            "  line 1\n  line 2\n  line 3\n  line 4"
        );
        assert_eq!(excerpt(&directory.path().join("absent"), None, None), None);
    }
}
