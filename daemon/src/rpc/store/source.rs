//! What a source file holds when a memory about it is stored.

use std::fs;
use std::path::Path;

use sha1::{Digest, Sha1};

/// Largest file that is hashed, in bytes. A memory is rarely about a line of a larger one.
const SOURCE_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The two hashes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hashes {
    /// BLAKE3.
    pub(super) content: [u8; 32],
    /// Git's blob id: SHA-1 over `blob <length>\0` and the bytes.
    pub(super) git_blob: [u8; 20],
}

/// Hashes a regular file; `None` when there is none, or it is too large.
pub(super) fn hashes(path: &Path) -> Option<Hashes> {
    let found = fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > SOURCE_MAX_BYTES {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let mut blob = Sha1::new();
    blob.update(format!("blob {}\0", bytes.len()));
    blob.update(&bytes);
    Some(Hashes { content: *blake3::hash(&bytes).as_bytes(), git_blob: blob.finalize().into() })
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
        let id = u128::from_str_radix("ce013625030ba8dba906f756967f9e9c", 16).unwrap().to_be_bytes();
        assert_eq!(hashes(&path).unwrap().git_blob.get(..16).unwrap(), id);
        assert_eq!(hashes(directory.path()), None);
    }
}
