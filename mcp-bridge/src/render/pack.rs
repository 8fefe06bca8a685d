//! Packing blocks of text into an answer of bounded size.

use super::ANSWER_MAX_CHARS;

/// Joins blocks up to [`ANSWER_MAX_CHARS`]; returns the text and how many blocks are in it. The
/// first is always in: blocks are bounded by whoever makes them.
pub(super) fn pack(blocks: &[String], separator: &str) -> (String, usize) {
    pack_within(blocks, separator, ANSWER_MAX_CHARS)
}

/// Joins blocks up to a number of characters, like [`pack`].
pub(super) fn pack_within(blocks: &[String], separator: &str, max_chars: usize) -> (String, usize) {
    let mut text = String::new();
    let mut size = 0;
    for (at, block) in blocks.iter().enumerate() {
        let more = block.chars().count() + separator.chars().count();
        if at > 0 && size + more > max_chars {
            return (text, at);
        }
        if at > 0 {
            text.push_str(separator);
        }
        text.push_str(block);
        size += more;
    }
    (text, blocks.len())
}

/// Packs blocks; when they are not all of `total`, `rest` says of how many more what to do about
/// it.
pub(super) fn packed(
    blocks: &[String],
    separator: &str,
    total: usize,
    rest: impl FnOnce(usize) -> String,
) -> String {
    let (text, shown) = pack(blocks, separator);
    match total.max(blocks.len()) - shown {
        0 => text,
        missing => format!("{text}{separator}{}", rest(missing)),
    }
}

/// Text that the daemon made, cut at a line's end where it is longer than [`ANSWER_MAX_CHARS`];
/// `rest` says what to do then.
pub(super) fn bounded(text: &str, rest: &str) -> String {
    let text = text.trim_end();
    let Some((at, _)) = text.char_indices().nth(ANSWER_MAX_CHARS) else {
        return text.to_owned();
    };
    let kept = text.get(..at).unwrap_or_default();
    let kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
    format!(
        "{kept}\n… {} more characters; {rest}",
        text.chars().count() - kept.chars().count()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_do_not_fit_are_counted_out() {
        let blocks = vec!["é".repeat(ANSWER_MAX_CHARS / 3); 5];
        let (text, shown) = pack(&blocks, "\n");
        assert_eq!(shown, 2);
        assert!(text.chars().count() <= ANSWER_MAX_CHARS);
    }

    #[test]
    fn everything_that_fits_is_shown() {
        assert_eq!(
            pack(&["a".to_owned(), "b".to_owned()], "\n"),
            ("a\nb".to_owned(), 2)
        );
        assert_eq!(pack(&[], "\n"), (String::new(), 0));
    }

    #[test]
    fn what_is_missing_is_said_once() {
        let blocks = ["a".to_owned(), "b".to_owned()];
        let rest = |missing| format!("{missing} more");
        assert_eq!(packed(&blocks, "\n", 2, rest), "a\nb");
        assert_eq!(packed(&blocks, "\n", 5, rest), "a\nb\n3 more");
    }

    #[test]
    fn long_text_is_cut_at_a_line() {
        let line = "é".repeat(99);
        let text = vec![line.as_str(); 201].join("\n");
        let cut = bounded(&text, "ask for less");
        assert!(
            cut.ends_with("é\n… 100 more characters; ask for less"),
            "{}",
            cut.len()
        );
        assert_eq!(bounded("a\n", ""), "a");
    }
}
