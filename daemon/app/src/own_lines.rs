//! Lines like `[tags: a, b]` in a text, which are taken for what they say: what its author is told
//! of them.

use helix_exchange::OwnLines;

/// Says that fields were taken out of a text.
pub(crate) fn taken_note(names: &[&str]) -> String {
    format!(
        "{} came from lines of the text, which are no longer in it",
        names.join(", ")
    )
}

/// Names the lines of a text that set nothing and stayed in it.
pub(crate) fn stayed_notes(text: &str) -> impl Iterator<Item = String> {
    inner_note(text).into_iter().chain(OwnLines::slips(text))
}

/// Names the lines within a text that set nothing.
fn inner_note(text: &str) -> Option<String> {
    let lines: Vec<String> = OwnLines::inside(text)
        .iter()
        .map(|name| format!("[{name}: …]"))
        .collect();
    if lines.is_empty() {
        return None;
    }
    Some(format!(
        "{} inside the text set nothing and stayed in it: such lines count at its head and its end",
        lines.join(" ")
    ))
}
