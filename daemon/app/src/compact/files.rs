//! The strand's files, made smaller.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use helix_engine::Shrunk;

use super::Answer;
use crate::ports::Hold;
use crate::threads::{long_off_thread, off_thread};
use crate::{App, Refusal};

/// Directories inside a strand's own; deeper ones than this are none of ours.
const DEPTH_MAX: usize = 8;

/// Says how large the strand's files are; told to apply, makes them smaller and says how large they
/// are then. The store loses no memory and no operation by it.
pub(super) async fn files(
    app: &Arc<App>,
    going: &Hold,
    apply: bool,
    answer: &mut Answer,
) -> Result<(), Refusal> {
    let before = long_off_thread(app, going, move |app| {
        let before = size(app);
        if apply {
            compact_indexes(app)?;
        }
        Ok(before)
    });
    answer.bytes_before = before.await?;
    if !apply {
        // What rewriting them would gain is known only once it is done.
        return Ok(());
    }
    let shrunk = app.writer.shrink().await?;
    answer.notes.extend(left_large(shrunk));
    answer.bytes_after = off_thread(app, |app| Ok(size(app))).await?;
    Ok(())
}

fn compact_indexes(app: &App) -> Result<(), Refusal> {
    let strand = &app.memory.strand;
    let words = strand.compact_words();
    words.map_err(|error| Refusal::internal(error.to_string()))?;
    let vectors = strand.compact_vectors();
    vectors.map_err(|error| Refusal::internal(error.to_string()))?;
    Ok(())
}

fn size(app: &App) -> u64 {
    bytes_in(&app.layout.directory(), DEPTH_MAX)
}

/// Why the store is as large as it was, when there is something to be done about it.
fn left_large(shrunk: Shrunk) -> Option<String> {
    match shrunk {
        Shrunk::Rewritten { .. } | Shrunk::AsItWas => None,
        Shrunk::TooLarge => Some(format!(
            "the store has more than {max_bytes} bytes and was not rewritten, because writes would wait too long for it", max_bytes = Shrunk::MAX_BYTES)),
        Shrunk::Failed => Some(
            "the store was not rewritten, which takes as much room again; the log says why, and nothing was changed"
                .to_owned(),
        ),
    }
}

/// Sizes of all files below a directory. What vanishes meanwhile counts nothing.
fn bytes_in(directory: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() && depth > 0 => bytes_in(&entry.path(), depth - 1),
        Ok(found) if found.is_file() => found.len(),
        Ok(_) | Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
