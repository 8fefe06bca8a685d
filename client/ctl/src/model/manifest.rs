//! `manifest.json` of an installed folder, and the check of the folder against what is pinned.
//!
//! A library that was cut short kills the process that maps it, so nothing may be loaded before
//! this check. Hashing 52 MB at every start would cost 0.2 s: a stamp beside the files remembers
//! size, time and hash of what was verified.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::catalog::{Bundle, UnsupportedPlatform};
use super::files::{self, FileError, open_file};

/// Version of the manifest's format.
pub(super) const MANIFEST_SCHEMA: u32 = 1;

/// Names inside an installed folder.
pub(super) const MANIFEST_FILE: &str = "manifest.json";
pub(super) const STAMP_FILE: &str = ".verified.json";

/// Most of such a file that is read, in bytes: it names a few files.
const READ_MAX_BYTES: u64 = 1024 * 1024;

/// The remedy for anything that does not verify.
const REPAIR: &str = "run `helixctl model install`";

/// The content of an installed folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) schema: u32,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dimensions: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokenizer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) library: Option<String>,
    /// Packages that the files come from, as `name==version`.
    pub(super) sources: Vec<String>,
    pub(super) files: Vec<ManifestFile>,
}

/// One file of an installed folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestFile {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// A file as it was when its hash was last computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    name: String,
    bytes: u64,
    modified_ns: u64,
    sha256: String,
}

/// Why what is installed must not be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VerifyError {
    /// No library is pinned for this machine.
    #[error(transparent)]
    Platform(#[from] UnsupportedPlatform),
    /// A file or a folder is absent.
    #[error("{} is not installed; {REPAIR}", path.display())]
    Missing {
        /// The file that was looked for.
        path: PathBuf,
    },
    /// The manifest is of another version, or damaged.
    #[error("{} does not describe what this version of helix needs; {REPAIR}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
    },
    /// A file's contents are not what is pinned.
    #[error("{} is damaged: expected {expected}, found {found}; {REPAIR}", path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// The pinned size or hash.
        expected: String,
        /// The size or hash found.
        found: String,
    },
    /// A file could not be read.
    #[error("could not read {}: {source}; {REPAIR} as its owner", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes the manifest of a bundle into the folder that is about to become it.
pub(super) fn write(bundle: &Bundle, folder: &Path) -> Result<(), FileError> {
    let path = folder.join(MANIFEST_FILE);
    let text = serde_json::to_string_pretty(&bundle.manifest())
        .map_err(|error| files::failed("encode", &path)(error.into()))?;
    let mut file = files::create_file(&path)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.write_all(b"\n"))
        .and_then(|()| file.sync_all())
        .map_err(files::failed("write", &path))
}

/// Verifies a bundle in the models directory, hashing only what changed since the stamp was
/// written.
pub(super) fn verify_bundle(bundle: &Bundle, models_dir: &Path) -> Result<(), VerifyError> {
    let folder = models_dir.join(&bundle.folder);
    let expected = bundle.manifest();
    let path = folder.join(MANIFEST_FILE);
    let found = read(&path).map_err(|error| unreadable(&path, error))?;
    if serde_json::from_slice::<Manifest>(&found).ok().as_ref() != Some(&expected) {
        return Err(VerifyError::Manifest { path });
    }
    let known = read_stamps(&folder);
    let stamps = expected
        .files
        .iter()
        .map(|file| verify_file(file, &folder, &known))
        .collect::<Result<Vec<_>, _>>()?;
    if stamps != known {
        write_stamps(&folder, &stamps);
    }
    Ok(())
}

fn verify_file(file: &ManifestFile, folder: &Path, known: &[Stamp]) -> Result<Stamp, VerifyError> {
    let path = folder.join(&file.name);
    let metadata = std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?;
    let damaged = |expected: String, found: String| VerifyError::Damaged {
        path: path.clone(),
        expected,
        found,
    };
    if metadata.len() != file.bytes {
        return Err(damaged(
            format!("{} bytes", file.bytes),
            format!("{} bytes", metadata.len()),
        ));
    }
    let modified = metadata
        .modified()
        .map_err(|error| unreadable(&path, error))?;
    let stamp = Stamp {
        name: file.name.clone(),
        bytes: file.bytes,
        modified_ns: modified.duration_since(UNIX_EPOCH).map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        }),
        sha256: file.sha256.clone(),
    };
    if known.contains(&stamp) {
        return Ok(stamp);
    }
    let sha256 = files::sha256_of(&path).map_err(|error| unreadable(&path, error))?;
    if sha256 == file.sha256 {
        Ok(stamp)
    } else {
        Err(damaged(file.sha256.clone(), sha256))
    }
}

/// Reads a small file. What is longer is no such file, and what is read of it does not parse.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?
        .take(READ_MAX_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, source: io::Error) -> VerifyError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        VerifyError::Missing { path }
    } else {
        VerifyError::Unreadable { path, source }
    }
}

/// Returns the stamps, or none when they are absent or unreadable: then everything is hashed.
fn read_stamps(folder: &Path) -> Vec<Stamp> {
    read(&folder.join(STAMP_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Writes the stamps whole or not at all. A failure costs the next verification its time and
/// nothing else.
fn write_stamps(folder: &Path, stamps: &[Stamp]) {
    let path = folder.join(STAMP_FILE);
    let unfinished = folder.join(format!("{STAMP_FILE}.{}", std::process::id()));
    let Ok(bytes) = serde_json::to_vec(stamps) else {
        return;
    };
    let written = files::create_file(&unfinished).is_ok_and(|mut file| {
        file.write_all(&bytes)
            .and_then(|()| std::fs::rename(&unfinished, &path))
            .is_ok()
    });
    if !written {
        drop(std::fs::remove_file(&unfinished));
    }
}
