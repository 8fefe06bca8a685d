//! Homes whose memories have their vectors, kept between runs: to embed 100,000 texts takes longer
//! than everything that is measured with them.
//!
//! They stand beside the binaries under test, in `<target>/helix/bench/<key>/<size>`. The key names
//! everything that they are made from, so that a changed corpus, store format or model makes new
//! ones; whoever wants the room back removes the folder.

use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use helix_engine::Store;
use helix_tests::{Binary, Daemon, Home};
use nix::sys::signal::Signal;

use crate::corpus::Corpus;
use crate::fixture::{Connection, Loaded};
use crate::report::announce;

/// Memories by which a changed corpus is told.
const FINGERPRINT_MEMORIES: usize = 100;

/// The part of a home that holds its memories.
pub(crate) const STRANDS: &str = "strands";

/// Where embedded homes are kept.
pub(crate) struct Kept {
    directory: PathBuf,
}

/// A home whose memories have their vectors.
pub(crate) struct Embedded {
    pub(crate) loaded: Loaded,
    /// How it came to be, for the reader of the table.
    pub(crate) origin: String,
}

impl Kept {
    /// Finds the place for this corpus and the installed model; `None` without a model.
    pub(crate) fn find(corpus: &Corpus) -> Result<Option<Self>> {
        let Some((place, model)) = place()? else {
            return Ok(None);
        };
        let key = format!(
            "corpus-{:016x}-format-{format}-{model}",
            fingerprint(corpus),
            format = Store::FORMAT
        );
        Ok(Some(Self {
            directory: place.join(key),
        }))
    }

    /// A home with `size` memories and all their vectors, its daemon just started. What an earlier
    /// run kept is used again.
    pub(crate) fn at(&self, corpus: &Corpus, size: usize) -> Result<Embedded> {
        let home = Home::with_embedder()?.context("the model was removed meanwhile")?;
        let kept = self.directory.join(size.to_string());
        let strands = home.paths.home.join(STRANDS);
        if kept.is_dir() {
            // A daemon refuses a home that others may read.
            DirBuilder::new()
                .mode(0o700)
                .recursive(true)
                .create(&home.paths.home)?;
            copy(&kept, &strands)?;
            let loaded = Loaded::restored(home, size)?;
            loaded.connect()?.await_embedder(true)?;
            return Ok(Embedded {
                loaded,
                origin: format!("the vectors of {size} memories are of an earlier run"),
            });
        }
        announce(&format!(
            "embedding {size} memories, once: the result is kept in {}",
            self.directory.display()
        ));
        let started = Instant::now();
        let mut loaded = Loaded::new(home, corpus, size)?;
        loaded.connect()?.await_embedder(true)?;
        let seconds = started.elapsed().as_secs_f64();
        loaded.end(Signal::SIGTERM)?;
        keep(&strands, &kept)?;
        // Started again, as later runs find it.
        loaded.start()?;
        loaded.connect()?.await_embedder(true)?;
        let rate = rate(size, seconds);
        Ok(Embedded {
            loaded,
            origin: format!("{size} memories were embedded in {seconds:.0} s, {rate:.0} a second"),
        })
    }
}

/// Where embedded homes are kept, and the name of the installed model; `None` without a model.
pub(crate) fn place() -> Result<Option<(PathBuf, String)>> {
    let Some(home) = Home::with_embedder()? else {
        return Ok(None);
    };
    let _daemon = Daemon::start(&home)?;
    let mut connection = Connection::open(&home)?;
    connection.await_embedder(false)?;
    let model = connection.status()?.embedder.unwrap_or_default().model;
    let model: String = model
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let daemon = Binary::Daemon.path();
    let place = daemon
        .parent()
        .and_then(Path::parent)
        .context("the daemon's program stands in no directory")?;
    Ok(Some((place.join("bench"), model)))
}

/// Tells one corpus from another.
fn fingerprint(corpus: &Corpus) -> u64 {
    let mut hasher = DefaultHasher::new();
    for number in 0..FINGERPRINT_MEMORIES {
        format!("{:?}", corpus.memory(number, FINGERPRINT_MEMORIES)).hash(&mut hasher);
    }
    hasher.finish()
}

/// Copies a folder to its place at once, so that an interrupted run leaves nothing that looks
/// whole.
pub(crate) fn keep(from: &Path, to: &Path) -> Result<()> {
    let unfinished = to.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)
            .with_context(|| format!("removing {}", unfinished.display()))?;
    }
    copy(from, &unfinished)?;
    fs::rename(&unfinished, to).with_context(|| format!("keeping {}", to.display()))
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("listing {}", from.display()))? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)
                .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn rate(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_an_interrupted_run_left_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let (from, key) = (
            directory.path().join("strands"),
            directory.path().join("key"),
        );
        fs::create_dir_all(from.join("default/index")).unwrap();
        fs::write(from.join("default/index/a"), "whole").unwrap();
        fs::create_dir_all(key.join("10.unfinished")).unwrap();
        fs::write(key.join("10.unfinished/stray"), "").unwrap();
        keep(&from, &key.join("10")).unwrap();
        assert_eq!(
            fs::read_to_string(key.join("10/default/index/a")).unwrap(),
            "whole"
        );
        assert!(!key.join("10/stray").exists());
        assert_eq!(fs::read_dir(&key).unwrap().count(), 1);
    }
}
