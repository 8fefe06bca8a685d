//! The state of a source as the author of a revision saw it.

use helix_memory::{
    Memory, RecordedSource as Recorded, SourceRef, SourceState, Sourced, Sources as _,
};

use crate::sources::{SEARCH_READ_MAX_BYTES, hashes_again};
use crate::{App, Asker};

/// Most characters of a source in a note.
const SOURCE_SHOWN_CHARS: usize = 200;

/// The source with the hashes of today, where it can be looked at from here; and what to tell the
/// author of it.
pub(super) fn again(
    app: &App,
    asker: &Asker,
    memory: &Memory,
) -> (Option<Box<Sourced>>, Option<String>) {
    let Some(mut seen) = Sourced::of(memory) else {
        return (None, None);
    };
    let look = app
        .memory
        .sources
        .look(&asker.project, SEARCH_READ_MAX_BYTES);
    let scope = memory.scope.of_source(seen.project.as_deref());
    let Some(path) = look.locate(&scope, &seen.reference.path) else {
        return (None, None);
    };
    let state = look.state(memory);
    let was = Recorded::of(memory).and_then(|recorded| recorded.line);
    let (read, number) = (path.clone(), seen.reference.line);
    let found = look.ask(&path, move || hashes_again(&read, number, was));
    let Some((hashes, line)) = found.flatten() else {
        let note = format!(
            "its source {} is gone; `set` gives it another",
            shown(&seen)
        );
        return (None, (state == SourceState::Deleted).then_some(note));
    };
    let was_unseen = seen.reference.content_hash.is_none();
    seen.reference.path = SourceRef::plain_path(&seen.reference.path).into_owned();
    seen.reference.line = line;
    seen.reference.content_hash = Some(hashes.content);
    seen.reference.git_blob = Some(hashes.git_blob);
    seen.line = hashes.line.map(|line| line.to_string());
    let is_behind = line.is_some_and(|line| line > hashes.lines);
    let end = if is_behind {
        "; it ends before that line, so only the file is watched"
    } else {
        ""
    };
    let note = format!(
        "its source {} counts as seen as it is now{end}",
        shown(&seen)
    );
    (
        Some(Box::new(seen)),
        (state.is_stale() || was_unseen).then_some(note),
    )
}

fn shown(source: &Sourced) -> String {
    let path: String = source
        .reference
        .path
        .chars()
        .take(SOURCE_SHOWN_CHARS)
        .collect();
    match source.reference.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}
