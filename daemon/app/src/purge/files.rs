//! The strand's files, without what was removed from them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use helix_engine::store::{STORE_FILE, Shrunk};

use crate::{App, Refusal};

/// Parts of the names of copies of the store that Helix makes: before a change of format, and of a
/// damaged one.
const COPIES: [&str; 2] = [".format-", ".damaged-"];

/// Directory of the home that holds backups.
const BACKUPS: &str = "backups";

/// Makes the indexes without what is gone and removes copies of the store. Says what it removed.
pub(super) fn clean(app: &App) -> Result<Vec<String>, Refusal> {
    let strand = &app.memory.strand;
    // A merge of one segment may keep it as it is, so the index is filled anew.
    strand.reindex(|| true)?;
    let words = strand.compact_words();
    words.map_err(|error| Refusal::internal(error.to_string()))?;
    let vectors = strand.compact_vectors();
    vectors.map_err(|error| Refusal::internal(error.to_string()))?;
    let mut removed = Vec::new();
    for copy in copies(&app.layout.directory()) {
        removed.extend(remove(&copy));
    }
    for backup in entries(&app.layout.paths.home.join(BACKUPS)) {
        removed.extend(remove(&backup));
    }
    Ok(removed)
}

/// Copies of the store beside it.
fn copies(directory: &Path) -> Vec<PathBuf> {
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(STORE_FILE));
        rest.is_some_and(|rest| COPIES.iter().any(|copy| rest.starts_with(copy)))
    };
    entries(directory).into_iter().filter(is_copy).collect()
}

/// What a directory holds; nothing where it is not there.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Removes a file or directory, and says so; also that it could not be.
fn remove(path: &Path) -> Option<String> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed = if is_directory {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    let shown = path.display();
    match removed {
        Ok(()) => Some(format!("{shown} held a copy and was removed")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(format!(
            "{shown} may hold a copy and could not be removed ({error}); remove it yourself"
        )),
    }
}

/// Says what is left where the store could not be written anew.
pub(super) fn left(rewritten: Shrunk) -> Option<String> {
    match rewritten {
        Shrunk::Rewritten { .. } | Shrunk::AsItWas => None,
        Shrunk::TooLarge | Shrunk::Failed => Some(
            "the store could not be written anew, which takes as much room again; the text is out of reach, \
             and its bytes may be in free room of the file until the next purge"
                .to_owned(),
        ),
    }
}
