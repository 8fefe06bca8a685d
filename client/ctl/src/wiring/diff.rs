//! The difference between two texts as people read it.

use std::path::Path;

use similar::TextDiff;

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;
/// Where a shown line is cut: some clients keep megabytes on one line.
const LINE_CHARS_MAX: usize = 400;

/// Writes a unified diff; `None` stands for a file that is not there. Empty when nothing differs.
pub(super) fn diff(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let side = |text: Option<&str>| {
        text.map_or_else(|| "/dev/null".to_owned(), |_| path.display().to_string())
    };
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let shown = TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(&side(before), &side(after))
        .to_string();
    shown.split_inclusive('\n').map(cut).collect()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((at, _)) => line.get(..at).unwrap_or(line).to_owned() + "…\n",
        None => line.to_owned(),
    }
}
