//! Long texts, cut in their middle: what matters of an output stands at its head and its tail.

/// Bytes that are kept of either end of an output, a command or a change.
pub(super) const OUTPUT_END_BYTES: usize = 4 * 1024;

/// Bytes that are kept of either end of a message; people paste logs.
pub(super) const TEXT_END_BYTES: usize = 16 * 1024;

/// Head and tail of a text, and between them how much is left out.
pub(super) fn bounded(text: &str, end_bytes: usize) -> String {
    if text.len() <= 2 * end_bytes {
        return text.to_owned();
    }
    let head = text.get(..text.floor_char_boundary(end_bytes));
    let tail = text.get(text.ceil_char_boundary(text.len() - end_bytes)..);
    let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[… {left_out} bytes …]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_keeps_head_and_tail() {
        assert_eq!(bounded("abcdef", 3), "abcdef");
        assert_eq!(bounded("abcdefgh", 3), "abc\n[… 2 bytes …]\nfgh");
        // Characters stay whole.
        assert_eq!(bounded("äöüäöüäöü", 3), "ä\n[… 14 bytes …]\nü");
    }
}
