//! Where an installation keeps what it needs to be undone to the byte.
//!
//! One record a file, in `<helix home>/wiring/`, named by the hash of the file's canonical path;
//! and beside it a plain copy of the original for a person to fall back on. A record is written
//! before the file that it is about, so that a crash between the two leaves a record that merely
//! matches nothing.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use helix_proto::own_file;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::error::WiringError;
use super::file;
use super::record::{FirstRecord, RECORD_VERSION, Record};
use super::target::Target;

/// The directory within Helix's home.
const DIR_NAME: &str = "wiring";
/// Records and copies may hold what the settings hold: for the owner alone.
const RECORD_MODE: u32 = 0o600;
/// Largest record that is read for the directories it names, in bytes: it holds the settings as
/// they were.
const RECORD_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The directory as well.
const RECORD_DIR_MODE: u32 = 0o700;

/// The fields that every format of a record has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// The fields that every format of a record has for directories.
#[derive(Deserialize)]
struct Made {
    made_dirs: Vec<PathBuf>,
}

/// The records of one Helix home.
#[derive(Debug, Clone)]
pub(super) struct Undo {
    dir: PathBuf,
}

impl Undo {
    pub(super) fn new(helix_home: &Path) -> Self {
        Self {
            dir: helix_home.join(DIR_NAME),
        }
    }

    /// The record about the file at a canonical path, if there is one; `target` is what it is
    /// loaded for.
    pub(super) fn load(&self, real: &Path, target: &Target) -> Result<Option<Record>, WiringError> {
        let path = self.record_path(real);
        let Some(text) = file::read(&path)? else {
            return Ok(None);
        };
        let wrong = |problem: String| WiringError::Record {
            path: path.clone(),
            problem,
        };
        let broken = |error: serde_json::Error| wrong(error.to_string());
        let Versioned { version } = serde_json::from_str(&text).map_err(broken)?;
        match version {
            1 => serde_json::from_str(&text)
                .map(|first: FirstRecord| Some(first.today(target)))
                .map_err(broken),
            RECORD_VERSION => serde_json::from_str(&text).map(Some).map_err(broken),
            _ => Err(wrong(format!("version {version} is not known here"))),
        }
    }

    /// Keeps others that wire files from writing until the answer is dropped. `None` where no
    /// record was ever written, or the file system knows no locks: then only the look at each
    /// file before it is written guards against them.
    pub(super) fn lock(&self) -> Option<File> {
        let dir = File::open(&self.dir).ok()?;
        dir.lock().ok().map(|()| dir)
    }

    /// Writes the record.
    pub(super) fn save(&self, target: &Path, record: &Record) -> Result<(), WiringError> {
        let path = self.record_path(target);
        let wrong = |error: serde_json::Error| WiringError::Record {
            path: path.clone(),
            problem: error.to_string(),
        };
        let text = serde_json::to_string_pretty(record).map_err(wrong)?;
        write(&path, &text)
    }

    /// Keeps a plain copy of a file's text.
    pub(super) fn back_up(&self, target: &Path, text: &str) -> Result<(), WiringError> {
        write(&self.copy_path(target), text)
    }

    /// Drops the record.
    pub(super) fn forget(&self, target: &Path) -> Result<(), WiringError> {
        discard(&self.record_path(target))
    }

    /// Drops the plain copy.
    pub(super) fn discard_copy(&self, target: &Path) -> Result<(), WiringError> {
        discard(&self.copy_path(target))
    }

    /// Where the plain copy of a file's original lies, if there is one.
    pub(super) fn copy(&self, target: &Path) -> Option<PathBuf> {
        Some(self.copy_path(target)).filter(|path| path.exists())
    }

    /// Where the plain copy of a file's original is put.
    pub(super) fn copy_path(&self, target: &Path) -> PathBuf {
        self.dir
            .join(hash(target.as_os_str().as_bytes()) + ".original")
    }

    /// Returns those of a file's directories that some record says were made by us: the last file
    /// to leave one takes it along. Records that cannot be read say nothing.
    pub(super) fn made_dirs_above(&self, target: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return Vec::new();
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let texts = paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "json")
            })
            .filter_map(|path| own_file::read(&path, RECORD_MAX_BYTES).ok());
        let records = texts.filter_map(|text| serde_json::from_slice::<Made>(&text).ok());
        let made: Vec<PathBuf> = records.flat_map(|record| record.made_dirs).collect();
        target
            .ancestors()
            .skip(1)
            .filter(|dir| made.iter().any(|one| one == dir))
            .map(Path::to_owned)
            .collect()
    }

    /// Makes the directory.
    pub(super) fn make_dir(&self) -> Result<(), WiringError> {
        DirBuilder::new()
            .recursive(true)
            .mode(RECORD_DIR_MODE)
            .create(&self.dir)
            .map_err(WiringError::io("make the directory", &self.dir))?;
        fs::set_permissions(&self.dir, Permissions::from_mode(RECORD_DIR_MODE))
            .map_err(WiringError::io("set the mode of", &self.dir))
    }

    fn record_path(&self, target: &Path) -> PathBuf {
        self.dir.join(hash(target.as_os_str().as_bytes()) + ".json")
    }
}

fn write(path: &Path, text: &str) -> Result<(), WiringError> {
    file::write(path, text.as_bytes(), RECORD_MODE)
        .map_err(WiringError::io("write the undo record", path))
}

/// SHA-256 in lowercase hexadecimal.
pub(super) fn hash(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes)
        .into_iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

fn discard(path: &Path) -> Result<(), WiringError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WiringError::io("remove", path)(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
