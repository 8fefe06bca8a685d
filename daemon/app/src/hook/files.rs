//! What the files that agents work on declare and are about, read once for each content.
//!
//! Known by the hash of the content, so that a file that is read, edited and read again is parsed
//! twice and not three times, and a file that two worktrees share once. What it is about is
//! embedded when the embedder has time, and no event waits for it.

use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_engine::TextVectors;
use lru::LruCache;

use crate::plain_file;
use crate::ports::{Embedder, EmbedderState};

/// Contents that are remembered: what an agent works on in a day, at some kilobytes each.
const FILES_MAX: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Bytes of a file that are read for its symbols; 500 lines are rarely longer.
const FILE_READ_MAX_BYTES: u64 = 128 * 1024;

/// Where files stand that no disk holds: to read one is to ask the kernel, which may wait for
/// something to tell.
const UNREAL: [&str; 2] = ["/proc", "/sys"];

/// How long the embedder may take for a file that nobody waits for anymore.
const EMBED_DEADLINE: Duration = Duration::from_secs(30);

/// Knowledge of one content.
#[derive(Debug)]
pub(super) struct Seen {
    /// The names that it declares.
    pub(super) names: Vec<String>,
    /// It in words.
    pub(super) summary: String,
    /// The vector of those, once it is made, with the model that made it.
    meaning: Mutex<Option<(String, Vec<f32>)>>,
    /// True if somebody has asked for it.
    is_asked: AtomicBool,
}

/// The files that were looked at last.
#[derive(Debug)]
pub struct Files {
    known: Mutex<LruCache<blake3::Hash, Arc<Seen>>>,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            known: Mutex::new(LruCache::new(FILES_MAX)),
        }
    }
}

impl Files {
    /// Returns what is known of a file with this text; `shown` is its path as people write it.
    pub(super) fn look(&self, file: &Path, shown: &Path, text: &str) -> Arc<Seen> {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(shown.as_os_str().as_encoded_bytes())
            .update(&[0])
            .update(text.as_bytes());
        let hash = hasher.finalize();
        if let Some(seen) = self.lock().get(&hash) {
            return Arc::clone(seen);
        }
        // Parsed without the lock: two events may parse the same file at the same time, and agree.
        let names = helix_code::declared(file, text);
        let summary = helix_code::summary(shown, text, &names);
        let seen = Arc::new(Seen {
            names,
            summary,
            meaning: Mutex::default(),
            is_asked: AtomicBool::new(false),
        });
        self.lock().put(hash, Arc::clone(&seen));
        seen
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<blake3::Hash, Arc<Seen>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// The vector of what the file is about, where the present model has made it.
    pub(super) fn known_meaning(&self, embedder: &dyn Embedder) -> Option<Vec<f32>> {
        let EmbedderState::Ready(model) = embedder.state() else {
            return None;
        };
        let known = self.meaning.lock().unwrap_or_else(PoisonError::into_inner);
        let (made_by, meaning) = known.as_ref()?;
        (*made_by == model).then(|| meaning.clone())
    }

    /// The vector of what the file is about, where it is made; it is made in any case, for the next
    /// event. Waits for it at most `patience`.
    pub(super) fn meaning(
        self: &Arc<Self>,
        embedder: &dyn Embedder,
        patience: Duration,
    ) -> Option<Vec<f32>> {
        if let Some(meaning) = self.known_meaning(embedder) {
            return Some(meaning);
        }
        let EmbedderState::Ready(model) = embedder.state() else {
            return None;
        };
        if self.is_asked.swap(true, Ordering::AcqRel) {
            return None;
        }
        let seen = Arc::clone(self);
        let (done, is_done) = sync_channel(1);
        let keep = move |vectors: Option<TextVectors>| {
            if let Some(TextVectors { whole: meaning, .. }) = vectors {
                *seen.meaning.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((model, meaning));
            }
            // Where it was not ready, and when another model is there, an event asks again.
            seen.is_asked.store(false, Ordering::Release);
            // Nobody may wait for it anymore.
            done.send(()).ok();
        };
        embedder.embed_later(self.summary.clone(), EMBED_DEADLINE, Box::new(keep));
        if !patience.is_zero() {
            is_done.recv_timeout(patience).ok();
        }
        self.known_meaning(embedder)
    }
}

/// Reads the first bytes of a regular file; empty when it cannot be read or is none.
pub(super) fn head(file: &Path) -> String {
    String::from_utf8_lossy(&first_bytes(file).unwrap_or_default()).into_owned()
}

fn first_bytes(file: &Path) -> Option<Vec<u8>> {
    // Of what no disk holds the length is not known, so it is given as none; a look at it before
    // also spares devices an opening.
    let is_readable = |found: &fs::Metadata| found.is_file() && found.len() > 0;
    if UNREAL.iter().any(|place| file.starts_with(place))
        || !fs::metadata(file).is_ok_and(|found| is_readable(&found))
    {
        return None;
    }
    let (opened, found) = plain_file::open(file).ok()?;
    Some(found).filter(is_readable)?;
    let mut bytes = Vec::new();
    opened
        .take(FILE_READ_MAX_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_content_is_read_once() {
        let (file, shown) = (Path::new("/p/src/row_set.rs"), Path::new("src/row_set.rs"));
        let (before, after) = ("//! Rows.\nfn load_rows() {}\n", "fn read_rows() {}\n");
        let files = Files::default();
        let first = files.look(file, shown, before);
        assert_eq!(first.names, ["load_rows"]);
        assert_eq!(first.summary, "src row set rs: Rows. load_rows");
        assert!(Arc::ptr_eq(&first, &files.look(file, shown, before)));
        assert_eq!(files.look(file, shown, after).names, ["read_rows"]);
        assert!(Arc::ptr_eq(&first, &files.look(file, shown, before)));
    }

    #[test]
    fn only_the_beginning_of_a_regular_file_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("long.rs");
        fs::write(&file, "x".repeat(200_000)).unwrap();
        assert_eq!(head(&file).len(), 128 * 1024);
        assert_eq!(
            (
                head(directory.path()),
                head(&directory.path().join("missing"))
            ),
            (String::new(), String::new())
        );
    }

    #[test]
    fn what_no_disk_holds_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe.rs");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let link = directory.path().join("status.rs");
        std::os::unix::fs::symlink("/proc/self/status", &link).unwrap();
        assert!(!fs::read(&link).unwrap().is_empty());
        for file in [
            &pipe,
            &link,
            Path::new("/proc/self/status"),
            Path::new("/sys/kernel/uevent_seqnum"),
            Path::new("/dev/zero"),
        ] {
            assert_eq!(head(file), "", "{}", file.display());
        }
    }
}
